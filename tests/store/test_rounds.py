"""Rows come back as they were written, and a hit is two statements."""

import pytest

from service.chance import new_id
from service.store.database import Database, clock
from service.store.errors import KeyUsed, LostRace, OpenRoundExists
from service.store.log import append, find_key, load
from service.store.rounds import find_round, holds_shoes, open_rounds, rebuild
from service.store.rows import Loaded, LogRow
from service.store.standing import DealRequest, before_deal
from service.store.writes import append_and_project, open_round
from tests.support.samples import AT, SHOE, first_row, next_row, opened, round_row
from tests.support.sent import wire


def test_a_round_comes_back_as_it_was_written(database: Database) -> None:
    row = first_row(new_id())
    before = clock(database)
    open_round(database, SHOE, row, round_row(row))
    second = next_row(row, "key-00002")
    append(database, second)
    loaded = load(database, row.account, row.round_id, row.round_id)
    assert loaded.rows == [row, second]
    assert loaded.shoe == SHOE
    assert before < loaded.now <= clock(database)
    assert find_round(database, row.account, row.round_id) == round_row(row)


def test_rows_come_in_the_order_of_their_versions(dsn: str) -> None:
    # Without its indexes PostgreSQL finds rows in the order of writing.
    slow = "-c enable_indexscan=off -c enable_bitmapscan=off"
    database = Database(f"{dsn} options='{slow}'")
    rows = [opened(database)]
    for number in range(2, 31):
        rows.append(next_row(rows[-1], f"key-{number:05}"))
    for row in reversed(rows[1:]):
        append(database, row)
    assert load(database, rows[0].account, rows[0].round_id, None).rows == rows
    database.close()


@pytest.mark.parametrize("known", [True, False])
def test_a_load_finds_what_there_is_and_always_the_time(
    database: Database, *, known: bool
) -> None:
    row = opened(database)
    account = row.account if known else new_id()
    loaded = load(database, account, new_id(), row.round_id)
    assert loaded == Loaded([], SHOE if known else None, loaded.now)
    assert loaded.now > AT - 10**15


def test_a_hit_is_one_select_and_one_insert(database: Database) -> None:
    row = opened(database)
    # Once before: a statement is prepared on its first use.
    load(database, row.account, row.round_id, row.round_id)
    append(database, second := next_row(row, "key-00002"))

    def hit() -> None:
        load(database, row.account, row.round_id, row.round_id)
        append(database, next_row(second, "key-00003"))

    once = ["Bind", "Describe", "Execute", "Sync"]
    assert wire(database, hit) == once * 2


def test_what_opens_and_what_decides_are_one_statement_too(database: Database) -> None:
    opened(database)
    assert wire(database, lambda: opened(database)).count("Execute") == 1
    row = opened(database)
    append_and_project(database, row := next_row(row, "key-00002"), round_row(row))
    last = next_row(row, "key-00003")
    sent = wire(database, lambda: append_and_project(database, last, round_row(row)))
    assert sent.count("Execute") == 1
    assert "Query" not in sent


def test_a_deal_learns_what_it_has_to_know(database: Database) -> None:
    account = new_id()

    def ask(
        table_id: str, key: str, player: str = "ann"
    ) -> tuple[str | None, LogRow | None]:
        who = (account, player, "dev", None)
        before = before_deal(database, DealRequest(*who, table_id, "EUR", key))
        return before.open_round_id, before.keyed

    assert ask("a-table", "key-00001") == (None, None)
    row = opened(database, account)
    assert ask("a-table", "key-00001") == (row.round_id, row)
    assert ask("a-table", "key-00002") == (row.round_id, None)
    assert ask("b-table", "key-00001") == (None, row)
    assert ask("b-table", row.key, "bob") == (None, None)


def test_the_projection_follows_and_closes(database: Database) -> None:
    row = opened(database)
    changed = round_row(row)._replace(decided_at=AT + 5, status="decided", payout=0)
    append_and_project(database, row := next_row(row, "key-00002"), changed)
    assert open_rounds(database, row.account) == [changed]
    closed = changed._replace(
        closed_at=AT + 9, status="done", stake=2**40, payout=2**41
    )
    append_and_project(database, next_row(row, "key-00003"), closed)
    assert open_rounds(database, row.account) == []
    assert find_round(database, row.account, row.round_id) == closed
    assert find_round(database, new_id(), row.round_id) is None


def test_a_closed_round_makes_room_for_the_next(database: Database) -> None:
    row = opened(database)
    closed = round_row(row)._replace(closed_at=AT)
    append_and_project(database, next_row(row, "key-00002"), closed)
    another = first_row(row.account, "key-00003")
    open_round(database, SHOE, another, round_row(another))
    beside = first_row(row.account, "key-00004")
    with pytest.raises(OpenRoundExists):
        open_round(database, SHOE, beside, round_row(beside))
    elsewhere = round_row(beside, "b-table")
    open_round(database, SHOE, beside, elsewhere)
    assert [row.table_id for row in open_rounds(database, row.account)] == [
        "b-table",
        "a-table",
    ]


@pytest.mark.parametrize("project", [True, False])
def test_a_row_that_is_refused_changes_nothing(
    database: Database, *, project: bool
) -> None:
    row = opened(database)
    changed = round_row(row)._replace(status="changed")

    def write(row: LogRow) -> None:
        if project:
            append_and_project(database, row, changed)
        else:
            append(database, row)

    with pytest.raises(LostRace):
        write(row._replace(key="key-00009"))
    with pytest.raises(KeyUsed):
        write(next_row(row, row.key))
    assert load(database, row.account, row.round_id, None).rows == [row]
    assert open_rounds(database, row.account) == [round_row(row)]


def test_a_repeated_deal_is_told_from_another_open_round(database: Database) -> None:
    row = opened(database)
    again = first_row(row.account, row.key)
    with pytest.raises(KeyUsed):
        open_round(database, SHOE, again, round_row(again))
    assert load(database, again.account, again.round_id, again.round_id).shoe is None


def test_a_key_is_found_with_its_account_and_player(database: Database) -> None:
    row = opened(database)
    assert find_key(database, row.account, "ann", row.key) == row
    assert find_key(database, row.account, "bob", row.key) is None
    assert find_key(database, new_id(), "ann", row.key) is None


def test_the_projection_can_be_made_anew(database: Database) -> None:
    rows = [opened(database) for _ in range(3)]
    database.write("UPDATE round SET status = 'lost', closed_at = now(), payout = 1")
    assert rebuild(database, lambda log: [round_row(log[0])]) == 3
    for row in rows:
        assert find_round(database, row.account, row.round_id) == round_row(row)


def test_a_database_in_use_is_known_by_its_shoes(database: Database) -> None:
    assert not holds_shoes(database)
    opened(database)
    assert holds_shoes(database)
