"""The jobs: what is due is done, in order, on schedule, by any number of copies."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import orjson
import pytest
from click.testing import CliRunner
from psycopg.conninfo import conninfo_to_dict

from service.chance import new_id
from service.cli import main
from service.jobs.job import run_once
from service.jobs.nonces import Nonces
from service.store.database import Database
from service.wallet.port import WalletWaits
from service.wallet.schedule import GIVE_UP_SECONDS, RETRY_SECONDS
from tests.support.waiting import until
from tests.tidy import ROOT
from tests.wallet.casino import DUE_NOW, FUNDS, RING, Casino, Guest

WAIT: Final = (
    "SELECT round(extract(epoch FROM next_try_at - now()))::integer, tries "
    "FROM transfer WHERE status = 'requested'"
)


def settled_in_vain(casino: Casino, guest: Guest) -> None:
    """Settle a round that is won, while the wallet takes no credit."""
    casino.rig.stack("P T,9 | U 9 | H 8")
    stood = guest.act(guest.deal(1_000), "stand")
    casino.wallet.arm(rates={"error_before": 1.0})
    guest.settle(stood)


def passed(casino: Casino) -> list[str]:
    """Run the job once, and return what it did."""
    words: list[str] = []
    assert run_once([casino.job], casino.log.logger, words.append)
    return words


def test_nothing_is_done_before_it_is_due(casino: Casino) -> None:
    guest = casino.player()
    settled_in_vain(casino, guest)
    casino.wallet.arm(rates={})
    assert passed(casino) == []
    casino.owner(DUE_NOW)
    assert passed(casino) == ["delivered", "delivered"]
    casino.check()


def test_a_payout_is_tried_as_published(casino: Casino) -> None:
    settled_in_vain(casino, casino.player())
    casino.owner("DELETE FROM transfer WHERE kind = 'end'")
    for number, seconds in enumerate((*RETRY_SECONDS, RETRY_SECONDS[-1]), 1):
        ((wait, tries),) = casino.owner(WAIT)
        assert tries == number
        assert seconds - 3 <= wait <= seconds
        casino.owner(DUE_NOW)
        assert passed(casino) == ["waiting"]


def test_the_end_of_a_round_waits_for_its_payout(casino: Casino) -> None:
    guest = casino.player()
    settled_in_vain(casino, guest)
    casino.owner(DUE_NOW)
    assert passed(casino) == ["waiting"], "the credit alone was tried"
    assert casino.wallet.kinds(guest.name) == ["debit"]
    casino.wallet.arm(rates={})
    casino.check()
    assert casino.wallet.kinds(guest.name) == ["debit", "credit", "end"]


def waits(casino: Casino, guest: Guest, key: str) -> None:
    """Leave a deal whose stake the wallet took without an answer."""
    casino.rig.stack("P T,9 | U 9 | H 8")
    casino.wallet.arm(rates={"cut_after": 1.0})
    with pytest.raises(WalletWaits):
        guest.deal(1_000, key=key)
    casino.wallet.arm(rates={})


def test_a_deal_that_waits_is_completed(casino: Casino) -> None:
    guest, key = casino.player(), new_id()
    waits(casino, guest, key)
    casino.owner(DUE_NOW)
    assert passed(casino) == ["completed"]
    answer = guest.deal(1_000, key=key)
    assert (answer.replayed, answer.balance) == (True, FUNDS - 1_000)
    guest.finish(answer)
    casino.check()


def test_a_deal_that_waits_is_completed_when_no_one_comes_back(casino: Casino) -> None:
    guest = casino.player()
    waits(casino, guest, new_id())
    casino.work()
    (seen,) = casino.play.open_rounds(guest.ask())
    assert seen.round.stake == 1_000
    casino.check()


def test_a_refused_deal_comes_to_nothing(casino: Casino) -> None:
    guest = casino.player()
    casino.wallet.arm(rates={"error_before": 1.0})
    with pytest.raises(WalletWaits):
        guest.deal(1_000)
    casino.wallet.arm(rates={})
    casino.wallet.put(guest.name, 999)
    casino.owner(DUE_NOW)
    assert passed(casino) == ["refused"]
    assert casino.play.open_rounds(guest.ask()) == ()
    casino.check()


def test_a_stake_that_is_never_known_is_given_back_after_a_day(casino: Casino) -> None:
    guest, key = casino.player(), new_id()
    waits(casino, guest, key)
    aged = "UPDATE transfer SET made_at = made_at - %s * interval '1 second'"
    casino.owner(aged, GIVE_UP_SECONDS)
    casino.owner(DUE_NOW)
    assert passed(casino) == ["rolled back"]
    assert guest.has() == FUNDS
    answer = guest.deal(1_000, key=key)
    assert not answer.replayed
    guest.finish(answer)
    casino.check()


def test_a_stake_whose_version_is_taken_is_given_back(casino: Casino) -> None:
    guest = casino.player()
    casino.rig.stack("P 5,6 | U 6 | H T | 2,8,9")
    begun = guest.deal(1_000)
    casino.wallet.arm(rates={"cut_after": 1.0})
    with pytest.raises(WalletWaits):
        guest.act(begun, "double")
    casino.wallet.arm(rates={})
    # As if a hit had been decided before the double was written down.
    casino.owner("UPDATE transfer SET status = 'refused' WHERE purpose = 'double'")
    hit = guest.act(begun, "hit")
    casino.owner("UPDATE transfer SET status = 'requested' WHERE purpose = 'double'")
    casino.owner(DUE_NOW)
    assert passed(casino) == ["rolled back"]
    guest.finish(hit)
    casino.check()


def test_one_operator_s_trouble_is_no_other_s(casino: Casino) -> None:
    lost, guest = casino.player(), casino.player()
    settled_in_vain(casino, lost)
    casino.wallet.arm(rates={})
    settled_in_vain(casino, guest)
    casino.wallet.arm(rates={})
    casino.owner("UPDATE transfer SET operator = 'gone' WHERE player = %s", lost.name)
    casino.owner(DUE_NOW)
    assert sorted(passed(casino)) == ["delivered", "delivered", "faulty"]
    assert guest.has() == FUNDS + 1_000
    (fault,) = [line for line in casino.log.lines if line["event"] == "job_fault"]
    assert fault["why"] == "OperatorUnknown"


def test_without_a_database_a_pass_fails_and_says_so(casino: Casino) -> None:
    away = Database("postgresql://127.0.0.1:9/nobody")
    assert not run_once([Nonces(away)], casino.log.logger, lambda _: None)
    assert casino.log.lines[-1]["event"] == "job_failed"
    assert casino.log.lines[-1]["why"] == "DatabaseUnavailable"


def test_old_numbers_are_swept(casino: Casino) -> None:
    casino.owner(
        "INSERT INTO request_nonce (operator, nonce, at) SELECT 'casino', n, "
        "now() - (n * 100 - 50) * interval '1 second' FROM generate_series(1, 10) AS n"
    )
    job = Nonces(casino.database)
    assert job.look() == ["4 old numbers"]
    words: list[str] = []
    assert run_once([job], casino.log.logger, words.append)
    assert words == ["swept"] * 4
    assert casino.owner("SELECT count(*) FROM request_nonce") == [(6,)]


@pytest.fixture
def typed(casino: Casino, tmp_path: Path) -> dict[str, str]:
    """Give the environment in which `upcard jobs` works for this casino."""
    keys = tmp_path / "shoe-keys.json"
    keys.write_text(RING)
    parts = {key: str(value) for key, value in conninfo_to_dict(casino.dsn).items()}
    return {
        "DATABASE_URL": f"postgresql://?{urlencode(parts)}",
        "UPCARD_HOME": str(tmp_path),
        "UPCARD_SHOE_KEYS": str(keys),
    }


def test_a_dry_run_says_what_waits_and_does_nothing(
    casino: Casino, typed: dict[str, str]
) -> None:
    settled_in_vain(casino, casino.player())
    casino.wallet.arm(rates={})
    casino.owner(DUE_NOW)
    result = CliRunner().invoke(main, ["jobs", "run", "--dry-run"], env=typed)
    assert result.exit_code == 0, result.output
    first, second, *others, last = result.stdout.splitlines()
    assert first.startswith("wallet-calls: casino: 1 of credit, 1 due now; tried once,")
    assert second.startswith("wallet-calls: casino: 1 of end, 1 due now; not tried yet")
    assert others == [
        "void-expired: nothing is due",
        "settle-abandoned: nothing is due",
        "nonces: 0 old numbers",
    ]
    assert last.startswith("seal: ")
    assert casino.waiting() == [("credit",), ("end",)]


@pytest.mark.parametrize("words", [["wallet-calls"], ["run", "--once"]])
def test_what_is_due_is_done_by_hand(
    casino: Casino, typed: dict[str, str], words: list[str]
) -> None:
    settled_in_vain(casino, casino.player())
    casino.wallet.arm(rates={})
    casino.owner(DUE_NOW)
    result = CliRunner().invoke(main, ["jobs", *words], env=typed)
    assert result.exit_code == 0
    assert re.fullmatch("2 delivered(, 1 sealed)?\n", result.stdout)
    again = CliRunner().invoke(main, ["jobs", *words], env=typed)
    assert again.stdout == "nothing was due\n"
    assert casino.waiting() == []
    casino.check()


@contextmanager
def running(typed: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Give a process that runs the jobs for ever."""
    process = subprocess.Popen(
        [sys.executable, "-c", "from service.cli import main; main()", "jobs", "run"],
        cwd=ROOT,
        env={**os.environ, **typed},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stderr
        process.stderr.close()


def test_jobs_run_until_they_are_told_to_end(
    casino: Casino, typed: dict[str, str]
) -> None:
    settled_in_vain(casino, casino.player())
    casino.wallet.arm(rates={})
    with running(typed) as process:
        casino.owner(DUE_NOW)
        until(lambda: not casino.waiting(), "the jobs deliver")
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=30)
        assert process.returncode == 0
    lines = [orjson.loads(line) for line in told.splitlines()]
    assert sum(line.get("delivered", 0) for line in lines) == 2
    assert {line["job"] for line in lines} == {"wallet-calls", "seal"}
    casino.check()


def test_jobs_killed_in_the_middle_are_begun_again(
    casino: Casino, typed: dict[str, str]
) -> None:
    guest = casino.player()
    settled_in_vain(casino, guest)
    casino.wallet.arm("hold_after", rates={})
    casino.owner(DUE_NOW)
    with running(typed) as process:
        until(lambda: casino.wallet.holding() == 1, "the credit is held")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    casino.wallet.release()
    assert casino.waiting() == [("credit",), ("end",)]
    casino.check()
    assert guest.has() == FUNDS + 1_000
