"""docs/operate.md: what it tells to type is there, and so is what it tells to watch."""

import re
from pathlib import Path
from typing import Final

import click
import pytest

from service.cli import main
from tests.docs.page import Page
from tests.tidy import ROOT

TEXT: Final = Page.of("operate.md").text
TYPED: Final = sorted(set(re.findall(r"(?:`|^)upcard ([^`#\n]+)", TEXT, re.MULTILINE)))
EVENTS: Final = re.findall(
    r"^\| ((?:`[a-z_]+`(?:, )?)+) \| (?:server|job)", TEXT, re.MULTILINE
)


@pytest.mark.parametrize("typed", TYPED)
def test_each_command_is_there_with_its_options(typed: str) -> None:
    command: click.Command = main
    for word in typed.split():
        if not isinstance(command, click.Group):
            break
        inner = command.get_command(click.Context(command), word)
        assert inner is not None, f"{word} of: upcard {typed}"
        command = inner
    known = {name for one in command.params for name in one.opts}
    assert set(re.findall(r"--[a-z-]+", typed)) <= known


def test_each_event_to_watch_is_one_that_is_logged() -> None:
    named = set(re.findall(r"[a-z_]+", " ".join(EVENTS)))
    assert len(named) > 8
    sources = [path.read_text() for path in Path(ROOT, "service").rglob("*.py")]
    assert {one for one in named if not any(f'"{one}"' in s for s in sources)} == set()


def test_every_variable_that_it_names_is_one() -> None:
    described = Path(ROOT, "service", "config.py").read_text()
    for name in re.findall(r"UPCARD_[A-Z_]+", TEXT):
        assert name in described
