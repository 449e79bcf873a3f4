"""Every row that tells of money, account by account, as of one moment."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from service.meter import Meter
from service.store.database import Database, pages
from service.store.jackpots import all_meters

_ROWS: Final = 2_000
"""Rows of one statement: few enough for its time, many enough to be fast."""

_SNAPSHOT: Final = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"

_LOG: Final = """
SELECT account, round, ver, data FROM log
WHERE (account, round, ver) > (%s, %s, %s) ORDER BY account, round, ver LIMIT %s
"""

_LINES: Final = """
SELECT account, entry, line, operator, player, mode, purpose, round, ver, reference,
    currency, side, amount, balance
FROM ledger
WHERE (account, entry, line) > (%s, %s, %s) ORDER BY account, entry, line LIMIT %s
"""

_TRANSFERS: Final = """
SELECT account, transfer, operator, player, kind, purpose, round, ver, currency, amount,
    lines, debit, status
FROM transfer
WHERE (account, transfer) > (%s, %s) ORDER BY account, transfer LIMIT %s
"""

_BALANCES: Final = """
SELECT account, currency, amount FROM balance
WHERE (account, currency) > (%s, %s) ORDER BY account, currency LIMIT %s
"""

_ROUNDS: Final = """
SELECT account, round, operator, mode, currency, status, closed_at IS NOT NULL, stake,
    payout, archived_in
FROM round WHERE (account, round) > (%s, %s) ORDER BY account, round LIMIT %s
"""

_WAITING: Final = """
SELECT operator, jackpot_id, sum(wagers)::bigint FROM jackpot_contribution
GROUP BY operator, jackpot_id
"""

_HITS: Final = """
SELECT account, round, box, ver, operator, jackpot_id, amount, returned_at IS NOT NULL
FROM jackpot_hit
WHERE (account, round, box) > (%s, %s, %s) ORDER BY account, round, box LIMIT %s
"""

_NIL: Final = "00000000-0000-0000-0000-000000000000"


class LoggedRow(NamedTuple):
    """A command in the log; `data` is its JSON."""

    account: str
    round_id: str
    ver: int
    data: bytes


class LedgerLine(NamedTuple):
    """One side of an entry of the ledger, in minor units."""

    account: str
    entry_id: str
    line: int
    operator: str
    player: str
    mode: str
    purpose: str
    round_id: str | None
    ver: int | None
    reference: str | None
    currency: str
    side: str
    amount: int
    balance: int | None


class TransferRow(NamedTuple):
    """A call to a wallet, in minor units; `lines` is JSON."""

    account: str
    transfer_id: str
    operator: str
    player: str
    kind: str
    purpose: str
    round_id: str
    ver: int
    currency: str
    amount: int
    lines: bytes
    debit: str | None
    status: str


class BalanceRow(NamedTuple):
    """What a player has, in minor units."""

    account: str
    currency: str
    amount: int


class RoundTold(NamedTuple):
    """What the projection says of a round; money in minor units."""

    account: str
    round_id: str
    operator: str
    mode: str
    currency: str
    status: str
    closed: bool
    stake: int
    payout: int | None
    archived_in: str | None
    """The file that has its log; None: the database does."""


class HitRow(NamedTuple):
    """What a hit of a jackpot reserved, in minor units; whether it was given back."""

    account: str
    round_id: str
    box: int
    ver: int
    operator: str
    jackpot_id: str
    amount: int
    returned: bool


class JackpotRows(NamedTuple):
    """All that is written of jackpots: few rows, whatever is played."""

    meters: list[Meter]
    waiting: list[tuple[str, str, int]]
    """Operator, jackpot and the bonus wagers that are not in its meter yet."""
    hits: list[HitRow]


class Streams(NamedTuple):
    """All rows, each stream sorted by account; read them while the moment is kept."""

    log: Iterator[LoggedRow]
    lines: Iterator[LedgerLine]
    transfers: Iterator[TransferRow]
    balances: Iterator[BalanceRow]
    rounds: Iterator[RoundTold]
    jackpots: JackpotRows


@contextmanager
def one_moment(db: Database) -> Iterator[Streams]:
    """Give all rows as they are now, whatever is written meanwhile.

    Raises:
        DatabaseUnavailable: no answer, now or while reading.
    """
    with db.transaction():
        db.write(_SNAPSHOT)
        yield streams_of(db)


def streams_of(db: Database) -> Streams:
    """Return all rows as the present transaction sees them.

    Raises:
        DatabaseUnavailable: no answer, while reading.
    """
    return Streams(
        (LoggedRow(*row) for row in pages(db, _LOG, (_NIL, _NIL, 0), _ROWS)),
        (LedgerLine(*row) for row in pages(db, _LINES, (_NIL, _NIL, 0), _ROWS)),
        (TransferRow(*row) for row in pages(db, _TRANSFERS, (_NIL, _NIL), _ROWS)),
        (BalanceRow(*row) for row in pages(db, _BALANCES, (_NIL, ""), _ROWS)),
        (RoundTold(*row) for row in pages(db, _ROUNDS, (_NIL, _NIL), _ROWS)),
        _jackpots(db),
    )


def _jackpots(db: Database) -> JackpotRows:
    return JackpotRows(
        all_meters(db),
        [(row[0], row[1], row[2]) for row in db.read(_WAITING)],
        [HitRow(*row) for row in pages(db, _HITS, (_NIL, _NIL, 0), _ROWS)],
    )
