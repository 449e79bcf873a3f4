"""A command's writes: its row, its money, its shoe, its place in the projection.

Each is one statement in several parts: PostgreSQL does all of it or nothing, without
the journeys of a transaction. The log's row comes first, so a repeat is told from
another open round; every other part takes its rows FROM logged. A command of which
nothing is significant has a statement without that part.
"""

from collections.abc import Sequence
from typing import Final

from service.sealing import SealedShoe
from service.store.database import Database
from service.store.instant import instant
from service.store.jackpots import CONTRIBUTED, Contribution
from service.store.ledger import Entry, entry_values
from service.store.log import log_values
from service.store.rounds import round_values
from service.store.rows import LogRow, RoundRow
from service.store.significant import NOTED, Significant, events_json
from service.store.statements import Row

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

_APPEND_PAID: Final = " SELECT FROM logged"

_OPEN: Final = """, kept AS (
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

_PROJECT: Final = """
UPDATE round SET decided_at = %s, closed_at = %s, status = %s, stake = %s, payout = %s,
    ended_by = %s
FROM logged WHERE account = %s AND round = %s
"""


def open_round(  # noqa: PLR0913 - a part of the statement each
    db: Database,
    shoe: SealedShoe,
    row: LogRow,
    round_: RoundRow,
    entry: Entry | None = None,
    *,
    notes: Sequence[Significant] = (),
    contribution: Contribution | None = None,
) -> None:
    """Write a new round: its first command and money, its shoe, its projection.

    The shoe has the round's id, for the round has it to itself. Along go the `notes`,
    here as below, and what its bonus wagers add to a jackpot.

    Raises:
        KeyUsed: the player's key is in the log already.
        OpenRoundExists: the player has an open round at this table.
        DatabaseUnavailable: no answer; it may have been written.
    """
    query, values = _logged(row, entry, notes)
    if contribution is not None:
        query, values = query + CONTRIBUTED, (*values, *contribution)
    shoe_values = (row.account, row.round_id, *shoe)
    db.write(query + _OPEN, (*values, *shoe_values, *round_values(round_)))


def append_paid(
    db: Database,
    row: LogRow,
    entry: Entry | None,
    *,
    notes: Sequence[Significant] = (),
) -> None:
    """Write a command's row together with the money that it moved, if it did.

    Raises:
        LostRace: another command has this version by now.
        KeyUsed: the player's key is in the log already.
        DatabaseUnavailable: no answer; it may have been written.
    """
    query, values = _logged(row, entry, notes)
    db.change(query + _APPEND_PAID, values)


def append_and_project(
    db: Database,
    row: LogRow,
    round_: RoundRow,
    entry: Entry | None = None,
    *,
    notes: Sequence[Significant] = (),
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
    changed = (*times, round_.status, round_.stake, round_.payout, round_.ended_by)
    query, values = _logged(row, entry, notes)
    place = (round_.account, round_.round_id)
    db.write(query + _PROJECT, (*values, *changed, *place))


def _logged(
    row: LogRow, entry: Entry | None, notes: Sequence[Significant]
) -> tuple[str, Row]:
    """Return how a statement begins that writes a command, and its values."""
    values = (*log_values(row), *entry_values(entry))
    if not notes:
        return _LOGGED, values
    return _LOGGED + NOTED, (*values, events_json(notes))
