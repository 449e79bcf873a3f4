"""The cases about who is let in, and about what goes wrong on the way."""

from service.chance import new_id
from service.wallet.certify.bench import Bench, Failed, told
from service.wallet.wire import Denied, Unknown

STALE_SECONDS = 600


def wrong_signature(bench: Bench) -> None:
    """A call that another key signed is refused, and so is a changed body."""
    body = bench.body("debit", bench.amount)
    with bench.unmoved("a call with a wrong signature"):
        outcome = bench.ask(body, secret=f"not-{bench.tested.secret}")
        bench.is_refused(body, outcome, "signature_invalid")
        changed = bench.body("credit", bench.amount)
        outcome = bench.ask(body, instead=changed, path="credit")
        bench.is_refused(changed, outcome, "signature_invalid")


def stale_timestamp(bench: Bench) -> None:
    """A call that was signed ten minutes ago, or ahead of time, is refused."""
    with bench.unmoved("a call with a stale timestamp"):
        for ago in (STALE_SECONDS, -STALE_SECONDS):
            body = bench.body("debit", bench.amount)
            outcome = bench.ask(body, ago=ago)
            bench.is_refused(body, outcome, "timestamp_stale")


def other_path(bench: Bench) -> None:
    """A body that was signed for one call is refused as every other."""
    for path in ("credit", "correction", "rollback", "refund", "end"):
        body = bench.body("debit", bench.amount)
        with bench.unmoved(f"a debit sent as {path}"):
            bench.is_refused(body, bench.ask(body, path=path), "invalid")


def malformed(bench: Bench) -> None:
    """An amount that is no whole number above zero is refused."""
    with bench.unmoved("a malformed amount"):
        for amount in (0, -bench.amount, bench.amount + 0.5, str(bench.amount), None):
            body = {**bench.body("debit", 1), "amount": amount}
            bench.refused(body, "invalid")


def unknown_player(bench: Bench) -> None:
    """A player who is not there is refused."""
    body = bench.body("debit", bench.amount, player_id=f"nobody-{new_id()}")
    bench.refused(body, "player_unknown")


def other_currency(bench: Bench) -> None:
    """A currency that the player has not is refused, and moves nothing."""
    with bench.unmoved("a debit of another currency"):
        body = bench.body("debit", bench.amount, currency="XTS")
        bench.refused(body, "currency_refused")


def lost_answer(bench: Bench, fault: str) -> None:
    """What is asked again after a fault on the way is done, and once."""
    taken = bench.body("debit", bench.amount)
    with bench.moved(-bench.amount, f"a debit through {fault}"):
        _goes_wrong(bench, taken, fault)
        bench.done(taken)
    given = bench.behind(taken, "rollback")
    with bench.moved(bench.amount, f"a rollback through {fault}"):
        _goes_wrong(bench, given, fault)
        bench.done(given)


def _goes_wrong(bench: Bench, body: dict[str, object], fault: str) -> None:
    bench.arm(fault)
    outcome = bench.ask_in_time(body)
    if not isinstance(outcome, Unknown):
        kind = "refused" if isinstance(outcome, Denied) else "answered"
        raise Failed(f"{fault} was armed, and the call was {kind}: {told(outcome)}")
