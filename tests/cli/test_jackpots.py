"""`upcard jackpots` as an operator's engineer types it, on a real database."""

from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import psycopg
import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import conninfo_to_dict

from service.cli import main
from service.cli.jackpot_files import load_shipped_jackpots
from service.cli.serve import load_shipped_tables
from service.jackpotfile import shipped_jackpots
from service.meter import PARTS
from service.meters import Meters
from service.store.database import Database
from service.store.operators import OperatorRow, add_operator
from service.tablefile import shipped_tables
from tests.rules.tables import with_line
from tests.support.postgres import quiet

TEXT: Final = dict(shipped_jackpots())["aces-usd.toml"]


@pytest.fixture(autouse=True)
def environment(
    dsn: str, database: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    parts = {key: str(value) for key, value in conninfo_to_dict(dsn).items()}
    monkeypatch.setenv("DATABASE_URL", f"postgresql://?{urlencode(parts)}")
    monkeypatch.setenv("UPCARD_HOME", str(tmp_path))
    load_shipped_tables(database, quiet)
    owner = Database(dsn, role=None)
    for name in ("casino", "palace"):
        add_operator(owner, OperatorRow(name, "ledger", None, sandbox=False))
    owner.close()


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["jackpots", *words])


def a_file(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text)
    return str(path)


def deal(database: Database, wagers: int) -> None:
    """Let a bonus wager of the casino wait."""
    (jackpot,) = Meters(database).jackpots()
    Meters(database).meter("casino", jackpot)
    database.write(
        "INSERT INTO jackpot_contribution VALUES ('casino', 'aces-usd',"
        " gen_random_uuid(), %s)",
        (wagers,),
    )


def test_check_says_what_the_bonus_returns(tmp_path: Path) -> None:
    result = run("check", a_file(tmp_path, TEXT))
    assert result.exit_code == 0
    said = "the bonus of progressive-five returns 0.6054505 at the reset value"
    assert result.output == f"aces-usd: right; {said}\n"


def test_check_refuses_a_bonus_that_returns_too_little(tmp_path: Path) -> None:
    text = with_line(TEXT, "min_return", 'min_return = "0.70"')
    result = run("check", a_file(tmp_path, text), str(tmp_path / "none.toml"))
    assert result.exit_code == 1
    assert "mine.toml: min_return: at the reset value the bonus of" in result.output
    assert "returns 0.6054505 of its wager" in result.output
    assert "none.toml: No such file" in result.output


def test_load_without_files_loads_the_shipped_one_once() -> None:
    assert run("load").output == "loaded: aces-usd\n"
    assert run("load").output == "loaded: nothing, all were loaded before\n"


def test_a_changed_file_waits_for_the_next_hit(
    database: Database, tmp_path: Path
) -> None:
    run("load")
    changed = a_file(tmp_path, with_line(TEXT, "reset", "reset = 9_000_000"))
    assert "aces-usd: loaded; version " in run("load", changed).output
    assert "aces-usd: was loaded before" in run("load", changed).output
    back = a_file(tmp_path, TEXT)
    assert "aces-usd: loaded; version " in run("load", back).output, "as it was"
    assert "(at the next hit " not in run("list").output
    run("load", a_file(tmp_path, with_line(TEXT, "reset", "reset = 9_000_000")))
    lines = run("list").output.splitlines()
    assert [line.split()[:4] for line in lines[1:]] == [
        ["casino", "aces-usd", "USD", "75000.00"],
        ["palace", "aces-usd", "USD", "75000.00"],
    ]
    assert "(at the next hit " in lines[1]
    meters = Meters(database)
    with database.transaction():
        meters.reserve("casino", meters.jackpots()[0])
    assert run("list", "--operator", "casino").output.split()[-8] == "90000.00"


@pytest.mark.parametrize("keep", [False, True])
def test_a_release_changes_no_jackpot_of_a_casino_by_itself(
    database: Database, tmp_path: Path, *, keep: bool
) -> None:
    run("load", a_file(tmp_path, with_line(TEXT, "reset", "reset = 9_000_000")))
    said: list[str] = []
    load_shipped_jackpots(database, said.append, keep=keep)
    (newest,) = Meters(database).jackpots()
    assert (newest.reset, said) == (
        (9_000_000, ["aces-usd stays as it is,"])
        if keep
        else (7_500_000, ["aces-usd,"])
    )


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("tables", 'tables = ["progressive-five", "second-five"]'),
        ("jackpot_id", 'jackpot_id = "another"'),
    ],
)
def test_what_a_jackpot_is_never_changes(tmp_path: Path, key: str, line: str) -> None:
    run("load")
    second = Path("service/tables/progressive-five.toml").read_text("utf-8")
    table = tmp_path / "second.toml"
    table.write_text(with_line(second, "table_id", 'table_id = "second-five"'))
    loaded = CliRunner().invoke(main, ["tables", "load", str(table)])
    assert loaded.exit_code == 0, loaded.output
    result = run("load", a_file(tmp_path, with_line(TEXT, key, line)))
    assert result.exit_code == 1
    assert "stay what they were" in result.output or "has the jackpot" in result.output


PROGRESSIVE: Final = dict(shipped_tables())["progressive-five.toml"]
NO_BONUS: Final = PROGRESSIVE.partition("[bonus]")[0].replace("bonus_wager = 100", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (with_line(PROGRESSIVE, "two_unsuited_aces", "two_unsuited_aces = 20"), ""),
        (NO_BONUS, "tables: progressive-five has no bonus wager in USD"),
    ],
    ids=["pays less", "no bonus"],
)
def test_a_table_is_not_changed_under_its_jackpot(
    tmp_path: Path, text: str, said: str
) -> None:
    words = ["tables", "load", a_file(tmp_path, text)]
    run("load")
    refused = CliRunner().invoke(main, words)
    said = said or "min_return: at the reset value the bonus of progressive-five"
    assert refused.exit_code == 1
    assert f"jackpot aces-usd: {said}" in refused.output
    assert "returns 0.58" in refused.output or "no bonus" in refused.output
    shipped = CliRunner().invoke(main, ["tables", "load"])
    assert shipped.exit_code == 0, "those were loaded before"


def test_reconcile_adds_up_to_the_last_fraction(database: Database, dsn: str) -> None:
    run("load")
    deal(database, 1_001)
    Meters(database).fold("casino", "aces-usd")
    result = run("reconcile", "--operator", "casino")
    assert result.exit_code == 0
    assert [line.split() for line in result.output.splitlines()] == [
        ["casino", "aces-usd", "USD"],
        ["contributions", "1.5015"],
        ["resets", "75000.00"],
        ["meter", "75001.5015"],
        ["reserved", "0.00"],
        ["paid", "0.00"],
        ["overflow", "0.00"],
        ["adds", "up", "0.00"],
    ]
    with psycopg.connect(dsn) as owner:
        owner.execute("UPDATE jackpot_meter SET current = current - 1")
    result = run("reconcile")
    assert result.exit_code == 1
    assert result.output.split()[-5:] == ["DOES", "NOT", "ADD", "UP", "0.00000001"]


def test_an_overflow_is_moved_with_a_reason(database: Database, dsn: str) -> None:
    run("load")
    deal(database, 100)
    with psycopg.connect(dsn) as owner:
        owner.execute("UPDATE jackpot_meter SET overflow = %s", (7 * PARTS,))
    words = ("move-overflow", "aces-usd", "--operator", "casino")
    assert run(*words).exit_code == 2
    result = run(*words, "--reason", "there is room again")
    assert result.output.startswith("casino aces-usd: moved 0.07 USD")
    assert "0.00" in run(*words, "--reason", "once more").output
    assert "75000.22" in run("list").output


def test_who_is_not_there_is_told_so() -> None:
    assert "there is no operator x" in run("list", "--operator", "x").output
    words = ("--operator", "casino", "--reason", "why not")
    result = run("move-overflow", "no-jackpot", *words)
    assert "operator casino has no jackpot no-jackpot" in result.output
