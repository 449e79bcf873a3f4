"""The cases about what is taken back: all that was taken, once, and nothing more."""

from typing import Final

from service.chance import new_id
from service.wallet.certify.bench import AT_ONCE, Bench, Failed
from service.wallet.certify.repeats import AGAIN

NOTHING_LEFT: Final = ("transaction_rolled_back", "refund_too_large", "debit_unknown")
"""What a refund may be told that finds nothing taken: the first is the published one
for a debit that was rolled back, the last for one that was refused."""


def rollback(bench: Bench) -> None:
    """A rollback gives a debit back, once however often it is sent."""
    taken = bench.body("debit", bench.amount)
    with bench.unmoved("a debit and its rollback, sent three times"):
        bench.done(taken)
        back = bench.behind(taken, "rollback")
        for _ in range(3):
            bench.done(back)
        bench.done(bench.behind(taken, "rollback"))


def rollbacks_at_once(bench: Bench) -> None:
    """A rollback sent many times at once, or twice under two ids, gives back once."""
    for _ in range(AGAIN):
        taken = bench.body("debit", bench.amount)
        with bench.unmoved(f"a debit, and {AT_ONCE} rollbacks of it at once"):
            bench.done(taken)
            backs = [bench.behind(taken, "rollback") for _ in range(2)]
            bench.at_once(backs * (AT_ONCE // 2))
            bench.done(backs[0])


def late_debit(bench: Bench) -> None:
    """A debit that comes again after its rollback is refused."""
    taken = bench.body("debit", bench.amount)
    with bench.unmoved("a debit, its rollback, and the debit again"):
        bench.done(taken)
        bench.done(bench.behind(taken, "rollback"))
        bench.refused(taken, "transaction_rolled_back")


def rollback_first(bench: Bench) -> None:
    """A rollback of a debit that never came is done, and keeps it from coming."""
    never = bench.body("debit", bench.amount)
    with bench.unmoved("a rollback, and the debit behind it"):
        bench.done(bench.behind(never, "rollback"))
        bench.refused(never, "transaction_rolled_back")


def rollback_at_once(bench: Bench) -> None:
    """A debit and its rollback at once leave nothing taken."""
    with bench.unmoved("debits and their rollbacks at once"):
        for _ in range(AT_ONCE):
            taken = bench.body("debit", bench.amount)
            back = bench.behind(taken, "rollback")
            bench.at_once([taken, back, taken])
            bench.done(back)
            bench.refused(taken, "transaction_rolled_back")


def rollback_of_refused(bench: Bench) -> None:
    """A rollback of a debit that was refused is done, and gives nothing."""
    refused = bench.body("debit", bench.balance() + 1)
    bench.refused(refused, "insufficient_funds")
    with bench.unmoved("a rollback of a refused debit"):
        bench.done(bench.behind(refused, "rollback"))


def rollback_of_nobody(bench: Bench) -> None:
    """A rollback for a player who is not there is done, with a balance of nothing."""
    never = bench.body("debit", bench.amount, player_id=f"nobody-{new_id()}")
    bench.refused(never, "player_unknown")
    stated = bench.done(bench.behind(never, "rollback"))
    if stated:
        raise Failed(f"an unknown player's balance must be 0, and is {stated}")


def refund(bench: Bench) -> None:
    """A part of a debit is given back, once each, and never more than was taken."""
    part = max(1, bench.amount // 3)
    taken = bench.body("debit", bench.amount)
    with bench.unmoved("a debit, and refunds of all of it"):
        bench.done(taken)
        with bench.moved(part, "a refund of a part, sent twice"):
            some = bench.behind(taken, "refund", part)
            bench.done(some)
            bench.done(some)
        with bench.unmoved("a refund of more than is left"):
            more = bench.behind(taken, "refund", bench.amount - part + 1)
            bench.refused(more, "refund_too_large")
        bench.done(bench.behind(taken, "refund", bench.amount - part))


def refunds_at_once(bench: Bench) -> None:
    """A refund sent many times at once is given once; and two together, never more."""
    for _ in range(AGAIN):
        taken = bench.body("debit", bench.amount)
        bench.done(taken)
        with bench.moved(bench.amount, f"{AT_ONCE} refunds of a whole debit at once"):
            some = [bench.behind(taken, "refund") for _ in range(2)]
            bench.at_once(some * (AT_ONCE // 2))
            bench.at_once(some)  # an answer that was lost above is known now


def rollback_after_refund(bench: Bench) -> None:
    """A rollback gives back what refunds have left of the debit, and no more."""
    part = max(1, bench.amount // 3)
    taken = bench.body("debit", bench.amount)
    bench.done(taken)
    bench.done(bench.behind(taken, "refund", part))
    with bench.moved(bench.amount - part, "a rollback after a partial refund"):
        bench.done(bench.behind(taken, "rollback"))


def refund_of_nothing(bench: Bench) -> None:
    """A refund of a debit that never came is refused."""
    never = bench.body("debit", bench.amount)
    with bench.unmoved("a refund of an unknown debit"):
        bench.refused(bench.behind(never, "refund"), "debit_unknown")


def refund_asked_again(bench: Bench) -> None:
    """A refund that was refused is looked at anew when it comes again."""
    late = bench.body("debit", bench.amount)
    back = bench.behind(late, "refund")
    bench.refused(back, "debit_unknown")
    with bench.unmoved("a debit, and the refund that came too early"):
        bench.done(late)
        bench.done(back)


def refund_of_refused(bench: Bench) -> None:
    """A refund of a debit that was refused pays nothing."""
    refused = bench.body("debit", bench.balance() + 1)
    bench.refused(refused, "insufficient_funds")
    with bench.unmoved("a refund of a refused debit"):
        bench.refused(bench.behind(refused, "refund", bench.amount), *NOTHING_LEFT)


def refund_of_rolled_back(bench: Bench) -> None:
    """A refund of a debit that was rolled back pays nothing."""
    taken = bench.body("debit", bench.amount)
    bench.done(taken)
    bench.done(bench.behind(taken, "rollback"))
    with bench.unmoved("a refund of a debit that was rolled back"):
        bench.refused(bench.behind(taken, "refund"), *NOTHING_LEFT)


def refund_of_anothers(bench: Bench) -> None:
    """A refund that names another player's debit is refused, and pays nobody."""
    _anothers(bench, "refund")


def rollback_of_anothers(bench: Bench) -> None:
    """A rollback that names another player's debit is refused, and pays nobody."""
    _anothers(bench, "rollback")


def _anothers(bench: Bench, kind: str) -> None:
    other = bench.other()
    before = bench.balance(other)
    taken = bench.body("debit", bench.amount)
    bench.done(taken)
    with bench.unmoved(f"a {kind} of another player's debit"):
        theirs = {**bench.behind(taken, kind), "player_id": other}
        bench.refused(theirs, "transaction_conflict")
        if bench.balance(other) != before:
            raise Failed(f"the balance of {other} changed")
    bench.done(bench.behind(taken, "rollback"))
