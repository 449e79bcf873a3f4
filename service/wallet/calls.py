"""Calls to an operator's wallet: signed, tried a few times, told apart in the log.

A call that is tried again is the same to the byte but for its time: the wallet knows it
by its transaction id.
"""

import time
from typing import Any, Final

import orjson
import urllib3
from structlog.typing import FilteringBoundLogger

from service.chance import new_id, new_pause
from service.operators import OperatorKeys, signature
from service.sealing import SealBroken
from service.store.operators import OperatorRow
from service.store.transfers import Transfer
from service.wallet.exchange import NoReply, Wire
from service.wallet.schedule import PAUSE_MILLISECONDS, PUBLISHED, Patience, Times
from service.wallet.wire import (
    FAULTS,
    Denied,
    Done,
    Outcome,
    Unknown,
    balance_body,
    body_of,
    outcome_of,
)

_SECOND: Final = 1_000_000
_MILLISECOND: Final = 1_000
_LEAST: Final = 0.5
"""Seconds that a last try must have left to be worth it."""


class Calls:
    """Makes calls for all operators. Safe for several threads; not across a fork."""

    def __init__(
        self, keys: OperatorKeys, log: FilteringBoundLogger, times: Times = PUBLISHED
    ) -> None:
        self.times: Final = times
        self._keys = keys
        self._log = log
        self._wire = Wire()

    def transfer(
        self, to: OperatorRow, transfer: Transfer, now: int, patience: Patience
    ) -> Outcome:
        """Ask for a transfer, perhaps more than once; `now` is the database's time.

        A refusal behind a try that was not answered says that it must be undone.

        Raises DatabaseUnavailable: an earlier try may have been sent.
        """
        body = body_of(transfer)
        begun = time.monotonic()
        outcome = self._call(to, body, now, patience)
        while isinstance(outcome, Unknown):
            pause = new_pause(PAUSE_MILLISECONDS) / _MILLISECOND
            left = begun + patience.altogether - time.monotonic() - pause
            if left < _LEAST:
                return outcome
            time.sleep(pause)
            at = now + int((time.monotonic() - begun) * _SECOND)
            limited = patience._replace(answer=min(patience.answer, left))
            outcome = self._call(to, body, at, limited)
            if isinstance(outcome, Denied):
                return outcome._replace(undo=True)
        return outcome

    def balance(
        self, to: OperatorRow, player: str, currency: str, session: str | None, now: int
    ) -> Outcome:
        """Ask what a player has. Raises DatabaseUnavailable."""
        body = balance_body(player, currency, session)
        return self._call(to, body, now, self.times.look)

    def _call(
        self, to: OperatorRow, body: dict[str, Any], at: int, patience: Patience
    ) -> Outcome:
        """Make one call, and put what goes wrong into the log."""
        exchange = new_id()
        begun = time.monotonic()
        outcome = self._exchanged(to, body, at, patience, exchange)
        if isinstance(outcome, Done):
            return outcome
        about = {
            "exchange": exchange,
            "operator": to.operator,
            "kind": body["kind"],
            "transaction": body["transaction_id"],
            "round": body.get("round_id"),
            "milliseconds": int((time.monotonic() - begun) * _MILLISECOND),
        }
        match outcome:
            case Denied(code):
                ordinary = body["kind"] == "debit" and code not in FAULTS
                log = self._log.info if ordinary else self._log.warning
                log("wallet_refused", code=code, **about)
            case Unknown(why, fault):
                event = "wallet_fault" if fault else "wallet_silent"
                self._log.warning(event, why=why, **about)
        return outcome

    def _exchanged(
        self,
        to: OperatorRow,
        body: dict[str, Any],
        at: int,
        patience: Patience,
        exchange: str,
    ) -> Outcome:
        try:
            secret = self._keys.current(to.operator, "wallet")
        except SealBroken:
            return Unknown("the wallet key's seal is broken")
        if secret is None or to.wallet_url is None:
            return Unknown("the operator has no wallet key or no wallet")
        raw = orjson.dumps(body)
        headers = {
            "Content-Type": "application/json",
            "Upcard-Operator": to.operator,
            "Upcard-Exchange": exchange,
            **signed(secret, at // _SECOND, raw),
        }
        url = f"{to.wallet_url.rstrip('/')}/{body['kind']}"
        times = urllib3.Timeout(connect=patience.connect, read=patience.answer)
        try:
            reply = self._wire.post(url, raw, headers, times)
        except NoReply as silence:
            return Unknown(str(silence))
        outcome = outcome_of(reply.status, reply.body, body)
        if isinstance(outcome, Unknown):
            # It might be the answer to another call: then the next one would be, too.
            self._wire.hang_up()
        return outcome


def signed(secret: str, timestamp: int, raw: bytes) -> dict[str, str]:
    """Return the headers that sign a body at a time, in seconds since 1970 UTC."""
    message = b"%d\n%b" % (timestamp, raw)
    return {
        "Upcard-Timestamp": str(timestamp),
        "Upcard-Signature": signature(secret, message),
    }
