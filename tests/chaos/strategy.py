"""What a player does: much that costs money, and otherwise what is sensible."""

import random
from collections.abc import Sequence
from typing import Any, Final

_TIMID: Final = 10_000
"""With less than this one plays low."""
_STANDS_FROM: Final = 16


def wagers(chance: random.Random, table: str, funds: int) -> list[dict[str, int]]:
    """Return the boxes of a deal, in minor units."""
    most = 8 if funds < _TIMID else 40
    boxes: list[dict[str, int]] = []
    for box in range(1, chance.choice((1, 1, 2, 3)) + 1):
        bet = {"box": box, "wager": 100 * chance.randint(2, most)}
        if table == "progressive-five" and chance.random() < 0.5:
            bet["bonus_wager"] = 100
        boxes.append(bet)
    return boxes


def chosen(
    chance: random.Random, round_: dict[str, Any], legal: Sequence[dict[str, Any]]
) -> tuple[str, dict[str, Any] | None]:
    """Return the end of a command's path and its body."""
    insurances = [one for one in legal if one["command"] == "insure"]
    if insurances:
        return "insurance", {"boxes": chance.choice(insurances)["boxes"]}
    acts = {one["action"]: one for one in legal if one["command"] == "act"}
    if not acts:
        return "settlement", None
    act = acts[_action(chance, round_, list(acts))]
    return "actions", {"hand": act["hand"], "action": act["action"]}


def _action(chance: random.Random, round_: dict[str, Any], legal: list[str]) -> str:
    if "split" in legal and chance.random() < 0.7:
        return "split"
    if "double" in legal and chance.random() < 0.35:
        return "double"
    hand = next(h for h in round_["hands"] if h["hand"] == round_["active_hand"])
    wishes = "hit" if hand["total"] < _STANDS_FROM else "stand"
    return wishes if wishes in legal else legal[0]
