"""What is written at the end: all rows of both databases that tell of money."""

from typing import Any, Final, NamedTuple

import psycopg
from psycopg.rows import class_row

_LOG: Final = """
SELECT account::text, round::text AS round_id, ver, player, key, req, hash,
    (extract(epoch FROM at) * 1000000)::bigint AS at, data::text AS data
FROM log ORDER BY round, ver
"""
_LINES: Final = """
SELECT entry::text AS entry_id, operator, player, purpose, round::text AS round_id, ver,
    reference, currency, side, amount, balance
FROM ledger ORDER BY entry, line
"""
_BALANCES: Final = "SELECT account::text, currency, amount FROM balance"
_OPEN: Final = "SELECT round::text FROM round WHERE closed_at IS NULL"
_CALLS: Final = """
SELECT transfer::text AS call_id, player, kind, round::text AS round_id, ver, currency,
    amount, debit::text AS debit_id, status
FROM transfer
"""
_BOOK: Final = """
SELECT transaction_id::text AS call_id, kind, player_id AS player, currency,
    round_id::text, debit_id::text, amount, moved, taken, rolled_back, status,
    (answer -> 'balance' ->> 'amount')::bigint AS balance
FROM transaction
"""
_PURSES: Final = "SELECT player_id, currency, cash + bonus FROM player"


class Row(NamedTuple):
    """A row of the log."""

    account: str
    round_id: str
    ver: int
    player: str
    key: str
    req: bytes
    hash: bytes
    at: int
    data: str


class Line(NamedTuple):
    """A line of the ledger."""

    entry_id: str
    operator: str
    player: str
    purpose: str
    round_id: str | None
    ver: int | None
    reference: str | None
    currency: str
    side: str
    amount: int
    balance: int | None


class Call(NamedTuple):
    """A call to a wallet, as the service has written it down."""

    call_id: str
    player: str
    kind: str
    round_id: str
    ver: int
    currency: str
    amount: int
    debit_id: str | None
    status: str


class Done(NamedTuple):
    """A call to the wallet, as the wallet has written it down.

    `status` is what was answered; None for a debit that was rolled back before it came.
    """

    call_id: str
    kind: str
    player: str
    currency: str
    round_id: str
    debit_id: str | None
    amount: int
    moved: int
    taken: int
    rolled_back: bool
    status: int | None
    balance: int | None


class Books(NamedTuple):
    """Everything."""

    log: list[Row]
    lines: list[Line]
    balances: list[tuple[str, str, int]]
    """Account, currency and amount."""
    open_rounds: list[str]
    calls: list[Call]
    book: list[Done]
    purses: list[tuple[str, str, int]]
    """Player, currency and amount, in the wallet."""


def read_books(service: str, wallet: str) -> Books:
    """Read both databases, when nothing moves any more."""
    with psycopg.connect(service) as ours, psycopg.connect(wallet) as theirs:
        return Books(
            log=_rows(ours, _LOG, Row),
            lines=_rows(ours, _LINES, Line),
            balances=ours.execute(_BALANCES).fetchall(),
            open_rounds=[found for (found,) in ours.execute(_OPEN)],
            calls=_rows(ours, _CALLS, Call),
            book=_rows(theirs, _BOOK, Done),
            purses=theirs.execute(_PURSES).fetchall(),
        )


def _rows(db: psycopg.Connection, query: str, kind: type[Any]) -> list[Any]:
    with db.cursor(row_factory=class_row(kind)) as cursor:
        return cursor.execute(query.encode()).fetchall()
