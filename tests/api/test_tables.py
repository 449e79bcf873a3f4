"""`list_tables` and `get_table`: public, the same for everybody."""

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


def test_a_table_says_what_it_pays_and_caps(alice: Player) -> None:
    progressive, shared, classic, american = alice.get("/v1/tables").json["items"]
    pays = {line["line"]: line["pays"] for line in progressive["bonus"]["paytable"]}
    assert list(pays.values()) == sorted(pays.values())
    assert (pays["two_unsuited_aces"], pays["four_aces_of_one_colour"]) == (25, 75_000)
    assert [line["jackpot"] for line in progressive["bonus"]["paytable"]].count(
        True
    ) == 1
    assert (classic["bonus"], american["max_win"]) == (None, None)
    amount = {"EUR": 25_000, "USD": 25_000}
    assert classic["max_win"] == {"multiple": "5:2", "basis": "hand", "amount": amount}
    assert [table["shared"] for table in (progressive, shared)] == [False, True]
    assert shared["shoe"] == {"reshuffle": "cut_card", "cut_card": 139}
    assert american["dealer"] == {"soft_17": "hit", "peeks": True}


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
