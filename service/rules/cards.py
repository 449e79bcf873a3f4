"""Cards and what they are worth.

A card is two characters, rank and suit: ``"AS"`` is the ace of spades, ``"TD"`` the
ten of diamonds. Strings keep events readable and need no translation on the wire.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple, NewType, Protocol

Card = NewType("Card", str)

RANKS: Final = "A23456789TJQK"
SUITS: Final = "SHDC"
CARDS: Final = tuple(Card(rank + suit) for suit in SUITS for rank in RANKS)
BLACKJACK: Final = 21
TEN: Final = 10
PAIR: Final = 2
RED_SUITS: Final = frozenset("HD")

# An ace counts 1 here; total_of raises one ace to 11 where the hand allows it.
POINTS: Final = {
    card: "A23456789T".index(card[0]) + 1 if card[0] in "A23456789T" else TEN
    for card in CARDS
}


class Shoe(Protocol):
    """A shuffled shoe, whole and stored, or lazy and seeded for simulation."""

    def card_at(self, place: int) -> Card:
        """Return the card at a place, the first at 0; IndexError past the end."""


class Total(NamedTuple):
    """What a hand counts; ``soft`` when one of its aces counts 11."""

    points: int
    soft: bool


def total_of(cards: Iterable[Card]) -> Total:
    """Return the best total of a hand (all four documents, values of cards).

    >>> total_of([Card("5S"), Card("AS"), Card("AH"), Card("5D")])
    Total(points=12, soft=False)
    >>> total_of([Card("4S"), Card("AS"), Card("AH"), Card("5D")])
    Total(points=21, soft=True)
    """
    points = 0
    ace = False
    for card in cards:
        worth = POINTS[card]
        points += worth
        ace = ace or worth == 1
    if ace and points + 10 <= BLACKJACK:
        return Total(points + 10, soft=True)
    return Total(points, soft=False)


def plus(total: Total, card: Card) -> Total:
    """Return the total after one more card.

    >>> plus(Total(16, soft=True), Card("TS"))
    Total(points=16, soft=False)
    """
    worth = POINTS[card]
    low = total.points - 10 if total.soft else total.points
    low += worth
    if (total.soft or worth == 1) and low + 10 <= BLACKJACK:
        return Total(low + 10, soft=True)
    return Total(low, soft=False)


def is_ten(card: Card) -> bool:
    """Tell whether a card counts ten: a ten, jack, queen or king."""
    return POINTS[card] == TEN


def is_ace(card: Card) -> bool:
    """Tell whether a card is an ace."""
    return card[0] == "A"


def is_red(card: Card) -> bool:
    """Tell whether a card is a heart or a diamond."""
    return card[1] in RED_SUITS


def deck_order(decks: int) -> tuple[Card, ...]:
    """Return that many decks in factory order, 52 cards each.

    >>> len(deck_order(8)), deck_order(1)[0], deck_order(1)[-1]
    (416, 'AS', 'KC')
    """
    return CARDS * decks
