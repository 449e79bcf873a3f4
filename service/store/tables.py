"""Table versions: the texts of all tables that were ever loaded, never changed."""

from typing import Final, NamedTuple

from service.store.database import Database
from service.store.errors import TableVersionChanged

_SAVE: Final = """
INSERT INTO table_version (table_id, version, source) VALUES (%s, %s, %s)
ON CONFLICT (table_id, version) DO NOTHING
"""

_FIND: Final = """
SELECT source FROM table_version WHERE table_id = %s AND version = %s
"""

_ALL: Final = """
SELECT table_id, version, source, loaded_at FROM table_version
ORDER BY table_id, loaded_at, version
"""


class TableVersion(NamedTuple):
    """A table's rules as they were loaded."""

    table_id: str
    version: str
    source: str
    """The text of its file."""
    loaded_at: int
    """Microseconds since 1970 UTC."""


def save_table_version(db: Database, table_id: str, version: str, source: str) -> bool:
    """Keep a table version; False when it was kept before.

    Raises:
        TableVersionChanged: this version has another text.
        DatabaseUnavailable: no answer.
    """
    if db.write(_SAVE, (table_id, version, source)):
        return True
    ((kept,),) = db.read(_FIND, (table_id, version))
    if kept != source:
        raise TableVersionChanged(
            f"table {table_id}, version {version}: it was loaded with another text, "
            "and a version never changes"
        )
    return False


def all_table_versions(db: Database) -> list[TableVersion]:
    """List all versions of all tables, those of one table in the order of loading.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [TableVersion(*row) for row in db.read(_ALL)]
