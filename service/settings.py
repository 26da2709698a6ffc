"""Settings from the environment, refused at the start where they are wrong."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from model.checks.schema import SUITES
from model.decision import Overrides
from service.console.next_steps import read_next_steps
from service.logs import LogFormat
from service.thresholds import read_always_review, read_thresholds

ENV_PREFIX = "REFUND_ROUTER_"


def released_model() -> Path:
    return Path(str(resources.files("model"))) / "released"


class Settings(BaseSettings):
    """Each field is read from REFUND_ROUTER_ and its name in capitals."""

    model_config = SettingsConfigDict(env_prefix=ENV_PREFIX, frozen=True, extra="ignore", protected_namespaces=())

    database_url: str = Field(
        default="sqlite:///var/refund-router.db", description="SQLAlchemy URL: sqlite:///FILE or postgresql://…"
    )
    model_folder: Path = Field(
        default_factory=released_model, description="the model folder that is served until another is promoted"
    )
    models_folder: Path = Field(
        default=Path("var/models"), description="the folder of model folders from which another may be promoted"
    )
    model_poll_seconds: float = Field(
        default=2.0, gt=0, le=3_600, description="how often a running service looks whether another model was promoted"
    )
    check_at_start: Literal["off", "background", "wait"] = Field(
        default="background",
        description="whether the start runs the order suites that no run stands for, and whether readyz waits for the "
        "critical cases",
    )
    keep_last_good: bool = Field(
        default=False,
        description="where the promoted model fails a critical case at the start, serve the one before it",
    )
    check_every_hours: float = Field(
        default=24.0,
        ge=0,
        le=8_760,
        description="how long a run of an order suite stands for its model before it runs again; 0 is for ever",
    )
    host: str = Field(default="127.0.0.1", description="address to listen on")
    public_url: str = Field(
        default="",
        description="where browsers find the console, for links of `keys link`; host and port by default",
    )
    port: int = Field(default=8080, ge=0, le=65_535, description="port to listen on; 0 takes a free one")
    log_format: LogFormat = Field(default="json", description="how the lines of the log look: json or text")
    max_batch: int = Field(default=32, ge=1, le=1_024, description="mails in one forward pass and one commit")
    batch_window_seconds: float = Field(
        default=0.002, ge=0, le=1, description="how long a batch waits for company once its first mail is there"
    )
    queue_size: int = Field(default=1_024, ge=1, description="mails that may wait; past it callers get 429")
    max_body_bytes: int = Field(default=25_000_000, ge=1_000, description="largest request body; past it 413")
    client_timeout_seconds: float = Field(
        default=20.0, gt=0, le=600, description="how long a request's head, and then its body, may take to arrive"
    )
    database_timeout_seconds: float = Field(
        default=10.0, gt=0, le=600, description="how long a statement or a lock may take"
    )
    database_pool_size: int = Field(
        default=5, ge=1, le=100, description="connections a process keeps; under load it opens as many again"
    )
    auto_threshold: float = Field(
        default=0.95, ge=0, le=1, description='least confidence for "auto" where the model\'s card names none'
    )
    same_content_seconds: float = Field(
        default=600.0,
        ge=0,
        le=604_800,
        description="how long a mail without a message_id counts as a copy of the last one that says the same",
    )
    own_addresses: str = Field(
        default="", description="the shop's own mail addresses, parted by commas; mail from them counts as automatic"
    )
    suite_folder: Path | None = Field(
        default=None, description="a folder with the shop's own suites, run beside the shipped ones"
    )
    require_keys: bool = Field(
        default=True, description="whether callers need a key; false only on loopback, as `serve --no-keys` does"
    )
    key_requests_per_second: float = Field(
        default=1_000.0, gt=0, description="requests a second that a key without a limit of its own may make"
    )
    metrics_access: Literal["loopback", "everyone", "keys"] = Field(
        default="loopback", description="who reads /metrics without a key: callers on loopback, everyone, or nobody"
    )
    session_seconds: int = Field(default=43_200, ge=60, description="how long a sign-in to the console holds at most")
    session_idle_seconds: int = Field(
        default=14_400, ge=300, description="how long a sign-in holds while the console is not used"
    )
    claim_seconds: float = Field(
        default=900.0, gt=0, le=86_400, description="how long an agent has a claimed mail without doing anything"
    )
    review_patience_seconds: float = Field(
        default=86_400.0,
        ge=0,
        le=31_536_000,
        description="how much longer than one in doubt a mail that the model is sure of waits for review",
    )
    thresholds: str = Field(
        default="",
        description="least confidence for `auto` by label, in place of the card's: "
        "`all=0.97,refund_fee=0.99`, or as JSON; `all` is every label not named",
    )
    always_review: str = Field(
        default="", description="labels that a person always looks at, parted by commas; `money_back` for all those"
    )
    text_retention_days: int = Field(
        default=90,
        ge=0,
        le=36_500,
        description="days after which a mail is erased but for numbers; 0 stores no text",
    )
    redact_stored: bool = Field(
        default=False,
        description="store card numbers, IBANs, phone numbers and addresses in a mail's words as `*`",
    )
    housekeeping_seconds: float = Field(
        default=60.0, gt=0, le=86_400, description="pause between two rounds of the periodic work"
    )

    next_steps: str = Field(
        default="",
        description="the console's suggested next step by label, as JSON; a label left out keeps the built-in sentence",
    )

    def own_address_set(self) -> frozenset[str]:
        return frozenset(entry.strip().lower() for entry in self.own_addresses.split(",") if entry.strip())

    def suite_files(self) -> list[Path]:
        """The shipped suites and, where the shop has its own, those beside them."""
        return [SUITES, self.suite_folder] if self.suite_folder else [SUITES]

    @field_validator("suite_folder", mode="before")
    @classmethod
    def _empty_is_none(cls, folder: object) -> object:
        return folder or None

    def overrides(self) -> Overrides:
        """What an operator sets over the model's card."""
        return Overrides(
            thresholds=read_thresholds(self.thresholds), always_review=read_always_review(self.always_review)
        )

    @field_validator("thresholds", "always_review", "next_steps")
    @classmethod
    def _readable(cls, value: str, info: ValidationInfo) -> str:
        readers = {"thresholds": read_thresholds, "always_review": read_always_review, "next_steps": read_next_steps}
        readers[info.field_name or ""](value)
        return value

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, url: str) -> str:
        if url.startswith("postgres://"):
            url = url.replace("postgres://", "postgresql://", 1)
        if url.startswith("postgresql://"):
            return url.replace("postgresql://", "postgresql+psycopg://", 1)
        if url in ("sqlite:///", "sqlite:///:memory:"):
            raise ValueError("names no file: a database in memory would lose every mail")
        if url.startswith(("sqlite:///", "postgresql+psycopg://")):
            return url
        raise ValueError("must begin with sqlite:/// or postgresql://")
