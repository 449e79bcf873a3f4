"""kill -9 of the service and its database after each command: the round goes on.

One round in which everything is done; and once the launcher itself is killed with them.
"""

import http.client
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson
import pytest

from service.api.tokens import TokenKeys
from service.chance import new_id
from service.cli.listening import answers
from service.embedded.home import Home
from service.embedded.server import dsn
from service.store.database import Database
from service.store.operators import OperatorRow, add_operator
from tests.support.postgres import fresh_home
from tests.support.processes import children
from tests.support.serving import Serve
from tests.support.waiting import DEADLINE, is_gone, until

CARDS: Final = ["8S", "AH", "8D", "6C", "3S", "4H", "TD", "5C"]
DEAL: Final = {
    "table_id": "american-five",
    "currency": "USD",
    "boxes": [{"box": 1, "wager": 1_000}],
    "cards": CARDS,
}
MOVES: Final = [
    ("insurance", {"boxes": [1]}),
    ("actions", {"hand": "1a", "action": "split"}),
    ("actions", {"hand": "1a", "action": "double"}),
    ("actions", {"hand": "1b", "action": "hit"}),
    ("actions", {"hand": "1b", "action": "stand"}),
    ("settlement", None),
]
ALL_DIE_AFTER: Final = 3
"""The version after which the launcher is killed as well."""


class Got(NamedTuple):
    status: int
    body: bytes


class Player:
    """A sandbox's player with a token for each request: nothing of him is kept."""

    def __init__(self, tokens: TokenKeys, bind: str) -> None:
        self._tokens = tokens
        self._bind = bind

    def ask(
        self, method: str, path: str, body: object = None, version: int | None = None
    ) -> Got:
        host, _, port = self._bind.partition(":")
        token = self._tokens.issue(
            operator="sandbox",
            player="ann",
            currency="USD",
            mode="demo",
            now=int(time.time()),
            lifetime=60,
        )
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": new_id()}
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        content = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = orjson.dumps(body)
        connection = http.client.HTTPConnection(host, int(port), timeout=DEADLINE)
        with closing(connection):
            connection.request(method, path, content, headers)
            answer = connection.getresponse()
            return Got(answer.status, answer.read())


class House:
    """A served house whose parts are killed and come again."""

    def __init__(self, home: Home, folder: Path) -> None:
        self._home = home
        self._folder = folder
        self.serve = self._started()

    def _started(self) -> Serve:
        output = self._folder / new_id()
        return Serve(self._home, output, UPCARD_WORKERS="1").ready()

    def kill(self) -> None:
        """Kill the workers and PostgreSQL at once, and wait until both are there."""
        found = self.serve.children
        dead = [found["postgres"], *children(found["gunicorn"])]
        for pid in dead:
            os.kill(pid, signal.SIGKILL)
        until(lambda: self._is_another(set(dead)), "a worker and a database")
        until(lambda: answers(self.serve.address, "/readyz"), "an answer")

    def kill_all(self) -> None:
        """Kill the launcher and all that it started, and start it again."""
        found = self.serve.children
        dead = [*found.values(), *children(found["gunicorn"]), self.serve.process.pid]
        for pid in dead[::-1]:
            os.kill(pid, signal.SIGKILL)
        self.serve.ended()
        until(lambda: all(map(is_gone, dead)), "the end of all")
        self.serve = self._started()

    def _is_another(self, dead: set[int]) -> bool:
        found = self.serve.children
        if "postgres" not in found:
            return False
        workers = children(found["gunicorn"])
        return bool(workers) and dead.isdisjoint({found["postgres"], *workers})

    def close(self) -> None:
        self.serve.process.send_signal(signal.SIGINT)
        self.serve.ended()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with fresh_home() as home:
        house = House(home, tmp_path)
        with closing(Database(dsn(home), role=None)) as owner:
            add_operator(owner, OperatorRow("sandbox", "ledger", None, sandbox=True))
        yield house
        house.close()


def test_a_round_survives_a_kill_after_each_command(house: House) -> None:
    keys = house._home.path / "secrets" / "token-keys.json"  # noqa: SLF001 - ours
    tokens = TokenKeys.from_file(keys)

    def player() -> Player:
        return Player(tokens, house.serve.bind)

    answer = player().ask("POST", "/v1/rounds", DEAL)
    assert answer.status == 201, answer.body
    url = f"/v1/rounds/{orjson.loads(answer.body)['round']['id']}"
    for version, (path, body) in enumerate(MOVES, start=1):
        survives(house, player, url, answer)
        answer = player().ask("POST", f"{url}/{path}", body, version)
        assert answer.status == 200, answer.body
    survives(house, player, url, answer)
    round_ = orjson.loads(answer.body)["round"]
    assert (round_["status"], round_["version"]) == ("settled", len(MOVES) + 1)


def survives(house: House, player: Callable[[], Player], url: str, answer: Got) -> None:
    """Kill, and see that the round is what it was, and found by its player."""
    before = player().ask("GET", url)
    told: dict[str, Any] = orjson.loads(answer.body)["round"]
    assert orjson.loads(before.body) == told
    if told["version"] == ALL_DIE_AFTER:
        house.kill_all()
    else:
        house.kill()
    assert player().ask("GET", url) == before
    listed = orjson.loads(player().ask("GET", "/v1/rounds?status=open").body)["items"]
    assert listed == ([] if told["status"] == "settled" else [told])
