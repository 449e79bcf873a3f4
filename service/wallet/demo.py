"""Demo money: the ledger's, whatever the operator's wallet is, and as good as any."""

from typing import Final

from service.chance import new_id
from service.currencies import exponent
from service.store.database import Database, clock
from service.store.errors import ReferenceUsed
from service.store.ledger import (
    Entry,
    Line,
    add,
    begin,
    find_reference,
    lock,
    write_entry,
)
from service.store.rows import Holder
from service.wallet.cash import Receipt

DEMO_UNITS: Final = 1_000
"""What a demo player begins with, in whole units of the currency."""


def demo_units(currency: str) -> int:
    """Return what a demo player begins with, in minor units.

    >>> demo_units("EUR"), demo_units("JPY")
    (100000, 1000)
    """
    return int(DEMO_UNITS * 10 ** exponent(currency))


def open_demo(db: Database, holder: Holder, currency: str, at: int) -> None:
    """Give a demo player his units, unless he has them. Call it within a transaction.

    Raises DatabaseUnavailable.
    """
    units = demo_units(currency)
    if begin(db, holder.account, currency, units):
        entry = _entry(holder, "demo", None, currency, units, units, at)
        write_entry(db, entry)


def refill(db: Database, holder: Holder, currency: str, key: str) -> Receipt:
    """Set a demo player's balance back up to his units, once for each key.

    A key is of one currency. A balance above them stays. Raises DatabaseUnavailable;
    then the same key finds out what happened.
    """
    reference = f"refill:{currency}:{key}"
    known = _known(db, holder.account, reference)
    if known is not None:
        return known
    try:
        return _refilled(db, holder, currency, reference)
    except ReferenceUsed:
        known = _known(db, holder.account, reference)
        assert known is not None, "lines of the ledger are never taken away"
        return known


def _known(db: Database, account: str, reference: str) -> Receipt | None:
    found = find_reference(db, account, reference)
    return found and Receipt(found.balance, found.at, replayed=True)


def _refilled(db: Database, holder: Holder, currency: str, reference: str) -> Receipt:
    with db.transaction():
        at = clock(db)
        open_demo(db, holder, currency, at)
        has = lock(db, holder.account, currency) or 0
        added = max(0, demo_units(currency) - has)
        balance = add(db, holder.account, currency, added)
        entry = _entry(holder, "refill", reference, currency, added, balance, at)
        write_entry(db, entry)
    return Receipt(balance, at, replayed=False)


def _entry(  # noqa: PLR0913, PLR0917 - what an entry says, in its order
    holder: Holder,
    purpose: str,
    reference: str | None,
    currency: str,
    amount: int,
    balance: int,
    at: int,
) -> Entry:
    lines = (Line("player", amount), Line("operator", -amount))
    where = (None, None, reference, currency)
    return Entry(holder, new_id(), purpose, *where, lines, balance, at)
