"""The wallet over HTTP: who signs is heard, and what is malformed is refused."""

import hashlib
import hmac
import json
import re
import time
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from flask import Flask, Response, request

from examples.operator_wallet.book import OK, Answer, Book, Call, Refusal, refused
from examples.operator_wallet.faults import FAULTS, Faults

KINDS: Final = ("debit", "credit", "rollback", "refund", "correction", "end")
LEEWAY_SECONDS: Final = 300
BODY_BYTES: Final = 16_384
_CURRENCY: Final = re.compile("[A-Z]{3}")
_NAME: Final = re.compile("[A-Za-z0-9_.:-]{1,64}")
_MOST: Final = 2**53 - 1


def create_app(book: Book, secrets: Sequence[str], faults: Faults | None) -> Flask:
    """Make the application; without `faults` nothing goes wrong on purpose."""
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = BODY_BYTES

    @app.post("/<kind>")
    def call_wallet(kind: str) -> Response:
        raw = request.get_data()
        call = _parsed(raw)
        try:
            _check_signature(raw, secrets)
            if kind == "faults" and faults is not None:
                return _response(Answer(OK, faults.arm(_wish(call))))
            _check(call, kind)
        except Refusal as refusal:
            return _response(refused(call, refusal))
        make = book.balance if kind == "balance" else book.make
        if faults is None:
            return _response(make(call))
        return faults.around(lambda: make(call), _response)

    return app


def _response(answer: Answer) -> Response:
    kind = "application/json" if answer.status == OK else "application/problem+json"
    return Response(json.dumps(answer.body), answer.status, content_type=kind)


def _parsed(raw: bytes) -> Call:
    try:
        found = json.loads(raw)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _check_signature(raw: bytes, secrets: Sequence[str]) -> None:
    """See that one of the keys signed this body, within the last minutes."""
    stamp = request.headers.get("Upcard-Timestamp", "")
    sent = request.headers.get("Upcard-Signature", "").encode()
    message = stamp.encode() + b"\n" + raw
    good = [hmac.new(key.encode(), message, hashlib.sha256) for key in secrets]
    if not any(hmac.compare_digest(one.hexdigest().encode(), sent) for one in good):
        raise Refusal(401, "signature_invalid", "The signature is not a good one.")
    if not stamp.isdecimal() or abs(int(stamp) - time.time()) > LEEWAY_SECONDS:
        raise Refusal(401, "timestamp_stale", "The time of the signature is past.")


def _wish(call: Call) -> Call:
    names = [*call.get("rates", {}), *call.get("next", [])]
    if any(name not in {*FAULTS, None} for name in names):
        raise Refusal(422, "invalid", f"The faults are: {', '.join(FAULTS)}.")
    return call


def _check(call: Call, kind: str) -> None:
    """Refuse what the contract does not allow.

    The path is not signed, so the body says the kind, too.
    """
    least = {"correction": -_MOST, "end": 0, "rollback": 1}.get(kind, 1)
    fields: dict[str, Any] = {
        "kind": call.get("kind") == kind and kind in {*KINDS, "balance"},
        "transaction_id": _is_id(call.get("transaction_id")),
        "player_id": _matches(_NAME, call.get("player_id")),
        "currency": _matches(_CURRENCY, call.get("currency")),
    }
    if kind != "balance":
        amount = call.get("amount")
        fields |= {
            "round_id": _is_id(call.get("round_id")),
            "amount": type(amount) is int and least <= amount <= _MOST,
            "lines": isinstance(call.get("lines"), list),
        }
    if kind in {"rollback", "refund"}:
        fields["debit_id"] = _is_id(call.get("debit_id"))
    wrong = [name for name, is_good in fields.items() if not is_good]
    if wrong:
        raise Refusal(422, "invalid", f"Not as the contract says: {', '.join(wrong)}.")


def _matches(pattern: re.Pattern[str], text: object) -> bool:
    return isinstance(text, str) and pattern.fullmatch(text) is not None


def _is_id(text: object) -> bool:
    try:
        return isinstance(text, str) and str(UUID(text)) == text
    except ValueError:
        return False
