"""A session at the terminal: find a table and what waits there, play, say goodbye."""

from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches
from typing import Any, Final, NamedTuple, Protocol

from rich.text import Text

from service.terminal.api import Api, NoAnswer, NotUpcard, Problem
from service.terminal.game import Game, Player, Stuck
from service.terminal.listing import money_at, rules_text, tables_list
from service.terminal.money import Unclear
from service.terminal.person import Person, Usual
from service.terminal.questions import simple_question
from service.terminal.robot import Robot
from service.terminal.score import Score
from service.terminal.screen import Leave, Screen
from service.terminal.shapes import BoxWager, Round, Table
from service.terminal.wagers import read_wagers
from service.terminal.words import explain, moment

START: Final = "Start one with: make serve"


class Failed(Exception):
    """The session can't go on; the message is for the player."""


class Check(Protocol):
    """One check of a proof: what was asked, the answer, and where or what."""

    @property
    def name(self) -> str:
        """What is checked."""
        ...

    @property
    def ok(self) -> bool:
        """Whether it is right."""
        ...

    @property
    def where(self) -> str:
        """The place of a fault, or a short note."""
        ...


class Options(NamedTuple):
    """What the player asked for on the command line."""

    table: str | None
    currency: str
    wagers: str | None
    rounds: int | None
    """How many rounds to play without questions; None asks."""
    again: str
    """The command that comes back to a round."""


Audit = Callable[[dict[str, Any]], Sequence[Check]]


class Session:
    """One run of the client."""

    def __init__(
        self, api: Api, screen: Screen, options: Options, audit: Audit
    ) -> None:
        self._api: Final = api
        self._screen: Final = screen
        self._options: Final = options
        self._audit: Final = audit
        self._game: Game | None = None
        self._score: Score | None = None

    def run(self) -> None:
        """Play until the player leaves, or all rounds are played. Raises Failed."""
        try:
            self._run()
        except Leave:
            self._goodbye()
        except KeyboardInterrupt:
            self._screen.say("")  # the terminal has left a ^C in the line
            self._goodbye()
        except Problem as problem:
            self._goodbye()
            raise Failed(explain(problem)) from problem
        except Stuck as stuck:
            self._goodbye()
            raise Failed(str(stuck)) from stuck
        except NoAnswer as lost:
            self._goodbye()
            raise Failed(f"No answer from {self._api.url}: {lost}.") from lost
        except NotUpcard as other:
            raise Failed(f"{self._api.url} is no Upcard server: {other}.") from other

    def _run(self) -> None:
        """Meet the server, choose, play."""
        try:
            tables = self._api.tables()
        except NoAnswer as lost:
            raise Failed(f"No server at {self._api.url}: {lost}. {START}") from lost
        waiting = {round_["table_id"]: round_ for round_ in self._api.open_rounds()}
        table = self._choose(tables, waiting)
        money = money_at(table, self._options.currency)
        if money is None:
            offered = " or ".join(table["limits"])
            raise Failed(f"{table['table_id']} takes {offered}: add --currency.")
        self._score = Score(money)
        player = self._player(table, self._score)
        self._game = Game(self._api, table, self._score, player)
        if table["table_id"] in waiting:
            self._game.resume(waiting[table["table_id"]])
        self._game.play(self._options.rounds)
        self._goodbye()

    def _choose(self, tables: Sequence[Table], waiting: Collection[str]) -> Table:
        """Return the table that is named, or ask; the robot takes the first."""
        currency, named = self._options.currency, self._options.table
        by_name = {table["table_id"]: table for table in tables}
        if named is not None:
            if named in by_name:
                return _private(by_name[named], Failed)
            near = "".join(get_close_matches(named, by_name, n=1))
            meant = (
                f"did you mean {near}?" if near else f"there is {', '.join(by_name)}."
            )
            raise Failed(f"There is no table {named}; {meant}")
        private = [table for table in tables if not table["shared"]]
        usual = next((t for t in private if t["table_id"] in waiting), None)
        usual = usual or next((t for t in private if currency in t["limits"]), None)
        if usual is None:
            raise Failed(f"No table takes {currency}: add --currency.")
        if self._options.rounds is not None:
            return usual
        self._screen.say(tables_list(tables, currency, waiting))
        choices = by_name | {str(number): t for number, t in enumerate(tables, 1)}
        choices[""] = usual

        def read(typed: str) -> Table:
            if typed not in choices:
                raise Unclear("type its number or its name")
            return _private(choices[typed], Unclear)

        asked = simple_question(f"Which table? Enter is {usual['table_id']}")
        return self._screen.ask(asked, read)

    def _player(self, table: Table, score: Score) -> Player:
        """Make who decides, with the wagers that --wagers says."""
        typed = self._options.wagers
        limits = table["limits"][score.money.currency]
        wagers: Sequence[BoxWager] = [{"box": 1, "wager": limits["minimum"]}]
        if typed is not None:
            try:
                wagers = read_wagers(typed, table, score.money)
            except Unclear as fault:
                raise Failed(f"--wagers: {fault}.") from fault
        if self._options.rounds is not None:
            return Robot(self._screen.say, table, score, wagers)
        last = [] if typed else self._api.last_wagers(table, score.money.currency)
        self._api.keep_trying = self._wants_another_try
        self._screen.begin()
        self._screen.say(Text(table["title"], "bold magenta"))
        self._screen.say(rules_text(table, score.money), "dim")
        usual = Usual(last or wagers, again=bool(last))
        return Person(self._screen, table, score, self._verify, usual)

    def _wants_another_try(self, lost: NoAnswer) -> bool:
        """Ask whether the same request shall be sent again."""
        said = f"No answer from {self._api.url}: {lost}. Your request is kept.\n"
        asked = simple_question(f"{said}Enter sends it again, q leaves", "yellow")

        def read(typed: str) -> bool:
            if typed:
                raise Unclear("it is Enter alone that sends it again")
            return True

        return self._screen.ask(asked, read)

    def _verify(self, round_: Round) -> None:
        """Check the proof of a round against what was promised at its deal."""
        try:
            proof = self._api.proof(round_)
        except Problem as problem:
            self._screen.say(explain(problem), "yellow")
            return
        checks = [(check.name, check.ok, check.where) for check in self._audit(proof)]
        promised = proof["shoe"]["commitment"] == round_["commitment"]
        checks.append(("it is the shoe promised to you at the deal", promised, ""))
        for name, ok, where in checks:
            mark = ("ok     ", "bold green") if ok else ("WRONG  ", "bold red")
            line = Text.assemble(mark, name, (f": {where}" if where else "", "dim"))
            self._screen.say_in_a_line(line)
        if all(ok for _, ok, _ in checks):
            self._screen.say("The round was honest: nothing in it was changed.", "bold")

    def _goodbye(self) -> None:
        """Tell what the session came to, and until when a round waits."""
        if self._score and self._score.rounds:
            self._screen.say(f"{self._score}.", "bold")
        if self._game and (waits := self._game.open):
            until = moment(waits["expires_at"])
            self._screen.say(f"Your round waits until {until}. Come back to it with:")
            self._screen.say_as_it_is(
                f"  {self._options.again} --table {waits['table_id']}"
            )


def _private(table: Table, refusal: type[Exception]) -> Table:
    """Return a table that one player has alone; raise `refusal` for another."""
    if table["shared"]:
        raise refusal(f"{table['table_id']} has seats for several, not for this client")
    return table
