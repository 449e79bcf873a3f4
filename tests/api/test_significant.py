"""`list_significant_events`: what an operator is told of play, and of every change."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import orjson
import pytest

from service.chance import new_id
from service.changes import Actor, change_offer, start, stop
from service.store.operators import Offer
from service.wallet.notable import Watch
from tests.api.aged import ask_of
from tests.api.bank import Purse, purse
from tests.api.operator import Operator
from tests.api.player import Got
from tests.api.site import Site
from tests.support.waiting import until

PATH: Final = "/v1/significant-events"
ENGINEER: Final = Actor("cli:eve", "a test")


def feed(operator: Operator, cursor: str | None, query: str = "") -> dict[str, Any]:
    after = "" if cursor is None else f"&cursor={cursor}"
    got = operator.get(f"{PATH}?limit=100{query}{after}")
    assert got.status == 200, got.body
    found: dict[str, Any] = got.json
    return found


def end_of(operator: Operator, query: str = "") -> str:
    """Return the cursor behind all that was noted so far."""
    cursor = None
    while True:
        page = feed(operator, cursor, query)
        cursor = page["next_cursor"]
        if len(page["items"]) < 100:
            return str(cursor)


class Follower:
    """An operator who reads on from now."""

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self._cursor = end_of(operator)

    def told(self, count: int) -> list[dict[str, Any]]:
        """Return what was noted since, once it is so much; and no more comes."""
        found: list[dict[str, Any]] = []

        def read() -> bool:
            found[:] = feed(self.operator, self._cursor)["items"]
            return len(found) >= count

        until(read, f"{count} events")
        assert len(found) == count, found
        return found


@pytest.fixture
def follower(casino: Operator) -> Follower:
    return Follower(casino)


@pytest.fixture
def ann(site: Site) -> Purse:
    return purse(site, 1_000_000)


FIVE: Final = "P 5,6 / 5,6 / 5,6 / 5,6 / 5,6 | U T | H 7 | T,T,T,T,T"


@pytest.mark.parametrize(("wager", "count"), [(50_000, 1), (49_800, 0)])
def test_a_win_of_ten_times_the_largest_wager_is_large(
    site: Site, follower: Follower, ann: Purse, wager: int, count: int
) -> None:
    site.rig.stack(FIVE)
    dealt = ann.deal(*[wager] * 5)
    on = ann.player.play(dealt, "double double double double double")
    follower.told(0)
    settled = ann.player.settle(on)
    assert settled.round["payout"] - settled.round["stake"] == wager * 10
    for event in follower.told(count):
        assert (event["kind"], event["who"]) == ("large_win", "player")
        assert event["round_id"] == settled.round["id"]
        assert event["data"].items() >= {"payout": 1_000_000, "least": 500_000}.items()


def test_from_which_win_on_is_a_setting(site: Site, ann: Purse) -> None:
    ann.deal(1_000)
    ask = ask_of(site, ann.player)
    (seen,) = site.api.play.open_rounds(ask)
    opened = seen.round.opened
    assert Watch().least(opened) == 10 * opened.maximum == 500_000
    assert Watch(3).least(opened) == 150_000
    assert Watch(3, {"USD": 7, "EUR": 8}).least(opened) == 7
    assert Watch(3, {"EUR": 8}).least(opened) == 150_000


def test_a_cut_win_is_told_when_it_is_decided(
    site: Site, follower: Follower, ann: Purse
) -> None:
    site.rig.stack("P 5,6 / 5,6 | U T | H 7 | T,T")
    dealt = ann.deal(10_000, 10_000, table="classic-three")
    on = ann.player.play(dealt, "double double")
    (event,) = follower.told(1)
    assert (event["kind"], event["who"], event["house"]) == (
        *("win_capped", "player", False),
    )
    assert (event["player_id"], event["mode"]) == (ann.player.name, "real")
    assert (event["round_id"], event["version"]) == (on.round["id"], 3)
    hands = {"1a": 15_000, "2a": 15_000}
    assert event["data"]["hands"] == hands
    assert event["data"]["withheld"] == 30_000
    ann.player.settle(on)
    follower.told(1)


def test_a_malfunction_is_told_and_what_is_owed(
    site: Site, casino: Operator, follower: Follower, ann: Purse
) -> None:
    site.rig.stack("P A,K | U 9 | H 7")
    on = ann.played("settle", 10_000)
    casino.withdraw(ann.player.name, 1_014_999)
    body = {"reason": "a fault"}
    path = f"/v1/players/{ann.player.name}/rounds/{on.round['id']}/malfunction"
    casino.post(path, body, idempotency_key=new_id())
    taken, owed = sorted(follower.told(2), key=lambda one: one["kind"], reverse=True)
    assert (taken["kind"], taken["why"]) == ("round_malfunction", "a fault")
    assert taken["who"] == f"operator:{casino.key.key_id}"
    assert taken["before"] == {"status": "settled", "payout": 25_000}
    assert taken["after"] == {"status": "malfunction", "payout": 10_000}
    assert taken["data"].items() >= {"correction": -15_000, "owed": 14_999}.items()
    assert (owed["kind"], owed["data"]["amount"]) == ("money_owed", 14_999)
    assert owed["round_id"] == taken["round_id"] == on.round["id"]


def test_a_block_is_told_with_reason_and_key(
    casino: Operator, follower: Follower, ann: Purse
) -> None:
    name = ann.player.name
    for why in ("first", "first", "second"):
        assert casino.block(name, why).status == 204
    for _ in range(2):
        assert casino.unblock(name).status == 204
    told = follower.told(3)
    assert [(one["kind"], one["before"], one["after"]) for one in told] == [
        ("player_stopped", None, {"why": "first"}),
        ("player_stopped", {"why": "first"}, {"why": "second"}),
        ("player_started", {"why": "second"}, None),
    ]
    assert {one["player_id"] for one in told} == {name}
    assert {one["who"] for one in told} == {f"operator:{casino.key.key_id}"}
    assert [one["why"] for one in told] == ["first", "second", None]


def test_others_are_not_told_what_is_one_operators(
    site: Site, casino: Operator, other: Operator
) -> None:
    mine, theirs = Follower(casino), Follower(other)
    stop(site.bank, ENGINEER, "dev", "*", "a test")
    start(site.bank, ENGINEER, "dev", "*")
    kinds = [(one["kind"], one["house"]) for one in mine.told(2)]
    assert kinds == [("gaming_stopped", False), ("gaming_started", False)]
    stop(site.bank, ENGINEER, "*", "*", "a fire")
    start(site.bank, ENGINEER, "*", "*")
    for follower in (mine, theirs):
        *_, stopped, started = follower.told(4 if follower is mine else 2)
        assert (stopped["kind"], stopped["house"]) == ("gaming_stopped", True)
        assert (stopped["who"], stopped["after"]) == ("cli:eve", {"why": "a fire"})
        assert (started["kind"], started["why"]) == ("gaming_started", "a test")


def test_an_offer_is_told(site: Site, other: Operator) -> None:
    follower = Follower(other)
    offer = Offer("other", "classic-three", "USD")
    change: Callable[[Offer], Offer] = lambda held: held._replace(maximum=5_000)  # noqa: E731 - typed
    for _ in range(2):
        change_offer(site.bank, ENGINEER, offer, change)
    change_offer(site.bank, ENGINEER, offer, lambda _: offer)
    first, second = follower.told(2)
    plain = {"enabled": True, "minimum": None, "maximum": None, "exposure": None}
    assert (first["before"], first["after"]) == (plain, {**plain, "maximum": 5_000})
    assert (second["before"], second["after"]) == (first["after"], plain)
    assert first["data"] == {"table_id": "classic-three", "currency": "USD"}


def test_events_are_found_by_kind_mode_and_time(
    casino: Operator, ann: Purse, follower: Follower
) -> None:
    casino.block(ann.player.name, "a test")
    (event,) = follower.told(1)
    at = event["at"]
    only = f"&kind=player_stopped&from={at}"
    assert feed(casino, None, only)["items"] == [event]
    assert feed(casino, None, f"&kind=large_win&from={at}")["items"] == []
    # Rounds of other tests are voided at a time that is still to come.
    assert event not in feed(casino, None, f"&mode=real&from={at}")["items"]
    assert event not in feed(casino, None, f"&kind=player_stopped&to={at}")["items"]
    cursor = feed(casino, None, only)["next_cursor"]
    assert feed(casino, cursor, only)["items"] == []
    casino.unblock(ann.player.name)


@pytest.mark.parametrize(
    "query",
    [
        *("kind=nothing", "mode=both", "limit=0", "limit=101", "from=yesterday"),
        *("from=2026-02-30T00:00:00Z", "cursor=bm9uZQ"),
    ],
)
def test_what_is_no_query_is_refused(casino: Operator, query: str) -> None:
    assert casino.get(f"{PATH}?{query}").refusal == (422, "invalid")


def test_a_cursor_is_of_its_own_list(casino: Operator, other: Operator) -> None:
    cursor = end_of(casino)
    assert casino.get(f"{PATH}?cursor={cursor}&limit=7").status == 200
    for query in ("&kind=large_win", "&mode=demo", "&to=2026-03-01T00:00:00Z"):
        got = casino.get(f"{PATH}?cursor={cursor}{query}")
        assert got.refusal == (422, "invalid")
    assert other.get(f"{PATH}?cursor={cursor}").refusal == (422, "invalid")


def pages(operator: Operator, limit: int) -> Iterator[dict[str, Any]]:
    got: Got = operator.get(f"{PATH}?limit={limit}")
    while items := got.json["items"]:
        assert len(items) <= limit
        yield from items
        cursor = got.json["next_cursor"]
        got = operator.get(f"{PATH}?limit={limit}&cursor={cursor}")


def test_small_pages_leave_nothing_out(casino: Operator, ann: Purse) -> None:
    for number in range(7):
        casino.block(ann.player.name, f"reason {number}")
    casino.unblock(ann.player.name)
    Follower(casino)
    small, large = list(pages(casino, 3)), list(pages(casino, 100))
    assert [orjson.dumps(one) for one in small] == [orjson.dumps(one) for one in large]
    assert len({one["id"] for one in small}) == len(small) >= 8
