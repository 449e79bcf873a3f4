"""The rigged rounds whose right net result is known, played over HTTP."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

import tests.rules
from tests.api.player import Player
from tests.api.site import Site

UNIT: Final = 100
FOLDER: Final = Path(tests.rules.__file__).parent
ROUNDS: Final = json.loads((FOLDER / "rounds.json").read_text("utf-8"))["rounds"]


@pytest.mark.parametrize("told", ROUNDS, ids=[told["id"] for told in ROUNDS])
def test_round_pays_what_is_known(
    site: Site, alice: Player, told: dict[str, Any]
) -> None:
    pair, draw = ",".join(told["p"]), ",".join(told.get("draw", ["2"]))
    site.rig.stack(f"P {pair} | U {told['up']} | H {told['hole']} | {draw}")
    table = "american-five" if told.get("h17") else "classic-three"
    dealt = alice.deal(told["bet"] * UNIT, table=table)
    answer = {None: "", True: "insure ", False: "pass "}[told.get("ins")]
    done = alice.play(dealt, answer + " ".join(told.get("acts", [])))
    assert done.round["status"] == "awaiting_settlement"
    settled = alice.settle(done).round
    assert settled["status"] == "settled"
    assert settled["payout"] - settled["stake"] == told["net"] * UNIT
