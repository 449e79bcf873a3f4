"""What is known of a round: its boxes, hands and dealer, and how it stands."""

from typing import Literal, NamedTuple

from service.rules import events
from service.rules.cards import BLACKJACK, PAIR, Card, Total, is_ace
from service.rules.events import Result

Open = Literal["insurance", "playing", "awaiting_settlement"]
Status = Literal[Open, "settled", "void", "malfunction"]


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
        if self.closed_at is None:
            if self.decided_at is not None:
                return "awaiting_settlement"
            if self.natural is None and is_ace(self.dealer[0]):
                return "insurance"
            return "playing"
        if self.malfunction is not None:
            return "malfunction"
        return "settled" if self.voided is None else "void"

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
    for hand in round_.hands:
        if hand.name == name:
            return hand
    return None
