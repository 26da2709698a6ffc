"""What the routes ask for. What only looks something up is `async`: FastAPI sends all else to a thread, which costs a
mail more than its way into the database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.orm import Session, sessionmaker

from service.access import Role
from service.batching import Batcher
from service.checking import Checker
from service.following import Follower
from service.metrics.collector import DatabaseCollector
from service.model_shelf import ModelShelf
from service.promotion_queue import PromotionQueue
from service.reading import Job, Reader, Stored
from service.settings import Settings
from service.suite_runs import SuiteRuns


async def _reader(request: Request) -> Reader:
    reader: Reader = request.state.reader
    return reader


async def _batcher(request: Request) -> Batcher[Job, Stored]:
    batcher: Batcher[Job, Stored] = request.state.batcher
    return batcher


async def _own_addresses(request: Request) -> frozenset[str]:
    own_addresses: frozenset[str] = request.state.own_addresses
    return own_addresses


async def _collector(request: Request) -> DatabaseCollector:
    collector: DatabaseCollector = request.state.collector
    return collector


async def _actor(request: Request) -> str:
    """Who asks: the name of the key, or `local` where the service asks for none."""
    return getattr(request.state, "actor", "local")


async def _role(request: Request) -> Role:
    role: Role = request.state.role
    return role


async def _csrf(request: Request) -> str:
    """What a page's forms send back as csrf_token, or its scripts as X-CSRF-Token; also request.state.csrf_token."""
    token: str = request.state.csrf_token
    return token


async def _settings(request: Request) -> Settings:
    settings: Settings = request.state.settings
    return settings


async def _sessions(request: Request) -> sessionmaker[Session]:
    sessions: sessionmaker[Session] = request.state.sessions
    return sessions


def _session(request: Request) -> Iterator[Session]:
    """A session that commits, or rolls back, before the answer is sent."""
    sessions: sessionmaker[Session] = request.state.sessions
    with sessions.begin() as session:
        yield session


async def _shelf(request: Request) -> ModelShelf:
    shelf: ModelShelf = request.state.shelf
    return shelf


async def _follower(request: Request) -> Follower:
    follower: Follower = request.state.follower
    return follower


async def _checker(request: Request) -> Checker:
    checker: Checker = request.state.checker
    return checker


async def _suite_runs(request: Request) -> SuiteRuns:
    suite_runs: SuiteRuns = request.state.suite_runs
    return suite_runs


async def _promotion_queue(request: Request) -> PromotionQueue:
    promotion_queue: PromotionQueue = request.state.promotion_queue
    return promotion_queue


ActorDep = Annotated[str, Depends(_actor)]
RoleDep = Annotated[Role, Depends(_role)]
CsrfDep = Annotated[str, Depends(_csrf)]
ReaderDep = Annotated[Reader, Depends(_reader)]
OwnAddressesDep = Annotated[frozenset[str], Depends(_own_addresses)]
CollectorDep = Annotated[DatabaseCollector, Depends(_collector)]
BatcherDep = Annotated[Batcher[Job, Stored], Depends(_batcher)]
SessionsDep = Annotated[sessionmaker[Session], Depends(_sessions)]
SettingsDep = Annotated[Settings, Depends(_settings)]
ShelfDep = Annotated[ModelShelf, Depends(_shelf)]
CheckerDep = Annotated[Checker, Depends(_checker)]
SuiteRunsDep = Annotated[SuiteRuns, Depends(_suite_runs)]
PromotionQueueDep = Annotated[PromotionQueue, Depends(_promotion_queue)]
FollowerDep = Annotated[Follower, Depends(_follower)]
SessionDep = Annotated[Session, Depends(_session, scope="function")]
