"""Cards are shown one after the other, in the order of the events."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from service.terminal.dealing import moments
from service.terminal.drawing import Showing
from tests.tidy import ROOT


@pytest.fixture(scope="module")
def examples() -> dict[str, Any]:
    """The contract's own examples of answers."""
    text = Path(ROOT, "openapi.yaml").read_text("utf-8")
    found: dict[str, Any] = yaml.safe_load(text)["components"]["examples"]
    return found


def test_a_deal_begins_with_an_empty_table(examples: dict[str, Any]) -> None:
    hands = [(1, 0), (1, 1), (1, 1), (2, 1), (2, 2), (2, 2)]
    dealer = [0, 0, 1, 1, 1, 1]
    hole_card = ["none"] * 5 + ["face_down"]
    assert list(moments(examples["DealReply"]["value"])) == [
        Showing({"1a": one, "3a": three}, up, hole)
        for (one, three), up, hole in zip(hands, dealer, hole_card, strict=True)
    ]


def test_a_last_card_comes_before_the_dealer_plays(examples: dict[str, Any]) -> None:
    cards = {"1a": 3, "1b": 2, "3a": 3}
    assert list(moments(examples["LastHitReply"]["value"])) == [
        Showing(cards, 1, "face_down"),
        Showing(cards, 2, "revealed"),
    ]


def test_a_split_shows_at_once_what_it_made(examples: dict[str, Any]) -> None:
    assert list(moments(examples["SplitReply"]["value"])) == []
