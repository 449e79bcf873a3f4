"""What seals say of rounds in files, where no transaction is told."""

import pytest

from service.inspection.gathered import Gathered
from service.inspection.sealed import Sealed
from service.keyfile import KeyFile
from service.seals.seal import GENESIS, Seal, SealKeys

KEYS = SealKeys(KeyFile.from_text(KeyFile.fresh_text("k1"), "keys"))
ACCOUNT, ROUND = "0" * 32, "1" * 32
FIRST = Seal(1, "2026-11-30", 0, 100, 0, bytes(32), GENESIS, "k1")
SECOND = Seal(2, "2026-12-01", 0, 200, 0, bytes(32), FIRST.digest, "k1")


def faults(rows: str, leaves: dict[int, str]) -> list[str]:
    """Say how rows, a letter each, differ from leaves: a version and its letter."""
    log = [
        *(
            (ACCOUNT, ROUND, ver, "", 0, "", b"", b"", letter.encode() * 32, None)
            for ver, letter in enumerate(rows, 1)
        ),
    ]
    told = [
        (ACCOUNT, ROUND, number, int(leaf[0]), leaf[1].encode() * 32)
        for number, leaf in leaves.items()
    ]
    sealed = Sealed([KEYS.signed(seal) for seal in (FIRST, SECOND)], ())
    return list(sealed.faults(Gathered(ACCOUNT, ROUND, log, (), (), (), (), told)))


@pytest.mark.parametrize(
    ("rows", "leaves", "found"),
    [
        ("abc", {1: "3c"}, []),
        ("abc", {1: "2b", 2: "3c"}, []),
        ("abc", {}, []),
        ("abx", {1: "3c"}, ["row 3 is not the one that seal 1 covers: written anew"]),
        ("axc", {1: "2b", 2: "3c"}, ["row 2 is not the one that seal 1 covers: wr"]),
        ("ab", {1: "3c"}, ["seal 1 covers row 3, which is missing"]),
        ("abcd", {1: "3c"}, ["row 4 was put in later: seal 1 ends with row 3"]),
        ("abc", {3: "3c"}, ["a leaf is of seal 3, which is missing"]),
    ],
)
def test_rows_in_a_file_are_held_against_their_leaves(
    rows: str, leaves: dict[int, str], found: list[str]
) -> None:
    lines = faults(rows, leaves)
    assert len(lines) == len(found)
    for line, beginning in zip(lines, found, strict=True):
        assert line.startswith(beginning)


MONTH = 31 * 86_400_000_000
LATE = (
    "row 1 tells of an earlier time than seal {}, which does not know it: put in later"
)


@pytest.mark.parametrize(
    ("at", "tx", "leaves", "known"),
    [
        (-1, 50, {1: "1a"}, None),
        (-MONTH, 150, {2: "1a"}, None),
        (-MONTH - 1, 150, {2: "1a"}, 1),
        (0, 250, {}, None),
        (-1, 250, {}, 2),
        (-MONTH - 1, None, {2: "1a"}, 1),
        (-1, None, {}, None),
        (1, None, {}, None),
    ],
)
def test_what_was_made_up_later_is_older_than_a_seal_without_it(
    at: int, tx: int | None, leaves: dict[int, str], known: int | None
) -> None:
    found = told_of(at, tx, leaves, MONTH)
    assert found == ([] if known is None else [LATE.format(known)])


def test_what_never_was_is_found_in_a_file() -> None:
    assert told_of(1, None, {}, MONTH + 2) == [LATE.format(2)]


def told_of(at: int, tx: int | None, leaves: dict[int, str], second: int) -> list[str]:
    """Say what is wrong with a row of a time; seals were made at 0 and `second`."""
    made = [FIRST, SECOND._replace(made_at=second)]
    row = (ACCOUNT, ROUND, 1, "", at, "", b"", b"", b"a" * 32, tx)
    told = [
        (ACCOUNT, ROUND, number, int(leaf[0]), leaf[1].encode() * 32)
        for number, leaf in leaves.items()
    ]
    sealed = Sealed([KEYS.signed(seal) for seal in made], ())
    return list(sealed.faults(Gathered(ACCOUNT, ROUND, [row], (), (), (), (), told)))
