"""A real PostgreSQL for the tests, and a fresh migrated database for each."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psycopg
from psycopg.conninfo import make_conninfo

from service.chance import new_id
from service.embedded.home import Home
from service.embedded.server import Server
from service.store.schema import migrate

FAST: Final = {
    # For the session's server only: nothing there has to outlive a power cut.
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_wal_size": "4GB",
    # The example wallet has a database here as well, and a connection a thread.
    "max_connections": "400",
    # Its transactions would hold a reader of the feed back for a moment.
    "autovacuum": "off",
}


def quiet(line: str) -> None:
    """Say nothing."""


@contextmanager
def fresh_home() -> Iterator[Home]:
    """Give a new home that PostgreSQL's user can reach, as no folder of pytest's."""
    path = Path(tempfile.mkdtemp(prefix="upcard-test-"))
    path.chmod(0o711)
    try:
        yield Home(path)
    finally:
        shutil.rmtree(path)


class Postgres:
    """A server to make databases on: one template, migrated once, and its copies."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._template = f"upcard_template_{os.getpid()}"
        self._admin = psycopg.connect(dsn, autocommit=True)
        self._admin.execute(f'CREATE DATABASE "{self._template}"')
        migrate(self.dsn(self._template), quiet)

    def dsn(self, database: str) -> str:
        """Where one of the server's databases is."""
        return make_conninfo(self._dsn, dbname=database)

    @contextmanager
    def copy(self, *, empty: bool = False) -> Iterator[str]:
        """Give the DSN of a new database, migrated unless `empty`."""
        name = f"upcard_test_{new_id()}"
        template = "template0" if empty else self._template
        self._admin.execute(
            f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY wal_log'
        )
        try:
            yield self.dsn(name)
        finally:
            self._admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

    def close(self) -> None:
        """Drop the template: the server may be someone's own."""
        self._admin.execute(f'DROP DATABASE "{self._template}" WITH (FORCE)')
        self._admin.close()


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """Give the server of TEST_DATABASE_URL, or one that is ours for the session."""
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        postgres = Postgres(given)
        yield postgres
        postgres.close()
        return
    with fresh_home() as home, home.locked():
        server = Server(home, quiet, FAST)
        server.start()
        try:
            postgres = Postgres(server.dsn)
            yield postgres
            postgres.close()
        finally:
            server.stop()
