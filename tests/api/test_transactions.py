"""`list_transactions`: an operator follows all that moved his players' money."""

from collections.abc import Iterator, Sequence
from typing import Any

import orjson
import pytest

from service.chance import new_id
from service.store.transfers import Transfer, ask_debit, end_transfer
from service.wallet.wire import Denied, Done, Funds, said_of
from tests.api.operator import Operator
from tests.api.player import Got, Player, url_of
from tests.api.site import Site
from tests.support.waiting import until


def feed(operator: Operator, cursor: str | None = None, query: str = "") -> Got:
    after = "" if cursor is None else f"&cursor={cursor}"
    got = operator.get(f"/v1/transactions?limit=100{after}{query}")
    assert got.status == 200, got.body
    return got


def end_of(operator: Operator, query: str = "") -> str:
    """Return the cursor behind all that moved so far."""
    cursor = None
    while True:
        page = feed(operator, cursor, query).json
        cursor = page["next_cursor"]
        if len(page["items"]) < 100:
            return str(cursor)


def since(
    operator: Operator, cursor: str, count: int, query: str = ""
) -> list[dict[str, Any]]:
    """Return what moved since then, once it is so much.

    The server's own transactions may hold the feed back for a moment.
    """
    found: list[dict[str, Any]] = []

    def read() -> bool:
        found[:] = feed(operator, cursor, query).json["items"]
        return len(found) >= count

    until(read, f"{count} movements")
    return found


def shape(items: Sequence[dict[str, Any]]) -> list[tuple[str, int, int]]:
    return [(one["purpose"], one["amount"], one["balance"]) for one in items]


def test_a_round_of_the_ledger_is_told_command_by_command(
    site: Site, casino: Operator
) -> None:
    cursor = end_of(casino)
    player = casino.launched(site.player().name)
    casino.deposit(player.name, 10_000, reference="in-1")
    site.rig.stack("P 8,8 | U 6 | H T | 3,K,9,T")
    played = player.play(player.deal(1000), "split double stand settle")
    casino.withdraw(player.name, 4_000, reference="out-1")
    items = since(casino, cursor, 7)[1:]  # the first is what the site's players get
    start = items[0]["balance"] - 10_000
    moved = [(what, amount, has - start) for what, amount, has in shape(items)]
    assert moved == [
        ("deposit", 10_000, 10_000),
        ("deal", -1_000, 9_000),
        ("split", -1_000, 8_000),
        ("double", -1_000, 7_000),
        ("settlement", 6_000, 13_000),
        ("withdrawal", -4_000, 9_000),
    ]
    assert [one["version"] for one in items] == [None, 1, 2, 3, 5, None]
    assert {one["round_id"] for one in items} == {None, played.round["id"]}
    assert (items[0]["reference"], items[-1]["reference"]) == ("in-1", "out-1")
    assert {one["source"] for one in items} == {"ledger"}
    assert [one["moved"] for one in items] == [one["amount"] for one in items]


def test_a_stake_and_a_payout_of_one_command_are_one_movement(
    site: Site, casino: Operator
) -> None:
    cursor = end_of(casino)
    player = site.player()
    site.rig.stack("P T,7 | U A | H K")
    player.play(player.deal(1000), "insure settle")
    items = since(casino, cursor, 4)[1:]
    assert [amount for _, amount, _ in shape(items)] == [-1_000, 1_000, 0]
    assert [what for what, _, _ in shape(items)] == ["deal", "insurance", "settlement"]


def test_demo_money_is_told_apart(site: Site, casino: Operator) -> None:
    real, demo = end_of(casino), end_of(casino, "&mode=demo")
    player = casino.launched(f"p-{new_id()}", mode="demo")
    site.rig.stack("P T,7 | U 9 | H 9")
    player.play(player.deal(1000), "stand settle")
    player.post("/v1/balance/refill")
    assert shape(since(casino, demo, 4, "&mode=demo")) == [
        ("demo", 100_000, 100_000),
        ("deal", -1_000, 99_000),
        ("settlement", 0, 99_000),
        ("refill", 1_000, 100_000),
    ]
    assert since(casino, real, 0) == []


def test_an_operator_sees_his_own_players_alone(
    casino: Operator, other: Operator
) -> None:
    mine, his = end_of(casino), end_of(other)
    name = f"p-{new_id()}"
    casino.deposit(name, 700)
    other.deposit(name, 900)
    assert shape(since(casino, mine, 1)) == [("deposit", 700, 700)]
    assert shape(since(other, his, 1)) == [("deposit", 900, 900)]


def test_a_follower_goes_on_from_an_empty_page(casino: Operator) -> None:
    cursor = end_of(casino)
    again = feed(casino, cursor).json
    assert again == {"items": [], "next_cursor": cursor}
    casino.deposit(f"p-{new_id()}", 5)
    since(casino, cursor, 1)
    pages = [feed(casino, cursor).json for _ in range(2)]
    assert pages[0] == pages[1]
    assert len(pages[0]["items"]) == 1
    assert since(casino, pages[0]["next_cursor"], 0) == []


def test_a_cursor_is_of_one_operator_and_one_mode(
    casino: Operator, other: Operator
) -> None:
    cursor = end_of(casino)
    wrong = [
        casino.get(f"/v1/transactions?mode=demo&cursor={cursor}"),
        other.get(f"/v1/transactions?cursor={cursor}"),
        casino.get("/v1/transactions?cursor=bm90LWEtY3Vyc29y"),
        casino.get(f"/v1/transactions?cursor={cursor[:-2]}"),
    ]
    assert [got.refusal for got in wrong] == [(422, "invalid")] * 4
    assert wrong[0].json["errors"][0]["pointer"] == "query:cursor"
    narrower = casino.get(f"/v1/transactions?limit=1&cursor={cursor}")
    assert narrower.status == 200


@pytest.mark.parametrize("limit", ["0", "101", "-1", "x", "1.0"])
def test_a_limit_is_from_one_to_a_hundred(casino: Operator, limit: str) -> None:
    got = casino.get(f"/v1/transactions?limit={limit}")
    assert got.refusal == (422, "invalid")


def test_a_large_body_is_refused(casino: Operator) -> None:
    for path in (
        *("/v1/transactions", "/v1/reports/held"),
        "/v1/reports/turnover?from=2026-01-01&to=2026-01-02",
    ):
        got = casino.ask("GET", path, b" " * 16_385)
        assert got.refusal == (413, "body_too_large")


def test_a_player_may_not(alice: Player) -> None:
    for path in ("/v1/transactions", "/v1/reports/held"):
        assert alice.get(path).refusal == (403, "forbidden")


@pytest.fixture
def outside(site: Site) -> Iterator[Operator]:
    """Give an operator with a wallet; the calls of a test have no rounds and go."""
    yield site.operators["outside"]
    site.owner("DELETE FROM transfer WHERE command::text = '{}'")


def transfer(site: Site, round_id: str) -> Transfer:
    """Ask for the debit of a deal, as a worker does before its call."""
    lines = orjson.dumps([{"box": 1, "what": "wager", "amount": 900}])
    where = ("debit", "deal", round_id, 1, "classic-three", "USD", 900)
    who = (new_id(), new_id(), "outside", f"p-{new_id()}", None)
    kept = (None, new_id(), bytes(32), b"{}", site.player().present() * 1_000_000)
    debit = Transfer(*who, *where, lines, *kept)  # type: ignore[arg-type]  # the kind
    assert ask_debit(site.api.database, debit, None, 60) is not None
    return debit


def test_a_call_to_a_wallet_comes_again_when_it_ends(
    site: Site, outside: Operator
) -> None:
    cursor = end_of(outside)
    refused, confirmed = (transfer(site, new_id()) for _ in range(2))
    since(outside, cursor, 2)
    asked = feed(outside, cursor).json
    names = [one["id"] for one in asked["items"]]
    assert names == [refused.transfer_id, confirmed.transfer_id]
    assert [one["status"] for one in asked["items"]] == ["requested"] * 2
    assert {one["balance"] for one in asked["items"]} == {None}
    assert {one["moved"] for one in asked["items"]} == {None}
    db, funds = site.api.database, Funds("USD", 400, 300, 100)
    no = Denied("loss_limit", "No more today.", Funds("USD", 5))
    end_transfer(db, confirmed, "confirmed", said_of(Done(funds)))
    end_transfer(db, refused, "refused", said_of(no))
    one, two = since(outside, asked["next_cursor"], 2)
    assert (one["id"], one["status"], one["code"]) == (names[1], "confirmed", None)
    assert (one["balance"], one["cash"], one["bonus"]) == (400, 300, 100)
    assert (two["id"], two["status"], two["code"]) == (
        names[0],
        "refused",
        "loss_limit",
    )
    assert (two["balance"], two["cash"]) == (5, None)
    assert (one["moved"], two["moved"]) == (-900, 0)
    assert (one["source"], one["kind"], one["purpose"]) == ("wallet", "debit", "deal")
    assert (one["amount"], one["round_id"]) == (900, confirmed.round_id)
    assert one["ended_at"] is not None


def test_a_round_in_the_feed_can_be_read(site: Site, casino: Operator) -> None:
    cursor = end_of(casino)
    player = site.player()
    dealt = player.deal(1000)
    (_, told) = since(casino, cursor, 2)
    seen = casino.get(f"/v1/players/{told['player_id']}/rounds/{told['round_id']}")
    assert f"/v1/rounds/{seen.json['id']}" == url_of(dealt)
