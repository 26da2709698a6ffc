from __future__ import annotations

import io
import json
import logging
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from service import logs
from service.access import Role
from service.app import create_app
from service.settings import Settings
from tests.service.faults.process import running
from tests.service.secured import bearer, execute, new_key

SECRET = "zweiundvierzigtausend"
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def log_text() -> Iterator[io.StringIO]:
    """Everything that the service logs, as JSON lines."""
    with logged("json") as stream:
        yield stream


@contextmanager
def logged(shape: logs.LogFormat) -> Iterator[io.StringIO]:
    root, requests, stream = logging.getLogger(), logging.getLogger("service.requests"), io.StringIO()
    handlers, level = root.handlers[:], root.level
    logs.configure(shape, stream=stream)
    root.handlers[0].addFilter(lambda record: not record.name.startswith("httpx"))  # the test's own client
    requests.setLevel(logging.DEBUG)
    yield stream
    requests.setLevel(logging.NOTSET)
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture
def lines(log_text: io.StringIO) -> Lines:
    """The lines about requests so far."""

    def read() -> list[dict[str, Any]]:
        found = [json.loads(line) for line in log_text.getvalue().splitlines()]
        return [line for line in found if line["logger"] == "service.requests"]

    return read


@pytest.fixture
def keyed(settings: Settings) -> Iterator[TestClient]:
    with TestClient(
        create_app(settings.model_copy(update={"require_keys": True})), raise_server_exceptions=False
    ) as client:
        yield client


@on_sqlite
def test_a_line_names_route_status_duration_and_key(keyed: TestClient, database_url: str, lines: Lines) -> None:
    key = new_key(database_url, Role.INGEST, "the-mail-server")
    keyed.post("/v1/emails", json={"text": "refund"}, headers={**bearer(key), "X-Request-ID": "mine-1"})
    keyed.post("/v1/emails", json={"text": "refund"})
    keyed.get(f"/nowhere/{SECRET}")
    found = [{name: line.get(name) for name in ("method", "route", "status", "key", "level")} for line in lines()]
    assert found == [
        {"method": "POST", "route": "/v1/emails", "status": 201, "key": "the-mail-server", "level": "INFO"},
        {"method": "POST", "route": "unmatched", "status": 401, "key": None, "level": "INFO"},
        {"method": "GET", "route": "unmatched", "status": 401, "key": None, "level": "INFO"},
    ]
    assert lines()[0]["request_id"] == "mine-1"
    assert all(line["duration_seconds"] > 0 and line["time"] for line in lines())


@on_sqlite
@pytest.mark.parametrize("given", ["7f3a-1", "a" * 100, "A.b_c~d:e+f=g"])
def test_a_sane_request_id_is_taken_and_comes_back(client: TestClient, given: str, lines: Lines) -> None:
    answer = client.get("/v1/labels", headers={"X-Request-ID": given})
    assert answer.headers["X-Request-ID"] == given == lines()[0]["request_id"]


@on_sqlite
@pytest.mark.parametrize("given", ["", "a" * 101, "two words", 'x"y', "mina@example.org", "a\x7f", "é"])
def test_another_request_id_is_made_anew(client: TestClient, given: str) -> None:
    answer = client.get("/v1/labels", headers={"X-Request-ID": given.encode()})
    assert re.fullmatch(r"[0-9a-f]{32}", answer.headers["X-Request-ID"])


@on_sqlite
def test_every_kind_of_answer_carries_a_request_id(
    client: TestClient, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [client.get("/nowhere"), client.put("/v1/labels"), client.post("/v1/emails", json={})]
    monkeypatch.setattr("service.routers.labels.DESCRIPTIONS", None)
    answers.append(client.get("/v1/labels"))
    assert [answer.status_code for answer in answers] == [404, 405, 422, 500]
    assert [answer.headers["X-Request-ID"] for answer in answers] == [line["request_id"] for line in lines()]


@on_sqlite
def test_what_goes_wrong_in_a_request_is_logged_with_its_id(
    client: TestClient, log_text: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.routers.labels.DESCRIPTIONS", None)
    client.get("/v1/labels", headers={"X-Request-ID": "mine-2"})
    errors = [json.loads(line) for line in log_text.getvalue().splitlines() if '"ERROR"' in line]
    assert [(line["logger"], line["request_id"]) for line in errors] == [("service.errors", "mine-2")]


@on_sqlite
def test_a_trace_is_passed_on_and_logged(client: TestClient, lines: Lines) -> None:
    answer = client.get("/v1/labels", headers={"traceparent": TRACE})
    line = lines()[0]
    assert line["trace_id"] == "0af7651916cd43dd8448eb211c80319c"
    assert answer.headers["traceresponse"] == f"00-{line['trace_id']}-{line['span_id']}-01"
    assert line["span_id"] != "b7ad6b7169203331"  # a span of our own


@on_sqlite
@pytest.mark.parametrize(
    "given",
    [
        "",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",  # capitals
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",  # a version that there is not
        f"{TRACE}-more",  # version 00 has no more
    ],
)
def test_a_wrong_traceparent_is_not_passed_on(client: TestClient, given: str, lines: Lines) -> None:
    assert "traceresponse" not in client.get("/v1/labels", headers={"traceparent": given}).headers
    assert "trace_id" not in lines()[0]


@on_sqlite
def test_what_is_asked_every_few_seconds_is_no_line_at_info(client: TestClient, lines: Lines) -> None:
    client.get("/readyz")
    client.get("/metrics")
    assert {line["level"] for line in lines()} == {"DEBUG"}


def test_no_word_of_a_mail_is_in_the_log_also_where_the_database_fails(
    client: TestClient, database_url: str, log_text: io.StringIO
) -> None:
    mail = {
        "message_id": f"<{SECRET}@x>",
        "from": f"{SECRET} <{SECRET}@example.org>",
        "subject": SECRET,
        "text": f"refund {SECRET}",
        "metadata": {"order": SECRET},
    }
    client.post("/v1/emails", json=mail)
    client.post("/v1/emails", json={**mail, SECRET: 1, "text": 5})
    client.post("/v1/emails", content=f"Subject: {SECRET}\n\n{SECRET}", headers={"Content-Type": "message/rfc822"})
    client.get(f"/v1/emails?label={SECRET}")
    client.get(f"/v1/emails/{SECRET}")
    client.get(f"/{SECRET}")
    execute(database_url, "drop table predictions")
    assert client.post("/v1/emails", json={**mail, "message_id": f"<{SECRET}.2@x>"}).status_code == 503
    assert '"status": 503' in log_text.getvalue()
    assert SECRET not in log_text.getvalue()


@on_sqlite
def test_text_lines_carry_the_same_fields(client: TestClient) -> None:
    with logged("text") as stream:
        client.get("/v1/labels", headers={"X-Request-ID": "mine-3"})
    (line,) = [line for line in stream.getvalue().splitlines() if "service.requests" in line]
    assert re.search(
        r"INFO service\.requests request method=GET route=/v1/labels status=200 .*key=local .*request_id=mine-3", line
    )


def test_what_the_server_below_says_is_json_too(tmp_path: Path, tiny_folder: Path) -> None:
    with running(f"sqlite:///{tmp_path}/router.db", tiny_folder) as service:
        with socket.create_connection(("127.0.0.1", service.port)) as connection:
            connection.sendall(b"nonsense\r\n\r\n")
            assert b" 400 " in connection.recv(1_000)
        said = service.log().partition("console: ")[2].splitlines()[1:]
    assert "Invalid HTTP request received." in [json.loads(line)["message"] for line in said if line.strip()]
