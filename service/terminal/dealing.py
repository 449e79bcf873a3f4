"""A command's events as moments to show: one card after the other falls."""

from collections import Counter
from collections.abc import Iterator, Sequence

from service.terminal.drawing import Showing
from service.terminal.shapes import Reply

_TO_A_HAND = {"card_dealt", "hand_hit", "hand_doubled"}
_TO_THE_DEALER = {"upcard_dealt", "hole_card_revealed", "dealer_drew"}


def moments(reply: Reply) -> Iterator[Showing]:
    """Yield what is shown after each card of a command, before its outcome is."""
    round_, events = reply["round"], reply["events"]
    shown = Counter({hand["hand"]: len(hand["cards"]) for hand in round_["hands"]})
    kinds = [event["type"] for event in events]
    dealer = len(round_["dealer"]["cards"]) - sum(
        kind in _TO_THE_DEALER for kind in kinds
    )
    shown.subtract(
        event.get("hand", "") for event in events if event["type"] in _TO_A_HAND
    )
    hole_card = _before(kinds, round_["dealer"]["hole_card"])
    for event in events:
        kind = event["type"]
        if kind in _TO_A_HAND:
            shown[event.get("hand", "")] += 1
        elif kind in _TO_THE_DEALER:
            dealer += 1
        if kind == "hole_card_dealt":
            hole_card = "face_down"
        elif kind == "hole_card_revealed":
            hole_card = "revealed"
        if kind == "hole_card_dealt" or kind in _TO_A_HAND | _TO_THE_DEALER:
            yield Showing(dict(shown), dealer, hole_card)


def _before(kinds: Sequence[str], after: str) -> str:
    """Return how the hole card lay before these events."""
    if "hole_card_dealt" in kinds:
        return "none"
    return "face_down" if "hole_card_revealed" in kinds else after
