from __future__ import annotations

from fastapi.testclient import TestClient

from service.routers.views import MAX_VIEWS
from tests.service.test_emails import assert_problem


def test_a_view_is_kept_shown_in_the_inbox_changed_by_its_name_and_forgotten(client: TestClient) -> None:
    made = client.post("/v1/views", json={"name": "late <fees>", "query": "label=refund_fee"})
    assert made.status_code == 201
    again = client.post("/v1/views", json={"name": "late <fees>", "query": "label=refund_fee&state=open"}).json()
    assert again["id"] == made.json()["id"]
    assert [view["query"] for view in client.get("/v1/views").json()["data"]] == ["label=refund_fee&state=open"]
    page = client.get("/").text
    assert '<a href="/?label=refund_fee&amp;state=open">late &lt;fees&gt;</a>' in page
    assert client.delete(f"/v1/views/{again['id']}").status_code == 204
    assert_problem(client.delete(f"/v1/views/{again['id']}"), 404, "no view")
    assert client.get("/v1/views").json()["data"] == []


def test_a_kept_view_leads_nowhere_but_to_the_inbox(client: TestClient) -> None:
    client.post("/v1/views", json={"name": "x", "query": 'q=1#"><script>&label=//elsewhere.invalid'})
    page = client.get("/").text
    assert "<script>" not in page
    assert 'href="/?q=1' in page


def test_views_are_few_and_need_a_name(client: TestClient) -> None:
    for number in range(MAX_VIEWS):
        assert client.post("/v1/views", json={"name": f"view {number}", "query": ""}).status_code == 201
    assert_problem(client.post("/v1/views", json={"name": "one more", "query": ""}), 422, "delete one")
    assert client.post("/v1/views", json={"name": "view 3", "query": "q=cake"}).status_code == 201
    assert_problem(client.post("/v1/views", json={"name": "", "query": ""}), 422, "name")
