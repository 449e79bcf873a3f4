"""Operators' keys, their secrets sealed, and the numbers of their signed requests."""

from typing import Final, Literal, NamedTuple

from service.sealing import SealedSecret
from service.store.database import Database

Use = Literal["request", "wallet"]

_GOOD: Final = """
SELECT operator, key_id, use, ring_key, nonce, sealed, made_at, ends_at
FROM operator_key WHERE ends_at IS NULL OR ends_at > now()
ORDER BY operator, use, made_at, key_id
"""

_ADD: Final = """
INSERT INTO operator_key (operator, key_id, use, ring_key, nonce, sealed)
VALUES (%s, %s, %s, %s, %s, %s)
"""

_END: Final = """
UPDATE operator_key SET ends_at = now()
WHERE operator = %s AND key_id = %s AND (ends_at IS NULL OR ends_at > now())
"""

_TAKE_NONCE: Final = """
INSERT INTO request_nonce (operator, nonce)
SELECT %s, %s WHERE abs(extract(epoch FROM now()) - %s::bigint) <= %s
"""


class OperatorKey(NamedTuple):
    """A key that an operator shares with us; times in microseconds since 1970 UTC."""

    operator: str
    key_id: str
    use: Use
    """"request" signs what he asks of us, "wallet" what we ask of his wallet."""
    secret: SealedSecret
    made_at: int = 0
    ends_at: int | None = None


def good_keys(db: Database) -> list[OperatorKey]:
    """List the keys that are good now; of each operator and use the oldest first.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return [
        OperatorKey(operator, key_id, use, SealedSecret(*sealed), *times)
        for operator, key_id, use, sealed, times in (
            (*row[:3], row[3:6], row[6:]) for row in db.read(_GOOD)
        )
    ]


def add_key(db: Database, key: OperatorKey) -> None:
    """Keep a new key. Needs the owner's role.

    Raises:
        DatabaseUnavailable: no answer.
    """
    db.write(_ADD, (key.operator, key.key_id, key.use, *key.secret))


def end_key(db: Database, operator: str, key_id: str) -> bool:
    """End a key now; False when there is no good one. Needs the owner's role.

    Raises:
        DatabaseUnavailable: no answer.
    """
    return db.write(_END, (operator, key_id)) == 1


def take_nonce(
    db: Database, operator: str, nonce: str, timestamp: int, leeway: int
) -> bool:
    """Take the number of a signed request, which is good once.

    False: its time, in seconds since 1970 UTC, is more than `leeway` seconds from the
    database's, and the number is not taken.

    Raises:
        NonceUsed: it was taken before.
        DatabaseUnavailable: no answer; it may have been taken.
    """
    return db.write(_TAKE_NONCE, (operator, nonce, timestamp, leeway)) == 1
