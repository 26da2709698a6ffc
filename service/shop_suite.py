"""The shop's own suite: cases made of misread mails, kept in the database and run beside the others."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import uuid_utils
import yaml
from pydantic import Field, TypeAdapter, ValidationError
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from model.checks.cases import Case
from model.checks.exchange import exchange
from model.checks.schema import Suite, read_suite
from model.spans import Span
from service.case_owners import addresses_in, digests
from service.errors import Conflict, InvalidRequest, NotFound, plain
from service.feedback import in_doubt
from service.made_up import names_of, replaced, stand_ins
from service.queries import shop_cases as queries
from service.queries.feedback import lock_email
from service.tables import Email, ShopCase
from service.tables.shop_cases import SUITE

log = logging.getLogger(__name__)

NAME = SUITE
DESCRIPTION = (
    "Mails of this shop that a model misread, with personal details replaced. No share of them must pass, for the "
    "model that serves misread them; but a critical case fails a run, and so does a fall against the serving model."
)
OF_FILE = " (file)"  # behind the id of a file's case whose id another standing case has
OTHER_SIDE = {"refund_fee": "refund_item", "refund_item": "refund_fee"}
Origin = tuple[str | None, list[str] | None]  # the mail that a case's words are from, and digests of its addresses
NO_MAIL: Origin = (None, None)
CASES: TypeAdapter[Case] = TypeAdapter(Annotated[Case, Field(discriminator="kind")])


def checked(case: dict[str, Any]) -> dict[str, Any]:
    """The case as a suite would take it. Raises InvalidRequest, naming the field."""
    try:
        CASES.validate_python(case)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"][1:])
        raise InvalidRequest(f"case{'.' if field else ''}{field}: {plain(first)}") from None
    return case


def make_case(
    session: Session,
    *,
    email_id: str,
    label: str,
    refund: str | None,
    keep: str | None,
    names: Sequence[str],
    severity: str,
    actor: str,
) -> ShopCase:
    """A case of a stored mail: a pair, the two phrases exchanged, where the label has another side and both phrases
    are known; else a case of one mail. Raises NotFound; Conflict for a mail that was erased, or that has a case of the
    label, also where it was stored twice; InvalidRequest for a phrase that the mail has not."""
    email = lock_email(session, email_id=email_id)
    if email is None:
        raise NotFound("no mail has this id")
    if email.erased_at is not None:
        raise Conflict("the mail was erased; it has no words to make a case of")
    for row in queries.standing_cases_of(session, email=email):
        if row.case.get("a", row.case)["label"] == label:
            raise Conflict("the shop's suite holds a case of this mail already", case_id=row.id)
    known = [*names, *names_of([email.sender, *email.recipients])]
    details = stand_ins(email.text, known, seed=email_id)
    text = replaced(email.text, details)
    given = {role: replaced(words, details) for role, words in (("refund", refund), ("keep", keep)) if words}
    places: list[Span] = []
    for role, words in given.items():
        place = _place(text, words, role)
        if place is None:
            raise InvalidRequest(f"{role}: the mail does not hold {words!r}")
        places.append(place)
    if len(places) == 2 and places[0].overlaps(places[1]):
        raise InvalidRequest("keep: overlaps refund")
    phrases: dict[str, str | None] = {**given}
    if not in_doubt(email):
        phrases = {role: given.get(role) or _marked(email, role, details) for role in ("refund", "keep")}
    case = case_of_mail(text, label, phrases.get("refund"), phrases.get("keep"))
    owners = digests(addresses_in(email.sender, email.recipients), email_id=email_id)
    return add_case(session, {"severity": severity, **case}, origin=(email_id, owners), actor=actor)


def _marked(email: Email, role: str, details: dict[str, str]) -> str | None:
    """The surest phrase that the model marked with the role."""
    spans = [span for span in email.prediction.spans if span["role"] == role]
    best = max(spans, key=lambda span: float(span["confidence"]), default=None)
    return replaced(best["text"], details) if best is not None else None


def _place(text: str, words: str, role: str) -> Span | None:
    found = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE)
    return Span(role, found.group(), found.start(), found.end(), 1.0) if found else None


def case_of_mail(text: str, label: str, refund: str | None, keep: str | None) -> dict[str, Any]:
    """A pair, the partner made by exchanging the phrases, where the label has another side and both are found apart;
    else a case of one mail."""
    first, second = (
        _place(text, words, role) if words else None for words, role in ((refund, "refund"), (keep, "keep"))
    )
    if label in OTHER_SIDE and first is not None and second is not None and not first.overlaps(second):
        partner = {"text": exchange(text, first, second), "label": OTHER_SIDE[label]}
        return {"kind": "swap", "a": {"text": text, "label": label}, "b": partner}
    return {"kind": "minimum", "text": text, "label": label}


def origin_of(row: ShopCase) -> Origin:
    return row.email_id, row.owners


def add_case(session: Session, case: dict[str, Any], *, origin: Origin, actor: str) -> ShopCase:
    """A new case under a new id. Raises InvalidRequest for what is no case; Conflict with `case_id` where a standing
    case says the same."""
    case_id = str(uuid_utils.uuid7())
    told = checked({"id": case_id, **case})
    for row in queries.standing_cases(session):
        if {**row.case, "id": case_id, "severity": told.get("severity")} == told:
            raise Conflict("the shop's suite holds this case already", case_id=row.id)
    return _add(session, case_id, 1, origin, told, retired=False, actor=actor)


def revise(session: Session, *, case_id: str, case: dict[str, Any] | None, retired: bool, actor: str) -> ShopCase:
    """A new revision: another wording, or retired. Raises NotFound; Conflict where another edit was quicker."""
    last = queries.lock_case(session, case_id=case_id)
    if last is None:
        raise NotFound("no case has this id")
    told = checked({**case, "id": case_id}) if case is not None else last.case
    return _add(session, case_id, last.revision + 1, origin_of(last), told, retired=retired, actor=actor)


def _add(
    session: Session,
    case_id: str,
    revision: int,
    origin: Origin,
    case: dict[str, Any],
    *,
    retired: bool,
    actor: str,
) -> ShopCase:
    row = ShopCase(
        id=case_id,
        revision=revision,
        email_id=origin[0],
        owners=origin[1],
        case=case,
        retired=retired,
        actor=actor,
        created_at=datetime.now(UTC),
    )
    try:
        queries.add_revision(session, row=row)
    except IntegrityError:
        raise Conflict("the case was changed at the same moment; look at it and try again") from None
    return row


def to_yaml(rows: Sequence[ShopCase]) -> str:
    """A suite file, as `refund-router check --suite` takes it."""
    suite = {"name": NAME, "description": DESCRIPTION, "fail_under": 0.0, "cases": [row.case for row in rows]}
    return yaml.safe_dump(suite, sort_keys=False, allow_unicode=True, width=120)


def shop_suite(session: Session) -> Suite | None:
    """The standing cases as a suite; None where there are none. One that no suite takes any more, for rules that came
    after it, is left out and told in the log until it is reworded: the other suites must run all the same."""
    rows = [row for row in queries.standing_cases(session) if _taken(row)]
    if not rows:
        return None
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{NAME}.yaml"
        path.write_text(to_yaml(rows), encoding="utf-8")
        return read_suite(path)


def _taken(row: ShopCase) -> bool:
    try:
        checked(row.case)
    except InvalidRequest as error:
        log.error("the shop's case %s is left out of its suite: %s", row.id, error.detail)
        return False
    return True


def merged(file: Suite, own: Suite) -> Suite:
    """A suite file of the shop's suite's name, such as an export, and the standing cases, as one suite: no case goes,
    and of each group's two floors the higher holds. A case of the file under the id of another that stands is kept
    under an id of its own."""
    standing = {case.id: case for case in own.cases}
    groups = {case.id: case.group for case in file.cases}
    cases = [case.model_copy(update={"group": groups.get(case.id, case.group)}) for case in own.cases]
    for case in file.cases:
        known = standing.get(case.id)
        if known is None:
            cases.append(case)
        elif _words(known) != _words(case):
            cases.append(case.model_copy(update={"id": f"{case.id}{OF_FILE}"}))
    names = {*file.fail_under, *own.fail_under}
    floors = {name: max(file.floor(name), own.floor(name)) for name in names}
    sha256 = hashlib.sha256(f"{file.sha256} {own.sha256}".encode()).hexdigest()
    return Suite(own.name, file.description, floors, tuple(cases), sha256)


def _words(case: Case) -> Case:
    """What it asks, apart from how it is counted."""
    return case.model_copy(update={"capability": "", "group": ""})
