"""A round waits as it was: for its player, not for a session; under its own rules."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from service.store.tables import save_table_version
from service.tablefile import parse_table
from tests.api.operator import Operator
from tests.api.player import Got, Player, url_of
from tests.api.site import Site
from tests.support.postgres import Postgres

OPEN: Final = "/v1/rounds?status=open"
TABLE: Final = "american-five"


LEFT: Final = [
    ("P 9,7 | U A | H 5 | 3", "", "insurance", "pass stand"),
    ("P 9,7 | U A | H 5 | 3", "pass", "playing", "stand"),
    ("P 5,4 | U 6 | H 5 | 3", "hit", "playing", "stand"),
    ("P 8,8 | U 6 | H 5 | 3,4", "split", "playing", "stand stand"),
    ("P A,K | U 9 | H 7", "", "awaiting_settlement", ""),
]
"""Cards, what was done, what the round waits for, and what was left to do."""


@pytest.mark.parametrize("left", LEFT)
def test_another_session_goes_on_where_the_last_one_was(
    site: Site, casino: Operator, alice: Player, left: tuple[str, str, str, str]
) -> None:
    story, moves, status, more = left
    site.rig.stack(story)
    on = alice.deal(table=TABLE)
    on = alice.play(on, moves)
    before = alice.get(url_of(on))
    # Another device, a session of its own, and a token that this one never saw.
    again = casino.launched(alice.name)
    assert again.token != alice.token
    (found,) = again.get(OPEN).json["items"]
    assert (found, found["status"]) == (before.json, status)
    assert again.get(url_of(on)).body == before.body
    me = again.get("/v1/players/me").json["open_rounds"]
    assert [(one["url"], one["status"]) for one in me] == [(url_of(on), status)]
    assert found["expires_at"] > found["opened_at"]
    assert found["on_expiry"] == "void"
    assert found["legal_actions"]
    ended = again.play(on, f"{more} settle")
    assert alice.get(url_of(on)).json == ended.round


def test_a_deal_tells_where_the_open_round_is(site: Site, alice: Player) -> None:
    site.rig.stack("P 9,7 | U 6 | H 5")
    dealt = alice.deal(table=TABLE)
    got = site.player(alice.name).deal(table=TABLE)
    assert got.refusal == (409, "round_open_exists")
    assert got.json["round_url"] == url_of(dealt)


@pytest.fixture
def apart(postgres: Postgres, tmp_path: Path) -> Iterator[Site]:
    """Give a service whose tables may change: a version is loaded once for all."""
    with postgres.copy() as dsn:
        site = Site(dsn, tmp_path)
        yield site
        site.close()


def change_table(site: Site, old: str, new: str) -> str:
    """Load a table with a line of its file changed; give the new version."""
    catalog = site.api.catalog
    text = catalog.source(catalog.table(TABLE).version)
    assert old in text
    rules = parse_table(text.replace(old, new), TABLE)
    save_table_version(site.bank, TABLE, rules.version, text.replace(old, new))
    # As if some seconds had gone by: then it is offered.
    catalog._read_at = -float("inf")  # noqa: SLF001 - time is not waited for
    assert catalog.table(TABLE).version == rules.version
    return rules.version


def test_a_round_is_played_to_its_end_under_the_rules_that_it_began_with(
    apart: Site,
) -> None:
    alice, bob = apart.player(), apart.player()
    # The dealer's A,6 draws at this table, and stands after the change.
    apart.rig.stack("P T,8 | U 6 | H A | 4")
    begun = alice.deal(table=TABLE)
    version = begun.round["table_version"]
    changed = change_table(apart, 'soft_17 = "hit"', 'soft_17 = "stand"')
    assert changed != version
    ended = alice.play(begun, "stand settle")
    assert ended.round["table_version"] == version
    assert ended.round["dealer"]["total"] == 21
    assert ended.round["hands"][0]["result"] == "lose"
    after = bob.play(bob.deal(table=TABLE), "stand settle")
    assert after.round["table_version"] == changed
    assert after.round["dealer"]["total"] == 17
    assert after.round["hands"][0]["result"] == "win"
    assert alice.get(url_of(ended)).json == ended.round
    (item,) = alice.get("/v1/history").json["items"]
    assert item["table_version"] == version


def test_a_round_of_a_blocked_player_is_finished(
    site: Site, casino: Operator, alice: Player
) -> None:
    site.rig.stack("P 9,7 | U 6 | H 5 | T")
    dealt: Got = alice.deal(table=TABLE)
    casino.block(alice.name)
    try:
        assert alice.play(dealt, "stand settle").round["status"] == "settled"
    finally:
        casino.unblock(alice.name)
