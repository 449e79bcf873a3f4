"""Rounds leave the database for files, and nothing is lost or there twice."""

import datetime as dt
import gzip
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import psycopg
import pytest

from service.archive import move
from service.archive.files import BLOCK, Archive, Archived, Written
from service.archive.move import archive_rounds, cutoff
from service.chance import new_id
from service.keyfile import KeyFile
from service.seals.seal import SealKeys
from service.store.archive import (
    ArchiveFile,
    ArchiveRaced,
    Ended,
    archive_files,
    archived_in,
    count_ended,
    drop,
    next_ended,
)
from service.store.database import ARCHIVER_ROLE, Database
from service.store.errors import ArchiveUnavailable, ChainBroken, LostRace
from service.store.ledger import Entry, Line
from service.store.log import append, load
from service.store.rows import Holder, LogRow
from service.store.seals import make_seal, seals, unsealed
from service.store.writes import append_and_project, append_paid, open_round
from tests.support.samples import SHOE, first_row, next_row, opened, round_row
from tests.support.waiting import at_once, until

DAY: Final = 86_400_000_000
LONG_AGO: Final = 1_600_000_000_000_000 // DAY * DAY
"""A midnight."""
KEYS: Final = SealKeys(KeyFile.from_text(KeyFile.fresh_text("k1"), "keys"))


WAITS: Final = """
INSERT INTO transfer (account, transfer, operator, player, kind, purpose, round, ver,
    table_id, currency, amount, lines, status, made_at)
VALUES (%s, %s, 'dev', 'ann', 'credit', 'settlement', %s, 2, 'a-table', 'EUR', 1, '[]',
    'requested', now())
"""


@pytest.fixture
def archiver(dsn: str) -> Iterator[Database]:
    database = Database(dsn, role=ARCHIVER_ROLE)
    yield database
    database.close()


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "archive")


def ended(database: Database, at: int, account: str = "") -> list[LogRow]:
    """Store a round with two rows that ended at a time; give them."""
    row = first_row(account or new_id(), f"key-{new_id()}")
    open_round(database, SHOE, row, round_row(row))
    last = next_row(row, f"key-{new_id()}")
    closed = round_row(row)._replace(
        status="settled", closed_at=at, payout=0, ended_by="player"
    )
    append_and_project(database, last, closed)
    return [row, last]


def archived(database: Database, archive: Archive, before: int) -> list[Written]:
    files: list[Written] = []
    archive_rounds(database, archive, before, files.append)
    return files


def archived_by(archiver: Database, archive: Archive, count: int) -> list[Written]:
    """Move the first rounds alone, as an archiver that stops after one file does."""

    class Stopped(Exception):
        """After one file."""

    files: list[Written] = []

    def note(written: Written) -> None:
        files.append(written)
        raise Stopped

    with suppress(Stopped):
        archive_rounds(archiver, archive, LONG_AGO + DAY, note, batch=count)
    return files


def everything(database: Database, archive: Archive) -> dict[str, list[LogRow]]:
    """Return all rows, those of the files and those of the log, by round."""
    found: dict[str, list[LogRow]] = {}
    for file in archive_files(database):
        for one in archive.rounds(file.name):
            assert one.round_id not in found, "it is there twice"
            found[one.round_id] = list(one.rows)
    for account, round_id in database.read("SELECT DISTINCT account, round FROM log"):
        assert round_id not in found, "it is there twice"
        found[round_id] = load(database, account, round_id, None).rows
    return found


def test_what_ended_long_ago_is_moved_and_all_else_stays(
    database: Database, archiver: Database, archive: Archive
) -> None:
    old = [ended(database, LONG_AGO + number) for number in (0, 1, DAY - 1)]
    young = [ended(database, LONG_AGO + DAY), opened(database)]
    assert count_ended(archiver, LONG_AGO + DAY) == 3
    (file,) = archived(archiver, archive, LONG_AGO + DAY)
    assert (file.name[:11], file.rounds, file.rows, file.shoes) == (
        "2020-09-13-",
        3,
        6,
        3,
    )
    for first, last in old:
        account, round_id = first.account, first.round_id
        loaded = load(database, account, round_id, round_id)
        assert (loaded.rows, loaded.shoe) == ([], None)
        assert archived_in(database, account, round_id) == file.name
        found = archive.find(file.name, round_id)
        assert found == Archived(account, round_id, (first, last), SHOE)
    assert len(database.read("SELECT FROM log")) == 3
    assert count_ended(archiver, LONG_AGO + DAY) == 0
    assert len(young) == 2


def test_what_waits_for_a_wallet_stays(
    database: Database, archiver: Database, archive: Archive, dsn: str
) -> None:
    (waits, _), (other, _) = (ended(database, LONG_AGO + number) for number in (0, 1))
    with psycopg.connect(dsn, autocommit=True) as owner:
        owner.execute(WAITS.encode(), (waits.account, new_id(), waits.round_id))
        assert [
            file.rounds for file in archived(archiver, archive, LONG_AGO + DAY)
        ] == [1]
        assert archived_in(database, waits.account, waits.round_id) is None
        assert archived_in(database, other.account, other.round_id) is not None
        owner.execute("UPDATE transfer SET status = 'confirmed'")
    assert len(archived(archiver, archive, LONG_AGO + DAY)) == 1


def test_each_day_and_each_thousands_are_a_file(
    database: Database,
    archiver: Database,
    archive: Archive,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(move, "_SLICE", 3)
    rounds = [ended(database, LONG_AGO + number) for number in range(5)]
    rounds += [ended(database, LONG_AGO + DAY)]
    files: list[Written] = []
    archive_rounds(archiver, archive, LONG_AGO + 9 * DAY, files.append, batch=4)
    assert [file.rounds for file in files] == [4, 1, 1]
    assert [file.name[:10] for file in files] == ["2020-09-13"] * 2 + ["2020-09-14"]
    assert everything(database, archive) == {rows[0].round_id: rows for rows in rounds}


def test_a_round_is_found_in_any_block(tmp_path: Path) -> None:
    account = new_id()
    rounds = [first_row(account) for _ in range(2 * BLOCK + 1)]
    rounds.sort(key=lambda row: row.round_id)
    all_ = [Archived(account, row.round_id, (row,), None) for row in rounds]
    archive = Archive(tmp_path)
    written = archive.write("2020-01-01", all_)
    for one in all_:
        assert archive.find(written.name, one.round_id) == one
    for missing in ("0" * 36, new_id()):
        with pytest.raises(ArchiveUnavailable, match="is not in it"):
            archive.find(written.name, missing)
    assert list(archive.rounds(written.name)) == all_
    assert archive.write("2020-01-01", all_) == written
    assert [path.name for path in tmp_path.iterdir()] == [written.name]


def test_anybody_can_read_a_file_with_gzip(
    database: Database, archiver: Database, archive: Archive
) -> None:
    (first, _) = ended(database, LONG_AGO)
    (file,) = archived(archiver, archive, LONG_AGO + DAY)
    with gzip.open(archive.folder / file.name, "rt") as lines:
        told, index = map(json.loads, lines)
    assert told["round_id"] == first.round_id
    assert told["rows"][0]["data"] == first.data.decode()
    assert index == {
        "blocks": [[first.round_id, 0, index["blocks"][0][2]]],
        "rounds": 1,
    }


POINTS: Final = {
    "a block is written": 3,
    "all is written": 3,
    "it is on the disk": 3,
    "it has its name": 3,
    "it was read again": 3,
    "all but the end of the deletion": 3,
    "it is deleted": 0,
}
"""Where an archiver kills itself, and what is left to do then."""


@pytest.mark.parametrize("point", POINTS)
def test_killed_anywhere_nothing_is_lost_or_doubled(
    database: Database, dsn: str, archiver: Database, archive: Archive, point: str
) -> None:
    rounds = [ended(database, LONG_AGO + number) for number in range(3)]
    wanted = {rows[0].round_id: rows for rows in rounds}
    archive.folder.mkdir()
    killed = killed_archiver(dsn, archive.folder, LONG_AGO + DAY, point)
    assert killed == -signal.SIGKILL
    assert everything(database, archive) == wanted
    assert count_ended(archiver, LONG_AGO + DAY) == POINTS[point]
    archived(archiver, archive, LONG_AGO + DAY)
    assert everything(database, archive) == wanted
    left = [path.name for path in archive.folder.iterdir()]
    assert left == [file.name for file in archive_files(database)]
    assert len(left) == 1


def test_two_at_once_archive_each_round_once(
    database: Database, dsn: str, archive: Archive
) -> None:
    rounds = [ended(database, LONG_AGO + number) for number in range(12)]

    def run() -> None:
        with closing(Database(dsn, role=ARCHIVER_ROLE)) as ours:
            archive_rounds(ours, archive, LONG_AGO + DAY, lambda _: None, batch=3)

    assert at_once([run, run]) == [None, None]
    assert everything(database, archive) == {rows[0].round_id: rows for rows in rounds}


@pytest.mark.parametrize("taken", [1, 3])
def test_what_another_took_before_it_was_read_keeps_its_file(
    database: Database, archiver: Database, archive: Archive, taken: int
) -> None:
    rounds = [ended(database, LONG_AGO + number) for number in range(3)]
    chosen = next_ended(archiver, LONG_AGO, LONG_AGO + DAY, 3)
    (theirs,) = archived_by(archiver, archive, taken)
    left = [
        Archived(rows[0].account, rows[0].round_id, tuple(rows), SHOE)
        for rows in rounds[taken:]
    ]
    ours = archive.write("2020-09-13", left)
    with pytest.raises(ArchiveRaced):
        drop(archiver, chosen, ArchiveFile(*ours))
    assert [file.name for file in archive_files(database)] == [theirs.name]
    for rows in rounds[:taken]:
        found = archived_in(database, rows[0].account, rows[0].round_id)
        assert found == theirs.name
    assert count_ended(archiver, LONG_AGO + DAY) == 3 - taken


def test_a_broken_chain_stays_where_it_is(
    database: Database, archiver: Database, archive: Archive, dsn: str
) -> None:
    (first, _) = ended(database, LONG_AGO)
    with psycopg.connect(dsn) as owner:
        owner.execute("ALTER TABLE log DISABLE TRIGGER append_only")
        owner.execute("UPDATE log SET key = key || 'x' WHERE ver = 2")
    with pytest.raises(ChainBroken, match=f"round {first.round_id}: row 2"):
        archived(archiver, archive, LONG_AGO + DAY)
    assert len(database.read("SELECT FROM log")) == 2


def test_what_no_seal_covers_yet_stays(
    database: Database, archiver: Database, archive: Archive
) -> None:
    """In a file no seal would find the row, and the ones before it were sealed."""
    (first, last) = ended(database, LONG_AGO)
    sealed(database, 1)
    again = next_row(last, f"key-{new_id()}")
    append(database, again)
    assert count_ended(archiver, LONG_AGO + DAY) == 0
    assert archived(archiver, archive, LONG_AGO + DAY) == []
    chosen = [Ended(first.account, first.round_id, first.account)]
    rows = (first, last, again)
    one = Archived(first.account, first.round_id, rows, SHOE)
    with pytest.raises(ArchiveRaced):
        drop(archiver, chosen, ArchiveFile(*archive.write("2020-09-13", [one])))
    sealed(database, 2)
    assert [file.rows for file in archived(archiver, archive, LONG_AGO + DAY)] == [3]


def sealed(database: Database, number: int) -> None:
    """Seal all that is written; other databases of the server may hold it back."""
    statement = "SELECT count(*)::int FROM log WHERE tx::text::bigint >= %s"
    until(
        lambda: [(unsealed(database),)] == database.read(statement, (since(database),)),
        "nothing holds the seal back",
    )
    make_seal(database, KEYS, dt.date(2026, 11, number), LONG_AGO)


def since(database: Database) -> int:
    return max((one.seal.before for one in seals(database)), default=0)


def test_who_read_before_it_was_archived_moves_no_money_again(
    database: Database, archiver: Database, archive: Archive
) -> None:
    """The log's key is gone with the file; the ledger's stays."""
    (first, last) = ended(database, LONG_AGO)
    again = next_row(last, f"key-{new_id()}")
    place = ("malfunction", first.round_id, again.ver, None, "EUR")
    holder = Holder(first.account, "dev", "ann", "real")
    lines = (Line("player", 5), Line("house", -5))
    entry = Entry(holder, new_id(), *place, lines, 5, LONG_AGO)
    append_paid(database, again, entry)
    archived(archiver, archive, LONG_AGO + DAY)
    late = again._replace(key=f"key-{new_id()}")
    with pytest.raises(LostRace):
        append_paid(database, late, entry._replace(entry_id=new_id()))


@pytest.mark.parametrize("name", [".notes.part", ".2020-09-13.x.1.part", "a.part"])
def test_what_is_anothers_stays_in_the_folder(
    database: Database, archiver: Database, archive: Archive, name: str
) -> None:
    archive.folder.mkdir()
    (archive.folder / name).write_text("mine")
    ended(database, LONG_AGO)
    archived(archiver, archive, LONG_AGO + DAY)
    assert (archive.folder / name).read_text() == "mine"


@pytest.mark.parametrize("harm", ["flip", "cut", "another", "gone"])
def test_a_harmed_file_is_said_to_be(
    database: Database, archiver: Database, archive: Archive, harm: str
) -> None:
    (first, _) = ended(database, LONG_AGO)
    (file,) = archived(archiver, archive, LONG_AGO + DAY)
    path = archive.folder / file.name
    whole = path.read_bytes()
    match harm:
        case "flip":
            path.write_bytes(whole[:40] + bytes([whole[40] ^ 1]) + whole[41:])
        case "cut":
            path.write_bytes(whole[:-20])
        case "another":
            tail = re.sub(rb"\d{20}", b"0" * 20, whole[-41:])
            path.write_bytes(gzip.compress(b"[]\n") + tail)
        case _:
            path.unlink()
    with pytest.raises(ArchiveUnavailable, match=file.name):
        archive.find(file.name, first.round_id)
    if harm != "gone":
        assert archive.digest(file.name) != file.digest


REFUSED: Final = [
    *("TRUNCATE {}", "UPDATE {} SET account = account"),
    *("INSERT INTO {0} SELECT * FROM {0}", "UPDATE round SET stake = 0"),
    *("DELETE FROM round", "DELETE FROM ledger", "SELECT FROM balance"),
]


@pytest.mark.parametrize(
    ("table", "delete"), [("log", "DELETE FROM log"), ("shoe", "DELETE FROM shoe")]
)
def test_only_the_archiver_deletes_and_nothing_else_may_it_do(
    database: Database, archiver: Database, table: str, delete: str
) -> None:
    opened(database)
    for statement in REFUSED:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            archiver.write(statement.format(table))
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        database.write(delete)
    assert archiver.write(delete) == 1


def killed_archiver(dsn: str, folder: Path, before: int, point: str) -> int:
    """Archive in a process that kills itself somewhere; return how it ended."""
    arguments = [dsn, str(folder), str(before), point]
    command = [sys.executable, "-m", "tests.support.archiver", *arguments]
    return subprocess.run(command, check=False).returncode


def test_a_cutoff_is_a_midnight_and_a_day_that_there_is() -> None:
    noon = 43_200_000_000
    days = {
        ("2026-11-30", 12): "2025-11-30",
        ("2026-01-01", 13): "2024-12-01",
        ("2024-02-29", 12): "2023-02-28",
        ("2026-05-31", 18): "2024-11-30",
    }
    for (day, months), wanted in days.items():
        assert cutoff(midnight(day) + noon, months) == midnight(wanted)
        assert cutoff(midnight(day), months) == midnight(wanted)


def midnight(day: str) -> int:
    return (dt.date.fromisoformat(day) - dt.date(1970, 1, 1)).days * DAY
