from __future__ import annotations

import pytest
from alembic import command
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, text

from service import backfill
from service.app import create_app
from service.settings import Settings
from service.upgrade import alembic_config, upgrade

BEFORE = "c51f80d9ab36"  # the revision before the index
COUNT = 25


def write(url: str, numbers: range) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        for number in numbers:
            values = {"id": f"00000000-0000-7000-8000-{number:012}", "text": f"parrot {number}"}
            connection.execute(
                text(
                    "insert into emails (id, recipients, text, details, created_at)"
                    " values (:id, '[]', :text, '{}', '2026-11-29 10:00:00')"
                ),
                values,
            )
            connection.execute(
                text(
                    "insert into predictions (id, email_id, model_version, label, confidence, probabilities, spans,"
                    " decision, reasons, truncated, created_at) values (:id, :id, 'm', 'other', 1, '{\"other\": 1}',"
                    " '[]', 'auto', '[]', false, '2026-11-29 10:00:00')"
                ),
                values,
            )
    engine.dispose()


def found(settings: Settings) -> list[int]:
    kept = settings.model_copy(update={"text_retention_days": 36_500})  # these ids are of 1970
    with TestClient(create_app(kept)) as client:
        page = client.get("/v1/emails", params={"q": "parrot", "limit": 200}).json()
    return [int(mail["text"].split()[1]) for mail in page["data"]]


def test_mails_from_before_the_index_are_added_from_the_newest_on_and_a_broken_back_fill_goes_on(
    settings: Settings, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backfill, "BATCH", 10)
    command.downgrade(alembic_config(database_url), BEFORE)
    write(database_url, range(COUNT))
    upgrade(database_url)
    write(database_url, range(COUNT, COUNT + 5))  # by a release that knows of no index; the triggers do
    assert found(settings) == list(range(COUNT + 5))[:-6:-1]
    told: list[int] = []

    def broken(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backfill.backfill(database_url, begin=told.append, advance=broken)
    assert found(settings) == list(range(COUNT + 5))[: -(10 + 1) : -1]
    added: list[int] = []
    assert backfill.backfill(database_url, begin=told.append, advance=added.append) == COUNT + 5 - 10
    assert (told, added) == ([COUNT + 5, COUNT + 5 - 10], [10, 10])
    assert found(settings) == list(range(COUNT + 5))[::-1]
    assert backfill.backfill(database_url, begin=told.append, advance=added.append) == 0
    assert len(told) == 2


def test_a_mail_from_before_the_index_is_erased_before_and_after_its_turn(
    settings: Settings, database_url: str
) -> None:
    command.downgrade(alembic_config(database_url), BEFORE)
    write(database_url, range(3))
    upgrade(database_url)
    engine = create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(text("update emails set text = '' where id like '%1'"))
    backfill.backfill(database_url, begin=lambda _: None, advance=lambda _: None)
    assert found(settings) == [2, 0]
    with engine.begin() as connection:
        connection.execute(text("update emails set text = '' where id like '%2'"))
    engine.dispose()
    assert found(settings) == [0]
