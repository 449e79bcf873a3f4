"""A request that is sent again: the first one's answer, and nothing happens."""

import json

import pytest

from service.chance import new_id
from tests.api.player import Got, Player, url_of
from tests.api.site import Site

SAME = ("Content-Type", "Cache-Control", "ETag", "Location", "Content-Length")


def assert_repeat(again: Got, first: Got) -> None:
    assert (again.status, again.body) == (first.status, first.body)
    assert [again.headers.get(name) for name in SAME] == [
        first.headers.get(name) for name in SAME
    ]
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers


def test_every_command_of_a_round_can_be_repeated_at_any_time(
    site: Site, alice: Player
) -> None:
    site.rig.stack("P 8,8 | U A | H 6 | 3,K,9")
    keys = [new_id() for _ in range(6)]
    dealt = alice.deal(1000, idempotency_key=keys[0])
    told = [dealt, alice.insure(dealt, 1, idempotency_key=keys[1])]
    for key, action in zip(keys[2:5], ["split", "double", "stand"], strict=True):
        told.append(alice.act(told[-1], action, idempotency_key=key))
    told.append(alice.settle(told[-1], idempotency_key=keys[5]))
    rows = site.log_rows()
    for _ in range(2):
        assert_repeat(alice.deal(1000, idempotency_key=keys[0]), told[0])
        assert_repeat(alice.insure(told[0], 1, idempotency_key=keys[1]), told[1])
        for place, action in enumerate(["split", "double", "stand"], start=2):
            again = alice.act(told[place - 1], action, idempotency_key=keys[place])
            assert_repeat(again, told[place])
        assert_repeat(alice.settle(told[4], idempotency_key=keys[5]), told[5])
    assert site.log_rows() == rows


def test_white_space_order_and_quotes_do_not_make_another_request(
    site: Site, alice: Player
) -> None:
    site.rig.stack("P 2,3 | U 6 | H 5 | 4,4")
    dealt = alice.deal(1000)
    path = f"{url_of(dealt)}/actions"
    bodies = [
        b'{"hand":"1a","action":"hit"}',
        b' { "action" : "hit",\n\t"hand":"1a" } ',
        b'{"hand":"1\\u0061","action":"hit"}',
    ]
    keys = ["the-same-key", '"the-same-key"', "the-same-key"]
    answers = [
        alice.ask("POST", path, body, idempotency_key=key, if_match=tag)
        for body, key, tag in zip(bodies, keys, ['"1"', None, '"2"'], strict=True)
    ]
    for again in answers[1:]:
        assert_repeat(again, answers[0])


def test_a_new_token_of_the_player_repeats_too(site: Site, alice: Player) -> None:
    first = alice.deal(1000, idempotency_key="the-same-key")
    again = site.player(alice.name).deal(1000, idempotency_key="the-same-key")
    assert_repeat(again, first)


@pytest.mark.parametrize("other", ["wager", "table", "path", "command"])
def test_a_key_is_of_one_request(site: Site, alice: Player, other: str) -> None:
    site.rig.stack("P 2,3 | U 6 | H 5 | 4,4")
    key = "the-same-key"
    dealt = alice.deal(1000, idempotency_key=key)
    sent = {
        "wager": lambda: alice.deal(1100, idempotency_key=key),
        "table": lambda: alice.deal(1000, table="american-five", idempotency_key=key),
        "path": lambda: alice.act(dealt, "hit", idempotency_key=key),
        "command": lambda: alice.settle(dealt, idempotency_key=key),
    }
    got = sent[other]()
    assert got.refusal == (422, "idempotency_key_reused")
    assert alice.get(url_of(dealt)).json == dealt.round


def test_one_key_for_two_rounds_is_of_the_first(site: Site, alice: Player) -> None:
    site.rig.stack("P 2,3 | U 6 | H 5 | 4,4")
    one, two = (alice.deal(1000, table=t) for t in ("classic-three", "american-five"))
    alice.act(one, "hit", idempotency_key="the-same-key")
    got = alice.act(two, "hit", idempotency_key="the-same-key")
    assert got.refusal == (422, "idempotency_key_reused")


def test_a_refused_commands_key_may_be_used_again(site: Site, alice: Player) -> None:
    site.rig.stack("P 9,7 | U 6 | H 5 | 4")
    refused = alice.deal(50, idempotency_key="the-same-key")
    assert refused.status == 409
    dealt = alice.deal(1000, idempotency_key="the-same-key")
    assert dealt.status == 201
    assert alice.act(dealt, "split", idempotency_key="another-key").status == 409
    assert alice.act(dealt, "hit", idempotency_key="another-key").status == 200


def test_a_key_is_of_one_player(alice: Player, bob: Player) -> None:
    mine = alice.deal(1000, idempotency_key="the-same-key")
    his = bob.deal(1000, idempotency_key="the-same-key")
    assert (mine.status, his.status) == (201, 201)
    assert mine.round["id"] != his.round["id"]


# Known fault 48: without the key nothing kept a request from being done twice.
def test_48_a_command_without_a_key_does_nothing_twice(
    site: Site, alice: Player
) -> None:
    rows = site.log_rows()
    for _ in range(2):
        got = alice.deal(1000, idempotency_key=None)
        assert got.refusal == (400, "idempotency_key_missing")
    assert site.log_rows() == rows


# Known fault 48, the other half: a client that makes a new key for each try.
def test_48_new_keys_do_nothing_twice_either(site: Site, alice: Player) -> None:
    site.rig.stack("P T,9 | U 7 | H T")
    first, second = alice.deal(1000), alice.deal(1000)
    assert second.refusal == (409, "round_open_exists")
    acted, again = alice.act(first, "stand"), alice.act(first, "stand")
    assert again.refusal == (412, "version_stale")
    settled, twice = alice.settle(acted), alice.settle(acted)
    assert (twice.status, twice.body) == (200, settled.body)
    assert json.loads(alice.get(url_of(first)).body)["version"] == 3
