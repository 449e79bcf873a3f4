"""Rounds that were left open too long: they can be read, and no more."""

import pytest

from tests.api.aged import deal_days_ago, expire
from tests.api.player import Got, Player
from tests.api.site import Site

COMMANDS = {
    "insurance": {"boxes": []},
    "actions": {"hand": "1a", "action": "stand"},
    "settlement": None,
}


def command(player: Player, url: str, name: str, version: str) -> Got:
    return player.post(f"{url}/{name}", COMMANDS[name], if_match=version)


def test_the_last_day_is_a_day_of_play(site: Site, alice: Player) -> None:
    site.rig.stack("P T,9 | U 7 | H T")
    url = deal_days_ago(site, alice, 89)
    assert command(alice, url, "actions", '"1"').status == 200


def test_from_the_ninetieth_day_on_no_move_is_accepted(
    site: Site, alice: Player
) -> None:
    site.rig.stack("P T,9 | U 7 | H T")
    url = deal_days_ago(site, alice, 90)
    for name in ("insurance", "actions"):
        got = command(alice, url, name, '"1"')
        assert got.refusal == (409, "round_expired")
        assert got.json["legal_actions"] == []
    assert command(alice, url, "settlement", '"1"').refusal == (
        409,
        "round_not_decided",
    )
    assert alice.get(url).json["status"] == "playing"
    assert alice.get("/v1/rounds?status=open").json["items"][0]["id"] in url


def test_a_decided_round_is_settled_however_late(site: Site, alice: Player) -> None:
    site.rig.stack("P A,K | U 9 | H 7")
    url = deal_days_ago(site, alice, 400)
    got = command(alice, url, "settlement", '"1"')
    assert (got.status, got.round["payout"]) == (200, 2500)


# Known fault 58: a stale request brought an expired and refunded round back.
@pytest.mark.parametrize("name", COMMANDS)
def test_58_a_void_round_stays_void(site: Site, alice: Player, name: str) -> None:
    site.rig.stack("P T,9 | U 7 | H T")
    url = deal_days_ago(site, alice, 91)
    expire(site, alice, url)
    before = alice.get(url)
    events = alice.get(f"{url}/events").body
    assert command(alice, url, name, '"1"').refusal == (412, "version_stale")
    late = command(alice, url, name, '"2"')
    assert late.refusal == (409, "round_void")
    assert late.json["legal_actions"] == []
    assert alice.get(url).body == before.body
    assert alice.get(f"{url}/events").body == events


def test_a_void_round_is_shown_with_its_refund(site: Site, alice: Player) -> None:
    site.rig.stack("P T,9 | U A | H 7")
    url = deal_days_ago(site, alice, 91)
    expire(site, alice, url)
    got = alice.get(url).json
    assert (got["status"], got["stake"], got["payout"]) == ("void", 1000, 1000)
    assert got["hands"][0]["result"] == "void"
    none = {"status": "declined", "stake": 0, "payout": None}
    assert got["boxes"][0]["insurance"] == none
    assert got["dealer"]["hole_card"] == "face_down"
    last = alice.get(f"{url}/events").json["events"][-1]
    assert last["type"] == "round_voided"
    assert (last["payout"], last["refunds"]) == (1000, [])
    proof = alice.get(f"{url}/proof")
    assert (proof.status, len(proof.json["rows"])) == (200, 2)


def test_a_new_round_may_begin_after_a_void_one(site: Site, alice: Player) -> None:
    url = deal_days_ago(site, alice, 91)
    assert alice.deal(1000).refusal == (409, "round_open_exists")
    expire(site, alice, url)
    assert alice.deal(1000).status == 201
