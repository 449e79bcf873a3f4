"""A round left open past its time: what is decided counts, all else is returned.

Documents 002 ("Unfinished Games") and decision 22; ``forfeit`` keeps what would be
returned. ``auto_stand`` plays on and is no end of this kind.
"""

from collections.abc import Iterator

from service.rules.cards import is_ace
from service.rules.events import BonusResolved, Event, Refund, Result, RoundVoided
from service.rules.fold import evolve
from service.rules.round import Hand, Round, is_natural
from service.rules.settle import bonus_is_decided, resolve_bonus, resolve_hands


def end_expired(round_: Round, at: int) -> Iterator[Event]:
    """Yield the events that void or forfeit an undecided round."""
    returns = round_.opened.table.on_expiry == "void"
    undecided: Result = "void" if returns else "forfeit"
    refunds: dict[int, int] = {}
    ended = round_
    for event in resolve_hands(
        round_, ((hand, _kept(round_, hand) or undecided) for hand in round_.hands)
    ):
        yield event
        ended = evolve(ended, event)
    for box in round_.boxes:
        # An insurance that the peek has not answered yet is undecided, too.
        refund = (box.insurance or 0) if box.insurance_payout is None else 0
        if box.bonus_wager and bonus_is_decided(round_, box):
            bonus = resolve_bonus(round_, box)
            yield bonus
            ended = evolve(ended, bonus)
        elif box.bonus_wager and returns:
            refund += box.bonus_wager
        elif box.bonus_wager:
            yield BonusResolved(box.box, None, 0, jackpot=False)
        if returns and refund:
            refunds[box.box] = refund
    listed = tuple(Refund(box, amount) for box, amount in sorted(refunds.items()))
    yield RoundVoided(at, ended.due, listed)


def _kept(round_: Round, hand: Hand) -> Result | None:
    """Return the result that a hand already has, or None while it is undecided."""
    if hand.state == "busted":
        return "bust"
    excluded = round_.natural is False or not is_ace(round_.dealer[0])
    if is_natural(round_, hand) and excluded:
        return "natural"
    return None
