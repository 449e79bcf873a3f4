"""All that is written of each round, in the order of account and round.

Ids come as text and rows in large pages: this reads everything there is.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from service.store.database import Database, pages
from service.store.rounds import COLUMNS
from service.store.statements import Row

_ROWS: Final = 4_000
"""Rows of one statement: few enough for its time, many enough to be fast."""

_LOG: Final = """
SELECT account::text, round::text, ver, player, at, key, req, data, hash,
    tx::text::bigint
FROM log WHERE (account, round, ver) > (%s, %s, %s)
ORDER BY log.account, log.round, ver LIMIT %s
"""

_SHOES: Final = """
SELECT account::text, shoe::text, key_id, nonce, sealed, commitment
FROM shoe WHERE (account, shoe) > (%s, %s)
ORDER BY shoe.account, shoe.shoe LIMIT %s
"""

_LINES: Final = """
SELECT account::text, round::text, ver, line, purpose, side, amount, currency, balance
FROM ledger WHERE round IS NOT NULL AND (account, round, ver, line) > (%s, %s, %s, %s)
ORDER BY ledger.account, ledger.round, ver, line LIMIT %s
"""

_CALLS: Final = """
SELECT account::text, round::text, ver, transfer::text, kind, purpose, amount, currency,
    status
FROM transfer WHERE (account, round, ver, transfer) > (%s, %s, %s, %s)
ORDER BY transfer.account, transfer.round, ver, transfer.transfer LIMIT %s
"""

_ROUNDS: Final = f"""
SELECT {COLUMNS} FROM round WHERE (account, round) > (%s, %s)
ORDER BY round.account, round.round LIMIT %s
"""  # noqa: S608 - of a constant

_LEAVES: Final = """
SELECT account::text, round::text, seal, ver, hash
FROM seal_leaf WHERE (account, round, seal) > (%s, %s, %s)
ORDER BY seal_leaf.account, seal_leaf.round, seal LIMIT %s
"""

_NIL: Final = "00000000-0000-0000-0000-000000000000"
_SNAPSHOT: Final = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


class Everything(NamedTuple):
    """Streams of rows that begin with account and round, all in that order.

    The log's rows go on with `LogRow`'s fields and the transaction's number.
    """

    log: Iterator[Row]
    shoes: Iterator[Row]
    """Then a `SealedShoe`."""
    lines: Iterator[Row]
    """Then version, line, purpose, side, amount, currency, balance."""
    calls: Iterator[Row]
    """Then version, id, kind, purpose, amount, currency, status."""
    rounds: Iterator[Row]
    """`RoundRow`s."""
    leaves: Iterator[Row]
    """Then the seal's number, the version and the row's hash."""


def keep_moment(db: Database) -> None:
    """See all as it is now, until the transaction ends. Call it first in one.

    Raises:
        DatabaseUnavailable: no answer.
    """
    db.write(_SNAPSHOT)


def everything(db: Database) -> Everything:
    """Return all rows as the present transaction sees them.

    Raises:
        DatabaseUnavailable: no answer, while reading.
    """
    return Everything(
        pages(db, _LOG, (_NIL, _NIL, 0), _ROWS),
        pages(db, _SHOES, (_NIL, _NIL), _ROWS),
        pages(db, _LINES, (_NIL, _NIL, 0, 0), _ROWS),
        pages(db, _CALLS, (_NIL, _NIL, 0, _NIL), _ROWS),
        pages(db, _ROUNDS, (_NIL, _NIL), _ROWS),
        pages(db, _LEAVES, (_NIL, _NIL, 0), _ROWS),
    )
