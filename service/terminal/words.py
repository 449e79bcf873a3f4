"""What the client says in words: refusals, results, moments, the keys."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from service.terminal.api import Problem
from service.terminal.money import Money
from service.terminal.shapes import BoxWager, Round

WAGER_FAULTS: Final = {
    "wager_below_minimum": "the minimum is {limit}",
    "wager_above_maximum": "the maximum is {limit}",
    "wager_above_own_limit": "your own limit is {limit}",
    "wager_off_step": "wagers go in steps of {limit}",
    "bonus_wager_wrong": "the bonus bet costs {limit}",
}
"""Refusals that another wager mends; the limit in them is money."""

REPAIRABLE: Final = {
    *WAGER_FAULTS,
    *("box_not_offered", "bonus_not_offered", "exposure_exceeded", "invalid"),
    "insufficient_funds",
}

_HINTS: Final = {
    "unauthenticated": (
        "The server knows other token keys than this client. Give both the same "
        "UPCARD_HOME, or get a token from it and use --token."
    ),
    "token_expired": "Start again for a new token; an open round waits for you.",
    "currency_mismatch": "Start again with --currency, or with another --token.",
    "idempotency_key_reused": "Start again; an open round waits for you.",
}

_SAID: Final = {
    "version_stale": "The round has moved on; this is how it stands now.",
}
"""Refusals whose own words are for a program."""

_MOST: Final = 21
_RESULTS: Final = {
    "natural": "BLACKJACK",
    "win": "WIN",
    "push": "PUSH",
    "lose": "LOSE",
    "bust": "BUST",
    "void": "VOID",
    "forfeit": "FORFEIT",
}


def explain(
    problem: Problem, money: Money | None = None, boxes: Sequence[BoxWager] = ()
) -> str:
    """Say a refusal to a person: amounts in units, boxes by number.

    `boxes` are the wagers that were sent, to which the refusal's pointers lead.
    """
    lines = list(_faults(problem, money, boxes)) or [
        _amounts(problem, money) or _SAID.get(problem.code, problem.detail)
    ]
    if hint := _HINTS.get(problem.code):
        lines.append(hint)
    return "\n".join(lines)


def _amounts(problem: Problem, money: Money | None) -> str:
    """Say a refusal that is about the money of the whole round; empty for another."""
    told = problem.document
    if money is None:
        return ""
    match problem.code:
        case "insufficient_funds":
            has, takes = told.get("balance"), money.text(told["required"])
            less = "less" if has is None else money.text(has)
            return f"That takes {takes}, and you have {less}."
        case "exposure_exceeded":
            return f"A round may put at most {money.text(told['limit'])} at stake."
        case _:
            return ""


def _faults(
    problem: Problem, money: Money | None, boxes: Sequence[BoxWager]
) -> Iterator[str]:
    """Say each fault of the wagers that the server found."""
    for error in problem.document.get("errors", ()):
        place = _box(error, boxes)
        said = WAGER_FAULTS.get(error["code"])
        if place and said and money and "limit" in error:
            yield f"{place}: {said.format(limit=money.text(error['limit']))}"
        elif place:
            yield f"{place}: {error['detail']}"


def _box(error: Mapping[str, Any], boxes: Sequence[BoxWager]) -> str:
    """Name the box that a fault is about; empty if it is about none."""
    match error["pointer"].split("/"):
        case ["", "boxes", index, *_] if index.isdecimal() and int(index) < len(boxes):
            return f"Box {boxes[int(index)]['box']}"
        case _:
            return ""


def result_word(result: str) -> str:
    """Return how a hand ended, as a table shows it; an unknown result as it is."""
    return _RESULTS.get(result, result.upper())


def total_word(total: int, *, soft: bool, natural: bool) -> str:
    """Return what cards count.

    >>> total_word(17, soft=True, natural=False)
    'soft 17'
    """
    if natural:
        return "blackjack"
    if total > _MOST:
        return f"{total} bust"
    return f"soft {total}" if soft and total < _MOST else str(total)


def moment(time: str) -> str:
    """Write a time of the API for a person.

    >>> moment("2026-05-31T18:04:11.482000Z")
    '2026-05-31 18:04 UTC'
    """
    day, _, clock = time.partition("T")
    return f"{day} {clock[:5]} UTC"


def hand_word(name: str, round_: Round) -> str:
    """Name a hand: by its box, and by its letter where the box has several.

    >>> hand_word("1a", {"hands": [{"box": 1}, {"box": 2}]})
    'Box 1'
    """
    several = sum(hand["box"] == int(name[0]) for hand in round_["hands"]) > 1
    return f"Box {name}" if several else f"Box {name[0]}"
