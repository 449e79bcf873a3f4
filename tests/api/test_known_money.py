"""Faults of other games that are money, by number: each with the right balance."""

from collections import Counter
from typing import Final

import pytest

from service.chance import WholeShoe
from service.recorded import Ask
from service.rules.commands import Expire
from service.rules.decide import decide
from service.rules.fold import fold
from service.store.errors import LostRace
from service.store.log import load
from service.terminal.money import Money
from service.wallet.ledger import LedgerWallet
from service.wallet.notable import Watch
from service.wallet.port import Accepted, Carried
from tests.api.bank import Purse, purse
from tests.api.player import Got, Player, url_of
from tests.api.site import Site
from tests.support.waiting import at_once

INSURED: Final = "P K,Q | U A | H J"


def test_8_won_insurance_brings_the_balance_back(site: Site) -> None:
    site.rig.stack(INSURED)
    ann = purse(site, 1500)
    assert ann.played("insure settle", 1000).json["balance"]["amount"] == 1500
    assert ann.balance == 1500


def test_9_insurance_returns_three_times_its_own_stake(site: Site) -> None:
    site.rig.stack(INSURED)
    ann = purse(site, 3000)
    insured = ann.played("insure", 2000)
    assert insured.round["boxes"][0]["insurance"]["payout"] == 3000
    assert insured.json["balance"]["amount"] == ann.balance == 3000
    assert ann.entries == [("deal", -2000), ("insurance", 2000)]


@pytest.mark.parametrize(
    ("cards", "returned"),
    [
        pytest.param("P A,K | U 9 | H 7", 25_000, id="10: a natural pays 3:2"),
        pytest.param("P A,K | U K | H A", 10_000, id="11: the dealer's ties it"),
        pytest.param("P T,8 | U T | H 9", 0, id="12: a lost stake is taken once"),
        pytest.param("P T,8 | U T | H 8", 10_000, id="13: a push comes back"),
    ],
)
def test_10_11_12_13_one_stake_and_one_payout(
    site: Site, cards: str, returned: int
) -> None:
    site.rig.stack(cards)
    ann = purse(site, 10_000)
    dealt = ann.deal(10_000)
    assert (ann.balance, dealt.json["balance"]["amount"]) == (0, 0)
    moves = "stand settle" if dealt.round["status"] == "playing" else "settle"
    assert ann.player.play(dealt, moves).json["balance"]["amount"] == returned
    assert ann.balance == returned


def test_14_a_doubled_21_ties_a_drawn_21(site: Site) -> None:
    site.rig.stack("P 5,6 | U 6 | H 5 | T,T")
    ann = purse(site, 2000)
    assert ann.played("double settle", 1000).round["hands"][0]["result"] == "push"
    assert ann.balance == 2000


def test_15_a_double_after_a_split_costs_one_more_bet(site: Site) -> None:
    site.rig.stack("P 8,8 | U 6 | H T | 3,T,T,T")
    ann = purse(site, 3000)
    split = ann.played("split", 1000)
    assert ann.balance == 1000
    doubled = ann.player.act(split, "double")
    assert (doubled.status, ann.balance) == (200, 0)
    ann.player.play(doubled, "stand settle")
    assert ann.balance == 6000


def test_16_without_funds_nothing_moves_and_the_rest_stays_open(site: Site) -> None:
    site.rig.stack("P 5,6 | U 6 | H T | 2,8,T")
    ann = purse(site, 1900)
    dealt = ann.deal(1000)
    before = ann.player.get(f"{url_of(dealt)}/events").json
    got = ann.player.act(dealt, "double", idempotency_key="the-first-double")
    assert got.refusal == (402, "insufficient_funds")
    assert (got.json["required"], got.json["balance"]) == (1000, 900)
    assert got.version == dealt.version
    legal = [(one["action"], one["cost"]) for one in got.json["legal_actions"]]
    assert legal == [("hit", 0), ("stand", 0)]
    assert ann.player.get(f"{url_of(dealt)}/events").json == before
    assert ann.balance == 900
    assert (
        ann.player.act(dealt, "hit", idempotency_key="the-first-double").status == 200
    )


def test_16_a_split_without_funds_is_refused_too(site: Site) -> None:
    site.rig.stack("P 8,8 | U 6 | H T | 3,T,T,T")
    ann = purse(site, 1000)
    dealt = ann.deal(1000)
    got = ann.player.act(dealt, "split")
    assert got.refusal == (402, "insufficient_funds")
    assert len(got.json["legal_actions"]) == 2
    ann.casino.deposit(ann.player.name, 1000)
    assert ann.player.act(dealt, "split").status == 200


def test_16_insurance_for_the_boxes_that_can_be_paid(site: Site) -> None:
    site.rig.stack("P T,9 / T,8 | U A | H 5 | T")
    ann = purse(site, 3500)
    dealt = ann.deal(2000, 1000)
    got = ann.player.insure(dealt, 1, 2)
    assert got.refusal == (402, "insufficient_funds")
    assert (got.json["required"], got.json["balance"]) == (1500, 500)
    boxes = {tuple(one["boxes"]) for one in got.json["legal_actions"]}
    assert boxes == {(), (2,)}
    assert ann.player.insure(dealt, 2).json["balance"]["amount"] == 0


def test_17_every_stake_is_in_the_rounds_currency(site: Site) -> None:
    site.rig.stack("P 5,6 | U A | H 5 | 2,3")
    ann = purse(site, 10_000, "EUR")
    ann.casino.deposit(ann.player.name, 10_000, "USD")
    settled = ann.played("insure double settle", 1000)
    assert settled.json["balance"]["currency"] == "EUR"
    assert [what for what, _ in ann.entries[:3]] == ["deal", "insurance", "double"]
    assert ann.casino.balance(ann.player.name, "USD") == 10_000


def test_17_a_token_of_another_currency_moves_nothing(site: Site) -> None:
    site.rig.stack("P 5,6 | U 6 | H T | 2,8,T")
    ann = purse(site, 10_000, "EUR")
    dealt = ann.deal(1000)
    dollars = Player(site.app, ann.player.name, "USD")
    assert dollars.act(dealt, "double").refusal == (409, "currency_mismatch")
    assert (ann.balance, dollars.act(dealt, "hit").status) == (9000, 200)


def test_18_the_same_bets_again_are_the_first_ones(site: Site) -> None:
    site.rig.stack("P 8,8 / 5,6 | U 6 | H T | 3,T,T,9,T")
    ann = purse(site, 100_000)
    first = ann.played("split double stand double settle", 2500, 1000).round
    assert first["stake"] == 2500 * 3 + 1000 * 2
    again = [{"box": box["box"], "wager": box["wager"]} for box in first["boxes"]]
    before = ann.balance
    body = {"table_id": first["table_id"], "currency": "USD", "boxes": again}
    got = ann.player.post("/v1/rounds", body)
    assert (got.round["stake"], ann.balance) == (3500, before - 3500)


# 19 is shown where people type amounts; here they are whole.
@pytest.mark.parametrize(
    ("typed", "amount"), [("20.10", 2010), ("0.29", 29), ("1.15", 115)]
)
def test_19_amounts_are_parsed_exactly(site: Site, typed: str, amount: int) -> None:
    assert Money("USD", 2).read(typed) == amount
    ann = purse(site, amount)
    assert ann.balance == amount
    assert ann.casino.withdraw(ann.player.name, amount).json["balance"] == 0


def test_27_each_hand_of_a_split_carries_one_bet(site: Site) -> None:
    site.rig.stack("P 8,8 | U 6 | H T | T,3,T,3")
    ann = purse(site, 2000)
    settled = ann.played("split stand hit settle", 1000).round
    hands = [(hand["wager"], hand["payout"]) for hand in settled["hands"]]
    assert hands == [(1000, 0), (1000, 2000)]
    assert ann.balance == 2000


def test_45_parallel_deals_take_one_stake(site: Site) -> None:
    site.rig.stack("P 9,7 | U 6 | H 5")
    ann = purse(site, 10_000)
    answers = at_once([lambda: ann.deal(1000)] * 8)
    statuses = sorted(got.status for got in answers if isinstance(got, Got))
    assert statuses == [201] + [409] * 7
    assert (ann.balance, ann.entries) == (9000, [("deal", -1000)])


def test_49_parallel_stands_and_settlements_pay_once(site: Site) -> None:
    site.rig.stack("P T,9 | U 6 | H T | T")
    ann = purse(site, 1000)
    dealt = ann.deal(1000)
    stands = at_once([lambda: ann.player.act(dealt, "stand")] * 6)
    (stood,) = [g for g in stands if isinstance(g, Got) and g.status == 200]
    settled = at_once([lambda: ann.player.settle(stood)] * 6)
    assert len({got.body for got in settled if isinstance(got, Got)}) == 1
    assert (ann.balance, ann.entries) == (2000, [("deal", -1000), ("settlement", 2000)])


def test_52_a_log_that_cannot_be_written_moves_nothing(site: Site) -> None:
    site.rig.stack("P 5,6 | U 6 | H T | T,T")
    ann = purse(site, 3000)
    dealt = ann.deal(1000)
    site.owner("ALTER TABLE log ADD CONSTRAINT planted CHECK (ver < 2) NOT VALID")
    try:
        got = ann.player.act(dealt, "double", idempotency_key="the-first-double")
        assert got.refusal == (500, "internal_error")
        assert ann.player.deal(500).status == 201, "another table goes on"
    finally:
        site.owner("ALTER TABLE log DROP CONSTRAINT planted")
    assert (ann.balance, ann.player.get(url_of(dealt)).json) == (1500, dealt.round)
    again = ann.player.act(dealt, "double", idempotency_key="the-first-double")
    assert (again.status, "Idempotent-Replayed" in again.headers) == (200, False)
    assert ann.entries == [("deal", -1000), ("deal", -500), ("double", -1000)]


def test_52_a_ledger_that_cannot_be_written_writes_no_log(site: Site) -> None:
    site.rig.stack("P 9,7 | U 6 | H 5")
    ann = purse(site, 3000)
    site.owner("ALTER TABLE ledger ADD CONSTRAINT planted CHECK (false) NOT VALID")
    try:
        assert ann.deal(1000).refusal == (500, "internal_error")
    finally:
        site.owner("ALTER TABLE ledger DROP CONSTRAINT planted")
    assert ann.player.get("/v1/rounds?status=open").json["items"] == []
    assert (ann.balance, ann.entries) == (3000, [])


def voided(site: Site, ann: Purse, dealt: Got) -> Accepted:
    """Decide, as it will be when its time is over, that a round is void."""
    caller = site.api.tokens.read(ann.player.token, ann.player.present())
    who = (caller.account, caller.player, "void-1", bytes(32), caller.currency)
    ask = Ask(*who, caller.operator, caller.mode)
    seen = site.api.play.read(ask, dealt.round["id"])
    loaded = load(site.api.database, caller.account, seen.round_id, None)
    command = Expire(seen.round.opened.expires_at)
    events = tuple(decide(seen.round, command, WholeShoe(b"", "")))
    place = (seen.round_id, command, loaded.rows[-1], command.at)
    after = fold(events, seen.round)
    return Accepted(ask, *place, seen.round, after, events, None)


def test_61_two_voids_at_once_refund_once(site: Site) -> None:
    site.rig.stack("P 9,7 | U 6 | H 5")
    ann = purse(site, 3000)
    accepted = voided(site, ann, ann.deal(1000))
    wallet = LedgerWallet(site.api.database, Watch())
    results = at_once([lambda: wallet.carry(accepted)] * 4)
    assert Counter(type(result) for result in results) == {Carried: 1, LostRace: 3}
    assert (ann.balance, ann.entries) == (3000, [("deal", -1000), ("void", 1000)])


@pytest.mark.parametrize(
    "wager", [-600, 0, "10", 10.005, 1e3, True, None, 2**53, 2**63, []]
)
def test_62_what_is_no_wager_takes_nothing(site: Site, wager: object) -> None:
    ann = purse(site, 3000)
    boxes = [{"box": 1, "wager": wager}]
    body = {"table_id": "american-five", "currency": "USD", "boxes": boxes}
    assert ann.player.post("/v1/rounds", body).refusal == (422, "invalid")
    assert ann.balance == 3000


def test_62_a_first_bet_is_checked_against_the_balance(site: Site) -> None:
    ann = purse(site, 999)
    got = ann.deal(1000)
    assert got.refusal == (402, "insufficient_funds")
    assert (got.json["required"], got.json["balance"]) == (1000, 999)
    assert not {"ETag", "Location"} & got.headers.keys()
    assert "legal_actions" not in got.json
    assert ann.balance == 999
    assert ann.player.get("/v1/rounds?status=open").json["items"] == []
