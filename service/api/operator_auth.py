"""Who is asking: the signature on an operator's request.

It covers the method, the request target as it was sent, the time, a number that is
good once, and every byte of the body.
"""

import hmac
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from service.api.asked import Asked
from service.api.body import read_body
from service.api.problems import Problem
from service.operators import OperatorKeys, signature
from service.store.database import Database
from service.store.errors import NonceUsed
from service.store.keys import take_nonce

LEEWAY: Final = 300
"""Seconds between a request's time and the database's."""


class _Header(NamedTuple):
    """A header of a signed request: what fits, and that in words."""

    name: str
    fits: re.Pattern[str]
    must: str


_HEADERS: Final = {
    "HTTP_UPCARD_KEY": _Header(
        "Upcard-Key",
        re.compile(r"[A-Za-z0-9_.:-]{1,64}/[A-Za-z0-9_-]{1,64}"),
        "your name, a slash and the key's id, such as casino/r-5f0c1d2e3a4b",
    ),
    "HTTP_UPCARD_TIMESTAMP": _Header(
        "Upcard-Timestamp",
        re.compile(r"[0-9]{1,12}"),
        "whole seconds since 1970 UTC, such as 1800000000",
    ),
    "HTTP_UPCARD_NONCE": _Header(
        "Upcard-Nonce",
        re.compile(r"[A-Za-z0-9_-]{16,64}"),
        "16 to 64 of A-Z a-z 0-9 _ -, new for each request",
    ),
    "HTTP_UPCARD_SIGNATURE": _Header(
        "Upcard-Signature",
        re.compile(r"[0-9a-f]{64}"),
        "64 lower-case hex digits of an HMAC-SHA256",
    ),
}
_CHALLENGE: Final = {"WWW-Authenticate": "Upcard-Signature"}
_HOW: Final = (
    "Sign the request: send Upcard-Key, Upcard-Timestamp, Upcard-Nonce and "
    "Upcard-Signature, each as documented."
)
_WRONG: Final = "The key is not known, or the signature is not that of this request."
_STALE: Final = f"The timestamp is more than {LEEWAY} seconds from the service's time."
_USED: Final = "The nonce was used before."


def is_signed(environ: Mapping[str, Any]) -> bool:
    """Tell whether a request claims to be an operator's."""
    return not _HEADERS.keys().isdisjoint(environ)


def operator_of(
    keys: OperatorKeys, database: Database, asked: Asked
) -> tuple[str, str]:
    """Return the operator who signed a request and his key's id; take its nonce.

    Raises Problem `unauthenticated` or `body_too_large`, or DatabaseUnavailable.
    """
    key, timestamp, nonce, signed = _sent(asked)
    operator, _, key_id = key.partition("/")
    secret = keys.secret(operator, key_id, "request")
    # An unknown key takes as long to refuse as a wrong signature.
    right = signature(secret or "", message_of(asked, timestamp, nonce))
    if not hmac.compare_digest(right, signed) or secret is None:
        raise _refused(_WRONG)
    try:
        if not take_nonce(database, operator, nonce, int(timestamp), LEEWAY):
            raise _refused(_STALE)
    except NonceUsed:
        raise _refused(_USED) from None
    return operator, key_id


def _sent(asked: Asked) -> Iterator[str]:
    """Yield the four headers. Raises Problem for the first one that is wrong."""
    for variable, header in _HEADERS.items():
        text: str | None = asked.environ.get(variable)
        if text is None:
            raise _refused(f"{_HOW} {header.name} is missing.")
        if not header.fits.fullmatch(text):
            raise _refused(f"{header.name} must be {header.must}.")
        yield text


def message_of(asked: Asked, timestamp: str, nonce: str) -> bytes:
    """Return what is signed of a request."""
    # As it stands in the request line: PATH_INFO is decoded, and not what was signed.
    target = asked.environ.get("RAW_URI", "")
    head = f"{asked.request.method}\n{target}\n{timestamp}\n{nonce}\n"
    return head.encode("latin-1", "replace") + read_body(asked)


def _refused(detail: str) -> Problem:
    return Problem("unauthenticated", detail, headers=_CHALLENGE)
