"""All cases in their order, and how they are run."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Final, NamedTuple

from service.wallet.certify import doors, money
from service.wallet.certify.bench import Bench, Failed

FAULTS: Final = {
    "time out after commit": "stall_after",
    "time out before commit": "stall_before",
    "500 before commit": "error_before",
    "500 after commit": "error_after",
    "connection cut after commit": "cut_after",
    "malformed reply": "malformed",
    "slow reply": "slow",
}


class Case(NamedTuple):
    """One thing that a wallet must do: a name, and how to see whether it does."""

    name: str
    check: Callable[[Bench], None]


class Verdict(NamedTuple):
    """What came of a case; `why` it failed, None when it passed."""

    case: Case
    why: str | None


_CASES: Final = (
    Case("balance", money.balance),
    Case("debit", money.debit),
    Case("duplicate debit", money.debit_repeated),
    Case("duplicate debits at once", money.debit_at_once),
    Case("same id, other amount", money.other_amount),
    Case("insufficient funds", money.too_little),
    Case("refused stays refused", money.refused_for_good),
    Case("never below zero", money.never_below_zero),
    Case("duplicate credit", money.credit_repeated),
    Case("rollback", money.rollback),
    Case("late debit after rollback", money.late_debit),
    Case("rollback before debit", money.rollback_first),
    Case("rollback and debit at once", money.rollback_at_once),
    Case("partial refund", money.refund),
    Case("refund of an unknown debit", money.refund_of_nothing),
    Case("correction without session", money.correction),
    Case("end of round", money.end),
    Case("a whole round", money.as_before),
    Case("wrong signature", doors.wrong_signature),
    Case("stale timestamp", doors.stale_timestamp),
    Case("signed for another call", doors.other_path),
    Case("malformed amount", doors.malformed),
    Case("unknown player", doors.unknown_player),
    Case("other currency", doors.other_currency),
)


def cases(*, faults: bool) -> list[Case]:
    """Return all cases; those about faults are for a wallet that has the hook."""
    named = [
        Case(name, partial(doors.lost_answer, fault=fault))
        for name, fault in FAULTS.items()
    ]
    return [*_CASES, *(named if faults else [])]


def verdicts(bench: Bench) -> Iterator[Verdict]:
    """Yield what comes of each case, and last whether all the money is back."""
    begun: int | None = None
    for case in cases(faults=bench.tested.faults):
        why = None
        try:
            begun = bench.balance() if begun is None else begun
            case.check(bench)
        except Failed as failed:
            why = str(failed)
            _mend(bench, begun)
        yield Verdict(case, why)
    yield Verdict(Case("the balance is as before", money.balance), _lost(bench, begun))


def _mend(bench: Bench, begun: int | None) -> None:
    """Put back what a failed case left of the money, or the next ones fail by it."""
    with suppress(Failed):
        gone = (begun or 0) - bench.balance()
        if begun is not None and gone:
            bench.done(bench.body("correction", gone))


def _lost(bench: Bench, begun: int | None) -> str | None:
    try:
        now = bench.balance()
    except Failed as failed:
        return str(failed)
    return None if now == begun else f"it was {begun} and is {now}"
