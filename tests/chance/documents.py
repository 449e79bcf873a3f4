"""Four proofs to try changes on, and the ways to change them."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

from service.audit import Report
from service.rules.cards import Card
from service.store.chain import GENESIS, chained
from service.store.rows import LogRow
from tests.chance.proofs import Document, played, stacked, words

# Insurance lost, a split, a double, a bust, a bonus line and a settlement.
RICH = played(
    "progressive-five",
    stacked("P 8,8 / A,A / T,6 | U A | H 7 | 3,K,T,9,5,T,2,2", 8),
    words("insure", "split", "double", "stand", "split", "hit", "settle"),
    boxes=3,
)
CAPPED = played(
    "classic-three",
    stacked("P 5,6 / K,A / 9,9 | U 6 | H T | T,2,T", 6),
    words("double", "stand", "settle"),
    boxes=3,
    wager=10_000,
)
VOIDED = played(
    "american-five", stacked("P T,9 / 8,8 | U 6 | H T", 6), words("stand", "expire"), 2
)
SHARED = played(
    "shared-five",
    stacked("P T,9 / 8,7 / A,K | U A | H 9 | T", 8),
    words("insure", "insure", "insure", "stand", "stand", "settle"),
    boxes=3,
)
CHAIN = "the log is as it was written"
SHOE = "the shoe is the one committed to"
WHOLE = "the shoe is whole"
RULES = "the table's rules are the round's"
CARDS = "each card is the shoe's next"
REPLAY = "the rules give the same events"
MONEY = "each payout is right"
BOOKED = "the money is what the events say"


Path = tuple[str | int, ...]


def leaves(document: object, path: Path = ()) -> Iterator[Path]:
    """Give the path of each value in a document."""
    assert isinstance(document, dict | list)
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in items:
        if isinstance(value, dict | list):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key)


def changed(document: Document, path: Path, value: object) -> Document:
    result = copy.deepcopy(document)
    inner: Any = result
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return result


def value_at(document: Any, path: Path) -> Any:  # noqa: ANN401 - JSON
    for key in path:
        document = document[key]
    return document


def faults(report: Report) -> dict[str, str]:
    return {check.name: check.where for check in report.checks if not check.ok}


def forged(
    document: Document, forge: Callable[[list[Document]], None], first: int = 1
) -> Document:
    """Return a proof whose rows someone changed who can make a chain anew.

    `forge` gets the rows with `data` parsed, and changes them in place; then they are
    numbered from `first` on.
    """
    changed = copy.deepcopy(document)
    rows = changed["rows"]
    for row in rows:
        row["data"] = json.loads(row["data"])
    forge(rows)
    previous = GENESIS
    for ver, row in enumerate(rows, first):
        row["ver"] = ver
        row["data"] = json.dumps(row["data"], separators=(",", ":"))
        whole = LogRow(
            *(changed["account"], changed["round_id"], ver, row["player"], row["at"]),
            *(row["key"], bytes.fromhex(row["req"]), row["data"].encode(), b""),
        )
        previous = chained(previous, whole).hash
        row["hash"] = previous.hex()
    return changed


def cards_of(text: str) -> list[Card]:
    """Cut an order's text into cards."""
    return [Card(text[place : place + 2]) for place in range(0, len(text), 2)]
