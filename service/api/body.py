"""From the bytes of a body to a JSON value."""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import orjson
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.http import parse_options_header

from service.api.asked import Asked
from service.api.operations import JSON, Operation
from service.api.problems import Problem

BODY_BYTES: Final = 16_384
READ_BYTES: Final = BODY_BYTES + 1
"""What Flask may read: it cuts a chunked body there without a word."""
_TOO_MUCH: Final = bytes(READ_BYTES)
_BROKEN: Final = b"\0"
"""Stands for a body that did not arrive whole: it is no JSON, and not empty either."""
_AT_ONCE: Final = 65_536
_MOST_DISCARDED: Final = 32 * _AT_ONCE
_DEEPEST: Final = 16
"""Levels of a body; the contract needs three."""
_SHORT: Final = re.compile(r"[0-9]{1,4}")
"""A Content-Length well below the limit."""
_STRINGS: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


def raw_body(operation: Operation, asked: Asked) -> bytes:
    """Return all of a body of the right type.

    Raises Problem `unsupported_media_type` or `body_too_large`.
    """
    if operation.body is not None and asked.environ.get("CONTENT_TYPE") != JSON:
        media_type, options = parse_options_header(asked.environ.get("CONTENT_TYPE"))
        charset = options.get("charset", "utf-8").lower()
        if media_type.lower() != JSON or charset not in {"utf-8", "utf8"}:
            detail = f"Content-Type must be {JSON}, in UTF-8."
            raise Problem("unsupported_media_type", detail)
    return read_body(asked)


def read_body(asked: Asked) -> bytes:
    """Read all of a body, once. Raises Problem `body_too_large`."""
    if asked.raw is None:
        asked.raw = _whole(asked)
    return asked.raw


def _whole(asked: Asked) -> bytes:
    try:
        raw = _read(asked)
    except RequestEntityTooLarge:
        raw = _TOO_MUCH
    except Exception:  # noqa: BLE001 - each server has its own for a malformed chunk
        raw = _BROKEN
    if len(raw) > BODY_BYTES:
        _discard(asked.environ)
        raise Problem("body_too_large", f"A body may have {BODY_BYTES:,} bytes.")
    declared = asked.request.content_length
    return raw if declared is None or len(raw) == declared else _BROKEN


def _read(asked: Asked) -> bytes:
    """Read what is there, up to READ_BYTES.

    Nearly every body is short and says its length: it needs nothing of the streams
    with limits that werkzeug puts together for all the others.
    """
    length = asked.environ.get("CONTENT_LENGTH", "")
    if _SHORT.fullmatch(length) and "HTTP_TRANSFER_ENCODING" not in asked.environ:
        raw: bytes = asked.environ["wsgi.input"].read(int(length))
    else:
        raw = asked.request.get_data(cache=False)
    return raw


def _discard(environ: Mapping[str, Any]) -> None:
    """Read the rest of a large body, within reason.

    A server that closes a connection with bytes unread resets it, and the client may
    then never see why.
    """
    if "wsgi.input_terminated" not in environ:
        return
    with suppress(Exception):  # a malformed chunk, or the client has left
        for _ in range(_MOST_DISCARDED // _AT_ONCE):
            if not environ["wsgi.input"].read(_AT_ONCE):
                return


def parsed(raw: bytes) -> Any:  # noqa: ANN401 - JSON
    """Return the value of a JSON text (RFC 8259, and I-JSON's unique names).

    orjson refuses NaN, 1e999, bad UTF-8, lone surrogates and a byte order mark. Of a
    key that stands twice it would take the last; which of two wagers a player meant
    is not ours to choose, so the colons are counted.

    Raises Problem `malformed_json`.

    >>> parsed(b'{"wager": 100}')
    {'wager': 100}
    >>> parsed(b'{"wager": 100, "wager": 10000}')
    Traceback (most recent call last):
    ...
    service.api.problems.Problem: malformed_json
    """
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        detail = f"The body is not JSON: {error.msg}, at character {error.pos}."
        # Without its cause: it holds the whole body.
        raise Problem("malformed_json", detail) from None
    keys = _count_keys(value)
    if raw.count(b":") != keys and _STRINGS.sub(b"", raw).count(b":") != keys:
        detail = "The body names a key twice in one object."
        raise Problem("malformed_json", detail)
    return value


def _count_keys(value: object) -> int:
    """Count the keys of all objects in a value that is not nested too deep."""
    count = 0
    level = [value]
    for _ in range(_DEEPEST):
        inner: list[object] = []
        for item in level:
            if isinstance(item, dict):
                count += len(item)
                inner += item.values()
            elif isinstance(item, list):
                inner += item
        if not inner:
            return count
        level = inner
    detail = f"The body is nested too deep: {_DEEPEST} levels are the most."
    raise Problem("malformed_json", detail)
