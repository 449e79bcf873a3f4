"""The operators and their keys, as the service reads them."""

from typing import Final, NamedTuple

from service.store.database import Database

_ALL: Final = """
SELECT operator, wallet, wallet_url, sandbox FROM operator ORDER BY operator
"""


_ADD: Final = """
INSERT INTO operator (operator, wallet, wallet_url, sandbox) VALUES (%s, %s, %s, %s)
ON CONFLICT (operator) DO NOTHING
"""


class OperatorRow(NamedTuple):
    """A casino platform: who keeps its players' money, and where."""

    operator: str
    wallet: str
    """"ledger" or "seamless"."""
    wallet_url: str | None
    sandbox: bool


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
    return db.write(_ADD, row) == 1
