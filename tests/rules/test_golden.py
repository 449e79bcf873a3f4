"""Stored rounds mean for ever what they meant, and stored names are frozen."""

import json
from typing import Any, Final

import pytest

from service.rules.decide import decide
from service.rules.events import EVENTS, STORED_AS
from service.rules.fold import fold
from service.rules.round import Round
from service.rules.stored import decode, encode
from tests.rules.golden import FOLDER, final_of, frozen_table, main, read_command
from tests.rules.rig import shoe_of
from tests.rules.tables import TABLES

STORIES: Final = sorted(path.stem for path in FOLDER.glob("*.json"))

# What a later release must still read. A change of meaning is a new name, such as
# hand_split/2, beside the old one.
FROZEN: Final = {
    "round_opened/1": "table_id table_version currency opened_at expires_at shoe_id "
    "first_place shuffler commitment minimum maximum max_win boxes",
    "card_dealt/1": "hand card",
    "upcard_dealt/1": "card",
    "hole_card_dealt/1": "",
    "insurance_taken/1": "box stake",
    "insurance_declined/1": "box",
    "dealer_peeked/1": "natural",
    "insurance_resolved/1": "box payout",
    "hand_hit/1": "hand card decided_by",
    "hand_stood/1": "hand decided_by",
    "hand_doubled/1": "hand stake card decided_by",
    "hand_split/1": "hand new_hand stake cards decided_by",
    "hand_busted/1": "hand",
    "hole_card_revealed/1": "card",
    "dealer_drew/1": "card",
    "hand_resolved/1": "hand result payout",
    "win_capped/1": "hand withheld",
    "jackpot_reserved/1": "box jackpot_id amount",
    "bonus_resolved/1": "box line payout jackpot",
    "round_decided/1": "at",
    "round_settled/1": "at payout",
    "round_voided/1": "at payout refunds",
    "round_malfunctioned/1": "at reason correction",
}
FROZEN_INNER: Final = {
    "boxes": "box player wager raised_from bonus_wager",
    "refunds": "box amount",
}


def read(name: str) -> dict[str, Any]:
    stored: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return stored


@pytest.mark.parametrize("name", STORIES)
def test_stored_rounds_fold_to_what_they_were(name: str) -> None:
    story = read(name)
    table = frozen_table(story["table"])
    log = [event for step in story["steps"] for event in step["events"]]
    events = [decode(dict(event), {table.version: table}) for event in log]
    assert json.loads(json.dumps([encode(event) for event in events])) == log
    assert final_of(fold(events)) == story["final"]


@pytest.mark.parametrize("name", STORIES)
def test_recorded_commands_give_the_recorded_events(name: str) -> None:
    story = read(name)
    table = frozen_table(story["table"])
    shoe, round_ = shoe_of(story["shoe"]), None
    for step in story["steps"]:
        events = decide(round_, read_command(step["ask"], table), shoe)
        assert json.loads(json.dumps([encode(e) for e in events])) == step["events"]
        round_ = fold(events, round_)
    assert isinstance(round_, Round)
    assert final_of(round_) == story["final"]


def test_every_table_and_every_event_is_in_a_story() -> None:
    stories = [read(name) for name in STORIES]
    assert {story["table"] for story in stories} >= {f"{name}.toml" for name in TABLES}
    kinds = {
        event["type"]
        for story in stories
        for step in story["steps"]
        for event in step["events"]
    }
    assert kinds == set(EVENTS)


def test_the_names_and_fields_of_stored_events_are_frozen() -> None:
    fields: dict[str, str] = {}
    for name in STORIES:
        for step in read(name)["steps"]:
            for event in step["events"]:
                kind = event.pop("type")
                assert fields.setdefault(kind, " ".join(event)) == " ".join(event)
                for key in event.keys() & FROZEN_INNER.keys():
                    for inner in event[key]:
                        assert " ".join(inner) == FROZEN_INNER[key]
    assert fields == FROZEN
    assert {STORED_AS[kind]: kind for kind in STORED_AS} == dict(EVENTS)


def test_what_this_release_stores_has_the_frozen_fields() -> None:
    for name, kind in EVENTS.items():
        own = " ".join(kind._fields)
        if name == "round_opened/1":
            own = own.replace("table ", "table_id table_version ", 1)
        assert own == FROZEN[name]


@pytest.mark.parametrize("unknown", ["hand_split/2", "hand_surrendered/1", ""])
def test_an_event_of_a_later_release_is_refused(unknown: str) -> None:
    with pytest.raises(KeyError):
        decode({"type": unknown, "hand": "1a"}, {})


def test_a_round_of_an_unknown_table_version_is_refused() -> None:
    opened = read(STORIES[0])["steps"][0]["events"][0]
    with pytest.raises(KeyError, match=opened["table_version"]):
        decode(opened, {})


def test_an_old_story_is_never_written_again() -> None:
    before = (FOLDER / f"{STORIES[0]}.json").read_bytes()
    with pytest.raises(FileExistsError):
        main([STORIES[0], "classic-three", "P T,9 | U T | H 7", "stand"])
    assert (FOLDER / f"{STORIES[0]}.json").read_bytes() == before
