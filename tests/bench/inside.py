"""What a command costs inside one process, without HTTP and without PostgreSQL.

A round of 20 events, as it comes from the log: parsed, folded, one more hit decided
and folded, the answer made and written as JSON.
"""

import statistics
import time
from collections.abc import Callable
from importlib.resources import files
from typing import Final

import orjson

from service.api.views import events_view, round_view
from service.recorded import Ask, Step, data_of, next_row, seen_of, steps_of
from service.rules.cards import Card
from service.rules.commands import Act, BoxWager, Command, Deal
from service.rules.decide import decide
from service.rules.fold import fold
from service.rules.legal import Action
from service.rules.round import Round
from service.store.rows import LogRow
from service.tablefile import parse_table

EVENTS: Final = 20
_PLAYER: Final = "ann"
# Boxes 1 and 2, the upcard, boxes 1 and 2, the hole card, then what is drawn.
_CARDS: Final = (
    *("8S", "2D", "6S", "8H", "3D", "TH", "2C", "2D"),
    *("2C", "3C", "2S", "2C", "4D", "2D", "2H", "2S", "2C", "3H", "3S"),
)
_MOVES: Final[tuple[tuple[str, Action], ...]] = (
    *(("1a", "split"), ("1a", "hit"), ("1a", "hit"), ("1a", "hit"), ("1a", "stand")),
    *(("1b", "hit"), ("1b", "hit"), ("1b", "hit"), ("1b", "stand")),
    *(("2a", "hit"), ("2a", "hit"), ("2a", "hit"), ("2a", "hit")),
)
_LAST: Final = Act(_PLAYER, "2a", "hit", 1)
_ROUNDS: Final = 200
_SERIES: Final = 15


class _Shoe:
    @staticmethod
    def card_at(place: int) -> Card:
        return Card(_CARDS[place])


def microseconds() -> dict[str, float]:
    """Return CPU microseconds of each part of a hit on the round of 20 events."""
    table = parse_table(
        files("service").joinpath("tables/american-five.toml").read_text("utf-8"), ""
    )
    versions = {table.version: table}
    rows = _rows(
        Deal(
            table=table,
            currency="USD",
            boxes=(BoxWager(1, _PLAYER, 1000), BoxWager(2, _PLAYER, 1000)),
            raise_to_minimum=False,
            at=0,
            shoe_id="s" * 36,
            first_place=0,
            shuffler="rigged",
            commitment="c" * 64,
        )
    )
    steps = steps_of(rows, versions)
    seen = seen_of("r", steps)
    assert sum(len(step.events) for step in steps) == EVENTS
    new = decide(seen.round, _LAST, _Shoe())
    after = fold(new, seen.round)
    step = Step(len(rows) + 1, 1, EVENTS + 1, tuple(new))
    assert after.status == "playing"

    def view() -> None:
        orjson.dumps(
            {
                "round": round_view("r", step.version, after, _PLAYER),
                "events": events_view(step, _PLAYER),
            }
        )

    return {
        "parse": _cpu(lambda: steps_of(rows, versions)),
        "fold": _cpu(lambda: fold(new, seen_of("r", steps).round)),
        "decide": _cpu(lambda: decide(seen.round, _LAST, _Shoe())),
        "view": _cpu(view),
    }


def _rows(deal: Deal) -> list[LogRow]:
    """Play the round and return its log."""
    rows: list[LogRow] = []
    round_: Round | None = None
    ask = Ask("a" * 36, _PLAYER, "key-0001", bytes(32))
    moves = (Act(_PLAYER, hand, action, 1) for hand, action in _MOVES)
    commands: tuple[Command, ...] = (deal, *moves)
    for command in commands:
        new = decide(round_, command, _Shoe())
        round_ = fold(new, round_)
        rows.append(next_row(rows[-1] if rows else None, ask, "r", 1, data_of(new)))
    return rows


def _cpu(work: Callable[[], object]) -> float:
    """Return the median over several series of the CPU time of one call."""
    taken = []
    for _ in range(_SERIES):
        begun = time.process_time_ns()
        for _ in range(_ROUNDS):
            work()
        taken.append((time.process_time_ns() - begun) / _ROUNDS / 1000)
    return statistics.median(taken)
