"""Reports: funds held and turnover, against figures counted by hand."""

from collections.abc import Iterator
from typing import Any

import pytest

from service.chance import new_id
from tests.api.aged import deal_days_ago, expire
from tests.api.operator import Operator
from tests.api.player import Got, Player
from tests.api.site import Site


@pytest.fixture
def house(site: Site) -> Iterator[Operator]:
    """Give an operator none of whose rounds is left of another test."""
    site.owner("UPDATE round SET operator = 'gone' WHERE operator = 'reports'")
    yield site.operators["reports"]
    # As it was, for the check of all money at the end.
    site.owner("UPDATE round SET operator = 'reports' WHERE operator = 'gone'")


def guest(house: Operator, currency: str = "USD", mode: str = "real") -> Player:
    name = f"p-{new_id()}"
    if mode == "real":
        house.deposit(name, 1_000_000, currency)
    return house.launched(name, currency=currency, mode=mode)


def lost(site: Site, player: Player, wager: int, table: str = "classic-three") -> Got:
    site.rig.stack("P T,7 | U 9 | H 9")
    return player.play(player.deal(wager, table=table), "stand settle")


def won(site: Site, player: Player, wager: int, table: str = "classic-three") -> Got:
    site.rig.stack("P T,9 | U 9 | H 8")
    return player.play(player.deal(wager, table=table), "stand settle")


def held(house: Operator, query: str = "") -> list[tuple[str, str, int, int]]:
    got = house.get(f"/v1/reports/held{query}")
    assert got.status == 200, got.body
    return [tuple(item.values()) for item in got.json["items"]]


def turnover(house: Operator, days: str, query: str = "") -> list[dict[str, Any]]:
    first, _, last = days.partition(" ")
    got = house.get(f"/v1/reports/turnover?from={first}&to={last or first}{query}")
    assert got.status == 200, got.body
    items: list[dict[str, Any]] = got.json["items"]
    return items


def ends_at(site: Site, got: Got, moment: str) -> None:
    """Say of a round that it ended at another time."""
    site.owner(
        f"UPDATE round SET closed_at = '{moment}' WHERE round = '{got.round['id']}'"  # noqa: S608 - an id of ours
    )


def test_open_rounds_hold_what_is_staked_and_not_paid(
    site: Site, house: Operator
) -> None:
    assert held(house) == []
    one, two, euro = guest(house), guest(house), guest(house, "EUR")
    site.rig.stack("P 5,6 | U 6 | H T | K")
    decided = one.play(one.deal(3_000), "double")  # awaits settlement: 6,000
    site.rig.stack("P 8,8 | U 6 | H T | 3,K")
    two.play(two.deal(1_000), "split")  # 2,000
    site.rig.stack("P T,7 | U A | H 5")
    insured = two.deal(2_000, table="american-five")
    two.insure(insured, 1)  # the dealer has no natural: 3,000 stay
    site.rig.stack("P T,7 | U A | H K")
    paid = euro.deal(1_000, table="american-five")
    euro.insure(paid, 1)  # 1,500 staked, 1,500 paid for the insurance: 0
    site.rig.stack("P T,7 | U 6 | H T")
    euro.deal(500)
    lost(site, two, 700, "progressive-five")
    assert held(house) == [
        ("EUR", "american-five", 1, 0),
        ("EUR", "classic-three", 1, 500),
        ("USD", "american-five", 1, 3_000),
        ("USD", "classic-three", 2, 8_000),
    ]
    one.settle(decided)
    assert held(house)[-1] == ("USD", "classic-three", 1, 2_000)


def test_demo_rounds_hold_demo_money(site: Site, house: Operator) -> None:
    site.rig.stack("P T,7 | U 6 | H T")
    guest(house, mode="demo").deal(400)
    guest(house).deal(300)
    assert held(house, "?mode=demo") == [("USD", "classic-three", 1, 400)]
    assert held(house, "?mode=real") == [("USD", "classic-three", 1, 300)]


def test_turnover_is_by_day_table_and_currency(site: Site, house: Operator) -> None:
    player, euro = guest(house), guest(house, "EUR")
    last_moment, midnight = "2026-03-01T23:59:59.999999Z", "2026-03-02T00:00:00Z"
    ends_at(site, lost(site, player, 1_000), last_moment)
    ends_at(site, won(site, player, 2_000), midnight)
    ends_at(site, lost(site, player, 3_000), "2026-03-02T12:00:00Z")
    ends_at(site, won(site, player, 500, "american-five"), "2026-03-02T12:00:00Z")
    ends_at(site, lost(site, euro, 800, "american-five"), "2026-03-02T23:59:59Z")
    ends_at(site, lost(site, player, 9_000), "2026-03-03T00:00:00Z")
    assert [list(item.values())[:7] for item in turnover(house, "2026-03-02")] == [
        ["2026-03-02", "american-five", "EUR", 1, 800, 0, 800],
        ["2026-03-02", "american-five", "USD", 1, 500, 1_000, -500],
        ["2026-03-02", "classic-three", "USD", 2, 5_000, 4_000, 1_000],
    ]
    both = turnover(house, "2026-03-01 2026-03-03")
    assert [(item["day"], item["stake"]) for item in both] == [
        ("2026-03-01", 1_000),
        *(("2026-03-02", stake) for stake in (800, 500, 5_000)),
        ("2026-03-03", 9_000),
    ]
    assert {tuple(item["void"].values()) for item in both} == {(0, 0, 0)}
    assert turnover(house, "2026-03-04 2026-03-31") == []


def test_every_stake_of_a_round_counts_and_a_round_once(
    site: Site, house: Operator
) -> None:
    player = guest(house)
    site.rig.stack("P 8,8 | U 6 | H T | 3,K,9,T")
    settled = player.play(player.deal(1_000), "split double stand settle")
    again = player.settle(settled)
    assert again.headers["Idempotent-Replayed"] == "true"
    ends_at(site, settled, "2026-03-02T12:00:00Z")
    (item,) = turnover(house, "2026-03-02")
    assert (item["rounds"], item["stake"], item["payout"]) == (1, 3_000, 6_000)
    assert item["margin"] == -3_000


def test_open_rounds_are_in_no_turnover(site: Site, house: Operator) -> None:
    site.rig.stack("P T,7 | U 6 | H T")
    player = guest(house)
    dealt = player.deal(400)
    today = dealt.round["opened_at"][:10]
    assert turnover(house, today) == []


def test_void_rounds_stand_apart(site: Site, house: Operator) -> None:
    player, other = guest(house), guest(house)
    site.rig.stack("P T,6 | U 6 | H T")
    url = deal_days_ago(site, player, 91, 1_500)
    expire(site, player, url)
    ended = player.get(url).json
    day = ended["closed_at"][:10]
    ends_at(site, won(site, other, 100), f"{day}T12:00:00Z")
    assert ended["status"] == "void"
    (item,) = turnover(house, day)
    assert (item["rounds"], item["stake"], item["payout"]) == (1, 100, 200)
    assert item["void"] == {"rounds": 1, "stake": 1_500, "payout": 1_500}


def test_real_and_demo_turnover_are_apart(site: Site, house: Operator) -> None:
    ends_at(site, lost(site, guest(house), 100), "2026-03-02T12:00:00Z")
    demo = lost(site, guest(house, mode="demo"), 200)
    ends_at(site, demo, "2026-03-02T12:00:00Z")
    assert [item["stake"] for item in turnover(house, "2026-03-02")] == [100]
    found = turnover(house, "2026-03-02", "&mode=demo")
    assert [item["stake"] for item in found] == [200]


def test_another_operators_rounds_are_in_no_report(
    site: Site, house: Operator, other: Operator
) -> None:
    ends_at(site, lost(site, guest(house), 100), "2025-07-07T12:00:00Z")
    site.rig.stack("P T,7 | U 6 | H T")
    guest(house).deal(400)
    assert turnover(other, "2025-07-07") == []
    assert ("USD", "classic-three", 1, 400) in held(house)
    assert ("USD", "classic-three", 1, 400) not in held(other)


@pytest.mark.parametrize(
    ("days", "pointer"),
    [
        ("from=2026-02-30&to=2026-03-01", "query:from"),
        ("from=2026-02-01&to=2026-02-29", "query:to"),
        ("from=2026-13-01&to=2026-13-01", "query:from"),
        ("from=yesterday&to=2026-03-01", "query:from"),
        ("from=1999-12-31&to=2026-03-01", "query:from"),
        ("from=2026-03-02&to=2026-03-01", "query:to"),
        ("from=2026-01-01&to=2027-01-02", "query:to"),
        ("to=2026-03-01", "query:from"),
        ("from=2026-03-01", "query:to"),
    ],
)
def test_days_are_days_and_not_too_many(
    casino: Operator, days: str, pointer: str
) -> None:
    got = casino.get(f"/v1/reports/turnover?{days}")
    assert got.refusal == (422, "invalid")
    assert got.json["errors"][0]["pointer"] == pointer


def test_a_leap_year_and_the_end_of_time_are_fine(house: Operator) -> None:
    assert turnover(house, "2024-01-01 2024-12-31") == []
    assert turnover(house, "2999-12-31") == []
