"""From whatever was raised to the problem that is answered."""

from collections.abc import Mapping
from typing import Any, Final

from werkzeug.exceptions import HTTPException, MethodNotAllowed

from service.api.asked import Asked
from service.api.faults import MOST
from service.api.problems import Problem
from service.api.reply import round_tag
from service.api.views import affordable_view, legal_view, seen_view
from service.currencies import money_text
from service.recorded import Seen
from service.refusals import (
    CurrencyMismatch,
    ExposureExceeded,
    KeyReused,
    NoLastRound,
    NotAllowed,
    NotFunded,
    NotSandbox,
    ProofNotReady,
    RoundNotFound,
    RoundOpenExists,
    RoundWaits,
    SandboxOnly,
    SessionOver,
    TableDisabled,
    TableNotFound,
    TableNotInSession,
    TableShared,
    VersionMissing,
    VersionStale,
)
from service.rules.commands import Problem as Fault
from service.rules.commands import Refused
from service.sandbox import CardsNotInShoe
from service.store.errors import (
    ArchiveUnavailable,
    DatabaseUnavailable,
    SchemaWrong,
)
from service.wallet.port import FundsShort, Stopped, WalletRefused
from service.wallet.wallets import OperatorUnknown

_RETRY: Final = {"Retry-After": "1"}
_LATER: Final = {"Retry-After": "60"}
_FAULT: Final = (
    "internal_error",
    "A fault of the service. Repeat the request with the same key.",
)
_WAGERS: Final = {
    "wager_below_minimum": "A wager is at least {}.",
    "wager_above_maximum": "A wager is at most {}.",
    "wager_above_own_limit": "The player's own limit is {}.",
    "wager_off_step": "A wager is a multiple of {}.",
    "bonus_wager_wrong": "A bonus wager is exactly {}.",
}
_STOPPED: Final = {
    "everybody": "All gaming is stopped; open rounds may be finished.",
    "operator": "The operator's gaming is stopped; open rounds may be finished.",
    "player": "The player is blocked; open rounds may be finished.",
}
_WAITS: Final = (
    "An earlier command's stake waits for the operator's wallet. Wait a second and "
    "read your open rounds; no new command is taken until that one is known."
)
_SAID: Final[Mapping[type[Exception], tuple[str, str]]] = {
    RoundNotFound: ("round_not_found", "There is no such round."),
    TableShared: (
        "table_shared",
        "This table seats several players; it can't be played over HTTP yet.",
    ),
    KeyReused: (
        "idempotency_key_reused",
        "This key was used for another request; make a new one.",
    ),
    VersionMissing: (
        "if_match_missing",
        "Send the ETag of the round you saw as If-Match.",
    ),
    SessionOver: (
        "session_over",
        "The session is over; start the game again at the casino.",
    ),
    NotSandbox: (
        "not_sandbox",
        "Only a demo player of a sandbox operator may name the cards.",
    ),
    SandboxOnly: (
        "sandbox_only",
        "This operator is a sandbox: its players play for demo money alone.",
    ),
    OperatorUnknown: ("forbidden", "The token's operator is not known here."),
    NoLastRound: (
        "no_last_round",
        "No bet of the player at this table is remembered: name the boxes.",
    ),
    TableDisabled: ("table_disabled", "The operator offers this table to nobody now."),
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
        case DatabaseUnavailable() | SchemaWrong() | ArchiveUnavailable():
            problem = _away(error)
        case TableNotFound():
            detail = f"There is no table {error.table_id}."
            problem = Problem("table_not_found", detail)
        case CurrencyMismatch():
            detail = f"The token is for {error.allowed}, this needs {error.needed}."
            problem = Problem("currency_mismatch", detail)
        case RoundOpenExists() | RoundWaits():
            problem = _in_the_way(error)
        case CardsNotInShoe():
            problem = _too_many_cards(error)
        case _:
            problem = _no_money(error, asked) or Problem(
                *_SAID.get(type(error), _FAULT)
            )
    return problem


def _in_the_way(error: RoundOpenExists | RoundWaits) -> Problem:
    """Return the problem of a command that another one's round stands in the way of."""
    if isinstance(error, RoundWaits):
        return Problem("wallet_pending", _WAITS, round_id=error.round_id)
    url = f"/v1/rounds/{error.round_id}"
    detail = "Finish the open round on this table first."
    return Problem("round_open_exists", detail, round_url=url)


def _away(error: Exception) -> Problem:
    """Return the problem of a store that does not answer: the database or a file."""
    if isinstance(error, ArchiveUnavailable):
        detail = "The round is archived, and the archive is not to be had here."
        return Problem("archive_unavailable", detail, headers=_LATER)
    detail = "The database is away; try again, with the same key."
    return Problem("database_unavailable", detail, headers=_RETRY)


def _no_money(error: Exception, asked: Asked) -> Problem | None:
    """Return the problem of money that is not taken; None if that is not it."""
    match error:
        case NotFunded():
            return _not_funded(error, asked)
        case Stopped(who=who):
            return Problem("player_stopped", _STOPPED[who], who=who)
        case WalletRefused():
            return Problem("wallet_refused", error.detail, wallet_code=error.code)
        case TableNotInSession():
            detail = f"The session is for {', '.join(error.tables)}."
            return Problem("table_not_in_session", detail)
        case ExposureExceeded(exposure=exposure, ceiling=ceiling):
            could, most = (
                money_text(amount, asked.player.currency)
                for amount in (exposure, ceiling)
            )
            detail = f"The round could stake {could}; {most} is the most."
            return Problem("exposure_exceeded", detail, limit=ceiling)
        case _:
            return None


def _not_allowed(error: NotAllowed, asked: Asked) -> Problem:
    refused, round_ = error.refused, error.seen.round
    # The rules have no clock: to them an expired round is still in play.
    expired = refused.code == "round_expired"
    legal = [] if expired else legal_view(round_, asked.player.player)
    members: dict[str, Any] = {"legal_actions": legal}
    if refused.reason is not None:
        members["reason"] = refused.reason
    return Problem(refused.code, refused.detail, **members)


def _too_many_cards(error: CardsNotInShoe) -> Problem:
    code, decks = "cards_not_in_shoe", error.decks
    detail = f"The shoe has each card {decks} times."
    errors = [
        {"pointer": f"/cards/{place}", "code": code, "detail": detail, "limit": decks}
        for place in error.places[:MOST]
    ]
    return Problem(code, detail, errors=errors)


def _not_funded(error: NotFunded, asked: Asked) -> Problem:
    required, balance, seen = error.required, error.balance, error.seen
    members: dict[str, Any] = {"required": required, "balance": balance}
    headers = {}
    if seen is not None:
        # A wallet that doesn't tell the balance has told that it is below this.
        most = required - 1 if balance is None else balance
        player = asked.player.player
        members["legal_actions"] = affordable_view(seen.round, player, most)
        headers["ETag"] = round_tag(seen.version)
    detail = _takes(required, balance, asked.player.currency)
    return Problem("insufficient_funds", detail, headers=headers, **members)


def funds_short(short: FundsShort, currency: str) -> Problem:
    """Return the problem of a withdrawal of more than there is."""
    required, balance = short.required, short.balance
    detail = _takes(required, balance, currency)
    return Problem("insufficient_funds", detail, required=required, balance=balance)


def _takes(required: int, balance: int | None, currency: str) -> str:
    has = "less" if balance is None else money_text(balance, currency)
    return f"This takes {money_text(required, currency)}, and the player has {has}."


def _stale(seen: Seen, asked: Asked) -> Problem:
    return Problem(
        "version_stale",
        f"The round is at version {seen.version}.",
        headers={"ETag": round_tag(seen.version)},
        round=seen_view(seen, asked.player.player),
    )


def wagers_refused(refused: Refused, currency: str, *, rebet: bool) -> Problem:
    """Return the problem of a deal's wagers, every fault of every box at once.

    With `rebet` the boxes do not stand in the request.
    """
    errors: list[dict[str, Any]] = []
    for fault in refused.problems:
        told: dict[str, Any] = {
            "pointer": "/rebet" if rebet else fault.pointer,
            "code": fault.code,
            "detail": _wager_text(fault, currency),
            "box": fault.box,
        }
        if fault.accepted:
            told["limit"] = fault.accepted
        if fault.raised_to is not None:
            told["raised_to"] = fault.raised_to
        errors.append(told)
    if not errors:
        told = {"pointer": "/currency", "code": refused.code, "detail": refused.detail}
        errors = [told]
    return Problem(refused.code, errors[0]["detail"], errors=errors)


def _wager_text(fault: Fault, currency: str) -> str:
    """Say a fault of a deal to a person: the rules know no currency's digits."""
    said = _WAGERS.get(fault.code)
    if said is None or fault.accepted is None:
        return fault.detail
    return said.format(money_text(fault.accepted, currency))


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
