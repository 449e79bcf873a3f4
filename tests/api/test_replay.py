"""`get_history`, `list_player_rows`: a round step by step, and as it is kept."""

import pytest

from service.chance import new_id
from tests.api.aged import deal_days_ago
from tests.api.operator import Operator, url_of
from tests.api.player import Got, Player
from tests.api.player import url_of as round_of
from tests.api.site import Site

STORY = "P 8,8 | U A | H 6 | 3,T,9"
MOVES = "insure split double stand settle"


@pytest.fixture
def played(site: Site, alice: Player) -> list[Got]:
    """Play a round with everything in it; give the answer to each command."""
    site.rig.stack(STORY)
    answers = [alice.deal(1_000, table="american-five")]
    for move in MOVES.split():
        answers.append(alice.play(answers[-1], move))
    return answers


def replay_of(got: Got) -> str:
    return round_of(got).replace("rounds", "history")


def test_each_step_is_what_its_command_answered(
    alice: Player, played: list[Got]
) -> None:
    got = alice.get(replay_of(played[0]))
    assert (got.status, got.version) == (200, played[-1].version)
    assert got.json["replay"] is True
    assert (got.json["status"], got.json["version"]) == ("complete", 6)
    steps = got.json["steps"]
    assert [step["round"] for step in steps] == [one.round for one in played]
    assert [step["events"] for step in steps] == [one.json["events"] for one in played]
    assert {step["by"] for step in steps} == {"player"}
    assert [step["at"] for step in steps] == [step["events"][0]["at"] for step in steps]
    balances = [
        one.json["balance"]["amount"] if "balance" in one.json else None
        for one in played
    ]
    assert [step["balance"] for step in steps] == balances


def test_an_open_round_is_shown_as_far_as_it_went(site: Site, alice: Player) -> None:
    site.rig.stack("P 9,7 | U 6 | H 5")
    dealt = alice.deal(1_000)
    got = alice.get(replay_of(dealt)).json
    assert (got["status"], len(got["steps"])) == ("open", 1)
    assert got["steps"][0]["round"] == dealt.round


def test_what_is_known_is_not_sent_again(
    casino: Operator, alice: Player, played: list[Got]
) -> None:
    version = played[-1].version
    got = alice.get(replay_of(played[0]), if_none_match=version)
    assert (got.status, got.body, got.version) == (304, b"", version)
    round_id = played[0].round["id"]
    for path in (f"history/{round_id}", f"rounds/{round_id}/rows"):
        got = casino.get(f"{url_of(alice.name)}/{path}", if_none_match=version)
        assert (got.status, got.body, got.version) == (304, b"", version)


def test_an_operator_sees_what_his_player_sees(
    casino: Operator, alice: Player, played: list[Got]
) -> None:
    got = casino.get(f"{url_of(alice.name)}/history/{played[0].round['id']}")
    assert (got.status, got.body) == (200, alice.get(replay_of(played[0])).body)


def test_the_rows_are_those_of_the_proof(
    casino: Operator, alice: Player, played: list[Got]
) -> None:
    round_id = played[0].round["id"]
    got = casino.get(f"{url_of(alice.name)}/rounds/{round_id}/rows")
    proof = alice.get(f"{round_of(played[0])}/proof").json
    assert got.status == 200
    assert got.json == {name: proof[name] for name in ("round_id", "account", "rows")}


def test_rows_of_an_open_round_are_shown_and_name_no_hidden_card(
    site: Site, casino: Operator, alice: Player
) -> None:
    site.rig.stack("P 9,7 | U 6 | H KD")
    dealt = alice.deal(1_000)
    rows = f"{url_of(alice.name)}/rounds/{dealt.round['id']}/rows"
    got = casino.get(rows)
    assert (len(got.json["rows"]), b"KD" in got.body) == (1, False)


@pytest.mark.parametrize("path", ["history/{}", "rounds/{}/rows"])
def test_rounds_are_of_one_player_mode_and_operator(
    site: Site, alice: Player, bob: Player, played: list[Got], path: str
) -> None:
    casino, other = site.operators["dev"], site.operators["other"]
    missing = (404, "round_not_found")
    round_id = played[0].round["id"]
    place = path.format(round_id)
    assert bob.get(f"/v1/history/{round_id}").refusal == missing
    assert other.get(f"{url_of(alice.name)}/{place}").refusal == missing
    assert casino.get(f"{url_of(bob.name)}/{place}").refusal == missing
    assert casino.get(f"{url_of(alice.name)}/{place}?mode=demo").refusal == missing
    unknown = path.format(new_id())
    assert casino.get(f"{url_of(alice.name)}/{unknown}").refusal == missing


def test_a_replay_tells_when_each_decision_was_made(site: Site, alice: Player) -> None:
    site.rig.stack("P T,9 | U 7 | H T")
    url = deal_days_ago(site, alice, 30)
    alice.post(f"{url}/actions", {"hand": "1a", "action": "stand"}, if_match='"1"')
    steps = alice.get(url.replace("rounds", "history")).json["steps"]
    first, second = (step["at"] for step in steps)
    assert first == steps[0]["round"]["opened_at"]
    assert second == steps[1]["round"]["decided_at"]
    assert first < second
