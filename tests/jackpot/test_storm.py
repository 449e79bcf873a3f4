"""Everything that can happen to a jackpot, at once; then it has to add up."""

import random
import threading
from collections import Counter
from functools import partial
from typing import Final

from service.changes import Actor, move_overflow
from service.cli.jackpot_files import keep_jackpot
from service.jackpotfile import parse_jackpot
from service.refusals import NotAllowed, VersionStale
from service.store.database import Database
from service.store.jackpots import moment_of_meters
from tests.jackpot.crowd import OPERATOR, Crowd
from tests.jackpot.test_crowd import MANY, RING
from tests.play.test_jackpotfile import TEXT
from tests.rules.tables import with_line
from tests.support.money import assert_money_is_right
from tests.support.waiting import at_once

CARDS: Final = "P AS,AC / AH,AD | U T | H 7 | AS,AC,AH,AD"
MOVES: Final = (
    *(("1a", "hit"), ("1a", "hit"), ("1a", "stand")),
    *(("2a", "hit"), ("2a", "hit"), ("2a", "stand")),
)
PLAYERS: Final = 8 if MANY else 4
ROUNDS: Final = 50 if MANY else 4
PAUSE: Final = 0.02
FILES: Final = (
    TEXT,
    with_line(TEXT, "ceiling", "ceiling = 7_500_010"),
    with_line(TEXT, "ceiling", "ceiling = 9_000_000"),
    with_line(TEXT, "reset", "reset = 8_000_000"),
)


class Storm:
    """Players, somebody who takes rounds back, and an office that changes files."""

    def __init__(self, dsn: str) -> None:
        self.dsn: Final = dsn
        self.crowd: Final = Crowd(dsn, RING, CARDS)
        self.rounds: Final[list[tuple[str, str]]] = []
        self.counts: Final[Counter[str]] = Counter()
        self.over: Final = threading.Event()

    def play(self, number: int) -> None:
        """Play rounds that hit twice; a round is over when another took it back."""
        name = f"p-{number}"
        self.crowd.fund(name)
        for turn in range(ROUNDS):
            try:
                self._round(name, turn)
            except VersionStale:
                self.counts["overtaken"] += 1

    def _round(self, name: str, turn: int) -> None:
        play, ask = self.crowd.play, partial(self.crowd.ask, name)
        at = self.crowd.deal(name, 2, f"deal-{turn}")
        self.rounds.append((name, at.round_id))
        for step, (hand, action) in enumerate(MOVES):
            key = ask(f"{action}-{step}-{turn}")
            at = play.act(key, at.round_id, at.version, hand, action)  # type: ignore[arg-type]  # mypy takes a word for any text
        play.settle(ask(f"settle-{turn}"), at.round_id, at.version)
        self.counts["settled"] += 1

    def take_back(self) -> None:
        """Take rounds back, in play or over, until the others have ended."""
        chance = random.Random(1)  # noqa: S311 - to be the same again
        while not self.over.wait(PAUSE):
            if self.rounds:
                name, round_id = chance.choice(self.rounds[-PLAYERS:])
                ask = self.crowd.ask(name, f"back-{self.counts['tried']}")
                self.counts["tried"] += 1
                try:
                    self.crowd.play.malfunction(ask, round_id, "a fault")
                except NotAllowed:
                    continue  # it was taken back before
                self.counts["taken back"] += 1

    def change(self) -> None:
        """Load files, add up wagers, move overflow; and look at it all meanwhile."""
        chance = random.Random(2)  # noqa: S311 - to be the same again
        owner = Database(self.dsn, role=None)
        who = Actor("cli:test", "a storm")
        while not self.over.wait(PAUSE):
            text = chance.choice(FILES)
            keep_jackpot(owner, who, parse_jackpot(text, "mine.toml"), text)
            self.crowd.meters.fold(OPERATOR, "aces-usd")
            move_overflow(owner, who, (OPERATOR, "aces-usd"))
            for meter, held in moment_of_meters(owner):
                assert meter.rest(held.reserved + held.paid) == 0
        owner.close()


def test_it_adds_up_whatever_happens_at_once(opened: str) -> None:
    storm = Storm(opened)

    def players() -> None:
        try:
            jobs = [partial(storm.play, number) for number in range(PLAYERS)]
            assert at_once(jobs) == [None] * PLAYERS
        finally:
            storm.over.set()

    assert at_once([players, storm.take_back, storm.change]) == [None] * 3
    assert storm.counts["settled"] > 0
    assert storm.counts["taken back"] > 0
    ((meter, held),) = moment_of_meters(storm.crowd.database)
    assert meter.rest(held.reserved + held.paid) == 0
    storm.crowd.database.close()
    assert_money_is_right(opened)
