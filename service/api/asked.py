"""One request, as far as it has been read."""

import time
from typing import Any

from flask import Request
from flask import request as current_request

from service.api.tokens import Caller, account_of
from service.chance import new_id
from service.recorded import Ask


class Asked:
    """Who asks for what; `intake` fills it in, in the order of its checks."""

    __slots__ = (
        "body",
        "caller",
        "digest",
        "environ",
        "expected",
        "id",
        "key",
        "operation",
        "operator",
        "path",
        "query",
        "raw",
        "request",
        "signed_by",
        "started",
    )

    def __init__(self, operation: str, path: dict[str, str]) -> None:
        self.id = new_id()
        """Named in a problem and in the log's line."""
        self.started = time.perf_counter()
        self.operation = operation
        """The operationId; a dash when no path and method fit."""
        self.path = path
        self.request: Request = current_request._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001 - a proxy costs at each use
        self.environ = self.request.environ
        self.caller: Caller | None = None
        self.operator = ""
        """Who signed the request; nobody in an operation of players."""
        self.signed_by = ""
        """The id of his key."""
        self.key = ""
        """The Idempotency-Key without its quotes."""
        self.expected: int | None = None
        """The version in If-Match; None when there is none."""
        self.query: dict[str, Any] = {}
        """The query's parameters, with the contract's defaults."""
        self.raw: bytes | None = None
        """Every byte of the body, once it has been read."""
        self.body: Any = None
        """The parsed JSON, which the contract has accepted."""
        self.digest = b""
        """SHA-256 over what a repeat must have in common with the first request."""

    @property
    def player(self) -> Caller:
        """Who asks, in an operation that lets only players in."""
        assert self.caller is not None, "intake lets nobody in without a token"
        return self.caller

    def for_player(self) -> "Asked":
        """Ask as the operator's player in the path would; `mode` says which of two."""
        player, mode = self.path["player_id"], self.query["mode"]
        account = account_of(self.operator, player, mode)
        currency = self.query.get("currency") or ""  # reading a round needs none
        self.caller = Caller(self.operator, player, currency, mode, account)
        return self

    @property
    def round_id(self) -> str:
        """The round in the path."""
        return self.path["round_id"]

    @property
    def actor(self) -> str:
        """Who makes a change, in an operation of operators."""
        return f"operator:{self.signed_by}"

    @property
    def ask(self) -> Ask:
        """What the play layer needs to know about a command's sender."""
        caller = self.player
        return Ask(
            account=caller.account,
            player=caller.player,
            key=self.key,
            request=self.digest,
            currency=caller.currency,
            operator=caller.operator,
            mode=caller.mode,
            session=caller.session,
            signed_by=self.actor if self.signed_by else None,
        )
