"""`export_history`, `export_player_history`: a past for a spreadsheet."""

import csv
import io
from typing import Any, Final

import pytest

from service.api import exports
from service.chance import new_id
from tests.api.bank import purse
from tests.api.operator import Operator, url_of
from tests.api.player import Got, Player
from tests.api.site import Site

DAYS: Final = "from=2026-03-01&to=2026-03-02"


def lines(got: Got) -> list[dict[str, str]]:
    assert got.status == 200, got.body
    assert got.headers["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(got.body.decode(), newline="")))


def won_at(site: Site, player: Player, moment: str) -> str:
    """Win a round that begins at a time; give its id."""
    site.rig.stack("P T,9 | U 9 | H 8")
    round_id: str = player.play(player.deal(), "stand settle").round["id"]
    site.owner(
        f"UPDATE round SET opened_at = '{moment}' WHERE round = '{round_id}'"  # noqa: S608 - an id of ours
    )
    return round_id


def test_a_round_is_one_line_with_all_its_money(site: Site) -> None:
    has = purse(site, 10_000)
    site.rig.stack("P 8,8 | U A | H 6 | 3,T,9")
    settled = has.played("insure split double stand settle", 1_000)
    day = settled.round["opened_at"][:10]
    got = has.player.get(f"/v1/history.csv?from={day}&to={day}")
    (line,) = lines(got)
    assert tuple(line) == exports.COLUMNS
    dealer = settled.round["dealer"]
    first, second = settled.round["hands"]
    wanted: dict[str, Any] = {
        "player_id": has.player.name,
        "mode": "real",
        "round_id": settled.round["id"],
        "status": "complete",
        "result": "won",
        "currency": "USD",
        "exponent": 2,
        "staked": 3_500,
        "returned": settled.round["payout"],
        "net": settled.round["payout"] - 3_500,
        "withheld": 0,
        "balance_before": 10_000,
        "balance_after": has.balance,
        "wagers": "1:1000",
        "insurance_staked": 500,
        "insurance_returned": 0,
        "bonus_staked": 0,
        "dealer": f"{' '.join(dealer['cards'])} ({dealer['total']})",
        "hands": "; ".join(
            f"{hand['hand']} {' '.join(hand['cards'])} ({hand['total']}) "
            f"{hand['result']} staked {hand['stake']} computed {hand['payout']} "
            f"paid {hand['payout']}"
            for hand in (first, second)
        ),
    }
    assert {name: line[name] for name in wanted} == {
        name: str(value) for name, value in wanted.items()
    }
    name = f'attachment; filename="history-{day}-{day}.csv"'
    assert got.headers["Content-Disposition"] == name
    assert got.body.count(b"\r\n") == 2


def test_days_are_whole_and_newest_first(site: Site, alice: Player) -> None:
    moments = (
        *("2026-02-28T23:59:59.999999Z", "2026-03-01T00:00:00Z"),
        *("2026-03-02T23:59:59.999999Z", "2026-03-03T00:00:00Z"),
    )
    ids = [won_at(site, alice, moment) for moment in moments]
    found = [line["round_id"] for line in lines(alice.get(f"/v1/history.csv?{DAYS}"))]
    assert found == [ids[2], ids[1]]
    assert lines(alice.get(f"/v1/history.csv?{DAYS}&status=void")) == []


def test_it_is_read_a_piece_at_a_time_and_loses_nothing(
    site: Site, alice: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "_PIECE", 2)
    for count in (4, 1):  # pieces that end with the rounds, and that don't
        for _ in range(count):
            won_at(site, alice, "2026-03-01T12:00:00Z")
        found = lines(alice.get(f"/v1/history.csv?{DAYS}"))
        listed = alice.get("/v1/history?limit=100").json["items"]
        assert [line["round_id"] for line in found] == [
            item["round_id"] for item in listed
        ]


def test_a_name_is_no_formula(site: Site) -> None:
    player = site.player(f"-{new_id()}")
    won_at(site, player, "2026-03-01T12:00:00Z")
    (line,) = lines(player.get(f"/v1/history.csv?{DAYS}"))
    assert line["player_id"] == f"'{player.name}"


def test_an_operator_gets_what_his_player_gets(
    site: Site, casino: Operator, other: Operator, alice: Player
) -> None:
    won_at(site, alice, "2026-03-01T12:00:00Z")
    theirs = alice.get(f"/v1/history.csv?{DAYS}")
    path = f"{url_of(alice.name)}/history.csv?{DAYS}"
    assert casino.get(path).body == theirs.body
    assert lines(casino.get(f"{path}&mode=demo")) == []
    assert lines(other.get(path)) == []


def test_who_wants_something_else_gets_nothing(alice: Player) -> None:
    path = f"/v1/history.csv?{DAYS}"
    for accept in ("application/json", "text/html", "text/csv;q=0"):
        got = alice.get(path, accept=accept)
        assert got.refusal == (406, "not_acceptable")
        assert "text/csv" in got.json["detail"]
    for accept in ("text/csv", "text/*", "*/*", "text/csv; charset=utf-8", ""):
        assert alice.get(path, accept=accept).status == 200


@pytest.mark.parametrize(
    ("days", "pointer"),
    [
        ("from=2026-02-30&to=2026-03-01", "query:from"),
        ("from=2026-03-02&to=2026-03-01", "query:to"),
        ("from=2025-01-01&to=2026-01-02", "query:to"),
        ("to=2026-03-01", "query:from"),
        ("from=2026-03-01", "query:to"),
    ],
)
def test_days_are_days_and_not_too_many(alice: Player, days: str, pointer: str) -> None:
    got = alice.get(f"/v1/history.csv?{days}")
    assert got.refusal == (422, "invalid")
    assert got.json["errors"][0]["pointer"] == pointer
