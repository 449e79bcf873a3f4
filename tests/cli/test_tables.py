"""`upcard tables` as an operator types it, on a real database."""

from pathlib import Path
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import conninfo_to_dict

from service.cli import main
from service.cli.serve import load_shipped_tables
from service.store.database import Database
from service.store.tables import all_table_versions
from service.tablefile import shipped_tables

SHIPPED = dict(shipped_tables())


@pytest.fixture(autouse=True)
def environment(dsn: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    parts = {key: str(value) for key, value in conninfo_to_dict(dsn).items()}
    monkeypatch.setenv("DATABASE_URL", f"postgresql://?{urlencode(parts)}")
    monkeypatch.setenv("UPCARD_HOME", str(tmp_path))


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["tables", *words])


def a_file(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text)
    return str(path)


def test_check_says_that_a_file_is_right(tmp_path: Path) -> None:
    result = run("check", a_file(tmp_path, SHIPPED["classic-three.toml"]))
    assert result.exit_code == 0
    assert result.output.startswith("classic-three: right; version ")


def test_check_names_the_file_the_key_and_the_reason_of_all_faults(
    tmp_path: Path,
) -> None:
    text = SHIPPED["classic-three.toml"]
    text = text.replace("decks = 6", "decks = 9").replace("boxes = 3", "boxen = 3")
    result = run("check", a_file(tmp_path, text))
    assert result.exit_code == 1
    assert "mine.toml: decks: must be a whole number from 1 to 8; is 9" in result.output
    assert "mine.toml: boxes: is missing" in result.output
    assert "mine.toml: boxen: is not a setting" in result.output


def test_load_without_files_loads_the_four_shipped_tables_once(
    database: Database,
) -> None:
    first, second = run("load"), run("load")
    assert first.output.count(": loaded;") == 4
    assert second.output.count(": was loaded before;") == 4
    names = [row.table_id for row in all_table_versions(database)]
    expected = ["american-five", "classic-three", "progressive-five", "shared-five"]
    assert names == expected


def test_a_changed_setting_is_a_new_version_beside_the_old_one(
    tmp_path: Path, database: Database
) -> None:
    text = SHIPPED["classic-three.toml"]
    run("load", a_file(tmp_path, text))
    run("load", a_file(tmp_path, text.replace("boxes = 3", "boxes = 2")))
    rows = all_table_versions(database)
    assert [row.table_id for row in rows] == ["classic-three"] * 2
    assert rows[0].version != rows[1].version


@pytest.mark.parametrize("keep", [False, True])
def test_a_release_changes_no_table_of_a_casino_by_itself(
    tmp_path: Path, database: Database, *, keep: bool
) -> None:
    text = SHIPPED["classic-three.toml"].replace("boxes = 3", "boxes = 2")
    run("load", a_file(tmp_path, text))
    said: list[str] = []
    (mine,) = all_table_versions(database)
    load_shipped_tables(database, said.append, keep=keep)
    rows = all_table_versions(database)
    newest = [row for row in rows if row.table_id == "classic-three"][-1]
    assert (newest == mine, len(rows)) == (keep, 4 if keep else 5)
    assert ("classic-three stays as it is," in said) is keep


def test_a_file_with_a_fault_loads_nothing_of_any_file(
    tmp_path: Path, database: Database
) -> None:
    good = tmp_path / "good.toml"
    good.write_text(SHIPPED["american-five.toml"])
    result = run("load", str(good), a_file(tmp_path, "decks = 6"))
    assert result.exit_code == 1
    assert all_table_versions(database) == []


def test_unreadable_files_hide_no_other_fault(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b'title = "Caf\xe9"\n')
    names = [str(tmp_path / name) for name in ("latin.toml", "none.toml", "")]
    result = run("check", *names, a_file(tmp_path, "decks = 6"))
    assert result.exit_code == 1
    assert "latin.toml: is not UTF-8 text" in result.output
    assert "none.toml: No such file or directory" in result.output
    assert "Is a directory" in result.output
    assert "mine.toml: boxes: is missing" in result.output


def test_an_older_version_says_which_one_is_in_force(
    tmp_path: Path, database: Database
) -> None:
    text = SHIPPED["classic-three.toml"]
    run("load", a_file(tmp_path, text))
    run("load", a_file(tmp_path, text.replace("boxes = 3", "boxes = 2")))
    newest = all_table_versions(database)[-1].version[:12]
    output = run("load", a_file(tmp_path, text)).output
    assert f"classic-three: new rounds take version {newest}" in output


def test_list_cuts_nothing_for_a_pipe(database: Database) -> None:
    run("load")
    result = CliRunner(env={"COLUMNS": "20"}).invoke(main, ["tables", "list"])
    for row in all_table_versions(database):
        assert f"{row.table_id} " in result.output
        assert row.version[:12] in result.output


def test_list_shows_what_is_loaded() -> None:
    run("load")
    lines = run("list").output.splitlines()
    assert lines[0].split() == ["table", "version", "loaded", "(UTC)", "title"]
    assert "Blackjack Multi Hand" in lines[2]


def test_a_database_that_is_away_is_one_plain_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://u:hush@127.0.0.1:1/none")
    result = run("list")
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")
    assert "hush" not in result.output
