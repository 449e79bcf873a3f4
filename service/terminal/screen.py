"""The terminal: showing, saying and asking; plain text where it is no terminal."""

import sys
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from service.terminal.drawing import WIDEST, Canvas
from service.terminal.money import Money, Unclear
from service.terminal.questions import Question

Answer = TypeVar("Answer")

_FRAME: Final = 0.15
"""Seconds for which a card that falls is shown before the next one."""
_LEAVE: Final = {"q", "quit", "exit", "leave"}
_HELP: Final = {"?", "help"}


class Leave(Exception):
    """The player goes."""


class Screen:
    """A console, and how to wait some seconds between two moments."""

    def __init__(self, console: Console, pause: Callable[[float], None]) -> None:
        self._console = console
        self._pause = pause
        self.lively = console.is_terminal and not console.is_dumb_terminal
        """Whether pictures may move; else each is printed once, below the last."""

    def canvas(self, money: Money) -> Canvas:
        """Return what to draw on."""
        options = self._console.options
        return Canvas(min(options.max_width, WIDEST), money, options.ascii_only)

    def begin(self) -> None:
        """Clear the terminal; what stood there can still be scrolled to."""
        if self.lively:
            self._console.print("\n" * self._console.height, end="")
            self._console.clear()

    def show(
        self, picture: RenderableType, before: Iterable[RenderableType] = ()
    ) -> None:
        """Show a picture in the place of the last one, after the moments `before`."""
        height = len(self._console.render_lines(picture))
        if not self.lively or height >= self._console.height:
            self._console.print(picture)
            return
        self._console.clear()
        live = Live(console=self._console, auto_refresh=False, redirect_stdout=False)
        live.vertical_overflow = "visible"
        with live:
            for moment in before:
                live.update(moment, refresh=True)
                self._pause(_FRAME)
            live.update(picture, refresh=True)

    def say(self, text: str | RenderableType, style: str = "") -> None:
        """Print a text as it is, or a picture."""
        shown = Text(text, style) if isinstance(text, str) else text
        self._console.print(shown)

    def say_as_it_is(self, text: str) -> None:
        """Print a text that may be copied: no line of it is broken."""
        self._console.print(Text(text), soft_wrap=True)

    def say_in_a_line(self, text: Text) -> None:
        """Print a text, cut where the line ends."""
        self._console.print(text, no_wrap=True, overflow="ellipsis")

    def ask(self, question: Question, read: Callable[[str], Answer | None]) -> Answer:
        """Ask until `read` makes something of what was typed.

        `read` gets it trimmed and in lower case. It raises Unclear when that means
        nothing, and returns None when it has seen to it and the question stays.

        Raises:
            Leave: the player asks to go, or there is nobody to ask.
        """
        if question.lead:
            self._console.print(question.lead)
        while True:
            self._console.print(question.prompt, end=" ")
            typed = self._typed()
            if typed in _LEAVE:
                raise Leave
            if typed in _HELP and question.help:
                self.say(question.help, "dim")
                continue
            try:
                if (answer := read(typed)) is not None:
                    return answer
            except Unclear as fault:
                self.say(f"No: {fault}.", "yellow")

    def _typed(self) -> str:
        """Read a line."""
        try:
            typed = input().strip().lower()
        except EOFError:
            self._console.print()
            raise Leave from None
        if not sys.stdin.isatty():
            self._console.print(Text(typed))  # a terminal would have shown it
        return typed
