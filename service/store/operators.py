"""The operators and their keys, as the service reads them."""

from typing import Final, NamedTuple

from service.store.database import Database

_ALL: Final = """
SELECT operator, wallet, wallet_url, sandbox FROM operator ORDER BY operator
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
