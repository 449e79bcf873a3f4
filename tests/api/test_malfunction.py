"""A malfunction: a round is taken back once, in any state, and its money with it."""

from collections import Counter
from typing import Final

import pytest

from service.audit import verify
from service.chance import new_id
from service.meter import PARTS
from service.store.jackpots import last_hits, read_meter
from service.store.operators import Offer, offers_of, set_offer
from tests.api.aged import deal_days_ago, expire
from tests.api.bank import Purse, purse
from tests.api.operator import Operator, url_of
from tests.api.player import Got
from tests.api.site import Site
from tests.support.waiting import at_once

STORIES: Final = {
    # cards, moves, wager: what comes back
    "in play": ("P T,6 | U 9 | H 7 | 5", "", 1000),
    "after a hit": ("P 5,6 | U 9 | H 7 | 2,T,T", "hit", 1000),
    "asked for insurance": ("P T,6 | U A | H 7", "", 1000),
    "insured": ("P T,6 | U A | H 7", "insure", 1500),
    "doubled": ("P 5,6 | U 9 | H 7 | T,T", "double", 2000),
    "decided": ("P T,9 | U T | H 7", "stand", 1000),
    "won": ("P T,9 | U T | H 7", "stand settle", -1000),
    "a natural": ("P A,K | U 9 | H 7", "settle", -1500),
    "lost": ("P T,7 | U T | H 9", "stand settle", 1000),
    "even": ("P T,7 | U T | H 7", "stand settle", 0),
    "won insurance": ("P T,9 | U A | H T", "insure", 0),
    "won insurance, paid": ("P T,9 | U A | H T", "insure settle", 0),
}


@pytest.fixture
def ann(site: Site) -> Purse:
    return purse(site, 100_000)


def path_of(player: str, round_id: str) -> str:
    return f"{url_of(player)}/rounds/{round_id}/malfunction"


def take_back(
    casino: Operator, player: str, on: Got, body: object = None, **headers: str | None
) -> Got:
    """Take back the round that an answer shows."""
    headers.setdefault("idempotency_key", new_id())
    path = path_of(player, on.round["id"])
    return casino.post(path, body or {"reason": "a fault"}, **headers)


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_a_round_is_taken_back_in_any_state(
    site: Site, casino: Operator, ann: Purse, story: tuple[str, str, int]
) -> None:
    cards, moves, correction = story
    site.rig.stack(cards)
    on = ann.played(moves, 1000)
    got = take_back(casino, ann.player.name, on)
    assert got.status == 200, got.body
    (event,) = got.json["events"]
    assert (event["type"], event["reason"]) == ("round_malfunctioned", "a fault")
    assert event["correction"] == correction
    assert event["version"] == on.round["version"] + 1
    shown = got.round
    assert (shown["status"], shown["legal_actions"]) == ("malfunction", [])
    assert shown["payout"] == shown["stake"]
    assert ann.balance == 100_000
    assert sum(amount for _, amount in ann.entries) == 0
    player = ann.player
    url = f"/v1/rounds/{shown['id']}"
    assert player.get(url).json == shown
    assert player.get("/v1/rounds?status=open").json["items"] == []
    proof = player.get(f"{url}/proof")
    assert [check for check in verify(proof.json).checks if not check.ok] == []
    assert player.deal(1000, table="american-five").status == 201


def test_nothing_follows(site: Site, casino: Operator, ann: Purse) -> None:
    site.rig.stack("P T,6 | U A | H 7")
    dealt = ann.deal(1000)
    got = take_back(casino, ann.player.name, dealt)
    for late in (
        ann.player.insure(got),
        ann.player.settle(got),
        take_back(casino, ann.player.name, dealt),
    ):
        assert late.refusal == (409, "round_malfunction")
        assert late.json["legal_actions"] == []
    body = {"hand": "1a", "action": "hit"}
    path = f"/v1/rounds/{got.round['id']}/actions"
    late = ann.player.post(path, body, if_match=got.version)
    assert late.refusal == (409, "round_malfunction")
    assert ann.player.insure(dealt).refusal == (412, "version_stale")
    assert ann.balance == 100_000


def test_the_same_key_is_answered_again(
    site: Site, casino: Operator, ann: Purse
) -> None:
    site.rig.stack("P T,9 | U T | H 7")
    dealt = ann.deal(1000)
    first = take_back(casino, ann.player.name, dealt, idempotency_key="the-key-0001")
    again = take_back(casino, ann.player.name, dealt, idempotency_key="the-key-0001")
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert (again.status, again.body) == (200, first.body)
    name = ann.player.name
    for key, reason in (("the-key-0001", "another"), ("the-key-0002", "a fault")):
        body = {"reason": reason}
        got = take_back(casino, name, dealt, body, idempotency_key=key)
        assert got.refusal == (409, "round_malfunction")


def test_it_is_the_operators_own_round(
    site: Site, casino: Operator, other: Operator, ann: Purse
) -> None:
    site.rig.stack("P T,9 | U T | H 7")
    dealt = ann.deal(1000)
    name = ann.player.name
    assert take_back(other, name, dealt).refusal == (404, "round_not_found")
    assert take_back(casino, "somebody", dealt).refusal == (404, "round_not_found")
    path = f"{path_of(name, dealt.round['id'])}?mode=demo"
    got = casino.post(path, {"reason": "x"}, idempotency_key=new_id())
    assert got.refusal == (404, "round_not_found")
    assert ann.player.settle(ann.player.act(dealt, "stand")).status == 200


def test_a_void_round_is_taken_back(site: Site, casino: Operator, ann: Purse) -> None:
    site.rig.stack("P T,5 | U 9 | H 7")
    url = deal_days_ago(site, ann.player, 91)
    expire(site, ann.player, url)
    path = f"{url_of(ann.player.name)}{url.removeprefix('/v1')}/malfunction"
    got = casino.post(path, {"reason": "a fault"}, idempotency_key=new_id())
    assert got.json["events"][0]["correction"] == 0
    assert (got.round["status"], ann.balance) == ("malfunction", 100_000)
    assert "balance" not in got.json, "no money moves"


# Known fault 61: two refunds together exceeded the payment.
@pytest.mark.parametrize("moves", ["", "stand settle"])
@pytest.mark.parametrize("keys", ["one key", "a key each"])
def test_61_two_at_once_take_back_once(
    site: Site, casino: Operator, ann: Purse, moves: str, keys: str
) -> None:
    site.rig.stack("P T,9 | U T | H 7")
    on = ann.played(moves, 1000)
    key = new_id()

    def ask() -> Got:
        mine = key if keys == "one key" else new_id()
        return take_back(casino, ann.player.name, on, idempotency_key=mine)

    answers = [got for got in at_once([ask] * 6) if isinstance(got, Got)]
    assert len(answers) == 6
    told = Counter(got.refusal for got in answers)
    first = [got for got in answers if "Idempotent-Replayed" not in got.headers]
    if keys == "one key":
        assert told == {(200, ""): 6}
        assert len(first) == 1
    else:
        assert told == {(200, ""): 1, (409, "round_malfunction"): 5}
    assert ann.balance == 100_000
    purposes = Counter(purpose for purpose, _ in ann.entries)
    assert purposes["malfunction"] == 1


@pytest.mark.parametrize("attempt", range(4))
def test_a_settlement_at_the_same_moment_is_put_right_too(
    site: Site, casino: Operator, ann: Purse, attempt: int
) -> None:
    del attempt
    site.rig.stack("P T,9 | U T | H 7")
    on = ann.played("stand", 1000)
    both = at_once(
        [
            lambda: ann.player.settle(on),
            lambda: take_back(casino, ann.player.name, on),
        ]
    )
    settled, taken = (got for got in both if isinstance(got, Got))
    assert taken.status == 200
    late = {(409, "round_malfunction"), (412, "version_stale")}
    assert settled.refusal in {(200, ""), *late}
    assert ann.balance == 100_000


def test_what_is_not_there_is_owed(site: Site, casino: Operator, ann: Purse) -> None:
    site.rig.stack("P A,K | U 9 | H 7")
    on = ann.played("settle", 10_000)
    assert casino.withdraw(ann.player.name, 114_000).status == 200
    before = owed_of(casino)
    got = take_back(casino, ann.player.name, on)
    assert got.json["events"][0]["correction"] == -15_000
    assert got.json["balance"]["amount"] == ann.balance == 0
    assert owed_of(casino) == before + 14_000
    assert ann.entries[-1] == ("malfunction", -1_000)


def owed_of(casino: Operator) -> int:
    """Return what the players of an operator owe, as he is told."""
    report = casino.get("/v1/reports/held").json
    return int(sum(one["amount"] for one in report["owed"] if one["currency"] == "USD"))


def test_the_table_can_be_disabled_with_it(site: Site, other: Operator) -> None:
    name = site.player().name
    other.deposit(name, 1_000_000)
    ann = other.launched(name)
    site.rig.stack("P T,9 | U T | H 7")
    dealt = ann.deal(1000)
    body = {"reason": "a fault", "disable_table": True}
    try:
        got = take_back(other, name, dealt, body, idempotency_key="the-key-0002")
        assert got.status == 200
        assert ann.deal(1000).refusal == (409, "table_disabled")
        assert ann.deal(1000, table="american-five").status == 201
        offers = {one.currency: one.enabled for one in offers_of(site.bank, "other")}
        assert offers["USD"] is offers["EUR"] is False
    finally:
        for currency in ("USD", "EUR"):
            set_offer(site.bank, Offer("other", "classic-three", currency))
    assert ann.deal(1000).status == 201


def test_turnover_has_it_apart(site: Site, casino: Operator, ann: Purse) -> None:
    site.rig.stack("P T,9 | U T | H 7")
    on = ann.played("stand settle", 1000)
    day = on.round["closed_at"][:10]
    query = f"/v1/reports/turnover?from={day}&to={day}"

    def sums(what: str) -> dict[str, int]:
        found = casino.get(query).json["items"]
        (item,) = (
            one
            for one in found
            if (one["table_id"], one["currency"]) == ("american-five", "USD")
        )
        return dict(item[what]) if what != "rounds" else {"rounds": item["rounds"]}

    settled, before = sums("rounds"), sums("malfunction")
    got = take_back(casino, ann.player.name, on)
    assert got.round["closed_at"] == on.round["closed_at"]
    assert sums("rounds")["rounds"] == settled["rounds"] - 1
    assert sums("malfunction") == {
        name: before[name] + more
        for name, more in {"rounds": 1, "stake": 1000, "payout": 1000}.items()
    }


BONUS: Final = {
    "table_id": "progressive-five",
    "currency": "USD",
    "boxes": [{"box": 1, "wager": 1000, "bonus_wager": 100}],
}


@pytest.mark.parametrize("moves", ["", "stand", "stand settle"])
def test_a_jackpot_goes_back_into_the_meter_in_force(
    site: Site, casino: Operator, ann: Purse, moves: str
) -> None:
    database, place = site.api.database, ("dev", "aces-usd")
    site.rig.stack("P AS,AC | U T | H 7 | AS,AC")
    on = ann.player.play(ann.player.post("/v1/rounds", BONUS), f"hit hit {moves}")
    amount = on.round["boxes"][0]["jackpot"]["amount"]
    (hit,) = last_hits(database, *place, 1)
    assert (hit.round_id, hit.amount) == (on.round["id"], amount)
    page = "/v1/jackpots/aces-usd?operator=dev"
    hits = ann.player.get(page).json["hits"]
    assert hits[0]["amount"] == amount
    before = read_meter(database, *place)
    assert before is not None
    assert take_back(casino, ann.player.name, on).status == 200
    after = read_meter(database, *place)
    assert after is not None
    assert after.meter.current == before.meter.current + amount * PARTS
    assert last_hits(database, *place, 1)[0].status == "returned"
    again = take_back(casino, ann.player.name, on)
    assert again.refusal[0] == 409
    assert read_meter(database, *place) == after
    shown = ann.player.get(page).json
    assert shown["meter"] == after.meter.amount
    assert shown["hits"][: len(hits) - 1] == hits[1:]
