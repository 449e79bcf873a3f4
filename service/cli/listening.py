"""The address that the service listens on: whether it is free, whether it answers."""

import errno
import socket
from typing import Final

import click

_TIMEOUT: Final = 5.0
_EVERYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - read, not bound

Address = tuple[socket.AddressFamily, tuple[str, int] | str]


def address_of(bind: str) -> Address:
    """Return where a client of this machine finds a server bound to `bind`.

    >>> address_of("0.0.0.0:8000")[1]
    ('127.0.0.1', 8000)
    >>> address_of("[::1]:80")[1], address_of("unix:/run/upcard.sock")[1]
    (('::1', 80), '/run/upcard.sock')
    """
    if bind.startswith("unix:"):
        return socket.AF_UNIX, bind.removeprefix("unix:")
    host, _, port = bind.rpartition(":")
    host = host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return family, (_EVERYWHERE.get(host, host), int(port))


def refuse_used_address(bind: str) -> None:
    """See that nobody listens there: it would answer for the server to be started.

    Raises:
        ClickException: someone does, or the address is none of this machine.
    """
    family, address = address_of(bind)
    if family == socket.AF_UNIX:
        return  # gunicorn takes a socket file over
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise click.ClickException(
                    f"{bind} is in use by another program: stop it, or set "
                    "UPCARD_BIND to another address"
                ) from error
            raise click.ClickException(f"UPCARD_BIND={bind}: {error}") from error


def answers(address: Address, path: str) -> bool:
    """Whether a GET of `path` is answered with 200."""
    family, place = address
    try:
        with socket.socket(family) as client:
            client.settimeout(_TIMEOUT)
            client.connect(place)
            client.sendall(f"GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
            with client.makefile("rb") as reply:
                return b" 200 " in reply.readline()
    except OSError:
        return False
