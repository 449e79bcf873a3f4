"""Reads across all accounts: for an operator's reports, never for a command."""

from typing import Final

from service.store.database import Database

_ACCOUNT: Final = "SELECT account FROM log WHERE round = %s AND ver = 1"


def account_of(db: Database, round_id: str) -> str | None:
    """Find the account that holds a round's log; None if there is no such round.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_ACCOUNT, (round_id,))
    return found[0][0] if found else None
