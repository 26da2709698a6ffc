"""Learning rates over time, and the arithmetic a step is done in."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR


def cosine_with_warmup(optimizer: Optimizer, steps: int, warmup: int) -> LambdaLR:
    """Linear from 0 over `warmup` steps, then half a cosine to 0 at `steps` (Loshchilov and Hutter 2017)."""

    def factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        done = (step - warmup) / max(1, steps - warmup)
        return 0.5 * (1.0 + math.cos(math.pi * min(1.0, done)))

    return LambdaLR(optimizer, factor)


@contextmanager
def arithmetic() -> Iterator[None]:
    """bfloat16 where the processor multiplies it in tiles (AMX: products at 10× float32's rate), else float32.

    Attention's plain form is asked for: the fused one's bfloat16 backward pass is five times slower on a CPU.
    """
    bfloat16 = torch.cpu._is_amx_tile_supported()
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bfloat16), sdpa_kernel(SDPBackend.MATH):
        yield
