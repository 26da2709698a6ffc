"""The document says what the service does: cases that schemathesis makes of it, and a client generated from it.

CONTRACT_EXAMPLES says how many cases each route gets; python -m tests.benchmarks.contract tries many.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
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
EXAMPLES = int(os.environ.get("CONTRACT_EXAMPLES", "4"))
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]

schema = schemathesis.openapi.from_path(DOCUMENT)


class Keyed:
    """A live service that asks for keys, on SQLite, and an admin's key."""

    def __init__(self, folder: Path, model: Path, classifier: Classifier) -> None:
        database_url = f"sqlite:///{folder}/router.db"
        upgrade(database_url)
        self.key = new_key(database_url, Role.ADMIN)
        self.live = LiveServer(Settings(database_url=database_url, model_folder=model), classifier)


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
@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_answer_is_one_that_the_document_has(case: schemathesis.Case, keyed: Keyed) -> None:
    case.call_and_validate(base_url=keyed.live.url, headers=bearer(keyed.key), checks=CHECKS)


@schema.parametrize()
@settings(max_examples=1, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_refusal_without_a_key_is_one_that_the_document_has(case: schemathesis.Case, keyed: Keyed) -> None:
    response = case.call(base_url=keyed.live.url)
    case.validate_response(response, checks=CHECKS)
    assert response.status_code == 401 or "security" not in case.operation.definition.raw


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The package that openapi-python-client makes of the document."""
    folder = tmp_path_factory.mktemp("client")
    package = folder / "generated_router_client"
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--path", str(DOCUMENT), "--meta", "none"]
    done = subprocess.run(
        [*command, "--output-path", str(package), "--fail-on-warning"], capture_output=True, text=True, cwd=folder
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield importlib.import_module(package.name)


def test_a_generated_client_posts_gets_and_classifies(generated: ModuleType, keyed: Keyed) -> None:
    name = generated.__name__
    api = {
        call: importlib.import_module(f"{name}.api.emails.{call}") for call in ("post_email", "get_email", "get_emails")
    }
    models = importlib.import_module(f"{name}.models")
    with generated.AuthenticatedClient(keyed.live.url, token=keyed.key) as client:
        mail = models.EmailIn(message_id="<client@x>", text="refund the fee, not the cake")
        posted = api["post_email"].sync(client=client, body=mail)
        assert isinstance(posted, models.EmailOut)
        got = api["get_email"].sync(posted.id, client=client)
        assert got.to_dict() == posted.to_dict()
        listed = api["get_emails"].sync(client=client, limit=1)
        assert [found.id for found in listed.data] == [posted.id]
        refused = api["post_email"].sync(client=client, body=models.EmailIn())
        assert (refused.status, refused.detail) == (422, "body: at least one of subject, text and html is needed")
