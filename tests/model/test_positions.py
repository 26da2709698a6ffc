from __future__ import annotations

import pytest
import torch

from model.positions import LearnedPositions, RotaryPositions, SinusoidalPositions, inverse_frequencies, rotary


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        (0, (0.0, 1.0, 0.0, 1.0)),
        (1, (0.841, 0.540, 0.010, 1.000)),
        (2, (0.909, -0.416, 0.020, 1.000)),
        (3, (0.141, -0.990, 0.030, 1.000)),
        (44, (0.018, 1.000, 0.426, 0.905)),  # the fast pair has come round seven times, the slow one has not
    ],
)
def test_sinusoidal_readings_are_the_papers(position: int, expected: tuple[float, ...]) -> None:
    reading = SinusoidalPositions(4)(torch.tensor([[position]]))[0, 0]
    torch.testing.assert_close(reading, torch.tensor(expected), atol=6e-4, rtol=0)


def test_frequencies_fall_by_the_base_over_the_width() -> None:
    expected = [1 / 10_000 ** (2 * i / 8) for i in range(4)]
    torch.testing.assert_close(inverse_frequencies(8), torch.tensor(expected, dtype=torch.float64))


def test_rotary_at_position_zero_is_the_identity() -> None:
    x = torch.randn(2, 4, 3, 8)
    cos, sin = RotaryPositions(8)(torch.zeros(2, 3, dtype=torch.long))
    torch.testing.assert_close(rotary(x, cos, sin), x)


def test_rotary_keeps_norms() -> None:
    x = torch.randn(2, 4, 50, 8)
    cos, sin = RotaryPositions(8)(torch.arange(50).expand(2, 50))
    torch.testing.assert_close(rotary(x, cos, sin).norm(dim=-1), x.norm(dim=-1))


@pytest.mark.parametrize("shift", [1, 17, 400])
def test_a_rotary_score_depends_on_the_distance_alone(shift: int) -> None:
    q, k = torch.randn(1, 1, 1, 16, dtype=torch.float64), torch.randn(1, 1, 1, 16, dtype=torch.float64)
    positions = RotaryPositions(16).double()

    def score(query_at: int, key_at: int) -> float:
        turned_q = rotary(q, *positions(torch.tensor([[query_at]])))
        turned_k = rotary(k, *positions(torch.tensor([[key_at]])))
        return float((turned_q * turned_k).sum())

    assert score(9, 4) == pytest.approx(score(9 + shift, 4 + shift), abs=1e-4)
    assert score(9, 4) != pytest.approx(score(4, 9), abs=1e-4)


def test_a_learned_table_names_both_numbers_when_asked_for_a_slot_it_lacks() -> None:
    with pytest.raises(ValueError, match=r"position 128 .* 128 slots"):
        LearnedPositions(128, 8)(torch.tensor([[0, 128]]))
