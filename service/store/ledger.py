"""The ledger: double entry, in minor units. What a player has can't fall below zero.

An entry's lines add up to zero over four sides: the player, what rounds hold, the
house, and the operator, through whom money comes and goes. Only the player's side has
a balance of its own; the others are sums.
"""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from service.store.database import Database
from service.store.instant import Instant
from service.store.rows import Holder
from service.store.statements import Row

Side = Literal["player", "held", "house", "operator"]

MOST_BALANCE: Final = 2**52
"""What a deposit may raise a balance to: wins on top of it stay below 2^53."""

_ADD: Final = """
INSERT INTO balance (account, currency, amount) VALUES (%s, %s, %s)
ON CONFLICT (account, currency) DO UPDATE SET amount = balance.amount + excluded.amount
RETURNING amount
"""

_BEGIN: Final = """
INSERT INTO balance (account, currency, amount) VALUES (%s, %s, %s)
ON CONFLICT (account, currency) DO NOTHING
"""

# What is paid back can't pay for what is taken; and new money is not taken of a
# player who is stopped.
_TAKE: Final = """
UPDATE balance SET amount = amount - %s + %s
WHERE account = %s AND currency = %s AND amount >= %s
    AND (%s = 0 OR NOT EXISTS (
        SELECT FROM stop
        WHERE operator IN ('*', %s) AND player IN ('*', %s)
    ))
RETURNING amount
"""

_DRAW: Final = """
UPDATE balance SET amount = amount - %s
WHERE account = %s AND currency = %s AND amount >= %s
RETURNING amount
"""

# What is taken back of a player is taken as far as he has it.
_CORRECT: Final = """
UPDATE balance SET amount = greatest(balance.amount + %s, 0)
FROM (
    SELECT amount FROM balance WHERE account = %s AND currency = %s FOR UPDATE
) AS before
WHERE account = %s AND currency = %s
RETURNING balance.amount, balance.amount - before.amount
"""

_BALANCE: Final = "SELECT amount FROM balance WHERE account = %s AND currency = %s"

_LOCK: Final = f"{_BALANCE} FOR UPDATE"

_LINES: Final = """
INSERT INTO ledger (account, operator, player, mode, entry, line, purpose, round,
    ver, reference, currency, side, amount, balance, at)
SELECT %s::uuid, %s, %s, %s, %s::uuid, n, %s, %s::uuid, %s::integer, %s, %s,
    side, amount, CASE side WHEN 'player' THEN %s::bigint END, %s::timestamptz
FROM unnest(%s::text[], %s::bigint[]) WITH ORDINALITY AS lines (side, amount, n)
"""

_REFERENCED: Final = """
SELECT purpose, currency, amount, balance, at FROM ledger
WHERE account = %s AND reference = %s AND side = 'player'
"""

_STATEMENT: Final = """
SELECT entry, purpose, round, ver, reference, currency, amount, balance, at FROM ledger
WHERE account = %s AND currency = %s AND side = 'player' AND entry < %s
ORDER BY entry DESC LIMIT %s
"""


class Line(NamedTuple):
    """One side of an entry; what it gains is positive."""

    side: Side
    amount: int


class Entry(NamedTuple):
    """What moved and why: a round's command, or a deposit by its reference."""

    holder: Holder
    entry_id: str
    purpose: str
    round_id: str | None
    ver: int | None
    reference: str | None
    currency: str
    lines: Sequence[Line]
    balance: int
    """What the player has after it."""
    at: int


class Statement(NamedTuple):
    """One line of a player's statement."""

    entry_id: str
    purpose: str
    round_id: str | None
    ver: int | None
    reference: str | None
    currency: str
    amount: int
    balance: int
    at: int


class Referenced(NamedTuple):
    """A deposit or withdrawal that was made under a reference."""

    purpose: str
    currency: str
    amount: int
    balance: int
    at: int


def balance_of(db: Database, account: str, currency: str) -> int | None:
    """Return what a player has; None if he never had any.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_BALANCE, (account, currency))
    return found[0][0] if found else None


def add(db: Database, account: str, currency: str, amount: int) -> int:
    """Add to a balance, which is made if there is none; return what it is then.

    Raises:
        DatabaseUnavailable: no answer.
    """
    ((balance,),) = db.change(_ADD, (account, currency, amount))
    assert isinstance(balance, int), "RETURNING gives the row's amount"
    return balance


def begin(db: Database, account: str, currency: str, amount: int) -> bool:
    """Give a player his first balance; False when he has one by now.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return db.write(_BEGIN, (account, currency, amount)) == 1


def lock(db: Database, account: str, currency: str) -> int | None:
    """Return what a player has, and keep it so until the transaction ends.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_LOCK, (account, currency))
    return found[0][0] if found else None


def draw(db: Database, account: str, currency: str, amount: int) -> int | None:
    """Take from a balance for a withdrawal; return what it is then, None if too little.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.change(_DRAW, (amount, account, currency, amount))
    return found[0][0] if found else None


class Taking(NamedTuple):
    """What is taken of a player, and paid to him, at once."""

    operator: str
    player: str
    account: str
    currency: str
    amount: int
    back: int


def take(db: Database, taking: Taking) -> int | None:
    """Take from a balance and pay back; return what it is then.

    None: it is too little, there is none, or the player is stopped.

    Raises:
        DatabaseUnavailable: no answer.
    """
    operator, player, account, currency, amount, back = taking
    values = (amount, back, account, currency, amount, amount, operator, player)
    found = db.change(_TAKE, values)
    return found[0][0] if found else None


def correct(
    db: Database, account: str, currency: str, amount: int
) -> tuple[int, int] | None:
    """Add to a balance, or take of it as far as it goes; None when there is none.

    Returns what it is then, and by how much it has moved.

    Raises:
        DatabaseUnavailable: no answer.
    """
    where = (account, currency)
    found = db.change(_CORRECT, (amount, *where, *where))
    return (found[0][0], found[0][1]) if found else None


def write_entry(db: Database, entry: Entry) -> None:
    """Write an entry's lines. Call it in the transaction that moves the balance.

    Raises:
        ReferenceUsed: the reference has its entry already.
        DatabaseUnavailable: no answer; it may have been written.
    """
    db.write(_LINES, entry_values(entry))


def entry_values(entry: Entry | None) -> Row:
    """Return what the lines of an entry need, in order; None has no lines."""
    if entry is None:
        return (*[None] * 12, [], [])
    assert sum(line.amount for line in entry.lines) == 0, "an entry adds up to zero"
    return (
        *entry.holder,
        *(entry.entry_id, entry.purpose, entry.round_id, entry.ver),
        *(entry.reference, entry.currency, entry.balance, Instant(entry.at)),
        [line.side for line in entry.lines],
        [line.amount for line in entry.lines],
    )


def find_reference(db: Database, account: str, reference: str) -> Referenced | None:
    """Find the deposit or withdrawal of a reference.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_REFERENCED, (account, reference))
    return Referenced(*found[0]) if found else None


def statement(
    db: Database, account: str, currency: str, before: str, limit: int
) -> list[Statement]:
    """List a player's entries older than the entry id `before`, the newest first.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_STATEMENT, (account, currency, before, limit))
    return [Statement(*row) for row in found]
