"""Somebody's line to the service: what is sent is sent again until it is answered."""

import http.client
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import orjson

from tests.chaos.network import HEADER, Network, Place

TIMEOUT: Final = 15.0
"""Seconds that an answer is waited for."""
PATIENCE: Final = 240.0
"""Seconds after which a command counts as one that never got a definite answer."""
_UNAVAILABLE: Final = 503
_WAITS: Final = 202
_LONGEST_PAUSE: Final = 1.5


class Request(NamedTuple):
    """What is sent; its headers are made anew each time."""

    method: str
    path: str
    headers: Callable[[], Mapping[str, str]]
    content: bytes = b""


class Reply(NamedTuple):
    """An answer that came whole; `body` is its JSON."""

    status: int
    replayed: bool
    body: Any


class NoAnswer(Exception):
    """No definite answer came, however often it was asked."""


class Counts:
    """Counters that several threads add to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()

    def add(self, what: str) -> int:
        """Count one more; return how many there are."""
        with self._lock:
            self._counts[what] += 1
            return self._counts[what]

    def __getitem__(self, what: str) -> int:
        with self._lock:
            return self._counts[what]

    def starting(self, prefix: str) -> dict[str, int]:
        """Return the counts whose names start so, without that."""
        with self._lock:
            found = sorted(self._counts.items())
        return {k.removeprefix(prefix): n for k, n in found if k.startswith(prefix)}


class Line:
    """One connection, made again when it breaks, and a way through the bad network."""

    def __init__(
        self, service: Place, network: Network, counts: Counts, chance: random.Random
    ) -> None:
        self._service = service
        self._network = network
        self._counts = counts
        self._chance = chance
        self._kept: http.client.HTTPConnection | None = None

    def surely(
        self,
        request: Request,
        fault: str | None = None,
        waits: Callable[[], float] = lambda: 1.0,
    ) -> Reply:
        """Send until there is a definite answer; the first time with that fault.

        `waits` says how long to stay away from a command that the wallet keeps open.
        Raises NoAnswer.
        """
        began, tries = time.monotonic(), 0
        while True:
            tries += 1
            bad = fault is not None and tries == 1
            reply = self.badly(fault or "", request) if bad else self.once(request)
            if reply is not None and reply.status not in {_UNAVAILABLE, _WAITS}:
                if tries > 1:
                    self._counts.add("answers: after trying again")
                return reply
            if time.monotonic() - began > PATIENCE:
                where = f"{request.method} {request.path}"
                raise NoAnswer(f"{where}: {tries} tries, last {reply}")
            self.pause(self._pause(reply, tries, waits))

    def once(self, request: Request) -> Reply | None:
        """Send once; None when no whole answer came."""
        if self._kept is None:
            self._kept = _connection(self._service)
        try:
            return _asked(self._kept, request, {})
        except (OSError, http.client.HTTPException):
            self.close()
            return None

    def badly(self, fault: str, request: Request) -> Reply | None:
        """Send once through the bad network."""
        connection = _connection(self._network.place)
        try:
            told = {HEADER: fault, "Connection": "close"}
            return _asked(connection, request, told)
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def pause(self, seconds: float) -> None:
        """Wait about so long."""
        threading.Event().wait(seconds * self._chance.uniform(0.7, 1.3))

    def close(self) -> None:
        """Close what is kept."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def _pause(
        self, reply: Reply | None, tries: int, waits: Callable[[], float]
    ) -> float:
        """Count why it is to be sent again; return how long to wait before."""
        if reply is not None and reply.status == _WAITS:
            self._counts.add("retries: the wallet's answer was not known (202)")
            return waits()
        gone = "no whole answer" if reply is None else "no database (503)"
        self._counts.add(f"retries: {gone}")
        return min(_LONGEST_PAUSE, 0.05 * tries * tries)


def _connection(place: Place) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(*place, timeout=TIMEOUT)


def _asked(
    connection: http.client.HTTPConnection, request: Request, more: Mapping[str, str]
) -> Reply:
    method, path, headers, content = request
    connection.request(method, path, content, {**headers(), **more})
    answer = connection.getresponse()
    raw = answer.read()
    if answer.headers.get("Content-Length") != str(len(raw)):
        # Cut in its headers, too: to http.client that is an answer without a body.
        raise http.client.IncompleteRead(raw)
    replayed = answer.headers.get("Idempotent-Replayed") == "true"
    return Reply(answer.status, replayed, orjson.loads(raw))
