"""Everything that goes wrong between two services, on purpose and by a seed.

For tests alone: whoever may arm these faults can stop the wallet.
"""

import random
import socket
import threading
from collections import Counter, deque
from collections.abc import Callable
from typing import Any, Final

from flask import Response, request

from examples.operator_wallet.book import Answer

FAULTS: Final = (
    "error_before",  # 500, and nothing was done
    "error_after",  # 500, and it was done
    "stall_before",  # done long after the caller has gone
    "stall_after",  # done at once, answered long after
    "cut_before",  # the connection ends without an answer, nothing was done
    "cut_after",  # the same, and it was done
    "cut_middle",  # the answer ends in the middle
    "slow",  # the answer comes a byte at a time
    "twice",  # the answer comes twice
    "huge",  # far too long
    "malformed",  # no JSON
    "negative",  # a balance below zero
    "other_currency",
    "wrong_id",  # the answer to another call
    "free_bet",  # says that the stake was not the player's money
    "hold_before",  # waits until it is let go, then does it
    "hold_after",  # does it, then waits until it is let go
)
_LONGEST: Final = 60.0
_STALL_SECONDS: Final = 4.0
_BYTE_SECONDS: Final = 0.2


class Faults:
    """Says which call goes wrong how: the next ones by name, others by chance."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._random = random.Random(0)  # noqa: S311 - to be the same again
        self._rates: dict[str, float] = {}
        self._next: deque[str | None] = deque()
        self._gate = threading.Event()
        self._stall = _STALL_SECONDS
        self._counts: Counter[str] = Counter()
        self._holding = 0
        self._busy = 0

    def arm(self, wish: dict[str, Any]) -> dict[str, Any]:
        """Take a seed, rates, the next faults, or let go; say how things stand."""
        with self._lock:
            if "seed" in wish:
                self._random.seed(wish["seed"])
            self._rates = wish.get("rates", self._rates)
            if {"next", "rates", "stall_seconds"} & wish.keys():
                self._stall = wish.get("stall_seconds", _STALL_SECONDS)
            if "next" in wish:
                self._next = deque(wish["next"])
            if wish.get("release"):
                self._gate.set()
                self._gate = threading.Event()
            now = {"holding": self._holding, "busy": self._busy}
            return {"counts": dict(self._counts), **now}

    def around(
        self, make: Callable[[], Answer], respond: Callable[[Answer], Response]
    ) -> Response:
        """Make a call and answer it, or what goes wrong."""
        with self._lock:
            self._busy += 1
        try:
            return self._around(self._pick(), make, respond)
        finally:
            with self._lock:
                self._busy -= 1

    def _around(
        self,
        fault: str | None,
        make: Callable[[], Answer],
        respond: Callable[[Answer], Response],
    ) -> Response:
        if fault == "error_before":
            return Response("an error", 500)
        if fault == "cut_before":
            return _cut(b"")
        self._wait(fault, "before")
        answer = make()
        self._wait(fault, "after")
        return _delivered(fault, respond(_spoiled(fault, answer)))

    def _pick(self) -> str | None:
        with self._lock:
            fault = self._next.popleft() if self._next else self._by_chance()
            if fault is not None:
                self._counts[fault] += 1
            return fault

    def _by_chance(self) -> str | None:
        drawn = self._random.random()
        for name, rate in self._rates.items():
            drawn -= rate
            if drawn < 0:
                return name
        return None

    def _wait(self, fault: str | None, when: str) -> None:
        if fault == f"stall_{when}":
            threading.Event().wait(self._stall)
        if fault == f"hold_{when}":
            with self._lock:
                self._holding += 1
                gate = self._gate
            gate.wait(_LONGEST)
            with self._lock:
                self._holding -= 1


def _spoiled(fault: str | None, answer: Answer) -> Answer:
    """Return an answer that nobody may believe."""
    body = answer.body
    balance = body.get("balance")
    if fault == "wrong_id":
        body = {**body, "transaction_id": "00000000-0000-0000-0000-000000000000"}
    elif fault == "negative":
        body = {**body, "balance": {**(balance or {}), "amount": -1}}
    elif fault == "other_currency":
        body = {**body, "balance": {**(balance or {}), "currency": "XTS"}}
    elif fault == "free_bet":
        body = {**body, "free_bet": True}
    elif fault == "huge":
        body = {**body, "filling": "x" * 1_000_000}
    return Answer(answer.status, body)


def _delivered(fault: str | None, response: Response) -> Response:
    """Send an answer, or what is left of it."""
    raw = response.get_data()
    if fault == "error_after":
        return Response("an error", 500)
    if fault == "malformed":
        return Response("{not JSON", 200, content_type="application/json")
    if fault == "cut_after":
        return _cut(b"")
    whole = (
        b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\n" % response.status_code
    )
    whole += b"Content-Length: %d\r\n\r\n%b" % (len(raw), raw)
    if fault == "cut_middle":
        return _cut(whole[: -len(raw) // 2])
    if fault == "twice":
        _socket().sendall(whole)
    if fault == "slow":
        return _cut(whole, slowly=True)
    return response


def _cut(sent: bytes, *, slowly: bool = False) -> Response:
    """Send some bytes and end the connection; what is returned reaches nobody."""
    connection = _socket()
    try:
        if slowly:
            for byte in sent:
                connection.sendall(bytes([byte]))
                threading.Event().wait(_BYTE_SECONDS)
        else:
            connection.sendall(sent)
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    return Response(status=500)


def _socket() -> socket.socket:
    found: socket.socket = request.environ["gunicorn.socket"]
    return found
