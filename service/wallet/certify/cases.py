"""All cases in their order, and how they are run."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Final, NamedTuple

from service.wallet.certify import doors, money, repeats, undone
from service.wallet.certify.bench import Bench, Failed, Sent, Skipped, told
from service.wallet.wire import Denied, Done, Unknown

LEAST: Final = 10
"""How many times what a case moves the player needs."""

FAULTS: Final = {
    "time out after commit": "stall_after",
    "time out before commit": "stall_before",
    "500 before commit": "error_before",
    "500 after commit": "error_after",
    "connection cut after commit": "cut_after",
    "malformed reply": "malformed",
    "slow reply": "slow",
}


class CannotBegin(Exception):
    """The wallet can't be tried at all; the text says what is missing."""


class Case(NamedTuple):
    """One thing that a wallet must do: a name, and how to see whether it does."""

    name: str
    check: Callable[[Bench], None]


class Verdict(NamedTuple):
    """What came of a case: `why` it failed or was skipped, None when it passed.

    `sent` are the last calls of one that failed.
    """

    case: Case
    why: str | None
    skipped: bool = False
    sent: tuple[Sent, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether the wallet does not do what it must."""
        return self.why is not None and not self.skipped


_CASES: Final = (
    Case("balance", money.balance),
    Case("debit", money.debit),
    Case("duplicate debit", repeats.debit_repeated),
    Case("duplicate debits at once", repeats.debit_at_once),
    Case("a repeat shows the balance of then", repeats.balance_of_then),
    Case("a repeat in another hand", repeats.written_otherwise),
    Case("same id, other amount", repeats.other_amount),
    Case("same id, other kind", repeats.other_kind),
    Case("same id, other round", repeats.other_round),
    Case("same id, other currency", repeats.other_currency),
    Case("same id, other player", repeats.other_player),
    Case("insufficient funds", money.too_little),
    Case("refused stays refused", money.refused_for_good),
    Case("never below zero", money.never_below_zero),
    Case("duplicate credit", repeats.credit_repeated),
    Case("duplicate credits at once", repeats.credits_at_once),
    Case("rollback", undone.rollback),
    Case("duplicate rollbacks at once", undone.rollbacks_at_once),
    Case("late debit after rollback", undone.late_debit),
    Case("rollback before debit", undone.rollback_first),
    Case("rollback and debit at once", undone.rollback_at_once),
    Case("rollback of a refused debit", undone.rollback_of_refused),
    Case("rollback for an unknown player", undone.rollback_of_nobody),
    Case("rollback of another player's debit", undone.rollback_of_anothers),
    Case("partial refund", undone.refund),
    Case("duplicate refunds at once", undone.refunds_at_once),
    Case("rollback after a partial refund", undone.rollback_after_refund),
    Case("refund of an unknown debit", undone.refund_of_nothing),
    Case("a refused refund comes again", undone.refund_asked_again),
    Case("refund of a refused debit", undone.refund_of_refused),
    Case("refund of a rolled back debit", undone.refund_of_rolled_back),
    Case("refund of another player's debit", undone.refund_of_anothers),
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


def begin(bench: Bench) -> int:
    """Return what the player has, which is enough. Raises CannotBegin."""
    tested = bench.tested
    who = f"'{tested.player}' in {tested.currency}"
    least = LEAST * bench.amount
    match bench.ask(bench.asking(tested.player)):
        case Done(funds) if funds.amount < least:
            has = f"{funds.amount} minor units, and {least} are needed"
            raise CannotBegin(f"the player {who} has {has}")
        case Done(funds):
            return funds.amount
        case Denied("player_unknown" | "currency_refused" as code):
            raise CannotBegin(
                f"the wallet knows no player {who} ({code}); make one with at least "
                f"{least} minor units, or name yours with --player and --currency"
            )
        case Denied("signature_invalid" as code):
            raise CannotBegin(
                f"the wallet refuses a first balance as {code}; is UPCARD_WALLET_KEY "
                "the secret that it knows?"
            )
        case Unknown(why, fault=False):
            raise CannotBegin(f"nothing answers at {tested.url} ({why})")
        case outcome:
            raise CannotBegin(f"a first balance: {told(outcome)}")


def knows(bench: Bench, player: str) -> bool:
    """Tell whether the wallet has a player, in the currency of the certification."""
    return isinstance(bench.ask(bench.asking(player)), Done)


def verdicts(bench: Bench) -> Iterator[Verdict]:
    """Yield what comes of each case, and last whether all the money is back.

    Raises CannotBegin, before anything has moved.
    """
    begun = begin(bench)
    for case in cases(faults=bench.tested.faults):
        bench.sent.clear()
        try:
            case.check(bench)
        except Failed as failed:
            sent = tuple(bench.sent)
            _mend(bench, begun)
            yield Verdict(case, str(failed), sent=sent)
        except Skipped as skipped:
            yield Verdict(case, str(skipped), skipped=True)
        else:
            yield Verdict(case, None)
    yield Verdict(Case("the balance is as before", money.balance), _lost(bench, begun))


def _mend(bench: Bench, begun: int) -> None:
    """Put back what a failed case left of the money, or the next ones fail by it."""
    with suppress(Failed):
        gone = begun - bench.balance()
        if gone:
            bench.done(bench.body("correction", gone))


def _lost(bench: Bench, begun: int) -> str | None:
    try:
        now = bench.balance()
    except Failed as failed:
        return str(failed)
    return None if now == begun else f"it was {begun} and is {now}"
