"""What an operator changed of a table binds the next deal of his players."""

from collections.abc import Callable, Iterator

import pytest

from service.store.operators import Offer, set_offer
from tests.api.operator import Operator
from tests.api.player import Player
from tests.api.site import Site

Offering = Callable[..., Player]


@pytest.fixture
def offering(site: Site, other: Operator) -> Iterator[Offering]:
    """Give what puts an offer of classic-three in force, and a player to whom it is."""

    def offer(**changes: int | bool) -> Player:
        set_offer(site.bank, Offer("other", "classic-three", "USD", **changes))  # type: ignore[arg-type]  # the test's own names
        name = site.player().name
        other.deposit(name, 1_000_000)
        return other.launched(name)

    yield offer
    set_offer(site.bank, Offer("other", "classic-three", "USD"))


def test_a_disabled_table_takes_no_deal(alice: Player, offering: Offering) -> None:
    ann = offering(enabled=False)
    assert ann.deal(1000).refusal == (409, "table_disabled")
    assert ann.deal(1000, table="american-five").status == 201
    assert alice.deal(1000).status == 201, "another operator's player"


def test_on_a_disabled_table_open_rounds_go_on(site: Site, offering: Offering) -> None:
    site.rig.stack("P 5,6 | U 6 | H T | T,T")
    ann = offering()
    dealt = ann.deal(1000)
    set_offer(site.bank, Offer("other", "classic-three", "USD", enabled=False))
    assert ann.play(dealt, "double settle").round["stake"] == 2000
    assert ann.deal(1000).refusal == (409, "table_disabled")


def test_limits_in_force_are_the_operators(offering: Offering) -> None:
    ann = offering(minimum=500, maximum=2000)
    low, high = ann.deal(400), ann.deal(2100)
    assert (low.code, high.code) == ("wager_below_minimum", "wager_above_maximum")
    assert [got.json["errors"][0]["limit"] for got in (low, high)] == [500, 2000]
    dealt = ann.deal(2000)
    opened = dealt.json["events"][0]
    assert (opened["minimum"], opened["maximum"]) == (500, 2000)
    assert dealt.round["max_win"]["amount"] == 5000, "2.5 x the maximum in force"


def test_the_table_of_another_currency_is_as_it_is(
    other: Operator, offering: Offering
) -> None:
    ann = offering(minimum=500, enabled=False)
    other.deposit(ann.name, 1000, "EUR")
    assert other.launched(ann.name, currency="EUR").deal(100).status == 201


def test_a_rounds_exposure_is_limited(offering: Offering) -> None:
    # Two hands, doubled, and half a wager of insurance: 4.5 wagers a box.
    ann = offering(exposure=9000)
    for wagers in ((2100,), (1000, 1100), (700, 700, 700)):
        got = ann.deal(*wagers)
        assert got.refusal == (409, "exposure_exceeded")
        assert got.json["limit"] == 9000
    assert ann.deal(1000, 1000).status == 201


def test_a_front_end_is_told_what_is_offered(offering: Offering) -> None:
    ann = offering(enabled=False, maximum=2000, exposure=9000)
    tables = ann.get("/v1/players/me").json["tables"]
    assert {
        "table_id": "classic-three",
        "enabled": False,
        "minimum": 100,
        "maximum": 2000,
        "exposure": 9000,
        "max_win": 5000,
    } in tables
    (american,) = [one for one in tables if one["table_id"] == "american-five"]
    assert american["max_win"] is None
