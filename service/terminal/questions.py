"""The questions as they stand on the screen: what may be answered and what it costs."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from rich.text import Text

from service.terminal.cards import card_text
from service.terminal.drawing import Canvas
from service.terminal.money import Money
from service.terminal.shapes import BoxWager, Legal, Round, Table
from service.terminal.wagers import wagers_text
from service.terminal.words import hand_word, total_word

_LEAVE: Final = (("?", "help"), ("q", "leave"))
_MOVES: Final = {"hit": "h", "stand": "s", "double": "d", "split": "p"}
_MOVES_HELP: Final = """\
h hit: take a card                  s stand: take no more
d double: bet as much again, take one last card
p split: bet as much again, make two hands of a pair
Rule of thumb: stand on 17 and more; on 12 to 16 hit if the dealer shows 7 or
more; double 10 and 11 against less; split aces and eights.
If you leave, the round waits for you."""
_INSURANCE_HELP: Final = """\
A side bet of half the wager that the face-down card makes the dealer's ace a
blackjack. Over many rounds it costs more than it brings."""


class Question(NamedTuple):
    """What is said once, the line that asks until it is answered, and the help."""

    lead: Text
    prompt: Text
    help: str = ""


def wager_question(
    table: Table,
    money: Money,
    wagers: Sequence[BoxWager],
    *,
    again: bool,
    verify: bool,
) -> Question:
    """Ask for wagers; `wagers` are what an Enter places, `again` those of before.

    With `verify` there is a round that can be verified, and how to bet is known.
    """
    limits = table["limits"][money.currency]
    low, high = money.plain(limits["minimum"]), money.text(limits["maximum"])
    lead = f"Your wager for each box: {low} to {high}, "
    lead += f"in steps of {money.plain(limits['step'])}."
    examples = ["Type amounts for boxes 1, 2, ...; 10 is box 1 alone"]
    if table["boxes"] > 1:
        examples.append("10 - 25 is boxes 1 and 3")
    if limits["bonus_wager"]:
        examples.append(
            f"10+ adds the bonus bet of {money.text(limits['bonus_wager'])}"
        )
    shown = "; ".join(examples) + "."
    usual = wagers_text(wagers, money)
    keys = [("Enter", f"bets {usual} again" if again else f"bets {usual}")]
    keys += [("v", "verify the last round")] if verify else []
    return Question(
        Text(lead if verify else f"{lead}\n{shown}"), _keys(*keys, *_LEAVE), shown
    )


def insurance_question(
    answers: Mapping[tuple[int, ...], Legal], money: Money, pays: str
) -> Question:
    """Ask about the insurance; `answers` are the sets of boxes that may be insured."""
    every = max(answers, key=len)
    single = [(box, answers[(box,)]) for box in every if (box,) in answers]
    if len(single) == len(every):
        costs = ", ".join(
            f"box {box} {money.plain(one['cost'])}" for box, one in single
        )
    else:
        costs = f"all boxes together {money.plain(answers[every]['cost'])}"
    keys = [("y", "insure"), ("n", "decline")]
    if len(answers) > len({every, ()}):
        keys = [("y", "insure all"), (str(every[0]), "that box alone"), keys[-1]]
    lead = f"The dealer shows an ace. Insurance pays {pays}: {costs} {money.currency}."
    return Question(Text(lead), _keys(*keys, *_LEAVE), _INSURANCE_HELP)


def move_question(round_: Round, canvas: Canvas) -> Question:
    """Ask for a move of the active hand."""
    money = canvas.money
    name = round_["active_hand"]
    hand = next(hand for hand in round_["hands"] if hand["hand"] == name)
    total = total_word(hand["total"], soft=hand["soft"], natural=hand["natural"])
    upcard = card_text(round_["dealer"]["cards"][0], ascii_only=canvas.ascii_only)
    lead = Text(f"{hand_word(hand['hand'], round_)} has {total}, the dealer shows ")
    lead.append_text(upcard).append(".")
    keys = []
    for legal in round_["legal_actions"]:
        word: str = legal["action"]
        if legal["cost"]:
            word += f" +{money.plain(legal['cost'])}"
        if "max_payout" in legal:
            most = money.text(legal["max_payout"])
            lead.append(f" After a {legal['action']} it pays at most {most}.", "yellow")
        keys.append((_MOVES.get(legal["action"], legal["action"]), word))
    return Question(lead, _keys(*keys, *_LEAVE), _MOVES_HELP)


def simple_question(text: str, style: str = "bold") -> Question:
    """Ask something that needs no lead and no list of keys."""
    return Question(Text(), Text(f"{text} >", style))


def _keys(*keys: tuple[str, str]) -> Text:
    """List what may be typed, and what it means."""
    line = Text()
    for key, meaning in keys:
        line.append(key, "bold cyan").append(f" {meaning}   ")
    return line.append(">", "bold")
