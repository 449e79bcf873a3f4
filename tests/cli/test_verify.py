"""`upcard verify` as a player and as an operator types it."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psycopg
import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import conninfo_to_dict

from service.api.log import open_log
from service.catalog import Catalog
from service.chance import OsShuffler, new_id
from service.cli import main
from service.cli.serve import load_shipped_tables
from service.dealing import Wish
from service.house import House
from service.keyfile import KeyFile
from service.meters import Meters
from service.operators import OperatorKeys
from service.play import Play
from service.recorded import Ask
from service.rules.commands import BoxWager
from service.rules.legal import legal_actions
from service.sealing import KeyRing
from service.store.database import Database
from service.wallet.calls import Calls
from service.wallet.wallets import Wallets
from tests.chance.documents import RICH
from tests.support.postgres import quiet

ACCOUNT = "0b4f9a9c-8a0e-5f0b-9f0e-0d4d0a6f3c11"


def run(*words: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(main, ["verify", *words], input=stdin)


def rows_of(result: Result) -> dict[str, str]:
    """Return the report's lines, by the first words of the check."""
    lines = result.stdout.splitlines()
    return {line[:20].rstrip(): " ".join(line.split()) for line in lines}


@pytest.fixture
def keys(dsn: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> KeyRing:
    parts = {key: str(value) for key, value in conninfo_to_dict(dsn).items()}
    monkeypatch.setenv("DATABASE_URL", f"postgresql://?{urlencode(parts)}")
    monkeypatch.setenv("UPCARD_HOME", str(tmp_path))
    file = tmp_path / "secrets" / "shoe-keys.json"
    file.parent.mkdir()
    file.write_text(KeyFile.fresh_text("k1"), "utf-8")
    return KeyRing.from_file(file)


@pytest.fixture
def play(dsn: str, database: Database, keys: KeyRing) -> Play:
    load_shipped_tables(database, quiet)
    with psycopg.connect(dsn) as owner:
        owner.execute(
            "INSERT INTO operator (operator, wallet) VALUES ('dev', 'ledger')"
        )
    calls = Calls(OperatorKeys(database, keys), open_log(requests=False))
    wallets = Wallets(database, calls)
    return Play(
        House(
            database, Catalog(database), wallets, keys, OsShuffler(), Meters(database)
        )
    )


def ask() -> Ask:
    return Ask(ACCOUNT, "ann", new_id(), b"r" * 32, "USD", "dev", "demo")


def deal(play: Play, table_id: str = "classic-three") -> str:
    boxes = (BoxWager(1, "ann", 1_000), BoxWager(2, "ann", 2_000))
    answer = play.deal(ask(), Wish(table_id, "USD", boxes, raise_to_minimum=False))
    return answer.round_id


def finish(play: Play, round_id: str) -> None:
    """Take the first legal action until nothing is left: insure, hit, settle."""
    while legal := legal_actions((seen := play.read(ask(), round_id)).round):
        first = legal[0]
        expected = (ask(), round_id, seen.version)
        if first.command == "settle":
            play.settle(*expected)
        elif first.boxes is not None:
            play.insure(*expected, first.boxes)
        else:
            assert first.hand
            assert first.action
            play.act(*expected, first.hand, first.action)


def test_an_honest_proof_is_proved_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    file.write_text(json.dumps(RICH), "utf-8")
    result = run(str(file))
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.count(" ok ") == 8
    assert result.stdout.endswith("The round is proved.\n")


def test_a_proof_comes_down_a_pipe() -> None:
    assert run("-", stdin=json.dumps(RICH).encode()).exit_code == 0


def test_a_changed_proof_fails_with_the_place() -> None:
    changed = copy.deepcopy(RICH)
    changed["rows"][2]["data"] = changed["rows"][2]["data"].replace("3", "4")
    result = run("-", stdin=json.dumps(changed).encode())
    assert result.exit_code == 1
    row = rows_of(result)["the log is as it was"]
    assert row.endswith("FAILED row 3: its hash does not fit its fields")
    assert "NOT PROVED" in result.stdout


def test_a_proof_cannot_write_to_the_terminal() -> None:
    changed = copy.deepcopy(RICH)
    changed["shoe"]["order"] += "\x1b["
    result = run("-", stdin=json.dumps(changed).encode())
    assert result.exit_code == 1
    assert "shoe: ?[ is in it 1 times, not 0" in result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize(
    ("stdin", "said"), [(b"", "is not JSON"), (b"{", "is not JSON"), (b"\xff", "JSON")]
)
def test_what_is_not_json_is_said(stdin: bytes, said: str) -> None:
    result = run("-", stdin=stdin)
    assert (result.exit_code, result.stdout) == (1, "")
    assert said in result.stderr


def test_json_that_is_no_proof_is_said() -> None:
    result = run("-", stdin=b"[]")
    assert result.exit_code == 1
    assert "must be an object" in result.stdout


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    result = run(str(tmp_path / "absent.json"))
    assert result.exit_code == 1
    assert "absent.json: No such file or directory (and it is no" in result.stderr
    assert "Is a directory" in run(str(tmp_path)).stderr


def test_a_round_is_proved_from_the_database(play: Play) -> None:
    for table_id in ("classic-three", "american-five"):
        round_id = deal(play, table_id)
        finish(play, round_id)
        result = run(round_id.upper())
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout.endswith("The round is proved.\n")


def test_the_served_proof_is_the_one_that_is_checked(play: Play) -> None:
    round_id = deal(play)
    finish(play, round_id)
    document = json.dumps(play.proof(ACCOUNT, round_id)).encode()
    assert run("-", stdin=document).stdout == run(round_id).stdout


def test_a_round_that_is_not_over_keeps_its_shoe(play: Play) -> None:
    round_id = deal(play)
    result = run(round_id)
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"round {round_id} is not over" in result.stderr


@pytest.mark.usefixtures("play")
def test_an_unknown_round_is_said() -> None:
    round_id = new_id()
    result = run(round_id)
    assert result.exit_code == 1
    assert f"there is no round {round_id} in this database" in result.stderr


def forge(dsn: str, statement: str, *values: object) -> None:
    """Change the log as its owner could, who takes the seat belt off."""
    with psycopg.connect(dsn) as owner:
        owner.execute("ALTER TABLE log DISABLE TRIGGER append_only")
        owner.execute("ALTER TABLE shoe DISABLE TRIGGER append_only")
        assert owner.execute(statement, values).rowcount == 1


def test_a_forged_row_in_the_database_is_found(play: Play, dsn: str) -> None:
    round_id = deal(play)
    finish(play, round_id)
    statement = (
        'UPDATE log SET data = replace(data::text, \'"card":"\', \'"card":"x\')::json '
        "WHERE round = %s AND ver = 1"
    )
    forge(dsn, statement, round_id)
    result = run(round_id)
    assert result.exit_code == 1
    rows = rows_of(result)
    assert "FAILED row 1: its hash does not fit" in rows["the log is as it was"]
    assert (
        "FAILED row 1, event 2 (card_dealt/1): shows x" in rows["each card is the sho"]
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda _: "[]", "/rows/0/data: holds no events"),
        (lambda data: data.replace('"shoe_id"', '"shoe"'), "row 1 names no shoe"),
        (lambda data: data.replace('"shoe_id":"0', '"shoe_id":"1'), "is missing"),
    ],
)
def test_a_first_row_that_names_no_shoe_is_said(
    play: Play, dsn: str, change: Callable[[str], str], said: str
) -> None:
    round_id = deal(play)
    finish(play, round_id)
    data = change(play.proof(ACCOUNT, round_id)["rows"][0]["data"])
    statement = "UPDATE log SET data = %s WHERE round = %s AND ver = 1"
    forge(dsn, statement, data, round_id)
    result = run(round_id)
    assert result.exit_code == 1
    assert said in result.stderr


def test_a_first_row_without_its_commitment_fails(play: Play, dsn: str) -> None:
    round_id = deal(play)
    finish(play, round_id)
    data: Any = play.proof(ACCOUNT, round_id)["rows"][0]["data"]
    statement = "UPDATE log SET data = %s WHERE round = %s AND ver = 1"
    forge(dsn, statement, data.replace('"commitment"', '"promise"'), round_id)
    result = run(round_id)
    assert result.exit_code == 1
    assert "/shoe/commitment: must be a string" in result.stdout


def test_a_shoe_that_was_moved_is_said(play: Play, dsn: str) -> None:
    round_id = deal(play)
    finish(play, round_id)
    forge(dsn, "UPDATE shoe SET sealed = sealed || '\\x00' WHERE shoe = %s", round_id)
    result = run(round_id)
    assert result.exit_code == 1
    assert "the seal is not the one of this shoe" in result.stderr
