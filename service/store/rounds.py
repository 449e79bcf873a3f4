"""The projection: what the log says of each round, for lists and jobs."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from service.store.database import Database
from service.store.instant import instant
from service.store.log import load
from service.store.rows import LogRow, RoundRow
from service.store.statements import Row

COLUMNS: Final = """account, round, log_account, operator, mode, table_id,
    table_version, currency, status, opened_at, expires_at, decided_at, closed_at,
    stake, payout, ended_by, archived_in"""
"""Those of a `RoundRow`, in its order."""

_FIND: Final = f"SELECT {COLUMNS} FROM round WHERE account = %s AND round = %s"  # noqa: S608 - of a constant

_OPEN_ROUNDS: Final = f"""
SELECT {COLUMNS} FROM round WHERE account = %s AND closed_at IS NULL
ORDER BY round DESC
"""  # noqa: S608 - as above

_LOGGED_ROUNDS: Final = """
SELECT account, round FROM log
WHERE ver = 1 AND (account, round) > (%s, %s) ORDER BY account, round LIMIT 500
"""

_PUT: Final = """
INSERT INTO round (
    account, round, log_account, operator, mode, table_id, table_version, currency,
    status, opened_at, expires_at, decided_at, closed_at, stake, payout, ended_by
)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (account, round) DO UPDATE SET
    log_account = excluded.log_account, operator = excluded.operator,
    mode = excluded.mode, table_id = excluded.table_id,
    table_version = excluded.table_version, currency = excluded.currency,
    status = excluded.status, opened_at = excluded.opened_at,
    expires_at = excluded.expires_at, decided_at = excluded.decided_at,
    closed_at = excluded.closed_at, stake = excluded.stake, payout = excluded.payout,
    ended_by = excluded.ended_by
"""

_HOLDS_SHOES: Final = "SELECT EXISTS (SELECT FROM shoe)"

_NIL: Final = "00000000-0000-0000-0000-000000000000"


def find_round(db: Database, account: str, round_id: str) -> RoundRow | None:
    """Find a player's round.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_FIND, (account, round_id))
    return RoundRow(*found[0]) if found else None


def open_rounds(db: Database, account: str) -> list[RoundRow]:
    """List a player's open rounds, the newest first.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [RoundRow(*row) for row in db.read(_OPEN_ROUNDS, (account,))]


def holds_shoes(db: Database) -> bool:
    """Whether any shoe was ever sealed here.

    Raises:
        DatabaseUnavailable: no answer.
    """
    ((found,),) = db.read(_HOLDS_SHOES)
    return bool(found)


def rebuild(
    db: Database, project: Callable[[Sequence[LogRow]], Iterable[RoundRow]]
) -> int:
    """Make the projection anew from the whole log; return the number of rounds.

    `project` says which rows a round's log means. Play may go on meanwhile only if
    it goes on elsewhere: a round that moves while it is projected may fall back.

    Raises:
        DatabaseUnavailable: no answer; what was done is right, run it again.
    """
    count, last = 0, (_NIL, _NIL)
    while found := db.read(_LOGGED_ROUNDS, last):
        for account, round_id in found:
            for row in project(load(db, account, round_id, None).rows):
                db.write(_PUT, (*round_values(row), row.ended_by))
        count, last = count + len(found), found[-1]
    return count


def round_values(row: RoundRow) -> Row:
    """Return what a statement needs to insert `row`, up to what it pays out."""
    return (*row[:9], *(instant(at) for at in row[9:13]), row.stake, row.payout)
