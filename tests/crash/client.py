"""A player who never gives up: each command is sent until its answer arrives."""

import http.client
import threading
import time
from typing import Any, Final, NamedTuple

import orjson

from service.api.tokens import TokenKeys
from service.chance import new_id
from tests.crash.house import House
from tests.support.waiting import DEADLINE

TABLES: Final = ("progressive-five", "classic-three", "american-five")
MOST_TRIES: Final = 50


class Answered(NamedTuple):
    """A command that was answered: its key, and the answer's status and body."""

    key: str
    status: int
    round_id: str
    version: int
    events: bytes
    """The events as JSON."""
    replayed: bool


class Client(threading.Thread):
    """Plays round after round as long as the house is open, and each to its end."""

    def __init__(self, house: House, tokens: TokenKeys, number: int) -> None:
        super().__init__()
        self._house = house
        self._number = number
        self._token = tokens.issue(
            operator="development",
            player=f"p{number}",
            currency="USD",
            mode="demo",
            now=int(time.time()),
            lifetime=3600,
        )
        self._connection = self._connect()
        self.answered: list[Answered] = []
        self.unanswered = 0
        """How often no answer came, or one that the database is away."""
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            while self._house.is_open:
                self._play_round()
        except Exception as error:  # noqa: BLE001 - shown by the main thread
            self.error = error

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def read(self, path: str) -> Any:  # noqa: ANN401 - JSON
        """Return what is at a path."""
        status, _, body = self._once("GET", path, {}, b"")
        assert status == 200, body
        return orjson.loads(body)

    def _play_round(self) -> None:
        """Deal, do whatever is legal, now this and now that, and settle."""
        table = TABLES[self._number % len(TABLES)]
        boxes = [{"box": box, "wager": 200} for box in (1, 2)]
        deal = {"table_id": table, "currency": "USD", "boxes": boxes}
        round_ = self._command("/v1/rounds", deal, None)
        while round_["legal_actions"]:
            legal = round_["legal_actions"]
            body: dict[str, Any] | None = None
            chosen = legal[len(self.answered) % len(legal)]
            match chosen["command"]:
                case "insure":
                    path, body = "insurance", {"boxes": chosen["boxes"]}
                case "act":
                    keys = ("hand", "action")
                    path, body = "actions", {key: chosen[key] for key in keys}
                case _:
                    path = "settlement"
            path = f"/v1/rounds/{round_['id']}/{path}"
            round_ = self._command(path, body, round_["version"])
        assert round_["status"] == "settled"

    def _command(self, path: str, body: object, version: int | None) -> dict[str, Any]:
        """Send a command under one key until it is answered; return the round."""
        key = new_id()
        headers = {"Idempotency-Key": key, "Content-Type": "application/json"}
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        status, replayed, raw = self._surely(path, headers, body)
        assert status == (201 if version is None else 200), raw
        answer = orjson.loads(raw)
        round_: dict[str, Any] = answer["round"]
        assert round_["version"] == (version or 0) + 1
        self.answered.append(
            Answered(
                *(key, status, round_["id"], round_["version"]),
                *(orjson.dumps(answer["events"]), replayed),
            )
        )
        self._house.acknowledged()
        return round_

    def _surely(
        self, path: str, headers: dict[str, str], body: object
    ) -> tuple[int, bool, bytes]:
        content = b"" if body is None else orjson.dumps(body)
        for _ in range(MOST_TRIES):
            try:
                status, replayed, raw = self._once("POST", path, headers, content)
            except (OSError, http.client.HTTPException):
                self._connection.close()
                self._connection = self._connect()
            else:
                if status != 503:
                    return status, replayed, raw
            self.unanswered += 1
            self._house.await_well()
        raise AssertionError(f"no answer after {MOST_TRIES} tries")

    def _once(
        self, method: str, path: str, headers: dict[str, str], content: bytes
    ) -> tuple[int, bool, bytes]:
        allowed = {"Authorization": f"Bearer {self._token}"}
        self._connection.request(method, path, content, {**allowed, **headers})
        answer = self._connection.getresponse()
        replayed = answer.headers.get("Idempotent-Replayed") == "true"
        return answer.status, replayed, answer.read()

    def _connect(self) -> http.client.HTTPConnection:
        host, _, port = self._house.serve.bind.partition(":")
        return http.client.HTTPConnection(host, int(port), timeout=DEADLINE)
