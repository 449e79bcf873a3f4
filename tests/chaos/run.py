"""A run: open the house, let people play, strike it, and let the jobs run dry."""

import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from service.reconcile import Report
from tests.chaos.balances import CHECKS as BALANCE_CHECKS
from tests.chaos.books import Books, read_books
from tests.chaos.cashier import Cashier
from tests.chaos.checks import CHECKS, account_of
from tests.chaos.house import House
from tests.chaos.line import Counts, Line
from tests.chaos.network import Network
from tests.chaos.plan import OPERATORS, Blow, Plan, traits_of
from tests.chaos.player import Player
from tests.support.money import reconciled
from tests.support.postgres import fresh_home
from tests.support.proved import findings_of

_LOOK_SECONDS: Final = 0.25
_TELL_SECONDS: Final = 30.0
_DRY_SECONDS: Final = 120.0
_SHOWN: Final = 10


class Finding(NamedTuple):
    """One question to the books, and the first things that are wrong."""

    question: str
    wrong: int
    first: Sequence[str]


class Outcome(NamedTuple):
    """A run that is over."""

    plan: Plan
    rounds: int
    seconds: float
    counts: dict[str, dict[str, int]]
    """By what they are of: blows, the network, the wallet, answers and so on."""
    books: Books
    report: Report
    findings: list[Finding]


class Floor:
    """What all players share: the plan, and how far it has come."""

    def __init__(self, plan: Plan) -> None:
        self.plan: Final = plan
        self.counts: Final = Counts()
        self._end = time.monotonic() + plan.minutes * 60
        self._closed = False

    @property
    def rounds(self) -> int:
        """How many rounds have been played to their ends."""
        return sum(self.counts.starting("rounds: ").values())

    def is_open(self, operator: str) -> bool:
        """Whether another round is to be begun by an operator's player."""
        wanted = self.counts[f"rounds: {operator}"] < self.plan.rounds / len(OPERATORS)
        return wanted and not self._closed and time.monotonic() < self._end

    def has_ended(self, operator: str) -> None:
        """Count a round that has been played to its end."""
        self.counts.add(f"rounds: {operator}")

    def close(self) -> None:
        """Let nobody begin another round."""
        self._closed = True


def run(plan: Plan, logs: Path | None) -> Outcome:
    """Play a plan to its end. Call it from the main thread.

    What the processes said is kept in the folder `logs`.
    """
    began = time.monotonic()
    with ExitStack() as stack:
        home, wallet_home = (stack.enter_context(fresh_home()) for _ in range(2))
        house = House(home, wallet_home, plan.chance("house"))
        stack.callback(house.close)
        if logs is not None:
            stack.callback(house.keep_logs, logs)
        floor = Floor(plan)
        network = Network(house.place)
        players = [
            _player(number, house, floor, network) for number in range(plan.players)
        ]
        house.misbehave()
        with _playing(players, floor):
            _strike(plan.blows, house, floor, players)
        wallet = house.wallet_counts()
        house.behave()
        _run_dry(house)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(Player.come_back, players))
        _run_dry(house)
        books = read_books(house.dsn, house.wallet.dsn)
        report = reconciled(house.dsn, nothing_waits=True)
        return Outcome(
            plan=plan,
            rounds=floor.rounds,
            seconds=time.monotonic() - began,
            counts={
                "done to the house": dict(house.counts),
                "done by the network": dict(network.counts),
                "done by the wallet": dict(wallet),
                "done by the jobs": dict(house.job_counts()),
                "calls to the wallet": Counter(
                    f"{call.kind} {call.status}" for call in books.calls
                ),
                "rounds": floor.counts.starting("rounds: "),
                "jackpots": Counter(
                    "hit" for row in books.log if '"jackpot_reserved/1"' in row.data
                ),
                "players": floor.counts.starting("players "),
                "retries": floor.counts.starting("retries: "),
                "answers": floor.counts.starting("answers: "),
            },
            books=books,
            report=report,
            findings=_findings(books, report, players, house),
        )


def _player(number: int, house: House, floor: Floor, network: Network) -> Player:
    chance = floor.plan.chance(f"line {number}")
    line = Line(house.place, network, floor.counts, chance)
    whose = traits_of(number).operator
    key = next(key for key in house.keys if key.operator == whose)
    return Player(number, floor, line, Cashier(line, key, chance), house)


@contextmanager
def _playing(players: Sequence[Player], floor: Floor) -> Iterator[None]:
    for player in players:
        player.start()
    try:
        yield
    finally:
        floor.close()
        for player in players:
            player.join()


def _strike(
    blows: Sequence[Blow], house: House, floor: Floor, players: Sequence[Player]
) -> None:
    """Strike as the plan says, until nobody plays any more."""
    told = time.monotonic()
    coming = list(blows)
    while any(player.is_alive() for player in players):
        if coming and floor.rounds >= coming[0].at:
            house.strike(coming.pop(0))
        else:
            threading.Event().wait(_LOOK_SECONDS)
            house.look_after()
        if time.monotonic() - told > _TELL_SECONDS:
            told = time.monotonic()
            _say(f"{floor.rounds} rounds, {len(blows) - len(coming)} blows")


def _run_dry(house: House) -> None:
    """Let the jobs do everything that waits, due or not."""
    deadline = time.monotonic() + _DRY_SECONDS
    while house.hurry() and time.monotonic() < deadline:
        threading.Event().wait(1.0)
        house.look_after()


def _findings(
    books: Books, report: Report, players: Sequence[Player], house: House
) -> list[Finding]:
    account = account_of(books, [player.witness for player in players])
    findings = []
    for check in (*CHECKS, *BALANCE_CHECKS):
        wrong = list(check(account))
        question = (check.__doc__ or check.__name__).strip()
        findings.append(Finding(question, len(wrong), wrong[:_SHOWN]))
    differences = [
        f"{one.kind} {one.round_id or one.account} {one.version or ''} {one.name or ''}"
        f" expected {one.expected}, found {one.found}"
        for one in report.differences
    ]
    again = "`upcard reconcile` finds no difference."
    findings.append(Finding(again, len(differences), differences[:_SHOWN]))
    wrong = findings_of(house.dsn, house.home.path / "secrets" / "shoe-keys.json")
    proved = "`upcard verify --all` finds nothing."
    findings.append(Finding(proved, len(wrong), wrong[:_SHOWN]))
    faults = list(house.complaints())
    good = "No process of ours logged a fault of its own."
    findings.append(Finding(good, len(faults), faults[:_SHOWN]))
    return findings


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
