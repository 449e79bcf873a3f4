"""The operators, and what each changed of the tables."""

from typing import Final, NamedTuple

from service.store.database import Database

_ALL: Final = """
SELECT operator, wallet, wallet_url, sandbox, retired_at IS NOT NULL FROM operator
ORDER BY operator
"""

_ADD: Final = """
INSERT INTO operator (operator, wallet, wallet_url, sandbox) VALUES (%s, %s, %s, %s)
ON CONFLICT (operator) DO NOTHING
"""

_HOLD: Final = """
SELECT operator, wallet, wallet_url, sandbox, retired_at IS NOT NULL FROM operator
WHERE operator = %s FOR UPDATE
"""

_SET_WALLET: Final = """
UPDATE operator SET wallet = %s, wallet_url = %s WHERE operator = %s
"""

_OFFERS: Final = """
SELECT operator, table_id, currency, enabled, minimum, maximum, exposure FROM offer
WHERE operator = %s ORDER BY table_id, currency
"""

_OFFERS_OF_TABLE: Final = """
SELECT operator, table_id, currency, enabled, minimum, maximum, exposure FROM offer
WHERE table_id = %s ORDER BY operator, currency
"""

_SET_OFFER: Final = """
INSERT INTO offer (operator, table_id, currency, enabled, minimum, maximum, exposure)
VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (operator, table_id, currency) DO UPDATE SET enabled = excluded.enabled,
    minimum = excluded.minimum, maximum = excluded.maximum, exposure = excluded.exposure
"""

_DROP_OFFER: Final = """
DELETE FROM offer WHERE operator = %s AND table_id = %s AND currency = %s
"""

_BEGIN_OFFER: Final = """
INSERT INTO offer (operator, table_id, currency) VALUES (%s, %s, %s)
ON CONFLICT (operator, table_id, currency) DO NOTHING
"""

_HOLD_OFFER: Final = """
SELECT operator, table_id, currency, enabled, minimum, maximum, exposure FROM offer
WHERE operator = %s AND table_id = %s AND currency = %s FOR UPDATE
"""


class OperatorRow(NamedTuple):
    """A casino platform: who keeps its players' money, and where."""

    operator: str
    wallet: str
    """"ledger" or "seamless"."""
    wallet_url: str | None
    sandbox: bool
    retired: bool = False
    """A sandbox that is done with: nobody is let in, and its rounds stay."""


def all_operators(db: Database) -> list[OperatorRow]:
    """List all operators by name.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [OperatorRow(*row) for row in db.read(_ALL)]


def add_operator(db: Database, row: OperatorRow) -> bool:
    """Add an operator; False when there is one of that name. Needs the owner's role.

    Raises:
        DatabaseUnavailable: no answer.
    """
    values = (row.operator, row.wallet, row.wallet_url, row.sandbox)
    return db.write(_ADD, values) == 1


def hold_operator(db: Database, operator: str) -> OperatorRow | None:
    """Return an operator and lock its row. Needs the owner's role.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.change(_HOLD, (operator,))
    return OperatorRow(*found[0]) if found else None


def set_wallet(db: Database, row: OperatorRow) -> None:
    """Put the wallet of an operator and its address in force. Needs the owner's role.

    Raises:
        DatabaseUnavailable: no answer.
    """
    db.write(_SET_WALLET, (row.wallet, row.wallet_url, row.operator))


class Offer(NamedTuple):
    """What an operator changed of a table in a currency; None is as the table says.

    Money is in minor units.
    """

    operator: str
    table_id: str
    currency: str
    enabled: bool = True
    minimum: int | None = None
    maximum: int | None = None
    exposure: int | None = None
    """The most that a round may put at stake."""


def offers_of(db: Database, operator: str) -> list[Offer]:
    """List what an operator changed, by table and currency.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [Offer(*row) for row in db.read(_OFFERS, (operator,))]


def offers_of_table(db: Database, table_id: str) -> list[Offer]:
    """List what operators changed of a table, by operator and currency.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [Offer(*row) for row in db.read(_OFFERS_OF_TABLE, (table_id,))]


def hold_offer(db: Database, operator: str, table_id: str, currency: str) -> Offer:
    """Return what is offered, and keep it so until the transaction ends.

    Raises:
        DatabaseUnavailable: no answer.
    """
    which = (operator, table_id, currency)
    db.write(_BEGIN_OFFER, which)
    while not (found := db.read(_HOLD_OFFER, which)):
        db.write(_BEGIN_OFFER, which)  # who held it has dropped it
    return Offer(*found[0])


def set_offer(db: Database, offer: Offer) -> None:
    """Put an offer in force for new rounds; one that changes nothing is dropped.

    Raises:
        DatabaseUnavailable: no answer; it may be in force.
    """
    if offer == Offer(*offer[:3]):
        db.write(_DROP_OFFER, offer[:3])
    else:
        db.write(_SET_OFFER, offer)
