"""The rigged rounds whose right net result is known."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.rules.rig import tell
from tests.rules.tables import AMERICAN, CLASSIC

ROUNDS: Final[list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "rounds.json").read_text("utf-8")
)["rounds"]


@pytest.mark.parametrize("told", ROUNDS, ids=[told["id"] for told in ROUNDS])
def test_round_has_its_known_result(told: dict[str, Any]) -> None:
    cards = (
        f"P {','.join(told['p'])} | U {told['up']} | H {told['hole']}"
        f" | {','.join(told.get('draw', ['2']))}"
    )
    answer = {None: "", True: "insure ", False: "pass "}[told.get("ins")]
    story = tell(
        cards,
        answer + " ".join(told.get("acts", [])),
        at=AMERICAN if told.get("h17") else CLASSIC,
        bets=[told["bet"]],
    )
    assert story.round.status == "awaiting_settlement"
    assert story.net == told["net"]
    settled = story.play("settle")
    assert settled.net == told["net"]
    assert settled.round.status == "settled"


def test_all_known_rounds_are_here() -> None:
    assert len(ROUNDS) == 21
