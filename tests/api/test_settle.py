"""`settle_round`: what is decided is paid, once."""

import pytest

from tests.api.player import Got, Player, url_of
from tests.api.site import Site


@pytest.fixture
def decided(site: Site, alice: Player) -> Got:
    site.rig.stack("P T,9 | U 7 | H T")
    return alice.play(alice.deal(1000), "stand")


def test_a_decided_round_is_paid(alice: Player, decided: Got) -> None:
    got = alice.settle(decided)
    assert (got.status, got.version, got.round["status"]) == (200, '"3"', "settled")
    assert (got.round["stake"], got.round["payout"]) == (1000, 2000)
    (event,) = got.json["events"]
    assert (event["type"], event["payout"]) == ("round_settled", 2000)
    assert got.round["closed_at"] == event["at"]
    assert got.round["legal_actions"] == []


def test_a_settled_round_answers_with_its_settlement_again(
    site: Site, alice: Player, decided: Got
) -> None:
    first = alice.settle(decided)
    rows = site.log_rows()
    for tag in (first.version, decided.version, '"1"'):
        again = alice.settle(decided, if_match=tag)
        assert (again.status, again.body) == (200, first.body)
        assert again.headers["Idempotent-Replayed"] == "true"
        assert again.version == first.version
    assert site.log_rows() == rows


def test_a_round_in_play_is_not_settled(site: Site, alice: Player) -> None:
    site.rig.stack("P 9,7 | U 6 | H 5")
    dealt = alice.deal(1000)
    got = alice.settle(dealt)
    assert got.refusal == (409, "round_not_decided")
    assert got.json["legal_actions"] == dealt.round["legal_actions"]


def test_an_old_version_is_stale(alice: Player, decided: Got) -> None:
    got = alice.settle(decided, if_match='"1"')
    assert got.refusal == (412, "version_stale")
    assert got.json["round"] == decided.round


def test_the_version_must_be_named(alice: Player, decided: Got) -> None:
    got = alice.settle(decided, if_match=None)
    assert got.refusal == (428, "if_match_missing")


@pytest.mark.parametrize("body", [b"{}", b"null", b" ", b"\x00", b"[1"])
def test_there_is_no_body(alice: Player, decided: Got, body: bytes) -> None:
    path = f"{url_of(decided)}/settlement"
    headers = {"if_match": decided.version, "idempotency_key": "no-body-here"}
    got = alice.ask("POST", path, body, **headers)
    assert got.refusal == (422, "invalid")
    assert got.json["errors"][0]["pointer"] == ""
    assert alice.ask("POST", path, b"", **headers).status == 200


def test_another_currency_may_settle(site: Site, alice: Player, decided: Got) -> None:
    euro = site.player(alice.name, currency="EUR")
    assert euro.settle(decided).round["payout"] == 2000


def test_another_player_finds_nothing_to_settle(bob: Player, decided: Got) -> None:
    assert bob.settle(decided).refusal == (404, "round_not_found")
