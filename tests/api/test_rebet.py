"""The same bet again: `rebet` in a deal, `last_wagers` of `get_me`."""

from typing import Any, Final

import pytest

from service.chance import new_id
from service.store.operators import Offer, set_offer
from tests.api.operator import Operator
from tests.api.player import Got, Player
from tests.api.site import Site

PROGRESSIVE: Final = "progressive-five"
CLASSIC: Final = "classic-three"
TWICE: Final = {"boxes": [{"box": 1, "wager": 1000}], "rebet": True}


def again(player: Player, table: str = CLASSIC, **more: Any) -> Got:  # noqa: ANN401 - JSON
    """Bet the same again at a table."""
    headers = {name: more.pop(name) for name in ("idempotency_key",) if name in more}
    body = {"table_id": table, "currency": player.currency, "rebet": True, **more}
    return player.post("/v1/rounds", body, **headers)


def bets(got: Got) -> dict[int, tuple[int, int]]:
    """Return the wager and the bonus wager of each box of a round."""
    return {
        box["box"]: (box["wager"], box["bonus_wager"] or 0)
        for box in got.round["boxes"]
    }


def last(player: Player) -> list[dict[str, Any]]:
    return list(player.get("/v1/players/me").json["last_wagers"])


# Known fault 18: the doubled stake was bet again, and so doubled each time.
def test_18_a_double_is_not_bet_again(site: Site, alice: Player) -> None:
    site.rig.stack("P 5,6 | U 6 | H T | T,T")
    on = alice.deal(2500)
    for _ in range(3):
        assert bets(on) == {1: (2500, 0)}
        assert alice.play(on, "double settle").round["stake"] == 5000
        on = again(alice)
        assert on.status == 201


# Known fault 18: of a split each hand was bet again.
def test_18_a_split_is_not_bet_again(site: Site, alice: Player) -> None:
    site.rig.stack("P 8,8 / T,9 | U A | H 6 | 3,K,9,9")
    boxes = [{"box": 3, "wager": 300}, {"box": 1, "wager": 1000}]
    body = {"table_id": CLASSIC, "currency": "USD", "boxes": boxes}
    on = alice.play(alice.post("/v1/rounds", body), "insure split double stand")
    alice.play(on, "stand settle")
    assert bets(again(alice)) == {1: (1000, 0), 3: (300, 0)}


# Known fault 65: boxes of an earlier round were bet again.
def test_65_the_boxes_are_those_of_the_last_round_alone(
    site: Site, alice: Player
) -> None:
    site.rig.stack("P T,T / T,9 / T,8 | U T | H 9")
    alice.play(alice.deal(100, 200, 300), "stand stand stand settle")
    site.rig.stack("P T,T | U T | H 9")
    alice.play(alice.deal(400), "stand settle")
    assert bets(again(alice)) == {1: (400, 0)}


def test_bonus_wagers_are_bet_again_and_raised_wagers_as_they_were_raised(
    site: Site, alice: Player
) -> None:
    site.rig.stack("P T,T / T,9 | U T | H 9")
    boxes = [{"box": 2, "wager": 100}, {"box": 4, "wager": 1000, "bonus_wager": 100}]
    body = {"table_id": PROGRESSIVE, "currency": "USD", "boxes": boxes}
    first = alice.post("/v1/rounds", {**body, "raise_to_minimum": True})
    alice.play(first, "stand stand settle")
    shown = [{"box": 2, "wager": 200}, {"box": 4, "wager": 1000, "bonus_wager": 100}]
    assert last(alice) == [{"table_id": PROGRESSIVE, "currency": "USD", "boxes": shown}]
    on = again(alice, PROGRESSIVE)
    assert bets(on) == {2: (200, 0), 4: (1000, 100)} == bets(first)
    assert on.round["boxes"][0]["raised_from"] is None


def test_each_table_has_a_last_round_of_its_own(site: Site, alice: Player) -> None:
    assert last(alice) == []
    site.rig.stack("P T,T | U T | H 9")
    alice.play(alice.deal(1000), "stand settle")
    alice.play(alice.deal(700, table="american-five"), "stand settle")
    alice.deal(300)
    assert [(one["table_id"], one["boxes"]) for one in last(alice)] == [
        (CLASSIC, [{"box": 1, "wager": 300}]),  # the open one is the last one
        ("american-five", [{"box": 1, "wager": 700}]),
    ]
    assert again(alice).refusal == (409, "round_open_exists")
    assert bets(again(alice, "american-five")) == {1: (700, 0)}


def test_without_a_last_round_there_is_nothing_to_bet_again(
    site: Site, alice: Player, bob: Player
) -> None:
    bob.deal(1000)
    refused = again(alice)
    assert refused.refusal == (409, "no_last_round")
    demo = Player(site.app, bob.name, "USD", "demo")
    assert again(demo).refusal == (409, "no_last_round"), "demo rounds are others"
    assert again(alice, "shared-five").refusal == (409, "table_shared")
    assert again(alice, "no-such-table").refusal == (404, "table_not_found")


def test_the_currency_is_that_of_the_last_round(site: Site, alice: Player) -> None:
    site.rig.stack("P T,T | U T | H 9")
    alice.play(alice.deal(1000), "stand settle")
    euro = site.player(alice.name, currency="EUR")
    refused = again(euro)
    assert refused.refusal == (409, "currency_mismatch")
    assert last(euro)[0]["currency"] == "USD"


@pytest.mark.parametrize(
    ("more", "pointer", "code"),
    [
        (TWICE, "", "not_allowed"),
        ({}, "/boxes", "required"),
        ({"rebet": False}, "/rebet", "not_allowed"),
        ({"rebet": 1}, "/rebet", "not_allowed"),
        ({"rebet": None}, "/rebet", "not_allowed"),
    ],
    ids=["both", "neither", "false", "one", "null"],
)
def test_a_deal_names_its_boxes_or_bets_again(
    alice: Player, more: dict[str, Any], pointer: str, code: str
) -> None:
    body = {"table_id": CLASSIC, "currency": "USD", **more}
    refused = alice.post("/v1/rounds", body)
    assert refused.refusal == (422, "invalid")
    assert (pointer, code) in {
        (fault["pointer"], fault["code"]) for fault in refused.json["errors"]
    }


def test_what_stands_together_is_named(alice: Player) -> None:
    body = {"table_id": CLASSIC, "currency": "USD", **TWICE}
    (fault,) = alice.post("/v1/rounds", body).json["errors"]
    assert fault["detail"] == 'has "boxes" and "rebet", of which one may stand here'


def test_limits_that_changed_since_are_told_for_each_box(
    site: Site, other: Operator
) -> None:
    site.rig.stack("P T,T / T,9 / T,8 | U T | H 9")
    name = site.player().name
    other.deposit(name, 1_000_000)
    ann = other.launched(name)
    ann.play(ann.deal(1000, 5000, 3000), "stand stand stand settle")
    set_offer(site.bank, Offer("other", CLASSIC, "USD", minimum=2000, maximum=4000))
    try:
        refused = again(ann)
    finally:
        set_offer(site.bank, Offer("other", CLASSIC, "USD"))
    assert refused.refusal == (409, "wager_below_minimum")
    told = [
        (fault["pointer"], fault["box"], fault["code"], fault["limit"])
        for fault in refused.json["errors"]
    ]
    assert told == [
        ("/rebet", 1, "wager_below_minimum", 2000),
        ("/rebet", 2, "wager_above_maximum", 4000),
    ]
    other.pin(name, "4711")
    body = {"currency": "USD", "maximum": 2999, "pin": "4711"}
    assert ann.put("/v1/players/me/limit", body).status == 200
    refused = again(ann)
    assert refused.refusal == (409, "wager_above_own_limit")
    assert [fault["box"] for fault in refused.json["errors"]] == [2, 3]


def test_a_repeat_has_the_first_answer_whatever_was_bet_since(
    site: Site, alice: Player
) -> None:
    site.rig.stack("P T,T | U T | H 9")
    alice.play(alice.deal(1000), "stand settle")
    key = new_id()
    first = again(alice, idempotency_key=key)
    alice.play(first, "stand settle")
    alice.play(alice.deal(300), "stand settle")
    repeat = again(alice, idempotency_key=key)
    assert (repeat.status, repeat.body) == (201, first.body)
    assert repeat.headers["Idempotent-Replayed"] == "true"
    changed = again(alice, idempotency_key=key, raise_to_minimum=False)
    assert changed.refusal == (422, "idempotency_key_reused")
    assert bets(again(alice)) == {1: (300, 0)}


def test_a_sandbox_lays_its_cards_for_a_rebet_too(site: Site) -> None:
    toys = site.operators["sandbox"].launched(site.player().name, mode="demo")
    cards = ["TS", "TH", "TD", "9C"]
    toys.play(toys.deal(1000), "stand settle")
    on = again(toys, cards=cards)
    assert on.round["hands"][0]["cards"] == ["TS", "TD"]
