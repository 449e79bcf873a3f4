"""The cases about ids: each names one call for ever, however often it comes."""

from typing import Final

import orjson

from service.chance import new_id
from service.wallet.certify.bench import AT_ONCE, Bench, Body, Failed

AGAIN: Final = 3
"""How often a race is run: one is not lost each time."""
NOBODYS: Final = "XTS"
"""The currency of ISO 4217 that is for tests alone."""
_CONFLICT: Final = "transaction_conflict"


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


def credit_repeated(bench: Bench) -> None:
    """A credit sent again is given once; it needs no session."""
    given = bench.body("credit", bench.amount)
    with bench.moved(bench.amount, "a credit sent three times"):
        first = bench.done(given)
        if {bench.done(given), bench.done(given)} != {first}:
            raise Failed("a repeat states another balance than the first answer")
    bench.done(bench.body("correction", -bench.amount))


def credits_at_once(bench: Bench) -> None:
    """A credit sent many times at once is given once."""
    for _ in range(AGAIN):
        given = bench.body("credit", bench.amount)
        with bench.moved(bench.amount, f"a credit sent {AT_ONCE} times at once"):
            bench.at_once([given] * AT_ONCE)
            bench.done(given)
        bench.done(bench.body("correction", -bench.amount))


def balance_of_then(bench: Bench) -> None:
    """A repeat states the balance behind the first one, not that of now."""
    taken = bench.body("debit", bench.amount)
    then = bench.done(taken)
    bench.done(bench.body("credit", bench.amount + 1))
    again = bench.done(taken)
    bench.done(bench.body("correction", -1))
    if again != then:
        raise Failed(f"a repeat must state the balance of then, {then}; it is {again}")


def written_otherwise(bench: Bench) -> None:
    """A repeat is one by its values: not by the order of its keys, nor by spaces."""
    taken = bench.body("debit", bench.amount)
    with bench.unmoved("a debit, its repeat in other words, and its rollback"):
        first = bench.done(taken)
        turned = {name: taken[name] for name in reversed(taken)}
        raw = orjson.dumps(turned, option=orjson.OPT_INDENT_2)
        again = bench.made(taken, bench.ask(taken, written=raw))
        if again != first:
            raise Failed("a repeat states another balance than the first answer")
        bench.done(bench.behind(taken, "rollback"))


def other_amount(bench: Bench) -> None:
    """An id sent again with another amount is refused, and moves nothing."""
    more = bench.body("debit", bench.amount + 1)
    _conflicts(bench, {"amount": more["amount"], "lines": more["lines"]})


def other_kind(bench: Bench) -> None:
    """An id sent again as another kind of call is refused, and moves nothing."""
    paid = bench.body("credit", bench.amount)
    _conflicts(bench, {name: paid[name] for name in ("kind", "purpose", "lines")})


def other_round(bench: Bench) -> None:
    """An id sent again for another round is refused, and moves nothing."""
    _conflicts(bench, {"round_id": new_id()})


def other_currency(bench: Bench) -> None:
    """An id sent again for another currency is refused, and moves nothing."""
    _conflicts(bench, {"currency": NOBODYS}, "currency_refused")


def other_player(bench: Bench) -> None:
    """An id sent again for another player is refused, and moves nothing."""
    other = bench.other()
    before = bench.balance(other)
    _conflicts(bench, {"player_id": other})
    if bench.balance(other) != before:
        raise Failed(f"the balance of {other} changed")


def _conflicts(bench: Bench, change: Body, *or_as: str) -> None:
    """See that a debit's id is refused with another body; `or_as` will do, too."""
    taken = bench.body("debit", bench.amount)
    bench.done(taken)
    with bench.unmoved(f"an id with another {' and '.join(change)}"):
        bench.refused({**taken, **change}, _CONFLICT, *or_as)
    bench.done(bench.behind(taken, "rollback"))
