"""`upcard seals` and `upcard verify --all` as an auditor types them."""

import gzip
import json
import resource
from pathlib import Path
from random import Random
from typing import Final
from urllib.parse import urlencode

import psycopg
import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import conninfo_to_dict

from service.cli import main
from service.cli.serve import load_shipped_tables
from service.keyfile import KeyFile
from service.sealing import KeyRing
from service.store.database import Database, clock
from service.store.seals import unsealed
from tests.bench.grown import Grown
from tests.bench.patterns import patterns
from tests.support.postgres import quiet
from tests.support.waiting import until

DAY: Final = 86_400_000_000


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def said(*words: str, code: int = 0) -> list[str]:
    result = run(*words)
    assert result.exit_code == code, result.output
    return result.stdout.splitlines()


@pytest.fixture(autouse=True)
def _home(
    dsn: str, database: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Set an installation up whose log holds a few rounds."""
    parts = {key: str(value) for key, value in conninfo_to_dict(dsn).items()}
    monkeypatch.setenv("DATABASE_URL", f"postgresql://?{urlencode(parts)}")
    monkeypatch.setenv("UPCARD_HOME", str(tmp_path))
    file = tmp_path / "secrets" / "shoe-keys.json"
    file.parent.mkdir()
    file.write_text(KeyFile.fresh_text("k1"), "utf-8")
    load_shipped_tables(database, quiet)
    grow(dsn, file, range(3), clock(database))


def grow(dsn: str, keys: Path, numbers: range, at: int) -> None:
    played = patterns(3, Random(6))  # noqa: S311 - the same rounds each time
    grown = Grown(dsn, KeyRing.from_file(keys))
    grown.grow(played, numbers, lambda number: at + number, lambda _: None)


def public_key() -> str:
    (line,) = said("seals", "keys")
    name, key, current = line.split()
    assert (name, current) == ("k1", "(current)")
    return key


def test_seals_are_made_listed_exported_and_checked(tmp_path: Path) -> None:
    assert said("seals", "list") == [
        "There is no seal yet: upcard jobs seal makes one a day."
    ]
    said("jobs", "seal")
    (line,) = said("seals", "list")
    assert line.startswith("seal 1  ")
    assert line.endswith(f"key {public_key()}")
    folder = tmp_path / "kept"
    assert said("seals", "export", str(folder)) == [f"{folder}: 1 seals written"]
    assert said("seals", "export", str(folder)) == [f"{folder}: 0 seals written"]
    check = ("seals", "verify", str(folder), "--key")
    assert said(*check, public_key()) == ["1 seals: all of them hold."]
    assert said("verify", "--all", "--against", str(folder))[-1].startswith("Every")
    (untrusted, _) = said(*check, "00" * 32, code=1)
    assert "which is not trusted" in untrusted
    assert "64 hex digits" in run(*check, "abc").stderr
    rows = folder / "seal-000001.leaves"
    rows.write_text(rows.read_text("ascii").replace(" 1 ", " 2 ").replace("a", "b", 1))
    found = said(*check, public_key(), code=1)
    assert "seal 1: its leaves are not those that were signed" in found
    rows.write_text("what is this\n")
    assert "line 1 is no leaf" in run(*check, public_key()).stderr


def test_an_export_that_was_cut_short_is_made_again(tmp_path: Path) -> None:
    said("jobs", "seal")
    folder = tmp_path / "kept"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The leaves fit on this disk, and of the seal the beginning.
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, hard))
    try:
        full = run("seals", "export", str(folder))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (full.exit_code, "File too large" in full.stderr) == (1, True)
    assert said("seals", "export", str(folder))[-1].endswith(": 1 seals written")
    (holds,) = said("seals", "verify", str(folder), "--key", public_key())
    assert holds == "1 seals: all of them hold."


def test_a_seal_unlike_the_exported_one_is_found(dsn: str, tmp_path: Path) -> None:
    said("jobs", "seal")
    folder = tmp_path / "kept"
    said("seals", "export", str(folder))
    file = folder / "seal-000001.json"
    kept = json.loads(file.read_bytes())
    file.write_text(json.dumps(kept | {"leaves": 7}))
    found = said("verify", "--all", "--against", str(folder), code=1)
    assert found[0] == f"seal 1: is another than in {folder}"
    with psycopg.connect(dsn) as owner:
        for table in ("seal", "seal_leaf"):
            owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER append_only".encode())
            owner.execute(f"DELETE FROM {table}".encode())  # noqa: S608 - our tables
    found = said("verify", "--all", "--against", str(folder), code=1)
    assert found[0] == f"seal 1: is in {folder}, and missing here"
    file.write_text("{}")
    result = run("verify", "--all", "--against", str(folder))
    assert "is no seal" in result.stderr


def test_all_rounds_are_verified_and_what_is_wrong_is_named(dsn: str) -> None:
    *_, counts, verdict = said("verify", "--all")
    assert counts.startswith("3 rounds, ")
    assert verdict.startswith("Every round is as it was written")
    with psycopg.connect(dsn) as owner:
        owner.execute("ALTER TABLE log DISABLE TRIGGER append_only")
        owner.execute("UPDATE log SET key = key || chr(27) WHERE ver = 1")
    *found, _, verdict = said("verify", "--all", code=1)
    assert len(found) == 3
    assert all("row 1: its hash does not fit its fields" in line for line in found)
    assert verdict == "NOT PROVED: 3 findings."


def test_archived_rounds_are_verified_in_their_files(
    dsn: str, database: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    keys = tmp_path / "secrets" / "shoe-keys.json"
    grow(dsn, keys, range(3, 6), clock(database) - 800 * DAY)
    query = "SELECT round FROM round ORDER BY closed_at LIMIT 1"
    ((round_id,),) = database.read(query)
    rows = database.read("SELECT count(*)::int FROM log")
    until(lambda: [(unsealed(database),)] == rows, "nothing holds the seal back")
    said("jobs", "seal")
    folder = tmp_path / "archive"
    said("archive", str(folder))
    (file,) = folder.glob("*.gz")
    away = run("verify", "--all")
    assert away.exit_code == 1
    assert f"{file.name} is needed: UPCARD_ARCHIVE names no folder" in away.stderr
    assert "set UPCARD_ARCHIVE" in run("verify", str(round_id)).stderr
    monkeypatch.setenv("UPCARD_ARCHIVE", str(folder))
    *_, counts, verdict = said("verify", "--all")
    assert counts.startswith("6 rounds, ")
    assert verdict.startswith("Every round is as it was written")
    assert said("verify", str(round_id))[-1] == "The round is proved."
    with psycopg.connect(dsn) as owner:
        owner.execute("UPDATE archive_file SET rounds = 4")
    found = said("verify", "--all", code=1)
    short = f"file {file.name}: 4 rounds went to it, and the list of rounds has 3 there"
    assert found[0] == short
    text = gzip.decompress(file.read_bytes()).replace(b'"key-', b'"kez-')
    file.write_bytes(gzip.compress(text))
    found = said("verify", "--all", code=1)
    assert f"file {file.name}: is not what was written" in found
    file.unlink()
    found = said("verify", "--all", code=1)
    assert sum("No such file" in line for line in found) == 4
    with psycopg.connect(dsn) as owner:
        owner.execute("DELETE FROM archive_file")
    unlisted = f"file {file.name}: is in no list of the archive's files"
    assert unlisted in said("verify", "--all", code=1)


def test_a_file_of_the_archive_is_held_against_its_digest(
    dsn: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also one in which the list of rounds has none."""
    with psycopg.connect(dsn) as owner:
        owner.execute("INSERT INTO archive_file VALUES ('a.gz', 'x', 0, 0, 0)")
    away = "file a.gz: is needed: UPCARD_ARCHIVE names no folder"
    assert said("verify", "--all", code=1)[0] == away
    monkeypatch.setenv("UPCARD_ARCHIVE", str(tmp_path))
    assert "No such file" in said("verify", "--all", code=1)[0]
    (tmp_path / "a.gz").write_bytes(b"")
    changed = "file a.gz: is not what was written"
    assert said("verify", "--all", code=1)[0] == changed


@pytest.mark.parametrize(
    "words", [[], ["x", "--all"], ["x", "--key", "aa"], ["x", "--against", "."]]
)
def test_one_thing_is_verified_at_a_time(words: list[str]) -> None:
    result = run("verify", *words)
    assert result.exit_code == 2
    assert "give a ROUND, a FILE or --all" in result.stderr


def test_seals_without_their_key_are_not_trusted(tmp_path: Path) -> None:
    said("jobs", "seal")
    key = public_key()
    (tmp_path / "secrets" / "seal-keys.json").unlink()
    result = run("verify", "--all")
    assert result.exit_code == 1
    assert "no seal is trusted (or say --key)" in result.stderr
    assert said("verify", "--all", "--key", key)[-1].startswith("Every round")
    refused = run("jobs", "seal")
    assert refused.exit_code == 1
    assert "seals that were signed with the keys in it" in refused.stderr
