"""Around every operation: admit the request, answer, check the answer, write a line."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from flask import Response
from structlog.typing import FilteringBoundLogger

from service.api.asked import Asked
from service.api.auth import Gate
from service.api.contract import NO_BODY, Contract
from service.api.intake import admit
from service.api.log import frames_of
from service.api.refused import problem_of
from service.api.reply import Reply, Streamed, problem_reply
from service.api.tokens import TokenKeys
from service.catalog import Catalog
from service.figures import Figures
from service.meters import Meters
from service.pins import Pins
from service.play import Play
from service.store.database import Database
from service.store.errors import StoreError
from service.wallet.wallets import Wallets
from service.weeks import Weeks

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Api:
    """What the operations work with."""

    play: Play
    catalog: Catalog
    database: Database
    wallets: Wallets
    gate: Gate
    launch_url: str | None
    """Where players are sent; None is this service's own page."""
    contract: Contract
    log: FilteringBoundLogger
    figures: Figures
    meters: Meters
    pins: Pins
    weeks: Weeks
    """Those of players' own limits."""
    violations: Counter[str] = field(default_factory=Counter)
    """How many answers were not as the contract says, by operation and status."""

    @property
    def tokens(self) -> TokenKeys:
        """The keys of the players' tokens."""
        return self.gate.tokens


Handler = Callable[[Api, Asked], Reply]
"""An operation; its name is the operationId."""


def endpoint(api: Api, handler: Handler, *, is_probe: bool) -> Callable[..., Response]:
    """Return the Flask view of an operation. A probe takes every request as it is."""
    operation = handler.__name__

    def view(**path: str) -> Response:
        asked = Asked(operation, path)
        try:
            if not is_probe:
                admit(api.contract, api.gate, asked)
            reply = handler(api, asked)
        except Exception as error:  # noqa: BLE001 - whatever it is, it gets an answer
            reply = _refusal(api, asked, error)
        return _sent(api, asked, reply)

    return view


def astray(api: Api) -> Callable[[Exception], Response]:
    """Return what answers where no operation does: no such path, no such method."""

    def view(error: Exception) -> Response:
        asked = Asked("-", {})
        return _sent(api, asked, _refusal(api, asked, error))

    return view


def _refusal(api: Api, asked: Asked, error: Exception) -> Reply:
    problem = problem_of(error, asked)
    if problem.status >= 500:  # noqa: PLR2004 - a fault of ours, not of the sender
        api.log.error(
            problem.code,
            request=asked.id,
            operation=asked.operation,
            error=type(error).__name__,
            said=str(error) if isinstance(error, StoreError) else None,
            trace=frames_of(error),
        )
    return problem_reply(asked, problem)


def _sent(api: Api, asked: Asked, reply: Reply) -> Response:
    _check(api, asked, reply)
    body = reply.body
    if isinstance(body, Streamed):
        body = body.pieces
    elif body is not None and not isinstance(body, bytes):
        body = orjson.dumps(body)
    caller = asked.caller
    code, made = _told(reply)
    api.log.info(
        "request",
        request=asked.id,
        operation=asked.operation,
        status=reply.status,
        code=code,
        microseconds=int((time.perf_counter() - asked.started) * MILLION),
        operator=asked.operator or (caller and caller.operator),
        account=caller and caller.account,
        round=asked.path.get("round_id", made),
    )
    response = Response(body, reply.status, reply.headers)
    if body is None:
        del response.headers["Content-Type"]  # werkzeug gives one to what is empty
    return response


def _told(reply: Reply) -> tuple[str | None, str | None]:
    """Return the code of a refusal, and the round that an answer tells of, for the log.

    A deal has no round in its path: it is in what it answers.
    """
    body = reply.body if isinstance(reply.body, dict) else {}
    round_ = body.get("round")
    made = round_["id"] if isinstance(round_, dict) else body.get("round_id")
    return body.get("code"), made


def _check(api: Api, asked: Asked, reply: Reply) -> None:
    """Hold an answer against the contract; a fault is ours and not the client's."""
    status, body = reply.status, reply.body
    routers = asked.operation == "-" or status == 500  # noqa: PLR2004 - in no contract
    checked: Any = NO_BODY if body is None else body
    if isinstance(body, bytes):
        return
    if isinstance(body, Streamed):
        checked = ""  # a text; the rest of it is not there yet
    found = api.contract.check_response(
        None if routers else asked.operation, status, reply.headers, checked
    )
    if found:
        api.violations[f"{asked.operation} {status}"] += 1
        api.log.error(
            "contract_violation",
            request=asked.id,
            operation=asked.operation,
            status=status,
            # Without the sentence, which may quote a value.
            faults=[[fault.pointer, fault.code] for fault in found],
        )
