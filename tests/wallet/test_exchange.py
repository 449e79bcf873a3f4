"""One exchange with a server that does not keep to HTTP, or to time."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

import pytest
import urllib3

from service.wallet.exchange import BODY_BYTES, NoReply, Reply, Wire

TIMES: Final = urllib3.Timeout(connect=2, read=0.4)
SECONDS: Final = 3.0
"""Far less than any of these servers would take."""
HEAD: Final = b"HTTP/1.1 200 OK\r\n"
GOOD: Final = HEAD + b"Content-Length: 2\r\n\r\n{}"

Talk = Callable[[socket.socket], object]


@contextmanager
def server(talk: Talk) -> Iterator[str]:
    """Serve connections, each with one request after another, by `talk`."""
    ended = threading.Event()

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            asked = b""
            while not ended.is_set() and (read := connection.recv(65_536)):
                asked += read
                if asked.endswith(b"\r\n\r\n{}"):
                    asked = b""
                    talk(connection)

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=serve, args=[connection], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/debit"
        finally:
            ended.set()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def slowly(text: bytes) -> Talk:
    """Send a byte each tenth of a second, for far longer than anyone waits."""

    def talk(connection: socket.socket) -> None:
        pause = threading.Event()
        for byte in text:
            connection.sendall(bytes([byte]))
            pause.wait(0.1)

    return talk


def once(text: bytes) -> Talk:
    """Send a text and end the connection."""

    def talk(connection: socket.socket) -> None:
        connection.sendall(text)
        connection.shutdown(socket.SHUT_RDWR)

    return talk


def post(url: str) -> Reply:
    return Wire().post(url, b"{}", {"Upcard-Operator": "casino"}, TIMES)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        HEAD + b"Connection: close\r\nContent-Length: 2\r\n\r\n{}",
    ],
)
def test_an_answer_is_a_status_and_a_body(text: bytes) -> None:
    with server(lambda connection: connection.sendall(text)) as url:
        assert post(url) == Reply(200, b"{}")


def test_a_connection_is_used_again() -> None:
    seen = []

    def talk(connection: socket.socket) -> None:
        seen.append(connection.getpeername())
        connection.sendall(GOOD)

    with server(talk) as url:
        wire = Wire()
        for _ in range(3):
            wire.post(url, b"{}", {}, TIMES)
        wire.hang_up()
        wire.post(url, b"{}", {}, TIMES)
    assert len(seen) == 4
    assert len(set(seen)) == 2


@pytest.mark.parametrize(
    "talk",
    [
        pytest.param(lambda _: None, id="silent"),
        pytest.param(slowly(HEAD + b"X: " + b"y" * 1_000), id="slow-head"),
        pytest.param(slowly(GOOD[:-2] + b" " * 1_000), id="slow-body"),
        pytest.param(
            slowly(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\n{\r\n" * 99),
            id="slow-chunks",
        ),
        pytest.param(once(b""), id="cut-off"),
        pytest.param(once(HEAD + b"Content-Length: 9\r\n\r\n{}"), id="cut-in-the-body"),
        pytest.param(
            once(HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"),
            id="cut-in-chunks",
        ),
        pytest.param(once(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), id="another-protocol"),
        pytest.param(once(b"\x16\x03\x01" * 500), id="no-protocol"),
        pytest.param(
            once(
                HEAD
                + b"Content-Length: %d\r\n\r\n" % (BODY_BYTES + 1)
                + b"x" * (BODY_BYTES + 1)
            ),
            id="too-long",
        ),
        pytest.param(once(HEAD + b"\r\n" + b"x" * 1_000_000), id="endless"),
    ],
)
def test_what_is_not_a_whole_answer_in_time_is_none(talk: Talk) -> None:
    begun = time.monotonic()
    with server(talk) as url, pytest.raises(NoReply) as silence:
        post(url)
    assert time.monotonic() - begun < SECONDS
    assert str(silence.value).isidentifier(), "a word, and nothing of what came"


def test_a_redirect_is_not_followed() -> None:
    text = (
        b"HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n"
    )
    with server(lambda connection: connection.sendall(text)) as url:
        assert post(url) == Reply(307, b"")


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9/debit", "http://nowhere.invalid/debit"]
)
def test_where_nobody_listens_nobody_answers(url: str) -> None:
    with pytest.raises(NoReply):
        post(url)


def test_a_packed_answer_is_not_unpacked() -> None:
    bomb = HEAD + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b"
    with server(lambda connection: connection.sendall(bomb)) as url:
        assert post(url) == Reply(200, b"\x1f\x8b")


def test_an_answer_that_is_cut_in_its_head_says_nothing() -> None:
    with server(once(HEAD)) as url:
        assert post(url) == Reply(200, b"")
