"""Reads across all accounts: for an operator's reports, never for a command."""

from typing import Final

from service.store.database import Database

_ACCOUNT: Final = "SELECT account FROM log WHERE round = %s AND ver = 1"

_ARCHIVED: Final = """
SELECT log_account, archived_in FROM round WHERE round = %s AND archived_in IS NOT NULL
"""


def archived_round(db: Database, round_id: str) -> tuple[str, str] | None:
    """Find the account of a round whose log is in a file, and the file's name.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_ARCHIVED, (round_id,))
    return found[0] if found else None


def account_of(db: Database, round_id: str) -> str | None:
    """Find the account that holds a round's log; None if there is no such round.

    Raises:
        DatabaseUnavailable: no answer.
    """
    found = db.read(_ACCOUNT, (round_id,))
    return found[0][0] if found else None
