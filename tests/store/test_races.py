"""Two commands on two real connections: one wins, the other is told how it lost."""

from collections import Counter
from functools import partial

from service.chance import new_id
from service.store.chain import check_chain
from service.store.database import Database
from service.store.errors import KeyUsed, LostRace, OpenRoundExists
from service.store.log import append, load
from service.store.rounds import open_rounds
from service.store.rows import LogRow
from service.store.writes import append_and_project, open_round
from tests.support.samples import SHOE, first_row, next_row, opened, round_row
from tests.support.waiting import at_once

CLIENTS = 8


def outcomes(results: list[Exception | None]) -> Counter[type]:
    return Counter(type(result) for result in results)


def deals(database: Database, rows: list[LogRow]) -> Counter[type]:
    return outcomes(
        at_once(
            [partial(open_round, database, SHOE, row, round_row(row)) for row in rows]
        )
    )


def test_parallel_deals_give_one_round(database: Database) -> None:
    for _ in range(5):
        account = new_id()
        rows = [first_row(account, f"key-{n:05}") for n in range(CLIENTS)]
        assert deals(database, rows) == {type(None): 1, OpenRoundExists: CLIENTS - 1}
        (round_,) = open_rounds(database, account)
        assert len(load(database, account, round_.round_id, round_.round_id).rows) == 1
        held = [load(database, account, r.round_id, r.round_id).shoe for r in rows]
        assert held.count(SHOE) == 1


def test_a_deal_sent_many_times_at_once_gives_one_round(database: Database) -> None:
    for _ in range(5):
        account = new_id()
        rows = [first_row(account) for _ in range(CLIENTS)]
        assert deals(database, rows) == {type(None): 1, KeyUsed: CLIENTS - 1}
        assert len(open_rounds(database, account)) == 1


def test_of_appends_at_one_version_one_is_taken(database: Database) -> None:
    row = opened(database)
    for turn in range(5):
        rows = [next_row(row, f"key-{turn}-{n:05}") for n in range(CLIENTS)]
        results = at_once([partial(append, database, row) for row in rows])
        assert outcomes(results) == {type(None): 1, LostRace: CLIENTS - 1}
        row = rows[results.index(None)]
        assert load(database, row.account, row.round_id, None).rows[-1] == row
    # A connection that lost is as good as new.
    assert at_once([partial(append, database, next_row(row, "key-after"))]) == [None]
    check_chain(load(database, row.account, row.round_id, None).rows)


def test_a_plain_append_and_one_with_a_projection_race_too(database: Database) -> None:
    row = opened(database)
    plain, closing = next_row(row, "key-plain"), next_row(row, "key-close")
    closed = round_row(row)._replace(closed_at=row.at, status="closed")
    results = at_once(
        [
            partial(append, database, plain),
            partial(append_and_project, database, closing, closed),
        ]
    )
    assert outcomes(results) == {type(None): 1, LostRace: 1}
    is_open = bool(open_rounds(database, row.account))
    assert is_open == (results[0] is None), "the projection is with the log"


def test_one_key_at_two_versions_is_taken_once(database: Database) -> None:
    row = opened(database)
    second = next_row(row, "key-twice")
    third = next_row(second, "key-twice")
    results = at_once([partial(append, database, row) for row in (second, third)])
    assert outcomes(results) == {type(None): 1, KeyUsed: 1}
