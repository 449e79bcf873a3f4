"""A page of docs as a stranger follows it: its blocks, in order."""

import re
from pathlib import Path
from typing import Final, NamedTuple

from tests.tidy import ROOT

_BLOCK: Final = re.compile(
    r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE
)


class Block(NamedTuple):
    """A fenced block: its language, what stands beside that, and its text."""

    language: str
    about: str
    text: str


class Page(NamedTuple):
    """A page of docs."""

    text: str

    @classmethod
    def of(cls, name: str) -> "Page":
        return cls(Path(ROOT, "docs", name).read_text("utf-8"))

    @property
    def blocks(self) -> list[Block]:
        return [Block(*found) for found in _BLOCK.findall(self.text)]

    def moved(self, **places: str) -> "Page":
        """Return the page with other names in place of some words of it."""
        text = self.text
        for old, new in places.items():
            assert old in text, old
            text = text.replace(old, new)
        return Page(text)
