"""Reconciliation: nothing is found where all is well, and every planted fault is."""

import json
import tomllib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from string import Template
from typing import Final
from urllib.parse import urlencode

import psycopg
import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import conninfo_to_dict

from service.chance import new_id
from service.cli import main
from service.inspection import Inspector, no_archive
from service.reconcile import Purse, Report, Sums, reconcile
from service.reconcile.book import KINDS, Difference
from service.sealing import KeyRing
from service.store.database import Database
from service.store.inspection import everything
from service.store.reconciliation import one_moment, streams_of
from service.store.tables import all_table_versions
from tests.support.money import assert_money_is_right, reconciled
from tests.support.postgres import Postgres
from tests.support.wallet import WalletProcess
from tests.tidy import ROOT
from tests.wallet.busy import BANK, Busy
from tests.wallet.casino import OPERATOR, RING, Casino

TABLES: Final = ("log", "ledger", "shoe")
PLANTED: Final = [
    (fault["found"], fault["plant"])
    for fault in tomllib.loads((ROOT / "tests/wallet/planted.toml").read_text("utf-8"))[
        "fault"
    ]
]
AGAIN: Final = {
    "ledger_again": (
        "INSERT INTO ledger (account, operator, player, mode, entry, line, purpose,"
        " round, ver, currency, side, amount, balance, at) SELECT account, operator,"
        " player, mode, gen_random_uuid(), line + 9, purpose, round, ver, currency,"
        " side, amount, balance, at FROM ledger"
    ),
    "wallet_again": (
        "INSERT INTO transfer (account, transfer, operator, player, kind, purpose,"
        " round, ver, table_id, currency, amount, lines, status, made_at) SELECT"
        " account, gen_random_uuid(), operator, player, kind, purpose, round, ver,"
        " table_id, currency, amount, lines, status, made_at FROM transfer"
    ),
}
"""Rows that are there twice."""


@pytest.fixture(scope="module")
def busy(postgres: Postgres, wallet_process: WalletProcess) -> Iterator[Busy]:
    """Give a database in which a little of everything has happened."""
    with postgres.copy() as dsn, closing(Casino(dsn, wallet_process)) as casino:
        yield Busy(casino)


@pytest.fixture(scope="module")
def owner(busy: Busy) -> Iterator[Database]:
    """Give the database as its owner, who can take the seat belts off."""
    database = Database(busy.casino.dsn, role=None)
    yield database
    database.close()


class _Undo(Exception):
    """What a test wrote is taken back."""


@contextmanager
def undone(database: Database) -> Iterator[None]:
    """Make a transaction that comes to nothing."""
    with suppress(_Undo), database.transaction():
        yield
        raise _Undo


def planted(owner: Database, busy: Busy, statement: str) -> Report:
    """Do something to the rows, see what is found, and take it back."""
    names = AGAIN | {f"ledger_{name}": one for name, one in busy.ledger.items()}
    names |= {f"wallet_{name}": one for name, one in busy.wallet.items()}
    reports = []
    with undone(owner):
        for table in TABLES:
            owner.write(f"ALTER TABLE {table} DISABLE TRIGGER append_only")
        written = owner.write(Template(statement).substitute(names))
        assert written > 0, "nothing was planted"
        reports.append(reconcile(streams_of(owner), nothing_waits=True))
    (report,) = reports
    return report


def test_every_round_is_as_it_was_written(busy: Busy, owner: Database) -> None:
    """With the money of both wallets: an inspection counts it its own way."""
    sources = {row.version: row.source for row in all_table_versions(owner)}
    inspector = Inspector(KeyRing.from_text(RING, "test"), sources, (), (), no_archive)
    with owner.transaction():
        assert list(inspector.inspect(everything(owner))) == []
    with owner.transaction():
        rounds = reconciled(busy.casino.dsn).counts["rounds"]
    assert inspector.counts["rounds"] == rounds > 0


def test_where_all_is_well_nothing_is_found(busy: Busy) -> None:
    report = assert_money_is_right(busy.casino.dsn, nothing_waits=True)
    held = 2_000 + 6_000
    ledger = Purse(BANK, "real", "ledger", "USD")
    demo = Purse(OPERATOR, "demo", "ledger", "USD")
    wallet = Purse(OPERATOR, "real", "wallet", "USD")
    assert report.sums == (
        Sums(ledger, 80_000 - 6_000, held, -2_000, -80_000, held),
        Sums(demo, 100_000, 0, 5_000, -105_000, 0),
        Sums(wallet, -6_000, held, -2_000, 0, held),
    )
    assert all(one.rest == 0 for one in report.sums)
    assert report.counts["rounds"] == 15
    assert report.counts["waiting"] == 0


@pytest.mark.parametrize(
    ("kind", "statement"),
    [pytest.param(*case, id=f"{case[0]}-{n}") for n, case in enumerate(PLANTED)],
)
def test_a_planted_fault_is_found_and_named(
    busy: Busy, owner: Database, kind: str, statement: str
) -> None:
    report = planted(owner, busy, statement)
    assert kind in {one.kind for one in report.differences}
    assert {one.kind for one in report.differences} <= KINDS.keys()


def test_every_kind_of_fault_was_planted() -> None:
    assert {kind for kind, _ in PLANTED} == KINDS.keys()


def test_a_difference_says_where_and_how_much(busy: Busy, owner: Database) -> None:
    statement = "UPDATE round SET payout = payout + 1 WHERE round = '$ledger_won'"
    (found,) = planted(owner, busy, statement).differences
    assert found == Difference(
        kind="round_wrong",
        operator=BANK,
        account=busy.saver.account,
        round_id=busy.ledger["won"],
        name="payout",
        expected=6_000,
        found=6_001,
    )
    statement = (
        "UPDATE transfer SET amount = 999 WHERE round = '$wallet_won' AND ver = 3"
    )
    wrong, lines, money = planted(owner, busy, statement).differences
    assert (wrong.kind, wrong.round_id, wrong.version) == (
        *("debit_wrong", busy.wallet["won"]),
        3,
    )
    assert (wrong.expected, wrong.found) == (
        "amount 1000, purpose double",
        "amount 999, purpose double",
    )
    assert (lines.kind, lines.expected, lines.found) == ("lines_wrong", 999, 1_000)
    assert (money.kind, money.name, money.found) == (
        "money_wrong",
        "real wallet USD",
        1,
    )


def test_one_operator_is_looked_at_alone(owner: Database) -> None:
    with undone(owner):
        owner.write("UPDATE balance SET amount = amount + 1")
        both = reconcile(streams_of(owner))
        one = reconcile(streams_of(owner), operator=BANK)
    assert {found.operator for found in both.differences} == {BANK, OPERATOR}
    assert {found.operator for found in one.differences} == {BANK}
    assert {sums.purse.operator for sums in one.sums} == {BANK}
    assert one.counts["rounds"] == 7


def test_a_moment_is_kept_while_play_goes_on(busy: Busy) -> None:
    """A row that is written meanwhile is no difference."""
    seen: list[str] = []

    def play(account: str) -> None:
        if not seen:
            busy.casino.rig.stack("P T,7 | U 9 | H 9")
            busy.guest.finish(busy.guest.deal(1_000, table="progressive-five"))
        seen.append(account)

    database = Database(busy.casino.dsn)
    with one_moment(database) as streams:
        report = reconcile(streams, watch=play)
    database.close()
    assert report.differences == ()
    assert seen == sorted(seen)
    assert reconciled(busy.casino.dsn).counts["rounds"] == report.counts["rounds"] + 1


def run(dsn: str, *words: str, folder: Path) -> Result:
    parts = {key: str(value) for key, value in conninfo_to_dict(dsn).items()}
    env = {"DATABASE_URL": f"postgresql://?{urlencode(parts)}"}
    env["UPCARD_HOME"] = str(folder)
    return CliRunner().invoke(main, ["reconcile", *words], env=env)


def test_the_command_says_that_all_is_well(busy: Busy, tmp_path: Path) -> None:
    result = run(busy.casino.dsn, folder=tmp_path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "NOT RECONCILED" not in result.stdout
    assert result.stdout.endswith(
        "All money has its cause, and every cause its money.\n"
    )
    rows = {
        line.split()[0]: line.split() for line in result.stdout.splitlines() if line
    }
    assert rows[BANK] == [
        *(BANK, "real", "ledger", "USD", "74,000", "8,000", "-2,000", "-80,000", "0"),
    ]
    assert "The operators' own wallets were not asked" in result.stdout
    alone = run(busy.casino.dsn, "--operator", BANK, folder=tmp_path)
    assert alone.exit_code == 0
    assert "wallets were not asked" not in alone.stdout


def test_the_command_lists_differences_and_ends_with_one(
    postgres: Postgres, tmp_path: Path
) -> None:
    account = new_id()
    with postgres.copy() as dsn:
        with psycopg.connect(dsn) as owner:
            owner.execute("INSERT INTO balance VALUES (%s, 'USD', 77)", [account])
        result = run(dsn, folder=tmp_path)
        found = run(dsn, "--json", folder=tmp_path)
    assert result.exit_code == found.exit_code == 1
    assert "balance_wrong: a balance is not the sum of its entries" in result.stdout
    assert account in result.stdout
    assert result.stdout.endswith("NOT RECONCILED: 1 difference.\n")
    (wrong,) = json.loads(found.stdout)["differences"]
    assert (wrong["kind"], wrong["account"]) == ("balance_wrong", account)
    assert (wrong["expected"], wrong["found"]) == (0, 77)


def test_an_unknown_operator_is_said(busy: Busy, tmp_path: Path) -> None:
    result = run(busy.casino.dsn, "--operator", "nobody", folder=tmp_path)
    assert result.exit_code == 1
    assert f"there is no operator nobody; there are: {BANK}" in result.stderr
