"""The database's clock in a test's hand.

The service asks the database for the time and nobody else, by `now()`. Who connects
through `Clock.dsn` finds another function of that name first; all else is as ever.
"""

from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

SECOND: Final = 1_000_000
DAY: Final = 86_400 * SECOND

_INSTALL: Final = """
CREATE SCHEMA given;
CREATE TABLE given.instant (at timestamptz NOT NULL);
INSERT INTO given.instant VALUES (now());
CREATE FUNCTION given.now() RETURNS timestamptz STABLE SECURITY DEFINER LANGUAGE sql
    AS 'SELECT at FROM given.instant';
GRANT USAGE ON SCHEMA given TO upcard_service;
"""
_SET: Final = """
UPDATE given.instant SET at = timestamptz 'epoch' + %s * interval '1 microsecond'
"""
# In a zone that changes its clocks twice a year: times of ours must not notice.
_OPTIONS: Final = "-c search_path=given,pg_catalog,public -c TimeZone=America/New_York"


class Clock:
    """What time it is for all who connect through ``dsn``; microseconds since 1970."""

    def __init__(self, dsn: str) -> None:
        self._owner = psycopg.connect(dsn, autocommit=True)
        self._owner.execute(_INSTALL)
        self.dsn: Final = make_conninfo(dsn, options=_OPTIONS)

    @property
    def url(self) -> str:
        """``dsn`` as the environment takes it."""
        parts = {key: str(value) for key, value in conninfo_to_dict(self.dsn).items()}
        return f"postgresql://?{urlencode(parts, quote_via=quote)}"

    def set(self, at: int) -> None:
        """Make it this time, and stop the clock there."""
        self._owner.execute(_SET, [at])

    def close(self) -> None:
        self._owner.close()


def instant_of(text: str) -> int:
    """Return an RFC 3339 time in microseconds since 1970 UTC."""
    since = datetime.fromisoformat(text) - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * SECOND + since.microseconds
