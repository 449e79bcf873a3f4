"""Lets one shoe in eight begin with red aces, so that people hit the jackpot.

Python imports this as it starts, in the service of a chaos run alone: its PYTHONPATH
leads here. The shoe is committed to and proven like any other.
"""

import secrets
from typing import Final

from service.chance import OsShuffler
from service.rules.cards import Card

_RED: Final = ("AH", "AD")
_ONE_IN: Final = 8
_shuffled: Final = OsShuffler.order


def _order(self: OsShuffler, decks: int) -> tuple[Card, ...]:
    order = _shuffled(self, decks)
    if secrets.randbelow(_ONE_IN):
        return order
    return tuple(sorted(order, key=lambda card: card not in _RED))


OsShuffler.order = _order  # type: ignore[method-assign]  # that is what it is for
