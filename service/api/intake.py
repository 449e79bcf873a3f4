"""What every request has to pass, in the order that the contract promises.

401, 403; then 400, 415, 413 and 406; then 422. What comes after that, from 404 to
409, needs the round and is the play layer's.
"""

import hashlib
from typing import Any, Final
from urllib.parse import parse_qsl

import orjson
from werkzeug.http import parse_accept_header

from service.api.asked import Asked
from service.api.auth import Gate
from service.api.body import parsed, raw_body
from service.api.contract import NO_BODY, PROBLEM, Contract
from service.api.operations import JSON, Operation
from service.api.problems import Problem
from service.api.reply import WAITS_TAG

_BODIED: Final = frozenset({"POST", "PUT"})
_KEY: Final = "Idempotency-Key"
_MATCH: Final = "If-Match"
_EVERYBODY: Final = frozenset({None, "", "*/*", JSON})
"""What nearly every client sends as Accept."""


def admit(contract: Contract, gate: Gate, asked: Asked) -> None:
    """Check a request and note in `asked` what it says. Raises Problem."""
    operation = contract.operations[asked.operation]
    gate.let_in(asked, operation.who)
    headers = operation.parameters["header"]
    if _KEY in headers:
        asked.key = _idempotency_key(contract, asked)
    if _MATCH in headers:
        asked.expected = _version_seen(contract, asked)
    # Nobody reads what a GET brings along; of a signed request all is looked at.
    reads = operation.method in _BODIED or operation.who == "operator"
    raw = raw_body(operation, asked) if reads else b""
    accept = asked.environ.get("HTTP_ACCEPT")
    if accept not in _EVERYBODY or operation.answers_in != JSON:
        _check_accept(accept or "*/*", operation.answers_in)
    body: Any = NO_BODY
    if operation.body is not None:
        body = asked.body = parsed(raw)
    elif raw:
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


def _idempotency_key(contract: Contract, asked: Asked) -> str:
    sent = asked.environ.get("HTTP_IDEMPOTENCY_KEY")
    fault = contract.check_header(asked.operation, _KEY, sent)
    if sent is None:
        detail = f"This request needs an {_KEY} header that you make for it."
        raise Problem("idempotency_key_missing", detail)
    if fault is not None:
        detail = f"{_KEY} must be 8 to 64 letters, digits, _ or -, and be sent once."
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
    return int(sent.strip('"').removesuffix(WAITS_TAG))


def _check_accept(accept: str, media_type: str) -> None:
    wanted: dict[str, float] = {}
    for media_range, quality in parse_accept_header(accept):
        # Without parameters: a charset does not make it another type.
        name = media_range.partition(";")[0].strip().lower()
        wanted[name] = max(quality, wanted.get(name, 0))
    kind = media_type.partition("/")[0]
    # Media ranges that it fits, the closest first (RFC 9110, 12.5.1).
    ranges = (media_type, f"{kind}/*", "*/*", PROBLEM)
    fitting = (wanted[name] for name in ranges if name in wanted)
    if not next(fitting, 0):
        raise Problem("not_acceptable", f"This service answers in {media_type}.")


def _query(asked: Asked) -> list[tuple[str, str]]:
    text = asked.environ.get("QUERY_STRING", "")
    return parse_qsl(text, keep_blank_values=True) if text else []


def _digest(operation: Operation, asked: Asked) -> bytes:
    """Return what tells a repeat from another request under the same key."""
    path = operation.path.format_map(asked.path)
    body = orjson.dumps(asked.body, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(b"%s %s\n%s" % (b"POST", path.encode(), body)).digest()
