"""What events say of money: in the log's words, or in those of a reply."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

_STAKES: Final = ("insurance_taken", "hand_doubled", "hand_split")
_ENDS: Final = ("round_settled", "round_voided")
_TOLD: Final = ("hand", "new_hand", "card", "cards", "box", "stake", "payout", "result")


class Story(NamedTuple):
    """What a command's events move, in minor units, and all that they say in short."""

    stake: int
    payout: int
    ends: bool
    text: str

    @property
    def moves(self) -> bool:
        """Whether money moves, if only from what is held to the house."""
        return bool(self.stake or self.payout or self.ends)


def story_of(events: Iterable[Mapping[str, Any]]) -> Story:
    """Read a command's events.

    >>> events = [{"type": "hand_doubled/1", "hand": "1a", "stake": 500, "card": "9H"}]
    >>> story_of(events)[:3]
    (500, 0, False)
    """
    stake = payout = 0
    ends = False
    told = []
    for event in events:
        kind = event["type"].removesuffix("/1")
        if kind == "round_opened":
            stake += sum(box["wager"] + box["bonus_wager"] for box in event["boxes"])
        elif kind in _STAKES:
            stake += event["stake"]
        elif kind == "insurance_resolved":
            payout += event["payout"]
        elif kind in _ENDS:
            refunds = sum(refund["amount"] for refund in event.get("refunds", ()))
            payout += event["payout"] + refunds
            ends = True
        told.append([kind, *(event.get(name) for name in _TOLD)])
    return Story(stake, payout, ends, json.dumps(told))
