"""Chance: the only module of the service that draws random numbers.

Every number of a game comes from the operating system's CSPRNG. There is no seed:
eight decks have 416!/(8!^52) orders, far more than a seed of 256 bits could reach.
Only a simulation has one, so that it can be repeated; it deals to nobody.
"""

import hashlib
import os
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol, Self, TypeVar

import uuid_utils

from service.rules.cards import Card, deck_order

SALT_BYTES: Final = 32
NONCE_BYTES: Final = 12
"""The nonce size of AES-GCM (NIST SP 800-38D, 8.2)."""

_WORD_BYTES: Final = 4
_WORDS: Final = 1 << (8 * _WORD_BYTES)
_BATCH_BYTES: Final = 512 * _WORD_BYTES
"""One read serves a shoe of eight decks, which takes 415 numbers."""

_Item = TypeVar("_Item")

Below = Callable[[int], int]
"""Gives a number from 0 up to, not including, its argument; all equally likely."""


def below_from(entropy: Callable[[int], bytes]) -> Below:
    r"""Make an unbiased source of bounded numbers out of a source of bytes.

    A 32-bit word at or above the largest multiple of the bound is thrown away,
    so that the remainder favours no number. Reading 512 words at once makes a
    shoe of eight decks in a fifth of the time that `secrets.randbelow` takes.

    The returned function keeps what it has read: use one per shuffle, never
    one for two threads or across a fork.

    >>> words = [b"\xff\xff\xff\xff", b"\x05\x05\x05\x05"]
    >>> below = below_from(lambda size: b"".join(words))
    >>> below(3)  # 2**32 - 1 is one too many to be fair to 0, 1 and 2
    2
    """
    words: Iterator[int] = iter(())

    def below(bound: int) -> int:
        nonlocal words
        fair = _WORDS - _WORDS % bound
        while True:
            for word in words:
                if word < fair:
                    return word % bound
            words = iter(memoryview(entropy(_BATCH_BYTES)).cast("I"))

    return below


def shuffled(items: Sequence[_Item], below: Below) -> list[_Item]:
    """Put `items` in an order of chance: Fisher-Yates (Knuth, TAOCP 3.4.2, P).

    Each of the n! sequences of numbers makes another order, so the orders are
    exactly as likely as the numbers of `below`. The bound is `last + 1`: an
    item may stay in its place (with `last` it never could).

    >>> shuffled("ABC", lambda bound: bound - 1)
    ['A', 'B', 'C']
    """
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        chosen = below(last + 1)
        order[last], order[chosen] = order[chosen], order[last]
    return order


class Shuffler(Protocol):
    """Makes shoes. `name` is recorded in each round that it dealt."""

    @property
    def name(self) -> str:
        """A short stable name, as in the event `round_opened`."""
        ...

    def order(self, decks: int) -> tuple[Card, ...]:
        """All cards of a new shoe, in the order in which they will be dealt."""
        ...

    def salt(self) -> bytes:
        """`SALT_BYTES` bytes that hide the order inside the commitment."""
        ...


class OsShuffler:
    """The one shuffler for real money: each shoe whole, from the CSPRNG."""

    name: Final = "os-csprng"

    def order(self, decks: int) -> tuple[Card, ...]:
        """Shuffle `decks` decks of 52 cards."""
        return tuple(shuffled(deck_order(decks), below_from(os.urandom)))

    def salt(self) -> bytes:
        """Draw a salt."""
        return os.urandom(SALT_BYTES)


def seeded_for_simulation(seed: str) -> Callable[[], float]:
    """Return a repeatable source of numbers from 0 up to, not including, 1.

    A Mersenne Twister: even enough for statistics, foreseeable, and so never for play.

    >>> seeded_for_simulation("1")() == seeded_for_simulation("1")()
    True
    """
    return random.Random(seed).random  # noqa: S311 - a simulation is to be repeatable


def new_id() -> str:
    """Make a UUIDv7 in lower-case text: ids sort by the millisecond of making.

    Safe after a fork: uuid-utils reseeds itself in the child.
    """
    return str(uuid_utils.uuid7())


def new_secret(size: int) -> bytes:
    """Draw `size` bytes for a key."""
    return os.urandom(size)


def new_nonce() -> bytes:
    """Draw a nonce for one sealing.

    With nonces of chance one key may seal at most 2**32 shoes (NIST SP
    800-38D, 8.3); then the ring needs a new current key.
    """
    return os.urandom(NONCE_BYTES)


def new_pause(shortest: int) -> int:
    """Draw a pause from `shortest` up to twice that, in the same unit.

    So that many who failed together do not come back together.
    """
    return shortest + int.from_bytes(os.urandom(_WORD_BYTES)) % (shortest + 1)


def commitment(salt: bytes, order: Sequence[str]) -> str:
    """Commit to a shoe: hex SHA-256 of the salt, then two ASCII letters a card.

    `order` may be the cards or the string of them.

    >>> commitment(bytes(32), ["AS", "TD"]) == commitment(bytes(32), "ASTD")
    True
    """
    text = order if isinstance(order, str) else "".join(order)
    return hashlib.sha256(salt + text.encode("ascii")).hexdigest()


class WholeShoe(NamedTuple):
    """A shoe with all its cards: the only value in the service that knows them.

    `order` is text, two characters a card: so a command that shows one card
    need not build 416 of them.
    """

    salt: bytes
    order: str

    @classmethod
    def new(cls, shuffler: Shuffler, decks: int) -> Self:
        """Shuffle a new shoe."""
        return cls(shuffler.salt(), "".join(shuffler.order(decks)))

    @property
    def commitment(self) -> str:
        """What the deal tells the player about this shoe."""
        return commitment(self.salt, self.order)

    def card_at(self, place: int) -> Card:
        """Give the card at `place`, counted from 0.

        Raises IndexError before the first and past the last card.

        >>> WholeShoe(bytes(32), "ASTD").card_at(1)
        'TD'
        """
        if not 0 <= 2 * place < len(self.order):
            raise IndexError(f"no card at place {place} of {self!r}")
        return Card(self.order[2 * place : 2 * place + 2])

    def __repr__(self) -> str:
        """Name the size only: a shoe in a log or traceback must show no card."""
        return f"<WholeShoe of {len(self.order) // 2} cards>"
