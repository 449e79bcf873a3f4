"""Jackpots' versions: the texts of all files that were ever loaded, in their order."""

from typing import Final, NamedTuple

from service.store.database import Database
from service.store.errors import JackpotVersionChanged

_SAVE: Final = """
INSERT INTO jackpot_version (jackpot_id, number, version, source)
VALUES (%s, %s, %s, %s)
ON CONFLICT (jackpot_id, number) DO NOTHING
"""

_LOADED: Final = """
SELECT version, source FROM jackpot_version WHERE jackpot_id = %s ORDER BY number
"""

_ALL: Final = """
SELECT jackpot_id, version, source FROM jackpot_version ORDER BY jackpot_id, number
"""


class JackpotVersion(NamedTuple):
    """A jackpot's file as it was loaded."""

    jackpot_id: str
    version: str
    source: str


def save_jackpot_version(
    db: Database, jackpot_id: str, version: str, source: str
) -> bool:
    """Keep a jackpot's version as its newest; False when it is that already.

    One that was kept before and followed by others is the newest again.

    Raises:
        JackpotVersionChanged: this version has another text.
        DatabaseUnavailable: no answer; it may have been kept.
    """
    while True:
        loaded = db.read(_LOADED, (jackpot_id,))
        if any(kept == version and text != source for kept, text in loaded):
            raise JackpotVersionChanged(
                f"jackpot {jackpot_id}, version {version}: it was loaded with another "
                "text, and a version never changes"
            )
        if loaded and loaded[-1][0] == version:
            return False
        if db.write(_SAVE, (jackpot_id, len(loaded) + 1, version, source)):
            return True  # else somebody was faster, and what he loaded counts, too


def all_jackpot_versions(db: Database) -> list[JackpotVersion]:
    """List all versions of all jackpots, those of one in the order of loading.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [JackpotVersion(*row) for row in db.read(_ALL)]
