"""An account's book: all that is written of its money, and what can be wrong there."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import merge
from itertools import groupby
from typing import Any, Final, NamedTuple, NoReturn

from service.reconcile.causes import Story, stories_of
from service.store.errors import ArchiveUnavailable
from service.store.reconciliation import (
    BalanceRow,
    LedgerLine,
    LoggedRow,
    RoundTold,
    Streams,
    TransferRow,
)

KINDS: Final[Mapping[str, str]] = {
    "log_gap": "a row of the round's log is missing",
    "log_unreadable": "a row of the round's log can't be read",
    "cause_without_money": "a command moved money, and no book has it",
    "moved_twice": "a round's money is in the ledger and at the wallet",
    "whose_wrong": "rows of one account name several operators, players or modes",
    "entry_unbalanced": "the lines of an entry don't add up to zero",
    "entry_without_cause": "no command of the log moved this money",
    "entry_twice": "a command moved its money twice",
    "entry_wrong": "an entry is not what the command's events say",
    "reply_wrong": "the command's reply showed another balance than its entry",
    "balance_wrong": "a balance is not the sum of its entries",
    "balance_broken": "the entries' balances don't follow from each other",
    "debit_without_cause": "a debit is confirmed, and no command of the log staked it",
    "cause_without_debit": "a command staked money, and no debit of it is confirmed",
    "debit_twice": "a command's stake is confirmed twice",
    "debit_wrong": "a debit is not what the command's events say",
    "credit_without_cause": "money is paid that no command of the log owes",
    "cause_without_credit": "a command owes money that nothing pays",
    "credit_wrong": "what is paid is not what the command's events say",
    "correction_without_cause": "a correction that no command of the log asked for",
    "correction_wrong": "what is put right is not what the malfunction says",
    "end_without_cause": "the wallet is told of an end that is not in the log",
    "cause_without_end": "a round has ended, and the wallet is not told",
    "end_twice": "the wallet is told twice that a round has ended",
    "end_wrong": "the wallet is told other sums of a round than the log's",
    "rollback_missing": "a debit is given up, and nothing takes it back",
    "rollback_without_debit": "a rollback of no debit, or of one that stands",
    "refund_wrong": "a refund of no confirmed debit, or of more than it took",
    "lines_wrong": "the lines of a transfer don't add up to its amount",
    "payout_refused": "the wallet refused what it must take",
    "transfer_waits": "a transfer is not acknowledged",
    "round_missing": "a round of the log is in no list of rounds",
    "round_without_log": "a round is listed, and has no log",
    "round_wrong": "a round is listed with other figures than the log's",
    "held_wrong": "the ledger holds another sum than the open rounds do",
    "jackpot_wagers_wrong": "a jackpot counts other bonus wagers than the log's",
    "jackpot_hit_without_event": "a jackpot was paid out of, and no command hit it",
    "jackpot_hit_missing": "a command hit a jackpot, and nothing was reserved",
    "jackpot_hit_wrong": "a hit has reserved another sum than its command says",
    "jackpot_hit_not_returned": "a round was taken back, and its jackpot was not",
    "jackpot_hit_returned": "a jackpot went back into its meter, and its round stands",
    "jackpot_unbalanced": "contributions and resets are not what it holds and paid",
    "money_wrong": "money in, out and held don't add up to zero",
}
"""Every kind of difference, in words."""

Value = int | str | None


class Difference(NamedTuple):
    """Something that does not fit; money in minor units."""

    kind: str
    operator: str
    account: str | None = None
    round_id: str | None = None
    version: int | None = None
    name: str | None = None
    """The id of an entry or transfer, a currency, or a field."""
    expected: Value = None
    found: Value = None


class Book(NamedTuple):
    """All rows of one account."""

    account: str
    stories: dict[str, Story]
    lines: list[LedgerLine]
    transfers: list[TransferRow]
    balances: list[BalanceRow]
    rounds: dict[str, RoundTold]

    @property
    def holders(self) -> set[tuple[str, str]]:
        """The operators and modes that the rows name; one, if all is well."""
        named = {(story.operator, story.mode) for story in self.stories.values()}
        named |= {(line.operator, line.mode) for line in self.lines}
        named |= {(call.operator, "real") for call in self.transfers}
        named |= {(told.operator, told.mode) for told in self.rounds.values()}
        return named - {("", "")}

    @property
    def operator(self) -> str:
        """Whose player it is, as far as the rows tell."""
        return min(self.holders, default=("", ""))[0]

    @property
    def mode(self) -> str:
        """Real or demo money, as far as the rows tell."""
        return min(self.holders, default=("", ""))[1]

    def differs(self, kind: str, **about: Any) -> Difference:  # noqa: ANN401 - fields
        """Make a difference of this account."""
        return Difference(kind, self.operator, self.account, **about)


Check = Callable[[Book], Iterator[Difference]]


Archived = Callable[[str, str], Iterable[LoggedRow]]
"""Gives the rows of a round that are in a file of the archive, by the file's name."""


def nowhere(file: str, round_id: str) -> NoReturn:
    """Stand for an archive that there is not. Raises ArchiveUnavailable."""
    raise ArchiveUnavailable(f"{file}, which has round {round_id}: no archive is named")


def books_of(streams: Streams, archived: Archived = nowhere) -> Iterator[Book]:
    """Yield the book of each account that any stream tells of, in order.

    Raises ArchiveUnavailable for a round whose log is in a file that is not there.
    """
    for account, rows in groupby(merge(*streams[:-1], key=_account), key=_account):
        of: dict[type, list[Any]] = {}
        for row in rows:
            of.setdefault(type(row), []).append(row)
        told: list[RoundTold] = of.get(RoundTold, [])
        logged: list[LoggedRow] = of.get(LoggedRow, [])
        for one in told:
            if one.archived_in is not None:
                logged += archived(one.archived_in, one.round_id)
        logged.sort()
        yield Book(
            account=account,
            stories={one.round_id: one for one in stories_of(logged)},
            lines=of.get(LedgerLine, []),
            transfers=of.get(TransferRow, []),
            balances=of.get(BalanceRow, []),
            rounds={one.round_id: one for one in told},
        )


def _account(row: Any) -> str:  # noqa: ANN401 - a row of any stream
    account: str = row.account
    return account


def log_faults(book: Book) -> Iterator[Difference]:
    """Yield what is wrong with the logs themselves, and whose they are."""
    for story in book.stories.values():
        for version, kind in story.faults:
            yield book.differs(kind, round_id=story.round_id, version=version)
    players = {line.player for line in book.lines}
    players |= {call.player for call in book.transfers}
    if len(book.holders) > 1 or len(players) > 1:
        named = sorted({" ".join(holder) for holder in book.holders} | players)
        yield book.differs("whose_wrong", found=", ".join(named))


def list_faults(book: Book) -> Iterator[Difference]:
    """Yield where the list of rounds is not what the log says."""
    for round_id in book.rounds.keys() - book.stories:
        yield book.differs("round_without_log", round_id=round_id)
    for round_id, story in book.stories.items():
        told = book.rounds.get(round_id)
        if told is None:
            yield book.differs("round_missing", round_id=round_id)
            continue
        right: dict[str, Value] = {"currency": story.currency}
        right["closed"] = "yes" if story.ends else "no"
        listed: dict[str, Value] = {"currency": told.currency}
        listed["closed"] = "yes" if told.closed else "no"
        if story.ends:
            right |= {"status": story.status}
            right |= {"stake": story.stake, "payout": story.payout}
            listed |= {"status": told.status}
            listed |= {"stake": told.stake, "payout": told.payout}
        for name, value in right.items():
            if listed[name] != value:
                about = {"name": name, "expected": value, "found": listed[name]}
                yield book.differs("round_wrong", round_id=round_id, **about)
