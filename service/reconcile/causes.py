"""What the log says of money: each command's stake and payout, from its events alone.

Written apart from the rules and from service/wallet, which it is a witness of.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

import orjson

from service.store.reconciliation import LoggedRow

_STAKES: Final = {
    "insurance_taken/1": "insurance",
    "hand_doubled/1": "double",
    "hand_split/1": "split",
}
_MALFUNCTION: Final = "round_malfunctioned/1"
_ENDS: Final = {"round_settled/1": "settled", "round_voided/1": "void"}
_UNREADABLE: Final = (AttributeError, LookupError, TypeError, ValueError)


class Cause(NamedTuple):
    """What a command moves, in minor units; ``ends`` is how it ends its round.

    ``correction`` is what a malfunction gives back, or takes back below zero; ``owed``
    is what the ledger's player had too little for.
    """

    ver: int
    purpose: str
    stake: int
    payout: int
    ends: str | None
    balance: int | None
    """What its reply said that the player had then."""
    correction: int = 0
    owed: int = 0

    @property
    def back(self) -> int:
        """What the player should be paid, corrections included."""
        return self.payout + self.correction

    @property
    def moves(self) -> bool:
        """Whether money moves, if only from what is held to the house."""
        return bool(self.stake or self.payout or self.ends or self.correction)


class Story(NamedTuple):
    """A round's money as its log tells of it."""

    round_id: str
    operator: str
    mode: str
    currency: str
    causes: tuple[Cause, ...]
    faults: tuple[tuple[int, str], ...]
    """Versions that are missing or can't be read, and which of the two."""
    contributed: tuple[str, int] | None = None
    """The jackpot that its bonus wagers were for, and their sum."""
    hits: tuple[tuple[int, int, str, int], ...] = ()
    """Version, box, jackpot and amount of each hit."""

    @property
    def stake(self) -> int:
        """All that was staked."""
        return sum(cause.stake for cause in self.causes)

    @property
    def payout(self) -> int:
        """All that was paid or is owed."""
        return sum(cause.back for cause in self.causes)

    def paid_by(self, ver: int) -> int:
        """Return what was paid or is owed after a version."""
        return sum(cause.back for cause in self.causes if cause.ver <= ver)

    @property
    def ends(self) -> str | None:
        """How the round ended first; None while it is open."""
        return next((cause.ends for cause in self.causes if cause.ends), None)

    @property
    def status(self) -> str | None:
        """How the round is listed when it has ended."""
        last = self.causes[-1].purpose if self.causes else ""
        return "malfunction" if last == "malfunction" else self.ends

    @property
    def held(self) -> int:
        """What the round holds: staked, not paid, and not the house's yet."""
        return 0 if self.ends else self.stake - self.payout


def stories_of(rows: Iterable[LoggedRow]) -> Iterator[Story]:
    """Yield the story of each round, from the rows of one account in order."""
    for round_id, found in groupby(rows, key=lambda row: row.round_id):
        yield _story(round_id, list(found))


def _story(round_id: str, rows: Sequence[LoggedRow]) -> Story:
    whose: dict[str, str] = {}
    causes: list[Cause] = []
    contributed: tuple[str, int] | None = None
    hits: list[tuple[int, int, str, int]] = []
    present = {row.ver for row in rows}
    faults = [(v, "log_gap") for v in range(1, max(present)) if v not in present]
    for row in rows:
        try:
            data = orjson.loads(row.data)
            over = any(cause.ends for cause in causes)
            causes.append(_cause(row.ver, data, whose, over=over))
            contributed = contributed or _contributed(data)
            hits += _hits(row.ver, data)
        except _UNREADABLE:
            faults.append((row.ver, "log_unreadable"))
    return Story(
        round_id=round_id,
        operator=whose.get("operator", ""),
        mode=whose.get("mode", ""),
        currency=whose.get("currency", ""),
        causes=tuple(causes),
        faults=tuple(faults),
        contributed=contributed,
        hits=tuple(hits),
    )


def _contributed(data: dict[str, Any]) -> tuple[str, int] | None:
    """Return what a deal that showed a jackpot put into it."""
    opened, shown = data["events"][0], data.get("jackpot")
    if opened["type"] != "round_opened/1" or shown is None:
        return None
    wagers = sum(box["bonus_wager"] for box in opened["boxes"])
    return (shown["id"], wagers) if wagers else None


def _hits(ver: int, data: dict[str, Any]) -> Iterator[tuple[int, int, str, int]]:
    for event in data["events"]:
        if event["type"] == "jackpot_reserved/1":
            yield ver, event["box"], event["jackpot_id"], event["amount"]


def _cause(
    ver: int, data: dict[str, Any], whose: dict[str, str], *, over: bool
) -> Cause:
    """Count what a command's events move, and note whose the round is."""
    purpose, stake, payout, correction, ends = "", 0, 0, 0, None
    for event in data["events"]:
        kind = event["type"]
        if kind == "round_opened/1":
            whose |= {"currency": event["currency"]}
            whose |= {name: data.get(name, "") for name in ("operator", "mode")}
            purpose = purpose or "deal"
            stake += sum(box["wager"] + box["bonus_wager"] for box in event["boxes"])
        elif kind in _STAKES:
            purpose = purpose or _STAKES[kind]
            stake += event["stake"]
        elif kind == "insurance_resolved/1":
            purpose = purpose or "insurance"
            payout += event["payout"]
        elif kind in _ENDS:
            purpose = purpose or ("void" if _ENDS[kind] == "void" else "settlement")
            ends = _ENDS[kind]
            refunds = sum(refund["amount"] for refund in event.get("refunds", ()))
            payout += event["payout"] + refunds
        elif kind == _MALFUNCTION:
            purpose, ends = "malfunction", None if over else "malfunction"
            correction += event["correction"]
    balance, owed = data.get("balance"), data.get("owed", 0)
    return Cause(ver, purpose, stake, payout, ends, balance, correction, owed)
