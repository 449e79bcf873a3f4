"""`upcard selfcheck`: what differs from what was signed is named."""

import json
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import conninfo_to_dict

import service
from service.cli import main
from service.cli.serve import load_shipped_tables
from service.keyfile import KeyFile
from service.seals.seal import SealKeys
from service.selfcheck import code_entries, differences, signed_list
from service.store.database import Database
from service.store.tables import save_table_version
from tests.support.postgres import quiet

PACKAGE = Path(service.__file__).parent
KEYS = SealKeys(KeyFile.from_text(KeyFile.fresh_text("k1"), "keys"))


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["selfcheck", *words])


@pytest.fixture
def key(
    dsn: str, database: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Path:
    """Install, and give the key file that signs."""
    parts = {key: str(value) for key, value in conninfo_to_dict(dsn).items()}
    monkeypatch.setenv("DATABASE_URL", f"postgresql://?{urlencode(parts)}")
    monkeypatch.setenv("UPCARD_HOME", str(tmp_path))
    load_shipped_tables(database, quiet)
    file = tmp_path / "secrets" / "seal-keys.json"
    file.parent.mkdir()
    file.write_text(KeyFile.fresh_text("s1"), "utf-8")
    return file


def test_one_byte_of_a_copy_is_named(tmp_path: Path) -> None:
    copy = tmp_path / "service"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    signed = signed_list(dict(code_entries(PACKAGE)), KEYS)
    trusted = KEYS.public.values()
    assert differences(signed, dict(code_entries(copy)), trusted) == []
    changed = copy / "rules" / "settle.py"
    text = bytearray(changed.read_bytes())
    text[len(text) // 2] ^= 1
    changed.write_bytes(text)
    (copy / "more.py").touch()
    (copy / "play.py").unlink()
    found = differences(signed, dict(code_entries(copy)), trusted)
    assert [one.name for one in found] == [
        *("file service/more.py", "file service/play.py"),
        "file service/rules/settle.py",
    ]
    assert found[0].text == "file service/more.py: is not in the signed list"
    assert found[1].text == "file service/play.py: is missing"
    assert " was signed" in found[2].text


def test_what_is_as_signed_is_found_so(key: Path, tmp_path: Path) -> None:
    made = run("--sign", str(key))
    assert made.exit_code == 0, made.output
    first = (tmp_path / "selfcheck.json").read_bytes()
    assert run("--sign", str(key)).exit_code == 0
    assert (tmp_path / "selfcheck.json").read_bytes() == first, "in one order"
    result = run()
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("All ")
    entries = json.loads(first)["entries"]
    assert "file service/rules/decide.py" in entries
    assert "file migrations/0002_rounds.sql" in entries
    assert "file openapi.yaml" in entries
    assert any(name.startswith("table classic-three ") for name in entries)
    assert entries["setting environment"] == "development"
    secret = json.loads(key.read_bytes())["keys"]["s1"]
    assert secret not in first.decode()
    assert entries["setting seal_keys"].endswith("current s1")


def test_a_table_and_a_setting_are_named(
    key: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("--sign", str(key))
    save_table_version(database, "classic-three", "v" * 64, "text")
    monkeypatch.setenv("UPCARD_WORKERS", "7")
    result = run("--json")
    assert result.exit_code == 1
    told: dict[str, Any] = json.loads(result.stdout)
    names = [one["name"] for one in told["differences"]]
    assert names == ["setting workers", f"table classic-three {'v' * 64}"]
    assert told["differences"][0] | {} == {
        "name": "setting workers",
        "signed": "2",
        "found": "7",
    }
    lines = run().stdout.splitlines()
    assert lines[0] == "setting workers: is 7, and 2 was signed"
    assert lines[-1].startswith("NOT AS SIGNED: 2 of ")


def test_a_list_is_worth_its_signature(key: Path, tmp_path: Path) -> None:
    file = tmp_path / "selfcheck.json"
    assert "--sign KEYFILE makes a list" in run().stderr
    run("--sign", str(key))
    told = json.loads(file.read_bytes())
    told["entries"]["setting workers"] = "3"
    file.write_text(json.dumps(told))
    result = run()
    assert result.exit_code == 1
    assert "its signature is wrong" in result.stderr
    assert "which is not trusted" in run("--key", "00" * 32).stderr
    file.write_text("[]")
    assert "is no list" in run().stderr
    other = tmp_path / "other.json"
    assert run("--sign", str(key), "--list", str(other)).exit_code == 0
    assert run("--list", str(other)).exit_code == 0
