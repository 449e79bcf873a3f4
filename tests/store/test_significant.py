"""Significant events are written with their cause, or not at all, and none is lost."""

import json
from contextlib import suppress
from typing import Final

import pytest

from service.chance import new_id
from service.store.database import Database, clock
from service.store.errors import LostRace
from service.store.feed import BEGINNING, Place
from service.store.significant import (
    EVERYTHING,
    Kind,
    Noted,
    Significant,
    Sought,
    all_events,
    events_of,
    note,
)
from service.store.writes import append_and_project, append_paid, open_round
from tests.support.samples import AT, SHOE, first_row, next_row, opened, round_row
from tests.support.sent import wire
from tests.support.waiting import until

LATE: Final = 8_000_000_000_123_457
"""An instant of the year 2223: where microseconds nearly fill a double."""
VOIDED: Final = Significant("round_voided", AT, "job", "dev")


def follow(
    db: Database, count: int, operator: str | None = None, sought: Sought = EVERYTHING
) -> list[Noted]:
    """Read until so many are there: other transactions may hold them back."""
    found: list[Noted] = []

    def read() -> bool:
        found[:] = all_events(db, operator, sought, BEGINNING, 100)
        return len(found) >= count

    until(read, f"{count} events")
    return found


@pytest.mark.parametrize("at", [AT, AT + 1, LATE])
def test_an_event_comes_back_as_it_was_noted(database: Database, at: int) -> None:
    account, round_id = new_id(), new_id()
    event = Significant(
        *("offer_changed", at, "cli:ann", "dev", account, "bob", "real", round_id, 3),
        *({"enabled": True}, {"enabled": False, "ä": None}, {"owed": 2**52}),
        "a 'reason' of \u2014 \"text\"",
    )
    note(database, event)
    (found,) = follow(database, 1)
    told = [None if v is None else json.loads(v) for v in found[10:13]]
    assert [*found[1:10], *told, found.why] == [
        *(account, "dev", "bob", "real", "offer_changed", round_id, 3, at, "cli:ann"),
        *(event.before, event.after, event.data, event.why),
    ]


def test_what_is_not_said_stays_unsaid(database: Database) -> None:
    note(database, Significant("table_loaded", AT, "cli:ann"))
    (found,) = follow(database, 1)
    assert found[1:] == (
        *(None, None, None, None, "table_loaded", None, None, AT, "cli:ann"),
        *(None, None, None, None),
    )


def test_an_event_goes_with_its_transaction(database: Database) -> None:
    with suppress(KeyError), database.transaction():
        note(database, VOIDED)
        raise KeyError
    note(database)
    note(database, VOIDED._replace(at=1), VOIDED._replace(at=2))
    assert {one.at for one in follow(database, 2)} == {1, 2}


@pytest.mark.parametrize("way", ["open", "paid", "project"])
def test_a_command_and_its_events_are_one_statement(
    database: Database, way: str
) -> None:
    notes = [VOIDED._replace(ver=1), VOIDED._replace(ver=2, why="x")]

    def write() -> None:
        if way == "open":
            row = first_row(new_id())
            open_round(database, SHOE, row, round_row(row), None, notes=notes)
        elif way == "paid":
            append_paid(
                database, next_row(opened(database), "key-2"), None, notes=notes
            )
        else:
            last = opened(database)
            row = next_row(last, "key-2")
            append_and_project(database, row, round_row(last), None, notes=notes)

    opened(database)
    write()
    sent = wire(database, write)
    assert sent.count("Execute") == (1 if way == "open" else 2)
    assert "Query" not in sent
    assert sorted(one.ver or 0 for one in follow(database, 4)) == [1, 1, 2, 2]


def test_a_command_that_lost_its_race_notes_nothing(database: Database) -> None:
    last = opened(database)
    row = next_row(last, "key-2")
    append_and_project(database, row, round_row(last), None, notes=[VOIDED])
    rival = next_row(last, "key-3")
    with pytest.raises(LostRace):
        append_and_project(database, rival, round_row(last), None, notes=[VOIDED])
    with pytest.raises(LostRace):
        append_paid(database, rival, None, notes=[VOIDED])
    note(database, VOIDED._replace(at=1))
    assert [one.at for one in follow(database, 2)] == [AT, 1]


def test_an_operator_is_told_his_own_and_what_concerns_all(database: Database) -> None:
    kinds: tuple[Kind, ...] = ("table_loaded", "seal_made", "gaming_stopped")
    events = [
        VOIDED._replace(operator=operator, kind=kind)
        for operator in ("dev", "other", None)
        for kind in kinds
    ]
    for event in events:
        note(database, event)
    follow(database, len(events))
    found = events_of(database, "dev", EVERYTHING, BEGINNING, 100)
    assert [(one.operator, one.kind) for one in found] == [
        *(("dev", "table_loaded"), ("dev", "seal_made"), ("dev", "gaming_stopped")),
        *((None, "table_loaded"), (None, "gaming_stopped")),
    ]
    assert {one.operator for one in follow(database, 3, "other")} == {"other"}


def test_pages_part_what_is_sought(database: Database) -> None:
    with database.transaction():
        for number in range(9):
            kind: Kind = "round_voided" if number % 3 else "large_win"
            mode = "demo" if number == 1 else "real"
            whose = "dev" if number % 2 else None
            event = Significant("table_loaded", number, "job", whose)
            note(database, event if whose is None else VOIDED._replace(at=number))
            more = VOIDED._replace(kind=kind, mode=mode, at=number)
            note(database, more)
    follow(database, 18)

    def read(sought: Sought, limit: int) -> list[int]:
        found: list[Noted] = []
        place = BEGINNING
        while page := events_of(database, "dev", sought, place, limit):
            assert len(page) <= limit
            found += page
            place = page[-1].place
        assert len({one.place for one in found}) == len(found)
        return sorted(one.at for one in found)

    for limit in (1, 4, 50):
        assert len(read(EVERYTHING, limit)) == 18
        assert read(Sought("large_win"), limit) == [0, 3, 6]
        assert read(Sought(None, "demo"), limit) == [1]
        assert read(Sought("large_win", None, 3, 6), limit) == [3]
        assert read(Sought("table_loaded", None, 2), limit) == [2, 4, 6, 8]


def test_a_late_commit_is_not_lost(dsn: str, database: Database) -> None:
    slow = Database(dsn)
    with slow.transaction():
        note(slow, VOIDED._replace(at=clock(slow)))
        note(database, VOIDED)
        assert events_of(database, "dev", EVERYTHING, BEGINNING, 9) == []
    late, early = follow(database, 2)
    assert early.at == AT
    place = Place(late.place.tx, late.place.id)
    assert events_of(database, "dev", EVERYTHING, place, 9) == [early]
    slow.close()
