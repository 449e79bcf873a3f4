"""A round is a fold over its events.

``evolve`` records what an event says and decides nothing: one small function for each
kind of event. What every round has is built positionally, by the constructors: that is
what a fold of thousands of events a second spends its time on.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from service.rules import events
from service.rules.cards import Total, is_ace, plus, total_of
from service.rules.events import Event
from service.rules.round import Box, Hand, Round, hand_named

NO_CARDS = Total(0, soft=False)


def fold(log: Iterable[Event], start: Round | None = None) -> Round:
    """Return the round that a sequence of events, at least one, makes."""
    round_ = start
    for event in log:
        round_ = evolve(round_, event)
    assert round_ is not None, "a round has at least one event"
    return round_


def evolve(round_: Round | None, event: Event) -> Round:
    """Return the round after one more event; it records, it never decides.

    The first event of a round, and only that, is RoundOpened.
    """
    if round_ is None:
        assert isinstance(event, events.RoundOpened), "a round begins with RoundOpened"
        return _opened(event)
    change = CHANGES.get(type(event))
    assert change is not None, "a round is opened once"
    return change(round_, event)


def _opened(event: events.RoundOpened) -> Round:
    boxes = tuple(Box(*box, *[None] * 5) for box in event.boxes)
    hands = tuple(
        Hand(
            *(f"{box.box}a", box.box, (), NO_CARDS, box.wager, box.wager),
            *("open", "no", None, 0, 0),
        )
        for box in event.boxes
    )
    return Round(event, event.first_place, boxes, hands, (), *[None] * 6)


def _hand_took(
    round_: Round, event: events.CardDealt | events.HandHit | events.HandDoubled
) -> Round:
    hand = _hand(round_, event.hand)
    cards, total = (*hand.cards, event.card), plus(hand.total, event.card)
    new = Hand(hand.name, hand.box, cards, total, *hand[4:])
    return _replaced(round_, hand, (new,), 1)


def _hand_doubled(round_: Round, event: events.HandDoubled) -> Round:
    after = _hand_took(round_, event)
    hand = _hand(after, event.hand)
    new = hand._replace(stake=hand.stake + event.stake, state="stood")
    return _replaced(after, hand, (new,))


def _hand_split(round_: Round, event: events.HandSplit) -> Round:
    pair = _hand(round_, event.hand)
    (one, other), (left, right) = pair.cards, event.cards
    half = pair._replace(split="aces" if is_ace(one) else "pair")
    stays, comes = (one, left), (other, right)
    new = (
        half._replace(cards=stays, total=total_of(stays)),
        half._replace(
            name=event.new_hand,
            cards=comes,
            total=total_of(comes),
            stake=event.stake,
        ),
    )
    boxes = tuple(
        box._replace(run=pair.cards) if box.box == pair.box and not box.run else box
        for box in round_.boxes
    )
    return _replaced(round_._replace(boxes=boxes), pair, new, 2)


def _hand_stood(round_: Round, event: events.HandStood) -> Round:
    hand = _hand(round_, event.hand)
    return _replaced(round_, hand, (Hand(*hand[:6], "stood", *hand[7:]),))


def _hand_busted(round_: Round, event: events.HandBusted) -> Round:
    hand = _hand(round_, event.hand)
    return _replaced(round_, hand, (Hand(*hand[:6], "busted", *hand[7:]),))


def _hand_resolved(round_: Round, event: events.HandResolved) -> Round:
    hand = _hand(round_, event.hand)
    return _replaced(round_, hand, (Hand(*hand[:8], event.result, event.payout, 0),))


def _win_capped(round_: Round, event: events.WinCapped) -> Round:
    hand = _hand(round_, event.hand)
    return _replaced(round_, hand, (Hand(*hand[:10], event.withheld),))


def _hand(round_: Round, name: str) -> Hand:
    hand = hand_named(round_, name)
    assert hand is not None, "an event names a hand of its round"
    return hand


def _replaced(round_: Round, old: Hand, new: tuple[Hand, ...], drawn: int = 0) -> Round:
    """Put new hands in the place of an old one; so many cards were drawn for them."""
    index, hands = round_.hands.index(old), round_.hands
    hands = (*hands[:index], *new, *hands[index + 1 :])
    place = round_.next_place + drawn
    return Round(round_.opened, place, round_.boxes, hands, *round_[4:])


def _dealer_drew(round_: Round, event: events.UpcardDealt | events.DealerDrew) -> Round:
    opened, place, boxes, hands, dealer = round_[:5]
    return Round(opened, place + 1, boxes, hands, (*dealer, event.card), *round_[5:])


def _hole_card_dealt(round_: Round, _: events.HoleCardDealt) -> Round:
    opened, place, boxes, hands, dealer = round_[:5]
    return Round(opened, place + 1, boxes, hands, dealer, place, *round_[6:])


def _dealer_peeked(round_: Round, event: events.DealerPeeked) -> Round:
    return Round(*round_[:6], event.natural, *round_[7:])


def _hole_card_revealed(round_: Round, event: events.HoleCardRevealed) -> Round:
    opened, place, boxes, hands, dealer = round_[:5]
    return Round(opened, place, boxes, hands, (*dealer, event.card), *round_[5:])


def _insurance_taken(round_: Round, event: events.InsuranceTaken) -> Round:
    return _with_box(round_, event.box, insurance=event.stake)


def _insurance_declined(round_: Round, event: events.InsuranceDeclined) -> Round:
    return _with_box(round_, event.box, insurance=0)


def _insurance_resolved(round_: Round, event: events.InsuranceResolved) -> Round:
    return _with_box(round_, event.box, insurance_payout=event.payout)


def _jackpot_reserved(round_: Round, event: events.JackpotReserved) -> Round:
    return _with_box(round_, event.box, jackpot=event)


def _bonus_resolved(round_: Round, event: events.BonusResolved) -> Round:
    return _with_box(round_, event.box, bonus=event)


def _with_box(round_: Round, number: int, **changed: Any) -> Round:  # noqa: ANN401 - fields of a box
    boxes = tuple(
        box._replace(**changed) if box.box == number else box for box in round_.boxes
    )
    return Round(round_.opened, round_.next_place, boxes, *round_[3:])


def _round_decided(round_: Round, event: events.RoundDecided) -> Round:
    return Round(*round_[:7], event.at, None, None, None)


def _round_settled(round_: Round, event: events.RoundSettled) -> Round:
    return Round(*round_[:8], event.at, None, None)


def _round_voided(round_: Round, event: events.RoundVoided) -> Round:
    return Round(*round_[:8], event.at, event, None)


def _round_malfunctioned(round_: Round, event: events.RoundMalfunctioned) -> Round:
    # A round that was over ended when it did.
    ended = round_.closed_at if round_.closed_at is not None else event.at
    return Round(*round_[:8], ended, round_.voided, event)


CHANGES: Mapping[type[Event], Callable[[Round, Any], Round]] = {
    events.CardDealt: _hand_took,
    events.UpcardDealt: _dealer_drew,
    events.HoleCardDealt: _hole_card_dealt,
    events.InsuranceTaken: _insurance_taken,
    events.InsuranceDeclined: _insurance_declined,
    events.DealerPeeked: _dealer_peeked,
    events.InsuranceResolved: _insurance_resolved,
    events.HandHit: _hand_took,
    events.HandStood: _hand_stood,
    events.HandDoubled: _hand_doubled,
    events.HandSplit: _hand_split,
    events.HandBusted: _hand_busted,
    events.HoleCardRevealed: _hole_card_revealed,
    events.DealerDrew: _dealer_drew,
    events.HandResolved: _hand_resolved,
    events.WinCapped: _win_capped,
    events.JackpotReserved: _jackpot_reserved,
    events.BonusResolved: _bonus_resolved,
    events.RoundDecided: _round_decided,
    events.RoundSettled: _round_settled,
    events.RoundVoided: _round_voided,
    events.RoundMalfunctioned: _round_malfunctioned,
}
"""What each event but the first changes."""
