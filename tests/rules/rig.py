"""Rounds told in one line: a rigged shoe, and the moves of the players.

    tell("P A,K | U 9 | H 7").net == 15
    tell("P 8,8 / T,9 | U 6 | H T | 3,K,9", "split hit stand stand stand")

The cards: each box's two cards, the dealer's upcard and hole card, and the cards that
fall after the deal, in order. A card without a suit takes the next one of its rank.
The moves: an action is for the hand whose turn it is; ``insure`` and ``pass`` answer
for all boxes of the next player who is asked, ``insure:1,3`` for some, and ``passes``
for all players; ``hit:7500000`` finds so many minor units in the jackpot;
``malfunction`` takes all back. Other money in stories is in units of 100 minor units;
floats hold it here, since whole numbers are divided for reading only.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, cast

import pytest

from service.rules.cards import SUITS, Card
from service.rules.commands import (
    Act,
    BoxWager,
    Command,
    Deal,
    Expire,
    Insure,
    Malfunction,
    Prize,
    Refused,
    Settle,
)
from service.rules.decide import decide
from service.rules.events import STORED_AS, Event
from service.rules.fold import fold
from service.rules.legal import Action, LegalAction, legal_actions, unanswered
from service.rules.round import Box, Hand
from service.rules.table import TableRules
from tests.rules.tables import CLASSIC

UNIT: Final = 100
OPENED: Final = 1_700_000_000_000_000
DAY: Final = 24 * 60 * 60 * 1_000_000
PLAYERS: Final = ("ann", "bob", "cid", "dot", "eve")


class Rigged(NamedTuple):
    """A shoe of known cards; the first of them lies at ``first_place``."""

    cards: tuple[Card, ...]
    first_place: int = 0

    def card_at(self, place: int) -> Card:
        """Return the card at a place; IndexError where no card was told."""
        if place < self.first_place:
            raise IndexError(place)
        return self.cards[place - self.first_place]


def suited(names: Iterable[str]) -> tuple[Card, ...]:
    """Return cards; a name without a suit takes the next suit of its rank."""
    count: Counter[str] = Counter()
    cards = []
    for name in names:
        rank, suit = name[0], name[1:]
        cards.append(Card(rank + (suit or SUITS[count[rank] % 4])))
        count[rank] += not suit
    return tuple(cards)


def shoe_of(cards: str, first_place: int = 0) -> Rigged:
    """Return the shoe of a story's cards, in the order of the deal."""
    parts = [part.strip() for part in cards.split("|")]
    tags = [part[:1] for part in parts[:3]]
    assert tags == ["P", "U", "H"], f"{cards!r} is not 'P .. | U . | H . | ..'"
    pairs = [box.strip().split(",") for box in parts[0][1:].split("/")]
    draws = parts[3].split(",") if len(parts) > 3 else []
    order = [
        *(first for first, _ in pairs),
        parts[1][1:],
        *(second for _, second in pairs),
        parts[2][1:],
        *draws,
    ]
    return Rigged(suited(name.strip() for name in order), first_place)


def deal_of(  # noqa: PLR0913 - a deal has many sides, each with a default
    table: TableRules,
    bets: Sequence[float],
    *,
    players: Sequence[str] = (),
    boxes: Sequence[int] = (),
    bonus: Sequence[int] = (),
    raise_to_minimum: bool = False,
    currency: str = "USD",
    first_place: int = 0,
) -> Deal:
    """Return the deal of these bets, in units; at a shared table one player a box."""
    count = len(bets)
    who = players or (PLAYERS if table.seating == "shared" else ["ann"] * count)
    wagers = tuple(
        BoxWager(box, player, round(bet * UNIT), side * UNIT)
        for box, player, bet, side in zip(
            boxes or range(1, count + 1),
            who[:count],
            bets,
            bonus or [0] * count,
            strict=True,
        )
    )
    return Deal(
        table=table,
        currency=currency,
        boxes=wagers,
        raise_to_minimum=raise_to_minimum,
        at=OPENED,
        shoe_id="shoe",
        first_place=first_place,
        shuffler="rigged",
        commitment="c0ffee",
    )


def line_of(event: Event) -> str:
    """Return an event as one line, such as ``hand_hit 1a 5S player``."""
    name = STORED_AS[type(event)].partition("/")[0]
    fields = [
        ",".join(map(str, field)) if isinstance(field, tuple) else str(field)
        for field in event
    ]
    return " ".join([name, *fields])


class Story:
    """A round under way: its log, the commands so far and what each one added."""

    def __init__(self, deal: Deal, shoe: Rigged) -> None:
        self.shoe = shoe
        self.commands: list[Command] = [deal]
        self.replies = [decide(None, deal, shoe)]
        self.round = fold(self.replies[0])

    def do(self, command: Command) -> list[Event]:
        """Give a command; return the events that it made."""
        reply = decide(self.round, command, self.shoe)
        self.commands.append(command)
        self.replies.append(reply)
        self.round = fold(reply, self.round)
        return reply

    def command(self, word: str) -> Command:
        """Return the command that a word of a story means now."""
        verb, _, which = word.partition(":")
        at = OPENED + len(self.commands)
        if verb in {"insure", "pass"}:
            player = unanswered(self.round)[0].player
            asked = tuple(box.box for box in unanswered(self.round, player))
            chosen = tuple(int(box) for box in which.split(",")) if which else asked
            return Insure(player, chosen if verb == "insure" else (), at)
        if verb == "settle":
            return Settle(at)
        if verb == "expire":
            return Expire(self.round.opened.expires_at)
        if verb == "malfunction":
            return Malfunction(at, "a fault")
        hand = self.round.active_hand
        assert hand is not None, f"nobody is to {word}: {self.round.status}"
        act = Act(self.player_of(hand.name), hand.name, cast("Action", verb), at)
        return act._replace(jackpot=Prize("aces", int(which))) if which else act

    def play(self, moves: str) -> "Story":
        """Play the moves, one after another."""
        for word in moves.split():
            if word == "passes":
                while self.round.status == "insurance":
                    self.do(self.command("pass"))
            else:
                self.do(self.command(word))
        return self

    def refused(self, move: str | Command) -> Refused:
        """Return the refusal of a move, after which the round is as it was."""
        command = self.command(move) if isinstance(move, str) else move
        before = self.round
        with pytest.raises(Refused) as caught:
            decide(self.round, command, self.shoe)
        assert self.round == before == fold(self.log)
        return caught.value

    @property
    def log(self) -> list[Event]:
        """All events so far."""
        return [event for reply in self.replies for event in reply]

    @property
    def words(self) -> list[str]:
        """The names of the last reply's events."""
        return [line.partition(" ")[0] for line in self.lines]

    @property
    def lines(self) -> list[str]:
        """The last reply's events, each as its name and its fields."""
        return [line_of(event) for event in self.replies[-1]]

    @property
    def legal(self) -> tuple[LegalAction, ...]:
        """What is legal now, for anybody."""
        return legal_actions(self.round)

    @property
    def actions(self) -> str:
        """The legal actions of the hand whose turn it is, as words."""
        return " ".join(entry.action or entry.command for entry in self.legal)

    @property
    def net(self) -> float:
        """What the players have won, in units."""
        return (self.round.payout - self.round.stake) / UNIT

    @property
    def results(self) -> str:
        """The hands' results in playing order, as words."""
        return " ".join(hand.result or "-" for hand in self.round.hands)

    @property
    def unused(self) -> int:
        """How many of the told cards have not left the shoe."""
        return len(self.shoe.cards) + self.shoe.first_place - self.round.next_place

    def hand(self, name: str) -> Hand:
        """Return a hand by name."""
        (hand,) = (hand for hand in self.round.hands if hand.name == name)
        return hand

    def box(self, number: int) -> Box:
        """Return a box by number."""
        (box,) = (box for box in self.round.boxes if box.box == number)
        return box

    def player_of(self, hand: str) -> str:
        """Return whose hand it is."""
        return self.box(self.hand(hand).box).player

    def paid(self, hand: str) -> float:
        """Return what a hand is paid after its cap, in units."""
        played = self.hand(hand)
        return (played.payout - played.withheld) / UNIT


def tell(
    cards: str,
    moves: str = "",
    *,
    at: TableRules = CLASSIC,
    bets: Sequence[float] = (),
    **deal: Any,  # noqa: ANN401 - what deal_of takes
) -> Story:
    """Tell a round: deal the cards, play the moves; a box bets 10 by default."""
    first_place = deal.get("first_place", 0)
    wagers = bets or [10] * len(cards.split("|", maxsplit=1)[0].split("/"))
    story = Story(deal_of(at, wagers, **deal), shoe_of(cards, first_place))
    return story.play(moves)
