"""kill -9 of PostgreSQL and of a worker under load: no command is lost or doubled."""

import signal
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Final, NamedTuple

import orjson
import psycopg
import pytest

from service.api.tokens import TokenKeys
from service.audit import verify
from service.embedded.server import dsn
from tests.crash.client import Client
from tests.crash.house import House, Kill
from tests.support.postgres import fresh_home
from tests.support.serving import Serve

CLIENTS: Final = 8
BETWEEN_KILLS: Final = 40
KILLS: Final = [
    Kill(number * BETWEEN_KILLS, "postgres" if number % 2 else "worker")
    for number in range(1, 11)
]


class Aftermath(NamedTuple):
    """What is left when all parts were killed and all rounds were played to the end."""

    house: House
    clients: list[Client]
    database: psycopg.Connection


@pytest.fixture(scope="module")
def aftermath(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aftermath]:
    """Let people play while parts are killed, until nobody plays any more."""
    with fresh_home() as home:
        serve = Serve(home, tmp_path_factory.mktemp("crash") / "output")
        try:
            house = House(serve.ready(), KILLS)
            tokens = TokenKeys.from_file(home.path / "secrets" / "token-keys.json")
            clients = [Client(house, tokens, number) for number in range(CLIENTS)]
            for client in clients:
                client.start()
            for client in clients:
                client.join()
            with psycopg.connect(dsn(home)) as database:
                yield Aftermath(house, clients, database)
            for client in clients:
                client.close()
        finally:
            serve.process.send_signal(signal.SIGINT)
            serve.ended()


def test_parts_were_killed_under_load(aftermath: Aftermath) -> None:
    assert len(set(aftermath.house.killed)) == len(KILLS)
    assert sum(client.unanswered for client in aftermath.clients) >= len(KILLS)


def test_each_command_got_its_answer(aftermath: Aftermath) -> None:
    assert [client.error for client in aftermath.clients] == [None] * CLIENTS
    answers = sum(len(client.answered) for client in aftermath.clients)
    assert answers >= KILLS[-1].at


def test_the_log_holds_each_answered_command_once_and_no_other(
    aftermath: Aftermath,
) -> None:
    rows = aftermath.database.execute("SELECT round::text, ver, key FROM log")
    answered = Counter(
        (each.round_id, each.version, each.key)
        for client in aftermath.clients
        for each in client.answered
    )
    assert Counter(rows.fetchall()) == answered
    assert set(answered.values()) == {1}


def test_the_events_are_those_that_were_answered(aftermath: Aftermath) -> None:
    for client in aftermath.clients:
        for round_id, answers in groupby(client.answered, lambda each: each.round_id):
            events = client.read(f"/v1/rounds/{round_id}/events")["events"]
            told = [
                orjson.dumps(list(of_command))
                for _, of_command in groupby(events, lambda event: event["version"])
            ]
            assert told == [each.events for each in answers]


def test_every_round_is_settled_and_proves_itself(aftermath: Aftermath) -> None:
    rounds = aftermath.database.execute("SELECT round::text, status FROM round")
    statuses: dict[str, str] = dict(rounds.fetchall())
    assert set(statuses.values()) == {"settled"}
    for client in aftermath.clients:
        for round_id in {each.round_id for each in client.answered}:
            assert statuses.pop(round_id) == "settled"
            report = verify(client.read(f"/v1/rounds/{round_id}/proof"))
            assert report.ok, report
    assert statuses == {}
