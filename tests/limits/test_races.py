"""Limits and PINs that several processes change and try at once."""

from collections.abc import Iterator
from functools import partial
from typing import Final

import pytest

from service.chance import new_id
from service.keyfile import KeyFile
from service.limits import OwnLimit, RaiseUsed, change_limit, limit_of
from service.pins import PinLocked, PinNotSet, Pins, PinWrong
from service.sealing import KeyRing
from service.store.database import Database
from service.store.limits import Whose
from service.store.pins import begin_try, try_was_right
from service.weeks import NEW_YORK_FRIDAYS
from tests.support.postgres import Postgres
from tests.support.waiting import at_once

RING: Final = KeyRing.from_text(KeyFile.fresh_text("k1"), "test")
WRONG: Final = "0000"
RIGHT: Final = "4711"


@pytest.fixture(scope="module")
def workers(postgres: Postgres) -> Iterator[list[Database]]:
    """Give one database as four processes have it."""
    with postgres.copy() as dsn:
        databases = [Database(dsn) for _ in range(4)]
        yield databases
        for database in databases:
            database.close()


@pytest.fixture
def pins(workers: list[Database]) -> list[Pins]:
    return [Pins(database, RING) for database in workers]


@pytest.fixture
def ann(pins: list[Pins]) -> str:
    """Give a player with a PIN."""
    player = f"ann-{new_id()}"
    pins[0].set("cli:test", "dev", player, RIGHT)
    return player


def test_five_of_many_tries_at_once_are_counted(
    workers: list[Database], ann: str
) -> None:
    jobs = [partial(begin_try, db, "dev", ann, 5, 900) for db in workers * 4]
    tries = [found for found in at_once(jobs) if found is not None]
    numbers = [found.number for found in tries if not isinstance(found, Exception)]
    assert sorted(numbers) == [1, 2, 3, 4, 5]


def test_wrong_pins_at_once_in_several_processes_lock_with_the_fifth(
    pins: list[Pins], ann: str
) -> None:
    told = at_once([partial(each.check, "dev", ann, WRONG) for each in pins * 2])
    assert sorted(e.tries_left for e in told if isinstance(e, PinWrong)) == [*range(5)]
    locked = [error.seconds for error in told if isinstance(error, PinLocked)]
    assert len(locked) == 3
    assert all(0 < seconds <= 900 for seconds in locked)
    with pytest.raises(PinLocked):
        pins[0].check("dev", ann, RIGHT)


def test_a_right_pin_between_wrong_ones_takes_them_back(
    pins: list[Pins], ann: str
) -> None:
    for _ in range(3):
        for left in (4, 3, 2, 1):
            with pytest.raises(PinWrong) as caught:
                pins[left - 1].check("dev", ann, WRONG)
            assert caught.value.tries_left == left
        pins[3].check("dev", ann, RIGHT)


def test_a_try_of_the_pin_before_does_not_count_for_the_new_one(
    workers: list[Database], pins: list[Pins], ann: str
) -> None:
    old = begin_try(workers[0], "dev", ann, 5, 900)
    assert old is not None
    pins[1].set("cli:test", "dev", ann, "2222")
    for left in (4, 3, 2, 1, 0):
        with pytest.raises(PinWrong) as caught:
            pins[2].check("dev", ann, WRONG)
        assert caught.value.tries_left == left
    try_was_right(workers[0], "dev", ann, old.secret)
    with pytest.raises(PinLocked):
        pins[2].check("dev", ann, "2222")


def test_a_pin_is_its_operators_and_its_players(pins: list[Pins], ann: str) -> None:
    for operator, player in (("other", ann), ("dev", "bob"), ("*", ann)):
        with pytest.raises(PinNotSet):
            pins[0].check(operator, player, RIGHT)


def test_of_raises_at_once_one_is_asked_for(workers: list[Database]) -> None:
    whose = Whose("dev", f"ann-{new_id()}", "USD")
    change_limit(workers[0], NEW_YORK_FRIDAYS, whose, 100)
    wishes = [200, 300, 400, 500]
    jobs = [
        partial(change_limit, db, NEW_YORK_FRIDAYS, whose, wish)
        for db, wish in zip(workers, wishes, strict=True)
    ]
    told = at_once(jobs)
    # A smaller one than that which waits makes it smaller; a larger one is refused.
    taken = [one.waiting for one in told if isinstance(one, OwnLimit)]
    assert all(isinstance(one, OwnLimit | RaiseUsed) for one in told)
    limit = limit_of(workers[0], NEW_YORK_FRIDAYS, whose)
    assert (limit.maximum, limit.waiting) == (100, min(filter(None, taken)))


def test_of_lowerings_at_once_the_last_is_in_force(workers: list[Database]) -> None:
    whose = Whose("dev", f"ann-{new_id()}", "USD")
    jobs = [
        partial(change_limit, db, NEW_YORK_FRIDAYS, whose, 100) for db in workers * 2
    ]
    told = at_once(jobs)
    assert len({one.since for one in told if isinstance(one, OwnLimit)}) == 1
    limit = limit_of(workers[0], NEW_YORK_FRIDAYS, whose)
    assert told == [limit] * 8
