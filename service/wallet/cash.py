"""Money that an operator brings to a player's ledger, or takes away from it."""

from typing import Literal, NamedTuple

from service.chance import new_id
from service.store.database import Database, clock
from service.store.errors import ReferenceUsed
from service.store.ledger import (
    MOST_BALANCE,
    Entry,
    Line,
    add,
    balance_of,
    draw,
    find_reference,
    write_entry,
)
from service.store.rows import Holder
from service.wallet.port import FundsShort

Purpose = Literal["deposit", "withdrawal"]


class Cash(NamedTuple):
    """One deposit or withdrawal, in minor units; ``reference`` is the operator's."""

    holder: Holder
    currency: str
    purpose: Purpose
    amount: int
    reference: str


class Receipt(NamedTuple):
    """What a deposit or withdrawal left; ``replayed`` when it was made before."""

    balance: int
    at: int
    replayed: bool


class ReferenceReused(Exception):
    """The reference stands for another amount, currency or direction."""


class BalanceTooLarge(Exception):
    """The deposit would raise the balance above `MOST_BALANCE`."""


def move_cash(db: Database, cash: Cash) -> Receipt:
    """Make a deposit or withdrawal once, however often it is asked for.

    Raises FundsShort, BalanceTooLarge, ReferenceReused or DatabaseUnavailable; after
    the last the same reference finds out what happened.
    """
    known = _known(db, cash)
    if known is not None:
        return known
    try:
        return _moved(db, cash)
    except ReferenceUsed:
        known = _known(db, cash)
        assert known is not None, "lines of the ledger are never taken away"
        return known
    except (FundsShort, BalanceTooLarge):
        # A copy of it at the same moment may be why: then it is no refusal.
        known = _known(db, cash)
        if known is None:
            raise
        return known


def _known(db: Database, cash: Cash) -> Receipt | None:
    found = find_reference(db, cash.holder.account, cash.reference)
    if found is None:
        return None
    if (found.purpose, found.currency, found.amount) != _signed(cash):
        raise ReferenceReused(cash.reference)
    return Receipt(found.balance, found.at, replayed=True)


def _moved(db: Database, cash: Cash) -> Receipt:
    purpose, currency, amount = _signed(cash)
    account = cash.holder.account
    with db.transaction():
        if amount > 0:
            balance = add(db, account, currency, amount)
            if balance > MOST_BALANCE:
                raise BalanceTooLarge(balance)
        else:
            left = draw(db, account, currency, -amount)
            if left is None:
                has = balance_of(db, account, currency) or 0
                raise FundsShort(-amount, has)
            balance = left
        at = clock(db)
        lines = (Line("player", amount), Line("operator", -amount))
        where = (None, None, cash.reference, currency)
        entry = Entry(cash.holder, new_id(), purpose, *where, lines, balance, at)
        write_entry(db, entry)
    return Receipt(balance, at, replayed=False)


def _signed(cash: Cash) -> tuple[str, str, int]:
    amount = cash.amount if cash.purpose == "deposit" else -cash.amount
    return cash.purpose, cash.currency, amount
