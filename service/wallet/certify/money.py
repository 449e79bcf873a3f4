"""The cases about money: it moves as it is said, and none comes from nothing."""

from service.wallet.certify.bench import AT_ONCE, Bench, Failed
from service.wallet.wire import Done


def balance(bench: Bench) -> None:
    """A balance is stated, and asking for it moves nothing."""
    with bench.unmoved("a question"):
        bench.balance()


def debit(bench: Bench) -> None:
    """A debit takes its amount, and states the balance behind it."""
    before = bench.balance()
    taken = bench.body("debit", bench.amount)
    if bench.done(taken) != before - bench.amount:
        raise Failed("the balance stated is not the one before less the amount")
    if bench.balance() != before - bench.amount:
        raise Failed("the balance is not the one before less the amount")
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
    taken = bench.body("debit", bench.amount)
    bench.done(taken)
    with bench.unmoved("the end of a round, sent twice"):
        over = bench.end(taken["round_id"], bench.amount, 0)
        bench.done(over)
        bench.done(over)
    bench.done(bench.body("credit", bench.amount))


def as_before(bench: Bench) -> None:
    """A stake, a payout and the end of their round, in order."""
    taken = bench.body("debit", bench.amount)
    round_id = taken["round_id"]
    with bench.unmoved("a stake that was paid back"):
        bench.done(taken)
        bench.done(bench.body("credit", bench.amount, round_id=round_id))
        bench.done(bench.end(round_id, bench.amount, bench.amount))
