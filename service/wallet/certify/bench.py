"""The wallet under test, as a service would call it, and what a case expects of it."""

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

Body = dict[str, Any]


class Failed(Exception):
    """The wallet does another thing than the contract says; the text says what."""


class Tested(NamedTuple):
    """Which wallet is tested, with whose money; `amount` is moved to and fro."""

    url: str
    secret: str
    operator: str
    player: str
    currency: str
    amount: int
    faults: bool


class Bench:
    """Calls a wallet and expects. Every expectation raises Failed."""

    def __init__(self, tested: Tested, now: Callable[[], int]) -> None:
        self.tested: Final = tested
        self._now = now
        self._wire = Wire()

    @property
    def amount(self) -> int:
        """What a case moves, in minor units."""
        return self.tested.amount

    def body(self, kind: str, amount: int, **more: object) -> Body:
        """Return a call with an id and a round of its own."""
        lines = [{"box": 1, "what": "wager", "amount": amount}]
        body = {
            "kind": kind,
            "transaction_id": new_id(),
            "round_id": new_id(),
            "table_id": "certification",
            "player_id": self.tested.player,
            "session_id": None,
            "currency": self.tested.currency,
            "amount": amount,
            "purpose": {"debit": "deal", "credit": "settlement"}.get(kind, kind),
            "lines": lines,
        }
        return {**body, **more}

    def behind(self, debit: Body, kind: str, amount: int | None = None) -> Body:
        """Return a call that takes a debit back, or a part of it."""
        some = debit["amount"] if amount is None else amount
        ids = {"debit_id": debit["transaction_id"], "round_id": debit["round_id"]}
        return self.body(kind, some, **ids)

    def balance(self) -> int:
        """Return what the player has."""
        body = {
            name: value
            for name, value in self.body("balance", 0).items()
            if name in {"kind", "transaction_id", "player_id", "session_id", "currency"}
        }
        return self.done(body)

    def done(self, body: Body) -> int:
        """Send a call that must be done; return the balance that it states."""
        outcome = self.ask(body)
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

    def ask(
        self,
        body: Body,
        *,
        secret: str | None = None,
        ago: int = 0,
        path: str | None = None,
        instead: Body | None = None,
    ) -> Outcome:
        """Send a call and return what came of it; it may be signed wrongly.

        `instead` is sent in place of what was signed.
        """
        raw = orjson.dumps(body)
        headers = signed(secret or self.tested.secret, self._now() - ago, raw)
        sent = body if instead is None else instead
        try:
            reply = self._post(path or body["kind"], orjson.dumps(sent), headers)
        except NoReply as silence:
            return Unknown(str(silence))
        outcome = outcome_of(reply.status, reply.body, sent)
        if isinstance(outcome, Unknown):
            self._wire.hang_up()
        return outcome

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
