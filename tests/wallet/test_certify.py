"""`upcard certify-wallet`: the example passes, a broken wallet fails where it is so."""

import itertools
import json
import re
import time
from typing import Final

import pytest
from click.testing import CliRunner, Result

from examples.operator_wallet.app import KINDS
from service.cli import main
from service.wallet.certify import bench as benches
from service.wallet.certify.cases import cases, verdicts
from service.wallet.exchange import Reply
from service.wallet.wire import Done, Unknown
from tests.support.postgres import Postgres
from tests.support.wallet import SECRET, WalletProcess, running_wallet
from tests.wallet.test_contract import call_of, faults

PLAYER: Final = "certification"
OTHER: Final = "certification-2"
MALFORMED: Final = "malformed amount"
"""The one case that sends what the contract forbids."""
MISSING: Final = (
    "the wallet knows no player 'certification' in EUR (currency_refused); make one "
    "with at least 1000 minor units, or name yours with --player and --currency"
)
CONFLICTS: Final = {
    f"same id, other {what}"
    for what in ("amount", "kind", "round", "currency", "player")
}
UNDONE_WRONGLY: Final = (
    "lavish+obliging+unmindful+grateful+strict+literal+stubborn+refunds-to-anybody"
    "+rollbacks-to-anybody"
)


def certify(url: str, *options: str, key: str = SECRET) -> Result:
    words = ["certify-wallet", url, *options]
    return CliRunner().invoke(main, words, env={"UPCARD_WALLET_KEY": key})


def failed(result: Result) -> set[str]:
    """Return the names of the cases that failed."""
    return set(re.findall(r"^(.*?)\s+FAIL\b", result.stdout, re.MULTILINE))


def has_players(wallet: WalletProcess) -> None:
    """Give the players of a certification, as it asks for them."""
    wallet.put(PLAYER, 5_000, "EUR")
    wallet.put(OTHER, 0, "EUR")


def test_the_example_wallet_is_certified(wallet: WalletProcess) -> None:
    wallet.arm(next=[], stall_seconds=0)  # of a test before; it is not to last
    wallet.put(PLAYER, 5_000, "EUR", bonus=1_000)
    wallet.put(OTHER, 7, "EUR")
    result = certify(wallet.url, "--faults")
    assert result.exit_code == 0, result.output
    number = len(cases(faults=True)) + 1
    assert len(re.findall(r"\bpass\b", result.stdout)) == number
    assert result.stdout.endswith(f"Certified: {number} of {number} passed.\n")
    assert "POST" not in result.stdout
    assert (wallet.has(PLAYER, "EUR"), wallet.has(OTHER, "EUR")) == (6_000, 7)


def test_without_another_player_his_cases_are_skipped(wallet: WalletProcess) -> None:
    wallet.put(PLAYER, 5_000, "EUR")
    result = certify(wallet.url)
    number = len(cases(faults=False)) + 1 - 3
    assert result.exit_code == 0, result.output
    said = f"Certified: {number} of {number} passed. 3 were skipped.\n"
    assert result.stdout.endswith(said)
    assert len(re.findall(r"another player.* skip .*--other-", result.stdout)) == 2
    wallet.put("ann", 0, "EUR")
    result = certify(wallet.url, "--other-player", "ann")
    assert result.stdout.endswith(f"Certified: {number + 3} of {number + 3} passed.\n")


def given(wallet: WalletProcess) -> benches.Tested:
    return benches.Tested(
        wallet.url, SECRET, "casino", PLAYER, "EUR", 100, faults=False
    )


def now() -> int:
    return int(time.time())


class Heard(benches.Bench):
    """A bench that keeps all that it sends."""

    def __init__(self, wallet: benches.Tested) -> None:
        super().__init__(wallet, now)
        self.raw: list[bytes] = []

    def _post(self, path: str, raw: bytes, headers: dict[str, str]) -> Reply:
        if path != "faults":
            self.raw.append(raw)
        return super()._post(path, raw, headers)


def test_all_that_is_sent_is_as_the_contract_says(wallet: WalletProcess) -> None:
    has_players(wallet)
    tested = benches.Tested(
        wallet.url, SECRET, "casino", PLAYER, "EUR", 100, faults=True
    )
    bench = Heard(tested._replace(other=OTHER))
    kinds = set()
    for verdict in verdicts(bench):
        bodies = [json.loads(raw) for raw in bench.raw]
        bench.raw.clear()
        for body in bodies if verdict.case.name != MALFORMED else ():
            assert faults(call_of(body["kind"]), body) == [], verdict.case.name
            if body["kind"] not in {"balance", "end"}:
                assert sum(line["amount"] for line in body["lines"]) == body["amount"]
            kinds.add(body["kind"])
        assert verdict.why is None, verdict
    assert kinds == {*KINDS, "balance"}


@pytest.mark.parametrize(
    ("put", "options", "said"),
    [
        ((999, "EUR"), (), "has 999 minor units, and 1000 are needed"),
        (
            (5_000, "USD"),
            (),
            MISSING,
        ),
        ((5_000, "EUR"), ("--player", "bob"), "'bob' in EUR (player_unknown)"),
        ((5_000, "EUR"), ("--other-player", "bob"), "knows no other player 'bob'"),
        ((5_000, "EUR"), ("--other-player", PLAYER), "knows no other player"),
    ],
)
def test_what_is_missing_is_said_before_it_begins(
    wallet: WalletProcess, put: tuple[int, str], options: tuple[str, ...], said: str
) -> None:
    wallet.put(PLAYER, *put)
    result = certify(wallet.url, *options)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("Error: cannot begin: ")
    assert said in result.stderr
    assert wallet.kinds(PLAYER) == []


def test_without_a_wallet_nothing_begins() -> None:
    for options in ((), ("--other-player", "ann")):
        result = certify("http://127.0.0.1:9/nobody", *options)
        said = "nothing answers at http://127.0.0.1:9/nobody (NewConnectionError)"
        assert result.stderr == f"Error: cannot begin: {said}\n"
        assert result.exit_code == 1


def test_an_answer_that_took_too_long_is_none(wallet: WalletProcess) -> None:
    has_players(wallet)
    for seconds, kind in ((10, Unknown), (1, Done)):
        clock = itertools.count(step=seconds)
        bench = benches.Bench(given(wallet), now, clock.__next__)
        assert isinstance(bench.ask_in_time(bench.body("credit", 1)), kind)


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


def test_without_a_terminal_or_a_key_it_says_where_to_put_it() -> None:
    result = CliRunner().invoke(main, ["certify-wallet", "http://x"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "set UPCARD_WALLET_KEY, or use --key" in " ".join(result.stderr.split())


def test_the_secret_is_in_no_output(wallet: WalletProcess) -> None:
    has_players(wallet)
    result = certify(wallet.url, key="not-the-one-that-it-knows")
    assert result.exit_code == 1
    assert "is UPCARD_WALLET_KEY the secret" in result.stderr
    assert "not-the-one" not in result.output


def certified(postgres: Postgres, broken: str) -> Result:
    """Certify a broken wallet."""
    program = ("tests.wallet.broken", broken)
    with (
        postgres.copy(empty=True) as dsn,
        running_wallet(dsn, program=program) as wallet,
    ):
        has_players(wallet)
        return certify(wallet.url)


@pytest.mark.parametrize(
    ("broken", "fails"),
    [
        (
            "forgetful",
            {
                *("duplicate debit", "duplicate debits at once", "duplicate credit"),
                *("duplicate credits at once", "a repeat shows the balance of then"),
                *("a repeat in another hand", *CONFLICTS, "refused stays refused"),
                *("late debit after rollback", "rollback before debit"),
                *("rollback and debit at once", "partial refund"),
                "correction without session",
            },
        ),
        (
            "trusting",
            {
                *CONFLICTS,
                "a repeat shows the balance of then",
                "rollback of another player's debit",
                "refund of another player's debit",
            },
        ),
        ("moody", {"refused stays refused"}),
        ("traceless", {"rollback before debit", "rollback and debit at once"}),
        (
            "generous",
            {
                *("partial refund", "duplicate refunds at once"),
                *("rollback after a partial refund", "refund of an unknown debit"),
                *("a refused refund comes again", "refund of a refused debit"),
                *("refund of a rolled back debit", "refund of another player's debit"),
            },
        ),
        (
            "hasty",
            {
                *("debit", "duplicate debit", "duplicate credit"),
                *("a repeat shows the balance of then", "a repeat in another hand"),
            },
        ),
        ("open", {"wrong signature", "stale timestamp"}),
        ("patient", {"stale timestamp"}),
        ("unchecked", {"signed for another call", "malformed amount"}),
        # Each of these has one fault to a case.
        (
            UNDONE_WRONGLY,
            {
                *("rollback after a partial refund", "refund of a refused debit"),
                *("refund of a rolled back debit", "rollback of a refused debit"),
                *("rollback for an unknown player", "a repeat in another hand"),
                *("a refused refund comes again", "refund of another player's debit"),
                "rollback of another player's debit",
            },
        ),
        (
            "racing-credits+racing-refunds+racing-rollbacks",
            {
                *("duplicate credits at once", "duplicate refunds at once"),
                "duplicate rollbacks at once",
            },
        ),
        (
            "kinds+rounds+currencies+players+current",
            {
                *CONFLICTS - {"same id, other amount"},
                "a repeat shows the balance of then",
            },
        ),
    ],
)
def test_a_broken_wallet_fails_where_it_is_broken(
    postgres: Postgres, broken: str, fails: set[str]
) -> None:
    # This one is a race: it finds what is wrong now and then.
    at_times = {"rollback and debit at once"}
    result = certified(postgres, broken)
    found = failed(result) - {"the balance is as before"}
    assert found - at_times == fails - at_times, result.output
    shown = re.findall(r"^(.*): the last that was sent$", result.stdout, re.MULTILINE)
    assert set(shown) == found
    sent = re.findall(r"^POST /(\w+) (.*)\n  (.*)$", result.stdout, re.MULTILINE)
    assert len(sent) >= len(shown)
    assert all(json.loads(body)["transaction_id"] and came for _, body, came in sent)
    assert re.search("NOT CERTIFIED: .*$", result.stdout)


def test_a_wallet_of_another_currency_is_not_begun_with(postgres: Postgres) -> None:
    result = certified(postgres, "foreign")
    assert "a first balance: no answer that counts" in result.stderr
