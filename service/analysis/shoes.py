"""The shoe of a simulation: shuffled only as far as it is dealt."""

from collections.abc import Callable

from service.rules.cards import Card, deck_order


class LazyShoe:
    """A shoe whose card falls when it is asked for: a Fisher-Yates shuffle, forwards.

    The chance of a card is off by at most one part in 2**44: ``draw`` gives numbers
    of 53 bits for at most 416 cards.
    """

    def __init__(self, decks: int, draw: Callable[[], float]) -> None:
        """Begin with a fresh shoe; ``draw`` gives numbers from 0 up to 1."""
        self._order = list(deck_order(decks))
        self._draw = draw
        self._known = 0

    def card_at(self, place: int) -> Card:
        """Return the card at a place, the first at 0; IndexError past the end."""
        order, known = self._order, self._known
        while known <= place:
            other = known + int(self._draw() * (len(order) - known))
            order[known], order[other] = order[other], order[known]
            known += 1
            self._known = known
        return order[place]

    def shuffle(self) -> None:
        """Put all cards back: any order is as good a start as any other."""
        self._known = 0
