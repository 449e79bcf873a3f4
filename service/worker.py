"""gunicorn's threaded worker, made to end what takes too long and to refuse in JSON.

A thread serves one connection at a time. gunicorn gives a client a byte's time for
each byte, so that a few who drip would hold every thread; here a head, a body and an
answer each have one deadline for the whole of it. What gunicorn refuses before the
service sees it (no HTTP, a head too large) is a problem like every other refusal.
"""

import socket
import time
from contextlib import suppress
from typing import Any, Final

import orjson
from gunicorn.http import errors
from gunicorn.http.parser import RequestParser
from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers import gthread

from service.api.contract import PROBLEM
from service.api.problems import KINDS, Problem
from service.chance import new_id

HEAD_SECONDS: Final = 10.0
BODY_SECONDS: Final = 20.0
"""For the body, and again for each write of the answer; both are small."""
_FIRST_BYTE_SECONDS: Final = 0.02
"""How long a thread waits for a new connection to speak; then the poller does."""

_PARTING_SECONDS: Final = 0.2
"""How long a client has to read its last answer and close."""

_CODES: Final = {
    errors.LimitRequestLine: "uri_too_long",
    errors.LimitRequestHeaders: "headers_too_large",
    errors.ExpectationFailed: "expectation_failed",
    errors.UnsupportedTransferCoding: "transfer_coding_unknown",
}
_OURS: Final = (
    errors.InvalidResponseHeader,  # type: ignore[attr-defined]  # newer than the stubs
    errors.InvalidResponseHeaderName,  # type: ignore[attr-defined]  # as above
    errors.ConfigurationProblem,
)
_DETAILS: Final = {
    "malformed_request": "This is not a request as HTTP/1.1 writes one.",
    "request_too_slow": "The head of the request took too long to arrive.",
    "uri_too_long": "The request line is too long.",
    "headers_too_large": "The headers are too many or too long.",
    "expectation_failed": "The one Expect that is met here is 100-continue.",
    "transfer_coding_unknown": "The one Transfer-Encoding read here is chunked.",
    "internal_error": "The service has failed; nothing is known of what it did.",
}


class TooSlow(errors.ParseException):
    """The head did not arrive in its time."""


class Unreader(SocketUnreader):
    """Reads from a socket until a deadline, however many reads that takes."""

    deadline = 0.0

    def allow(self, seconds: float) -> None:
        """Set the deadline for all that is read from now on."""
        self.deadline = time.monotonic() + seconds

    def chunk(self, size_hint: int | None = None) -> bytes:
        """Read what is there. Raises TimeoutError past the deadline."""
        rest = self.deadline - time.monotonic()
        if rest <= 0:
            raise TimeoutError
        before = self.sock.gettimeout()
        self.sock.settimeout(rest if before is None else min(before, rest))
        try:
            found: bytes = super().chunk(size_hint)  # type: ignore[call-arg]  # newer than the stubs
        finally:
            self.sock.settimeout(before)
        return found


class Parser(RequestParser):
    """Reads one request after the other, each head in its time."""

    def __init__(self, worker: "Worker", conn: gthread.TConn) -> None:
        super().__init__(worker.cfg, conn.sock, conn.client)
        self.unreader: Unreader = Unreader(conn.sock)
        self.head_seconds = worker.head_seconds

    def __next__(self) -> Any:  # noqa: ANN401 - gunicorn's request
        """Read a head. Raises TooSlow."""
        self.unreader.allow(self.head_seconds)
        try:
            return super().__next__()
        except TimeoutError:
            raise TooSlow from None


class Worker(gthread.ThreadWorker):
    """The worker class of deploy/gunicorn.conf.py: HTTP/1.1, without TLS."""

    head_seconds = HEAD_SECONDS
    body_seconds = BODY_SECONDS

    def handle(self, conn: gthread.TConn) -> Any:  # noqa: ANN401 - as gunicorn
        """Serve what a connection has to say; one that is silent keeps no thread."""
        if conn.parser is None:
            if not conn.wait_for_data(_FIRST_BYTE_SECONDS):
                return gthread._DEFER  # type: ignore[attr-defined]  # noqa: SLF001 - has no public name
            conn.parser = Parser(self, conn)
        keeps = super().handle(conn)
        if not keeps:
            _part(conn.sock)
        return keeps

    def handle_request(self, req: Any, conn: gthread.TConn) -> Any:  # noqa: ANN401 - as gunicorn
        """Answer one request, its body and the answer each within the time."""
        assert isinstance(conn.parser, Parser), "handle has given it"
        conn.parser.unreader.allow(self.body_seconds)
        conn.sock.settimeout(self.body_seconds)
        try:
            return super().handle_request(req, conn)
        except TimeoutError:  # the client does not take its answer
            raise errors.NoMoreData from None

    def handle_error(self, req: object, client: Any, addr: object, exc: Any) -> None:  # noqa: ANN401, ARG002 - as gunicorn
        """Answer what could not be read, or what failed, with a problem; then close.

        The log gets no text of the error: it quotes the request, tokens and all.
        """
        code = code_of(exc)
        request_id = new_id()
        said = self.log.error if code == "internal_error" else self.log.warning
        said("%s (%s), request %s", code, type(exc).__name__, request_id)
        with suppress(OSError):  # whoever sent it may have left
            client.settimeout(1.0)
            client.sendall(problem_bytes(code, request_id))


def _part(sock: socket.socket) -> None:
    """End a connection here, on its thread.

    gunicorn waits on its main thread, up to two seconds for each, for a client to
    close: a few clients that never do would hold up everybody's new connection.
    """
    deadline = time.monotonic() + _PARTING_SECONDS
    with suppress(OSError):  # the client has left, or does not leave
        sock.shutdown(socket.SHUT_WR)
        while (rest := deadline - time.monotonic()) > 0:
            sock.settimeout(rest)
            if not sock.recv(65_536):
                break
    with suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)


def code_of(error: Exception) -> str:
    """Return the contract's code for what gunicorn, or the service, has raised.

    >>> code_of(errors.InvalidHeader("x")), code_of(ValueError())
    ('malformed_request', 'internal_error')
    """
    if isinstance(error, TooSlow):
        return "request_too_slow"
    if isinstance(error, _OURS) or not isinstance(error, errors.ParseException):
        return "internal_error"
    return _CODES.get(type(error), "malformed_request")


def problem_bytes(code: str, request_id: str) -> bytes:
    """Return a whole answer, as the last one of its connection."""
    problem = Problem(code, _DETAILS[code])
    body = orjson.dumps(problem.body(request_id))
    head = (
        f"HTTP/1.1 {problem.status} {KINDS[code].title}\r\n"
        f"Content-Type: {PROBLEM}\r\nContent-Length: {len(body)}\r\n"
        "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
    return head.encode("ascii") + body
