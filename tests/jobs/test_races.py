"""A job and a player at the same moment, each on a connection of its own: one wins."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import pytest

from service.jobs.ending import VOID
from service.jobs.job import run_once
from tests.api.player import Got, Player, url_of
from tests.jobs.night import BEGIN, GRACE, MANY, Night
from tests.support.clock import DAY, SECOND
from tests.support.gates import Gate, Racer, in_turn
from tests.support.waiting import at_once

OVER: Final = BEGIN + 90 * DAY
TURNS: Final = 100 if MANY else 25

Command = Callable[[], Any]


def dealt(night: Night, player: Player) -> Got:
    night.site.rig.stack("P 5,6 | U 7 | H T | 2,8,9")
    night.clock.set(BEGIN)
    return player.deal(1_000)


def raced(night: Night, *racers: tuple[int, Gate, Command]) -> list[Any]:
    """Let them come to the log in this order, each having set out at his own time."""
    return in_turn(
        night.site.dsn,
        *(
            Racer(gate, command, partial(night.clock.set, at))
            for at, gate, command in racers
        ),
    )


# Known fault 56: a job voided rounds that were being played, and they were paid, too.
@pytest.mark.parametrize(
    ("action", "words", "net"),
    [
        # The card was drawn; the round is still not decided, and then void.
        ("hit", ["voided"], 0),
        # Nothing is left to decide: never voided, it lost against 17.
        ("stand", [], -1_000),
        # Money is moving: the job passes the round over, and finds it decided.
        ("double", [], -2_000),
    ],
)
def test_56_a_move_before_the_void_counts(
    night: Night, alice: Player, action: str, words: list[str], net: int
) -> None:
    before = night.has(alice)
    got = dealt(night, alice)
    moved, voided = raced(
        night,
        (OVER - 1, "player", lambda: alice.act(got, action)),
        (OVER, "job", night.void),
    )
    assert (moved.status, voided) == (200, words)
    night.clock.set(OVER + GRACE * SECOND)
    night.settle()
    ended = alice.get(url_of(got)).json
    assert ended["status"] == ("void" if words else "settled")
    assert night.has(alice) - before == net == ended["payout"] - ended["stake"]


@pytest.mark.parametrize("action", ["hit", "stand", "double"])
def test_56_a_move_behind_the_void_is_refused(
    night: Night, alice: Player, action: str
) -> None:
    before = night.has(alice)
    got = dealt(night, alice)
    voided, moved = raced(
        night,
        (OVER, "job", night.void),
        (OVER - 1, "player", lambda: alice.act(got, action)),
    )
    assert voided == ["voided"]
    assert moved.refusal == (412, "version_stale")
    assert moved.json["round"]["status"] == "void"
    later = alice.act(got, action, if_match='"2"')
    assert later.refusal == (409, "round_void")
    assert night.has(alice) == before
    assert len(night.rows(got)) == 2


# Known fault 61: two refunds together exceeded the payment.
def test_61_two_jobs_refund_a_round_once(night: Night, alice: Player) -> None:
    before = night.has(alice)
    got = dealt(night, alice)
    results = raced(night, (OVER, "job", night.void), (OVER, "job", night.void))
    assert results == [["voided"], []]
    assert night.has(alice) == before
    assert len(night.rows(got)) == 2


# Known fault 57: a round was refunded, then compared and set, and paid as well.
def test_57_a_round_is_settled_or_voided_and_never_both(
    night: Night, alice: Player
) -> None:
    ends: Counter[str] = Counter()
    for _ in range(TURNS):
        before = night.has(alice)
        got = dealt(night, alice)
        night.clock.set(OVER - 1)

        def play(got: Got = got) -> None:
            stood = alice.act(got, "stand")
            if stood.status == 200:
                alice.settle(stood)

        def expire() -> None:
            night.clock.set(OVER)
            night.void()

        for result in at_once([play, expire, expire]):
            assert result is None, result
        status = alice.get(url_of(got)).json["status"]
        ends[status] += 1
        net, rows = {"void": (0, 2), "settled": (-1_000, 3)}[status]
        assert (night.has(alice) - before, len(night.rows(got))) == (net, rows)
    assert ends.total() == TURNS


def test_60_copies_of_a_job_end_different_rounds(night: Night) -> None:
    rounds = []
    for _ in range(30):
        player = night.site.player()
        rounds.append((player, dealt(night, player), night.has(player) + 1_000))
    night.clock.set(OVER)
    words: list[list[str]] = [[], [], []]
    jobs = [night.job(VOID, 4) for _ in words]
    at_once(
        [
            lambda job=job, said=said: run_once([job], night.log.logger, said.append)  # type: ignore[misc]  # mypy can't tell what a default binds
            for job, said in zip(jobs, words, strict=True)
        ]
    )
    night.void()
    assert sum(map(len, words)) == len(rounds)
    for player, got, before in rounds:
        assert (night.has(player), len(night.rows(got))) == (before, 2)
