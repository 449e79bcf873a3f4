"""What each hand, insurance and bonus is paid: the one place for payouts."""

from collections.abc import Iterator
from typing import assert_never

from service.rules.cards import BLACKJACK, Total, total_of
from service.rules.events import BonusResolved, HandResolved, Result, WinCapped
from service.rules.legal import cap_of
from service.rules.round import Box, Hand, Round, is_natural
from service.rules.sidebet import best_line, run_is_over
from service.rules.table import JACKPOT_LINE, TableRules

DEALER_STANDS = 17


def result_of(round_: Round, hand: Hand) -> Result:
    """Return a finished hand's result against the dealer's finished hand.

    A bust loses whatever the dealer has; a natural beats any other 21; a dealer
    natural beats all but a natural (document 003, Blackjacks).
    """
    if hand.state == "busted":
        return "bust"
    natural = is_natural(round_, hand)
    if round_.natural:
        return "push" if natural else "lose"
    if natural:
        return "natural"
    dealer = total_of(round_.dealer).points
    if dealer > BLACKJACK or hand.total.points > dealer:
        return "win"
    return "push" if hand.total.points == dealer else "lose"


def payout_of(table: TableRules, stake: int, result: Result) -> int:
    """Return a payout in minor units, the stake included, before any cap."""
    match result:
        case "natural":
            return stake + table.natural_pays.of(stake)
        case "win":
            return stake * 2
        case "push" | "void":
            return stake
        case "lose" | "bust" | "forfeit":
            return 0
        case _:
            assert_never(result)


def insurance_payout(round_: Round, box: Box) -> int:
    """Return what a box's insurance pays, its stake included (2:1 in all four)."""
    stake = box.insurance or 0
    if not round_.natural:
        return 0
    return stake + round_.opened.table.insurance_pays.of(stake)


def resolve_hands(
    round_: Round, results: Iterator[tuple[Hand, Result]]
) -> Iterator[HandResolved | WinCapped]:
    """Yield each hand's result, and what the max win withholds (decision 18)."""
    table = round_.opened.table
    left = round_.opened.max_win or 0
    by_round = table.max_win is not None and table.max_win.basis == "round"
    for hand, result in results:
        payout = payout_of(table, hand.stake, result)
        yield HandResolved(hand.name, result, payout)
        cap = left if by_round else cap_of(round_, hand.wager, hand.stake)
        if cap is not None and payout > cap:
            yield WinCapped(hand.name, payout - cap)
            payout = cap
        left -= payout


def dealer_draws(table: TableRules, total: Total) -> bool:
    """Tell whether the dealer takes another card.

    Stands on all 17s (000 rule 3, 001 rule 3, 002); with ``soft_17 = "hit"`` draws
    on soft 17 and stands on soft 18 and above (003).
    """
    if total.points == DEALER_STANDS:
        return total.soft and table.soft_17 == "hit"
    return total.points < DEALER_STANDS


def bonus_is_decided(round_: Round, box: Box) -> bool:
    """Tell whether no later card can change a box's bonus (decision 22)."""
    first = _first_hand(round_, box)
    return box.run is not None or first.state != "open" or run_is_over(first.cards)


def hits_jackpot(round_: Round, box: Box) -> bool:
    """Tell whether a box's aces are the jackpot and nothing is reserved for it yet."""
    pays = round_.opened.table.bonus_pays
    if pays is None or not box.bonus_wager or box.jackpot is not None:
        return False
    cards = box.run or _first_hand(round_, box).cards
    return best_line(cards, pays) == JACKPOT_LINE


def resolve_bonus(round_: Round, box: Box) -> BonusResolved:
    """Return the line that a box's bonus wager reached; paid "for one".

    A jackpot pays what was reserved for it; without a meter, as the paytable says.
    """
    pays = round_.opened.table.bonus_pays
    assert pays is not None, "a bonus wager needs a paytable"
    line = best_line(box.run or _first_hand(round_, box).cards, pays)
    payout = box.bonus_wager * pays[line] if line else 0
    jackpot = line == JACKPOT_LINE
    if jackpot and box.jackpot is not None:
        payout = box.jackpot.amount
    return BonusResolved(box.box, line, payout, jackpot=jackpot)


def _first_hand(round_: Round, box: Box) -> Hand:
    return next(hand for hand in round_.hands if hand.box == box.box)
