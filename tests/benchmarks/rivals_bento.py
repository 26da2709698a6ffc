"""BentoML finds its service by name in a module; see tests.benchmarks.rivals."""

from typing import Any

import bentoml

from tests.benchmarks.rivals import MAX_BATCH, Router


@bentoml.service(workers=1, traffic={"timeout": 60})
class BentoRouter:
    def __init__(self) -> None:
        self.router = Router()

    @bentoml.api(batchable=True, max_batch_size=MAX_BATCH, max_latency_ms=60_000)
    def classify(self, mails: list[dict[str, Any]]) -> list[dict[str, Any]]:
        reads = self.router.read([mail["text"] for mail in mails])
        return [self.router.store(mail, read) for mail, read in zip(mails, reads, strict=True)]
