"""Players' PINs: set by their operator, and tried by them a few times.

A PIN of four digits is found by trying all 10,000. So it may be tried five times, then
it is locked for a while; what is kept of it is an argon2id hash, sealed with the key
ring that is not in the database. It stands in no log, no answer and no digest.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError

from service.chance import new_secret
from service.sealing import KeyRing, SealedSecret
from service.store import pins
from service.store.database import Database, clock
from service.store.significant import Significant, note

MOST_TRIES: Final = 5
LOCKED_SECONDS: Final = 15 * 60
_SALT_BYTES: Final = 16
_AT_A_TIME: Final = 2
"""Hashes that one process makes at once: each takes 19 MiB, and a core for a while."""


class PinNotSet(Exception):
    """The player has no PIN, so he can't confirm anything with it."""


class PinWrong(Exception):
    """It is another PIN; ``tries_left`` is how often another one may be tried."""

    def __init__(self, tries_left: int) -> None:
        super().__init__(f"{tries_left} tries left")
        self.tries_left = tries_left


class PinLocked(Exception):
    """It was wrong too often; ``seconds`` is how long none is looked at."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"locked for {seconds} s")
        self.seconds = seconds


class PinsBusy(Exception):
    """This process looks at as many PINs as it does at a time; try in a moment.

    Nobody waits for his turn: the threads that play would run out.
    """


class Pins:
    """Sets and checks PINs. Safe for several threads."""

    def __init__(self, database: Database, ring: KeyRing) -> None:
        self._database = database
        self._ring = ring
        # OWASP's first choice for argon2id: 19 MiB, two passes, one lane.
        self._hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
        self._turns = BoundedSemaphore(_AT_A_TIME)

    def set(self, who: str, operator: str, player: str, pin: str | None) -> None:
        """Set a player's PIN anew, with all its tries; None takes it away.

        `who` does it is noted, and whether there is one before and after. Raises
        PinsBusy or DatabaseUnavailable.
        """
        db, whose = self._database, (operator, player)
        sealed = None if pin is None else self._sealed(operator, player, pin)
        with db.transaction():
            before = pins.hold_pin(db, *whose)
            if sealed is not None:
                pins.set_pin(db, *whose, sealed)
            elif before:
                pins.remove_pin(db, *whose)
            else:
                return
            event = Significant("pin_set", clock(db), who, operator, player=player)
            was, now = {"is_set": before}, {"is_set": sealed is not None}
            note(db, event._replace(before=was, after=now))

    def check(self, operator: str, player: str, pin: str) -> None:
        """See that it is the player's PIN.

        Raises PinNotSet, PinWrong, PinLocked, PinsBusy, DatabaseUnavailable, or
        SealBroken.
        """
        db, whose = self._database, (operator, player)
        with self.turn():
            begun = pins.begin_try(db, *whose, MOST_TRIES, LOCKED_SECONDS)
            if begun is None:
                seconds = pins.locked_for(db, *whose)
                raise PinNotSet if seconds is None else PinLocked(seconds)
            kept = self._ring.open_secret(begun.secret, operator, _name(player))
            try:
                self._hasher.verify(kept.decode(), pin)
            except VerifyMismatchError:
                raise PinWrong(MOST_TRIES - begun.number) from None
        pins.try_was_right(db, *whose, begun.secret)

    def _sealed(self, operator: str, player: str, pin: str) -> SealedSecret:
        with self.turn():
            kept = self._hasher.hash(pin, salt=new_secret(_SALT_BYTES)).encode()
        return self._ring.seal_secret(kept, operator, _name(player))

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Take a turn at hashing. Raises PinsBusy."""
        if not self._turns.acquire(blocking=False):
            raise PinsBusy
        try:
            yield
        finally:
            self._turns.release()


def _name(player: str) -> str:
    """Return what a PIN's seal is bound to beside the operator."""
    return f"pin of {player}"
