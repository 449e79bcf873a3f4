"""The balances that clients saw, against the books: checks as those of checks.py."""

from collections import Counter
from collections.abc import Iterator

from tests.chaos.checks import Account

_OK = 200


def balances_are_what_was_played(account: Account) -> Iterator[str]:
    """Each player has what he brought and won: by book, by service, by himself."""
    books = account.books
    owners = {row.account: row.player for row in books.log}
    has = {owners[one]: amount for one, _, amount in books.balances if one in owners}
    has |= {player: amount for player, _, amount in books.purses}
    for name, witness in account.players.items():
        brought = sum(receipt.amount for receipt in witness.receipts)
        found = has.get(name, brought)
        if not found == witness.tally == witness.funds:
            yield (
                f"{name}: the book says {found}, the service {witness.funds}, "
                f"his own rounds {witness.tally}"
            )


def balances_seen_were_true(account: Account) -> Iterator[str]:
    """Each balance in a reply was the player's after that command."""
    true: dict[tuple[str, int], set[int | None]] = {}
    for line in account.books.lines:
        if line.side == "player" and line.round_id and line.ver:
            true.setdefault((line.round_id, line.ver), set()).add(line.balance)
    said = {done.call_id: done.balance for done in account.books.book}
    for call in account.books.calls:
        if call.status == "confirmed":
            place = (call.round_id, call.ver)
            true.setdefault(place, set()).add(said.get(call.call_id))
    for name, witness in account.players.items():
        for told in witness.answers:
            place = (told.round_id, told.version)
            if told.balance is not None and told.balance not in true.get(place, ()):
                yield f"{name} {place}: saw {told.balance}, true was {true.get(place)}"
            moves = account.stories[place].moves if place in account.stories else False
            if told.balance is None and moves and not account.is_seamless(name):
                yield f"{name} {place}: saw no balance"


def balances_follow_each_other(account: Account) -> Iterator[str]:
    """Each balance begins where another one ended, from nothing to the last one."""
    loose: dict[str, Counter[int]] = {name: Counter() for name in account.players}
    for player, gain, balance in _moved(account):
        loose[player][balance - gain] += 1
        loose[player][balance] -= 1
    for name, witness in account.players.items():
        loose[name][witness.funds or 0] += 1
        loose[name][0] -= 1
        left = {balance: times for balance, times in loose[name].items() if times}
        if left:
            yield f"{name}: balances that nothing leads to or from: {left}"


def _moved(account: Account) -> Iterator[tuple[str, int, int]]:
    """Yield player, gain and balance of all that ever moved a balance."""
    for line in account.books.lines:
        if line.side == "player" and line.balance is not None:
            yield line.player, line.amount, line.balance
    for done in account.books.book:
        if done.status == _OK and done.balance is not None:
            yield done.player, done.moved, done.balance
    for name, witness in account.players.items():
        if account.is_seamless(name):
            for receipt in witness.receipts:
                yield name, receipt.amount, receipt.balance


CHECKS = (
    *(balances_are_what_was_played, balances_seen_were_true),
    balances_follow_each_other,
)
