"""The law, checked by a stranger: he reads rows and JSON and shares no code.

A check yields a sentence for each thing that is wrong.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from tests.chaos.books import Books, Done, Row
from tests.chaos.plan import OPERATORS
from tests.chaos.story import Story, story_of
from tests.chaos.witness import Answered, Witness

_OK: Final = 200
_TOO_LITTLE: Final = 402


class Account(NamedTuple):
    """All that there is to compare."""

    books: Books
    players: Mapping[str, Witness]
    stories: Mapping[tuple[str, int], Story]
    """By round and version."""

    def is_seamless(self, player: str) -> bool:
        """Whether an operator's wallet keeps a player's money."""
        return OPERATORS[self.players[player].traits.operator] == "seamless"


Check = Callable[[Account], Iterator[str]]


def account_of(books: Books, players: Sequence[Witness]) -> Account:
    """Read the log's events, once for all checks."""
    stories = {
        (row.round_id, row.ver): story_of(json.loads(row.data)["events"])
        for row in books.log
    }
    return Account(books, {one.name: one for one in players}, stories)


def answers_are_definite(account: Account) -> Iterator[str]:
    """Every client got a definite answer, and none that must not be."""
    for name, witness in account.players.items():
        yield from (f"{name}: {fault}" for fault in witness.faults)


def log_is_what_was_answered(account: Account) -> Iterator[str]:
    """The log holds each answered command once, as it was answered, and no other."""
    rows = {(row.player, row.key): row for row in account.books.log}
    if len(rows) != len(account.books.log):
        yield "a key is in the log twice"
    for name, witness in account.players.items():
        for told in witness.answers:
            row = rows.pop((name, told.key), None) or _settled(account, witness, told)
            if row is None or (row.round_id, row.ver) != (told.round_id, told.version):
                yield f"{name} {told.round_id} {told.version}: answered, not in the log"
            elif account.stories[row.round_id, row.ver].text != told.text:
                yield f"{name} {told.round_id} {told.version}: answered otherwise"
        for key in witness.refused:
            if rows.pop((name, key), None):
                yield f"{name}: {key} was refused, and is in the log"
        for key in witness.forgotten:
            rows.pop((name, key), None)
    for row in rows.values():
        yield f"{row.player} {row.round_id} {row.ver}: in the log, never answered"


def chains_are_whole(account: Account) -> Iterator[str]:
    """Each round's rows follow from each other, from the first one on."""
    last: dict[str, Row] = {}
    for row in account.books.log:
        before = last.get(row.round_id)
        if row.ver != (before.ver if before else 0) + 1:
            yield f"{row.round_id} {row.ver}: a row is missing before it"
        if row.hash != chain_hash(before.hash if before else bytes(32), row):
            yield f"{row.round_id} {row.ver}: the chain is broken"
        last[row.round_id] = row


def rounds_are_over(account: Account) -> Iterator[str]:
    """No round is stuck, and no call to a wallet is open."""
    ended = {place[0] for place, story in account.stories.items() if story.ends}
    for round_id in {row.round_id for row in account.books.log} - ended:
        yield f"{round_id}: has no end in the log"
    yield from (f"{one}: is listed as open" for one in account.books.open_rounds)
    for call in account.books.calls:
        if call.status == "requested":
            yield f"{call.kind} {call.call_id} of {call.player} waits"


def ledger_has_its_causes(account: Account) -> Iterator[str]:
    """Each entry has one command or receipt, each of these one entry; zero in sum."""
    entries: dict[str, Counter[str]] = defaultdict(Counter)
    causes: Counter[object] = Counter()
    for line in account.books.lines:
        entries[line.entry_id][line.side] += line.amount
        if line.side == "player":
            cash = (line.player, line.reference, line.amount)
            place = (line.player, line.round_id, line.ver, line.amount)
            causes[cash if line.round_id is None else place] += 1
    for entry, sides in entries.items():
        if sum(sides.values()):
            yield f"entry {entry}: does not add up to zero"
    right: Counter[object] = Counter()
    for row in account.books.log:
        story = account.stories[row.round_id, row.ver]
        if story.moves and not account.is_seamless(row.player):
            gain = story.payout - story.stake
            right[row.player, row.round_id, row.ver, gain] += 1
    for name, witness in account.players.items():
        if not account.is_seamless(name):
            for receipt in witness.receipts:
                right[name, receipt.reference, receipt.amount] += 1
    yield from (f"ledger without cause: {one}" for one in (causes - right).elements())
    yield from (f"cause without ledger: {one}" for one in (right - causes).elements())


def wallet_has_its_causes(account: Account) -> Iterator[str]:
    """What the wallet did is what the log says, command by command."""
    right: Counter[object] = Counter()
    for row in account.books.log:
        story = account.stories[row.round_id, row.ver]
        if account.is_seamless(row.player):
            place = (row.player, row.round_id)
            if story.stake:
                right[*place, "debit", story.stake] += 1
            if story.payout:
                right[*place, "credit", story.payout] += 1
            if story.ends:
                right[*place, "end", 0] += 1
    did: Counter[object] = Counter()
    for done in account.books.book:
        if done.status == _OK and not done.rolled_back and done.kind != "rollback":
            did[done.player, done.round_id, done.kind, done.amount] += 1
    yield from (f"wallet without cause: {one}" for one in (did - right).elements())
    yield from (f"cause without wallet: {one}" for one in (right - did).elements())


def wallet_did_what_it_was_asked(account: Account) -> Iterator[str]:
    """Each call of ours is in the wallet's book as it ended, and there is no other."""
    book = {done.call_id: done for done in account.books.book}
    calls = {call.call_id: call for call in account.books.calls}
    yield from (f"the wallet alone knows {name}" for name in book.keys() - calls)
    undone = Counter(c.debit_id for c in calls.values() if c.kind == "rollback")
    for call in calls.values():
        done = book.get(call.call_id)
        did = done is not None and done.status == _OK and not done.rolled_back
        same = done is not None and (done.kind, done.amount, done.currency) == (
            *(call.kind, call.amount, call.currency),
        )
        where = f"{call.kind} {call.call_id} of {call.player}, {call.status}"
        if call.status == "confirmed" and not (did and same):
            yield f"{where}: the wallet did not do it"
        elif call.status != "confirmed" and did:
            yield f"{where}: the wallet did it"
        if call.status == "rolled_back" and undone[call.call_id] != 1:
            yield f"{where}: {undone[call.call_id]} rollbacks"
    yield from _unlikely(account.books.book)


def _unlikely(book: Sequence[Done]) -> Iterator[str]:
    taken = {one.call_id: one.moved for one in book if one.kind == "debit"}
    for done in book:
        if done.status not in {_OK, _TOO_LITTLE, None}:
            yield f"{done.kind} {done.call_id}: the wallet answered {done.status}"
        if done.kind == "rollback" and done.moved != -taken[done.debit_id or ""]:
            yield f"rollback {done.call_id}: gave back {done.moved}"


def money_adds_up(account: Account) -> Iterator[str]:
    """Money in, out and held are zero in sum, for each operator and currency."""
    players: Counter[tuple[str, str]] = Counter()
    rounds: Counter[tuple[str, str]] = Counter()
    whose = {name: one.traits.operator for name, one in account.players.items()}
    currency = {name: one.traits.currency for name, one in account.players.items()}
    for line in account.books.lines:
        if line.side == "player" and line.round_id is not None:
            players[line.operator, line.currency] += line.amount
    for done in account.books.book:
        players[whose[done.player], done.currency] += done.moved
    for row in account.books.log:
        story = account.stories[row.round_id, row.ver]
        gain = story.stake - story.payout
        rounds[whose[row.player], currency[row.player]] += gain
    for purse in players | rounds:
        if players[purse] + rounds[purse]:
            yield f"{purse}: players {players[purse]}, house and held {rounds[purse]}"


def _settled(account: Account, witness: Witness, told: Answered) -> Row | None:
    """Return the row of a settlement that was answered again under another key.

    That is what a player is told who settles, forgets his key and settles again.
    """
    for row in account.books.log:
        if (row.round_id, row.ver) == (told.round_id, told.version):
            ends = account.stories[row.round_id, row.ver].ends
            return row if ends and row.key in witness.forgotten else None
    return None


def chain_hash(previous: bytes, row: Row) -> bytes:
    """Return the hash of a row that follows another one: see the log's own words."""
    fields = [previous, *(text.encode() for text in (row.account, row.round_id))]
    fields += [b"%d" % row.ver, row.player.encode(), b"%d" % row.at, row.key.encode()]
    fields += [row.req, row.data.encode()]
    return hashlib.sha256(
        b"".join(len(field).to_bytes(4, "big") + field for field in fields)
    ).digest()


CHECKS: Final[tuple[Check, ...]] = (
    *(answers_are_definite, log_is_what_was_answered, chains_are_whole),
    *(rounds_are_over, ledger_has_its_causes, wallet_has_its_causes),
    *(wallet_did_what_it_was_asked, money_adds_up),
)
