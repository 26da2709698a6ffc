"""The document says what the service does: cases that schemathesis makes of it, and a client generated from it.

CONTRACT_EXAMPLES says how many cases each route gets; python -m tests.benchmarks.contract tries many.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from model.classifier import Classifier
from service.access import Role
from service.settings import Settings
from service.upgrade import upgrade
from tests.service.browser.live import LiveServer
from tests.service.easy_suite import write_suite
from tests.service.secured import bearer, new_key

DOCUMENT = Path(__file__).parents[2] / "openapi.json"
EXAMPLES = int(os.environ.get("CONTRACT_EXAMPLES", "3"))
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]

FEW: dict[str, Any] = {
    "deadline": None,
    "derandomize": True,
    "suppress_health_check": list(HealthCheck),
    "phases": [Phase.generate],
}
MANY: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
}  # also each boundary of each field, one by one

schemathesis.serializer.alias("message/rfc822", "application/octet-stream")
schema = schemathesis.openapi.from_path(DOCUMENT)
ANSWER_SECONDS = 60.0  # on a busy machine
ANSWERS: Counter[tuple[str, int]] = Counter()  # operation and status → how many, for the benchmark to tell


class Keyed:
    """A live service that asks for keys, on SQLite, and an admin's key."""

    def __init__(self, folder: Path, model: Path, classifier: Classifier) -> None:
        database_url = f"sqlite:///{folder}/router.db"
        upgrade(database_url)
        self.key = new_key(database_url, Role.ADMIN)
        self.live = LiveServer(
            Settings(database_url=database_url, model_folder=model, metrics_access="keys"), classifier
        )


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory, tiny_folder: Path, tiny_classifier: Classifier) -> Iterator[Keyed]:
    folder = tmp_path_factory.mktemp("contract")
    suite = write_suite(folder / "easy.yaml", tiny_classifier)  # a run that was asked for ends in a moment
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Settings, "suite_files", lambda _: [suite])
        keyed = Keyed(folder, tiny_folder, tiny_classifier)
        yield keyed
        keyed.live.stop()


@schema.parametrize()
@settings(max_examples=EXAMPLES, **(FEW if EXAMPLES < 20 else MANY))
def test_every_answer_is_one_that_the_document_has(case: schemathesis.Case, keyed: Keyed) -> None:
    response = case.call(base_url=keyed.live.url, headers=bearer(keyed.key), timeout=ANSWER_SECONDS)
    ANSWERS[case.operation.label, response.status_code] += 1
    case.validate_response(response, checks=CHECKS)


@schema.parametrize()
@settings(max_examples=1, **FEW)
def test_every_refusal_without_a_key_is_one_that_the_document_has(case: schemathesis.Case, keyed: Keyed) -> None:
    response = case.call(base_url=keyed.live.url)
    case.validate_response(response, checks=CHECKS)
    assert response.status_code == 401 or "security" not in case.operation.definition.raw


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The package that openapi-python-client makes of the document."""
    folder = tmp_path_factory.mktemp("client")
    package = folder / "generated_router_client"
    options = {"post_hooks": [], "content_type_overrides": {"message/rfc822": "application/octet-stream"}}
    (folder / "config.json").write_text(json.dumps(options))
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--path", str(DOCUMENT), "--meta", "none"]
    command += ["--config", str(folder / "config.json"), "--output-path", str(package), "--fail-on-warning"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield importlib.import_module(package.name)


def test_a_generated_client_posts_gets_lists_and_corrects(generated: ModuleType, keyed: Keyed) -> None:
    def call(path: str, *given: object, **named: object) -> Any:
        return importlib.import_module(f"{generated.__name__}.api.{path}").sync(*given, client=client, **named)

    models = importlib.import_module(f"{generated.__name__}.models")
    with generated.AuthenticatedClient(keyed.live.url, token=keyed.key) as client:
        posted = call("emails.post_email", body=models.EmailIn(message_id="<client@x>", text="refund the fee"))
        assert isinstance(posted, models.EmailOut)
        assert call("emails.get_email", posted.id).to_dict() == posted.to_dict()
        assert [found.id for found in call("emails.get_emails", limit=1).data] == [posted.id]
        verdict = models.FeedbackIn(verdict=models.FeedbackInVerdict.CORRECTED, label="other")
        call("feedback.post_feedback", posted.id, body=verdict)
        assert call("emails.get_email", posted.id).standing_label == "other"
        refused = call("emails.post_email", body=models.EmailIn())
        assert (refused.status, refused.detail) == (422, "body: at least one of subject, text and html is needed")
