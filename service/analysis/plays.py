"""What each action is worth on every hand, best play, and the worth of given play.

Values are in initial wagers and still carry their row's weight (see weights).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from service.analysis.hands import BUST, OUTCOMES, Flags, Floats, Hands, Ints
from service.rules.cards import BLACKJACK, PAIR
from service.rules.table import TableRules

STAND: Final = 0
HIT: Final = 1
DOUBLE: Final = 2

Choose = Callable[[Ints, Floats, Floats, Floats], Ints]
"""Picks the actions of a layer: its rows, and the values of stand, hit and double."""


@dataclass(frozen=True, slots=True)
class Pays:
    """What a hand wins beyond its stake, in wagers, after a cap if one binds."""

    natural: float
    win: float
    doubled: float


@dataclass(frozen=True, slots=True)
class May:
    """What a hand may do beside standing, and whether its 21 can be a natural."""

    hit: bool
    double: bool
    natural: bool


@dataclass(frozen=True, slots=True)
class Values:
    """Per row: its weight, and what each action is worth; a last row of zeros.

    ``double`` is minus infinity where a hand may not; ``best`` is what the chosen
    ``action`` is worth.
    """

    mass: Floats
    stand: Floats
    hit: Floats
    double: Floats
    best: Floats
    action: Ints


def pays_of(table: TableRules, wager: Fraction | None = None) -> Pays:
    """Return what a table pays; with a wager, as a part of the maximum, after its cap.

    A cap by round joins hands together and is left out here.
    """
    natural = Fraction(*table.natural_pays)
    if wager is None or table.max_win is None or table.max_win.basis == "round":
        return Pays(float(natural), 1.0, 2.0)
    cap = Fraction(*table.max_win.multiple) / wager
    doubled = cap * 2 if table.max_win.basis == "stake" else cap
    return Pays(
        natural=float(min(natural + 1, cap) - 1),
        win=float(min(Fraction(2), cap) - 1),
        doubled=float(min(Fraction(4), doubled) - 2),
    )


def may_of(table: TableRules, split: int | None) -> May:
    """Return what a hand may do: unsplit, or one that a pair of that rank made."""
    if split is None:
        return May(hit=True, double=True, natural=True)
    natural = table.split_21 == "natural"
    if split == 1:
        return May(table.split_aces_hit, table.split_aces_double, natural)
    return May(hit=True, double=table.double_after_split, natural=natural)


def value(
    hands: Hands, outcomes: Floats, pays: Pays, may: May, choose: Choose
) -> Values:
    """Return the values of all rows when ``choose`` picks among the actions.

    ``outcomes`` are the weights of the rows. A hand of fewer than two cards draws.
    """
    child, size = hands.child[:-1], hands.size
    mass = outcomes.sum(axis=1)
    busted = mass[:-1] - mass[child].sum(axis=1)
    stand = _against(hands, outcomes, pays.win)
    if may.natural:
        natural = _naturals(hands)
        stand[natural] = mass[natural] * pays.natural
    double = np.full_like(stand, -np.inf)
    if may.double:
        twice = _against(hands, outcomes, pays.doubled, lose=2.0)
        pair = np.flatnonzero(size == PAIR)
        double[pair] = twice[child[pair]].sum(axis=1) - 2 * busted[pair]
    hit, best = np.zeros_like(stand), np.zeros_like(stand)
    action = np.where(size < PAIR, HIT, STAND)
    free = (size >= PAIR) & (hands.points != BLACKJACK)
    for rows in reversed(hands.layers):
        hit[rows] = best[child[rows]].sum(axis=1) - busted[rows]
        allowed = hit[rows] if may.hit else np.full(len(rows), -np.inf)
        picked = choose(rows, stand[rows], allowed, double[rows])
        action[rows] = picked = np.where(free[rows], picked, action[rows])
        worth = np.where(picked == HIT, hit[rows], double[rows])
        best[rows] = np.where(picked == STAND, stand[rows], worth)
    return Values(mass, stand, hit, double, best, np.append(action, STAND))


def best_of(_: Ints, stand: Floats, hit: Floats, double: Floats) -> Ints:
    """Choose what is worth most; the calmer action when two are worth the same."""
    found: Ints = np.argmax((stand, hit, double), axis=0)
    return found


def given(actions: Ints) -> Choose:
    """Choose as an array of actions says, a row each."""
    return lambda rows, *_: actions[rows]


def _against(hands: Hands, outcomes: Floats, win: float, lose: float = 1.0) -> Floats:
    """Return what standing is worth: outcomes won, less outcomes lost."""
    points = hands.points[:, None]
    ends = np.array(OUTCOMES)
    won: Flags = (ends == BUST) | (ends < points)
    lost: Flags = (ends != BUST) & (ends > points)
    found = np.einsum("ij,ij->i", outcomes[:-1], won * win - lost * lose)
    return np.append(found, 0.0)


def _naturals(hands: Hands) -> Ints:
    return np.flatnonzero((hands.points == BLACKJACK) & (hands.size == PAIR))
