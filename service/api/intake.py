"""What every request has to pass, in the order that the contract promises.

401, 403; then 400, 415, 413 and 406; then 422. What comes after that, from 404 to
409, needs the round and is the play layer's.
"""

import hashlib
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import parse_qsl

import orjson
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.http import parse_accept_header, parse_options_header

from service.api.asked import Asked
from service.api.auth import caller_of
from service.api.contract import NO_BODY, PROBLEM, Contract
from service.api.operations import JSON, Operation
from service.api.problems import Problem
from service.api.tokens import TokenKeys

BODY_BYTES: Final = 16_384
READ_BYTES: Final = BODY_BYTES + 1
"""What Flask may read: it cuts a chunked body there without a word."""
_TOO_MUCH: Final = bytes(READ_BYTES)
_BROKEN: Final = b"\0"
"""Stands for a body with a malformed chunk: it is no JSON, and not empty either."""
_AT_ONCE: Final = 65_536
_MOST_DISCARDED: Final = 32 * _AT_ONCE
_KEY: Final = "Idempotency-Key"
_MATCH: Final = "If-Match"
_EVERYBODY: Final = frozenset({None, "", "*/*", JSON})
"""What nearly every client sends as Accept."""
_FITTING: Final = (JSON, "application/*", "*/*", PROBLEM)
"""Media ranges that JSON fits, the closest first (RFC 9110, 12.5.1)."""
_DEEPEST: Final = 16
"""Levels of a body; the contract needs three."""
_STRINGS: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


def admit(contract: Contract, tokens: TokenKeys, asked: Asked) -> None:
    """Check a request and note in `asked` what it says. Raises Problem."""
    operation = contract.operations[asked.operation]
    if not operation.public:
        asked.caller = caller_of(tokens, asked.environ)
    headers = operation.parameters["header"]
    if _KEY in headers:
        asked.key = _idempotency_key(contract, asked)
    if _MATCH in headers:
        asked.expected = _version_seen(contract, asked)
    raw = _raw_body(operation, asked) if operation.method == "POST" else b""
    if asked.environ.get("HTTP_ACCEPT") not in _EVERYBODY:
        _check_accept(asked.environ["HTTP_ACCEPT"])
    body: Any = NO_BODY
    if operation.body is not None:
        body = asked.body = parsed(raw)
    elif raw or asked.request.content_length:
        body = raw
    query = _query(asked)
    found = contract.check_request(
        asked.operation, path=asked.path, query=query, body=body
    )
    if found:
        values = "1 value is" if len(found) == 1 else f"{len(found)} values are"
        errors = [fault.as_dict() for fault in found]
        detail = f"{values} not as the contract says."
        raise Problem("invalid", detail, errors=errors)
    asked.query = contract.query_values(asked.operation, query)
    if asked.key:
        asked.digest = _digest(operation, asked)


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


def _idempotency_key(contract: Contract, asked: Asked) -> str:
    sent = asked.environ.get("HTTP_IDEMPOTENCY_KEY")
    fault = contract.check_header(asked.operation, _KEY, sent)
    if sent is None:
        detail = f"This request needs an {_KEY} header that you make for it."
        raise Problem("idempotency_key_missing", detail)
    if fault is not None:
        detail = f"{_KEY} must be 8 to 64 letters, digits, _ or -."
        raise Problem("idempotency_key_malformed", detail)
    key: str = sent.strip('"')
    return key


def _version_seen(contract: Contract, asked: Asked) -> int | None:
    sent = asked.environ.get("HTTP_IF_MATCH")
    if sent is None:
        return None
    if contract.check_header(asked.operation, _MATCH, sent) is not None:
        detail = f'{_MATCH} must be the ETag of the round you saw, such as "3".'
        raise Problem("if_match_malformed", detail)
    return int(sent.strip('"'))


def _raw_body(operation: Operation, asked: Asked) -> bytes:
    """Read a body of the right type and length, all of it."""
    if operation.body is not None and asked.environ.get("CONTENT_TYPE") != JSON:
        media_type, options = parse_options_header(asked.environ.get("CONTENT_TYPE"))
        charset = options.get("charset", "utf-8").lower()
        if media_type.lower() != JSON or charset not in {"utf-8", "utf8"}:
            detail = f"Content-Type must be {JSON}, in UTF-8."
            raise Problem("unsupported_media_type", detail)
    try:
        raw: bytes = asked.request.get_data(cache=False)
    except RequestEntityTooLarge:
        raw = _TOO_MUCH
    except Exception:  # noqa: BLE001 - each server has its own for a malformed chunk
        raw = _BROKEN
    if len(raw) > BODY_BYTES:
        _discard(asked.environ)
        raise Problem("body_too_large", f"A body may have {BODY_BYTES:,} bytes.")
    declared = asked.request.content_length
    if operation.body is not None and declared is not None and len(raw) != declared:
        raise Problem("malformed_json", "The body did not arrive whole.")
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


def _check_accept(accept: str) -> None:
    wanted: dict[str, float] = {}
    for media_range, quality in parse_accept_header(accept):
        # Without parameters: a charset does not make it another type.
        name = media_range.partition(";")[0].strip().lower()
        wanted[name] = max(quality, wanted.get(name, 0))
    fitting = (wanted[name] for name in _FITTING if name in wanted)
    if not next(fitting, 0):
        raise Problem("not_acceptable", f"This service answers in {JSON}.")


def _query(asked: Asked) -> list[tuple[str, str]]:
    text = asked.environ.get("QUERY_STRING", "")
    return parse_qsl(text, keep_blank_values=True) if text else []


def _digest(operation: Operation, asked: Asked) -> bytes:
    """Return what tells a repeat from another request under the same key."""
    path = operation.path.format_map(asked.path)
    body = orjson.dumps(asked.body, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(b"%s %s\n%s" % (b"POST", path.encode(), body)).digest()
