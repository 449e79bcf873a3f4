"""From a row of the log back to the command that made it."""

from collections.abc import Mapping
from typing import Final

from service.rules import events
from service.rules.commands import (
    Act,
    BoxWager,
    Command,
    Deal,
    Expire,
    Insure,
    Malfunction,
    Prize,
    Settle,
)
from service.rules.events import Event
from service.rules.legal import Action, box_of
from service.rules.round import Round, hand_named

_ACTIONS: Final[Mapping[type[Event], Action]] = {
    events.HandHit: "hit",
    events.HandStood: "stand",
    events.HandDoubled: "double",
    events.HandSplit: "split",
}

TELLING: Final = frozenset({"insurance_taken/1", "jackpot_reserved/1"})
"""The stored names of events that tell of the command though it has another before."""


class Unplayable(ValueError):
    """No command has these events; says why."""


def command_of(
    round_: Round | None, player: str, at: int, made: tuple[Event, ...]
) -> Command:
    """Return the command of `player` at a time (UTC microseconds) that made events.

    Those that are no first and not `TELLING` need not be given. `round_` is the round
    before it. That the events are right is another question:
    decide the command again and compare. Raises Unplayable.
    """
    first = made[0] if made else None
    if round_ is None:
        if isinstance(first, events.RoundOpened):
            return _deal(first, at)
        raise Unplayable("a round begins with round_opened")
    if isinstance(first, events.RoundSettled):
        return Settle(at)
    if isinstance(first, events.RoundMalfunctioned):
        return Malfunction(at, first.reason)
    return _played(round_, player, at, made)


def _played(round_: Round, player: str, at: int, made: tuple[Event, ...]) -> Command:
    """Return the command on an open round. Raises Unplayable."""
    first = made[0] if made else None
    if at >= round_.opened.expires_at:
        # From then on nothing else is accepted (and a settlement is above).
        return Expire(at)
    if isinstance(first, events.InsuranceTaken | events.InsuranceDeclined):
        return _insure(round_, first.box, made, at)
    if isinstance(
        first,
        events.HandHit | events.HandStood | events.HandDoubled | events.HandSplit,
    ):
        hand = hand_named(round_, first.hand)
        if hand is None:
            raise Unplayable(f"the round has no hand {first.hand}")
        if first.decided_by == "table":
            player = box_of(round_, hand).player
        elif first.decided_by != "player":
            raise Unplayable(f"no command is decided by {first.decided_by!r}")
        action, by = _ACTIONS[type(first)], first.decided_by
        return Act(player, hand.name, action, at, by, _prize(made))
    raise Unplayable("no command begins with this event")


def _prize(made: tuple[Event, ...]) -> Prize | None:
    """Return what a meter gave: the one thing that a command takes from outside."""
    for event in made:
        if isinstance(event, events.JackpotReserved):
            return Prize(event.jackpot_id, event.amount)
    return None


def _deal(opened: events.RoundOpened, at: int) -> Deal:
    """Ask for what the boxes were before they were raised to the minimum."""
    limits = opened.table.limits.get(opened.currency)
    return Deal(
        table=opened.table,
        currency=opened.currency,
        boxes=tuple(
            BoxWager(box.box, box.player, box.raised_from or box.wager, box.bonus_wager)
            for box in opened.boxes
        ),
        raise_to_minimum=any(box.raised_from is not None for box in opened.boxes),
        at=at,
        shoe_id=opened.shoe_id,
        first_place=opened.first_place,
        shuffler=opened.shuffler,
        commitment=opened.commitment,
        limits=limits
        and limits._replace(minimum=opened.minimum, maximum=opened.maximum),
    )


def _insure(round_: Round, number: int, made: tuple[Event, ...], at: int) -> Insure:
    """Insure for the player of the first box that answered, by click or by clock."""
    box = next((box for box in round_.boxes if box.box == number), None)
    if box is None:
        raise Unplayable(f"the round has no box {number}")
    taken = (event.box for event in made if isinstance(event, events.InsuranceTaken))
    return Insure(box.player, tuple(taken), at)
