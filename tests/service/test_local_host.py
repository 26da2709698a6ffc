from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from model.classifier import Classifier
from service.cli.entrance import guarded_app
from service.settings import Settings
from tests.service.test_emails import assert_problem


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("localhost:8080", 200),
        ("127.0.0.1:8080", 200),
        ("[::1]:8080", 200),
        ("LOCALHOST", 200),
        ("evil.example:8080", 403),  # a name that its owner points at 127.0.0.1
        ("127.0.0.1.evil.example", 403),
        ("localhost.evil.example", 403),
        ("[evil", 403),
        ("", 403),
    ],
)
def test_without_keys_only_loopbacks_own_names_are_answered(
    settings: Settings, tiny_classifier: Classifier, host: str, status: int
) -> None:
    with TestClient(guarded_app(settings, tiny_classifier)) as client:
        answer = client.get("/v1/labels", headers={"Host": host})
        if status == 200:
            assert answer.status_code == 200
        else:
            assert_problem(answer, status, "localhost only")


def test_with_keys_any_name_will_do(settings: Settings, tiny_classifier: Classifier) -> None:
    guarded = settings.model_copy(update={"require_keys": True})
    with TestClient(guarded_app(guarded, tiny_classifier), base_url="http://shop.example") as client:
        assert client.get("/healthz").status_code == 200
