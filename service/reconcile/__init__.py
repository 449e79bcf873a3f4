"""Reconciliation: every movement of money against the events that are its cause.

The log says what each command staked and paid; the ledger, the calls to wallets, the
balances and the list of rounds have to say the same, no more and no less. It is read
from rows and JSON here: nothing of what moves money is used to check it.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from service.reconcile.book import (
    Archived,
    Book,
    Check,
    Difference,
    books_of,
    list_faults,
    log_faults,
    nowhere,
)
from service.reconcile.calls import call_faults, waiting_faults
from service.reconcile.entries import balance_faults, entry_faults
from service.reconcile.jackpots import Jackpots
from service.store.reconciliation import Streams

CHECKS: Final[tuple[Check, ...]] = (
    *(log_faults, list_faults, entry_faults, balance_faults, call_faults),
)

_SIDES: Final = ("player", "held", "house", "operator")
_GAINS: Final = {"debit": -1, "credit": 1, "refund": 1, "correction": 1}


class Purse(NamedTuple):
    """A sum of money that has to add up: whose, which, and who keeps it."""

    operator: str
    mode: str
    keeper: str
    """"ledger" or "wallet"."""
    currency: str


class Sums(NamedTuple):
    """Where a purse's money went, in minor units; what is gained is positive.

    `brought` is what the operator brought for players, with a minus; what he brought to
    a wallet is not known here. `held_by_rounds` is what the open rounds hold by their
    events.
    """

    purse: Purse
    player: int
    held: int
    house: int
    brought: int
    held_by_rounds: int

    @property
    def rest(self) -> int:
        """What is left over: nothing, if all is well."""
        return self.player + self.held + self.house + self.brought


class Report(NamedTuple):
    """What a reconciliation found."""

    differences: tuple[Difference, ...]
    sums: tuple[Sums, ...]
    counts: Counter[str]
    """How many accounts, rounds, commands, entries and transfers were looked at."""


def reconcile(
    streams: Streams,
    *,
    operator: str | None = None,
    nothing_waits: bool = False,
    watch: Callable[[str], None] = lambda _: None,
    archived: Archived = nowhere,
) -> Report:
    """Hold all rows against each other.

    With an `operator` only his accounts are reported. `nothing_waits` says that every
    call to a wallet should have been acknowledged. `watch` is told of each account, in
    the order of their ids; `archived` gives what is in files.

    Raises DatabaseUnavailable, or ArchiveUnavailable.
    """
    checks = (*CHECKS, waiting_faults) if nothing_waits else CHECKS
    differences: list[Difference] = []
    counts: Counter[str] = Counter()
    money: dict[Purse, Counter[str]] = {}
    jackpots = Jackpots(streams.jackpots, operator)
    for book in books_of(streams, archived):
        watch(book.account)
        if operator not in (None, book.operator):
            continue
        jackpots.take(book)
        for check in checks:
            differences += check(book)
        _count(book, counts)
        for purse, side, amount in _moved(book):
            money.setdefault(purse, Counter())[side] += amount
    sums = tuple(_sums(purse, money[purse]) for purse in sorted(money))
    differences += [*_unequal(sums), *jackpots.differences()]
    return Report(tuple(differences), sums, counts)


def _count(book: Book, counts: Counter[str]) -> None:
    counts["accounts"] += 1
    counts["rounds"] += len(book.stories)
    counts["commands"] += sum(len(story.causes) for story in book.stories.values())
    counts["entries"] += len({line.entry_id for line in book.lines})
    counts["transfers"] += len(book.transfers)
    counts["waiting"] += sum(call.status == "requested" for call in book.transfers)


def _moved(book: Book) -> Iterator[tuple[Purse, str, int]]:
    """Yield every sum that moved, and to which side."""
    holder = (book.operator, book.mode)
    for line in book.lines:
        yield Purse(*holder, "ledger", line.currency), line.side, line.amount
    for call in book.transfers:
        # What is owed counts as paid; a stake counts when it is known to be taken.
        owed = call.status == "requested" and call.kind != "debit"
        if owed or call.status == "confirmed":
            gain = _GAINS.get(call.kind, 0) * call.amount
            yield Purse(*holder, "wallet", call.currency), "player", gain
        elif call.kind == "correction":
            # Refused: the player owes it, and the house has not got it.
            yield Purse(*holder, "wallet", call.currency), "house", call.amount
    at_wallet = {call.round_id for call in book.transfers}
    for story in book.stories.values():
        keeper = "wallet" if story.round_id in at_wallet else "ledger"
        purse = Purse(*holder, keeper, story.currency)
        yield purse, "held_by_rounds", story.held
        if keeper == "wallet":
            yield purse, "held", story.held
            yield purse, "house", story.stake - story.payout - story.held


def _sums(purse: Purse, moved: Counter[str]) -> Sums:
    player, held, house, brought = (moved[side] for side in _SIDES)
    return Sums(purse, player, held, house, brought, moved["held_by_rounds"])


def _unequal(sums: tuple[Sums, ...]) -> Iterator[Difference]:
    for one in sums:
        operator, mode, keeper, currency = one.purse
        where = Difference("", operator, name=f"{mode} {keeper} {currency}")
        if one.held != one.held_by_rounds:
            yield where._replace(
                kind="held_wrong", expected=one.held_by_rounds, found=one.held
            )
        if one.rest:
            yield where._replace(kind="money_wrong", expected=0, found=one.rest)
