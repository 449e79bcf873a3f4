"""Is each payout right, and is it what the books say?

From the events and the table's ratios alone, and not from the fold, which these are
witnesses of.
"""

from collections import Counter
from typing import Final, NamedTuple

from service.audit.evidence import Evidence, Fault, where
from service.proof import Json, MoneyRow
from service.rules.settle import payout_of
from service.rules.table import TableRules

_PURPOSES: Final = {
    "round_opened/1": "deal",
    "insurance_taken/1": "insurance",
    "insurance_resolved/1": "insurance",
    "hand_doubled/1": "double",
    "hand_split/1": "split",
    "round_settled/1": "settlement",
    "round_voided/1": "void",
    "round_malfunctioned/1": "malfunction",
}
_ENDS: Final = ("round_settled/1", "round_voided/1")
_NOT_TAKEN: Final = frozenset(
    ("debit", status) for status in ("requested", "refused", "rolled_back")
)
_PAYING: Final = ("credit", "refund")


def payouts(evidence: Evidence) -> str:
    """Each payout follows from stake and result, and the end pays their sum."""
    currency = evidence.opened["currency"]
    money = _Money(evidence.table)
    for place, event in evidence.events():
        money.take(event)
        right = money.right_payout(event)
        told = event.get("payout", event.get("correction"))
        if right is not None and told != right:
            pays = f"pays {told}, and {right} would be right"
            raise Fault(f"{where(place, event)}: {pays}")
    return f"staked {money.staked}, paid {money.paid}, in minor units of {currency}"


class _Money:
    """What was put in and what is due, from the events and not from the fold."""

    def __init__(self, table: TableRules) -> None:
        self.table = table
        self.hands: Counter[str] = Counter()
        self.insured: Counter[int] = Counter()
        self.bonuses: Counter[int] = Counter()
        self.jackpots: dict[int, int] = {}
        self.natural = False
        self.due = 0
        self.paid = 0

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
                refunds = event.get("refunds", ())
                self.paid += right + sum(refund["amount"] for refund in refunds)
            case "round_malfunctioned/1":
                right = self.staked - self.paid
                self.paid += right
            case _:
                return None
        return right


class _Cause(NamedTuple):
    """What a command moves: its stake, its payout, what was held before it.

    A malfunction puts right what its round has paid; ``ends`` the first end of a round.
    """

    purpose: str
    stake: int
    payout: int
    held: int
    ends: bool
    correction: int
    owed: int
    """What the player had too little for, of what was to be taken back."""

    @property
    def moves(self) -> bool:
        return bool(self.stake or self.payout or self.ends or self.correction)


def booked(evidence: Evidence) -> str:
    """The money rows are what the events say, command by command."""
    proof = evidence.proof
    currency = evidence.opened["currency"]
    by_row: dict[int, list[MoneyRow]] = {row.ver: [] for row in proof.rows}
    for number, line in enumerate(proof.money):
        if _is_idle(line):
            continue
        if line.ver not in by_row or line.source not in {"ledger", "wallet"}:
            raise Fault(f"money {number}: no row of the log is its cause")
        if line.currency != currency:
            raise Fault(f"money {number}: is in {line.currency}, not {currency}")
        by_row[line.ver].append(line)
    sources = {line.source for line in proof.money}
    if len(sources) > 1:
        raise Fault("money: is on the ledger and at a wallet")
    held, over = 0, False
    for row, told in zip(proof.rows, evidence.told, strict=True):
        cause = _cause(told, held, over=over)
        over = over or cause.ends
        held = 0 if cause.ends else held + cause.stake - cause.payout
        if sources == {"wallet"}:
            _at_the_wallet(row.ver, cause, by_row[row.ver])
        else:
            _on_the_ledger(row.ver, told.get("balance"), cause, by_row[row.ver])
    return f"{len(proof.money)} rows, {' '.join(sources)}"


def _is_idle(line: MoneyRow) -> bool:
    """Whether it is a call to a wallet that moved nothing: a stake not taken."""
    if line.source != "wallet":
        return False
    return line.kind == "rollback" or (line.kind, line.status) in _NOT_TAKEN


def _cause(told: Json, held: int, *, over: bool) -> _Cause:
    purpose, stake, payout, correction, ends = "", 0, 0, 0, False
    for event in told["events"]:
        kind = event["type"]
        purpose = purpose or _PURPOSES.get(kind, "")
        if kind == "round_opened/1":
            stake += sum(box["wager"] + box["bonus_wager"] for box in event["boxes"])
        elif kind in {"insurance_taken/1", "hand_doubled/1", "hand_split/1"}:
            stake += event["stake"]
        elif kind == "insurance_resolved/1":
            payout += event["payout"]
        elif kind in _ENDS:
            refunds = event.get("refunds", ())
            payout += event["payout"] + sum(refund["amount"] for refund in refunds)
            ends = True
        elif kind == "round_malfunctioned/1":
            correction += event["correction"]
            ends = not over
    owed = told.get("owed", 0)
    return _Cause(purpose, stake, payout, held, ends, correction, owed)


def _on_the_ledger(
    ver: int, balance: object, cause: _Cause, lines: list[MoneyRow]
) -> None:
    """See that a command's lines are the right ones; no line is for nothing."""
    if not (lines or cause.moves):
        return
    player = cause.payout - cause.stake + cause.correction + cause.owed
    held = -cause.held if cause.ends or cause.correction else -player
    sides = {"player": player, "held": held, "house": -player - held}
    right = {side: amount for side, amount in sides.items() if amount}
    if cause.moves:
        right["player"] = player
    found = {line.side: line.amount for line in lines}
    if found != right or len(lines) != len(right):
        raise Fault(f"row {ver}: the ledger says {found}, the events {right}")
    for line in lines:
        if (line.purpose, line.kind, line.status) != (cause.purpose, None, None):
            raise Fault(f"row {ver}: the ledger says it is for {line.purpose}")
        if line.balance != (balance if line.side == "player" else None):
            raise Fault(f"row {ver}: the ledger says the balance was another")


def _at_the_wallet(ver: int, cause: _Cause, calls: list[MoneyRow]) -> None:
    """See that a command's stake was taken, and that its payout is owed."""
    taken = [c for c in calls if (c.kind, c.status) == ("debit", "confirmed")]
    # A correction that is refused is owed: the player had too little.
    paid = [c for c in calls if c.kind in {*_PAYING, "correction"}]
    for name, some, right in (
        ("took", taken, cause.stake),
        ("paid", paid, cause.payout + cause.correction),
    ):
        amount = sum(call.amount for call in some)
        if amount != right:
            raise Fault(f"row {ver}: the wallet {name} {amount}, and not {right}")
        if any(call.purpose != cause.purpose for call in some):
            raise Fault(f"row {ver}: the wallet was told another purpose")
