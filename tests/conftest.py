"""Fixtures for every test: a real PostgreSQL, and a fresh database for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.store.database import Database
from tests.support.postgres import Postgres, running_postgres

# These look back at what the whole folder did, so one process runs all of it.
TOGETHER = Path(__file__).parent / "api"


@pytest.hookimpl(tryfirst=True)  # before the names are taken
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say what is run by one process: a file, or a folder that looks back at itself."""
    for item in items:
        whole = TOGETHER if TOGETHER in item.path.parents else item.path
        item.add_marker(pytest.mark.xdist_group(str(whole)))


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
