"""Through gunicorn, as it is deployed: what only a real server shows."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Final, Self

import orjson
import pytest

from service.api.problems import KINDS
from service.chance import new_id
from service.cli.listening import address_of, answers
from tests.api.player import Player, url_of
from tests.api.site import Site
from tests.api.test_app import dsn_url
from tests.support.waiting import DEADLINE, until
from tests.tidy import ROOT

BET: Final = (
    b'{"table_id":"classic-three","currency":"USD","boxes":[{"box":1,"wager":100}]}'
)


class Live:
    """A gunicorn with one worker, on a socket in the file system."""

    def __init__(self, site: Site, folder: Path, *options: str) -> None:
        self.path = folder / "socket"
        environment = {
            "PATH": os.environ["PATH"],
            "DATABASE_URL": dsn_url(site.dsn),
            "UPCARD_HOME": str(folder),
            "UPCARD_BIND": f"unix:{self.path}",
            "UPCARD_WORKERS": "1",
            "UPCARD_TOKEN_KEYS": str(site.config.token_keys),
            "UPCARD_SHOE_KEYS": str(site.config.shoe_keys),
        }
        command = ["-m", "gunicorn", "--config", "deploy/gunicorn.conf.py", *options]
        self.process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=environment,
            stderr=subprocess.DEVNULL,
        )

    def connect(self) -> socket.socket:
        found = socket.socket(socket.AF_UNIX)
        found.settimeout(DEADLINE)
        found.connect(str(self.path))
        return found

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(DEADLINE)


@contextmanager
def running(site: Site, folder: Path, *options: str) -> Iterator[Live]:
    live = Live(site, folder, *options)
    address = address_of(f"unix:{live.path}")
    try:
        until(lambda: answers(address, "/livez"), "gunicorn answers")
        yield live
    finally:
        live.stop()


@pytest.fixture(scope="module")
def live(whole_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with running(whole_site, tmp_path_factory.mktemp("live")) as live:
        yield live


class Line(HTTPConnection):
    """An HTTP connection over the socket, kept alive."""

    def __init__(self, live: Live) -> None:
        super().__init__("localhost")
        self.sock = live.connect()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def headers_of(player: Player) -> dict[str, str]:
    return {
        "Authorization": f"Bearer {player.token}",
        "Content-Type": "application/json",
        "Idempotency-Key": new_id(),
    }


@pytest.fixture
def line(live: Live) -> Iterator[Line]:
    line = Line(live)
    yield line
    line.close()


def answer(line: Line) -> tuple[HTTPResponse, bytes]:
    got = line.getresponse()
    return got, got.read()


def test_a_deal_over_a_kept_connection(line: Line, alice: Player) -> None:
    line.request("POST", "/v1/rounds", BET, headers_of(alice))
    got, body = answer(line)
    assert (got.status, got.getheader("ETag")) == (201, '"1"')
    assert b'"shuffler":"os-csprng"' in body
    line.request("GET", got.getheader("Location", ""), headers=headers_of(alice))
    again, _ = answer(line)
    assert again.status == 200


@pytest.mark.parametrize(
    ("size", "status"), [(16_384, 422), (16_385, 413), (200_000, 413), (1_000_000, 413)]
)
def test_the_limit_holds_for_a_body_in_chunks_too(
    line: Line, alice: Player, size: int, status: int
) -> None:
    chunks = [b"[" + b" " * (size - 2), b"]"]
    for body in (iter(chunks), b"".join(chunks)):
        line.request("POST", "/v1/rounds", body, headers_of(alice))
        got, text = answer(line)
        assert (got.status, got.getheader("Content-Type")) == (
            status,
            "application/problem+json",
        )
        assert text
    line.request("GET", "/livez")
    assert answer(line)[0].status == 200


def test_a_deal_in_chunks_is_a_deal(line: Line, alice: Player) -> None:
    chunks = (bytes([byte]) for byte in BET)
    headers = headers_of(alice) | {"Transfer-Encoding": "chunked"}
    line.request("POST", "/v1/rounds", chunks, headers, encode_chunked=True)
    assert answer(line)[0].status == 201


def test_a_client_that_leaves_in_the_middle_of_a_body_does_no_harm(
    site: Site, live: Live, alice: Player
) -> None:
    rows = site.log_rows()
    text = "".join(f"{name}: {value}\r\n" for name, value in headers_of(alice).items())
    head = f"POST /v1/rounds HTTP/1.1\r\nHost: x\r\n{text}Content-Length: 100\r\n\r\n"
    with live.connect() as leaving:
        leaving.sendall(head.encode() + BET)
        leaving.shutdown(socket.SHUT_WR)
        told = leaving.recv(65_536)
    assert told.startswith(b"HTTP/1.1 400 ")
    assert site.log_rows() == rows


CHUNKS: Final = {
    "no size": b"zz\r\n{}\r\n0\r\n\r\n",
    "a negative size": b"-1\r\n{}\r\n0\r\n\r\n",
    "a wrong size": b"5\r\n{}\r\n0\r\n\r\n",
    "no end": b"2\r\n{}\r\n",
    "cut short": b"50\r\n" + BET[:40],
    "large, then broken": b"4e20\r\n" + b" " * 20_000 + b"\r\nzz\r\n",
}


@pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
@pytest.mark.parametrize("command", ["deal", "settle"])
def test_a_body_of_broken_chunks_is_refused(
    site: Site, live: Live, alice: Player, chunks: bytes, command: str
) -> None:
    dealt = alice.deal(1000)
    rows = site.log_rows()
    path = "/v1/rounds" if command == "deal" else f"{url_of(dealt)}/settlement"
    sent = {**headers_of(alice), "If-Match": '"1"', "Transfer-Encoding": "chunked"}
    text = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\n{text}\r\n".encode()
    with live.connect() as talking:
        talking.sendall(head + chunks)
        talking.shutdown(socket.SHUT_WR)
        told = talking.recv(65_536)
    assert told[:12] in {b"HTTP/1.1 400", b"HTTP/1.1 413", b"HTTP/1.1 422"}
    assert b"application/problem+json" in told
    assert site.log_rows() == rows


def test_a_second_slash_makes_another_path(line: Line) -> None:
    for path in ("//v1/tables", "//livez", "/v1//tables"):
        line.request("GET", path)
        got, body = answer(line)
        assert (got.status, orjson.loads(body)["code"]) == (404, "not_found")


HOST: Final = b"Host: x\r\n"
NOISE: Final = [
    (b"\x00\x01\x02\r\n\r\n", "malformed_request"),
    (b"GET\r\n\r\n", "malformed_request"),
    (b"GET / HTTP/9.9\r\n\r\n", "malformed_request"),
    (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "malformed_request"),
    (
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "malformed_request",
    ),
    (b"GET / HTTP/1.1\r\nBad Header: x\r\n\r\n", "malformed_request"),
    (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n", "uri_too_long"),
    (
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 101 + b"\r\n",
        "headers_too_large",
    ),
    (
        b"GET / HTTP/1.1\r\n" + HOST + b"Expect: a-lot\r\n\r\n",
        "expectation_failed",
    ),
    (
        b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: odd\r\n\r\n",
        "transfer_coding_unknown",
    ),
]


@pytest.mark.parametrize(("noise", "code"), NOISE)
def test_what_is_no_http_is_refused_with_a_problem(
    whole_site: Site, live: Live, line: Line, noise: bytes, code: str
) -> None:
    with live.connect() as talking:
        talking.sendall(noise)
        talking.shutdown(socket.SHUT_WR)
        told = HTTPResponse(talking)
        told.begin()
        problem = orjson.loads(told.read())
    assert (told.status, problem["code"]) == (KINDS[code].status, code)
    assert not whole_site.api.contract.check_response(
        None, told.status, dict(told.getheaders()), problem
    )
    line.request("GET", "/livez")
    assert answer(line)[0].status == 200


@pytest.mark.parametrize("name", ["SCRIPT_NAME", "PATH_INFO", "X-Forwarded-Proto"])
def test_no_header_of_a_proxy_is_believed(line: Line, name: str) -> None:
    line.request("GET", "/livez", headers={name: "/elsewhere"})
    assert answer(line)[0].status == 200


SILENT: Final = 40
"""More than the worker has threads."""


@pytest.mark.parametrize(
    ("start", "status"),
    [
        (b"GET /v1/tables HTTP/1.1\r\nHost: x\r\nX-Slow: ", 408),
        (b"POST /v1/rounds HTTP/1.1\r\n%sContent-Length: 100\r\n\r\n{", 400),
        (b"POST /v1/rounds HTTP/1.1\r\n%sTransfer-Encoding: chunked\r\n\r\n", 400),
    ],
    ids=["head", "body", "chunks"],
)
def test_clients_that_drip_are_sent_away(
    whole_site: Site, tmp_path: Path, alice: Player, start: bytes, status: int
) -> None:
    sent = "".join(f"{name}: {value}\r\n" for name, value in headers_of(alice).items())
    with (
        running(whole_site, tmp_path, "-k", "tests.api.hasty.Hasty") as live,
        ExitStack() as stack,
    ):
        silent = [stack.enter_context(live.connect()) for _ in range(SILENT)]
        dripping = [stack.enter_context(live.connect()) for _ in range(SILENT)]
        for client in dripping:
            client.sendall(start % sent.encode() if b"%s" in start else start)
        for client in dripping:
            assert int(client.recv(65_536)[9:12]) == status
        with Line(live) as line:
            line.request("GET", "/livez")
            assert answer(line)[0].status == 200
        assert len(silent) == SILENT
