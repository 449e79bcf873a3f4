"""Real HTTP for tests: an app on a port of its own, and a wire that can be cut."""

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum, auto
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseServer
from typing import Any, Final, NamedTuple
from wsgiref.types import WSGIApplication

from werkzeug.serving import WSGIRequestHandler, make_server

HOST: Final = "127.0.0.1"
_LOOK: Final = 0.01
"""Seconds between two looks of a server at whether it shall stop."""


class _Silent(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002, ANN401 - as werkzeug calls it
        """Say nothing."""


@contextmanager
def served(app: WSGIApplication) -> Iterator[int]:
    """Serve an app; give the port."""
    server = make_server(HOST, 0, app, threaded=True, request_handler=_Silent)
    with running(server):
        yield server.port


@contextmanager
def running(server: BaseServer) -> Iterator[None]:
    """Let a server run in a thread; close it at the end."""
    thread = threading.Thread(target=server.serve_forever, args=[_LOOK])
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Sent(NamedTuple):
    """A request as it was sent."""

    method: str
    path: str
    key: str | None
    body: bytes

    def is_to(self, end: str) -> bool:
        """Whether its path has this end."""
        return self.path.endswith(end)


class Fate(Enum):
    """What becomes of a request and its answer."""

    PASSES = auto()
    REQUEST_IS_LOST = auto()
    ANSWER_IS_LOST = auto()
    ANSWER_BREAKS_OFF = auto()


class Wire:
    """What was sent, and what is done to it on the way."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []
        self.fate: Callable[[Sent], Fate] = lambda _: Fate.PASSES
        self.change: Callable[[Sent, bytes], bytes] = lambda _, body: body
        """What arrives of an answer's body; as long as it was."""

    def posts(self, end: str) -> list[Sent]:
        """Return the commands on paths with this end, each as often as it was sent."""
        return [each for each in self.sent if each.method == "POST" and each.is_to(end)]


@contextmanager
def wired(port: int, wire: Wire) -> Iterator[int]:
    """Lead to the server on `port` over a wire; give the port of its near end."""

    class Near(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Pass a request on, and the answer back."""
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            key = self.headers.get("Idempotency-Key")
            sent = Sent(self.command, self.path, key, body)
            wire.sent.append(sent)
            fate = wire.fate(sent)
            if fate is Fate.REQUEST_IS_LOST:
                return
            far = http.client.HTTPConnection(HOST, port)
            far.request(self.command, self.path, body, dict(self.headers))
            answer = far.getresponse()
            said = wire.change(sent, answer.read())
            far.close()
            if fate is Fate.ANSWER_IS_LOST:
                return
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                self.send_header(name, value)
            self.end_headers()
            broken = fate is Fate.ANSWER_BREAKS_OFF
            self.wfile.write(said[: len(said) // 2] if broken else said)

        do_POST = do_GET  # noqa: N815 - the name that http.server looks for

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer((HOST, 0), Near)
    with running(server):
        yield server.server_address[1]
