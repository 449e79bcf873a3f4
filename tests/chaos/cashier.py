"""The operators' own requests: signed, with a number that is good once."""

import hashlib
import hmac
import random
import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import orjson

from service.chance import new_id
from tests.chaos.line import Line, Reply, Request

_FAULTS: Final = ("lost", "left", "unanswered", "cut")
"""Not "twice": of two requests with one number the second is refused, rightly."""


class Key(NamedTuple):
    """A key that an operator signs his requests with."""

    operator: str
    key_id: str
    secret: str


class Cashier:
    """Asks on an operator's behalf, over one line."""

    def __init__(self, line: Line, key: Key, chance: random.Random) -> None:
        self._line = line
        self._key = key
        self._chance = chance

    def launch(self, player: str, currency: str) -> dict[str, Any]:
        """Launch a player; return the session with its token."""
        body = {"player_id": player, "currency": currency, "mode": "real"}
        key = {"Idempotency-Key": new_id()}
        reply = self._post("/v1/sessions", {**body, "language": "en"}, key)
        assert reply.status == 201, reply
        launched: dict[str, Any] = reply.body
        return launched

    def move(
        self, what: str, player: str, currency: str, amount: int, reference: str
    ) -> Reply:
        """Bring money ("deposits") or take it ("withdrawals")."""
        body = {"currency": currency, "amount": amount, "reference": reference}
        return self._post(f"/v1/players/{player}/{what}", body, {})

    def _post(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> Reply:
        content = orjson.dumps(body)
        fault = self._chance.choice(_FAULTS) if self._chance.random() < 0.1 else None
        sent = {"Content-Type": "application/json", **headers}

        def signed() -> Mapping[str, str]:
            return {**sent, **self._signed("POST", path, content)}

        return self._line.surely(Request("POST", path, signed, content), fault)

    def _signed(self, method: str, path: str, content: bytes) -> dict[str, str]:
        stamp, nonce = str(int(time.time())), new_id()
        message = f"{method}\n{path}\n{stamp}\n{nonce}\n".encode() + content
        secret = self._key.secret.encode()
        return {
            "Upcard-Key": f"{self._key.operator}/{self._key.key_id}",
            "Upcard-Timestamp": stamp,
            "Upcard-Nonce": nonce,
            "Upcard-Signature": hmac.new(secret, message, hashlib.sha256).hexdigest(),
        }
