"""`get_round`: the round as it stands, to its owner alone."""

import pytest

from service.chance import new_id
from tests.api.player import Player, url_of
from tests.api.site import Site


def test_a_round_is_read_as_it_was_answered(site: Site, alice: Player) -> None:
    site.rig.stack("P 8,8 | U A | H T | 3,K,9,5")
    got = alice.deal(1000)
    for move in ["insure", "settle"]:
        read = alice.get(url_of(got))
        assert (read.status, read.json, read.version) == (200, got.round, got.version)
        assert read.headers["Cache-Control"] == "no-store"
        got = alice.play(got, move)
    assert alice.get(url_of(got)).json == got.round
    assert got.round["status"] == "settled"


def test_a_known_version_is_not_sent_again(site: Site, alice: Player) -> None:
    site.rig.stack("P 2,3 | U 6 | H 5 | 4")
    dealt = alice.deal(1000)
    url = url_of(dealt)
    for tag in ['"1"', 'W/"1"', '"7", "1"', "*"]:
        same = alice.get(url, if_none_match=tag)
        assert (same.status, same.body, same.version) == (304, b"", '"1"')
        assert same.headers["Cache-Control"] == "no-store"
    alice.act(dealt, "hit")
    moved = alice.get(url, if_none_match='"1"')
    assert (moved.status, moved.version) == (200, '"2"')


@pytest.mark.parametrize("tag", ["", "1", '"2"', "\xff", ",", '"'])
def test_what_is_no_tag_of_it_matches_nothing(alice: Player, tag: str) -> None:
    dealt = alice.deal(1000)
    assert alice.get(url_of(dealt), if_none_match=tag).status == 200


def test_a_round_of_someone_else_is_not_found(alice: Player, bob: Player) -> None:
    url = url_of(alice.deal(1000))
    got = bob.get(url)
    unknown = bob.get(f"/v1/rounds/{new_id()}")
    assert got.refusal == unknown.refusal == (404, "round_not_found")
    assert got.json["detail"] == unknown.json["detail"]


def test_a_demo_player_of_the_same_name_is_another(site: Site, alice: Player) -> None:
    url = url_of(alice.deal(1000))
    demo = site.player(alice.name)
    demo.mode = "demo"
    demo.token = demo.fresh_token()
    assert demo.get(url).refusal == (404, "round_not_found")


def test_another_currencys_token_may_read(site: Site, alice: Player) -> None:
    dealt = alice.deal(1000)
    euro = site.player(alice.name, currency="EUR")
    assert euro.get(url_of(dealt)).json == dealt.round


@pytest.mark.parametrize("name", ["x", "0" * 36, "{ID}", "{id}%0A", "%20"])
def test_an_id_that_no_round_can_have_is_invalid(alice: Player, name: str) -> None:
    id_ = new_id()
    got = alice.get(f"/v1/rounds/{name.format(id=id_, ID=id_.upper())}")
    assert got.refusal == (422, "invalid")
    assert got.json["errors"][0]["pointer"] == "path:round_id"
