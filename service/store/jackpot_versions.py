"""Jackpots' versions: the texts of all files that were ever loaded, never changed."""

from typing import Final, NamedTuple

from service.store.database import Database
from service.store.errors import JackpotVersionChanged

_SAVE: Final = """
INSERT INTO jackpot_version (jackpot_id, version, source) VALUES (%s, %s, %s)
ON CONFLICT (jackpot_id, version) DO NOTHING
"""

_FIND: Final = """
SELECT source FROM jackpot_version WHERE jackpot_id = %s AND version = %s
"""

_ALL: Final = """
SELECT jackpot_id, version, source FROM jackpot_version
ORDER BY jackpot_id, loaded_at, version
"""


class JackpotVersion(NamedTuple):
    """A jackpot's file as it was loaded."""

    jackpot_id: str
    version: str
    source: str


def save_jackpot_version(
    db: Database, jackpot_id: str, version: str, source: str
) -> bool:
    """Keep a jackpot's version; False when it was kept before.

    Raises:
        JackpotVersionChanged: this version has another text.
        DatabaseUnavailable: no answer.
    """
    if db.write(_SAVE, (jackpot_id, version, source)):
        return True
    ((kept,),) = db.read(_FIND, (jackpot_id, version))
    if kept != source:
        raise JackpotVersionChanged(
            f"jackpot {jackpot_id}, version {version}: it was loaded with another "
            "text, and a version never changes"
        )
    return False


def all_jackpot_versions(db: Database) -> list[JackpotVersion]:
    """List all versions of all jackpots, those of one in the order of loading.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [JackpotVersion(*row) for row in db.read(_ALL)]
