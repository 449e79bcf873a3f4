"""What a job makes of a round that nobody ends."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from service.answers import seen_in
from service.chance import WholeShoe
from service.house import House
from service.recorded import Ask
from service.rules.cards import Card
from service.rules.commands import Command, Expire, Refused, Settle
from service.rules.decide import decide_and_fold
from service.store.due import DueRound, Kind
from service.store.log import load
from service.store.rows import LogRow
from service.wallet.port import Accepted


class Task(NamedTuple):
    """Which rounds a job ends, and with what."""

    name: str
    kind: Kind
    key: str
    """What the keys of its rows begin with: no player's key has a colon."""
    command: Callable[[int], Command]
    word: str
    """What is done to a round, in one word."""


VOID: Final = Task("void-expired", "expired", "job:void:", Expire, "voided")
SETTLE: Final = Task("settle-abandoned", "abandoned", "job:settle:", Settle, "settled")


class TableVersionUnknown(LookupError):
    """The version under which a round was opened is not in the database."""


class _Shoe:
    """A round's shoe, opened when a card is asked for: a void asks for none."""

    def __init__(self, house: House, due: DueRound) -> None:
        self._house = house
        self._due = due
        self._whole: WholeShoe | None = None

    def card_at(self, place: int) -> Card:
        if self._whole is None:
            account, round_id = self._due.account, self._due.round_id
            loaded = load(self._house.database, account, round_id, round_id)
            self._whole = self._house.shoe(account, round_id, loaded)
        return self._whole.card_at(place)


def decided(
    house: House, task: Task, due: DueRound, rows: Sequence[LogRow], now: int
) -> Accepted | None:
    """Return a task's command on a round, decided at a time; None: it is late.

    Raises TableVersionUnknown, or whatever a round raises that can't be read.
    """
    versions = house.catalog.versions()
    if due.table_version not in versions:
        raise TableVersionUnknown(due.table_version)
    seen = seen_in(due.round_id, rows, versions)
    last = rows[-1]
    command = task.command(max(now, last.at))
    try:
        events, after = decide_and_fold(seen.round, command, _Shoe(house, due))
    except Refused:
        return None  # another command was faster
    ask = _ask(task, due, rows[0].player)
    place = (due.round_id, command, last, max(now, last.at))
    return Accepted(ask, *place, seen.round, after, tuple(events), None)


def word_of(task: Task, accepted: Accepted) -> str:
    """Say in one word what a command did to its round."""
    return "decided" if accepted.after.closed_at is None else task.word


def _ask(task: Task, due: DueRound, player: str) -> Ask:
    key = f"{task.key}{due.round_id}"
    return Ask(
        account=due.account,
        player=player,
        key=key,
        request=hashlib.sha256(key.encode()).digest(),
        operator=due.operator,
        mode=due.mode,
        by="job",
    )
