"""The questions as they stand on the screen: what may be answered and what it costs."""

from collections.abc import Mapping, Sequence

from rich.text import Text

from service.terminal.cards import card_text
from service.terminal.money import Money
from service.terminal.shapes import BoxWager, Legal, Round, Table
from service.terminal.wagers import wagers_text
from service.terminal.words import hand_word, total_word

_LEAVE = (("?", "help"), ("q", "leave"))
_MOVES = {"hit": "h", "stand": "s", "double": "d", "split": "p"}


def wager_question(
    table: Table, money: Money, wagers: Sequence[BoxWager], *, again: bool
) -> Text:
    """Ask for wagers; `wagers` are what an Enter places, `again` those of before."""
    limits = table["limits"][money.currency]
    low, high = money.plain(limits["minimum"]), money.text(limits["maximum"])
    lines = [f"Your wager for each box, {low} to {high}, steps of "]
    lines.append(f"{money.plain(limits['step'])}. Examples: 10 is box 1")
    if table["boxes"] > 1:
        lines.append("; 10 - 25 is boxes 1 and 3")
    if limits["bonus_wager"]:
        lines.append(
            f"; 10+ adds the bonus bet of {money.plain(limits['bonus_wager'])}"
        )
    usual = wagers_text(wagers, money)
    keys = [("Enter", f"same again: {usual}" if again else usual)]
    keys += [("v", "verify the last round")] if again else []
    return Text("".join(lines) + ".\n").append_text(_keys(*keys, *_LEAVE))


def insurance_question(
    answers: Mapping[tuple[int, ...], Legal], money: Money, pays: str
) -> Text:
    """Ask about the insurance; `answers` are the sets of boxes that may be insured."""
    every = max(answers, key=len)
    single = [(box, answers[(box,)]) for box in every if (box,) in answers]
    if len(single) == len(every):
        prices = ", ".join(
            f"box {box} {money.plain(legal['cost'])}" for box, legal in single
        )
    else:
        prices = f"all boxes {money.plain(answers[every]['cost'])}"
    keys = [("y", "insure"), ("n", "decline")]
    if len(answers) > len({every, ()}):
        keys[0] = ("y", "insure all")
        keys.insert(1, (str(every[0]), "only that box"))
    said = (
        f"The dealer shows an ace. Insurance pays {pays}: {prices} {money.currency}.\n"
    )
    return Text(said).append_text(_keys(*keys, *_LEAVE))


def move_question(round_: Round, money: Money) -> Text:
    """Ask for a move of the active hand."""
    name = round_["active_hand"]
    hand = next(hand for hand in round_["hands"] if hand["hand"] == name)
    total = total_word(hand["total"], soft=hand["soft"], natural=hand["natural"])
    said = Text(f"{hand_word(hand['hand'], round_)} has {total}, the dealer shows ")
    said.append_text(card_text(round_["dealer"]["cards"][0])).append(".")
    keys = []
    for legal in round_["legal_actions"]:
        word: str = legal["action"]
        if legal["cost"]:
            word += f" +{money.plain(legal['cost'])}"
        if "max_payout" in legal:
            most = money.text(legal["max_payout"])
            said.append(f" Max win: a {legal['action']} pays at most {most}.", "yellow")
        keys.append((_MOVES.get(legal["action"], legal["action"]), word))
    return said.append("\n").append_text(_keys(*keys, *_LEAVE))


def _keys(*keys: tuple[str, str]) -> Text:
    """List what may be typed, and what it means."""
    line = Text()
    for key, meaning in keys:
        line.append(key, "bold cyan").append(f" {meaning}   ")
    return line.append(">", "bold")
