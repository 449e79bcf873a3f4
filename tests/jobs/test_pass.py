"""A pass of a job: what it leaves out, what it tells, and what it would do."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest
from click.testing import CliRunner

from service.api.tokens import account_of
from service.cli import main
from service.jobs.ending import VOID
from service.jobs.job import run_once
from service.store.due import START, due_rounds
from service.store.ledger import lock
from tests.api.player import Got, Player, url_of
from tests.jobs.night import BEGIN, GRACE, Night
from tests.support.clock import DAY, SECOND
from tests.support.sent import wire
from tests.support.waiting import at_once

OVER: Final = BEGIN + 90 * DAY
MOST: Final = 2**63 - 1
SIGNS: Final = re.compile("\x1b\\[[0-9;?]*[a-zA-Z]")

# A copy of a round that expired a second before it, and can't be read.
POISON: Final = """
WITH made AS (
    INSERT INTO round
    SELECT account, gen_random_uuid(), log_account, table_id || '-{poison}', {version},
        currency, status, opened_at, decided_at, closed_at, stake, payout, operator,
        mode, expires_at - interval '1 second'
    FROM round WHERE round = '{round}'
    RETURNING account, round
)
INSERT INTO log (account, round, ver, player, at, key, req, data, hash)
SELECT made.account, made.round, ver, player, at, gen_random_uuid(), req, {data}, hash
FROM made JOIN log ON log.round = '{round}' WHERE {logged}
"""
CURES: Final = (
    "ALTER TABLE log DISABLE TRIGGER append_only",
    """DELETE FROM log USING round
    WHERE log.round = round.round AND round.table_id LIKE '%-poison-%'""",
    "ALTER TABLE log ENABLE TRIGGER append_only",
    "DELETE FROM round WHERE table_id LIKE '%-poison-%'",
)


def dealt(night: Night, player: Player) -> Got:
    night.site.rig.stack("P 5,6 | U 7 | H T")
    return player.deal(1_000)


@contextmanager
def poisoned(night: Night, got: Got) -> Iterator[None]:
    """Have three rounds that nobody can read, which expired before a good one."""
    parts = {"version": "table_version", "data": "data", "logged": "true"}
    for number, wrong in enumerate(
        (
            {"version": "repeat('0', 64)"},
            {"data": """'{"events": [{"type": "hand_eaten/1"}]}'::json"""},
            {"logged": "false"},
        )
    ):
        about = {"round": got.round["id"], "poison": f"poison-{number}"}
        night.site.owner(POISON.format(**about, **{**parts, **wrong}))
    try:
        yield
    finally:
        for cure in CURES:
            night.site.owner(cure)


def faults_told(night: Night) -> list[dict[str, Any]]:
    return [line for line in night.log.lines if line["event"] == "job_fault"]


@pytest.mark.parametrize("batch", [2, 100])
def test_a_round_that_cannot_be_read_is_told_once_and_holds_up_no_other(
    night: Night, batch: int
) -> None:
    players = [night.site.player() for _ in range(3)]
    rounds = [dealt(night, player) for player in players]
    job, words = night.job(VOID, batch), list[str]()
    with poisoned(night, rounds[0]):
        night.clock.set(OVER)
        for _ in range(2):
            assert run_once([job], night.log.logger, words.append)
        assert sorted(words) == ["faulty"] * 3 + ["voided"] * 3
        told = faults_told(night)
        assert {line["why"] for line in told} == {
            "TableVersionUnknown",
            "KeyError",
            "RoundNotFound",
        }
        assert {line["job"] for line in told} == {"void-expired"}
        assert job.look() == ["3 can't be read; the log of a run says which, and why"]
    for player, got in zip(players, rounds, strict=True):
        assert player.get(url_of(got)).json["status"] == "void"


def test_a_round_that_cannot_be_written_undoes_no_other(night: Night) -> None:
    players = [night.site.player() for _ in range(3)]
    rounds = [dealt(night, player) for player in players]
    whose = f"FROM round WHERE round.round = '{rounds[1].round['id']}'"
    which = f"account = (SELECT account {whose})"
    ((had,),) = night.site.owner(f"SELECT amount FROM balance WHERE {which}")  # noqa: S608 - ids of ours
    night.site.owner(f"UPDATE balance SET amount = {MOST} WHERE {which}")  # noqa: S608 - as above
    night.clock.set(OVER)
    assert sorted(night.void()) == ["faulty", "voided", "voided"]
    (fault,) = faults_told(night)
    assert fault["round"] == rounds[1].round["id"]
    assert fault["why"] == "NumericValueOutOfRange"
    night.site.owner(f"UPDATE balance SET amount = {had} WHERE {which}")  # noqa: S608 - as above
    assert night.void() == ["voided"]


def claimed(night: Night, most: int) -> list[str]:
    """Claim what is due, from the beginning; the transaction is the caller's."""
    page = due_rounds(
        night.house.database, "expired", grace=0, after=START, most=most, claim=True
    )
    return [one.round_id for one in page.rounds]


def test_what_one_copy_has_claimed_another_passes_over(night: Night) -> None:
    rounds = [dealt(night, night.site.player()).round["id"] for _ in range(5)]
    busy = night.site.player()
    moving = dealt(night, busy).round["id"]
    night.clock.set(OVER)
    database = night.house.database

    def other() -> list[str]:
        with database.transaction():
            return claimed(night, 10)

    with database.transaction():
        assert claimed(night, 2) == rounds[:2]
        # Money moves in this account: a player plays at another table.
        account = account_of("dev", busy.name, "real")
        assert lock(database, account, "USD") is not None
        assert at_once([other]) == [rounds[2:]]
    assert at_once([other]) == [[*rounds, moving]]


def test_a_batch_takes_few_statements(night: Night) -> None:
    for _ in range(20):
        dealt(night, night.site.player())
    night.clock.set(OVER)
    night.void()  # what a connection reads first is read
    for _ in range(20):
        night.clock.set(BEGIN)
        dealt(night, night.site.player())
    night.clock.set(OVER)
    words: list[list[str]] = []
    sent = wire(night.house.database, lambda: words.append(night.void()))
    assert words == [["voided"] * 20]
    # Claim, read, clock, balances, log, notes, projection, ledger; BEGIN and COMMIT.
    # Now and then the tables and operators are read again.
    assert sent.count("Execute") + sent.count("Query") in {10, 11, 12}


def test_a_pass_says_in_the_log_what_it_did(night: Night, alice: Player) -> None:
    dealt(night, alice)
    night.clock.set(OVER)
    night.void()
    (line,) = night.log.lines
    assert (line["event"], line["job"], line["voided"]) == ("job", "void-expired", 1)
    night.void()
    assert night.log.lines == [line]


def typed(night: Night, *words: str, **more: str) -> list[str]:
    """Return what a command prints that an operator's engineer types."""
    config = night.site.config
    env = {
        "DATABASE_URL": night.clock.url,
        "UPCARD_HOME": str(config.home),
        "UPCARD_SHOE_KEYS": str(config.shoe_keys),
        **more,
    }
    result = CliRunner().invoke(main, ["jobs", *words], env=env)
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def test_a_dry_run_counts_by_table_what_would_be_paid(night: Night) -> None:
    night.site.rig.stack("P A,K / 5,6 | U 7 | H T")
    real = night.site.player()
    demo = Player(night.site.app, real.name, "USD", "demo")
    euros = night.site.player(currency="EUR")
    for player in (real, demo, euros):
        assert player.deal(1_000, 500).status == 201
    assert real.deal(1_000, 500, table="stands").status == 201
    night.clock.set(OVER)
    voided = "classic-three: 1 to be voided;"
    told = [
        f"{voided} 5.00 USD to refund, 25.00 USD to pay, of demo money",
        f"{voided} 5.00 EUR to refund, 25.00 EUR to pay",
        f"{voided} 5.00 USD to refund, 25.00 USD to pay",
        "stands: 1 to be decided; nothing to pay",
    ]
    rows = night.site.log_rows()
    dry = typed(night, "void-expired", "--dry-run")
    assert dry == [f"void-expired: {line}" for line in told]
    assert night.site.log_rows() == rows
    shown = typed(night, "void-expired", FORCE_COLOR="1")
    assert any("4/4" in line for line in shown), "a bar says how far it is"
    assert SIGNS.sub("", shown[-1]) == "3 voided, 1 decided"
    assert typed(night, "void-expired", "--dry-run") == ["void-expired: nothing is due"]
    night.clock.set(OVER + GRACE * SECOND)
    assert typed(night, "settle-abandoned", "--dry-run") == [
        "settle-abandoned: stands: 1 to be settled; 25.00 USD to pay"
    ]


def test_the_grace_is_a_setting(night: Night, alice: Player) -> None:
    night.site.rig.stack("P A,K | U 9 | H 7")
    got = alice.deal(1_000)
    for grace, status in (("1", "awaiting_settlement"), ("0", "settled")):
        typed(night, "run", "--once", UPCARD_SETTLE_GRACE_SECONDS=grace)
        assert alice.get(url_of(got)).json["status"] == status
