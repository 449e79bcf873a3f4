"""From whatever was raised to the problem that is answered."""

from collections.abc import Mapping
from typing import Any, Final

from werkzeug.exceptions import HTTPException, MethodNotAllowed

from service.api.asked import Asked
from service.api.problems import Problem
from service.api.views import legal_view, seen_view
from service.recorded import Seen
from service.refusals import (
    CurrencyMismatch,
    KeyReused,
    NotAllowed,
    ProofNotReady,
    RoundNotFound,
    RoundOpenExists,
    TableNotFound,
    TableShared,
    VersionMissing,
    VersionStale,
)
from service.rules.commands import Refused
from service.store.errors import DatabaseUnavailable, SchemaWrong

_RETRY: Final = {"Retry-After": "1"}
_FAULT: Final = (
    "internal_error",
    "A fault of the service. Repeat the request with the same key.",
)
_SAID: Final[Mapping[type[Exception], tuple[str, str]]] = {
    RoundNotFound: ("round_not_found", "There is no such round."),
    TableShared: ("table_shared", "This table takes no private deal."),
    KeyReused: (
        "idempotency_key_reused",
        "This key was used for another request; make a new one.",
    ),
    VersionMissing: (
        "if_match_missing",
        "Send the ETag of the round you saw as If-Match.",
    ),
    ProofNotReady: (
        "proof_not_ready",
        "The proof is shown when the round has ended.",
    ),
}


def problem_of(error: Exception, asked: Asked) -> Problem:
    """Return the problem that says what was raised; no part of it is a trace."""
    match error:
        case Problem():
            problem = error
        case NotAllowed():
            problem = _not_allowed(error, asked)
        case VersionStale():
            problem = _stale(error.seen, asked)
        case HTTPException():
            problem = _routers(error)
        case DatabaseUnavailable() | SchemaWrong():
            detail = "The database is away; try again, with the same key."
            problem = Problem("database_unavailable", detail, headers=_RETRY)
        case TableNotFound():
            detail = f"There is no table {error.table_id}."
            problem = Problem("table_not_found", detail)
        case CurrencyMismatch():
            detail = f"The token is for {error.allowed}, this needs {error.needed}."
            problem = Problem("currency_mismatch", detail)
        case RoundOpenExists():
            url = f"/v1/rounds/{error.round_id}"
            detail = "Finish the open round on this table first."
            problem = Problem("round_open_exists", detail, round_url=url)
        case _:
            problem = Problem(*_SAID.get(type(error), _FAULT))
    return problem


def _not_allowed(error: NotAllowed, asked: Asked) -> Problem:
    refused, round_ = error.refused, error.seen.round
    # The rules have no clock: to them an expired round is still in play.
    expired = refused.code == "round_expired"
    legal = [] if expired else legal_view(round_, asked.player.player)
    members: dict[str, Any] = {"legal_actions": legal}
    if refused.reason is not None:
        members["reason"] = refused.reason
    return Problem(refused.code, refused.detail, **members)


def _stale(seen: Seen, asked: Asked) -> Problem:
    return Problem(
        "version_stale",
        f"The round is at version {seen.version}.",
        headers={"ETag": f'"{seen.version}"'},
        round=seen_view(seen, asked.player.player),
    )


def wagers_refused(refused: Refused, *, raises: bool) -> Problem:
    """Return the problem of a deal's wagers, every fault of every box at once.

    `raises` tells whether the table raises to its minimum on request.
    """
    errors: list[dict[str, Any]] = []
    for fault in refused.problems:
        told: dict[str, Any] = {
            "pointer": fault.pointer,
            "code": fault.code,
            "detail": fault.detail,
        }
        if fault.accepted:
            told["limit"] = fault.accepted
        if fault.code == "wager_below_minimum" and raises:
            told["raised_to"] = fault.accepted
        errors.append(told)
    if not errors:
        told = {"pointer": "/currency", "code": refused.code, "detail": refused.detail}
        errors = [told]
    return Problem(refused.code, refused.detail, errors=errors)


def _routers(error: HTTPException) -> Problem:
    match error:
        case MethodNotAllowed():
            allow = ", ".join(sorted(error.valid_methods or ()))
            detail = f"This path takes {allow}."
            headers = {"Allow": allow}
            return Problem("method_not_allowed", detail, headers=headers)
        case HTTPException(code=400):
            return Problem("malformed_json", "The body did not arrive whole.")
        case HTTPException(code=404):
            return Problem("not_found", "No operation has this path.")
        case _:
            return Problem(*_FAULT)
