"""A round is a fold over its events.

``evolve`` records what an event says and decides nothing. Values are immutable and
built by their constructors, positionally and in field order, since that is what a
fold of thousands of events a second spends its time on.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple, assert_never

from service.rules import events
from service.rules.cards import BLACKJACK, PAIR, Card, Total, is_ace, plus
from service.rules.events import BoxEvent, DealerEvent, Event, HandEvent, Result

Open = Literal["insurance", "playing", "awaiting_settlement"]
Status = Literal[Open, "settled", "void", "malfunction"]
NO_CARDS = Total(0, soft=False)


class Hand(NamedTuple):
    """One hand; money in minor units, ``payout`` before a cap and stake included."""

    name: str
    box: int
    cards: tuple[Card, ...]
    total: Total
    wager: int
    stake: int
    state: Literal["open", "stood", "busted"]
    split: Literal["no", "pair", "aces"]
    result: Result | None
    payout: int
    withheld: int


class Box(NamedTuple):
    """One betting place; ``insurance`` is its stake once answered, 0 when declined.

    ``run`` holds the first two cards of a box that has split: the bonus counts them.
    ``jackpot`` is what a hit has reserved.
    """

    box: int
    player: str
    wager: int
    raised_from: int | None
    bonus_wager: int
    insurance: int | None
    insurance_payout: int | None
    run: tuple[Card, ...] | None
    jackpot: events.JackpotReserved | None
    bonus: events.BonusResolved | None


class Round(NamedTuple):
    """Everything known of a round without looking at its shoe.

    ``dealer`` holds the dealer's cards that are face up; ``hole_place`` is where in
    the shoe the hole card is; ``natural`` tells of a dealer natural once it is known.
    """

    opened: events.RoundOpened
    next_place: int
    boxes: tuple[Box, ...]
    hands: tuple[Hand, ...]
    dealer: tuple[Card, ...]
    hole_place: int | None
    natural: bool | None
    decided_at: int | None
    closed_at: int | None
    voided: events.RoundVoided | None
    malfunction: events.RoundMalfunctioned | None

    @property
    def status(self) -> Status:
        """What the round waits for, or how it ended."""
        if self.malfunction is not None:
            return "malfunction"
        if self.voided is not None:
            return "void"
        if self.closed_at is not None:
            return "settled"
        if self.decided_at is not None:
            return "awaiting_settlement"
        if self.natural is None and is_ace(self.dealer[0]):
            return "insurance"
        return "playing"

    @property
    def active_hand(self) -> Hand | None:
        """The one hand that may act: the first open one, box 1 first."""
        if self.status == "playing":
            for hand in self.hands:
                if hand.state == "open":
                    return hand
        return None

    @property
    def stake(self) -> int:
        """All money that the players have put into the round."""
        hands = sum(hand.stake for hand in self.hands)
        return hands + sum(box.bonus_wager + (box.insurance or 0) for box in self.boxes)

    @property
    def payout(self) -> int:
        """All money paid or to be paid so far, refunds of a void included.

        A malfunctioned round has paid what it was paid.
        """
        if self.malfunction is not None:
            return self.stake
        refunds = self.voided.refunds if self.voided else ()
        return self.due + self.insured + sum(refund.amount for refund in refunds)

    @property
    def insured(self) -> int:
        """What insurance has paid; all else is paid at the end."""
        return sum(box.insurance_payout or 0 for box in self.boxes)

    @property
    def due(self) -> int:
        """What settlement pays: hands after their caps, and bonuses."""
        bonuses = sum(box.bonus.payout for box in self.boxes if box.bonus)
        return bonuses + sum(hand.payout - hand.withheld for hand in self.hands)


def is_natural(round_: Round, hand: Hand) -> bool:
    """Tell whether a hand is a natural; after a split by ``split_21``."""
    if hand.total.points != BLACKJACK or len(hand.cards) != PAIR:
        return False
    return hand.split == "no" or round_.opened.table.split_21 == "natural"


def hand_named(round_: Round, name: str) -> Hand | None:
    """Return the hand of that name, or None."""
    return next((hand for hand in round_.hands if hand.name == name), None)


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
    if isinstance(event, events.RoundOpened):
        assert round_ is None, "a round is opened once"
        return _opened(event)
    assert round_ is not None, "a round begins with RoundOpened"
    if isinstance(event, HandEvent):
        return _evolve_hand(round_, event)
    if isinstance(event, DealerEvent):
        return _evolve_dealer(round_, event)
    if isinstance(event, BoxEvent):
        return _evolve_box(round_, event)
    if isinstance(event, events.HandSplit):
        return _split(round_, event)
    return _evolve_end(round_, event)


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


def _evolve_hand(round_: Round, event: HandEvent) -> Round:
    hands = round_.hands
    index = _index(hands, event.hand)
    hand = hands[index]
    place = round_.next_place
    match event:
        case events.CardDealt(_, card) | events.HandHit(_, card, _):
            cards, total = (*hand.cards, card), plus(hand.total, card)
            new = Hand(hand.name, hand.box, cards, total, *hand[4:])
            place += 1
        case events.HandDoubled(_, stake, card, _):
            cards, total = (*hand.cards, card), plus(hand.total, card)
            new = Hand(
                *(hand.name, hand.box, cards, total, hand.wager, hand.stake + stake),
                *("stood", hand.split, None, 0, 0),
            )
            place += 1
        case events.HandStood():
            new = Hand(*hand[:6], "stood", *hand[7:])
        case events.HandBusted():
            new = Hand(*hand[:6], "busted", *hand[7:])
        case events.HandResolved(_, result, payout):
            new = Hand(*hand[:8], result, payout, 0)
        case events.WinCapped(_, withheld):
            new = Hand(*hand[:10], withheld)
        case _:
            assert_never(event)
    hands = (*hands[:index], new, *hands[index + 1 :])
    return Round(round_.opened, place, round_.boxes, hands, *round_[4:])


def _split(round_: Round, event: events.HandSplit) -> Round:
    hands = round_.hands
    index = _index(hands, event.hand)
    pair = hands[index]
    split: Literal["aces", "pair"] = "aces" if is_ace(pair.cards[0]) else "pair"
    new = []
    for name, first, second in zip(
        (pair.name, event.new_hand), pair.cards, event.cards, strict=True
    ):
        total = plus(plus(NO_CARDS, first), second)
        new.append(
            Hand(
                *(name, pair.box, (first, second), total, pair.wager, event.stake),
                *("open", split, None, 0, 0),
            )
        )
    boxes = tuple(
        Box(*box[:7], pair.cards, *box[8:])
        if box.box == pair.box and box.run is None
        else box
        for box in round_.boxes
    )
    hands = (*hands[:index], *new, *hands[index + 1 :])
    return Round(round_.opened, round_.next_place + 2, boxes, hands, *round_[4:])


def _evolve_end(round_: Round, event: events.EndEvent) -> Round:
    match event:
        case events.RoundDecided(at):
            return Round(*round_[:7], at, None, None, None)
        case events.RoundSettled(at, _):
            return Round(*round_[:8], at, None, None)
        case events.RoundVoided(at, _, _):
            return Round(*round_[:8], at, event, None)
        case events.RoundMalfunctioned(at):
            # A round that was over ended when it did.
            ended = round_.closed_at if round_.closed_at is not None else at
            return Round(*round_[:8], ended, round_.voided, event)
        case _:
            assert_never(event)


def _evolve_dealer(round_: Round, event: DealerEvent) -> Round:
    opened, place, boxes, hands, dealer, hole_place, natural = round_[:7]
    match event:
        case events.UpcardDealt(card) | events.DealerDrew(card):
            place, dealer = place + 1, (*dealer, card)
        case events.HoleCardDealt():
            place, hole_place = place + 1, place
        case events.DealerPeeked(known):
            natural = known
        case events.HoleCardRevealed(card):
            dealer = (*dealer, card)
        case _:
            assert_never(event)
    before = (opened, place, boxes, hands, dealer, hole_place, natural)
    return Round(*before, *round_[7:])


def _evolve_box(round_: Round, event: BoxEvent) -> Round:
    new = []
    for box in round_.boxes:
        if box.box != event.box:
            new.append(box)
            continue
        match event:
            case events.InsuranceTaken(_, stake):
                new.append(Box(*box[:5], stake, None, *box[7:]))
            case events.InsuranceDeclined():
                new.append(Box(*box[:5], 0, None, *box[7:]))
            case events.InsuranceResolved(_, payout):
                new.append(Box(*box[:6], payout, *box[7:]))
            case events.JackpotReserved():
                new.append(Box(*box[:8], event, None))
            case events.BonusResolved():
                new.append(Box(*box[:9], event))
            case _:
                assert_never(event)
    return Round(round_.opened, round_.next_place, tuple(new), *round_[3:])


def _index(hands: tuple[Hand, ...], name: str) -> int:
    return [hand.name for hand in hands].index(name)
