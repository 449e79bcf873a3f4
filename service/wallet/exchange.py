"""One HTTP request to an operator's wallet, and its answer, within a time and a size.

The time is for the whole answer: a wallet that sends a byte a second is cut off like
one that sends none.
"""

import http.client
import io
import socket
import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

BODY_BYTES: Final = 16_384
"""The longest answer that is read."""
_POOLS: Final = 64
"""Wallets whose connections are kept open."""
_CONNECTIONS: Final = 64
"""Connections kept open to each; a burst may open more."""


class Reply(NamedTuple):
    """A status and a body, as they came."""

    status: int
    body: bytes


class NoReply(Exception):
    """No whole answer came; the text says how it failed, and holds none of it."""


class Wire:
    """Keeps connections. Safe for several threads; not across a fork."""

    def __init__(self) -> None:
        self._pools: Final = urllib3.PoolManager(_POOLS, maxsize=_CONNECTIONS)
        self._pools.pool_classes_by_scheme = {"http": _Pool, "https": _TlsPool}

    def post(
        self, url: str, body: bytes, headers: Mapping[str, str], times: urllib3.Timeout
    ) -> Reply:
        """Send a body, once, and return the answer. Raises NoReply."""
        try:
            answer = self._pools.request(
                "POST",
                url,
                body=body,
                headers={**headers, "Accept-Encoding": "identity"},
                timeout=times,
                retries=False,
                redirect=False,
                preload_content=False,
            )
            try:
                read = answer.read(BODY_BYTES + 1, decode_content=False)
            finally:
                answer.close()
        except (HTTPError, http.client.HTTPException, OSError) as error:
            # Without its text, which may quote what was sent or came.
            raise NoReply(type(error).__name__) from None
        if len(read) > BODY_BYTES:
            raise NoReply("TooLong")
        if answer.length_remaining:
            raise NoReply("CutShort")
        return Reply(answer.status, read)

    def hang_up(self) -> None:
        """Close the connections that are kept; those in use end with their answer."""
        self._pools.clear()


class _Until(io.RawIOBase):
    """Reads a socket until a moment, however slowly it comes."""

    def __init__(self, sock: socket.socket, raw: io.RawIOBase, until: float) -> None:
        self._socket = sock
        self._raw = raw
        self._until = until

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:  # noqa: ANN401 - a writable buffer
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    """A response whose every byte must come within the time for the first."""

    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - http.client's
        super().__init__(sock, *args, **kwargs)
        until = time.monotonic() + (sock.gettimeout() or 0.0)
        raw = self.fp.detach()
        self.fp = io.BufferedReader(_Until(sock, raw, until))


class _Connection(HTTPConnection):
    response_class = _Response


class _TlsConnection(HTTPSConnection):
    response_class = _Response


class _Pool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Connection


class _TlsPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _TlsConnection
