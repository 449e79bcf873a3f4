"""Checking the proof of a round, offline and without trust in who made it.

Believed are SHA-256, the commitment that the player saw at the deal, the table's
rules as they were published, and the rules in this package.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Final, NamedTuple

import orjson

from service.proof import Json, Proof, ProofFault, Row, from_json
from service.replay import command_of
from service.rules.cards import deck_order
from service.rules.commands import Refused
from service.rules.decide import decide
from service.rules.events import Event
from service.rules.round import Round, fold
from service.rules.settle import payout_of
from service.rules.stored import decode, encode
from service.rules.table import TableRules
from service.tablefile import TableFault, parse_table

_UNREADABLE: Final = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, Refused),
    *(TypeError, ValueError),
)
"""What the rules may raise when a log is none that they have written."""


class Check(NamedTuple):
    """One question and its answer; `where` is the place of a fault, or a short note."""

    name: str
    ok: bool
    where: str


class Report(NamedTuple):
    """All checks of one proof."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether every check is."""
        return all(check.ok for check in self.checks)


class _Fault(Exception):
    """A check fails: where."""


def verify(document: object) -> Report:
    """Check a proof, a parsed JSON document. Whatever it holds, this only reports."""
    try:
        proof = from_json(document)
    except ProofFault as fault:
        return Report((Check("the proof can be read", ok=False, where=str(fault)),))
    return Report(tuple(_check(name, check, proof) for name, check in CHECKS.items()))


def _check(name: str, check: Callable[[Proof], str], proof: Proof) -> Check:
    try:
        return Check(name, ok=True, where=check(proof))
    except (_Fault, ProofFault) as fault:
        return Check(name, ok=False, where=str(fault))
    except _UNREADABLE as error:
        # A log of wrong types: no check can say more of it than the chain does.
        return Check(name, ok=False, where=f"unreadable: {type(error).__name__}")


def _commitment(proof: Proof) -> str:
    """The shoe is the one that was committed to before the first card."""
    if proof.shoe.commitment != proof.commitment:
        raise _Fault("shoe: salt and order give another commitment")
    opened = _opened(proof)
    for name in ("commitment", "shoe_id", "shuffler"):
        if opened.get(name) != getattr(proof, name):
            raise _Fault(f"row 1, event 1: the deal names another {name}")
    return f"{proof.commitment[:16]}..., shuffled by {proof.shuffler}"


def _whole_shoe(proof: Proof) -> str:
    """No card is missing from the shoe, and none is in it too often."""
    decks = _table(proof).decks
    order = proof.shoe.order
    found = Counter(order[place : place + 2] for place in range(0, len(order), 2))
    wanted: Counter[str] = Counter(deck_order(decks))
    for card in wanted | found:
        if found[card] != wanted[card]:
            raise _Fault(
                f"shoe: {card} is in it {found[card]} times, not {wanted[card]}"
            )
    return f"{found.total()} cards, {decks} decks"


def _chain(proof: Proof) -> str:
    """No row was changed, left out, put in or moved since it was written."""
    previous = bytes(32)
    for ver, row in enumerate(proof.rows, 1):
        if row.ver != ver:
            raise _Fault(f"row {ver}: calls itself {row.ver}")
        if row.hash != _hash(previous, proof, row):
            raise _Fault(f"row {ver}: its hash does not fit its fields")
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
        b"".join(len(field).to_bytes(4, "big") + field for field in fields)
    ).digest()


def _rules(proof: Proof) -> str:
    """The table's rules are those that the round was opened under."""
    table = _table(proof)
    opened = _opened(proof)
    if table.table_id != proof.table_id or opened.get("table_id") != proof.table_id:
        raise _Fault("table_id: the round, the table and the proof differ")
    if opened.get("table_version") != proof.table_version:
        raise _Fault("table_version: the round was opened under another")
    return f"{proof.table_id}, version {proof.table_version[:16]}..."


def _cards(proof: Proof) -> str:
    """Each card that was shown is the shoe's next one; the hole card its own."""
    place: int = _opened(proof)["first_place"]
    hole: int | None = None
    shown = 0
    for where, event in _events(proof):
        match event["type"]:
            case "hole_card_dealt/1":
                hole, place = place, place + 1
                continue
            case "hole_card_revealed/1" if hole is not None:
                places, cards = [hole], [event["card"]]
            case "hand_split/1":
                places, cards = [place, place + 1], event["cards"]
            case _:
                cards = [event["card"]] if "card" in event else []
                places = [place] if cards else []
        for spot, card in zip(places, cards, strict=True):
            if proof.shoe.card_at(spot) != card:
                raise _Fault(f"{where}: shows {card}, place {spot} of the shoe is not")
        shown += len(cards)
        place = max(place, places[-1] + 1) if places else place
    return f"{shown} cards shown"


def _replay(proof: Proof) -> str:
    """Each command, decided again by the rules, has the same events."""
    versions = {proof.table_version: _table(proof)}
    round_: Round | None = None
    for row in proof.rows:
        stored = row.events()
        try:
            made = tuple(decode(dict(event), versions) for event in stored)
            command = command_of(round_, row.player, row.at, made)
            again = decide(round_, command, proof.shoe)
        except _UNREADABLE as error:
            raise _Fault(f"row {row.ver}: can't be replayed: {error}") from None
        _compare(row, stored, again)
        round_ = fold(again, round_)
    if round_ is None or round_.closed_at is None:
        raise _Fault(f"row {len(proof.rows)}: the round is not over")
    return f"{len(proof.rows)} commands, {round_.status}"


def _compare(row: Row, stored: list[Json], again: list[Event]) -> None:
    """Compare as text: to Python true is 1 and 1.0 is 1."""
    right = [
        orjson.dumps(encode(event), option=orjson.OPT_SORT_KEYS) for event in again
    ]
    found = [orjson.dumps(event, option=orjson.OPT_SORT_KEYS) for event in stored]
    for number, (one, other) in enumerate(zip_longest(found, right), 1):
        if one != other:
            text = other.decode() if other else "nothing"
            raise _Fault(f"row {row.ver}, event {number}: should be {text}")


def _payouts(proof: Proof) -> str:
    """Each payout follows from stake and result, and the end pays their sum."""
    currency = _opened(proof)["currency"]
    money = _Money(_table(proof))
    for where, event in _events(proof):
        money.take(event)
        right = money.right_payout(event)
        if right is not None and event["payout"] != right:
            raise _Fault(f"{where}: pays {event['payout']}, and {right} would be right")
    return f"staked {money.staked}, paid {money.paid}, in minor units of {currency}"


class _Money:
    """What was put in and what is due, from the events and not from the fold."""

    def __init__(self, table: TableRules) -> None:
        self.table = table
        self.hands: Counter[str] = Counter()
        self.insured, self.bonuses = Counter[int](), Counter[int]()
        self.jackpots: dict[int, int] = {}
        self.natural = False
        self.due = self.paid = 0

    @property
    def staked(self) -> int:
        return self.hands.total() + self.insured.total() + self.bonuses.total()

    def take(self, event: Json) -> None:
        """Count the money that an event puts in."""
        match event["type"]:
            case "round_opened/1":
                for box in event["boxes"]:
                    self.hands[f"{box['box']}a"] += box["wager"]
                    self.bonuses[box["box"]] += box["bonus_wager"]
            case "hand_doubled/1":
                self.hands[event["hand"]] += event["stake"]
            case "hand_split/1":
                self.hands[event["new_hand"]] += event["stake"]
            case "insurance_taken/1":
                self.insured[event["box"]] += event["stake"]
            case "jackpot_reserved/1":
                self.jackpots[event["box"]] = event["amount"]
            case "dealer_peeked/1":
                self.natural = event["natural"]
            case _:
                pass

    def right_payout(self, event: Json) -> int | None:
        """Return what an event should pay; None when it pays nothing out."""
        table = self.table
        match event["type"]:
            case "hand_resolved/1":
                right = payout_of(table, self.hands[event["hand"]], event["result"])
                self.due += right
            case "win_capped/1":
                self.due -= event["withheld"]
                return None
            case "bonus_resolved/1":
                line = (table.bonus_pays or {})[event["line"]] if event["line"] else 0
                right = self.bonuses[event["box"]] * line
                right = self.jackpots.get(event["box"], right)
                self.due += right
            case "insurance_resolved/1":
                stake = self.insured[event["box"]] if self.natural else 0
                right = stake + table.insurance_pays.of(stake)
                self.paid += right
            case "round_settled/1" | "round_voided/1":
                right = self.due
                self.paid += right + sum(r["amount"] for r in event.get("refunds", ()))
            case _:
                return None
        return right


def _table(proof: Proof) -> TableRules:
    """Read the rules that the proof brings and see that they have its version."""
    try:
        table = parse_table(proof.table_source, "table_source")
    except TableFault as fault:
        raise _Fault(str(fault)) from None
    if table.version != proof.table_version:
        raise _Fault("table_source: its version is not the proof's table_version")
    return table


def _opened(proof: Proof) -> Json:
    opened = proof.rows[0].events()[0]
    if opened["type"] != "round_opened/1":
        raise _Fault("row 1, event 1: is no round_opened")
    return opened


def _events(proof: Proof) -> Iterator[tuple[str, Json]]:
    """Give each event of the round with the words for its place."""
    for row in proof.rows:
        for number, event in enumerate(row.events(), 1):
            yield f"row {row.ver}, event {number} ({event['type']})", event


CHECKS: Final[dict[str, Callable[[Proof], str]]] = {
    "the shoe is the one committed to": _commitment,
    "the shoe is whole": _whole_shoe,
    "the log is as it was written": _chain,
    "the table's rules are the round's": _rules,
    "each card is the shoe's next": _cards,
    "the rules give the same events": _replay,
    "each payout is right": _payouts,
}
