"""The cases about money: each call once, nothing from nothing, nothing lost."""

from service.chance import new_id
from service.wallet.certify.bench import AT_ONCE, Bench, Failed
from service.wallet.wire import Done


def balance(bench: Bench) -> None:
    """A balance is stated, and is enough for these cases."""
    least = 10 * bench.amount
    if (has := bench.balance()) < least:
        raise Failed(f"the player needs {least} for this certification, and has {has}")


def debit(bench: Bench) -> None:
    """A debit takes its amount, and states the balance behind it."""
    before = bench.balance()
    taken = bench.body("debit", bench.amount)
    if bench.done(taken) != before - bench.amount:
        raise Failed("the balance stated is not the one before less the amount")
    if bench.balance() != before - bench.amount:
        raise Failed("the balance is not the one before less the amount")
    bench.done(bench.behind(taken, "rollback"))


def debit_repeated(bench: Bench) -> None:
    """A debit sent again has the same answer, and takes nothing more."""
    taken = bench.body("debit", bench.amount)
    with bench.moved(-bench.amount, "a debit sent three times"):
        first = bench.done(taken)
        if {bench.done(taken), bench.done(taken)} != {first}:
            raise Failed("a repeat states another balance than the first answer")
    bench.done(bench.behind(taken, "rollback"))


def debit_at_once(bench: Bench) -> None:
    """A debit sent many times at once is taken once."""
    taken = bench.body("debit", bench.amount)
    with bench.moved(-bench.amount, f"a debit sent {AT_ONCE} times at once"):
        bench.at_once([taken] * AT_ONCE)
        bench.done(taken)
    bench.done(bench.behind(taken, "rollback"))


def other_amount(bench: Bench) -> None:
    """An id sent again with another amount is refused, and moves nothing."""
    taken = bench.body("debit", bench.amount)
    bench.done(taken)
    with bench.unmoved("an id with another amount"):
        changed = {**taken, "amount": bench.amount + 1}
        bench.refused(changed, "transaction_conflict")
    bench.done(bench.behind(taken, "rollback"))


def too_little(bench: Bench) -> None:
    """A debit of more than there is is refused, and moves nothing."""
    with bench.unmoved("a debit of more than there is"):
        more = bench.body("debit", bench.balance() + 1)
        bench.refused(more, "insufficient_funds")


def refused_for_good(bench: Bench) -> None:
    """An id that was refused stays refused, when the player has the money, too."""
    more = bench.body("debit", bench.balance() + 1)
    bench.refused(more, "insufficient_funds")
    bench.done(bench.body("credit", 1))
    with bench.unmoved("a debit that was refused before"):
        bench.refused(more, "insufficient_funds")
    bench.done(bench.body("correction", -1))


def never_below_zero(bench: Bench) -> None:
    """Of debits at once that together are too much, as many are taken as can be."""
    has = bench.balance()
    most = has // 2 + 1
    debits = [bench.body("debit", most) for _ in range(AT_ONCE)]
    outcomes = bench.at_once(debits)
    taken = sum(isinstance(outcome, Done) for outcome in outcomes)
    left = bench.balance()
    for one in debits:
        bench.done(bench.behind(one, "rollback"))
    if taken != 1 or left != has - most:
        raise Failed(f"{taken} debits of {most} were taken of {has}, and left {left}")


def credit_repeated(bench: Bench) -> None:
    """A credit sent again, also at once, is given once; it needs no session."""
    given = bench.body("credit", bench.amount)
    with bench.moved(bench.amount, "a credit sent many times"):
        bench.done(given)
        bench.at_once([given] * AT_ONCE)
        bench.done(given)
    bench.done(bench.body("correction", -bench.amount))


def rollback(bench: Bench) -> None:
    """A rollback gives a debit back, once however often it is sent."""
    taken = bench.body("debit", bench.amount)
    with bench.unmoved("a debit and its rollback, sent three times"):
        bench.done(taken)
        back = bench.behind(taken, "rollback")
        for _ in range(3):
            bench.done(back)
        bench.done(bench.behind(taken, "rollback"))


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


def refund_of_nothing(bench: Bench) -> None:
    """A refund of a debit that never came is refused."""
    never = bench.body("debit", bench.amount)
    with bench.unmoved("a refund of an unknown debit"):
        bench.refused(bench.behind(never, "refund"), "debit_unknown")


def correction(bench: Bench) -> None:
    """A correction adds or takes, without a session, once however often it is sent."""
    with bench.moved(bench.amount, "a correction upwards, sent twice"):
        up = bench.body("correction", bench.amount)
        bench.done(up)
        bench.done(up)
    with bench.moved(-bench.amount, "a correction downwards, sent twice"):
        down = bench.body("correction", -bench.amount)
        bench.done(down)
        bench.done(down)
    with bench.unmoved("a correction of more than there is"):
        most = bench.body("correction", -bench.balance() - 1)
        bench.refused(most, "insufficient_funds")


def end(bench: Bench) -> None:
    """The end of a round, a lost one too, is noted, and moves nothing."""
    with bench.unmoved("the end of a round, sent twice"):
        over = bench.body("end", 0, purpose="settled", round_id=new_id())
        bench.done(over)
        bench.done(over)


def as_before(bench: Bench) -> None:
    """A stake, a payout and the end of their round, in order."""
    taken = bench.body("debit", bench.amount)
    ids = {"round_id": taken["round_id"]}
    with bench.unmoved("a stake that was paid back"):
        bench.done(taken)
        bench.done(bench.body("credit", bench.amount, **ids))
        bench.done(bench.body("end", 0, purpose="settled", **ids))
