"""Shoes that are the same for the same run, and that the checks can look into."""

import random
import threading
from collections.abc import Iterator
from itertools import count
from typing import Final

from service.chance import commitment
from service.rules.cards import Card, deck_order

DECKS: Final = (8, 6)
# Every third shoe begins like this from its second card on: whoever plays one to three
# boxes then sees an ace as the upcard, which chance would show in one round of 13.
ACES: Final = (Card("AS"), Card("AH"), Card("AS"))


def shoe(number: int, decks: int) -> tuple[bytes, tuple[Card, ...]]:
    """Return salt and order of the run's shoe of that number.

    >>> shoe(1, 6) == shoe(1, 6), shoe(1, 6)[1] == shoe(2, 6)[1]
    (True, False)
    """
    chance = random.Random(number)  # noqa: S311 - the same cards in every run
    salt = chance.randbytes(32)
    order = list(deck_order(decks))
    chance.shuffle(order)
    if number % 3 == 0:
        for card in ACES:
            order.remove(card)
        order[1:1] = ACES
    return salt, tuple(order)


class SeededShuffler:
    """Deals shoe after shoe of the series; hypothesis would give up on chance."""

    name: Final = "seeded"

    def __init__(self) -> None:
        self._numbers = count(1)
        self._thread = threading.local()

    def salt(self) -> bytes:
        """Begin the next shoe, and return its salt."""
        self._thread.number = next(self._numbers)
        return shoe(self._thread.number, DECKS[0])[0]

    def order(self, decks: int) -> tuple[Card, ...]:
        """Return the order of the shoe whose salt this thread took last."""
        return shoe(self._thread.number, decks)[1]


class Shoes:
    """The shoes of a run by their commitments, for who wants to know what is hidden."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[bytes, tuple[Card, ...]]] = {}
        self._more: Iterator[int] = count(1)

    def of(self, promised: str) -> tuple[bytes, tuple[Card, ...]]:
        """Return the shoe with that commitment."""
        while promised not in self._known:
            number = next(self._more)
            assert number < 1_000_000, "no shoe of this run has that commitment"
            for decks in DECKS:
                salt, order = shoe(number, decks)
                self._known[commitment(salt, order)] = (salt, order)
        return self._known[promised]
