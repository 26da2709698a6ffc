"""Suites and models on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from model.classifier import Classifier
from service.app import create_app
from service.cli.commands import app
from service.settings import Settings
from tests.service.easy_suite import write_suite
from tests.service.test_models import make_model


def test_check_record_keeps_the_run(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, suite: Path, tiny_classifier: Classifier
) -> None:
    monkeypatch.setenv("REFUND_ROUTER_DATABASE_URL", settings.database_url)
    monkeypatch.setenv("REFUND_ROUTER_MODEL_FOLDER", str(settings.model_folder))
    write_suite(suite, tiny_classifier, wrong="minor")
    result = CliRunner().invoke(app, ["check", "--record", "--model", str(settings.model_folder)])
    assert result.exit_code == 1, result.output
    with TestClient(create_app(settings)) as client:
        (kept,) = client.get("/v1/checks/runs").json()["data"]
    assert (kept["trigger"], kept["state"], kept["n_passed"]) == ("cli", "failed", 3)
    assert "(command line)" in kept["actor"]


def test_check_record_refuses_a_file_that_only_has_the_name_of_a_suite_of_the_service(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, suite: Path, tiny_classifier: Classifier, tmp_path: Path
) -> None:
    monkeypatch.setenv("REFUND_ROUTER_DATABASE_URL", settings.database_url)
    monkeypatch.setenv("REFUND_ROUTER_MODEL_FOLDER", str(settings.model_folder))
    write_suite(suite, tiny_classifier, wrong="minor")
    shadow = write_suite(tmp_path / "shadow.yaml", tiny_classifier)
    check = ["check", "--record", "--model", str(settings.model_folder), "--suite"]
    refused = CliRunner().invoke(app, [*check, str(shadow)])
    assert (refused.exit_code, "another suite named 'easy'" in refused.stderr) == (2, True), refused.output
    assert CliRunner().invoke(app, [*check, str(suite)]).exit_code == 1
    shadow.write_text(shadow.read_text().replace("name: easy", "name: mine"))
    assert CliRunner().invoke(app, [*check, str(shadow)]).exit_code == 0
    with TestClient(create_app(settings)) as client:
        kept = client.get("/v1/checks/runs").json()["data"]
    assert [(run["suite"], run["state"]) for run in kept] == [("mine", "passed"), ("easy", "failed")]


def test_models_on_the_command_line(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, suite: Path, tiny_classifier: Classifier
) -> None:
    for name in ("database_url", "model_folder", "models_folder"):
        monkeypatch.setenv(f"REFUND_ROUTER_{name.upper()}", str(getattr(settings, name)))
    runner = CliRunner()
    other = make_model(settings.model_folder, settings.models_folder / "other", "other", 2.0)
    write_suite(suite, tiny_classifier, wrong="major")
    refused = runner.invoke(app, ["models", "promote", "other"])
    assert refused.exit_code == 1, refused.output
    assert "easy: 1 cases failed" in refused.stdout
    write_suite(suite, tiny_classifier)
    promoted = runner.invoke(app, ["models", "promote", "other"])
    assert promoted.exit_code == 0, promoted.output
    assert f"{other} serves in place of tiny+" in promoted.stderr
    assert (
        f'"version": "{other}", "folder": "other", "serving": true'
        in runner.invoke(app, ["models", "list", "--json"]).stdout
    )
    assert runner.invoke(app, ["models", "rollback"]).exit_code == 0
    nothing = runner.invoke(app, ["models", "rollback"])
    assert (nothing.exit_code, "no model served before" in nothing.stderr) == (2, True)
    assert other in runner.invoke(app, ["models", "list"], env={"COLUMNS": "60"}).stdout
    unknown = runner.invoke(app, ["models", "promote", "nothing"])
    assert unknown.exit_code == 2
    assert f"no model folder holds nothing; its folder goes into {settings.models_folder}" in unknown.stderr
