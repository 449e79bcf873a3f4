"""The ledger's entries against the commands that they are of, and the balances."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final

from service.reconcile.book import Book, Difference, Value
from service.reconcile.causes import Cause, Story
from service.store.reconciliation import LedgerLine

_CASH: Final = {
    "deposit": True,
    "withdrawal": True,
    "refill": True,
    "demo": False,
}
"""What moves without a round, and whether it has a reference."""

Entry = Sequence[LedgerLine]
Place = tuple[str, int]


def entry_faults(book: Book) -> Iterator[Difference]:
    """Yield entries that no command or cash made, or made otherwise, or not at all."""
    by_id: dict[str, list[LedgerLine]] = defaultdict(list)
    for line in book.lines:
        by_id[line.entry_id].append(line)
    by_place: dict[Place, list[Entry]] = defaultdict(list)
    for name, entry in by_id.items():
        total = sum(line.amount for line in entry)
        if total:
            yield book.differs("entry_unbalanced", name=name, expected=0, found=total)
        first = entry[0]
        if first.round_id is not None and first.ver is not None:
            by_place[first.round_id, first.ver].append(entry)
        elif not _is_cash(entry):
            yield book.differs("entry_without_cause", name=name, found=first.purpose)
    yield from _unlike_causes(book, by_place)


def balance_faults(book: Book) -> Iterator[Difference]:
    """Yield balances that are not what the entries made of them."""
    has = {row.currency: row.amount for row in book.balances}
    lines: dict[str, list[LedgerLine]] = {currency: [] for currency in has}
    for line in book.lines:
        if line.side == "player":
            lines.setdefault(line.currency, []).append(line)
    for currency, entries in lines.items():
        total = sum(line.amount for line in entries)
        if has.get(currency, 0) != total:
            about = {"expected": total, "found": has.get(currency)}
            yield book.differs("balance_wrong", name=currency, **about)
        loose = _loose_ends(entries, total)
        if loose:
            yield book.differs("balance_broken", name=currency, found=loose)


def _is_cash(entry: Entry) -> bool:
    purpose, reference = entry[0].purpose, entry[0].reference
    sides = {line.side for line in entry}
    right = _CASH.get(purpose) == (reference is not None)
    return right and sides <= {"player", "operator"}


def _unlike_causes(
    book: Book, by_place: dict[Place, list[Entry]]
) -> Iterator[Difference]:
    at_wallet = {call.round_id for call in book.transfers}
    for round_id in sorted(at_wallet & {place[0] for place in by_place}):
        yield book.differs("moved_twice", round_id=round_id)
    for story in book.stories.values():
        held = 0
        for cause in story.causes:
            place = (story.round_id, cause.ver)
            entries = by_place.pop(place, []) if cause.moves else []
            if cause.moves and not entries and story.round_id not in at_wallet:
                yield _at(book, "cause_without_money", place, name=cause.purpose)
            if len(entries) > 1:
                yield _at(book, "entry_twice", place, expected=1, found=len(entries))
            for entry in entries:
                yield from _compared(book, place, entry, _right(cause, held, story))
            over = cause.ends or cause.correction
            held = 0 if over else held + cause.stake - cause.back
    for place, entries in by_place.items():
        for entry in entries:
            yield _at(book, "entry_without_cause", place, name=entry[0].entry_id)


def _right(cause: Cause, held: int, story: Story) -> dict[str, Value]:
    """Return what an entry should say, of a round that held so much before it."""
    player = cause.back - cause.stake + cause.owed
    kept = -held if cause.ends or cause.correction else -player
    return {
        "player": player,
        "held": kept,
        "house": -player - kept,
        "operator": 0,
        "purpose": cause.purpose,
        "currency": story.currency,
        "balance": cause.balance,
    }


def _compared(
    book: Book, place: Place, entry: Entry, right: dict[str, Value]
) -> Iterator[Difference]:
    sides = Counter[str]()
    for line in entry:
        sides[line.side] += line.amount
    player = next((line for line in entry if line.side == "player"), entry[0])
    said: dict[str, Value] = {
        **{side: sides[side] for side in ("player", "held", "house", "operator")},
        "purpose": player.purpose,
        "currency": player.currency,
        "balance": player.balance,
    }
    for name, expected in right.items():
        if said[name] != expected:
            kind = "reply_wrong" if name == "balance" else "entry_wrong"
            about = {"name": name, "expected": expected, "found": said[name]}
            yield _at(book, kind, place, **about)


def _at(book: Book, kind: str, place: Place, **about: Any) -> Difference:  # noqa: ANN401 - fields
    return book.differs(kind, round_id=place[0], version=place[1], **about)


def _loose_ends(lines: Sequence[LedgerLine], last: int) -> str:
    """Return the balances that no other entry follows or leads to; "" if none.

    Each entry leads from one balance to another; together they are one way from zero
    to the last. Their order is not known: ids and transactions begin before they wait
    for the balance's row.
    """
    steps = Counter[int | None]({0: 1})
    steps[last] -= 1
    for line in lines:
        before = None if line.balance is None else line.balance - line.amount
        steps[line.balance] += 1
        steps[before] -= 1
    # An entry ends where another begins, so each balance is left as often as reached.
    return ", ".join(str(value) for value, times in steps.items() if times)
