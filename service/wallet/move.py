"""What a command moves, read from its events: the one place where rules meet money."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from service.rules import events
from service.rules.round import Round, hand_named

_PURPOSES = {
    events.RoundOpened: "deal",
    events.InsuranceTaken: "insurance",
    events.HandDoubled: "double",
    events.HandSplit: "split",
    events.InsuranceResolved: "insurance",
    events.RoundSettled: "settlement",
    events.RoundVoided: "void",
    events.RoundMalfunctioned: "malfunction",
}
REFUND: Final = "refund"
"""What is paid because it was never decided: a stake that comes back."""
CORRECTION: Final = "correction"
"""What a malfunction puts right of what was paid; below zero it takes that back."""


class Part(NamedTuple):
    """The share of one box, in minor units, and what it is for."""

    box: int
    what: str
    amount: int


class Move(NamedTuple):
    """The money of one command: what is staked and what is paid, box by box.

    ``held`` is what the round held before it; the command that ends the round leaves
    nothing held. ``corrections`` are of what a round had paid before it malfunctioned:
    what is below zero is taken back, if he has it.
    """

    purpose: str
    stakes: tuple[Part, ...]
    payouts: tuple[Part, ...]
    held: int
    ends: bool
    corrections: tuple[Part, ...] = ()

    @property
    def stake(self) -> int:
        """What the player pays."""
        return sum(part.amount for part in self.stakes)

    @property
    def payout(self) -> int:
        """What the player is paid, stakes included."""
        return sum(part.amount for part in self.payouts)

    @property
    def correction(self) -> int:
        """What the player gets back, or is to give back."""
        return sum(part.amount for part in self.corrections)

    @property
    def is_nothing(self) -> bool:
        """Whether no money moves at all."""
        return not (self.stakes or self.payouts or self.ends or self.corrections)


def move_of(before: Round | None, after: Round, made: Sequence[events.Event]) -> Move:
    """Return what a command's events move, between the rounds before and after."""
    purposes = (_PURPOSES[type(event)] for event in made if type(event) in _PURPOSES)
    was_over = before is not None and before.closed_at is not None
    ends = after.closed_at is not None and not was_over
    payouts = [
        Part(event.box, "insurance", event.payout)
        for event in made
        if isinstance(event, events.InsuranceResolved)
    ]
    corrections: list[Part] = []
    if before is not None and after.malfunction is not None:
        corrections = list(_put_right(before))
    elif ends:
        payouts += _at_the_end(after)
    payouts += [part for part in corrections if part.what == REFUND]
    return Move(
        purpose=next(purposes, "none"),
        stakes=tuple(_stakes(after, made)),
        payouts=tuple(part for part in payouts if part.amount),
        held=held_by(before),
        ends=ends,
        corrections=tuple(_unless_even(corrections)),
    )


def held_by(round_: Round | None) -> int:
    """Return what a round holds: what was staked and is not paid out yet."""
    if round_ is None or round_.closed_at is not None:
        return 0
    return round_.stake - round_.insured


def totals_of(round_: Round) -> Iterator[tuple[int, int, int]]:
    """Yield of each box what it staked in the whole round, and what it was paid."""
    refunds = round_.voided.refunds if round_.voided else ()
    for box in round_.boxes:
        hands = [hand for hand in round_.hands if hand.box == box.box]
        stake = sum(hand.stake for hand in hands)
        stake += box.bonus_wager + (box.insurance or 0)
        paid = sum(hand.payout - hand.withheld for hand in hands)
        paid += sum(refund.amount for refund in refunds if refund.box == box.box)
        paid += (box.bonus.payout if box.bonus else 0) + (box.insurance_payout or 0)
        yield box.box, stake, stake if round_.malfunction else paid


def _unless_even(corrections: Sequence[Part]) -> Iterator[Part]:
    """Yield what is put right of what was paid, unless it comes to nothing."""
    parts = [part for part in corrections if part.what != REFUND]
    if sum(part.amount for part in parts):
        yield from parts


def _put_right(before: Round) -> Iterator[Part]:
    """Yield what a malfunction gives back of a round, box by box.

    A stake that is held still, and not paid by insurance, is a refund.
    """
    over = before.closed_at is not None
    for box, (number, stake, paid) in zip(before.boxes, totals_of(before), strict=True):
        amount = stake - (paid if over else box.insurance_payout or 0)
        if amount:
            what = CORRECTION if over or amount < 0 else REFUND
            yield Part(number, what, amount)


def _stakes(after: Round, made: Iterable[events.Event]) -> Iterator[Part]:
    for event in made:
        match event:
            case events.RoundOpened():
                for box in event.boxes:
                    yield Part(box.box, "wager", box.wager)
                    if box.bonus_wager:
                        yield Part(box.box, "bonus", box.bonus_wager)
            case events.InsuranceTaken(box, stake):
                yield Part(box, "insurance", stake)
            case events.HandDoubled(name, stake, _, _):
                yield Part(_box(after, name), "double", stake)
            case events.HandSplit(name, _, stake, _, _):
                yield Part(_box(after, name), "split", stake)
            case _:
                pass


def _at_the_end(round_: Round) -> Iterator[Part]:
    for hand in round_.hands:
        what = REFUND if hand.result == "void" else f"hand {hand.name}"
        yield Part(hand.box, what, hand.payout - hand.withheld)
    for box in round_.boxes:
        if box.bonus:
            yield Part(box.box, "bonus", box.bonus.payout)
    for refund in round_.voided.refunds if round_.voided else ():
        yield Part(refund.box, REFUND, refund.amount)


def _box(round_: Round, name: str) -> int:
    hand = hand_named(round_, name)
    assert hand is not None, "an event names a hand of its round"
    return hand.box
