"""docs/rounds.md knows every state that the contract does, and no other."""

import re
from typing import Any, Final

import pytest

from service.api.contract import Contract
from tests.docs.page import Page

PAGE: Final = Page.of("rounds.md")
SCHEMAS: Final[dict[str, Any]] = Contract.load().document["components"]["schemas"]


@pytest.mark.parametrize(
    "name", ["RoundStatus", "OnExpiry", "HistoryStatus", "HistoryResult", "HandResult"]
)
def test_every_word_of_the_contract_is_explained(name: str) -> None:
    for word in SCHEMAS[name]["enum"]:
        assert f"`{word}`" in PAGE.text, word


def test_the_picture_has_the_states_of_a_round() -> None:
    (picture,) = (block for block in PAGE.blocks if block.language == "mermaid")
    arrows = re.findall(r"^ +(\S+) --> ([^\s:]+)", picture.text, re.MULTILINE)
    drawn = {state for arrow in arrows for state in arrow} - {"[*]"}
    states = set(SCHEMAS["RoundStatus"]["enum"])
    assert drawn == states - {"wallet_pending"}
    assert "wallet_pending" in picture.text
    # What has ended leads on to nothing but a malfunction.
    for ended in ("settled", "void", "malfunction"):
        assert {to for begin, to in arrows if begin == ended} <= {"[*]", "malfunction"}


def test_it_names_operations_that_there_are() -> None:
    paths = set(Contract.load().document["paths"])
    named = re.findall(r"`(?:GET |POST )?(/v1/[^\s`?]+)", PAGE.text)
    assert set(named) <= paths
    assert len(set(named)) >= 6
