"""Fixtures for every test: a real PostgreSQL, and a fresh database for each test."""

from collections.abc import Iterator

import pytest

from service.store.database import Database
from tests.support.postgres import Postgres, running_postgres


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
