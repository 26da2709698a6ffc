from __future__ import annotations

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from service.app import create_app
from service.security_headers import HEADERS, HSTS
from service.settings import Settings

PATHS = ["/", "/healthz", "/v1/labels", "/v1/nothing", "/sign-in", "/openapi.json", "/metrics", "/v1/emails?limit=0"]


def with_a_broken_route(settings: Settings) -> FastAPI:
    app = create_app(settings)

    @app.get("/broken")
    def broken() -> None:
        raise RuntimeError("broken")

    return app


@pytest.mark.parametrize("require_keys", [True, False])
def test_every_answer_bears_the_headers_also_refusals_and_faults(settings: Settings, require_keys: bool) -> None:
    app = with_a_broken_route(settings.model_copy(update={"require_keys": require_keys}))
    with TestClient(app, raise_server_exceptions=False, follow_redirects=False) as client:
        answers = [client.get(path) for path in [*PATHS, "/broken"]]
        answers += [client.post("/v1/emails", content=b"x" * 3_000_001), client.request("TRACE", "/")]
    assert {answer.status_code for answer in answers} & {500, 401}
    for answer in answers:
        for name in set(HEADERS) - {"Content-Security-Policy"}:
            assert answer.headers[name] == HEADERS[name], (answer.url, name)
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "frame-ancestors 'none'" in policy
        assert "strict-transport-security" not in answer.headers


def test_over_https_browsers_are_told_to_stay_there(settings: Settings) -> None:
    with TestClient(create_app(settings), base_url="https://testserver") as client:
        assert client.get("/healthz").headers["strict-transport-security"] == HSTS


def test_the_policy_lets_no_inline_script_or_style_run() -> None:
    policy = HEADERS["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
