"""kill -9 of PostgreSQL under load: what was acknowledged is there, and once."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Final

import pytest

from service.chance import new_id
from service.embedded.server import Server
from service.store.chain import check_chain
from service.store.database import Database
from service.store.errors import DatabaseUnavailable, KeyUsed, LostRace, OpenRoundExists
from service.store.log import append, find_key, load
from service.store.rows import LogRow, RoundRow
from service.store.schema import migrate
from service.store.standing import DealRequest, before_deal
from service.store.writes import append_and_project, open_round
from tests.support.postgres import fresh_home, quiet
from tests.support.samples import SHOE, first_row, next_row, round_row
from tests.support.waiting import until

KILLS: Final = 5
CLIENTS: Final = 6
ROWS_BETWEEN_KILLS: Final = 120
ROUND_LENGTH: Final = 5
TRIES: Final = 1_500


@pytest.fixture
def server() -> Iterator[Server]:
    """A server with the settings of production: the session's own is not durable."""
    with fresh_home() as home, home.locked():
        server = Server(home, quiet)
        server.start()
        migrate(server.dsn, quiet)
        yield server
        server.stop()


class Client(threading.Thread):
    """Plays rounds of five rows, one after the other, as a client that never gives up.

    A write whose fate is unknown is sent again with its key, and only an answer makes
    the row acknowledged.
    """

    def __init__(self, database: Database, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.database = database
        self.stop = stop
        self.account = new_id()
        self.acknowledged: list[LogRow] = []
        self.unknown = 0
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            while not self.stop.is_set():
                self.play()
        except Exception as error:  # noqa: BLE001 - shown by the main thread
            self.error = error

    def play(self) -> None:
        row = first_row(self.account, f"key-{new_id()}")
        row = self.surely(row, round_row(row))
        for _ in range(ROUND_LENGTH - 1):
            row = next_row(row, f"key-{new_id()}")
            last = row.ver == ROUND_LENGTH
            closed = round_row(row)._replace(closed_at=row.at, status="closed")
            row = self.surely(row, closed if last else None)

    def surely(self, row: LogRow, projection: RoundRow | None) -> LogRow:
        """Write until it is acknowledged."""
        for _ in range(TRIES):
            try:
                return self.once(row, projection)
            except DatabaseUnavailable:
                self.unknown += 1
                threading.Event().wait(0.02)  # as Retry-After asks
        raise TimeoutError(f"PostgreSQL was away for {TRIES} tries")

    def once(self, row: LogRow, projection: RoundRow | None) -> LogRow:
        try:
            if row.ver == 1 and projection:
                open_round(self.database, SHOE, row, projection)
            elif projection:
                append_and_project(self.database, row, projection)
            else:
                append(self.database, row)
        except (KeyUsed, LostRace, OpenRoundExists):
            # It was written, though its answer was lost.
            assert find_key(self.database, row.account, row.player, row.key) == row
        self.acknowledged.append(row)
        return row


def test_no_acknowledged_row_is_lost_or_doubled(server: Server) -> None:
    stop = threading.Event()
    with closing(Database(server.dsn)) as database:
        clients = [Client(database, stop) for _ in range(CLIENTS)]

        def written() -> int:
            return sum(len(client.acknowledged) for client in clients)

        def reached(goal: int) -> Callable[[], bool]:
            return lambda: written() >= goal

        for client in clients:
            client.start()
        try:
            for _ in range(KILLS):
                until(reached(written() + ROWS_BETWEEN_KILLS), "rows")
                os.kill(server.pid, signal.SIGKILL)
                assert server.ended(30)
                server.start()
        finally:
            stop.set()
            for client in clients:
                client.join(60)
        assert [client.error for client in clients] == [None] * CLIENTS
        assert sum(client.unknown for client in clients) >= KILLS
        for client in clients:
            agree(database, client)


def agree(database: Database, client: Client) -> None:
    """The log holds what the client knows, row for row, and nothing more."""
    rounds: dict[str, list[LogRow]] = {}
    for row in client.acknowledged:
        rounds.setdefault(row.round_id, []).append(row)
    for round_id, rows in rounds.items():
        loaded = load(database, client.account, round_id, round_id)
        assert loaded.rows == rows
        assert loaded.shoe == SHOE
        check_chain(loaded.rows)
    query = "SELECT count(*), (SELECT count(*) FROM round WHERE account = %s)"
    query += " FROM log WHERE account = %s"
    counted = database.read(query, (client.account, client.account))
    assert counted == [(len(client.acknowledged), len(rounds))]
    who = (client.account, "ann", "dev", None)
    before = before_deal(database, DealRequest(*who, "a-table", "EUR", "key-fresh"))
    assert before.open_round_id is None
