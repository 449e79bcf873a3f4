"""Ranks and shoes as the maths sees them: ten ranks, a shoe is how many of each.

An ace is rank 1, and all ten-value cards are rank 10. A hand is a tuple of ten counts.
"""

from typing import Final

from service.rules.cards import BLACKJACK, TEN
from service.rules.table import RANKS_OF_TEN, SUITS

ACE: Final = 1
RANKS: Final = tuple(range(ACE, TEN + 1))
LABELS: Final = dict(zip(RANKS, "A23456789T", strict=True))

Counts = tuple[int, ...]

_SOFT: Final = 10


def full_shoe(decks: int) -> Counts:
    """Return how many cards of each rank that many decks hold.

    >>> full_shoe(8)
    (32, 32, 32, 32, 32, 32, 32, 32, 32, 128)
    """
    few, many = decks * SUITS, decks * SUITS * RANKS_OF_TEN
    return tuple(many if rank == TEN else few for rank in RANKS)


def without(shoe: Counts, rank: int, count: int = 1) -> Counts:
    """Return a shoe after some cards of a rank have left it."""
    return tuple(
        held - count if rank == other else held
        for other, held in zip(RANKS, shoe, strict=True)
    )


def low_total(hand: Counts) -> int:
    """Return what a hand counts with every ace as one."""
    return sum(rank * held for rank, held in zip(RANKS, hand, strict=True))


def total(hand: Counts) -> tuple[int, bool]:
    """Return a hand's best total, and whether an ace in it counts eleven.

    >>> total((1, 0, 0, 0, 0, 1, 0, 0, 0, 0))
    (17, True)
    """
    low = low_total(hand)
    soft = hand[0] > 0 and low + _SOFT <= BLACKJACK
    return (low + _SOFT, True) if soft else (low, False)
