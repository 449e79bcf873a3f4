"""Sandboxes: an integrator names the cards that a round begins with.

It is for demo money of an operator marked so, and never in production; who may is
asked in service/dealing.py. A round that was dealt so says it for ever: its shuffler is
`sandbox`. Only the named cards are known: all others are shuffled as always.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from service.chance import Shuffler
from service.rules.cards import Card

NAME: Final = "sandbox"


class CardsNotInShoe(Exception):
    """A card is named more often than the shoe has it, which is `decks` times.

    `places` are those of the named cards that are too many, counted from 0.
    """

    def __init__(self, places: tuple[int, ...], decks: int) -> None:
        super().__init__(f"{len(places)} cards too many for {decks} decks")
        self.places: Final = places
        self.decks: Final = decks


class Sandbox:
    """A shuffler that lays named cards on top of a shoe that another one shuffles."""

    name: Final = NAME

    def __init__(self, cards: Sequence[Card], shuffler: Shuffler) -> None:
        self._cards = tuple(cards)
        self._shuffler = shuffler

    def order(self, decks: int) -> tuple[Card, ...]:
        """Return the named cards, and what is left of a shuffled shoe, in its order.

        Raises CardsNotInShoe.
        """
        _check(self._cards, decks)
        named = Counter(self._cards)
        rest = []
        for card in self._shuffler.order(decks):
            if named[card]:
                named[card] -= 1
            else:
                rest.append(card)
        return (*self._cards, *rest)

    def salt(self) -> bytes:
        """Draw a salt."""
        return self._shuffler.salt()


def _check(cards: Sequence[Card], decks: int) -> None:
    seen: Counter[Card] = Counter()
    over = []
    for place, card in enumerate(cards):
        seen[card] += 1
        if seen[card] > decks:
            over.append(place)
    if over:
        raise CardsNotInShoe(tuple(over), decks)
