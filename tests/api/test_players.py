"""`list_player_rounds`, `get_player_round`: an operator looks at his own players."""

from typing import Final

import pytest

from service.chance import new_id
from tests.api.operator import Operator, url_of
from tests.api.player import Got, Player
from tests.api.player import url_of as round_of
from tests.api.site import Site

OPEN: Final = "rounds?status=open"


def look(operator: Operator, player: str, on: Got, more: str = "") -> Got:
    return operator.get(f"{url_of(player)}/rounds/{on.round['id']}{more}")


@pytest.fixture
def dealt(site: Site, alice: Player) -> Got:
    site.rig.stack("P 9,7 | U 6 | H 5")
    return alice.deal(1000)


def test_an_operator_sees_what_his_player_sees(
    casino: Operator, alice: Player, dealt: Got
) -> None:
    got = look(casino, alice.name, dealt)
    theirs = alice.get(round_of(dealt))
    assert (got.status, got.body, got.version) == (200, theirs.body, theirs.version)
    listed = casino.get(f"{url_of(alice.name)}/{OPEN}")
    assert listed.json == {"items": [got.json], "next_cursor": None}


def test_what_is_known_is_not_sent_again(
    casino: Operator, alice: Player, dealt: Got
) -> None:
    target = f"{url_of(alice.name)}/rounds/{dealt.round['id']}"
    got = casino.get(target, if_none_match=dealt.version)
    assert (got.status, got.body, got.version) == (304, b"", dealt.version)


def test_rounds_are_of_one_player_mode_and_operator(
    casino: Operator, other: Operator, alice: Player, bob: Player, dealt: Got
) -> None:
    missing = (404, "round_not_found")
    assert look(other, alice.name, dealt).refusal == missing
    assert look(casino, bob.name, dealt).refusal == missing
    assert look(casino, alice.name, dealt, "?mode=demo").refusal == missing
    for operator, target in (
        (other, f"{url_of(alice.name)}/{OPEN}"),
        (casino, f"{url_of(bob.name)}/{OPEN}"),
        (casino, f"{url_of(alice.name)}/{OPEN}&mode=demo"),
    ):
        assert operator.get(target).json["items"] == []
    unknown = casino.get(f"{url_of(alice.name)}/rounds/{new_id()}")
    assert unknown.refusal == missing


def test_demo_rounds_are_asked_for(site: Site, casino: Operator) -> None:
    demo = Player(site.app, site.player().name, "USD", "demo")
    on = demo.deal(1000)
    assert look(casino, demo.name, on).refusal == (404, "round_not_found")
    assert look(casino, demo.name, on, "?mode=demo").json == on.round
    listed = casino.get(f"{url_of(demo.name)}/{OPEN}&mode=demo")
    assert listed.json["items"] == [on.round]


def test_a_list_has_pages(casino: Operator, alice: Player, dealt: Got) -> None:
    later = alice.deal(1000, table="american-five")
    first = casino.get(f"{url_of(alice.name)}/{OPEN}&limit=1")
    cursor = first.json["next_cursor"]
    second = casino.get(f"{url_of(alice.name)}/{OPEN}&limit=1&cursor={cursor}")
    items = [page.json["items"] for page in (first, second)]
    assert items == [[later.round], [dealt.round]]
    assert second.json["next_cursor"] is None
    theirs = alice.get(f"/v1/{OPEN}&limit=1&cursor={cursor}")
    assert theirs.refusal == (422, "invalid"), "a cursor is of its list"


@pytest.mark.parametrize("what", [OPEN, "rounds/{id}", "balance?currency=USD"])
def test_a_player_has_a_name(casino: Operator, what: str) -> None:
    what = what.format(id=new_id())
    for name in ("a%20b", "a" * 65, ".a", "%2a"):
        assert casino.get(f"{url_of(name)}/{what}").refusal == (422, "invalid")
