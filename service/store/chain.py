"""The hash chain: no row of a round can be changed, dropped or put in unnoticed."""

import hashlib
from collections.abc import Iterable
from typing import Final

from service.store.errors import ChainBroken
from service.store.rows import LogRow

GENESIS: Final = bytes(32)
"""What a round's first row follows."""


def chain_hash(previous: bytes, row: LogRow) -> bytes:
    """Return SHA-256 of the previous row's hash and of every other field of `row`.

    Each is preceded by its length as 4 bytes, high byte first, so that nothing can
    move from one field to the next. Numbers are in decimal, text is in UTF-8, `at` is
    microseconds since 1970 UTC. `row.hash` is not looked at.

    >>> row = LogRow("a1", "r1", 1, "ann", 0, "key-0001", b"r", b"[]", b"")
    >>> chain_hash(GENESIS, row).hex()[:16]
    '3b61434a26878ade'
    >>> moved = row._replace(player="annk", key="ey-0001")
    >>> chain_hash(GENESIS, moved) == chain_hash(GENESIS, row)
    False
    """
    digest = hashlib.sha256()
    for field in (
        previous,
        row.account.encode(),
        row.round_id.encode(),
        b"%d" % row.ver,
        row.player.encode(),
        b"%d" % row.at,
        row.key.encode(),
        row.req,
        row.data,
    ):
        digest.update(len(field).to_bytes(4, "big"))
        digest.update(field)
    return digest.digest()


def chained(previous: bytes, row: LogRow) -> LogRow:
    """Return `row` with its hash, as what follows a row whose hash is `previous`."""
    return row._replace(hash=chain_hash(previous, row))


def check_chain(rows: Iterable[LogRow]) -> None:
    """Check that `rows` are a round's rows from the first one on, unchanged.

    Raises:
        ChainBroken: they are not; names the first row that is wrong.
    """
    previous = GENESIS
    for ver, row in enumerate(rows, start=1):
        if row.ver != ver:
            raise ChainBroken(f"round {row.round_id}: row {ver} is missing")
        if row.hash != chain_hash(previous, row):
            raise ChainBroken(f"round {row.round_id}: row {ver} is not as written")
        previous = row.hash
