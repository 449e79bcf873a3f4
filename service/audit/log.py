"""Is the log as it was written, and would the rules write it again?"""

import hashlib
from itertools import zip_longest
from typing import Final

import orjson

from service.audit.evidence import Evidence, Fault
from service.proof import Json, Proof, Row
from service.replay import TELLING, command_of
from service.rules.commands import Refused
from service.rules.decide import decide_and_fold
from service.rules.events import Event
from service.rules.round import Round
from service.rules.stored import decode, encode

UNREADABLE: Final = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, Refused),
    *(TypeError, ValueError),
)
"""What the rules may raise when a log is none that they have written."""


def chain(evidence: Evidence) -> str:
    """No row was changed, left out, put in or moved since it was written."""
    proof = evidence.proof
    previous = bytes(32)
    for ver, row in enumerate(proof.rows, 1):
        if row.ver != ver:
            raise Fault(f"row {ver}: calls itself {row.ver}")
        if row.hash != _hash(previous, proof, row):
            raise Fault(f"row {ver}: its hash does not fit its fields")
        previous = row.hash
    return f"{len(proof.rows)} rows, the last is {previous.hex()[:16]}..."


def _hash(previous: bytes, proof: Proof, row: Row) -> bytes:
    """Hash a row: SHA-256 of its fields, each after its length in four bytes.

    Written apart from the store's own, so that one is a witness of the other.
    """
    place = [proof.account, proof.round_id, str(row.ver), row.player, str(row.at)]
    fields = [previous, *(text.encode() for text in (*place, row.key))]
    fields += [row.req, row.data]
    return hashlib.sha256(
        b"".join([part for f in fields for part in (len(f).to_bytes(4, "big"), f)])
    ).digest()


def rules(evidence: Evidence) -> str:
    """The table's rules are those that the round was opened under."""
    proof, table, opened = evidence.proof, evidence.table, evidence.opened
    if table.table_id != proof.table_id or opened.get("table_id") != proof.table_id:
        raise Fault("table_id: the round, the table and the proof differ")
    if opened.get("table_version") != proof.table_version:
        raise Fault("table_version: the round was opened under another")
    return f"{proof.table_id}, version {proof.table_version[:16]}..."


def replay(evidence: Evidence) -> str:
    """Each command, decided again by the rules, has the same events."""
    versions = {evidence.proof.table_version: evidence.table}
    rows = evidence.proof.rows
    # What a deal is given is not decided again, and to Python true is 1.
    for name, value in evidence.opened.items():
        if isinstance(value, bool):
            raise Fault(f"row 1, event 1: {name} can't be {str(value).lower()}")
    round_: Round | None = None
    for row, stored in zip(rows, evidence.stored, strict=True):
        try:
            # The others follow from the command; whether they do is compared below.
            telling = (event for event in stored[1:] if event["type"] in TELLING)
            made = tuple(
                decode(dict(event), versions) for event in (stored[0], *telling)
            )
            command = command_of(round_, row.player, row.at, made)
            again, round_ = decide_and_fold(round_, command, evidence.proof.shoe)
        except UNREADABLE as error:
            raise Fault(f"row {row.ver}: can't be replayed: {error}") from None
        _compare(row, stored, again)
    assert round_ is not None, "a proof has at least one row"
    evidence.replayed = round_
    if evidence.over and round_.closed_at is None:
        raise Fault(f"row {len(rows)}: the round is not over")
    return f"{len(rows)} commands, {round_.status}"


def _compare(row: Row, stored: list[Json], again: list[Event]) -> None:
    """Compare as text: to Python true is 1 and 1.0 is 1."""
    encoded = [encode(event) for event in again]
    if row.data.startswith(b'{"events":%b' % orjson.dumps(encoded)):
        return  # as it is written; that some other text means the same is rare
    right = [orjson.dumps(event, option=orjson.OPT_SORT_KEYS) for event in encoded]
    found = [orjson.dumps(event, option=orjson.OPT_SORT_KEYS) for event in stored]
    for number, (one, other) in enumerate(zip_longest(found, right), 1):
        if one != other:
            text = other.decode() if other else "nothing"
            raise Fault(f"row {row.ver}, event {number}: should be {text}")
