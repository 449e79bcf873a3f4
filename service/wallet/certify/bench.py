"""The wallet under test, as a service would call it, and what a case expects of it."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import orjson
import urllib3

from service.chance import new_id
from service.wallet.calls import signed
from service.wallet.exchange import NoReply, Reply, Wire
from service.wallet.schedule import PUBLISHED
from service.wallet.wire import Denied, Done, Outcome, Unknown, outcome_of

AT_ONCE: Final = 8
"""Calls that are sent together."""
_KEPT: Final = 6
"""Calls that are shown of a case that failed."""
_PURPOSES: Final = {
    "debit": "deal",
    "credit": "settlement",
    "refund": "void",
    "correction": "malfunction",
    "end": "settled",
}
_WHAT: Final = {"credit": "hand 1a", "correction": "correction"}

Body = dict[str, Any]


class Failed(Exception):
    """The wallet does another thing than the contract says; the text says what."""


class Skipped(Exception):
    """A case cannot be tried with what the certification was given; says what."""


class Sent(NamedTuple):
    """A call that was made: its path, its body and in words what came of it."""

    path: str
    body: Body
    came: str


class Tested(NamedTuple):
    """Which wallet is tested, with whose money; `amount` is moved to and fro.

    `other` is another player, whose money is never touched; None: there is none.
    """

    url: str
    secret: str
    operator: str
    player: str
    currency: str
    amount: int
    faults: bool
    other: str | None = None


class Bench:
    """Calls a wallet and expects. Every expectation raises Failed.

    `now` is the time of signatures, in seconds since 1970 UTC; `timer` says how long
    an answer took, in seconds.
    """

    def __init__(
        self,
        tested: Tested,
        now: Callable[[], int],
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self.tested: Final = tested
        self.sent: Final[deque[Sent]] = deque(maxlen=_KEPT)
        self._now = now
        self._timer = timer
        self._wire = Wire()

    @property
    def amount(self) -> int:
        """What a case moves, in minor units."""
        return self.tested.amount

    def body(self, kind: str, amount: int, **more: object) -> Body:
        """Return a call with an id and a round of its own."""
        body = {
            "kind": kind,
            "transaction_id": new_id(),
            "round_id": new_id(),
            "table_id": "certification",
            "player_id": self.tested.player,
            "session_id": None,
            "currency": self.tested.currency,
            "purpose": _PURPOSES[kind],
        }
        line = {"box": 1, "what": _WHAT.get(kind, "wager"), "amount": amount}
        return {**body, "amount": amount, "lines": [line], **more}

    def behind(self, debit: Body, kind: str, amount: int | None = None) -> Body:
        """Return a call that takes a debit back, or a part of it."""
        some = debit["amount"] if amount is None else amount
        id_ = {"transaction_id": new_id(), "debit_id": debit["transaction_id"]}
        if kind == "rollback":
            return {**debit, **id_, "kind": "rollback"}
        whose = {name: debit[name] for name in ("round_id", "player_id", "currency")}
        return {**self.body(kind, some), **id_, **whose}

    def end(self, round_id: str, stake: int, payout: int) -> Body:
        """Return the end of a round that staked and paid so much."""
        sums = {"stake": stake, "payout": payout}
        lines = [{"box": 1, "what": what, "amount": sums[what]} for what in sums]
        return self.body("end", 0, round_id=round_id, lines=lines)

    def asking(self, player: str) -> Body:
        """Return what asks for the balance of a player."""
        return {
            "kind": "balance",
            "transaction_id": new_id(),
            "player_id": player,
            "session_id": None,
            "currency": self.tested.currency,
        }

    def balance(self, player: str | None = None) -> int:
        """Return what the player has, or another one."""
        return self.done(self.asking(player or self.tested.player))

    def other(self) -> str:
        """Return another player than the one whose money is moved. Raises Skipped."""
        if self.tested.other is None:
            raise Skipped("needs another player: name one with --other-player")
        return self.tested.other

    def done(self, body: Body) -> int:
        """Send a call that must be done; return the balance that it states."""
        return self.made(body, self.ask(body))

    def made(self, body: Body, outcome: Outcome) -> int:
        """See that an outcome is a yes; return the balance that it states."""
        if isinstance(outcome, Done):
            return outcome.funds.amount
        raise Failed(f"{body['kind']} must be done: {told(outcome)}")

    def refused(self, body: Body, *codes: str) -> None:
        """Send a call that must be refused, with one of these codes."""
        self.is_refused(body, self.ask(body), *codes)

    def is_refused(self, body: Body, outcome: Outcome, *codes: str) -> None:
        """See that an outcome is a refusal with one of these codes."""
        if not isinstance(outcome, Denied) or outcome.code not in codes:
            wish = " or ".join(codes)
            kind = body["kind"]
            raise Failed(f"{kind} must be refused as {wish}: {told(outcome)}")

    def ask(  # noqa: PLR0913 - each of them is a way to send what is not right
        self,
        body: Body,
        *,
        secret: str | None = None,
        ago: int = 0,
        path: str | None = None,
        instead: Body | None = None,
        written: bytes | None = None,
    ) -> Outcome:
        """Send a call and return what came of it; it may be signed wrongly.

        `instead` is sent in place of what was signed. `written` is the body's JSON in
        another hand.
        """
        raw = orjson.dumps(body) if written is None else written
        headers = signed(secret or self.tested.secret, self._now() - ago, raw)
        meant = body if instead is None else instead
        sent = raw if instead is None else orjson.dumps(instead)
        path = path or body["kind"]
        try:
            reply = self._post(path, sent, headers)
        except NoReply as silence:
            outcome: Outcome = Unknown(str(silence))
        else:
            outcome = outcome_of(reply.status, reply.body, meant)
            if isinstance(outcome, Unknown):
                self._wire.hang_up()
        if body["kind"] != "balance":
            self.sent.append(Sent(path, meant, told(outcome)))
        return outcome

    def ask_in_time(self, body: Body) -> Outcome:
        """Send a call as `ask` does; an answer that took too long is none.

        The time is taken from before the call. On a busy machine the wire begins to
        wait late, and then hears an answer that a service would have given up on.
        """
        begun = self._timer()
        outcome = self.ask(body)
        late = self._timer() - begun > PUBLISHED.command.answer
        return Unknown("TooLate") if late else outcome

    def at_once(self, bodies: list[Body]) -> list[Outcome]:
        """Send calls together; return what came of each."""
        with ThreadPoolExecutor(len(bodies)) as threads:
            return list(threads.map(self.ask, bodies))

    def arm(self, fault: str) -> None:
        """Have the wallet's next call go wrong, by the hook of a test installation."""
        raw = orjson.dumps({"kind": "faults", "next": [fault]})
        headers = signed(self.tested.secret, self._now(), raw)
        try:
            reply = self._post("faults", raw, headers)
        except NoReply as silence:
            raise Failed(f"no hook for faults: {silence}") from None
        if reply.status != 200:  # noqa: PLR2004 - OK
            raise Failed(f"no hook for faults: status {reply.status}")

    @contextmanager
    def unmoved(self, why: str) -> Iterator[None]:
        """See that the block leaves the balance as it was."""
        with self.moved(0, why):
            yield

    @contextmanager
    def moved(self, amount: int, why: str) -> Iterator[None]:
        """See that the block changes the balance by an amount."""
        before = self.balance()
        yield
        gain = self.balance() - before
        if gain != amount:
            raise Failed(f"{why}: the balance changed by {gain}, not by {amount}")

    def _post(self, path: str, raw: bytes, headers: dict[str, str]) -> Reply:
        url = f"{self.tested.url.rstrip('/')}/{path}"
        always = {
            "Content-Type": "application/json",
            "Upcard-Operator": self.tested.operator,
            "Upcard-Exchange": new_id(),
        }
        patience = PUBLISHED.command
        times = urllib3.Timeout(connect=patience.connect, read=patience.answer)
        return self._wire.post(url, raw, {**always, **headers}, times)


def told(outcome: Outcome) -> str:
    """Say an outcome in a few words."""
    match outcome:
        case Done(funds):
            return f"it is done, with a balance of {funds.amount}"
        case Denied(code):
            return f"it is refused as {code}"
        case Unknown(why):
            return f"no answer that counts ({why})"
