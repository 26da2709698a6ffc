from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from model.checkpoint import ModelFolderError
from model.classifier import Classifier
from model.drift import frechet, stability_index
from model.reference import FILE, MailEmbedding, read_reference, word_vectors
from service.settings import released_model


def test_equal_shares_are_0_apart_and_an_empty_bucket_is_far_but_finite() -> None:
    even = np.array([0.5, 0.5])
    assert stability_index(even, even) == pytest.approx(0.0)
    assert stability_index(even, np.array([0.6, 0.4])) == pytest.approx(
        0.1 * np.log(0.6 / 0.5) - 0.1 * np.log(0.4 / 0.5)
    )
    assert 2 < stability_index(even, np.array([1.0, 0.0])) < 10


def test_the_frechet_distance_is_that_of_two_normal_distributions() -> None:
    def moments(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return points.mean(axis=0), (points[:, :, None] * points[:, None, :]).mean(axis=0)

    rng = np.random.default_rng(0)
    points = rng.normal(size=(200_000, 3))
    assert frechet(*moments(points)) == pytest.approx(0.0, abs=1e-3)
    assert frechet(*moments(points + [2.0, 0, 0])) == pytest.approx(4.0, abs=0.05)  # |mean|²
    assert frechet(*moments(points * 3.0)) == pytest.approx(3 * (1 + 9 - 2 * 3), rel=0.01)  # trace of 1 + 9 - 2·3


def test_the_released_reference_is_small_and_of_the_released_model(released: Classifier) -> None:
    assert (released_model() / FILE).stat().st_size < 100_000
    reference = read_reference(released_model())
    assert reference is not None
    assert reference.model_version == released.card.version
    assert sum(reference.labels.values()) == pytest.approx(1.0)


def test_word_vectors_are_those_that_the_network_reads_with(tiny_folder: Path) -> None:
    from model.weights import load_network

    np.testing.assert_allclose(word_vectors(tiny_folder), load_network(tiny_folder).embed.weight.detach().numpy())


def test_an_embedding_is_the_projection_of_the_mean_word_vector() -> None:
    reference = read_reference(released_model())
    assert reference is not None
    ids = np.array([5, 900, 900, 31_000])
    mean = word_vectors(released_model())[ids].mean(axis=0)
    expected = np.array(reference.projection.components) @ (mean - np.array(reference.projection.mean))
    np.testing.assert_allclose(MailEmbedding(released_model(), reference.projection)(ids), expected, atol=1e-3)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"format": 2}'])
def test_a_broken_reference_is_refused_by_name(text: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(ModelFolderError, match=r"reference\.json"):
        read_reference(tmp_path)


def test_a_folder_without_a_reference_has_none(tmp_path: Path) -> None:
    assert read_reference(tmp_path) is None
