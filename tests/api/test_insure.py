"""`insure_round`: one answer for all of the caller's boxes."""

import pytest

from tests.api.player import Got, Player, url_of
from tests.api.site import Site

NO_NATURAL = "P 9,7 / T,9 | U A | H 7 | 5"
NATURAL = "P 9,7 / T,9 | U A | H K"


@pytest.fixture
def asked(site: Site, alice: Player) -> Got:
    """Deal to two boxes; the dealer shows an ace and has no natural."""
    site.rig.stack(NO_NATURAL)
    return alice.deal(1000, 500)


def test_the_dealer_asks_and_names_every_answer(asked: Got) -> None:
    assert asked.round["status"] == "insurance"
    answers = {tuple(a["boxes"]): a["cost"] for a in asked.round["legal_actions"]}
    assert answers == {(1, 2): 750, (1,): 500, (2,): 250, (): 0}
    open_ = {"status": "open", "stake": 0, "payout": None}
    assert [box["insurance"] for box in asked.round["boxes"]] == [open_, open_]


def test_insurance_is_lost_without_a_natural(alice: Player, asked: Got) -> None:
    got = alice.insure(asked, 2)
    lost = {"status": "lost", "stake": 250, "payout": 0}
    declined = {"status": "declined", "stake": 0, "payout": None}
    assert (got.status, got.version, got.round["status"]) == (200, '"2"', "playing")
    assert [box["insurance"] for box in got.round["boxes"]] == [declined, lost]
    assert (got.round["stake"], got.round["dealer"]["natural"]) == (1750, False)
    kinds = [event["type"] for event in got.json["events"]]
    peek = ["dealer_peeked", "insurance_resolved"]
    assert kinds == ["insurance_declined", "insurance_taken", *peek]


def test_a_natural_pays_the_insurance_at_once(site: Site, alice: Player) -> None:
    site.rig.stack(NATURAL)
    got = alice.insure(alice.deal(1000, 500), 1, 2)
    won = [
        {"status": "won", "stake": stake, "payout": 3 * stake} for stake in (500, 250)
    ]
    assert [box["insurance"] for box in got.round["boxes"]] == won
    assert got.round["status"] == "awaiting_settlement"
    assert (got.round["stake"], got.round["payout"]) == (2250, 2250)
    assert alice.settle(got).json["events"][-1]["payout"] == 0


def test_a_table_of_all_or_none_takes_no_part(site: Site, alice: Player) -> None:
    site.rig.stack(NO_NATURAL)
    dealt = alice.deal(1000, 500, table="progressive-five")
    assert [a["boxes"] for a in dealt.round["legal_actions"]] == [[1, 2], []]
    got = alice.insure(dealt, 1)
    assert got.refusal == (409, "insurance_all_or_none")
    assert got.json["legal_actions"] == dealt.round["legal_actions"]
    assert alice.insure(dealt, 1, 2).status == 200


def test_a_box_without_a_wager_cannot_be_insured(alice: Player, asked: Got) -> None:
    got = alice.insure(asked, 1, 3)
    assert got.refusal == (409, "box_not_yours")


def test_insurance_is_answered_once(alice: Player, asked: Got) -> None:
    got = alice.insure(alice.insure(asked))
    assert got.refusal == (409, "insurance_answered")
    assert [a["action"] for a in got.json["legal_actions"]] == [
        "hit",
        "stand",
        "double",
    ]


def test_insurance_is_for_an_ace(site: Site, alice: Player) -> None:
    site.rig.stack("P 9,7 | U 6 | H 7")
    assert alice.insure(alice.deal(1000)).refusal == (409, "insurance_not_open")


def test_a_decided_or_settled_round_takes_no_answer(site: Site, alice: Player) -> None:
    site.rig.stack("P A,K | U 6 | H 7")
    dealt = alice.deal(1000)
    got = alice.insure(dealt)
    assert got.refusal == (409, "round_decided")
    assert got.json["legal_actions"] == [{"command": "settle", "cost": 0}]
    settled = alice.settle(dealt)
    assert alice.insure(settled).refusal == (409, "round_settled")


def test_another_currency_may_decline_and_not_insure(
    site: Site, alice: Player, asked: Got
) -> None:
    euro = site.player(alice.name, currency="EUR")
    assert euro.insure(asked, 1).refusal == (409, "currency_mismatch")
    assert euro.insure(asked).status == 200


@pytest.mark.parametrize(
    "body",
    [
        *({}, [], None, 1, {"boxes": None}, {"boxes": 1}, {"boxes": [0]}),
        *({"boxes": [6]}, {"boxes": [1, 1]}, {"boxes": [1.0]}, {"boxes": [True]}),
        *({"boxes": ["1"]}, {"boxes": [], "x": 1}, {"boxes": [1, 2, 3, 4, 5, 1]}),
    ],
    ids=repr,
)
def test_the_body_is_a_list_of_boxes(alice: Player, asked: Got, body: object) -> None:
    url = f"{url_of(asked)}/insurance"
    raw = alice.post(url, body if body is not None else {"boxes": None}, if_match='"1"')
    assert raw.refusal == (422, "invalid")
    assert alice.get(url_of(asked)).version == '"1"'
