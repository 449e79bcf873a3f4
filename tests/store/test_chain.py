"""The hash chain notices every change to a round's rows."""

import hashlib
from typing import Any

import pytest

from service.chance import new_id
from service.store.chain import GENESIS, chain_hash, check_chain
from service.store.errors import ChainBroken
from service.store.rows import LogRow
from tests.support.samples import first_row, next_row


@pytest.fixture
def rows() -> list[LogRow]:
    rows = [first_row(new_id())]
    for number in range(2, 5):
        rows.append(next_row(rows[-1], f"key-{number:05}"))
    return rows


def test_rows_as_written_pass(rows: list[LogRow]) -> None:
    check_chain(rows)
    check_chain([])


@pytest.mark.parametrize(
    "change",
    [
        {"account": new_id()},
        {"round_id": new_id()},
        {"player": "bob"},
        {"at": 1},
        {"key": "another-key"},
        {"req": b""},
        {"data": b"[]"},
        {"hash": bytes(32)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_change_to_any_field_is_found(
    rows: list[LogRow], change: dict[str, Any]
) -> None:
    rows[2] = rows[2]._replace(**change)
    with pytest.raises(ChainBroken, match="row 3 is not as written"):
        check_chain(rows)


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_a_missing_row_is_found(rows: list[LogRow], gone: int) -> None:
    del rows[gone]
    with pytest.raises(ChainBroken, match=f"row {gone + 1} is missing"):
        check_chain(rows)


def test_the_hash_is_what_its_description_says() -> None:
    row = LogRow("a", "r", 7, "ann", 12, "k", b"\x00", b"[]", b"")
    fields = [GENESIS, b"a", b"r", b"7", b"ann", b"12", b"k", b"\x00", b"[]"]
    joined = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
    assert chain_hash(GENESIS, row) == hashlib.sha256(joined).digest()
