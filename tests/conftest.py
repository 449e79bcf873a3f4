"""Fixtures for every test: a real PostgreSQL, and a fresh database for each test."""

import signal
from collections.abc import Iterator
from typing import Final

import pytest
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]  # it has no types

from service.store.database import Database
from tests.support.postgres import Postgres, running_postgres

collect_ignore: Final = ["chaos/aces"]
"""It changes the shuffle of the process that imports it, which is what it is for."""

TOGETHER: Final = "tests/api/"
"""Tests that look back at what the whole folder did: one process runs all of it."""


APART: Final = "test_schemathesis.py"
"""Each test of it takes a minute of its own."""


class Scheduling(LoadFileScheduling):  # type: ignore[misc]  # as above
    """Give each process whole files, and the folder that belongs together whole."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        if file.endswith(APART):
            return nodeid
        return TOGETHER if file.startswith(TOGETHER) else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduling:
    """Say in which pieces the tests are handed to the processes that run them."""
    return Scheduling(config, log)


def pytest_configure() -> None:
    """Let Ctrl-C end what tests start, also if this runs in a script's background.

    There it is ignored, and what is ignored stays so in every process begun from here.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """Give a running server, the same for the whole session."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def dsn(postgres: Postgres) -> Iterator[str]:
    """Give the owner's DSN of a fresh database with the schema of this release."""
    with postgres.copy() as fresh:
        yield fresh


@pytest.fixture
def database(dsn: str) -> Iterator[Database]:
    """Give a fresh database as the service sees it."""
    db = Database(dsn)
    yield db
    db.close()
