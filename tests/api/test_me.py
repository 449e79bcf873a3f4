"""`get_me`, `get_balance`, `refill_balance`: what a player is told of himself."""

from functools import partial

import pytest

from service.chance import new_id
from tests.api.operator import Operator, session_of
from tests.api.player import Got, Player, url_of
from tests.api.site import PLENTY, Site
from tests.support.waiting import at_once

ME = "/v1/players/me"
BALANCE = "/v1/balance"


def test_without_a_session_there_is_none(alice: Player) -> None:
    got = alice.get(ME)
    assert (got.status, got.headers["Cache-Control"]) == (200, "no-store")
    tables = got.json["tables"]
    assert [one["table_id"] for one in tables] == [
        "progressive-five",
        "classic-three",
        "american-five",
    ]
    assert {**got.json, "tables": [], "server_time": ""} == {
        "player_id": alice.name,
        "mode": "real",
        "currency": "USD",
        "exponent": 2,
        "balance": PLENTY,
        "open_rounds": [],
        "own_limit": alice.get("/v1/players/me/limit").json,
        "last_wagers": [],
        "tables": [],
        "session": None,
        "server_time": "",
    }


def test_a_session_is_shown_as_it_was_launched(site: Site, casino: Operator) -> None:
    ann = casino.launched("ann", tables=["classic-three"], language="de")
    session = ann.get(ME).json["session"]
    assert session["session_id"] == session_of(site.api, ann.token)
    assert (session["tables"], session["language"]) == (["classic-three"], "de")
    assert session["return_url"] is None
    (table,) = ann.get(ME).json["tables"]
    assert table == {
        "table_id": "classic-three",
        "enabled": True,
        "minimum": 100,
        "maximum": 10_000,
        "exposure": None,
        "max_win": 25_000,
    }


def test_open_rounds_are_short_and_lead_to_the_whole(site: Site, alice: Player) -> None:
    site.rig.stack("P 9,7 | U 6 | H 5")
    first = alice.deal(1000)
    second = alice.deal(1000, table="american-five")
    short = alice.get(ME).json["open_rounds"]
    assert [one["id"] for one in short] == [second.round["id"], first.round["id"]]
    for one in short:
        whole = alice.get(one["url"]).json
        keys = one.keys() - {"url"}
        assert {key: one[key] for key in keys} == {key: whole[key] for key in keys}


@pytest.mark.parametrize(("currency", "exponent"), [("JPY", 0), ("EUR", 2), ("KWD", 3)])
def test_a_balance_has_its_currencys_exponent(
    site: Site, currency: str, exponent: int
) -> None:
    player = site.player(currency=currency)
    assert player.get(BALANCE).json == {
        "mode": "real",
        "currency": currency,
        "exponent": exponent,
        "amount": PLENTY,
    }


def test_a_new_player_has_nothing(site: Site) -> None:
    nobody = Player(site.app, f"p-{new_id()}", "USD")
    assert nobody.get(BALANCE).json["amount"] == 0
    assert nobody.deal(100).refusal == (402, "insufficient_funds")


def test_a_wallet_that_does_not_answer_tells_no_balance(site: Site) -> None:
    outside = site.operators["outside"]
    ann = outside.launched("ann")
    assert ann.get(BALANCE).json["amount"] is None
    assert ann.get(ME).json["balance"] is None
    assert outside.launched("ann", mode="demo").get(BALANCE).json["amount"] == 100_000


@pytest.mark.parametrize(
    ("currency", "units"), [("JPY", 1000), ("EUR", 100_000), ("KWD", 1_000_000)]
)
def test_demo_money_is_1000_units(site: Site, currency: str, units: int) -> None:
    demo = Player(site.app, f"p-{new_id()}", currency, "demo")
    assert demo.get(BALANCE).json["amount"] == units


def test_demo_money_is_played_and_refilled(site: Site) -> None:
    demo = Player(site.app, f"p-{new_id()}", "USD", "demo")
    site.rig.stack("P T,T | U 6 | H 5 | T")
    dealt = demo.deal(1000)
    assert dealt.json["balance"] == {"currency": "USD", "amount": 99_000}
    assert demo.play(dealt, "stand settle").json["balance"]["amount"] == 99_000
    got = demo.post(f"{BALANCE}/refill")
    assert (got.status, got.json["amount"]) == (200, 100_000)
    assert demo.get(BALANCE).json == got.json


def test_a_repeated_refill_shows_the_balance_of_then(site: Site) -> None:
    demo = Player(site.app, f"p-{new_id()}", "USD", "demo")
    first = demo.post(f"{BALANCE}/refill", idempotency_key="the-first-refill")
    demo.deal(1000)
    again = demo.post(f"{BALANCE}/refill", idempotency_key="the-first-refill")
    assert (again.status, again.body) == (200, first.body)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert demo.get(BALANCE).json["amount"] == 99_000


def test_a_refill_s_key_is_one_currency_s(site: Site) -> None:
    name, key = f"p-{new_id()}", new_id()
    for currency, units in (("USD", 100_000), ("JPY", 1_000)):
        demo = Player(site.app, name, currency, "demo")
        got = demo.post(f"{BALANCE}/refill", idempotency_key=key)
        assert (got.json["currency"], got.json["amount"]) == (currency, units)
        assert "Idempotent-Replayed" not in got.headers


def test_a_refill_takes_nothing_away(site: Site) -> None:
    demo = Player(site.app, f"p-{new_id()}", "USD", "demo")
    site.rig.stack("P A,K | U 9 | H 7")
    demo.play(demo.deal(1000), "settle")
    assert demo.post(f"{BALANCE}/refill").json["amount"] == 101_500


def test_many_refills_at_once_make_one_balance(site: Site, casino: Operator) -> None:
    demo = Player(site.app, f"p-{new_id()}", "USD", "demo")
    path = f"{BALANCE}/refill"
    tables = ("classic-three", "american-five", "progressive-five")
    for number, table in enumerate(tables):
        demo.deal(1000, table=table)
        key = f"one-key-{number}"
        jobs = [partial(demo.post, path) for _ in range(6)]
        jobs += [partial(demo.post, path, idempotency_key=key)] * 2
        answers = [got for got in at_once(jobs) if isinstance(got, Got)]
        assert [got.status for got in answers] == [200] * 8
        assert {got.json["amount"] for got in answers} == {100_000}
        assert casino.balance(demo.name, mode="demo") == 100_000


def test_two_first_deals_at_once_begin_demo_money_once(
    site: Site, casino: Operator
) -> None:
    tables = ("classic-three", "american-five")
    for _ in range(5):
        demo = Player(site.app, f"p-{new_id()}", "USD", "demo")
        jobs = [partial(demo.deal, 1000, table=table) for table in tables]
        answers = [got for got in at_once(jobs) if isinstance(got, Got)]
        assert [got.status for got in answers] == [201] * 2
        assert casino.balance(demo.name, mode="demo") == 98_000


def test_real_money_is_not_refilled(alice: Player) -> None:
    assert alice.post(f"{BALANCE}/refill").refusal == (409, "not_demo")
    assert alice.get(BALANCE).json["amount"] == PLENTY


def test_a_refill_has_a_key_and_no_body(site: Site) -> None:
    demo = Player(site.app, "ann", "USD", "demo")
    path = f"{BALANCE}/refill"
    missing = demo.post(path, idempotency_key=None)
    assert missing.refusal == (400, "idempotency_key_missing")
    assert demo.post(path, {"amount": 1}).refusal == (422, "invalid")


def test_demo_and_real_money_have_nothing_in_common(
    site: Site, alice: Player, casino: Operator
) -> None:
    site.rig.stack("P 9,7 | U 6 | H 5")
    demo = Player(site.app, alice.name, "USD", "demo")
    dealt = demo.deal(1000)
    assert casino.balance(alice.name) == PLENTY
    assert alice.get(url_of(dealt)).refusal == (404, "round_not_found")
