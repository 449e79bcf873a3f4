"""A file of archived rounds: gzip of JSON lines, one a round, sorted by their ids.

`zcat` reads it whole. To find one round it is enough to read two pieces of it: the
rounds are compressed 32 at a time, the last line says where each such block begins, and
behind it, in the comment of an empty gzip member, stands where that line is.

    {"round_id": ..., "account": ..., "rows": [as in a proof],
     "shoe": {"key_id": ..., "nonce": hex, "sealed": hex, "commitment": hex} or null}
    ...
    {"blocks": [[first round_id, byte, length], ...], "rounds": 5000}

The name says the day on which the rounds ended, and the beginning of the SHA-256 of
every byte: a file never changes.
"""

import gzip
import hashlib
import os
import re
import threading
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

import orjson

from service.proof import row_json
from service.sealing import SealedShoe
from service.store.errors import ArchiveUnavailable
from service.store.rows import LogRow

BLOCK: Final = 32
"""Rounds that are compressed together."""
_LEVEL: Final = 6
_DIGITS: Final = 20
_HEAD: Final = b"\x1f\x8b\x08\x10" + bytes(5) + b"\xff"
"""Of a gzip member with a comment (RFC 1952), of no time and no system."""
_EMPTY: Final = b"\x03\x00" + bytes(8)
"""Nothing, compressed; its checksum and length."""
_BEGUN: Final = re.compile(r"\.\d{4}-\d\d-\d\d\.(\d+)\.\d+\.part")
"""The name of a file that is being written: its day and who writes it."""
_TAIL: Final = len(_HEAD) + _DIGITS + 1 + len(_EMPTY)


_WRONG: Final = (
    *(OSError, EOFError, zlib.error, ArithmeticError, AttributeError, LookupError),
    *(TypeError, ValueError),
)
"""What reading raises where a file is none that was written here."""


class Archived(NamedTuple):
    """A round as it left the database."""

    account: str
    """Whose log it is."""
    round_id: str
    rows: tuple[LogRow, ...]
    shoe: SealedShoe | None


class Written(NamedTuple):
    """A file that is complete and on the disk."""

    name: str
    digest: str
    """Hex SHA-256 of all its bytes."""
    rounds: int
    rows: int
    shoes: int


class Archive:
    """A folder of such files. What is wrong with one is an ArchiveUnavailable."""

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder

    def find(self, name: str, round_id: str) -> Archived:
        """Return a round of a file, and read no more of it than it takes.

        Raises ArchiveUnavailable.
        """
        try:
            with (self.folder / name).open("rb") as file:
                found = _found(file, round_id)
        except _WRONG as error:
            raise _away(name, error) from error
        if found is None:
            raise ArchiveUnavailable(f"{name}: round {round_id} is not in it")
        return found

    def rounds(self, name: str) -> Iterator[Archived]:
        """Yield every round of a file, in the order of their ids.

        Raises ArchiveUnavailable.
        """
        try:
            with gzip.open(self.folder / name) as lines:
                for line in lines:
                    stored = orjson.loads(line)
                    if "round_id" in stored:
                        yield _archived(stored)
        except _WRONG as error:
            raise _away(name, error) from error

    def digest(self, name: str) -> str:
        """Return the hex SHA-256 of a file. Raises ArchiveUnavailable."""
        try:
            with (self.folder / name).open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise _away(name, error) from error

    def write(self, day: str, rounds: Iterable[Archived]) -> Written:
        """Write rounds, which come in the order of their ids, to a file of their own.

        It has its name only when all of it is on the disk; the same rounds give the
        same file. Raises OSError.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        _sweep(self.folder)
        writer = f"{os.getpid()}.{threading.get_native_id()}"
        beginning = self.folder / f".{day}.{writer}.part"
        try:
            with beginning.open("wb") as file:
                counted = _write(file, rounds)
                file.flush()
                os.fsync(file.fileno())
            digest = self.digest(beginning.name)
            name = f"{day}-{digest[:16]}.jsonl.gz"
            beginning.rename(self.folder / name)
        finally:
            beginning.unlink(missing_ok=True)
        _sync(self.folder)
        return Written(name, digest, *counted)


def _write(file: BinaryIO, rounds: Iterable[Archived]) -> tuple[int, int, int]:
    """Write blocks, index and tail; count rounds, rows and shoes."""
    blocks: list[tuple[str, int, int]] = []
    count = rows = shoes = 0
    waiting = iter(rounds)
    while block := list(islice(waiting, BLOCK)):
        text = b"".join(_line(one) for one in block)
        begins = file.tell()
        length = file.write(gzip.compress(text, _LEVEL, mtime=0))
        blocks.append((block[0].round_id, begins, length))
        count += len(block)
        rows += sum(len(one.rows) for one in block)
        shoes += sum(one.shoe is not None for one in block)
    begins = file.tell()
    index = orjson.dumps({"blocks": blocks, "rounds": count}) + b"\n"
    file.write(gzip.compress(index, _LEVEL, mtime=0))
    file.write(_HEAD + f"{begins:0{_DIGITS}}".encode() + b"\0" + _EMPTY)
    return count, rows, shoes


def _found(file: BinaryIO, round_id: str) -> Archived | None:
    """Look up the block that a round would be in, and look for it there."""
    ends = file.seek(-_TAIL, os.SEEK_END)
    begins = int(file.read(_TAIL)[len(_HEAD) : len(_HEAD) + _DIGITS])
    file.seek(begins)
    index = orjson.loads(gzip.decompress(file.read(ends - begins)))
    blocks: list[tuple[str, int, int]] = index["blocks"]
    place = bisect_right(blocks, round_id, key=lambda block: block[0]) - 1
    if place < 0:
        return None
    _, begins, length = blocks[place]
    file.seek(begins)
    for line in gzip.decompress(file.read(length)).splitlines():
        stored = orjson.loads(line)
        if stored["round_id"] == round_id:
            return _archived(stored)
    return None


def _line(one: Archived) -> bytes:
    shoe = one.shoe
    line = {
        "round_id": one.round_id,
        "account": one.account,
        "rows": [row_json(row) for row in one.rows],
        "shoe": shoe
        and {
            "key_id": shoe.key_id,
            "nonce": shoe.nonce.hex(),
            "sealed": shoe.sealed.hex(),
            "commitment": shoe.commitment,
        },
    }
    return orjson.dumps(line) + b"\n"


def _archived(stored: dict[str, Any]) -> Archived:
    account, round_id, shoe = stored["account"], stored["round_id"], stored["shoe"]
    return Archived(
        account,
        round_id,
        tuple(
            LogRow(
                *(account, round_id, row["ver"], row["player"], row["at"], row["key"]),
                bytes.fromhex(row["req"]),
                row["data"].encode(),
                bytes.fromhex(row["hash"]),
            )
            for row in stored["rows"]
        ),
        shoe
        and SealedShoe(
            shoe["key_id"],
            bytes.fromhex(shoe["nonce"]),
            bytes.fromhex(shoe["sealed"]),
            shoe["commitment"],
        ),
    )


def _sweep(folder: Path) -> None:
    """Delete what processes that are no more have begun here."""
    for begun in folder.glob(".*.part"):
        found = _BEGUN.fullmatch(begun.name)
        if found is not None and not Path(f"/proc/{found[1]}").exists():
            begun.unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    """Have a folder's list of files on the disk."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _away(name: str, error: Exception) -> ArchiveUnavailable:
    return ArchiveUnavailable(f"{name}: {str(error) or type(error).__name__}")
