"""Over HTTP with an operator's own wallet: what it refuses, and what it leaves open."""

from collections.abc import Iterator
from typing import Final

import pytest

from service.chance import new_id
from service.sealing import KeyRing
from service.store.keys import OperatorKey, add_key
from tests.api.operator import Operator
from tests.api.player import Player, url_of
from tests.api.site import Site
from tests.support.postgres import Postgres
from tests.support.wallet import SECRET, WalletProcess, running_wallet
from tests.wallet.casino import QUICK

OPERATOR: Final = "outside"
SET_URL: Final = "UPDATE operator SET wallet_url = '{}' WHERE operator = 'outside'"
SILENT: Final = ["error_before"] * 20
"""More than a command is patient for."""


@pytest.fixture(scope="module")
def wallet(postgres: Postgres) -> Iterator[WalletProcess]:
    with postgres.copy(empty=True) as dsn, running_wallet(dsn, "--faults") as wallet:
        yield wallet


@pytest.fixture(scope="module")
def site(
    postgres: Postgres,
    wallet: WalletProcess,
    whole_site: Site,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Site]:
    """Give a service whose operator "outside" has that wallet."""
    with postgres.copy() as dsn:
        site = Site(dsn, tmp_path_factory.mktemp("seamless"), times=QUICK)
        ring = KeyRing.from_file(site.config.shoe_keys)
        sealed = ring.seal_secret(SECRET.encode(), OPERATOR, "w-1")
        add_key(site.bank, OperatorKey(OPERATOR, "w-1", "wallet", sealed))
        site.owner(SET_URL.format(wallet.url))
        yield site
        assert site.witness.faults == []
        whole_site.witness.seen |= site.witness.seen
        site.close()


@pytest.fixture
def casino(site: Site) -> Operator:
    return site.operators[OPERATOR]


@pytest.fixture
def ann(wallet: WalletProcess, casino: Operator) -> Player:
    """Give a player with 100.00 in the operator's wallet."""
    name = f"p-{new_id()}"
    wallet.put(name, 10_000)
    return casino.launched(name)


def test_the_wallets_balance_is_shown(
    site: Site, casino: Operator, ann: Player, wallet: WalletProcess
) -> None:
    site.rig.stack("P A,K | U 9 | H 7")
    dealt = ann.deal(1000)
    assert dealt.json["balance"] == {"currency": "USD", "amount": 9000}
    assert ann.settle(dealt).json["balance"]["amount"] == 11_500
    assert ann.get("/v1/balance").json["amount"] == wallet.has(ann.name) == 11_500
    assert casino.balance(ann.name) == 11_500
    assert ann.get("/v1/players/me").json["balance"] == 11_500


def test_history_shows_the_balances_that_the_wallet_told(
    site: Site, ann: Player
) -> None:
    site.rig.stack("P 5,6 | U 6 | H T | T,T")
    settled = ann.play(ann.deal(1000), "double settle")
    (item,) = ann.get("/v1/history").json["items"]
    assert (item["balance_before"], item["balance_after"]) == (10_000, 12_000)
    assert item["net"] == 2_000
    steps = ann.get(f"/v1/history/{settled.round['id']}").json["steps"]
    assert [step["balance"] for step in steps] == [9_000, 8_000, 12_000]


def test_the_wallet_may_say_that_it_is_too_little(
    site: Site, ann: Player, wallet: WalletProcess
) -> None:
    site.rig.stack("P 5,6 | U 6 | H T | 2,8,T")
    dealt = ann.deal(6000)
    got = ann.act(dealt, "double")
    assert got.refusal == (402, "insufficient_funds")
    # This wallet's refusal does not tell what there is.
    assert (got.json["required"], got.json["balance"]) == (6000, None)
    assert got.version == dealt.version
    assert {one["action"] for one in got.json["legal_actions"]} == {"hit", "stand"}
    assert ann.play(dealt, "hit hit settle").round["payout"] == 12_000
    assert wallet.has(ann.name) == 16_000
    assert ann.deal(20_000, table="american-five").refusal[0] == 402


@pytest.mark.parametrize("code", ["loss_limit", "reality_check", "x_cooling_off"])
def test_the_wallets_own_reasons_are_passed_on(
    site: Site, ann: Player, wallet: WalletProcess, code: str
) -> None:
    site.rig.stack("P 5,6 | U 6 | H T | 2,8,T")
    dealt = ann.deal(1000)
    wallet.put(ann.name, 9000, refuses=code)
    for got in (ann.act(dealt, "double"), ann.deal(1000, table="american-five")):
        assert got.refusal == (403, "wallet_refused")
        assert got.json["wallet_code"] == code
    assert ann.act(dealt, "hit").status == 200


def test_a_stake_that_is_not_answered_waits(
    site: Site, ann: Player, wallet: WalletProcess
) -> None:
    site.rig.stack("P 5,6 | U 6 | H T | T,T")
    dealt = ann.deal(1000)
    wallet.arm(*SILENT)
    waits = ann.act(dealt, "double", idempotency_key="the-first-double")
    assert (waits.status, waits.headers["Retry-After"]) == (202, "1")
    assert (dealt.version, waits.version) == ('"1"', '"1-waits"')
    assert (waits.json["status"], waits.json["events"]) == ("wallet_pending", [])
    shown = waits.round
    assert (shown["status"], shown["legal_actions"]) == ("wallet_pending", [])
    assert shown["hands"] == dealt.round["hands"]
    for tag, status in (('"1"', 200), ('"1-waits"', 304)):
        assert ann.get(url_of(dealt), if_none_match=tag).status == status
    assert ann.get(url_of(dealt)).json == shown
    assert ann.get("/v1/rounds?status=open").json["items"] == [shown]
    (short,) = ann.get("/v1/players/me").json["open_rounds"]
    assert short["status"] == "wallet_pending"
    for other in (ann.act(dealt, "hit"), ann.settle(dealt)):
        assert other.refusal == (409, "wallet_pending")
    wallet.arm(next=[])
    done = ann.act(waits, "double", idempotency_key="the-first-double")
    assert (done.status, done.json["balance"]["amount"]) == (200, 8000)
    assert ann.settle(done).json["balance"]["amount"] == 12_000
    assert wallet.kinds(ann.name) == ["debit", "debit", "credit", "end"]


def test_a_deal_that_is_not_answered_has_no_round_yet(
    site: Site, ann: Player, wallet: WalletProcess
) -> None:
    site.rig.stack("P T,9 | U A | H 5 | T,T")
    wallet.arm(*SILENT)
    waits = ann.deal(1000, idempotency_key="the-first-deal")
    assert (waits.status, waits.json["round"]) == (202, None)
    assert not {"ETag", "Location"} & waits.headers.keys()
    path = f"/v1/rounds/{waits.json['round_id']}"
    assert ann.get(path).refusal == (404, "round_not_found")
    other = ann.deal(1000)
    assert other.refusal == (409, "wallet_pending")
    assert other.json["round_id"] == waits.json["round_id"]
    wallet.arm(next=[])
    dealt = ann.deal(1000, idempotency_key="the-first-deal")
    assert (dealt.status, dealt.headers["Location"]) == (201, path)
    wallet.arm(*SILENT)
    waits = ann.insure(dealt, 1, idempotency_key="the-insurance")
    assert (waits.status, waits.round["status"]) == (202, "wallet_pending")
    assert ann.insure(dealt).refusal == (409, "wallet_pending")
    wallet.arm(next=[])
    assert ann.insure(dealt, 1, idempotency_key="the-insurance").status == 200
    assert wallet.has(ann.name) == 8500
