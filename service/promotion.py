"""Promote a model, or roll back to the one before: a row that says which serves, and from then on every process obeys.

promote A→B, promote B→C, rollback C→B, rollback B→A: a rollback takes back the newest promotion that still stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, sessionmaker

from model.checkpoint import ModelFolderError
from service.errors import Conflict, NotFound
from service.model_shelf import ModelShelf, UnknownModel
from service.queries import promotions as queries
from service.tables import Promotion


def standing_versions(history: Sequence[Promotion], default: str) -> list[str]:
    """The versions that a rollback can go back through, the serving one last."""
    standing = [history[0].from_version if history else default]
    for row in history:
        if row.action == "promotion":
            standing.append(row.to_version)
        else:
            standing.pop()
    return standing


def serving_version(sessions: sessionmaker[Session], shelf: ModelShelf) -> str:
    """The version that is to serve: the last that was promoted or rolled back to, else that of the settings."""
    with sessions() as session:
        last = queries.last_promotion(session)
    return last.to_version if last is not None else shelf.default_version


def promote(sessions: sessionmaker[Session], shelf: ModelShelf, *, version: str, actor: str) -> Promotion:
    """Raises NotFound, Conflict where it serves already another was quicker, or its folder does not load."""
    try:
        found = shelf.find(version)
        candidate = shelf.load(str(found.version))
    except UnknownModel as error:
        raise NotFound(str(error)) from None
    except ModelFolderError as error:
        raise Conflict(str(error)) from None
    return _record(sessions, shelf, action="promotion", to_version=candidate.version, actor=actor, reason=None)


def roll_back(sessions: sessionmaker[Session], shelf: ModelShelf, *, actor: str, reason: str | None) -> Promotion:
    """Raises Conflict where there is nothing to go back to, or its folder is gone or bad."""
    with sessions() as session:
        standing = standing_versions(queries.promotions_in_order(session), shelf.default_version)
    if len(standing) < 2:
        raise Conflict(f"no model served before {standing[0]}")
    try:
        shelf.load(standing[-2])
    except (UnknownModel, ModelFolderError) as error:
        raise Conflict(f"cannot go back to {standing[-2]}: {error}") from None
    return _record(sessions, shelf, action="rollback", to_version=standing[-2], actor=actor, reason=reason)


def _record(
    sessions: sessionmaker[Session], shelf: ModelShelf, *, action: str, to_version: str, actor: str, reason: str | None
) -> Promotion:
    try:
        with sessions.begin() as session:
            last = queries.last_promotion(session)
            serving = last.to_version if last is not None else shelf.default_version
            if serving == to_version:
                raise Conflict(f"{to_version} serves already")
            promotion = Promotion(
                number=last.number + 1 if last is not None else 1,
                action=action,
                from_version=serving,
                to_version=to_version,
                actor=actor,
                forced=False,
                reason=reason,
                verdict=[],
                created_at=datetime.now(UTC),
            )
            queries.add_promotion(session, promotion=promotion)
    except IntegrityError:
        raise Conflict("another promotion was made at the same moment; look at the models and try again") from None
    return promotion
