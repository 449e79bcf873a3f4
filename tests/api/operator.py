"""Operators who sign what they ask of a service."""

import json
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from flask import Flask

from service.api.endpoint import Api
from service.chance import new_id
from service.operators import signature
from tests.api.player import DAYS, Got, Player, Request

_TURNOVER: Final = f"/v1/reports/turnover?{DAYS}"


class Key(NamedTuple):
    """A key as the operator keeps it."""

    operator: str
    key_id: str
    secret: str


class Operator:
    """A casino platform that asks."""

    def __init__(self, app: Flask, key: Key) -> None:
        self._app = app
        self.key = key

    @property
    def name(self) -> str:
        return self.key.operator

    def holding(self, key: Key) -> "Operator":
        """Return one who signs with another key."""
        return Operator(self._app, key)

    def signed(
        self,
        method: str,
        target: str,
        body: bytes = b"",
        *,
        ago: int = 0,
        nonce: str = "",
    ) -> dict[str, str]:
        """Return the four headers of a request that was made some seconds ago."""
        timestamp, nonce = str(int(time.time()) - ago), nonce or new_id()
        head = f"{method}\n{target}\n{timestamp}\n{nonce}\n".encode()
        return {
            "Upcard-Key": f"{self.name}/{self.key.key_id}",
            "Upcard-Timestamp": timestamp,
            "Upcard-Nonce": nonce,
            "Upcard-Signature": signature(self.key.secret, head + body),
        }

    def ask(
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        /,
        **headers: str | None,
    ) -> Got:
        """Send a request; what is said of a header holds, and None leaves it out."""
        sent = self.signed(method, target, body or b"")
        if body is not None:
            sent["Content-Type"] = "application/json"
        for name, value in headers.items():
            header = name.replace("_", "-").title()
            if value is None:
                sent.pop(header, None)
            else:
                sent[header] = value
        client = self._app.test_client(use_cookies=False)
        answer = client.open(target, method=method, headers=sent, data=body)
        return Got(answer.status_code, dict(answer.headers), answer.data)

    def send(self, request: Request, **headers: str | None) -> Got:
        """Send a request, with some headers changed or left out."""
        chosen = {**request.headers, **headers}
        return self.ask(request.method, request.path, request.body, **chosen)

    def get(self, target: str, **headers: str | None) -> Got:
        return self.ask("GET", target, **headers)

    def delete(self, target: str) -> Got:
        return self.ask("DELETE", target)

    def post(self, target: str, body: object, **headers: str | None) -> Got:
        return self.ask("POST", target, json.dumps(body).encode(), **headers)

    def launch(
        self,
        player: str,
        launch: Mapping[str, Any] = MappingProxyType({}),
        **headers: str | None,
    ) -> Got:
        """Launch a player, with a key of its own."""
        plain = {"currency": "USD", "mode": "real", "language": "en"}
        body = {"player_id": player, **plain, **launch}
        headers.setdefault("idempotency_key", new_id())
        return self.post("/v1/sessions", body, **headers)

    def launched(self, player: str, **launch: Any) -> Player:  # noqa: ANN401 - JSON
        """Launch a player and give him, with the token of his session."""
        got = self.launch(player, launch)
        assert got.status == 201, got.body
        asks = Player(self._app, player, got.json["currency"], got.json["mode"])
        asks.token = got.json["token"]
        return asks

    def deposit(
        self, player: str, amount: int, currency: str = "USD", reference: str = ""
    ) -> Got:
        return self._move("deposits", player, amount, currency, reference)

    def withdraw(
        self, player: str, amount: int, currency: str = "USD", reference: str = ""
    ) -> Got:
        return self._move("withdrawals", player, amount, currency, reference)

    def balance(self, player: str, currency: str = "USD", mode: str = "real") -> int:
        """Return what a player has, in minor units."""
        query = f"currency={currency}&mode={mode}"
        return int(self.get(f"{url_of(player)}/balance?{query}").json["amount"])

    def block(self, player: str, why: str = "for a test") -> Got:
        return self.ask(
            "PUT", f"{url_of(player)}/block", json.dumps({"why": why}).encode()
        )

    def pin(self, player: str, pin: str | None) -> Got:
        """Set a player's PIN, or take it away."""
        body = json.dumps({"pin": pin}).encode()
        return self.ask("PUT", f"{url_of(player)}/pin", body)

    def unblock(self, player: str) -> Got:
        return self.delete(f"{url_of(player)}/block")

    def _move(
        self, what: str, player: str, amount: int, currency: str, reference: str
    ) -> Got:
        names = reference or f"ref-{new_id()}"
        body = {"currency": currency, "amount": amount, "reference": names}
        return self.post(f"{url_of(player)}/{what}", body)


def url_of(player: str) -> str:
    """Return the path of an operator's player."""
    return f"/v1/players/{player}"


def session_of(api: Api, token: str) -> str:
    """Return the session that a token is of."""
    session = api.tokens.read(token, int(time.time())).session
    assert session is not None
    return session


def requests_of(player: str = "ann", session: str = "") -> list[Request]:
    """Return one request of each operation for operators."""
    me = url_of(player)
    money = b'{"currency":"USD","amount":1,"reference":"%b"}' % new_id().encode()
    launch = b'{"player_id":"ann","currency":"USD","mode":"demo","language":"en"}'
    key = {"idempotency_key": new_id()}
    wrong = f"{me}/rounds/{new_id()}/malfunction"
    return [
        Request("create_session", "POST", "/v1/sessions", launch, key),
        Request("end_session", "DELETE", f"/v1/sessions/{session or new_id()}"),
        Request("get_player_balance", "GET", f"{me}/balance?currency=USD"),
        Request("deposit_money", "POST", f"{me}/deposits", money),
        Request("withdraw_money", "POST", f"{me}/withdrawals", money),
        Request("list_statement", "GET", f"{me}/statement?currency=USD"),
        Request("block_player", "PUT", f"{me}/block", b'{"why":"for a test"}'),
        Request("set_pin", "PUT", f"{me}/pin", b'{"pin":"4711"}'),
        Request("unblock_player", "DELETE", f"{me}/block"),
        Request("list_player_rounds", "GET", f"{me}/rounds?status=open"),
        Request("list_transactions", "GET", "/v1/transactions"),
        Request("list_significant_events", "GET", "/v1/significant-events"),
        Request("get_held_report", "GET", "/v1/reports/held"),
        Request("get_turnover_report", "GET", _TURNOVER),
        Request("get_player_round", "GET", f"{me}/rounds/{new_id()}"),
        Request("malfunction_round", "POST", wrong, b'{"reason":"a test"}', key),
        Request("list_player_rows", "GET", f"{me}/rounds/{new_id()}/rows"),
        Request("list_player_history", "GET", f"{me}/history"),
        Request("export_player_history", "GET", f"{me}/history.csv?{DAYS}"),
        Request("get_player_history", "GET", f"{me}/history/{new_id()}"),
    ]
