"""`list_tables` and `get_table`: public, the same for everybody."""

from typing import Any

import pytest

from tests.api.player import Player
from tests.api.site import Site

TABLES = ["progressive-five", "shared-five", "classic-three", "american-five"]


def test_the_four_tables_are_listed_by_number(alice: Player) -> None:
    got = alice.get("/v1/tables", authorization=None)
    assert got.status == 200
    assert got.headers["Cache-Control"] == "no-cache"
    assert [table["table_id"] for table in got.json["items"]] == TABLES
    assert [table["number"] for table in got.json["items"]] == [
        "000",
        "001",
        "002",
        "003",
    ]
    assert got.json["next_cursor"] is None


@pytest.mark.parametrize("table_id", TABLES)
def test_a_table_is_shown_as_in_the_list(alice: Player, table_id: str) -> None:
    got = alice.get(f"/v1/tables/{table_id}", authorization=None)
    listed = alice.get("/v1/tables", authorization=None).json["items"]
    assert got.status == 200
    assert got.json in listed
    assert got.json["table_id"] == table_id


SPLIT_ONCE = {
    "on": "value",
    "hands": 2,
    "aces_hit": False,
    "aces_double": False,
    "aces_resplit": False,
    "twenty_one": "plain",
}
SPLIT_TO_FOUR = {
    **dict.fromkeys(("aces_hit", "aces_double", "aces_resplit"), True),
    "on": "value",
    "hands": 4,
    "twenty_one": "plain",
}
ALIKE = {
    "actions": ["hit", "stand", "double", "split"],
    "double": {"after_split": True},
    "twenty_one_stands": True,
    "payouts": {"natural": "3:2", "insurance": "2:1", "win": "1:1"},
    "void_after_days": 90,
    "on_expiry": "void",
}
STANDS = {"dealer": {"soft_17": "stand", "peeks": True}, "split": SPLIT_ONCE}
FRESH = {"reshuffle": "every_round", "cut_card": None}


def limits(low: int, high: int, chips: int, bonus: int | None = None) -> dict[str, Any]:
    """Return a table's limits, in minor units of two digits."""
    return {
        "minimum": low,
        "maximum": high,
        "step": 100,
        "chips": [100, 500, 2_500, 10_000, 50_000][:chips],
        "bonus_wager": bonus,
        "exponent": 2,
    }


@pytest.mark.parametrize(
    ("table_id", "rules"),
    [
        (
            "progressive-five",
            {
                "decks": 8,
                "boxes": 5,
                "shared": False,
                "shoe": FRESH,
                **STANDS,
                "insurance": {"choice": "all_or_none"},
                "limits": {"USD": limits(200, 250_000, 5, 100)},
                "under_minimum": "raise",
            },
        ),
        (
            "shared-five",
            {
                "decks": 8,
                "boxes": 5,
                "shared": True,
                **STANDS,
                "shoe": {"reshuffle": "cut_card", "cut_card": 139},
                "insurance": {"choice": "all_or_none"},
                "limits": {"USD": limits(200, 250_000, 5)},
                "under_minimum": "raise",
            },
        ),
        (
            "classic-three",
            {
                "decks": 6,
                "boxes": 3,
                "shared": False,
                "shoe": FRESH,
                **STANDS,
                "insurance": {"choice": "any"},
                "limits": dict.fromkeys(("EUR", "USD"), limits(100, 10_000, 4)),
                "under_minimum": "refuse",
            },
        ),
        (
            "american-five",
            {
                "decks": 6,
                "boxes": 5,
                "shared": False,
                "shoe": FRESH,
                "dealer": {"soft_17": "hit", "peeks": True},
                "split": SPLIT_TO_FOUR,
                "insurance": {"choice": "any"},
                "limits": dict.fromkeys(("EUR", "USD"), limits(100, 50_000, 4)),
                "under_minimum": "refuse",
            },
        ),
    ],
)
def test_a_page_tells_the_rules_of_its_document(
    alice: Player, table_id: str, rules: dict[str, Any]
) -> None:
    page = alice.get(f"/v1/tables/{table_id}", authorization=None).json
    told = {**ALIKE, **rules}
    assert {key: page[key] for key in told} == told


def test_a_table_says_what_it_pays_and_caps(alice: Player) -> None:
    progressive, _, classic, american = alice.get("/v1/tables").json["items"]
    pays = {line["line"]: line["pays"] for line in progressive["bonus"]["paytable"]}
    assert list(pays.values()) == sorted(pays.values())
    assert (pays["two_unsuited_aces"], pays["four_aces_of_one_colour"]) == (25, 75_000)
    assert [line["jackpot"] for line in progressive["bonus"]["paytable"]].count(
        True
    ) == 1
    assert (classic["bonus"], american["max_win"]) == (None, None)
    amount = {"EUR": 25_000, "USD": 25_000}
    assert classic["max_win"] == {"multiple": "5:2", "basis": "hand", "amount": amount}


def test_a_known_table_is_not_sent_again(alice: Player) -> None:
    first = alice.get("/v1/tables/classic-three")
    again = alice.get("/v1/tables/classic-three", if_none_match=first.version)
    assert (again.status, again.body, again.version) == (304, b"", first.version)
    assert again.headers["Cache-Control"] == "no-cache"
    assert "Content-Type" not in again.headers


@pytest.mark.parametrize("tag", ['"0"', "none", "", '"1", "2"'])
def test_another_tag_is_answered_in_full(alice: Player, tag: str) -> None:
    assert alice.get("/v1/tables/classic-three", if_none_match=tag).status == 200


def test_an_unknown_table_is_not_found(alice: Player) -> None:
    got = alice.get("/v1/tables/progressive-nine")
    assert got.refusal == (404, "table_not_found")
    assert got.json["detail"] == "There is no table progressive-nine."


@pytest.mark.parametrize("name", ["Classic", "a", "x" * 41, "%00", "..%2Fx", "a_b"])
def test_a_name_that_no_table_can_have_is_invalid(alice: Player, name: str) -> None:
    got = alice.get(f"/v1/tables/{name}")
    assert got.status in {404, 422}
    if "%2F" not in name:
        assert got.refusal == (422, "invalid")
        assert [fault["pointer"] for fault in got.json["errors"]] == ["path:table_id"]


def test_every_table_that_is_shown_can_be_found_by_its_name(site: Site) -> None:
    assert {t.table_id for t in site.api.catalog.current()} == set(TABLES)
