"""`upcard malfunction` takes back what a version dealt; `upcard events` tells of it."""

import json
import os
import pwd
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlencode

import pytest
from click.testing import CliRunner
from psycopg.conninfo import conninfo_to_dict

from service.chance import new_id
from service.cli import main
from tests.api.player import Got, Player
from tests.api.site import Site
from tests.support.money import assert_money_is_right
from tests.support.waiting import until

USER: Final = f"cli:{pwd.getpwuid(os.getuid()).pw_name}"
DAY: Final = ("--from", "2020-01-01", "--to", "2100-01-01T00:00:00+01:00")


@pytest.fixture
def site(dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    site = Site(dsn, tmp_path)
    parts = {key: str(value) for key, value in conninfo_to_dict(dsn).items()}
    url = f"postgresql://?{urlencode(parts, quote_via=quote)}"
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv("UPCARD_HOME", str(tmp_path))
    monkeypatch.setenv("UPCARD_SHOE_KEYS", str(site.config.shoe_keys))
    yield site
    site.close()


def run(*words: str, code: int = 0) -> list[str]:
    result = CliRunner().invoke(main, words)
    assert result.exit_code == code, result.output
    return result.output.splitlines()


def take_back(site: Site, *more: str, code: int = 0) -> list[str]:
    version = site.api.catalog.table("classic-three").version
    what = ("--table", "classic-three", "--version", version[:12], *DAY)
    return run("malfunction", *what, "--reason", "a fault", *more, code=code)


def balance(site: Site, player: Player, operator: str = "dev") -> int:
    return site.operators[operator].balance(player.name)


def played(site: Site) -> list[tuple[Player, Got]]:
    """Leave a round that was won, one that is open, and one at another table."""
    site.rig.stack("P T,9 | U T | H 7")
    won, playing, elsewhere = (site.player() for _ in range(3))
    return [
        (won, won.play(won.deal(1000), "stand settle")),
        (playing, playing.deal(2000)),
        (elsewhere, elsewhere.deal(3000, table="american-five")),
    ]


def events(*options: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in run("events", "--json", *options)]


def test_all_rounds_of_a_version_are_taken_back_once(site: Site) -> None:
    before = balance(site, site.player())
    rounds = played(site)
    told = take_back(site, "--dry-run")
    assert told == [
        "dev: 1 playing, real money",
        "dev: 1 settled, real money",
        "2 would be taken back",
    ]
    assert balance(site, rounds[0][0]) == before + 1000
    assert take_back(site) == ["2 taken back"]
    assert [balance(site, player) for player, _ in rounds] == [
        *(before, before, before - 3000)
    ]
    nothing = "no round was opened then, or all were taken back before"
    assert take_back(site) == [nothing]
    until(lambda: len(events("--kind", "round_malfunction")) == 2, "two events")
    for event in events("--kind", "round_malfunction"):
        assert (event["who"], event["why"]) == (USER, "a fault")
        assert event["operator"] == "dev"
    ids = sorted(got.round["id"] for _, got in rounds[:2])
    query = "SELECT key FROM log WHERE key LIKE 'operator:%' ORDER BY key"
    keys = [key for (key,) in site.owner(query)]
    assert keys == [f"operator:malfunction:{name}" for name in ids]


def test_what_was_cut_short_goes_on(site: Site) -> None:
    (won, on), (playing, _), _ = played(site)
    path = f"/v1/players/{won.name}/rounds/{on.round['id']}/malfunction"
    casino = site.operators["dev"]
    casino.post(path, {"reason": "before"}, idempotency_key=new_id())
    had = balance(site, won)
    # As a run finds it that was begun before the one above ended.
    site.owner("UPDATE round SET status = 'settled' WHERE status = 'malfunction'")
    assert take_back(site) == ["1 taken back before, 1 taken back"]
    assert balance(site, won) == balance(site, playing) == had


def test_archived_rounds_are_taken_back_too(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the files are not to be had it says so, and goes on with the others."""
    before = balance(site, site.player())
    (won, on), (playing, _), _ = played(site)
    site.owner("UPDATE round SET closed_at = closed_at - interval '2 years'")
    folder = tmp_path / "archive"
    run("archive", str(folder))
    *named, counts, told = take_back(site, code=1)
    assert [line.split(": ")[0] for line in named] == [f"round {on.round['id']}"]
    assert counts == "1 faulty, 1 taken back"
    assert told.startswith("Error: some could not be taken back")
    monkeypatch.setenv("UPCARD_ARCHIVE", str(folder))
    assert take_back(site) == ["1 taken back"]
    assert [balance(site, player) for player in (won, playing)] == [before, before]
    assert_money_is_right(site.dsn, archive=folder)


def test_one_operators_rounds_can_be_meant(site: Site) -> None:
    played(site)
    assert take_back(site, "--operator", "other")[0].startswith("no round was opened")
    assert (
        "there is no operator nobody"
        in take_back(site, "--operator", "nobody", code=1)[-1]
    )
    assert take_back(site, "--operator", "dev", "--disable") == [
        "classic-three is disabled for dev",
        "2 taken back",
    ]
    assert site.player().deal(1000).refusal == (409, "table_disabled")
    until(lambda: len(events("--kind", "offer_changed")) == 2, "two events")
    for event in events("--kind", "offer_changed", "--operator", "dev"):
        assert (event["who"], event["why"]) == (USER, "a fault")
        assert event["after"] == {
            "enabled": False,
            "minimum": None,
            "maximum": None,
            "exposure": None,
        }


WRONG: Final = {
    ("--version", "nothing"): "no version of classic-three",
    ("--version", ""): "its first letters",
    ("--version", "y"): "2 versions of classic-three",
    ("--from", "yesterday"): "--from is a time such as",
    ("--reason", "a\nb"): "one line",
}


def test_what_is_no_order_is_refused(site: Site) -> None:
    site.owner(
        "INSERT INTO table_version (table_id, version, source) "
        "SELECT table_id, name, source FROM table_version, "
        "unnest(ARRAY['x', 'y1', 'y2']) AS name WHERE table_id = 'classic-three'"
    )
    good = ("--table", "classic-three", "--version", "x", *DAY, "--reason", "a fault")
    for words, said in WRONG.items():
        result = CliRunner().invoke(main, ["malfunction", *good, *words])
        assert result.exit_code in {1, 2}
        assert said in result.output


def test_events_are_shown_as_a_table(site: Site) -> None:
    casino = site.operators["dev"]
    casino.block("ann", "at her own wish")
    until(lambda: bool(events("--kind", "player_stopped")), "an event")
    (line,) = run("events", "--kind", "player_stopped")[1:]
    assert "player_stopped" in line
    assert f"operator:{casino.key.key_id}" in line
    assert "dev ann" in line
    for number in range(3):
        casino.block("ann", f"reason {number}")
    until(lambda: len(events("--kind", "player_stopped")) == 4, "four events")
    assert len(events("--last", "2")) == 2
    assert len(events("--last", "2", "--all", "--kind", "player_stopped")) == 4
    assert events("--operator", "other") == []
