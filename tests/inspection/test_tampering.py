"""Whatever the owner of the tables does to a round, an inspection names it."""

import pytest

from service.keyfile import KeyFile
from service.seals.seal import SealKeys
from tests.inspection.conftest import KEYS, Kept

LAST = "SELECT max(ver) FROM log WHERE account = %s AND round = %s"


def test_what_is_as_it_was_written_is_found_so(kept: Kept) -> None:
    assert kept.found() == []
    kinds = kept.owner.read("SELECT status, count(*)::int FROM round GROUP BY 1")
    assert ("void", 3) in kinds
    assert kept.owner.read("SELECT count(*)::int FROM seal_leaf") == [(31,)]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("hash = set_bit(hash, 77, 1 - get_bit(hash, 77))", "row 3: its hash does"),
        ("req = set_bit(req, 5, 1 - get_bit(req, 5))", "row 3: its hash does not"),
        ("at = at + interval '1 microsecond'", "row 3: its hash does not fit"),
        ("data = replace(data::text, '\"hand_', '\"hbnd_')::json", "row 3: its hash"),
    ],
)
def test_one_flipped_bit_is_found(kept: Kept, change: str, found: str) -> None:
    account, round_id = kept.long_round()
    statement = "UPDATE log SET @change @round AND ver = 3"
    lines = kept.found(
        (statement.replace("@change", change), (account, round_id)),
    )
    assert any(line.startswith(f"{round_id}: {found}") for line in lines), lines
    assert all(line.startswith(f"{round_id}: ") for line in lines), lines


def test_one_dropped_row_is_found(kept: Kept) -> None:
    account, round_id = kept.long_round()
    lines = kept.found(("DELETE FROM log @round AND ver = 2", (account, round_id)))
    assert f"{round_id}: row 2: calls itself 3 (the log is as it was written: no)" in (
        lines
    )


def test_a_dropped_end_is_found_three_times(kept: Kept) -> None:
    account, round_id = kept.long_round()
    ((last,),) = kept.owner.read(LAST, kept.long_round())
    where = (account, round_id, last)
    lines = kept.found(("DELETE FROM log @round AND ver = %s", where))
    assert any("no row of the log is its cause" in line for line in lines)
    assert lines[1:] == [
        f"{round_id}: the list of rounds has it as over, and its log has no end",
        f"{round_id}: seal 1 covers row {last}, which is missing",
    ]


def test_a_dropped_round_is_found(kept: Kept) -> None:
    account, round_id = kept.long_round()
    where = (account, round_id)
    log = ("DELETE FROM log @round", where)
    row = ("DELETE FROM round @round", where)
    money = ("DELETE FROM ledger @round", where)
    (sealed,) = kept.found(log, row, money)
    assert sealed.startswith(f"{round_id}: seal 1 covers row ")
    assert f"{round_id}: money moved for it, and its log is missing" in (
        kept.found(log, row)
    )
    assert f"{round_id}: the list of rounds has it, and its log is missing" in (
        kept.found(log)
    )


def test_a_swapped_pair_is_found(kept: Kept) -> None:
    account, round_id = kept.long_round()
    swap = "UPDATE log SET ver = %s @round AND ver = %s"
    places = ((99, 2), (2, 3), (3, 99))
    lines = kept.found(*((swap, (new, account, round_id, old)) for new, old in places))
    assert f"{round_id}: row 2: its hash does not fit its fields (the log is as" in (
        "\n".join(lines)
    )


def test_two_swapped_rounds_are_found(kept: Kept) -> None:
    """Each chain fits nothing but its own account and id."""
    statement = "SELECT account, round FROM seal_leaf WHERE seal = 1 LIMIT 2"
    (one, other) = kept.owner.read(statement)
    move = "UPDATE log SET account = %s, round = %s @round"
    nowhere = ("00000000-0000-0000-0000-000000000001",) * 2
    steps = ((nowhere, one), (one, other), (other, nowhere))
    lines = kept.found(*((move, (*new, *old)) for new, old in steps))
    assert {line.split(":")[0] for line in lines} == {one[1], other[1]}


def test_a_tail_written_anew_is_found_by_its_seal_alone(kept: Kept) -> None:
    account, round_id = kept.long_round()
    changes = kept.rewritten(account, round_id, 3)
    ((last,),) = kept.owner.read(LAST, kept.long_round())
    assert kept.found(*changes) == [
        f"{round_id}: row {last} is not the one that seal 1 covers: written anew"
    ]


def test_a_tail_written_anew_after_a_seal_leaves_its_head(kept: Kept) -> None:
    """Of a round that went on, each seal says what it knew."""
    statement = "SELECT account, round, ver FROM seal_leaf WHERE seal = 2 AND ver = 3"
    found = kept.owner.read(statement)
    account, round_id, _ = found[0]
    changes = kept.rewritten(account, round_id, 3)
    assert kept.found(*changes) == [
        f"{round_id}: row 3 is not the one that seal 2 covers: written anew"
    ]


def test_who_forges_leaves_too_lacks_the_root(kept: Kept) -> None:
    account, round_id = kept.long_round()
    changes = kept.rewritten(account, round_id, 3)
    digest = changes[-1][1][1]
    forge = ("UPDATE seal_leaf SET hash = %s @round", (digest, account, round_id))
    unsigned = "seal 1: its leaves are not those that were signed"
    assert kept.found(*changes, forge) == [unsigned]
    drop = ("DELETE FROM seal_leaf @round", (account, round_id))
    last = changes[-1][1][-1]
    assert kept.found(drop) == [
        f"{round_id}: seal 1 does not know row {last}: it was put in later",
        unsigned,
    ]


def test_who_forges_the_seal_too_lacks_the_key(kept: Kept) -> None:
    root = ("UPDATE seal SET root = %s WHERE seal = 1", (bytes(32),))
    assert kept.found(root) == [
        "seal 1: its signature is wrong: it was changed",
        "seal 2: does not follow from the one before it",
        "seal 1: its leaves are not those that were signed",
    ]


def test_a_key_that_comes_with_the_seals_proves_nothing(kept: Kept) -> None:
    other = SealKeys(KeyFile.from_text(KeyFile.fresh_text("s1"), "another"))
    kept.trusted = list(other.public.values())
    try:
        lines = kept.found()
    finally:
        kept.trusted = list(KEYS.public.values())
    assert [line.split(":")[0] for line in lines] == ["seal 1", "seal 2"]
    assert all("which is not trusted" in line for line in lines)


def test_a_seal_that_was_dropped_is_found(kept: Kept) -> None:
    lines = kept.found(("DELETE FROM seal WHERE seal = 1", ()))
    assert "seal 1: is missing; the next there is has number 2" in lines
    assert any("a leaf is of seal 1, which is missing" in line for line in lines)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (
            "UPDATE ledger SET amount = amount + 1 @round AND side = 'player'",
            "the ledger",
        ),
        ("DELETE FROM ledger @round AND purpose = 'deal'", "row 1: the ledger says {}"),
        ("DELETE FROM shoe WHERE account = %s AND shoe = %s", "its shoe is missing"),
        (
            "UPDATE shoe SET sealed = sealed || 'x' WHERE account = %s AND shoe = %s",
            "the seal is not the one of this shoe",
        ),
        ("DELETE FROM round @round", "the list of rounds does not have it"),
    ],
)
def test_what_stands_beside_the_log_is_checked(
    kept: Kept, change: str, found: str
) -> None:
    lines = kept.found((change, kept.long_round()))
    assert len(lines) == 1
    assert found in lines[0]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("payout = payout + 1", "payout"),
        ("stake = stake - 1", "stake"),
        ("status = 'void'", "status"),
        ("ended_by = 'job'", "ended_by"),
        ("mode = 'demo'", "mode"),
        ("operator = 'another'", "operator"),
        ("currency = 'JPY'", "currency"),
        ("closed_at = closed_at + interval '1 day'", "closed_at"),
        ("closed_at = NULL", "closed_at"),
    ],
)
def test_the_list_that_reports_are_made_of_is_checked(
    kept: Kept, change: str, found: str
) -> None:
    account, round_id = kept.long_round()
    (line,) = kept.found((f"UPDATE round SET {change} @round", (account, round_id)))  # noqa: S608 - ours
    assert line.startswith(f"{round_id}: the list of rounds has {found} ")


def test_what_is_open_is_listed_as_it_was_dealt(kept: Kept) -> None:
    statement = "SELECT account, round FROM round WHERE closed_at IS NULL LIMIT 1"
    ((account, round_id),) = kept.owner.read(statement)
    change = "UPDATE round SET expires_at = 'infinity', stake = 0 @round"
    lines = kept.found((change, (account, round_id)))
    assert [line.split()[6] for line in lines] == ["expires_at", "stake"]
