"""The calls to wallets against the commands that they are of."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import orjson

from service.reconcile.book import Book, Difference, Value
from service.reconcile.causes import Cause, Story
from service.store.reconciliation import TransferRow

_PAYING: Final = ("credit", "refund")
_OWED: Final = ("requested", "confirmed")
_GIVEN_UP: Final = ("rolled_back", "refused")
_NOTHING: Final = Cause(0, "", 0, 0, None, None)

Calls = Sequence[TransferRow]
Place = tuple[str, int]


def call_faults(book: Book) -> Iterator[Difference]:
    """Yield calls that no command made, or made otherwise, or not at all."""
    causes: dict[Place, tuple[Cause, Story]] = {}
    made: dict[Place, list[TransferRow]] = defaultdict(list)
    for call in book.transfers:
        made[call.round_id, call.ver].append(call)
    at_wallet = {call.round_id for call in book.transfers}
    for story in book.stories.values():
        for cause in story.causes if story.round_id in at_wallet else ():
            causes[story.round_id, cause.ver] = cause, story
    for place in sorted(causes.keys() | made.keys()):
        cause, told = causes.get(place, (_NOTHING, None))
        calls = made.get(place, [])
        yield from _debits(book, place, cause, calls)
        yield from _payouts(book, place, cause, calls)
        yield from _ends(book, place, told if cause.ends else None, calls)
    yield from _undone(book)
    yield from _malformed(book)


def waiting_faults(book: Book) -> Iterator[Difference]:
    """Yield the calls that are not acknowledged, for when none should wait."""
    for call in book.transfers:
        if call.status == "requested":
            place = (call.round_id, call.ver)
            about = {"name": call.transfer_id, "found": call.kind}
            yield _at(book, "transfer_waits", place, **about)


def _debits(
    book: Book, place: Place, cause: Cause, calls: Calls
) -> Iterator[Difference]:
    debits = [c for c in calls if (c.kind, c.status) == ("debit", "confirmed")]
    if cause.stake and not debits:
        yield _at(book, "cause_without_debit", place, expected=cause.stake)
    if cause.stake and len(debits) > 1:
        yield _at(book, "debit_twice", place, expected=1, found=len(debits))
    for debit in debits:
        name, found = debit.transfer_id, debit.amount
        if not cause.stake:
            yield _at(book, "debit_without_cause", place, name=name, found=found)
            continue
        right = {"amount": cause.stake, "purpose": cause.purpose}
        said = {"amount": debit.amount, "purpose": debit.purpose}
        if right != said:
            about = {"expected": _words(right), "found": _words(said)}
            yield _at(book, "debit_wrong", place, name=name, **about)


def _payouts(
    book: Book, place: Place, cause: Cause, calls: Calls
) -> Iterator[Difference]:
    paid = [c for c in calls if c.kind in _PAYING and c.status in _OWED]
    if cause.correction:
        # One that is refused is owed by the player: it counts as well.
        paid += [c for c in calls if c.kind == "correction"]
    total = sum(call.amount for call in paid)
    about: dict[str, Value] = {"expected": cause.back, "found": total}
    if cause.back and not paid:
        yield _at(book, "cause_without_credit", place, **about)
    elif paid and not cause.back:
        yield _at(book, "credit_without_cause", place, **about)
    elif total != cause.back:
        wrong = "correction_wrong" if cause.correction else "credit_wrong"
        yield _at(book, wrong, place, **about)
    for call in calls:
        if call.kind == "correction":
            if not cause.correction:
                about = {"name": call.transfer_id, "found": call.amount}
                yield _at(book, "correction_without_cause", place, **about)
        elif call.kind != "debit" and call.status not in _OWED:
            about = {"name": call.transfer_id, "found": f"{call.kind} {call.status}"}
            yield _at(book, "payout_refused", place, **about)


def _ends(
    book: Book, place: Place, ended: Story | None, calls: Calls
) -> Iterator[Difference]:
    ends = [call for call in calls if call.kind == "end"]
    if ended is None:
        for call in ends:
            yield _at(book, "end_without_cause", place, name=call.transfer_id)
        return
    if not ends:
        yield _at(book, "cause_without_end", place, expected=ended.ends)
    if len(ends) > 1:
        yield _at(book, "end_twice", place, expected=1, found=len(ends))
    paid = ended.paid_by(place[1])
    right = {"stake": ended.stake, "payout": paid, "how": ended.ends}
    for call in ends:
        told = _told(call)
        said = {"stake": told["stake"], "payout": told["payout"], "how": call.purpose}
        if right != said:
            about = {"expected": _words(right), "found": _words(said)}
            yield _at(book, "end_wrong", place, name=call.transfer_id, **about)


def _undone(book: Book) -> Iterator[Difference]:
    """Yield what is given up and not taken back, or taken back and not given up."""
    debits = {call.transfer_id: call for call in book.transfers if call.kind == "debit"}
    back: dict[str, int] = defaultdict(int)
    undone = set()
    for call in book.transfers:
        debit = debits.get(call.debit or "")
        place, name = (call.round_id, call.ver), call.transfer_id
        if call.kind == "rollback":
            undone.add(call.debit)
            if debit is None or debit.status not in _GIVEN_UP:
                yield _at(book, "rollback_without_debit", place, name=name)
            elif debit.amount != call.amount:
                about = {"expected": debit.amount, "found": call.amount}
                yield _at(book, "rollback_without_debit", place, name=name, **about)
        elif call.kind == "refund":
            total = back[call.debit or ""] = back[call.debit or ""] + call.amount
            taken = debit.amount if debit and debit.status == "confirmed" else 0
            if total > taken:
                more = {"expected": taken, "found": total}
                yield _at(book, "refund_wrong", place, name=name, **more)
    for name, debit in debits.items():
        if debit.status == "rolled_back" and name not in undone:
            place = (debit.round_id, debit.ver)
            yield _at(book, "rollback_missing", place, name=name)


def _malformed(book: Book) -> Iterator[Difference]:
    """Yield calls whose lines are not their amount, or in another currency."""
    for call in book.transfers:
        place = (call.round_id, call.ver)
        total = sum(_told(call).values())
        if call.kind != "end" and total != call.amount:
            about = {"expected": call.amount, "found": total}
            yield _at(book, "lines_wrong", place, name=call.transfer_id, **about)
        story = book.stories.get(call.round_id)
        if story and story.currency != call.currency:
            kind = "debit_wrong" if call.kind == "debit" else "credit_wrong"
            both = {"expected": story.currency, "found": call.currency}
            yield _at(book, kind, place, name=call.transfer_id, **both)


def _told(call: TransferRow) -> Mapping[str, int]:
    """Return what a call's lines say, by what each is for."""
    told: dict[str, int] = defaultdict(int)
    for line in orjson.loads(call.lines):
        told[line["what"]] += line["amount"]
    return told


def _words(said: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in said.items())


def _at(book: Book, kind: str, place: Place, **about: Any) -> Difference:  # noqa: ANN401 - fields
    return book.differs(kind, round_id=place[0], version=place[1], **about)
