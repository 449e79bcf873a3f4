"""The rounds: what opens one, what changes its place in the projection, and reads.

A write here is one statement in two or three parts: PostgreSQL does all of it or
nothing, without the five journeys of a transaction. In each, the log's row comes
first, so a repeat is told from another open round.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from service.sealing import SealedShoe
from service.store.database import Database
from service.store.instant import instant
from service.store.log import load, log_values
from service.store.rows import BeforeDeal, LogRow, RoundRow
from service.store.statements import Row

_BEFORE_DEAL: Final = """
SELECT clock.now, (
    SELECT round FROM round
    WHERE account = %s AND table_id = %s AND closed_at IS NULL
), log.round, log.ver, log.player, log.at, log.key, log.req, log.data, log.hash
FROM (SELECT now() AS now) AS clock
LEFT JOIN log ON log.account = %s AND log.player = %s AND log.key = %s
"""

# FROM logged: so the log's row is written, and refused, before the round's.
_OPEN: Final = """
WITH logged AS (
    INSERT INTO log (account, round, ver, player, at, key, req, data, hash)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
    RETURNING 1
), kept AS (
    INSERT INTO shoe (account, shoe, key_id, nonce, sealed, commitment)
    VALUES (%s, %s, %s, %s, %s, %s)
)
INSERT INTO round (
    account, round, log_account, table_id, table_version, currency, status,
    opened_at, decided_at, closed_at, stake, payout
)
SELECT %s::uuid, %s::uuid, %s::uuid, %s, %s, %s, %s,
    %s, %s::timestamptz, %s::timestamptz, %s, %s::bigint FROM logged
"""

_PROJECT: Final = """
WITH logged AS (
    INSERT INTO log (account, round, ver, player, at, key, req, data, hash)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
    RETURNING 1
)
UPDATE round SET decided_at = %s, closed_at = %s, status = %s, stake = %s, payout = %s
FROM logged WHERE account = %s AND round = %s
"""

_FIND: Final = """
SELECT account, round, log_account, table_id, table_version, currency, status,
    opened_at, decided_at, closed_at, stake, payout
FROM round WHERE account = %s AND round = %s
"""

_OPEN_ROUNDS: Final = """
SELECT account, round, log_account, table_id, table_version, currency, status,
    opened_at, decided_at, closed_at, stake, payout
FROM round WHERE account = %s AND closed_at IS NULL
ORDER BY round DESC
"""

_LOGGED_ROUNDS: Final = """
SELECT account, round FROM log
WHERE ver = 1 AND (account, round) > (%s, %s) ORDER BY account, round LIMIT 500
"""

_PUT: Final = """
INSERT INTO round (
    account, round, log_account, table_id, table_version, currency, status,
    opened_at, decided_at, closed_at, stake, payout
)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (account, round) DO UPDATE SET
    log_account = excluded.log_account, table_id = excluded.table_id,
    table_version = excluded.table_version, currency = excluded.currency,
    status = excluded.status, opened_at = excluded.opened_at,
    decided_at = excluded.decided_at, closed_at = excluded.closed_at,
    stake = excluded.stake, payout = excluded.payout
"""

_HOLDS_SHOES: Final = "SELECT EXISTS (SELECT FROM shoe)"

_NIL: Final = "00000000-0000-0000-0000-000000000000"


def before_deal(
    db: Database, account: str, player: str, table_id: str, key: str
) -> BeforeDeal:
    """Read what a deal has to know, with one SELECT.

    Raises:
        DatabaseUnavailable: no answer.
    """
    ((now, open_round_id, *keyed),) = db.read(
        _BEFORE_DEAL, (account, table_id, account, player, key)
    )
    return BeforeDeal(
        now, open_round_id, None if keyed[0] is None else LogRow(account, *keyed)
    )


def open_round(
    db: Database, shoe: SealedShoe, shoe_id: str, row: LogRow, round_: RoundRow
) -> None:
    """Write a new round: its shoe, its first command, its place in the projection.

    Raises:
        KeyUsed: the player's key is in the log already.
        OpenRoundExists: the player has an open round at this table.
        DatabaseUnavailable: no answer; it may have been written.
    """
    db.write(
        _OPEN,
        (*log_values(row), row.account, shoe_id, *shoe, *_round_values(round_)),
    )


def append_and_project(db: Database, row: LogRow, round_: RoundRow) -> None:
    """Write a command's row, and what it changes in one player's projection.

    For the command that leaves nothing to decide, and for each that closes a round.
    Of `round_` the ids say which row, and all that a round can change is taken.

    Raises:
        LostRace: another command has this version by now.
        KeyUsed: the player's key is in the log already.
        DatabaseUnavailable: no answer; it may have been written.
    """
    times = (instant(round_.decided_at), instant(round_.closed_at))
    changed = (*times, round_.status, round_.stake, round_.payout)
    db.write(_PROJECT, (*log_values(row), *changed, round_.account, round_.round_id))


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
                db.write(_PUT, _round_values(row))
        count, last = count + len(found), found[-1]
    return count


def _round_values(row: RoundRow) -> Row:
    """Return what a statement needs to insert `row`, in the order of its columns."""
    times = (instant(at) for at in (row.opened_at, row.decided_at, row.closed_at))
    return (*row[:7], *times, row.stake, row.payout)
