"""The one list of what may be done now, by whom, for how much.

``decide`` accepts exactly what stands here, and a player is shown the same list.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Literal, NamedTuple, assert_never

from service.rules.cards import BLACKJACK, PAIR, POINTS, is_ace, is_ten
from service.rules.round import Box, Hand, Round, is_natural

Action = Literal["hit", "stand", "double", "split"]
ACTIONS: tuple[Action, ...] = ("hit", "stand", "double", "split")
Reason = Literal[
    "not_two_cards", "not_a_pair", "split_limit", "split_aces", "double_after_split"
]

WHY: Mapping[Reason, str] = {
    "not_two_cards": "that goes with the first two cards only",
    "not_a_pair": "its two cards are no pair at this table",
    "split_limit": "its box has as many hands as this table allows",
    "split_aces": "this table does not allow it on split aces",
    "double_after_split": "this table has no double after a split",
}


class LegalAction(NamedTuple):
    """One command that will be accepted: what it adds to the stake, in minor units.

    ``max_payout`` is given where the table's cap would cut the best outcome: the
    most that the hand (or, with a cap by round, the round) can then be paid.
    """

    command: Literal["insure", "act", "settle"]
    hand: str | None
    action: Action | None
    boxes: tuple[int, ...] | None
    cost: int
    max_payout: int | None


def legal_actions(round_: Round, player: str | None = None) -> tuple[LegalAction, ...]:
    """Return every command that is legal now, for one player or for anyone."""
    match round_.status:
        case "insurance":
            return tuple(_insurance(round_, player))
        case "playing":
            hand = round_.active_hand
            if hand is None or player not in (None, box_of(round_, hand).player):
                return ()
            return tuple(
                LegalAction(
                    "act", hand.name, action, None, *_money(round_, hand, action)
                )
                for action in ACTIONS
                if why_not(round_, hand, action) is None
            )
        case "awaiting_settlement":
            return (LegalAction("settle", None, None, None, 0, None),)
        case "settled" | "void" | "malfunction":
            return ()
        case _:
            assert_never(round_.status)


def why_not(round_: Round, hand: Hand, action: Action) -> Reason | None:
    """Return why the active hand may not do an action, or None when it may."""
    match action:
        case "stand":
            return None
        case "hit":
            table = round_.opened.table
            closed = hand.split == "aces" and not table.split_aces_hit
            return "split_aces" if closed else None
        case "double":
            return _why_no_double(round_, hand)
        case "split":
            return _why_no_split(round_, hand)
        case _:
            assert_never(action)


def _why_no_double(round_: Round, hand: Hand) -> Reason | None:
    table = round_.opened.table
    if len(hand.cards) != PAIR:
        return "not_two_cards"
    if hand.split == "aces" and not table.split_aces_double:
        return "split_aces"
    if hand.split != "no" and not table.double_after_split:
        return "double_after_split"
    return None


def _why_no_split(round_: Round, hand: Hand) -> Reason | None:
    table = round_.opened.table
    if len(hand.cards) != PAIR:
        return "not_two_cards"
    first, second = hand.cards
    same_rank = first[0] == second[0]
    if not same_rank and (table.split_on == "rank" or POINTS[first] != POINTS[second]):
        return "not_a_pair"
    if hand.split == "aces" and is_ace(second) and not table.split_aces_resplit:
        return "split_aces"
    hands = sum(other.box == hand.box for other in round_.hands)
    return "split_limit" if hands >= table.split_hands else None


def stands_by_itself(round_: Round, hand: Hand) -> bool:
    """Tell whether an open hand has nothing to decide (decision 12, document 002).

    A natural, a 21 where the table says so, or a hand that may do nothing but stand.
    """
    if is_natural(round_, hand):
        return True
    if hand.total.points == BLACKJACK and round_.opened.table.stand_on_21:
        return True
    return all(action == "stand" or why_not(round_, hand, action) for action in ACTIONS)


def box_of(round_: Round, hand: Hand) -> Box:
    """Return the box that a hand belongs to."""
    return next(box for box in round_.boxes if box.box == hand.box)


def unanswered(round_: Round, player: str | None = None) -> tuple[Box, ...]:
    """Return the boxes, of one player or of all, that have not answered insurance."""
    return tuple(
        box
        for box in round_.boxes
        if box.insurance is None and player in (None, box.player)
    )


def insurance_cost(box: Box) -> int:
    """Return exactly half of a box's wager (document 000, insurance)."""
    half, rest = divmod(box.wager, 2)
    assert rest == 0, "the table's step makes halves exact"
    return half


def _insurance(round_: Round, player: str | None) -> Iterator[LegalAction]:
    for name in sorted({box.player for box in unanswered(round_, player)}):
        boxes = unanswered(round_, name)
        sizes = range(len(boxes), -1, -1)
        if round_.opened.table.insurance == "all_or_none":
            sizes = range(len(boxes), -1, -len(boxes))
        for size in sizes:
            for chosen in combinations(boxes, size):
                numbers = tuple(box.box for box in chosen)
                cost = sum(insurance_cost(box) for box in chosen)
                yield LegalAction("insure", None, None, numbers, cost, None)


def cap_of(round_: Round, wager: int, stake: int) -> int | None:
    """Return the max win of a hand with that stake; None without a cap by hand."""
    cap, max_win = round_.opened.max_win, round_.opened.table.max_win
    if cap is None or max_win is None or max_win.basis == "round":
        return None
    return cap * (stake // wager) if max_win.basis == "stake" else cap


def best_payout(round_: Round, hand: Hand, stake: int) -> int:
    """Return the most that a hand at that stake could be paid without a cap."""
    if is_natural(round_, hand):
        return stake + round_.opened.table.natural_pays.of(stake)
    return stake * 2


def _best_of_a_split(round_: Round, pair: Hand) -> int:
    table, wager, first = round_.opened.table, pair.wager, pair.cards[0]
    if table.split_21 == "natural" and (is_ace(first) or is_ten(first)):
        return max(wager * 2, wager + table.natural_pays.of(wager))
    return wager * 2


def _money(round_: Round, hand: Hand, action: Action) -> tuple[int, int | None]:
    """Return what an action costs, and the most it can be paid if a cap would bind."""
    cost = hand.wager if action in ("double", "split") else 0
    if round_.opened.max_win is None:
        return cost, None
    if action == "split":
        stakes, bests = [hand.wager] * 2, [_best_of_a_split(round_, hand)] * 2
    else:
        stakes = [hand.stake + cost]
        bests = [best_payout(round_, hand, hand.stake + cost)]
    if round_.opened.table.max_win and round_.opened.table.max_win.basis == "round":
        others = (
            0 if other.state == "busted" else best_payout(round_, other, other.stake)
            for other in round_.hands
            if other.name != hand.name
        )
        best = sum(bests) + sum(others)
        capped = min(best, round_.opened.max_win)
    else:
        caps = [cap_of(round_, hand.wager, stake) for stake in stakes]
        best = sum(bests)
        capped = sum(
            most if cap is None else min(most, cap)
            for most, cap in zip(bests, caps, strict=True)
        )
    return cost, capped if capped < best else None
