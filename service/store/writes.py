"""A command's writes: its row, its money, its shoe, its place in the projection.

Each is one statement in several parts: PostgreSQL does all of it or nothing, without
the journeys of a transaction. The log's row comes first, so a repeat is told from
another open round; every other part takes its rows FROM logged.
"""

from typing import Final

from service.sealing import SealedShoe
from service.store.database import Database
from service.store.instant import instant
from service.store.ledger import Entry, entry_values
from service.store.log import log_values
from service.store.rounds import round_values
from service.store.rows import LogRow, RoundRow

_LOGGED: Final = """
WITH logged AS (
    INSERT INTO log (account, round, ver, player, at, key, req, data, hash)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
    RETURNING 1
), lined AS (
    INSERT INTO ledger (account, operator, player, mode, entry, line, purpose, round,
        ver, reference, currency, side, amount, balance, at)
    SELECT %s::uuid, %s, %s, %s, %s::uuid, n, %s, %s::uuid, %s::integer, %s, %s,
        side, amount, CASE side WHEN 'player' THEN %s::bigint END, %s::timestamptz
    FROM logged,
        unnest(%s::text[], %s::bigint[]) WITH ORDINALITY AS lines (side, amount, n)
)"""

_APPEND_PAID: Final = _LOGGED + " SELECT FROM logged"

# S608 sees SQL put together: of constants of this file alone.
_OPEN: Final = (
    _LOGGED  # noqa: S608 - see above
    + """, kept AS (
    INSERT INTO shoe (account, shoe, key_id, nonce, sealed, commitment)
    VALUES (%s, %s, %s, %s, %s, %s)
    ON CONFLICT (account, shoe) DO NOTHING
)
INSERT INTO round (
    account, round, log_account, operator, mode, table_id, table_version, currency,
    status, opened_at, expires_at, decided_at, closed_at, stake, payout
)
SELECT %s::uuid, %s::uuid, %s::uuid, %s, %s, %s, %s, %s, %s,
    %s, %s, %s::timestamptz, %s::timestamptz, %s, %s::bigint FROM logged
"""
)

_PROJECT: Final = (
    _LOGGED
    + """
UPDATE round SET decided_at = %s, closed_at = %s, status = %s, stake = %s, payout = %s
FROM logged WHERE account = %s AND round = %s
"""
)


def open_round(
    db: Database,
    shoe: SealedShoe,
    row: LogRow,
    round_: RoundRow,
    entry: Entry | None = None,
) -> None:
    """Write a new round: its first command and money, its shoe, its projection.

    The shoe has the round's id, for the round has it to itself.

    Raises:
        KeyUsed: the player's key is in the log already.
        OpenRoundExists: the player has an open round at this table.
        DatabaseUnavailable: no answer; it may have been written.
    """
    values = (*log_values(row), *entry_values(entry))
    shoe_values = (row.account, row.round_id, *shoe)
    db.write(_OPEN, (*values, *shoe_values, *round_values(round_)))


def append_paid(db: Database, row: LogRow, entry: Entry) -> None:
    """Write a command's row together with the money that it moved.

    Raises:
        LostRace: another command has this version by now.
        KeyUsed: the player's key is in the log already.
        DatabaseUnavailable: no answer; it may have been written.
    """
    db.change(_APPEND_PAID, (*log_values(row), *entry_values(entry)))


def append_and_project(
    db: Database, row: LogRow, round_: RoundRow, entry: Entry | None = None
) -> None:
    """Write a command's row and money, and what it changes in the projection.

    For the command that leaves nothing to decide, and for each that closes a round.
    Of `round_` the ids say which row, and all that a round can change is taken.

    Raises:
        LostRace: another command has this version by now.
        KeyUsed: the player's key is in the log already.
        DatabaseUnavailable: no answer; it may have been written.
    """
    times = (instant(round_.decided_at), instant(round_.closed_at))
    changed = (*times, round_.status, round_.stake, round_.payout)
    values = (*log_values(row), *entry_values(entry))
    db.write(_PROJECT, (*values, *changed, round_.account, round_.round_id))
