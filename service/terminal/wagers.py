"""The wagers of a deal as a person types them: `10`, `10 20 -`, `5+`."""

from collections.abc import Sequence
from typing import Final

from service.terminal.money import Money, Unclear
from service.terminal.shapes import BoxWager, Limits, Table

_NONE: Final = {"-", "0", "."}
_BONUS: Final = "+"


def read_wagers(line: str, table: Table, money: Money) -> list[BoxWager]:
    """Read the wagers for boxes 1, 2, ... in turn; `-` leaves a box out.

    A `+` after an amount places the bonus bet as well. The limits are the server's to
    check: nothing is refused here that it could accept.

    Raises:
        Unclear: a word is no amount, there is no wager, or too many.
    """
    words = line.split()
    if len(words) > table["boxes"]:
        raise Unclear(f"this table has {table['boxes']} boxes; you named {len(words)}")
    limits = table["limits"][money.currency]
    wagers = [
        _wager(box, word, limits, money)
        for box, word in enumerate(words, 1)
        if word not in _NONE
    ]
    if not wagers:
        raise Unclear("put a wager on one box at least, or q to leave")
    return wagers


def _wager(box: int, word: str, limits: Limits, money: Money) -> BoxWager:
    """Read one word."""
    amount = money.read(word.removesuffix(_BONUS))
    if not word.endswith(_BONUS):
        return {"box": box, "wager": amount}
    bonus = limits["bonus_wager"]
    if bonus is None:
        raise Unclear("this table has no bonus bet")
    return {"box": box, "wager": amount, "bonus_wager": bonus}


def wagers_text(wagers: Sequence[BoxWager], money: Money) -> str:
    """Write wagers as `read_wagers` reads them.

    >>> wagers_text([{"box": 2, "wager": 1000}], Money("USD", 2))
    '- 10'
    """
    words = ["-"] * max(wager["box"] for wager in wagers)
    for wager in wagers:
        bonus = _BONUS if "bonus_wager" in wager else ""
        words[wager["box"] - 1] = money.typed(wager["wager"]) + bonus
    return " ".join(words)
