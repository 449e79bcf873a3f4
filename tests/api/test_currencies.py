"""Currencies of no, two and three digits; and one balance at fifty tables."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Final

import pytest

from service.chance import new_id
from service.store.operators import Offer, offers_of, set_offer
from service.store.tables import save_table_version
from service.tablefile import parse_table, shipped_tables
from tests.api.bank import purse
from tests.api.player import Got
from tests.api.site import Site
from tests.support.postgres import Postgres
from tests.support.waiting import at_once

TABLES: Final = 50
PLAIN: Final = dict(shipped_tables())["american-five.toml"]
LIMITS: Final = """
[limits.{}]
minimum = 2
maximum = 1_000_000
step = 2
chips = [2, 100]
"""
CURRENCIES: Final = ("JPY", "EUR", "KWD")


def tables() -> Iterator[tuple[str, str]]:
    """Yield copies of a table, each with limits in three currencies."""
    rules = PLAIN.partition("[limits.")[0]
    limits = "".join(LIMITS.format(currency) for currency in CURRENCIES)
    for number in range(TABLES):
        name = f"copy-{number:02}"
        yield name, rules.replace('"american-five"', f'"{name}"') + limits


@pytest.fixture(scope="module")
def mint(
    postgres: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """Give a service with those tables."""
    with postgres.copy() as dsn:
        site = Site(dsn, tmp_path_factory.mktemp("mint"), tables())
        yield site
        assert site.witness.faults == []
        site.close()


# Known fault 72: the wallet counted units and the engine minor units.
@pytest.mark.parametrize(("currency", "exponent"), [("JPY", 0), ("EUR", 2), ("KWD", 3)])
def test_72_amounts_are_minor_units_everywhere(
    mint: Site, currency: str, exponent: int
) -> None:
    mint.rig.stack("P A,K | U 9 | H 7")
    ann = purse(mint, 1000, currency)
    dealt = ann.deal(1000, table="copy-00")
    assert (dealt.round["stake"], ann.balance) == (1000, 0)
    settled = ann.player.settle(dealt)
    assert settled.json["balance"] == {"currency": currency, "amount": 2500}
    launch = {"currency": currency, "tables": ["copy-00"]}
    assert mint.operators["dev"].launch(ann.player.name, launch).status == 201
    text, has = {
        0: ("2502", "2500"),
        2: ("25.02", "25.00"),
        3: ("2.502", "2.500"),
    }[exponent]
    short = ann.player.deal(2502, table="copy-00")
    assert (
        short.json["detail"]
        == f"This takes {text} {currency}, and the player has {has} {currency}."
    )
    high = ann.player.deal(1_000_002, table="copy-00").json
    text = {0: "1000000", 2: "10000.00", 3: "1000.000"}[exponent]
    said = f"A wager is at most {text} {currency}."
    assert (high["detail"], high["errors"][0]["detail"]) == (said, said)
    table = ann.player.get("/v1/tables/copy-00").json
    assert table["limits"][currency]["exponent"] == exponent
    told = ann.player.get("/v1/balance").json
    assert (told["amount"], told["exponent"]) == (2500, exponent)


# Known fault 71: a stake of 0.004 was rounded to 0.00 on its way.
def test_71_the_smallest_stake_of_three_digits_is_whole(mint: Site) -> None:
    mint.rig.stack("P A,K | U 9 | H 7")
    ann = purse(mint, 4, "KWD")
    assert ann.played("settle", 4, table="copy-00").round["payout"] == 10
    assert ann.entries == [("deal", -4), ("settlement", 10)]
    assert ann.balance == 10


# Known fault 20: payouts in floats differed from exact ones.
@pytest.mark.parametrize("wager", [2, 58, 114, 230, 2010, 28_914, 999_998])
def test_20_payouts_are_exact(mint: Site, wager: int) -> None:
    mint.rig.stack("P A,K / T,9 | U 9 | H 7 | T")
    ann = purse(mint, 2 * wager, "EUR")
    settled = ann.played("stand settle", wager, wager, table="copy-00").round
    assert settled["payout"] == ann.balance == wager * 5 // 2 + wager * 2


def test_fifty_deals_at_once_take_what_there_is(mint: Site) -> None:
    mint.rig.stack("P 9,7 | U 6 | H 5")
    ann = purse(mint, 1000, "EUR")
    jobs = [
        partial(ann.deal, 100, table=f"copy-{number:02}") for number in range(TABLES)
    ]
    results = at_once(jobs)
    answers = [got for got in results if isinstance(got, Got)]
    assert Counter(got.refusal for got in answers) == {
        (201, ""): 10,
        (402, "insufficient_funds"): 40,
    }
    assert (ann.balance, ann.entries) == (0, [("deal", -100)] * 10)
    dealt = {got.round["id"] for got in answers if got.status == 201}
    is_open = ann.player.get("/v1/rounds?status=open&limit=100").json["items"]
    assert {round_["id"] for round_ in is_open} == dealt
    left = sorted(got.json["balance"]["amount"] for got in answers if not got.code)
    assert left == list(range(0, 1000, 100)), "each reply shows its own balance"


def test_a_table_is_disabled_in_all_currencies_that_it_has_by_now(mint: Site) -> None:
    name = "copy-49"
    ann = purse(mint, 1000, "EUR")
    dealt = ann.deal(1000, table=name)
    more = dict(tables())[name] + LIMITS.format("GBP")
    save_table_version(mint.bank, name, parse_table(more, name).version, more)
    mint.api.catalog._read_at = -float("inf")  # noqa: SLF001 - five seconds later
    path = f"/v1/players/{ann.player.name}/rounds/{dealt.round['id']}/malfunction"
    body = {"reason": "a fault", "disable_table": True}
    assert ann.casino.post(path, body, idempotency_key=new_id()).status == 200
    changed = offers_of(mint.bank, "dev")
    for offer in changed:
        set_offer(mint.bank, Offer(*offer[:3]))
    assert {one.currency for one in changed if not one.enabled} == {*CURRENCIES, "GBP"}
