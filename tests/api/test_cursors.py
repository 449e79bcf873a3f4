"""Cursors that somebody made up: no list takes what is no place of its own."""

import base64
from typing import Final

import pytest

from tests.api.operator import Operator, url_of
from tests.api.player import Got, Player
from tests.api.site import Site

NO_IDS: Final = ("-" * 36, "0" * 36, f"{'0' * 32}----", f"{'0-' * 18}")
"""Made of what ids are made of."""


def made_up(cursor: str, place: str) -> str:
    """Return a cursor of the same list that names another id."""
    text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    return base64.urlsafe_b64encode(f"{text[:-36]}{place}".encode()).decode().strip("=")


@pytest.fixture
def many(site: Site, casino: Operator, alice: Player) -> Player:
    """Give a player with two of everything that is listed."""
    site.rig.stack("P A,K | U 9 | H 7")
    for _ in range(2):
        alice.settle(alice.deal(1000))
    site.rig.stack("P 9,7 | U 6 | H 5")
    for table in ("classic-three", "american-five"):
        alice.deal(1000, table=table)
    casino.block(alice.name)
    return alice


@pytest.mark.parametrize("place", NO_IDS)
def test_what_is_no_id_is_no_cursor(casino: Operator, many: Player, place: str) -> None:
    me = url_of(many.name)
    lists: list[tuple[Player | Operator, str]] = [
        (many, "/v1/history?"),
        (many, "/v1/rounds?status=open&"),
        (casino, "/v1/transactions?"),
        (casino, "/v1/significant-events?"),
        (casino, f"{me}/statement?currency=USD&"),
        (casino, f"{me}/history?"),
        (casino, f"{me}/rounds?status=open&"),
    ]
    for who, path in lists:
        first: Got = who.get(f"{path}limit=1")
        cursor = first.json["next_cursor"]
        assert who.get(f"{path}limit=1&cursor={cursor}").status == 200
        got = who.get(f"{path}limit=1&cursor={made_up(cursor, place)}")
        assert got.refusal == (422, "invalid"), path
        assert got.json["errors"][0]["pointer"] == "query:cursor"
