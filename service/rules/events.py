"""What can happen in a round: the words of the event log.

An event names no card that is face down: the hole card is a place in the shoe until
``HoleCardRevealed``. Its stored name and version are frozen; a change of meaning is a
new version beside the old one.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from service.rules.cards import Card
from service.rules.table import TableRules

DecidedBy = Literal["player", "rules", "table"]
Result = Literal["natural", "win", "push", "lose", "bust", "void", "forfeit"]


class BoxOpened(NamedTuple):
    """One box's bets in a deal, in minor units."""

    box: int
    player: str
    wager: int
    raised_from: int | None
    bonus_wager: int


class Refund(NamedTuple):
    """What a voided round gives back to one box, in minor units."""

    box: int
    amount: int


class RoundOpened(NamedTuple):
    """The bets are in and a shoe is named; times are UTC microseconds.

    ``minimum`` and ``maximum`` are the wagers in force, which an operator may move.
    """

    table: TableRules
    currency: str
    opened_at: int
    expires_at: int
    shoe_id: str
    first_place: int
    shuffler: str
    commitment: str
    minimum: int
    maximum: int
    max_win: int | None
    boxes: tuple[BoxOpened, ...]


class CardDealt(NamedTuple):
    """A card of the deal to a hand, face up."""

    hand: str
    card: Card


class UpcardDealt(NamedTuple):
    """The dealer's first card, face up."""

    card: Card


class HoleCardDealt(NamedTuple):
    """The dealer's second card, face down: the event does not know it."""


class InsuranceTaken(NamedTuple):
    """A box is insured for half of its wager."""

    box: int
    stake: int


class InsuranceDeclined(NamedTuple):
    """A box passes the insurance."""

    box: int


class DealerPeeked(NamedTuple):
    """The dealer looked for a natural; nothing else of the hole card is known."""

    natural: bool


class InsuranceResolved(NamedTuple):
    """The insurance of a box is over; the payout includes its stake."""

    box: int
    payout: int


class HandHit(NamedTuple):
    """A hand took a card."""

    hand: str
    card: Card
    decided_by: DecidedBy


class HandStood(NamedTuple):
    """A hand takes no more cards."""

    hand: str
    decided_by: DecidedBy


class HandDoubled(NamedTuple):
    """A hand doubled: the added stake, and its one last card."""

    hand: str
    stake: int
    card: Card
    decided_by: DecidedBy


class HandSplit(NamedTuple):
    """A pair became two hands; both second cards, the left hand's first."""

    hand: str
    new_hand: str
    stake: int
    cards: tuple[Card, Card]
    decided_by: DecidedBy


class HandBusted(NamedTuple):
    """A hand is over 21."""

    hand: str


class HoleCardRevealed(NamedTuple):
    """The dealer's hole card is turned up."""

    card: Card


class DealerDrew(NamedTuple):
    """The dealer took a card."""

    card: Card


class HandResolved(NamedTuple):
    """A hand's result and its payout before any cap, stake included."""

    hand: str
    result: Result
    payout: int


class WinCapped(NamedTuple):
    """The table's max win cut a payout by the amount withheld."""

    hand: str
    withheld: int


class BonusResolved(NamedTuple):
    """The line a box's bonus wager reached, or none; paid at settlement."""

    box: int
    line: str | None
    payout: int
    jackpot: bool


class JackpotReserved(NamedTuple):
    """A box hit the jackpot: what its bonus will be paid, as the meter stood then."""

    box: int
    jackpot_id: str
    amount: int


class RoundDecided(NamedTuple):
    """Nothing is left to decide or to draw; what remains is to pay."""

    at: int


class RoundSettled(NamedTuple):
    """The round is paid: hands and bonuses (insurance was paid when it was won)."""

    at: int
    payout: int


class RoundVoided(NamedTuple):
    """The round expired: what is decided is paid, all else is returned, by box."""

    at: int
    payout: int
    refunds: tuple[Refund, ...]


class RoundMalfunctioned(NamedTuple):
    """The round counts for nothing, as its operator says; nothing follows.

    ``correction`` is what comes back to the players, below zero what is taken back of
    what they were paid: in minor units, of all boxes.
    """

    at: int
    reason: str
    correction: int


HandEvent = CardDealt | HandHit | HandStood | HandDoubled | HandSplit | HandBusted
DealerEvent = UpcardDealt | HoleCardDealt | DealerPeeked | HoleCardRevealed | DealerDrew
InsuranceEvent = InsuranceTaken | InsuranceDeclined | InsuranceResolved
ResultEvent = HandResolved | WinCapped | JackpotReserved | BonusResolved
EndEvent = RoundDecided | RoundSettled | RoundVoided | RoundMalfunctioned
Event = RoundOpened | HandEvent | DealerEvent | InsuranceEvent | ResultEvent | EndEvent
# Frozen: rounds are stored under these names for ever.
STORED_AS: Mapping[type[Event], str] = {
    RoundOpened: "round_opened/1",
    CardDealt: "card_dealt/1",
    UpcardDealt: "upcard_dealt/1",
    HoleCardDealt: "hole_card_dealt/1",
    InsuranceTaken: "insurance_taken/1",
    InsuranceDeclined: "insurance_declined/1",
    DealerPeeked: "dealer_peeked/1",
    InsuranceResolved: "insurance_resolved/1",
    HandHit: "hand_hit/1",
    HandStood: "hand_stood/1",
    HandDoubled: "hand_doubled/1",
    HandSplit: "hand_split/1",
    HandBusted: "hand_busted/1",
    HoleCardRevealed: "hole_card_revealed/1",
    DealerDrew: "dealer_drew/1",
    HandResolved: "hand_resolved/1",
    WinCapped: "win_capped/1",
    JackpotReserved: "jackpot_reserved/1",
    BonusResolved: "bonus_resolved/1",
    RoundDecided: "round_decided/1",
    RoundSettled: "round_settled/1",
    RoundVoided: "round_voided/1",
    RoundMalfunctioned: "round_malfunctioned/1",
}
EVENTS: Mapping[str, type[Event]] = {name: kind for kind, name in STORED_AS.items()}
