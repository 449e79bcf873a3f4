"""Of two who change the same thing each tells what he found, and both are told of."""

import json
import threading
from collections.abc import Callable, Iterator
from typing import Final

import psycopg
import pytest

from service.changes import Actor, change_offer, start, stop
from service.store.database import Database
from service.store.feed import BEGINNING
from service.store.operators import Offer, offers_of, set_offer
from service.store.significant import EVERYTHING, Noted, all_events
from tests.support.waiting import DEADLINE, at_once, until


@pytest.fixture
def two(dsn: str) -> Iterator[list[Database]]:
    found = [Database(dsn) for _ in range(2)]
    yield found
    for one in found:
        one.close()


def noted(db: Database, count: int) -> list[Noted]:
    found: list[Noted] = []

    def read() -> bool:
        found[:] = all_events(db, None, EVERYTHING, BEGINNING, 99)
        return len(found) >= count

    until(read, f"{count} events")
    assert len(found) == count
    return found


def values(one: Noted) -> tuple[object, object]:
    """Return what was so before, and since."""
    return json.loads(one.before or b"null"), json.loads(one.after or b"null")


def test_two_stops_at_once_follow_each_other(two: list[Database]) -> None:
    for turn in range(5):
        jobs: list[Callable[[], None]] = [
            lambda db=db, n=n: stop(db, Actor(f"cli:{n}"), "dev", "ann", f"why {n}")  # type: ignore[misc]  # mypy can't tell what a default binds
            for n, db in enumerate(two)
        ]
        assert at_once(jobs) == [None, None]
        pair = noted(two[0], turn * 3 + 2)[-2:]
        first, second = sorted(pair, key=lambda one: one.before is not None)
        assert first.before is None
        assert second.before == first.after
        assert start(two[0], Actor("cli:0"), "dev", "ann")
        assert values(noted(two[0], turn * 3 + 3)[-1]) == (values(second)[1], None)
    assert not start(two[0], Actor("cli:0"), "dev", "ann")


def test_two_offers_at_once_lose_neither_change(two: list[Database]) -> None:
    offer = Offer("dev", "classic-three", "USD")
    changes: list[Callable[[Offer], Offer]] = [
        lambda held: held._replace(minimum=200),
        lambda held: held._replace(maximum=5_000),
    ]
    for _ in range(5):
        jobs: list[Callable[[], Offer]] = [
            lambda db=db, c=c: change_offer(db, Actor("cli:0"), offer, c)  # type: ignore[misc]  # as above
            for db, c in zip(two, changes, strict=True)
        ]
        assert offer._replace(minimum=200, maximum=5_000) in at_once(jobs)
        (kept,) = offers_of(two[0], "dev")
        assert (kept.minimum, kept.maximum) == (200, 5_000)
        set_offer(two[0], offer)
        assert offers_of(two[0], "dev") == []
    for first, second in zip(*[iter(noted(two[0], 10))] * 2, strict=True):
        pair = {json.dumps(values(one)[0]) for one in (first, second)}
        assert len(pair) == 2, "each tells what he found"


WAITS: Final = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


def test_no_change_of_an_offer_is_made_of_an_old_one(
    dsn: str, two: list[Database]
) -> None:
    """The one who changes it meanwhile waits, and changes what there is then."""
    offer = Offer("dev", "classic-three", "USD", minimum=100)
    set_offer(two[0], offer)
    one, other = two

    def more(held: Offer) -> Offer:
        return held._replace(exposure=(held.exposure or 0) + 1)

    rival = threading.Thread(
        target=change_offer, args=(other, Actor("cli:1"), offer, more)
    )
    with psycopg.connect(dsn, autocommit=True) as owner:

        def waits() -> bool:
            found = owner.execute(WAITS).fetchone()
            return found != (0,) or not rival.is_alive()

        def slowly(held: Offer) -> Offer:
            rival.start()
            until(waits, "the other one waits")
            return more(held)

        change_offer(one, Actor("cli:0"), offer, slowly)
        rival.join(DEADLINE)
    assert [kept.exposure for kept in offers_of(one, "dev")] == [2]


def test_a_change_that_is_refused_is_no_change(two: list[Database]) -> None:
    offer = Offer("dev", "classic-three", "USD")

    def refuse(_: Offer) -> Offer:
        raise KeyError

    with pytest.raises(KeyError):
        change_offer(two[0], Actor("cli:0"), offer, refuse)
    assert offers_of(two[0], "dev") == []
    stop(two[0], Actor("cli:0"), "dev", "ann", "an end to it")
    (one,) = noted(two[0], 1)
    assert one.kind == "player_stopped"
