"""`deal_round`: wagers in, cards out."""

from typing import Any

import pytest

from tests.api.player import Got, Player
from tests.api.site import Site


def bet(
    boxes: object, table: str = "progressive-five", **more: object
) -> dict[str, Any]:
    return {"table_id": table, "currency": "USD", "boxes": boxes, **more}


def deal(player: Player, *boxes: dict[str, int], **more: Any) -> Got:  # noqa: ANN401 - JSON
    return player.post("/v1/rounds", bet(list(boxes), **more))


def test_a_deal_answers_with_the_round_and_its_events(
    site: Site, alice: Player
) -> None:
    site.rig.stack("P 9,7 / T,T | U 6 | H 5")
    got = deal(
        alice, {"box": 3, "wager": 500}, {"box": 1, "wager": 1000, "bonus_wager": 100}
    )
    round_ = got.round
    assert got.status == 201
    assert got.headers["Location"] == f"/v1/rounds/{round_['id']}"
    assert got.headers["Cache-Control"] == "no-store"
    assert (got.version, round_["version"], round_["status"]) == ('"1"', 1, "playing")
    assert "Idempotent-Replayed" not in got.headers
    assert [box["box"] for box in round_["boxes"]] == [1, 3]
    assert [hand["cards"] for hand in round_["hands"]] == [["9S", "7S"], ["TS", "TH"]]
    assert (round_["stake"], round_["payout"], round_["active_hand"]) == (
        1600,
        None,
        "1a",
    )
    dealer = {"cards": ["6S"], "hole_card": "face_down", "total": 6, "soft": False}
    assert round_["dealer"] == {**dealer, "natural": False}
    kinds = [event["type"] for event in got.json["events"]]
    dealt = ["card_dealt", "card_dealt", "upcard_dealt", "card_dealt", "card_dealt"]
    assert kinds == ["round_opened", *dealt, "hole_card_dealt"]
    assert [event["seq"] for event in got.json["events"]] == list(range(1, 8))


def test_a_wager_under_the_minimum_is_raised_when_that_is_asked(alice: Player) -> None:
    got = deal(alice, {"box": 2, "wager": 100}, raise_to_minimum=True)
    assert got.status == 201
    (box,) = got.round["boxes"]
    assert (box["wager"], box["raised_from"], got.round["stake"]) == (200, 100, 200)


def test_a_wager_under_the_minimum_is_refused_with_what_it_would_be(
    alice: Player,
) -> None:
    got = deal(alice, {"box": 2, "wager": 100})
    assert got.refusal == (409, "wager_below_minimum")
    (fault,) = got.json["errors"]
    assert (fault["pointer"], fault["code"]) == (
        "/boxes/0/wager",
        "wager_below_minimum",
    )
    assert (fault["limit"], fault["raised_to"]) == (200, 200)


def test_a_table_that_does_not_raise_names_no_raised_wager(alice: Player) -> None:
    boxes = {"box": 1, "wager": 50}
    got = deal(alice, boxes, table="classic-three", raise_to_minimum=True)
    assert got.refusal == (409, "wager_below_minimum")
    assert "raised_to" not in got.json["errors"][0]
    assert got.json["errors"][0]["limit"] == 100


CLASSIC = {"table": "classic-three"}
REFUSED = [
    ("wager_above_maximum", [{"box": 1, "wager": 250_100}], {}, 250_000),
    ("wager_off_step", [{"box": 1, "wager": 250}], {}, 100),
    ("box_not_offered", [{"box": 4, "wager": 100}], CLASSIC, 3),
    ("box_repeated", [{"box": 1, "wager": 200}, {"box": 1, "wager": 200}], {}, None),
    ("bonus_wager_wrong", [{"box": 1, "wager": 200, "bonus_wager": 50}], {}, 100),
    (
        "bonus_not_offered",
        [{"box": 1, "wager": 100, "bonus_wager": 100}],
        CLASSIC,
        None,
    ),
]


@pytest.mark.parametrize("case", REFUSED, ids=[case[0] for case in REFUSED])
def test_the_table_refuses(
    alice: Player, case: tuple[str, Any, Any, int | None]
) -> None:
    code, boxes, more, limit = case
    got = deal(alice, *boxes, **more)
    assert got.refusal == (409, code)
    fault = got.json["errors"][-1]
    assert fault["code"] == code
    assert fault.get("limit") == limit


def test_every_fault_of_every_box_is_told_at_once(alice: Player) -> None:
    got = deal(
        alice,
        {"box": 1, "wager": 100},
        {"box": 1, "wager": 250_100},
        {"box": 2, "wager": 250, "bonus_wager": 7},
    )
    found = {(fault["pointer"], fault["code"]) for fault in got.json["errors"]}
    assert found == {
        ("/boxes/0/wager", "wager_below_minimum"),
        ("/boxes/1/box", "box_repeated"),
        ("/boxes/1/wager", "wager_above_maximum"),
        ("/boxes/2/wager", "wager_off_step"),
        ("/boxes/2/bonus_wager", "bonus_wager_wrong"),
    }


def test_a_shared_table_takes_no_private_deal(alice: Player) -> None:
    got = deal(alice, {"box": 1, "wager": 200}, table="shared-five")
    assert got.refusal == (409, "table_shared")


def test_an_unknown_table_is_not_found(alice: Player) -> None:
    got = deal(alice, {"box": 1, "wager": 200}, table="no-such-table")
    assert got.refusal == (404, "table_not_found")


def test_the_currency_must_be_the_tokens(site: Site) -> None:
    euro = site.player(currency="EUR")
    got = deal(euro, {"box": 1, "wager": 100}, table="classic-three")
    assert got.refusal == (409, "currency_mismatch")
    assert got.json["detail"] == "The token is for EUR, this needs USD."


def test_the_table_must_offer_the_currency(site: Site) -> None:
    euro = site.player(currency="EUR")
    body = bet([{"box": 1, "wager": 200}]) | {"currency": "EUR"}
    got = euro.post("/v1/rounds", body)
    assert got.refusal == (409, "currency_not_offered")
    assert got.json["errors"][0]["pointer"] == "/currency"


def test_a_second_deal_on_the_table_names_the_open_round(alice: Player) -> None:
    first = deal(alice, {"box": 1, "wager": 200})
    second = deal(alice, {"box": 1, "wager": 200})
    assert second.refusal == (409, "round_open_exists")
    assert second.json["round_url"] == first.headers["Location"]
    other = deal(alice, {"box": 1, "wager": 200}, table="american-five")
    assert other.status == 201


def test_a_new_round_may_begin_when_the_last_one_has_ended(
    site: Site, alice: Player
) -> None:
    site.rig.stack("P T,9 | U 7 | H T")
    first = alice.play(alice.deal(1000), "stand settle")
    second = alice.deal(1000)
    assert second.status == 201
    assert second.round["id"] != first.round["id"]


def test_a_round_that_is_decided_at_the_deal_waits_to_be_settled(
    site: Site, alice: Player
) -> None:
    site.rig.stack("P A,K | U 9 | H 7")
    got = alice.deal(1000)
    assert got.round["status"] == "awaiting_settlement"
    assert got.round["payout"] == 2500
    assert got.round["legal_actions"] == [{"command": "settle", "cost": 0}]


# Known fault 62: amounts that are none were taken for some.
AMOUNTS = [-600, 0, "10", 1e3, 10.005, True, None, 2**63, 2**53, 3.0, [], {}]


@pytest.mark.parametrize("amount", AMOUNTS, ids=repr)
def test_62_a_wager_is_a_whole_positive_number(alice: Player, amount: object) -> None:
    got = alice.post("/v1/rounds", bet([{"box": 1, "wager": amount}]))
    assert got.refusal == (422, "invalid")
    assert {fault["pointer"] for fault in got.json["errors"]} == {"/boxes/0/wager"}


@pytest.mark.parametrize("number", [0, 6, -1, 1.5, "1", True, None], ids=repr)
def test_62_a_box_is_one_of_five(alice: Player, number: object) -> None:
    got = alice.post("/v1/rounds", bet([{"box": number, "wager": 200}]))
    assert got.refusal == (422, "invalid")


@pytest.mark.parametrize("boxes", [[], {}, None, [None], [[]], [{}], "1"], ids=repr)
def test_62_boxes_are_a_list_of_wagers(alice: Player, boxes: object) -> None:
    assert alice.post("/v1/rounds", bet(boxes)).refusal == (422, "invalid")


# Known fault 63: a limit was passed by several bets on one thing.
def test_63_one_box_has_one_wager(alice: Player) -> None:
    twice = deal(alice, {"box": 1, "wager": 250_000}, {"box": 1, "wager": 250_000})
    assert twice.refusal == (409, "box_repeated")


def test_63_there_is_no_bonus_without_a_wager(alice: Player) -> None:
    got = alice.post("/v1/rounds", bet([{"box": 1, "bonus_wager": 100}]))
    assert got.refusal == (422, "invalid")
    assert got.json["errors"][0]["pointer"] == "/boxes/0/wager"
    assert got.json["errors"][0]["code"] == "required"


def test_63_the_maximum_is_of_each_box(alice: Player) -> None:
    got = deal(alice, *({"box": box, "wager": 250_000} for box in range(1, 6)))
    assert got.status == 201
    assert got.round["stake"] == 1_250_000
