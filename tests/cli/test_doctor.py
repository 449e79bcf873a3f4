"""`upcard doctor` finds what is wrong, says what to do, and changes nothing."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import psycopg
import pytest
from click.testing import CliRunner
from psycopg.conninfo import conninfo_to_dict

from service.cli import main
from service.cli.doctor import look_at_archive, look_at_postgresql, look_at_python
from service.config import Config
from service.keyfile import KeyFile
from service.store.database import Database
from service.store.health import Health, health
from tests.support.postgres import Postgres


def url_of(dsn: str) -> str:
    """Return a DSN as the URL that DATABASE_URL wants."""
    parts = {key: str(value) for key, value in conninfo_to_dict(dsn).items()}
    return f"postgresql://?{urlencode(parts)}"


KEYS = ("UPCARD_TOKEN_KEYS", "UPCARD_SHOE_KEYS", "UPCARD_SEAL_KEYS")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, dsn: str) -> None:
    for name in ("TOKEN", "SHOE", "SEAL"):
        path = tmp_path / f"{name}.json"
        path.write_text(KeyFile.fresh_text("k1"))
        path.chmod(0o600)
        monkeypatch.setenv(f"UPCARD_{name}_KEYS", str(path))
    monkeypatch.setenv("UPCARD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("UPCARD_BIND", "127.0.0.1:1")
    monkeypatch.setenv("DATABASE_URL", url_of(dsn))


def doctor() -> tuple[int, str]:
    result = CliRunner().invoke(main, ["doctor"])
    return result.exit_code, result.output


def line_of(subject: str, output: str) -> str:
    return next(line for line in output.splitlines() if f" {subject} " in line)


def test_an_installation_without_a_fault(database: Database) -> None:
    CliRunner().invoke(main, ["tables", "load"])
    status, output = doctor()
    assert line_of("schema", output).startswith("ok ")
    assert "american-five, classic-three" in line_of("tables", output)
    assert line_of("server", output).startswith("note ")
    # The tests' own server trades durability for speed, and that is found.
    durable = health(database).durable
    assert line_of("database", output).startswith("ok " if durable else "problem ")
    assert status == (0 if durable else 1)


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (Health(15, "UTF8", durable=True, connections=16), "ok"),
        (Health(18, "UTF8", durable=True, connections=97), "ok"),
        (Health(14, "UTF8", durable=True, connections=97), "problem"),
        (Health(19, "UTF8", durable=True, connections=97), "problem"),
        (Health(18, "SQL_ASCII", durable=True, connections=97), "problem"),
        (Health(18, "UTF8", durable=False, connections=97), "problem"),
        (Health(18, "UTF8", durable=True, connections=15), "problem"),
    ],
)
def test_a_database_is_judged(found: Health, verdict: str) -> None:
    assert look_at_postgresql(found, Config.from_environment()).verdict == verdict


def test_no_table_is_loaded() -> None:
    status, output = doctor()
    assert status == 1
    assert line_of("tables", output).startswith("problem ")
    assert "-> upcard tables load" in output


def test_the_schema_is_missing(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    with postgres.copy(empty=True) as dsn:
        monkeypatch.setenv("DATABASE_URL", url_of(dsn))
        status, output = doctor()
    assert status == 1
    assert line_of("schema", output).startswith("problem ")
    assert "-> upcard migrate" in output
    assert output.splitlines()[-1].endswith("found.")


def test_the_archive_is_held_against_the_database(
    database: Database, dsn: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert database.read("SELECT FROM archive_file") == []
    assert line_of("archive", doctor()[1]).startswith("ok ")
    with psycopg.connect(dsn) as owner:
        owner.execute("INSERT INTO archive_file VALUES ('a.jsonl.gz', 'x', 1, 2, 1)")
    status, output = doctor()
    assert line_of("archive", output).startswith("note ")
    assert "UPCARD_ARCHIVE" in output
    folder = tmp_path / "archive"
    folder.mkdir()
    monkeypatch.setenv("UPCARD_ARCHIVE", str(folder))
    status, output = doctor()
    assert (status, line_of("archive", output)[:7]) == (1, "problem")
    assert "a.jsonl.gz" in output
    (folder / "a.jsonl.gz").touch()
    assert line_of("archive", doctor()[1]).startswith("ok ")
    (folder / "b.jsonl.gz").touch()
    found = line_of("archive", doctor()[1])
    assert (found[:4], "b.jsonl.gz" in found) == ("note", True)


def test_a_file_that_gets_its_place_meanwhile_is_no_stray_one(
    database: Database, dsn: str, tmp_path: Path
) -> None:
    class Folder(type(tmp_path)):  # type: ignore[misc]  # a path of this system's kind
        def glob(self, pattern: str) -> Iterator[Path]:
            found = list(super().glob(pattern))
            with psycopg.connect(dsn) as archiver:
                archiver.execute(
                    "INSERT INTO archive_file VALUES ('b.jsonl.gz', 'x', 1, 2, 1)"
                )
            return iter(found)

    (tmp_path / "b.jsonl.gz").touch()
    found = look_at_archive(database, Folder(tmp_path))
    assert (found.verdict, found.detail) == ("ok", "1 files")


def test_the_database_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://u:hush@127.0.0.1:1/none")
    status, output = doctor()
    assert status == 1
    assert line_of("database", output).startswith("problem ")
    assert "hush" not in output


def test_wrong_settings_are_all_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UPCARD_ENV", "staging")
    monkeypatch.setenv("UPCARD_THREADS", "many")
    status, output = doctor()
    assert (status, output.splitlines()[-1]) == (1, "2 problems found.")
    assert "UPCARD_ENV: " in output
    assert "UPCARD_THREADS: " in output


def test_a_key_file_is_open_to_others(tmp_path: Path) -> None:
    (tmp_path / "SHOE.json").chmod(0o640)
    assert "-> chmod 600" in doctor()[1]


def test_a_key_file_is_broken_and_no_key_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "TOKEN.json"
    key = path.read_text().split('"')[-2]
    path.write_text(path.read_text().replace('"current"', '"corrupt"'))
    output = doctor()[1]
    assert line_of("token keys", output).startswith("problem ")
    assert key not in output


def test_a_new_home_is_no_problem(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("DATABASE_URL", *KEYS):
        monkeypatch.delenv(name)
    status, output = doctor()
    assert (status, output.splitlines()[-1]) == (0, "No problems found.")
    assert not (tmp_path / "home").exists()


def test_keys_are_missing_beside_a_database(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("DATABASE_URL", *KEYS):
        monkeypatch.delenv(name)
    (tmp_path / "home" / "postgresql" / "data").mkdir(parents=True)
    output = doctor()[1]
    assert line_of("shoe keys", output).startswith("problem ")
    assert "put it back from your backup" in output


@pytest.mark.parametrize(
    ("version", "verdict"),
    [
        ((3, 10), "problem"),
        ((3, 11), "ok"),
        ((3, 13), "ok"),
        ((3, 14), "problem"),
    ],
)
def test_python_is_one_of_those_tested(version: tuple[int, int], verdict: str) -> None:
    assert look_at_python(version).verdict == verdict


def test_every_setting_is_shown_and_a_misspelt_one_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in {
        "UPCARD_LAUNCH_URL": "https://play.example/table",
        "UPCARD_LARGE_WINS": "EUR=100000",
        "UPCARD_SETTLE_GRACE_SECONDS": "90",
        "UPCARD_LOG_REQUESTS": "false",
        "UPCARD_LIMIT_ZONE": "Etc/GMT+5",
        "UPCARD_WORKER": "3",
    }.items():
        monkeypatch.setenv(name, value)
    _, output = doctor()
    for said in (
        "players are sent to https://play.example/table",
        "archived rounds are read in no folder",
        "requests are not logged",
        "decided rounds are settled after 90 s",
        "a large win is EUR 100000, else 10 times the table's maximum",
        "own limits' weeks start on friday in Etc/GMT+5",
        "UPCARD_WORKER is no setting, and nothing reads it",
        "-> did you mean UPCARD_WORKERS?",
    ):
        assert said in output
