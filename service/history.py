"""What became of a player's rounds: a page of them, or one step by step."""

from collections.abc import Iterator
from typing import NamedTuple

import orjson

from service.house import House
from service.recorded import Seen, Step, seen_of, steps_of
from service.refusals import RoundNotFound
from service.rules.fold import fold
from service.rules.round import Round
from service.store.errors import ArchiveUnavailable
from service.store.history import Logged, Place, Sought, past_rounds, said_of
from service.store.rows import LogRow, RoundRow


class Past(NamedTuple):
    """A round that has ended, as it is listed, and as its log tells of it."""

    row: RoundRow
    seen: Seen | None
    """None: the log is in an archive that is not to be had here."""

    @property
    def place(self) -> Place:
        """Where it stands in its player's past."""
        return Place(self.row.opened_at, self.row.round_id)


class Shown(NamedTuple):
    """One step of a replay, and the round after it."""

    step: Step
    round: Round


def past(
    house: House, account: str, sought: Sought, before: Place, limit: int
) -> list[Past]:
    """Return a player's rounds that have ended, from behind a place on, newest first.

    Raises DatabaseUnavailable.
    """
    found = past_rounds(house.database, account, sought, before, limit)
    return [Past(one.round, _seen(house, one)) for one in found]


def replay(house: House, account: str, round_id: str) -> list[Shown]:
    """Return a round step by step, from the deal on.

    Raises RoundNotFound, ArchiveUnavailable or DatabaseUnavailable.
    """
    steps = steps_of(logged(house, account, round_id), house.catalog.versions())
    return list(_shown(_told(steps, said_of(house.database, account, round_id))))


def logged(house: House, account: str, round_id: str) -> list[LogRow]:
    """Return the rows of a round's log. Raises as `replay` does."""
    rows = house.load(account, round_id, None).rows
    if not rows:
        raise RoundNotFound(round_id)
    return rows


def balance_before(seen: Seen) -> int | None:
    """Return what the player had before the deal, if his wallet said it, or None."""
    after = seen.steps[0].balance
    boxes = seen.round.opened.boxes
    staked = sum(box.wager + box.bonus_wager for box in boxes)
    return None if after is None else after + staked


def balance_after(seen: Seen) -> int | None:
    """Return what he had when the round had ended, if his wallet said it, or None."""
    return seen.steps[-1].balance


def _seen(house: House, found: Logged) -> Seen | None:
    """Return what a round's log tells; None if that is not to be had."""
    row, rows, said = found
    if row.archived_in is not None:
        try:
            archived = house.archived(row.archived_in, row.round_id)
        except ArchiveUnavailable:
            return None
        rows = [*archived.rows, *rows]
    steps = steps_of(rows, house.catalog.versions())
    return seen_of(row.round_id, _told(steps, said))


def _told(steps: tuple[Step, ...], said: bytes | None) -> tuple[Step, ...]:
    """Add the balances that a wallet told after the log's rows were written."""
    if said is None:
        return steps
    balances: dict[int, int] = {}
    for version, answer in orjson.loads(said):
        funds = (answer or {}).get("balance")
        if funds is not None:
            balances[version] = funds["amount"]
    return tuple(
        step._replace(balance=balances.get(step.version, step.balance))
        for step in steps
    )


def _shown(steps: tuple[Step, ...]) -> Iterator[Shown]:
    round_: Round | None = None
    for step in steps:
        round_ = fold(step.events, round_)
        yield Shown(step, round_)
