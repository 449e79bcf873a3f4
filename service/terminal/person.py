"""A player who is asked, and shown what happens."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from rich.text import Text

from service.terminal.api import Problem
from service.terminal.dealing import moments
from service.terminal.drawing import picture
from service.terminal.game import Wagers
from service.terminal.money import Money, Unclear
from service.terminal.questions import (
    insurance_question,
    move_question,
    simple_question,
    wager_question,
)
from service.terminal.score import Score, net_of
from service.terminal.screen import Screen
from service.terminal.shapes import BoxWager, Legal, Reply, Round, Table
from service.terminal.wagers import read_wagers
from service.terminal.words import explain

_MOVES: Final = {"h": "hit", "s": "stand", "d": "double", "p": "split"}
_YES: Final = {"y", "yes"}
_NO: Final = {"n", "no"}


class Usual(NamedTuple):
    """The wagers that an Enter places, and whether he has bet them before."""

    boxes: Sequence[BoxWager]
    again: bool = False


class Person:
    """Asks at the terminal. `verify` shows whether a finished round was honest."""

    def __init__(
        self,
        screen: Screen,
        table: Table,
        score: Score,
        verify: Callable[[Round], None],
        usual: Usual,
    ) -> None:
        """Take where to ask, what is played, and the wagers that an Enter places."""
        self._screen: Final = screen
        self._table: Final = table
        self._score: Final = score
        self._verify: Final = verify
        self._usual = usual
        self._sent = usual.boxes
        self._last: Round | None = None
        self._notices: list[str] = []

    def wagers(self, refusal: Problem | None) -> Wagers:
        """Ask for the wagers of a round."""
        money = self._score.money
        if refusal:
            self._screen.say(explain(refusal, money, self._sent), "yellow")
            if _may_be_raised(refusal) and self._agrees("Raise to the minimum?"):
                return Wagers(self._sent, raise_to_minimum=True)
        seen = self._last is not None
        boxes, again = self._usual
        question = wager_question(self._table, money, boxes, again=again, verify=seen)
        return self._screen.ask(question, self._read_wagers)

    def _read_wagers(self, typed: str) -> Wagers | None:
        """Read wagers, or verify the last round and ask on."""
        if self._last and typed in {"v", "verify"}:
            self._verify(self._last)
            return None
        money = self._score.money
        self._sent = (
            read_wagers(typed, self._table, money) if typed else self._usual.boxes
        )
        return Wagers(self._sent)

    def insure(self, round_: Round) -> Legal:
        """Ask which boxes to insure."""
        answers = {tuple(legal["boxes"]): legal for legal in round_["legal_actions"]}
        every = max(answers, key=len)

        def read(typed: str) -> Legal:
            boxes = every if typed in _YES else () if typed in _NO else _boxes(typed)
            if boxes in answers:
                return answers[boxes]
            raise Unclear(f"'{typed}' is no answer here")

        pays = self._table["payouts"]["insurance"]
        question = insurance_question(answers, self._money_of(round_), pays)
        return self._screen.ask(question, read)

    def act(self, round_: Round) -> Legal:
        """Ask what to do with the hand whose turn it is."""
        moves: dict[str, Legal] = {
            legal["action"]: legal for legal in round_["legal_actions"]
        }

        def read(typed: str) -> Legal:
            move = _MOVES.get(typed, typed)
            if move in moves:
                return moves[move]
            if move in _MOVES.values():
                raise Unclear(f"this hand can't {move} now")
            raise Unclear(f"'{typed}' is no move; type one of the keys, then Enter")

        canvas = self._screen.canvas(self._money_of(round_))
        return self._screen.ask(move_question(round_, canvas), read)

    def see(self, reply: Reply) -> None:
        """Show the table, the cards of this command falling one by one."""
        round_ = reply["round"]
        if any(event["type"] == "round_opened" for event in reply["events"]):
            self._usual = Usual(self._sent, again=True)
        canvas = self._screen.canvas(self._money_of(round_))
        heading = self._heading()
        self._screen.show(
            picture(round_, canvas, heading),
            (picture(round_, canvas, heading, shown) for shown in moments(reply)),
        )
        for notice in self._notices:
            self._screen.say(notice, "yellow")
        self._notices.clear()

    def hear(self, problem: Problem) -> None:
        """Keep a refusal, to tell it below the next picture."""
        self._notices.append(explain(problem, self._score.money))

    def finished(self, round_: Round) -> None:
        """Tell what a round came to."""
        self._last = round_
        money, net = self._money_of(round_), net_of(round_)
        if round_["status"] == "void":
            said = f"The round is void; {money.text(round_['payout'] or 0)} came back."
        elif round_["status"] == "malfunction":
            said = "The operator took the round back; it counts for nothing."
        elif net > 0:
            said = f"You win {money.text(net)}."
        elif net < 0:
            said = f"You lose {money.text(-net)}."
        else:
            said = "You get your stake back."
        style = "bold green" if net > 0 else "bold"
        self._screen.say(Text.assemble((said, style), f"  {self._score}"))

    def _agrees(self, question: str) -> bool:
        """Ask a yes or no; anything else is no."""
        asked = simple_question(f"{question} y or n")
        return self._screen.ask(asked, lambda typed: typed in _YES)

    def _heading(self) -> Text:
        """Return the line above the table."""
        heading = Text(self._table["title"], "bold magenta")
        if self._score.rounds:
            heading.append(f"   {self._score}", "not bold dim")
        return heading

    def _money_of(self, round_: Round) -> Money:
        """Return how a round's money is written: it may be of another currency."""
        currency = round_["currency"]
        limits = self._table["limits"].get(currency)
        return Money(currency, limits["exponent"]) if limits else self._score.money


def _boxes(answer: str) -> tuple[int, ...]:
    """Read a list of boxes; box 0, which no table has, if it is none."""
    words = answer.replace(",", " ").split()
    if not words or not all(word.isdecimal() for word in words):
        return (0,)
    return tuple(sorted({int(word) for word in words}))


def _may_be_raised(refusal: Problem) -> bool:
    """Whether the same wagers would be taken when they are raised."""
    errors = refusal.document.get("errors", ())
    return bool(errors) and all("raised_to" in error for error in errors)
