"""The proof of a finished round: everything that dealt and paid it.

A proof is a JSON object that needs no server to be checked:

    round_id, account, table_id, table_version, table_source (TOML text),
    software_version,
    shoe: {shoe_id, salt (hex), order ("AS..TD"), commitment (hex), shuffler},
    rows: [{ver, player, at, key, req (hex), data (text), hash (hex)}, ...],
    money: [{source, id, ver, kind, purpose, side, amount, currency, status, balance}]

`rows` are the round's log as it was hashed: `at` is in microseconds since 1970
UTC, `data` is the text of a JSON object whose `events` are the command's and whose
`software` is the version that decided it; `software_version` is the one that made the
proof. `money` are the lines of the ledger that the round moved, or the calls to the
operator's wallet; minor units. What they prove is said by service/audit.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import orjson

from service import __version__
from service.chance import WholeShoe

Json = dict[str, Any]

_Value = TypeVar("_Value")


LoggedRow = tuple[str, str, int, str, int, str, bytes, bytes, bytes]
"""A row of the log: account, round, then the fields of `Row`."""


class ProofFault(ValueError):
    """A document that is no proof: where (a JSON pointer), and what is wrong."""

    def __init__(self, pointer: str, reason: str) -> None:
        """Take the place and the reason."""
        super().__init__(f"{pointer or '/'}: {reason}")
        self.pointer: Final = pointer
        self.reason: Final = reason


class Row(NamedTuple):
    """One accepted command, as it stands in the log."""

    ver: int
    player: str
    at: int
    key: str
    req: bytes
    data: bytes
    hash: bytes

    def told(self) -> Json:
        """Return what the row keeps, with its events as stored. Raises ProofFault."""
        try:
            told = orjson.loads(self.data)
            events = told["events"]
        except (LookupError, TypeError, ValueError):
            events = None
        if not isinstance(events, list) or not events or not _are_events(events):
            raise ProofFault(f"/rows/{self.ver - 1}/data", "holds no events")
        return dict(told)

    def events(self) -> list[Json]:
        """Return the command's events in their stored form. Raises ProofFault."""
        events: list[Json] = self.told()["events"]
        return events


def _are_events(found: list[object]) -> bool:
    """Whether all are objects with a type."""
    for event in found:
        if not isinstance(event, dict) or not isinstance(event.get("type"), str):
            return False
    return True


class MoneyRow(NamedTuple):
    """A line of the ledger, or a call to a wallet, that a command is the cause of.

    A line has a side, and the player's a balance; a call has a kind, and a debit a
    status.
    """

    source: str
    """"ledger" or "wallet"."""
    id: str
    ver: int
    kind: str | None
    purpose: str
    side: str | None
    amount: int
    currency: str
    status: str | None
    balance: int | None


class Proof(NamedTuple):
    """A proof as a value."""

    round_id: str
    account: str
    table_id: str
    table_version: str
    table_source: str
    shoe_id: str
    shoe: WholeShoe
    commitment: str
    shuffler: str
    rows: tuple[Row, ...]
    money: tuple[MoneyRow, ...]


def proof_of(
    rows: Sequence[LoggedRow],
    shoe: WholeShoe,
    table_source: str,
    money: Sequence[MoneyRow],
) -> Json:
    """Return the JSON object of a finished round's proof.

    `rows` are all rows of its log, in order; `table_source` is the text of the table
    version that it was opened under; `money` is all that moved for it. What a forger
    took out of the first row is null. Raises ProofFault when it holds no event at all.
    """
    account, round_id = rows[0][:2]
    opened = Row(*rows[0][2:]).events()[0]
    return {
        "round_id": round_id,
        "account": account,
        "table_id": opened.get("table_id"),
        "table_version": opened.get("table_version"),
        "table_source": table_source,
        "software_version": __version__,
        "shoe": {
            "shoe_id": opened.get("shoe_id"),
            "salt": shoe.salt.hex(),
            "order": shoe.order,
            "commitment": opened.get("commitment"),
            "shuffler": opened.get("shuffler"),
        },
        "rows": [row_json(row) for row in rows],
        "money": [row._asdict() for row in money],
    }


def row_json(row: LoggedRow) -> Json:
    """Return the JSON object of one row of the log."""
    _, _, ver, player, at, key, req, data, digest = row
    return {
        "ver": ver,
        "player": player,
        "at": at,
        "key": key,
        "req": req.hex(),
        "data": data.decode(),
        "hash": digest.hex(),
    }


def from_json(document: object) -> Proof:
    """Return the proof that a parsed JSON document holds.

    Further keys are ignored: a later release may add some. Raises ProofFault.

    >>> from_json({"round_id": 7})
    Traceback (most recent call last):
    ...
    service.proof.ProofFault: /shoe: must be an object
    """
    whole = _Object(document, "")
    shoe = _Object(whole.take("shoe", dict), "/shoe")
    rows = whole.take("rows", list)
    if not rows:
        raise ProofFault("/rows", "must hold at least one row")
    return Proof(
        round_id=whole.take_text("round_id"),
        account=whole.take_text("account"),
        table_id=whole.take_text("table_id"),
        table_version=whole.take_text("table_version"),
        table_source=whole.take_text("table_source"),
        shoe_id=shoe.take_text("shoe_id"),
        shoe=WholeShoe(shoe.take_hex("salt"), shoe.take_text("order")),
        commitment=shoe.take_text("commitment"),
        shuffler=shoe.take_text("shuffler"),
        rows=tuple(
            _row(_Object(row, f"/rows/{index}")) for index, row in enumerate(rows)
        ),
        money=tuple(
            _money(_Object(row, f"/money/{index}"))
            for index, row in enumerate(whole.take("money", list))
        ),
    )


def _row(row: "_Object") -> Row:
    return Row(
        ver=row.take("ver", int),
        player=row.take_text("player"),
        at=row.take("at", int),
        key=row.take_text("key"),
        req=row.take_hex("req"),
        data=row.take_text("data").encode(),
        hash=row.take_hex("hash"),
    )


def _money(row: "_Object") -> MoneyRow:
    return MoneyRow(
        source=row.take_text("source"),
        id=row.take_text("id"),
        ver=row.take("ver", int),
        kind=row.take_or_null("kind", str),
        purpose=row.take_text("purpose"),
        side=row.take_or_null("side", str),
        amount=row.take("amount", int),
        currency=row.take_text("currency"),
        status=row.take_or_null("status", str),
        balance=row.take_or_null("balance", int),
    )


_KINDS: Final[Mapping[type, str]] = {
    dict: "an object",
    list: "an array",
    str: "a string",
    int: "a whole number",
}


class _Object:
    """Takes values of a JSON object and says where one is wrong."""

    def __init__(self, found: object, pointer: str) -> None:
        if not isinstance(found, Mapping):
            raise ProofFault(pointer, "must be an object")
        self.found = found
        self.pointer = pointer

    def take(self, key: str, kind: type[_Value]) -> _Value:
        value = self.found.get(key)
        # Exactly: to isinstance true is an int.
        if type(value) is not kind:
            raise ProofFault(f"{self.pointer}/{key}", f"must be {_KINDS[kind]}")
        return value

    def take_or_null(self, key: str, kind: type[_Value]) -> _Value | None:
        if self.found.get(key, 0) is None:
            return None
        return self.take(key, kind)

    def take_text(self, key: str) -> str:
        text = self.take(key, str)
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ProofFault(f"{self.pointer}/{key}", "must be Unicode") from None
        return text

    def take_hex(self, key: str) -> bytes:
        text = self.take(key, str)
        try:
            found = bytes.fromhex(text)
        except ValueError:
            found = b""
        # fromhex skips blanks and takes capitals: one value has one text here.
        if found.hex() != text:
            raise ProofFault(f"{self.pointer}/{key}", "must be lower-case hex")
        return found
