"""Rows that nobody needs any more. For jobs: across all accounts."""

from typing import Final

from service.store.database import Database

_SWEEP: Final = """
DELETE FROM request_nonce WHERE (operator, nonce) IN (
    SELECT operator, nonce FROM request_nonce
    WHERE at < now() - %s * interval '1 second' LIMIT %s FOR UPDATE SKIP LOCKED
)
"""

_OLD: Final = """
SELECT count(*) FROM request_nonce WHERE at < now() - %s * interval '1 second'
"""


def sweep_nonces(db: Database, older: int, most: int) -> int:
    """Delete up to `most` numbers that are older than some seconds; say how many.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return db.write(_SWEEP, (older, most))


def count_old_nonces(db: Database, older: int) -> int:
    """Count the numbers that are older than some seconds.

    Raises:
        DatabaseUnavailable: no answer.
    """
    ((count,),) = db.read(_OLD, (older,))
    return int(count)
