"""Reads across all accounts: for an operator's reports, never for a command."""

from typing import Final, NamedTuple

from service.store.database import Database
from service.store.instant import Instant

_LISTED: Final = "SELECT log_account, archived_in FROM round WHERE round = %s LIMIT 1"

_LOGGED: Final = "SELECT account FROM log WHERE round = %s LIMIT 1"

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
    with db.patiently():
        return [Played(*row) for row in db.read(_ROUNDS, where)]


def log_of(db: Database, round_id: str) -> tuple[str, str | None] | None:
    """Find the account of a round's log, and the file that it went to, if it did.

    None if there is no such round. It looks through all there is, in the list of rounds
    first: call it in `Database.patiently`.

    Raises:
        DatabaseUnavailable: no answer.
    """
    if listed := db.read(_LISTED, (round_id,)):
        return listed[0][0], listed[0][1]
    logged = db.read(_LOGGED, (round_id,))
    return (logged[0][0], None) if logged else None
