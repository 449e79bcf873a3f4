"""Players who ask a service, and what they get."""

import json
import threading
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, cast

from flask import Flask
from flask.testing import FlaskClient

from service.api.endpoint import Api
from service.api.tokens import Mode
from service.chance import new_id

DAYS: Final = "from=2026-03-01&to=2026-03-31"


class Got(NamedTuple):
    """An answer, as it came over the wire."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401 - JSON
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The problem's code; the empty text where there is no problem."""
        if self.headers.get("Content-Type") != "application/problem+json":
            return ""
        return str(self.json["code"])

    @property
    def version(self) -> str:
        return self.headers["ETag"]

    @property
    def round(self) -> dict[str, Any]:
        return cast("dict[str, Any]", self.json["round"])

    @property
    def refusal(self) -> tuple[int, str]:
        return self.status, self.code


class Request(NamedTuple):
    """A request that nothing is wrong with."""

    operation: str
    method: str
    path: str
    body: bytes | None = None
    headers: Mapping[str, str] = MappingProxyType({})


class Player:
    """Somebody with a token, who asks."""

    def __init__(
        self, app: Flask, name: str, currency: str, mode: Mode = "real"
    ) -> None:
        self._app = app
        self.name = name
        self.currency = currency
        self.mode: Mode = mode
        self.token = self.fresh_token()
        self._local = threading.local()

    @property
    def client(self) -> FlaskClient:
        """A client for each thread: one may not be shared."""
        if not hasattr(self._local, "client"):
            self._local.client = self._app.test_client(use_cookies=False)
        return cast("FlaskClient", self._local.client)

    def fresh_token(self, lifetime: int = 3600, ago: int = 0) -> str:
        """Make a token that was issued some seconds ago."""
        api: Api = self._app.extensions["upcard"]
        return api.tokens.issue(
            operator="dev",
            player=self.name,
            currency=self.currency,
            mode=self.mode,
            now=self.present() - ago,
            lifetime=lifetime,
        )

    @staticmethod
    def present() -> int:
        """Return the time in seconds since 1970 UTC."""
        return int(time.time())

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        /,
        **headers: str | None,
    ) -> Got:
        """Send a request; a header that is None is left out."""
        sent = {"Authorization": f"Bearer {self.token}"}
        if body is not None:
            sent["Content-Type"] = "application/json"
        for name, value in headers.items():
            header = name.replace("_", "-").title()
            if value is None:
                sent.pop(header, None)
            else:
                sent[header] = value
        answer = self.client.open(path, method=method, headers=sent, data=body)
        return Got(answer.status_code, dict(answer.headers), answer.data)

    def send(self, request: Request, **headers: str | None) -> Got:
        """Send a request, with some headers changed or left out."""
        chosen = {**request.headers, **headers}
        return self.ask(request.method, request.path, request.body, **chosen)

    def get(self, path: str, **headers: str | None) -> Got:
        return self.ask("GET", path, **headers)

    def post(
        self,
        path: str,
        body: object = None,
        **headers: str | None,
    ) -> Got:
        """Send a command with a key of its own."""
        headers.setdefault("idempotency_key", new_id())
        raw = None if body is None else json.dumps(body).encode()
        return self.ask("POST", path, raw, **headers)

    def put(self, path: str, body: object) -> Got:
        """Send a body that says how something is to be."""
        return self.ask("PUT", path, json.dumps(body).encode())

    def deal(
        self,
        *wagers: int,
        table: str = "classic-three",
        **headers: str | None,
    ) -> Got:
        """Bet on boxes 1, 2, ... and deal."""
        boxes = [
            {"box": box, "wager": wager}
            for box, wager in enumerate(wagers or (1000,), start=1)
        ]
        body = {"table_id": table, "currency": self.currency, "boxes": boxes}
        return self.post("/v1/rounds", body, **headers)

    def act(self, on: Got, action: str, **headers: str | None) -> Got:
        """Play the active hand of the round that an answer showed."""
        body = {"hand": on.round["active_hand"], "action": action}
        headers.setdefault("if_match", on.version)
        return self.post(f"{url_of(on)}/actions", body, **headers)

    def insure(self, on: Got, *boxes: int, **headers: str | None) -> Got:
        headers.setdefault("if_match", on.version)
        return self.post(f"{url_of(on)}/insurance", {"boxes": list(boxes)}, **headers)

    def settle(self, on: Got, **headers: str | None) -> Got:
        headers.setdefault("if_match", on.version)
        return self.post(f"{url_of(on)}/settlement", **headers)

    def play(self, on: Got, moves: str) -> Got:
        """Make moves one after another, each of which must be accepted."""
        for move in moves.split():
            if move == "settle":
                on = self.settle(on)
            elif move in {"insure", "pass"}:
                boxes = [box["box"] for box in on.round["boxes"]]
                on = self.insure(on, *(boxes if move == "insure" else []))
            else:
                on = self.act(on, move)
            assert on.status == 200, on.body
        return on


def url_of(got: Got) -> str:
    """Return the path of the round that an answer shows."""
    return f"/v1/rounds/{got.round['id']}"


def requests_on(url: str, version: str = '"1"', *, session: str = "") -> list[Request]:
    """Return one request of each operation, to do with the round at `url`."""
    bet = (
        b'{"table_id":"classic-three","currency":"USD","boxes":[{"box":1,"wager":100}]}'
    )
    limit = b'{"currency":"USD","maximum":1000000,"pin":"4711"}'
    acts = {
        "insure_round": (f"{url}/insurance", b'{"boxes":[]}'),
        "act_on_round": (f"{url}/actions", b'{"hand":"1a","action":"stand"}'),
        "settle_round": (f"{url}/settlement", None),
    }
    reads = {
        "list_tables": "/v1/tables",
        "get_table": "/v1/tables/classic-three",
        "get_strategy": "/v1/tables/classic-three/strategy",
        "list_jackpots": "/v1/jackpots?operator=dev",
        "get_jackpot": "/v1/jackpots/aces-usd?operator=dev",
        "list_open_rounds": "/v1/rounds?status=open",
        "get_round": url,
        "list_events": f"{url}/events",
        "get_proof": f"{url}/proof",
        "list_history": "/v1/history",
        "export_history": f"/v1/history.csv?{DAYS}",
        "get_history": url.replace("rounds", "history"),
        "get_me": "/v1/players/me",
        "get_limit": "/v1/players/me/limit",
        "get_balance": "/v1/balance",
        "get_openapi": "/v1/openapi.json",
        "list_seals": "/v1/seals",
        "livez": "/livez",
        "readyz": "/readyz",
    }
    key = {"idempotency_key": new_id()}
    sessions = f"/v1/sessions/{session or new_id()}"
    return [
        *(Request(name, "GET", path) for name, path in reads.items()),
        Request("refresh_session", "POST", f"{sessions}/refresh"),
        Request("deal_round", "POST", "/v1/rounds", bet, key),
        Request("set_limit", "PUT", "/v1/players/me/limit", limit),
        *(
            Request(name, "POST", path, body, {**key, "if_match": version})
            for name, (path, body) in acts.items()
        ),
    ]
