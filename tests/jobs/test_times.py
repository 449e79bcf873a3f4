"""When a round's time is over, to the microsecond: for the API and for the job."""

from typing import Final

import pytest

from tests.api.player import Got, Player, url_of
from tests.jobs.night import BEGIN, GRACE, Night
from tests.support.clock import DAY, SECOND, instant_of

OPEN: Final = 90 * DAY
"""What `void_after_days` says at each table that is shipped."""


def dealt(night: Night, player: Player, at: int = BEGIN) -> Got:
    """Deal a round at a time, in which a hand waits for its player."""
    night.site.rig.stack("P 5,6 | U 7 | H T | 2,3,4,5")
    night.clock.set(at)
    got = player.deal(1_000)
    assert got.status == 201
    return got


def status_of(player: Player, got: Got) -> str:
    return str(player.get(url_of(got)).json["status"])


# Known fault 59: what expired between two ticks was never claimed again.
def test_59_until_the_last_microsecond_a_round_is_played(
    night: Night, alice: Player
) -> None:
    got = dealt(night, alice)
    assert instant_of(got.round["expires_at"]) == BEGIN + OPEN
    night.clock.set(BEGIN + OPEN - 1)
    assert night.void() == []
    assert alice.act(got, "hit").status == 200


@pytest.mark.parametrize("late", [0, 1, SECOND, 7 * DAY, 5_000 * DAY])
def test_59_from_its_time_on_a_round_is_refused_and_voided(
    night: Night, alice: Player, late: int
) -> None:
    before = night.has(alice)
    got = dealt(night, alice)
    night.clock.set(BEGIN + OPEN + late)
    # Whether or not a job has run.
    assert alice.act(got, "hit").refusal == (409, "round_expired")
    assert status_of(alice, got) == "playing"
    assert night.void() == ["voided"]
    assert status_of(alice, got) == "void"
    assert night.has(alice) == before
    assert night.void() == []


def test_59_a_job_that_was_missed_for_a_week_makes_up_for_it(night: Night) -> None:
    players = [night.site.player() for _ in range(9)]
    rounds = [
        dealt(night, player, BEGIN + day * DAY) for day, player in enumerate(players)
    ]
    night.clock.set(BEGIN + OPEN - 1)
    assert night.void() == []
    night.clock.set(BEGIN + OPEN + 7 * DAY)
    assert night.void() == ["voided"] * 8
    found = [status_of(*one) for one in zip(players, rounds, strict=True)]
    assert found == ["void"] * 8 + ["playing"]


def test_59_the_last_move_does_not_count_but_the_opening(
    night: Night, alice: Player
) -> None:
    got = dealt(night, alice)
    night.clock.set(BEGIN + OPEN - SECOND)
    got = alice.act(got, "hit")
    assert instant_of(got.round["expires_at"]) == BEGIN + OPEN
    night.clock.set(BEGIN + OPEN)
    assert night.void() == ["voided"]
    assert status_of(alice, got) == "void"


@pytest.mark.parametrize(
    ("opened", "ends"),
    [
        ("2028-02-29T12:00:00.000001Z", "2028-05-29T12:00:00.000001Z"),
        ("2027-12-01T00:00:00.000000Z", "2028-02-29T00:00:00.000000Z"),
        # Over a change of the clocks in the database's zone: a day has 24 hours.
        ("2027-03-13T12:00:00.000000Z", "2027-06-11T12:00:00.000000Z"),
        ("2027-11-06T12:00:00.000000Z", "2028-02-04T12:00:00.000000Z"),
    ],
)
def test_59_ninety_days_are_ninety_times_24_hours(
    night: Night, alice: Player, opened: str, ends: str
) -> None:
    got = dealt(night, alice, instant_of(opened))
    assert got.round["expires_at"] == ends
    night.clock.set(instant_of(ends) - 1)
    assert night.void() == []
    night.clock.set(instant_of(ends))
    assert night.void() == ["voided"]


@pytest.mark.parametrize("late", [0, 400 * DAY])
def test_a_decided_round_is_settled_after_the_grace_however_late(
    night: Night, alice: Player, late: int
) -> None:
    before = night.has(alice)
    night.site.rig.stack("P A,K | U 9 | H 7")
    got = alice.deal(1_000)
    assert got.round["decided_at"] == got.round["opened_at"]
    night.clock.set(BEGIN + GRACE * SECOND - 1)
    assert night.settle() == []
    night.clock.set(BEGIN + GRACE * SECOND + late)
    assert night.void() == []
    assert night.settle() == ["settled"]
    assert night.has(alice) == before + 1_500
    assert night.settle() == []
    again = alice.settle(got)
    assert (again.status, again.round["status"]) == (200, "settled")
    assert again.headers["Idempotent-Replayed"] == "true"
    assert night.has(alice) == before + 1_500
