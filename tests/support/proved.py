"""That every round of a database is as it was written, dealt and paid."""

import re
from pathlib import Path
from typing import Final

from service.inspection import Inspector, no_archive
from service.sealing import KeyRing
from service.store.database import Database
from service.store.inspection import everything, keep_moment
from service.store.seals import seals
from service.store.tables import all_table_versions

_MOVED: Final = re.compile(
    ": (the list of rounds has (opened|closed)_at|row 1 tells of an earlier time) "
)


def assert_all_is_proved(dsn: str, shoe_keys: Path, *, moved: bool = False) -> None:
    """Assert that an inspection finds nothing, unless rounds were `moved` in time.

    A test may deal them as of long ago, or list them as of another day.
    """
    found = [
        line
        for line in findings_of(dsn, shoe_keys)
        if not (moved and _MOVED.search(line))
    ]
    lines = "\n".join(found)
    assert not found, f"{len(found)} findings:\n{lines}"


def findings_of(dsn: str, shoe_keys: Path) -> list[str]:
    """Return what an inspection finds; seals are taken as they are signed."""
    database = Database(dsn)
    try:
        sources = {row.version: row.source for row in all_table_versions(database)}
        signed = list(seals(database))
        trusted = [one.public_key for one in signed]
        ring = KeyRing.from_file(shoe_keys)
        inspector = Inspector(ring, sources, signed, trusted, no_archive)
        with database.transaction():
            keep_moment(database)
            return [
                f"{finding.subject}: {finding.where}"
                for finding in inspector.inspect(everything(database))
            ]
    finally:
        database.close()
