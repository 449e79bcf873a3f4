"""The jackpot as players see it: it grows, is reserved by a hit, and paid once."""

from fractions import Fraction
from typing import Any, Final

import pytest

from service.audit import verify
from service.meter import PARTS
from service.store.jackpots import hit_sums, last_hits, read_meter
from tests.api.operator import Operator
from tests.api.player import Got, Player, url_of
from tests.api.site import Site
from tests.support.waiting import at_once

TABLE: Final = "progressive-five"
JACKPOT: Final = "aces-usd"
RESET: Final = 7_500_000
PAGE: Final = f"/v1/jackpots/{JACKPOT}"
ACES: Final = "P AS,AC | U T | H 7 | AS,AC,9"


@pytest.fixture(autouse=True)
def present(site: Site) -> None:
    """Let each test see the meter as it is now."""
    site.api.meters.forget("dev", JACKPOT)


def bet(player: Player, *bonuses: int, key: str | None = None) -> Got:
    boxes = [
        {"box": box, "wager": 1000, **({"bonus_wager": bonus} if bonus else {})}
        for box, bonus in enumerate(bonuses, 1)
    ]
    body = {"table_id": TABLE, "currency": "USD", "boxes": boxes}
    headers = {} if key is None else {"idempotency_key": key}
    got = player.post("/v1/rounds", body, **headers)
    assert got.status == 201, got.body
    return got


def pool(site: Site, operator: str = "dev") -> Fraction:
    """Return what the meter would hold, exactly, in minor units."""
    read = read_meter(site.api.database, operator, JACKPOT)
    if read is None:
        return Fraction(RESET)
    return Fraction(read.meter.current, PARTS) + Fraction(3, 20) * read.wagers


def finish(player: Player, got: Got) -> Got:
    while got.round["legal_actions"]:
        got = player.play(got, "settle" if not got.round["active_hand"] else "stand")
    return got


def hit(site: Site, player: Player, *bonuses: int, cards: str = ACES) -> Got:
    """Deal, and draw the deciding ace of box 1."""
    site.rig.stack(cards)
    return player.play(bet(player, *(bonuses or (100,))), "hit hit")


def reserved_in(got: Got) -> list[dict[str, Any]]:
    return [one for one in got.json["events"] if one["type"] == "jackpot_reserved"]


def test_each_bonus_wager_adds_its_contribution(site: Site, alice: Player) -> None:
    before = pool(site)
    site.rig.stack("P T,9 / T,9 / T,9 | U 7 | H T")
    alice.play(bet(alice, 100, 0, 100), "stand stand stand settle")
    assert pool(site) == before + 2 * Fraction(3, 20) * 100


def test_a_deal_without_a_bonus_wager_adds_nothing(site: Site, alice: Player) -> None:
    before = pool(site)
    bet(alice, 0, 0)
    assert pool(site) == before


def test_a_refused_deal_adds_nothing(site: Site) -> None:
    before, poor = pool(site), Player(site.app, "poor", "USD")
    boxes = [{"box": 1, "wager": 1000, "bonus_wager": 100}]
    body = {"table_id": TABLE, "currency": "USD", "boxes": boxes}
    assert poor.post("/v1/rounds", body).refusal == (402, "insufficient_funds")
    assert pool(site) == before


def test_a_repeated_deal_adds_once_and_shows_the_meter_of_then(
    site: Site, alice: Player, bob: Player
) -> None:
    first = bet(alice, 100, key="the-same-key")
    told = first.json["jackpot"]
    assert told["id"] == JACKPOT
    before = pool(site)
    for _ in range(7):
        finish(bob, bet(bob, 100, 100, 100, 100, 100))
    site.api.meters.forget("dev", JACKPOT)
    again = bet(alice, 100, key="the-same-key")
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.json == first.json
    assert pool(site) == before + 35 * 15
    assert finish(bob, bet(bob, 0)).json["jackpot"]["meter"] > told["meter"]


def test_the_deciding_ace_reserves_the_meter(site: Site, alice: Player) -> None:
    holds = pool(site) + 15
    got = hit(site, alice)
    (event,) = reserved_in(got)
    assert (event["box"], event["jackpot_id"]) == (1, JACKPOT)
    assert event["amount"] == int(holds)
    assert got.json["events"][-1] == event
    assert got.round["boxes"][0]["jackpot"] == {"id": JACKPOT, "amount": int(holds)}
    assert got.round["boxes"][0]["bonus"] is None
    # The fraction of a cent stays; everything else is the house's anew.
    assert pool(site) == RESET + holds % 1


def test_settlement_pays_what_was_reserved_and_the_next_hit_finds_the_reset_value(
    site: Site, alice: Player, bob: Player
) -> None:
    got = hit(site, alice)
    amount = reserved_in(got)[0]["amount"]
    next_one = reserved_in(hit(site, bob))[0]["amount"]
    assert next_one == RESET + 15
    settled = finish(alice, got)
    assert settled.round["boxes"][0]["bonus"] == {
        "line": "four_aces_of_one_colour",
        "payout": amount,
        "jackpot": True,
    }
    assert settled.json["jackpot"]["meter"] == RESET
    assert settled.round["payout"] >= amount
    statuses = {
        one.round_id: one.status
        for one in last_hits(site.api.database, "dev", JACKPOT, 2)
    }
    assert statuses[settled.round["id"]] == "paid"
    assert sorted(statuses.values()) == ["paid", "reserved"]


def test_two_boxes_of_a_round_hit_one_after_another(site: Site, alice: Player) -> None:
    cards = "P AS,AC / AH,AD | U T | H 7 | AS,AC,9,AH,AD,9"
    got = hit(site, alice, 100, 100, cards=cards)
    first = reserved_in(got)[0]["amount"]
    got = alice.play(got, "hit stand hit hit")
    assert reserved_in(got)[0]["amount"] == RESET
    paid = finish(alice, got).round["boxes"]
    assert [box["bonus"]["payout"] for box in paid] == [first, RESET]


def test_two_commands_that_draw_the_same_ace_reserve_once(
    site: Site, alice: Player
) -> None:
    site.rig.stack(ACES)
    got = alice.play(bet(alice, 100), "hit")
    sums = hit_sums(site.api.database, "dev", JACKPOT)
    replies = at_once([lambda: alice.act(got, "hit")] * 6)
    statuses = [reply.status for reply in replies if isinstance(reply, Got)]
    assert sorted(statuses) == [200, *[412] * 5]
    after = hit_sums(site.api.database, "dev", JACKPOT)
    assert after.hits == sums.hits + 1
    assert pool(site) < RESET + 1


def test_demo_money_is_paid_what_is_shown_and_leaves_the_meter_alone(
    site: Site,
) -> None:
    demo = Player(site.app, "demo-hitter", "USD", "demo")
    before = pool(site)
    hits = hit_sums(site.api.database, "dev", JACKPOT)
    site.rig.stack(ACES)
    dealt = bet(demo, 100)
    shown = dealt.json["jackpot"]["meter"]
    got = demo.play(dealt, "hit hit")
    assert reserved_in(got)[0]["amount"] == shown == int(before)
    assert pool(site) == before
    assert hit_sums(site.api.database, "dev", JACKPOT) == hits
    assert finish(demo, got).round["boxes"][0]["bonus"]["payout"] == shown


def test_each_operator_has_a_meter_of_his_own(
    site: Site, alice: Player, other: Operator
) -> None:
    bet(alice, 100)
    stranger = other.launched("stranger")
    site.rig.stack("P T,9 | U 7 | H T")
    other.deposit("stranger", 10_000, "USD")
    assert bet(stranger, 100).json["jackpot"] == {"id": JACKPOT, "meter": RESET}
    assert pool(site, "other") == RESET + 15


def test_a_table_without_a_jackpot_shows_none(alice: Player) -> None:
    got = alice.deal(1000, table="american-five")
    assert "jackpot" not in got.json


def test_the_proof_of_a_jackpot_holds(site: Site, alice: Player) -> None:
    settled = finish(alice, hit(site, alice))
    proof = alice.get(f"{url_of(settled)}/proof").json
    assert verify(proof).ok, verify(proof)


def test_the_jackpots_are_shown_to_everybody(site: Site, alice: Player) -> None:
    bet(alice, 100)
    site.api.meters.forget("dev", JACKPOT)
    got = alice.get(f"{PAGE}?operator=dev", authorization=None)
    assert got.status == 200
    assert got.headers["Cache-Control"] == "max-age=1"
    assert {**got.json, "hits": []} == {
        "id": JACKPOT,
        "currency": "USD",
        "tables": [TABLE],
        "meter": int(pool(site)),
        "reset": RESET,
        "ceiling": 100_000_000,
        "contribution": "3/20",
        "changes_at_next_hit": False,
        "hits": [],
    }
    listed = alice.get("/v1/jackpots?operator=dev", authorization=None)
    assert listed.json == {"items": [got.json], "next_cursor": None}


def test_the_last_hits_are_shown_without_who_made_them(
    site: Site, alice: Player
) -> None:
    amount = reserved_in(hit(site, alice))[0]["amount"]
    got = alice.get(f"{PAGE}?operator=dev")
    assert got.json["hits"][0]["amount"] == amount
    assert set(got.json["hits"][0]) == {"at", "amount"}
    assert alice.name.encode() not in got.body
    assert len(got.json["hits"]) <= 10


@pytest.mark.parametrize("path", ["/v1/jackpots", PAGE])
def test_a_known_jackpot_is_not_sent_again(
    site: Site, alice: Player, path: str
) -> None:
    first = alice.get(f"{path}?operator=reports")
    again = alice.get(f"{path}?operator=reports", if_none_match=first.version)
    assert (again.status, again.body, again.version) == (304, b"", first.version)
    assert pool(site, "reports") == RESET


@pytest.mark.parametrize(
    "path", ["/v1/jackpots", PAGE, "/v1/tables", f"/v1/tables/{TABLE}"]
)
def test_an_operator_who_is_not_there_is_not_found(alice: Player, path: str) -> None:
    got = alice.get(f"{path}?operator=nobody")
    assert got.refusal == (404, "operator_not_found")


@pytest.mark.parametrize("path", ["/v1/jackpots", PAGE])
def test_the_operator_is_named(alice: Player, path: str) -> None:
    got = alice.get(path)
    assert got.refusal == (422, "invalid")
    assert got.json["errors"][0]["pointer"] == "query:operator"


def test_an_unknown_jackpot_is_not_found(alice: Player) -> None:
    got = alice.get("/v1/jackpots/aces-eur?operator=dev")
    assert got.refusal == (404, "jackpot_not_found")


def test_the_tables_page_tells_odds_meter_and_return(site: Site, alice: Player) -> None:
    hit(site, alice)
    site.api.meters.forget("dev", JACKPOT)
    mine = alice.get(f"/v1/tables/{TABLE}").json["bonus"]
    named = alice.get("/v1/tables?operator=dev", authorization=None).json["items"]
    assert named[0]["bonus"] == mine
    (jackpot,) = mine["jackpots"]
    assert (jackpot["id"], jackpot["meter"]) == (JACKPOT, RESET)
    returned = Fraction(jackpot["return"]["exact"])
    lines = {line["line"]: line for line in mine["paytable"]}
    assert returned == sum(
        Fraction(line["chance"]["exact"]) * line["pays"] for line in lines.values()
    )
    assert jackpot["return"]["decimal"] == "0.6054505"
    top = lines["four_aces_of_one_colour"]["chance"]
    assert top == {"exact": "40541/14304024369", "decimal": "0.000002834237"}


@pytest.mark.parametrize("token", [None, "Bearer nonsense"])
def test_without_an_operator_a_table_shows_no_meter(
    alice: Player, token: str | None
) -> None:
    bonus = alice.get(f"/v1/tables/{TABLE}", authorization=token).json["bonus"]
    (jackpot,) = bonus["jackpots"]
    assert (jackpot["meter"], jackpot["reset"]) == (None, RESET)
    assert jackpot["return"]["decimal"] == "0.6054505"
