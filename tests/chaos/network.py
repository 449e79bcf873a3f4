"""A network between players and the service that loses, cuts and doubles.

A small proxy: one request a connection. The sender says in a header what is to go
wrong, so that it is the same for the same seed.
"""

import socket
import socketserver
import threading
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Final, cast

HEADER: Final = "Chaos-Fault"
_PATIENCE: Final = 20.0
_END: Final = b"\r\n\r\n"

Place = tuple[str, int]


class Network(socketserver.ThreadingTCPServer):
    """Listens on a port of its own, and counts what it did."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, service: Place) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.service: Final = service
        self.counts: Counter[str] = Counter()
        self._thread = threading.Thread(target=self.serve_forever, daemon=True)
        self._thread.start()

    @property
    def place(self) -> Place:
        """Where it listens."""
        return cast("Place", self.server_address)

    def count(self, fault: str) -> None:
        """Count a fault that was done."""
        self.counts[fault] += 1

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a connection that breaks is what this is for."""


class _Connection(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        network = cast("Network", self.server)
        self.request.settimeout(_PATIENCE)
        fault, raw = _received(self.request)
        with suppress(OSError):
            self._mishandle(network, fault, raw)
        network.count(fault)

    def _mishandle(self, network: Network, fault: str, raw: bytes) -> None:
        match fault:
            case "left":
                _sent(network.service, raw).close()
            case "unanswered":
                _answer(network.service, raw)
            case "cut":
                answer = _answer(network.service, raw)
                self.request.sendall(answer[: len(answer) // 2])
            case "twice":
                self.request.sendall(_either(network.service, raw))
            case _:
                assert fault == "lost", fault


def _received(client: socket.socket) -> tuple[str, bytes]:
    """Return a request without the header for us, and what that says."""
    raw = b""
    while _END not in raw:
        raw += _more(client)
    head, _, body = raw.partition(_END)
    lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines[1:])
    while len(body) < int(headers.get("Content-Length", "0")):
        body += _more(client)
    kept = [line for line in lines if not line.startswith(HEADER)]
    return headers[HEADER], "\r\n".join(kept).encode("latin-1") + _END + body


def _more(client: socket.socket) -> bytes:
    found: bytes = client.recv(65_536)
    if not found:
        raise ConnectionError
    return found


def _sent(service: Place, raw: bytes) -> socket.socket:
    connection = socket.create_connection(service, _PATIENCE)
    connection.sendall(raw)
    return connection


def _answer(service: Place, raw: bytes) -> bytes:
    """Return all that is answered: the request asked to close the connection."""
    with _sent(service, raw) as connection, connection.makefile("rb") as answer:
        return answer.read()


def _either(service: Place, raw: bytes) -> bytes:
    """Send a request twice at once; return the answer that comes first."""
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(_answer, service, raw) for _ in range(2)]
        done, _ = wait(both, return_when=FIRST_COMPLETED)
        return done.pop().result()
