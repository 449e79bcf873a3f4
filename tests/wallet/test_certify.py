"""`upcard certify-wallet`: the example passes, a broken wallet fails where it is so."""

import re
from typing import Final

import pytest
from click.testing import CliRunner, Result

from service.cli import main
from service.wallet.certify.cases import cases
from tests.support.postgres import Postgres
from tests.support.wallet import SECRET, WalletProcess, running_wallet

PLAYER: Final = "certification"


def certify(url: str, *options: str, key: str = SECRET) -> Result:
    words = ["certify-wallet", url, *options]
    return CliRunner().invoke(main, words, env={"UPCARD_WALLET_KEY": key})


def failed(result: Result) -> set[str]:
    """Return the names of the cases that failed."""
    return set(re.findall(r"^(.*?)\s+FAIL\b", result.stdout, re.MULTILINE))


def test_the_example_wallet_is_certified(wallet: WalletProcess) -> None:
    wallet.put(PLAYER, 5_000, "EUR", bonus=1_000)
    result = certify(wallet.url, "--faults")
    assert result.exit_code == 0, result.output
    number = len(cases(faults=True)) + 1
    assert len(re.findall(r"\bpass\b", result.stdout)) == number
    assert result.stdout.endswith(f"Certified: {number} of {number} passed.\n")
    assert wallet.has(PLAYER, "EUR") == 6_000


def test_a_player_with_too_little_is_said(wallet: WalletProcess) -> None:
    wallet.put(PLAYER, 999, "EUR")
    result = certify(wallet.url)
    assert result.exit_code == 1
    assert "needs 1000" in " ".join(result.stdout.split())


def test_without_a_wallet_every_case_fails() -> None:
    result = certify("http://127.0.0.1:9/nobody")
    assert result.exit_code == 1
    assert len(failed(result)) == len(cases(faults=False)) + 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["ftp://x"], "http or https"),
        (["http://x", "--currency", "XXY"], "no such currency"),
        (["http://x", "--amount", "1"], "amount"),
    ],
)
def test_what_makes_no_sense_is_said(options: list[str], said: str) -> None:
    result = certify(*options)
    assert result.exit_code == 2
    assert said in result.output


def test_the_secret_is_in_no_output(wallet: WalletProcess) -> None:
    wallet.put(PLAYER, 5_000, "EUR")
    result = certify(wallet.url, key="not-the-one-that-it-knows")
    assert result.exit_code == 1
    assert "not-the-one" not in result.output


def failures(postgres: Postgres, broken: str) -> set[str]:
    """Return the cases that a wallet fails, beside that its money is not back."""
    program = ("tests.wallet.broken", broken)
    with (
        postgres.copy(empty=True) as dsn,
        running_wallet(dsn, program=program) as wallet,
    ):
        wallet.put(PLAYER, 5_000, "EUR")
        return failed(certify(wallet.url)) - {"the balance is as before"}


@pytest.mark.parametrize(
    ("broken", "fails"),
    [
        (
            "forgetful",
            {
                *("duplicate debit", "duplicate debits at once", "duplicate credit"),
                *("same id, other amount", "refused stays refused"),
                *("late debit after rollback", "rollback before debit"),
                *("rollback and debit at once", "partial refund"),
                "correction without session",
            },
        ),
        ("trusting", {"same id, other amount"}),
        ("moody", {"refused stays refused"}),
        ("traceless", {"rollback before debit", "rollback and debit at once"}),
        ("generous", {"partial refund", "refund of an unknown debit"}),
        ("hasty", {"debit", "duplicate debit"}),
        ("open", {"wrong signature", "stale timestamp"}),
        ("patient", {"stale timestamp"}),
        ("unchecked", {"signed for another call", "malformed amount"}),
    ],
)
def test_a_broken_wallet_fails_where_it_is_broken(
    postgres: Postgres, broken: str, fails: set[str]
) -> None:
    # This one is a race: it finds what is wrong now and then.
    at_times = {"rollback and debit at once"}
    assert failures(postgres, broken) - at_times == fails - at_times


def test_a_wallet_of_another_currency_fails_everywhere(postgres: Postgres) -> None:
    assert len(failures(postgres, "foreign")) == len(cases(faults=False))
