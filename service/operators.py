"""The keys that an operator shares with us: made, shown once, and used to sign.

A signature is HMAC-SHA256, which needs the secret itself on both sides: a hash of it
would be as good as the secret. So it is sealed with the key ring that is not in the
database; the database alone can make no signature.
"""

import hashlib
import hmac
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from service.chance import new_secret
from service.sealing import KeyRing
from service.store.database import Database
from service.store.keys import OperatorKey, Use, good_keys
from service.store.operators import OperatorRow

FRESH_SECONDS: Final = 5
UNKNOWN_SECONDS: Final = 1
"""So often it is looked whether a key that is not known has come meanwhile."""
_SECRET_BYTES: Final = 32
_ID_BYTES: Final = 6


def signature(secret: str, message: bytes) -> str:
    """Return the hex HMAC-SHA256 of a message; the key is the secret's own text.

    >>> signature("key", b"The quick brown fox jumps over the lazy dog")[:16]
    'f7bc83f430538424'
    """
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


def new_key(ring: KeyRing, operator: str, use: Use) -> tuple[OperatorKey, str]:
    """Make a key: what to keep of it, and its secret, to be shown once."""
    key_id = f"{use[0]}-{new_secret(_ID_BYTES).hex()}"
    secret = new_secret(_SECRET_BYTES).hex()
    sealed = ring.seal_secret(secret.encode(), operator, key_id)
    return OperatorKey(operator, key_id, use, sealed), secret


class SandboxRefused(Exception):
    """A production configuration serves no operator who is a sandbox."""


def refuse_sandboxes(operators: Iterable[OperatorRow]) -> None:
    """Raise SandboxRefused if one of the operators is a sandbox that is not retired."""
    found = [row.operator for row in operators if row.sandbox and not row.retired]
    if found:
        raise SandboxRefused(
            f"production serves no sandbox operator; there is {', '.join(found)} "
            "(`upcard operators remove NAME`)"
        )


class OperatorKeys:
    """The operators' good keys, read again when they may have grown old.

    A key made while the service runs is known within `UNKNOWN_SECONDS`, one ended is so
    within `FRESH_SECONDS`. Secrets are opened when they are needed and kept nowhere.
    """

    def __init__(
        self,
        database: Database,
        ring: KeyRing,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._ring = ring
        self._clock = clock
        self._read_at = -float("inf")
        self._keys: Sequence[OperatorKey] = ()

    def secret(self, operator: str, key_id: str, use: Use) -> str | None:
        """Return a key's secret; None if there is no such key, or it has ended.

        Raises DatabaseUnavailable, or SealBroken.
        """
        for seconds in (FRESH_SECONDS, UNKNOWN_SECONDS):
            for key in self._of(operator, use, seconds):
                if key.key_id == key_id:
                    return self._opened(key)
        return None

    def current(self, operator: str, use: Use) -> str | None:
        """Return the secret to sign with; None without one.

        It is that of the oldest good key: a new one is used when the old one is ended,
        so that the other side can be told of it first.

        Raises DatabaseUnavailable, or SealBroken.
        """
        key = next(self._of(operator, use, FRESH_SECONDS), None)
        return key and self._opened(key)

    def _of(self, operator: str, use: Use, seconds: int) -> Iterator[OperatorKey]:
        if self._clock() - self._read_at >= seconds:
            self._keys = good_keys(self._database)
            self._read_at = self._clock()
        return (key for key in self._keys if (key.operator, key.use) == (operator, use))

    def _opened(self, key: OperatorKey) -> str:
        return self._ring.open_secret(key.secret, key.operator, key.key_id).decode()
