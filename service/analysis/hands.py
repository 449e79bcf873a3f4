"""Every hand that a player can hold, and every hand that a dealer can end with.

Both as arrays, made once: what differs between tables and upcards is their weight.
"""

from collections import Counter
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.analysis.ranks import ACE, RANKS, Counts, low_total, total
from service.rules.cards import BLACKJACK, TEN, Total
from service.rules.settle import dealer_draws
from service.rules.table import TableRules

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

EMPTY: Final[Counts] = (0,) * TEN
BUST: Final = 22
OUTCOMES: Final = (17, 18, 19, 20, 21, BUST)


class Hands(NamedTuple):
    """The hands that grow out of a base, one row each; the last row is "no hand".

    ``drawn`` is what was drawn to the base; ``child[row, rank - 1]`` is the row after
    one more card, or the last row when that busts; ``layers`` are the rows by what
    they count with aces as one, smallest first: a card always leads to a later layer.
    """

    hands: tuple[Counts, ...]
    row: dict[Counts, int]
    drawn: Ints
    points: Ints
    soft: Flags
    size: Ints
    child: Ints
    layers: tuple[Ints, ...]


class Finals(NamedTuple):
    """A dealer's final hands out of an upcard: what was drawn, hole card first.

    ``orders`` counts the orders in which the cards make that hand and no earlier end.
    """

    drawn: Ints
    orders: Floats
    outcome: Ints


@cache
def hands_from(base: int | None) -> Hands:
    """Return the hands that grow out of one card of a rank, or out of nothing."""
    start = EMPTY if base is None else plus(EMPTY, base)
    hands = [start]
    row = {start: 0}
    for hand in hands:  # it grows while it is walked: each hand once
        for rank in RANKS:
            longer = plus(hand, rank)
            if low_total(longer) <= BLACKJACK and longer not in row:
                row[longer] = len(hands)
                hands.append(longer)
    last = len(hands)
    child = np.full((last + 1, TEN), last)
    for hand, place in row.items():
        child[place] = [row.get(plus(hand, rank), last) for rank in RANKS]
    low = np.array([low_total(hand) for hand in hands])
    totals = [total(hand) for hand in hands]
    return Hands(
        hands=tuple(hands),
        row=row,
        drawn=np.array(hands) - np.array(start),
        points=np.array([points for points, _ in totals]),
        soft=np.array([soft for _, soft in totals]),
        size=np.array([sum(hand) for hand in hands]),
        child=child,
        layers=tuple(
            np.flatnonzero(low == value)
            for value in range(BLACKJACK + 1)
            if (low == value).any()
        ),
    )


def finals_from(upcard: int, table: TableRules) -> Finals:
    """Return the dealer's final hands; a natural is not one, the peek excludes it."""
    paths = Counter({EMPTY: 1})
    ends: Counter[Counts] = Counter()
    while paths:
        longer: Counter[Counts] = Counter()
        for drawn, orders in paths.items():
            for rank in RANKS:
                if drawn == EMPTY and rank == hidden_never(upcard):
                    continue
                more = plus(drawn, rank)
                shown = Total(*total(plus(more, upcard)))
                (longer if dealer_draws(table, shown) else ends)[more] += orders
        paths = longer
    outcomes = [min(total(plus(drawn, upcard))[0], BUST) for drawn in ends]
    return Finals(
        drawn=np.array(list(ends)),
        orders=np.array(list(ends.values()), dtype=np.float64),
        outcome=np.array([OUTCOMES.index(outcome) for outcome in outcomes]),
    )


def hidden_never(upcard: int) -> int | None:
    """Return the rank that a hole card is not, once the dealer has peeked.

    >>> hidden_never(1), hidden_never(10), hidden_never(9)
    (10, 1, None)
    """
    return {ACE: TEN, TEN: ACE}.get(upcard)


def plus(hand: Counts, rank: int) -> Counts:
    """Return a hand after one more card."""
    return (*hand[: rank - 1], hand[rank - 1] + 1, *hand[rank:])
