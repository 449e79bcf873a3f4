"""The wire: requests to the API, each sent until it is answered, at most a few times.

A POST keeps its Idempotency-Key when it is sent again, so a command whose answer was
lost is answered and not carried out twice.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

import orjson
import urllib3

from service.terminal.shapes import BoxWager, Reply, Round, Table

_WAITS: Final = (0.0, 0.2, 0.5, 1.0, 2.0)
"""Seconds before each try; longer than a restart of the server takes."""
_TIMEOUT: Final = urllib3.Timeout(connect=2, read=5)
_FAILURES: Final = 500
"""From this status on the request may be sent again with the same key."""
_REFUSALS: Final = 400


class NoAnswer(Exception):
    """Nobody answered; the message says how the last try failed."""


class NotUpcard(Exception):
    """Something answered that is no Upcard server."""


class Problem(Exception):
    """The server refused a request; `document` is its problem+json."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(document["detail"])
        self.document: Final = document
        self.code: Final[str] = document["code"]
        self.detail: Final[str] = document["detail"]


class Request(NamedTuple):
    """One thing wanted. Sent again, it is the same to the byte, key included."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None = None


class Api:
    """The operations of the contract that a player needs.

    All raise Problem, NoAnswer and NotUpcard.
    """

    def __init__(
        self,
        url: str,
        token: str,
        new_key: Callable[[], str],
        pause: Callable[[float], None],
    ) -> None:
        """Take where, as whom, how to make keys, and how to wait some seconds."""
        self.url: Final = url.rstrip("/")
        self._pool: Final = urllib3.PoolManager(timeout=_TIMEOUT, retries=False)
        self._headers: Final = {
            "Authorization": f"Bearer {token}",
            "Accept": "application/json, application/problem+json",
        }
        self._new_key: Final = new_key
        self._pause: Final = pause
        self.keep_trying: Callable[[NoAnswer], bool] = lambda _: False
        """Asked when no try was answered: whether to begin again."""

    def tables(self) -> list[Table]:
        """Return the tables, by number. Tried once: it is how a client says hello."""
        reply = self._try(Request("GET", "/v1/tables", self._headers))
        return cast("list[Table]", reply["items"])

    def open_rounds(self) -> list[Round]:
        """Return the rounds that wait for the player, newest first."""
        reply = self._get("/v1/rounds?status=open&limit=100")
        return cast("list[Round]", reply["items"])

    def last_wagers(self, table: Table, currency: str) -> list[BoxWager]:
        """Return what the player bet last at a table, if it was in that currency."""
        for last in self._get("/v1/players/me").get("last_wagers", ()):
            if (last["table_id"], last["currency"]) == (table["table_id"], currency):
                return cast("list[BoxWager]", last["boxes"])
        return []

    def round_at(self, path: str) -> Round:
        """Read a round by its path."""
        return cast("Round", self._get(path))

    def proof(self, round_: Round) -> dict[str, Any]:
        """Return the proof of a finished round."""
        return self._get(f"{path_of(round_)}/proof")

    def deal(
        self,
        table: Table,
        currency: str,
        boxes: Sequence[BoxWager],
        *,
        raise_to_minimum: bool,
    ) -> Reply:
        """Place the wagers and deal."""
        body: dict[str, object] = {
            "table_id": table["table_id"],
            "currency": currency,
            "boxes": boxes,
        }
        if raise_to_minimum:
            body["raise_to_minimum"] = True
        return self._post("/v1/rounds", body)

    def insure(self, round_: Round, boxes: Sequence[int]) -> Reply:
        """Answer the insurance for all boxes."""
        return self._command(round_, "insurance", {"boxes": boxes})

    def act(self, round_: Round, hand: str, action: str) -> Reply:
        """Play a hand."""
        return self._command(round_, "actions", {"hand": hand, "action": action})

    def settle(self, round_: Round) -> Reply:
        """Have a decided round paid."""
        return self._command(round_, "settlement", None)

    def _command(self, round_: Round, name: str, body: object) -> Reply:
        """Send a command on the round as the player saw it."""
        return self._post(
            f"{path_of(round_)}/{name}", body, {"If-Match": f'"{round_["version"]}"'}
        )

    def _post(
        self, path: str, body: object, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Send a command under a key of its own."""
        sent = {"Idempotency-Key": self._new_key(), **self._headers, **(headers or {})}
        if body is None:
            return cast("Reply", self._send(Request("POST", path, sent)))
        sent["Content-Type"] = "application/json"
        return cast(
            "Reply", self._send(Request("POST", path, sent, orjson.dumps(body)))
        )

    def _get(self, path: str) -> dict[str, Any]:
        """Read."""
        return self._send(Request("GET", path, self._headers))

    def _send(self, request: Request) -> dict[str, Any]:
        """Send the same request until it is answered, or until patience is over."""
        while True:
            lost = NoAnswer()
            for wait in _WAITS:
                self._pause(wait)
                try:
                    return self._try(request)
                except NoAnswer as fault:
                    lost = fault
            if not self.keep_trying(lost):
                raise lost

    def _try(self, request: Request) -> dict[str, Any]:
        """Send a request once."""
        try:
            reply = self._pool.request(
                request.method,
                self.url + request.path,
                headers=request.headers,
                body=request.body,
                redirect=False,
            )
            found = orjson.loads(reply.data)
        except urllib3.exceptions.HTTPError as error:
            raise NoAnswer(_reason(error)) from error
        except orjson.JSONDecodeError:
            found = None
        if reply.status >= _FAILURES:
            raise NoAnswer(f"it fails, {reply.status}: {_detail(found)}")
        if not isinstance(found, dict):
            raise NotUpcard(f"it answered {reply.status} without JSON")
        if reply.status >= _REFUSALS:
            if not {"code", "detail"} <= found.keys():
                raise NotUpcard(f"it answered {reply.status} in words of its own")
            raise Problem(found)
        return found


def path_of(round_: Round) -> str:
    """Return where a round is read."""
    return f"/v1/rounds/{round_['id']}"


def _detail(found: object) -> str:
    """Return what the server says of its own failure."""
    said = found.get("detail") if isinstance(found, dict) else None
    return str(said).rstrip(".") if said else "no reason given"


def _reason(error: urllib3.exceptions.HTTPError) -> str:
    """Say in a few words how a try failed."""
    match error:
        case urllib3.exceptions.NameResolutionError():
            return "there is no such host"
        case urllib3.exceptions.NewConnectionError():
            return "nobody listens there"
        case urllib3.exceptions.TimeoutError():
            return "it did not answer in time"
        case _:
            return "the connection was lost"
