"""A player who is asked, and shown what happens."""

from collections.abc import Callable, Sequence
from typing import Final

from rich.text import Text

from service.terminal.api import Problem
from service.terminal.dealing import moments
from service.terminal.drawing import picture
from service.terminal.game import Wagers
from service.terminal.money import Money, NotMoney
from service.terminal.questions import insurance_question, move_question, wager_question
from service.terminal.score import Score, net_of
from service.terminal.screen import Screen
from service.terminal.shapes import BoxWager, Legal, Reply, Round, Table
from service.terminal.wagers import Unclear, read_wagers
from service.terminal.words import explain

_MOVES: Final = {"h": "hit", "s": "stand", "d": "double", "p": "split"}
_YES: Final = {"y", "yes"}
_NO: Final = {"n", "no"}


class Person:
    """Asks at the terminal. `verify` shows whether a finished round was honest."""

    def __init__(
        self,
        screen: Screen,
        table: Table,
        score: Score,
        verify: Callable[[Round], None],
        wagers: Sequence[BoxWager],
    ) -> None:
        """Take where to ask, what is played, and the wagers that an Enter places."""
        self._screen: Final = screen
        self._table: Final = table
        self._score: Final = score
        self._verify: Final = verify
        self._wagers = wagers
        self._last: Round | None = None
        self._notices: list[str] = []

    def wagers(self, refusal: Problem | None) -> Wagers:
        """Ask for the wagers of a round."""
        money = self._score.money
        if refusal:
            self._screen.say(explain(refusal, money, self._wagers), "yellow")
            if _may_be_raised(refusal) and self._agrees("Raise to the minimum?"):
                return Wagers(self._wagers, raise_to_minimum=True)
        question = wager_question(
            self._table, money, self._wagers, again=self._last is not None
        )
        while True:
            answer = self._screen.ask(question)
            if self._last and answer in {"v", "verify"}:
                self._verify(self._last)
                continue
            try:
                if answer:
                    self._wagers = read_wagers(answer, self._table, money)
                return Wagers(self._wagers)
            except (NotMoney, Unclear) as fault:
                self._screen.say(f"No: {fault}.", "yellow")

    def insure(self, round_: Round) -> Legal:
        """Ask which boxes to insure."""
        answers = {tuple(legal["boxes"]): legal for legal in round_["legal_actions"]}
        every = max(answers, key=len)
        pays = self._table["payouts"]["insurance"]
        question = insurance_question(answers, self._money_of(round_), pays)
        while True:
            answer = self._screen.ask(question)
            chosen = (
                every if answer in _YES else () if answer in _NO else _boxes(answer)
            )
            if chosen is not None and chosen in answers:
                return answers[chosen]
            self._screen.say(f"No: '{answer}' is no answer here.", "yellow")

    def act(self, round_: Round) -> Legal:
        """Ask what to do with the hand whose turn it is."""
        moves = {legal["action"]: legal for legal in round_["legal_actions"]}
        question = move_question(round_, self._money_of(round_))
        while True:
            answer = self._screen.ask(question)
            move = _MOVES.get(answer, answer)
            if move in moves:
                return moves[move]
            known = move in _MOVES.values()
            why = "not possible with this hand now" if known else "no move"
            self._screen.say(f"No: '{answer}' is {why}.", "yellow")

    def see(self, reply: Reply) -> None:
        """Show the table, the cards of this command falling one by one."""
        round_ = reply["round"]
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
        self._notices.append(explain(problem))

    def finished(self, round_: Round) -> None:
        """Tell what a round came to."""
        self._last = round_
        money, net = self._money_of(round_), net_of(round_)
        if round_["status"] == "void":
            said = f"The round is void; {money.text(round_['payout'] or 0)} came back."
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
        return self._screen.ask(Text(f"{question} y or n >", "bold")) in _YES

    def _heading(self) -> Text:
        """Return the line above the table."""
        heading = Text(self._table["title"], "bold magenta")
        return heading.append(f"   {self._score}", "dim not bold")

    def _money_of(self, round_: Round) -> Money:
        """Return how a round's money is written: it may be of another currency."""
        currency = round_["currency"]
        limits = self._table["limits"].get(currency)
        return Money(currency, limits["exponent"]) if limits else self._score.money


def _boxes(answer: str) -> tuple[int, ...] | None:
    """Read a list of boxes; None if it is none."""
    words = answer.replace(",", " ").split()
    if not words or not all(word.isdecimal() for word in words):
        return None
    return tuple(sorted({int(word) for word in words}))


def _may_be_raised(refusal: Problem) -> bool:
    """Whether the same wagers would be taken when they are raised."""
    errors = refusal.document.get("errors", ())
    return bool(errors) and all("raised_to" in error for error in errors)
