"""What the doctor asks a database: its release, its settings, its room."""

from typing import Final, NamedTuple

from service.store.database import Database

_ASK: Final = """
SELECT current_setting('server_version_num')::int,
       current_setting('server_encoding'),
       current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on'
           AND current_setting('synchronous_commit') <> 'off',
       current_setting('max_connections')::int
           - current_setting('superuser_reserved_connections')::int
"""


class Health(NamedTuple):
    """What a database says of itself."""

    release: int
    """The major release of PostgreSQL."""
    encoding: str
    durable: bool
    """Whether a power cut loses nothing that was acknowledged."""
    connections: int
    """The most that ordinary users may have at once, all databases together."""


def health(db: Database) -> Health:
    """Ask the database.

    Raises:
        DatabaseUnavailable: no answer.
        SchemaWrong: the service's role is missing.
    """
    ((version, encoding, durable, connections),) = db.read(_ASK)
    return Health(version // 10_000, encoding, durable, connections)
