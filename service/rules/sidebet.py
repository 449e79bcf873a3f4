"""The consecutive-aces bonus (document 000, bonus payout; decision 19)."""

from collections.abc import Mapping, Sequence

from service.rules.cards import Card, is_ace, is_red
from service.rules.table import JACKPOT_LINE

MOST_ACES = 4
_COUNTED = {2: "two", 3: "three", 4: "four"}


def run_of(cards: Sequence[Card]) -> tuple[Card, ...]:
    """Return the aces at the start of a hand, at most four.

    >>> run_of([Card("AS"), Card("AH"), Card("9D"), Card("AC")])
    ('AS', 'AH')
    """
    run: tuple[Card, ...] = ()
    for card in cards[:MOST_ACES]:
        if not is_ace(card):
            break
        run = (*run, card)
    return run


def run_is_over(cards: Sequence[Card]) -> bool:
    """Tell whether no later card can lengthen the run."""
    return len(cards) >= MOST_ACES or len(run_of(cards)) < len(cards)


def best_line(cards: Sequence[Card], pays: Mapping[str, int]) -> str | None:
    """Return the best paid line that the run has passed through, or None.

    Suited is all of one suit; four of one colour, also of one suit, is the jackpot.

    >>> pays = {"two_suited_aces": 100, "two_unsuited_aces": 25}
    >>> best_line([Card("AS"), Card("AS"), Card("KD")], pays)
    'two_suited_aces'
    >>> best_line([Card("AS"), Card("KD")], pays) is None
    True
    """
    run = run_of(cards)
    lines = [_line(run[:length]) for length in range(2, len(run) + 1)]
    return max(lines, key=pays.__getitem__, default=None)


def _line(run: Sequence[Card]) -> str:
    if len(run) == MOST_ACES and len({is_red(card) for card in run}) == 1:
        return JACKPOT_LINE
    suited = len({card[1] for card in run}) == 1
    return f"{_COUNTED[len(run)]}_{'suited' if suited else 'unsuited'}_aces"
