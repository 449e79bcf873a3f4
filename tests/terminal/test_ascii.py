"""A terminal that knows no more than ASCII gets a picture all the same."""

import io
from pathlib import Path

import yaml
from rich.console import Console
from rich.text import Text

from service.terminal.drawing import picture
from service.terminal.money import Money
from service.terminal.screen import Screen
from tests.tidy import ROOT


def test_a_picture_in_ascii() -> None:
    text = Path(ROOT, "openapi.yaml").read_text("utf-8")
    reply = yaml.safe_load(text)["components"]["examples"]["SplitReply"]["value"]
    written = io.BytesIO()
    file = io.TextIOWrapper(written, encoding="ascii")
    screen = Screen(Console(file=file, width=80), lambda _: None)
    canvas = screen.canvas(Money("USD", 2))
    screen.show(picture(reply["round"], canvas, Text("A table")))
    file.flush()
    lines = written.getvalue().decode("ascii").splitlines()
    assert any("|Ah |###|" in line for line in lines)
    assert any("> Box 1a" in line for line in lines)
