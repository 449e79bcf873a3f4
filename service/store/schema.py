"""The schema: plain SQL files that only ever go forward, and what was run of them.

A file `0007_name.sql` is run once, in a transaction, and never changed again: the
table `migration` keeps its checksum. Two runs at once wait for each other on an
advisory lock (which no command of the service depends on).
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import psycopg

from service import shipped
from service.store.database import ARCHIVER_ROLE, SERVICE_ROLE, Database
from service.store.errors import DatabaseUnavailable, SchemaWrong

_LOCK: Final = int.from_bytes(hashlib.sha256(b"upcard migrate").digest()[:7], "big")
_LOCK_SECONDS: Final = 60
_FILE: Final = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql")

_MAKE: Final = """
CREATE TABLE IF NOT EXISTS migration (
    number integer PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)
"""
_EXISTS: Final = "SELECT to_regclass('migration') IS NOT NULL"
_APPLIED: Final = "SELECT number, name, checksum FROM migration ORDER BY number"
_RECORD: Final = "INSERT INTO migration (number, name, checksum) VALUES (%s, %s, %s)"


class Migration(NamedTuple):
    """A file of migrations/; `checksum` is the hex SHA-256 of its bytes."""

    number: int
    name: str
    checksum: str
    text: str

    @property
    def label(self) -> str:
        """As its file is named."""
        return f"{self.number:04}_{self.name}"


Applied = Mapping[int, tuple[str, str]]
"""Number -> name and checksum of what a database has."""


def migrations(folder: Path | None = None) -> list[Migration]:
    """Read the migrations of this release, in order.

    Raises:
        SchemaWrong: the numbers have a gap, or a file has a wrong name.
    """
    found: list[Migration] = []
    for path in sorted((folder or shipped("migrations")).glob("*.sql")):
        match = _FILE.fullmatch(path.name)
        if match is None or int(match[1]) != len(found) + 1:
            raise SchemaWrong(
                f"{path}: the name must be {len(found) + 1:04}_words_like_this.sql"
            )
        content = path.read_bytes()
        checksum = hashlib.sha256(content).hexdigest()
        found.append(Migration(len(found) + 1, match[2], checksum, content.decode()))
    return found


def pending(dsn: str) -> list[Migration]:
    """Return what `migrate` would run, and change nothing.

    Raises:
        SchemaWrong: the database has what this release doesn't know.
        DatabaseUnavailable: no answer.
    """
    with _owner(dsn) as db:
        return _compare(migrations(), _applied(db))


def migrate(
    dsn: str, say: Callable[[str], None], folder: Path | None = None
) -> list[Migration]:
    """Run what is pending, as the owner; return what was run.

    Raises:
        SchemaWrong: the database has what this release doesn't know, or the owner
            lacks a right; the text says what an administrator has to run.
        DatabaseUnavailable: no answer; each migration took place wholly or not.
    """
    ours = migrations(folder)
    with _owner(dsn) as db:
        db.execute(f"SET lock_timeout = '{_LOCK_SECONDS}s'")
        db.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        db.execute(_MAKE)
        todo = _compare(ours, _applied(db))
        for migration in todo:
            say(migration.label)
            with db.transaction():
                # Without values this is the simple protocol: many statements at once.
                db.execute(migration.text.encode())
                db.execute(_RECORD, migration[:3])
    return todo


def check(db: Database) -> None:
    """See that the database has exactly the schema of this release.

    Raises:
        SchemaWrong: it has not; the text says what to run.
        DatabaseUnavailable: no answer.
    """
    ((exists,),) = db.read(_EXISTS)
    rows = db.read(_APPLIED) if exists else []
    missing = _compare(migrations(), {number: (a, b) for number, a, b in rows})
    if missing:
        names = ", ".join(migration.label for migration in missing)
        raise SchemaWrong(f"the database lacks {names}; run: upcard migrate")


def _compare(ours: Sequence[Migration], applied: Applied) -> list[Migration]:
    """Return what is still to run; refuse a database that went another way."""
    known = {m.number: (m.name, m.checksum) for m in ours}
    for number, (name, checksum) in applied.items():
        if number not in known:
            raise SchemaWrong(
                f"the database has migration {number:04}_{name}, of a later release: "
                "install that release"
            )
        if known[number] != (name, checksum):
            raise SchemaWrong(
                f"migration {number:04}_{name} was changed after this database ran it: "
                "put its file back as it was and add a new migration"
            )
    return [m for m in ours if m.number not in applied]


def _applied(db: psycopg.Connection) -> Applied:
    """Read what a database has run."""
    row = db.execute(_EXISTS).fetchone()
    if row is None or not row[0]:
        return {}
    return {number: (a, b) for number, a, b in db.execute(_APPLIED)}


@contextmanager
def _owner(dsn: str) -> Iterator[psycopg.Connection]:
    """Connect as the owner, and say what can go wrong in our words."""
    try:
        with psycopg.connect(
            dsn, autocommit=True, application_name="upcard migrate"
        ) as db:
            yield db
    except psycopg.errors.LockNotAvailable as error:
        raise DatabaseUnavailable(
            f"waited {_LOCK_SECONDS} seconds for another migration, or for a long "
            "transaction that uses a table: try again when it has ended"
        ) from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise SchemaWrong(
            f"the owner may not do this ({str(error).splitlines()[0]}). As an "
            f"administrator run: CREATE ROLE {SERVICE_ROLE} NOLOGIN; CREATE ROLE "
            f"{ARCHIVER_ROLE} NOLOGIN; GRANT {SERVICE_ROLE}, {ARCHIVER_ROLE} TO "
            "<the owner>; GRANT CREATE, USAGE ON SCHEMA public TO "
            "<the owner>; then again: upcard migrate"
        ) from error
    except psycopg.OperationalError as error:
        raise DatabaseUnavailable(str(error)) from error
