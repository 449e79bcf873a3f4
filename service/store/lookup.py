"""Reads across all accounts: for an operator's reports, never for a command."""

from typing import Final, NamedTuple

from service.store.database import Database
from service.store.instant import Instant

_ACCOUNT: Final = "SELECT account FROM log WHERE round = %s AND ver = 1"

_ARCHIVED: Final = """
SELECT log_account, archived_in FROM round WHERE round = %s AND archived_in IS NOT NULL
"""

_ROUNDS: Final = """
SELECT account, round, operator, mode, status FROM round
WHERE table_id = %s AND table_version = %s AND opened_at >= %s AND opened_at < %s
    AND (%s::text IS NULL OR operator = %s) AND status <> 'malfunction'
ORDER BY round
"""


class Span(NamedTuple):
    """Rounds of a table version that were opened in a span of time.

    `operator` None is all of them.
    """

    table_id: str
    version: str
    since: int
    until: int
    operator: str | None


class Played(NamedTuple):
    """A round, and whose it is; `status` as it was last listed."""

    account: str
    round_id: str
    operator: str
    mode: str
    status: str


def rounds_in(db: Database, span: Span) -> list[Played]:
    """List the rounds of a span that have not malfunctioned, the oldest first.

    Raises:
        DatabaseUnavailable: no answer.
    """
    times = (Instant(span.since), Instant(span.until))
    where = (span.table_id, span.version, *times, span.operator, span.operator)
    return [Played(*row) for row in db.read(_ROUNDS, where)]


def archived_round(db: Database, round_id: str) -> tuple[str, str] | None:
    """Find the account of a round whose log is in a file, and the file's name.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_ARCHIVED, (round_id,))
    return found[0] if found else None


def account_of(db: Database, round_id: str) -> str | None:
    """Find the account that holds a round's log; None if there is no such round.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_ACCOUNT, (round_id,))
    return found[0][0] if found else None
