"""`upcard play` on a bad wire, without a server, and with what is none."""

from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask

from tests.cli.conftest import House
from tests.support.wire import HOST, Fate, Sent, served

INSURED_WIN = "P T,9 | U A | H 7"
WIN = "P T,9 | U 6 | H T | T"
TRIES = 5
EACH_COMMAND = pytest.mark.parametrize(
    "end", ["/rounds", "/insurance", "/actions", "/settlement"]
)


def once(end: str, fate: Fate) -> Callable[[Sent], Fate]:
    """Return the fate of the first command on a path with this end; others pass."""
    fates = iter([fate])
    return lambda sent: (
        next(fates, Fate.PASSES)
        if sent.method == "POST" and sent.is_to(end)
        else Fate.PASSES
    )


@EACH_COMMAND
@pytest.mark.parametrize(
    "fate",
    [fate for fate in Fate if fate is not Fate.PASSES],
    ids=lambda fate: fate.name,
)
def test_a_command_without_an_answer_is_sent_again_and_done_once(
    house: House, end: str, fate: Fate
) -> None:
    house.site.rig.stack(INSURED_WIN)
    house.wire.fate = once(end, fate)
    before = house.site.log_rows()
    assert "You win 10.00 USD." in house.shows("10", "n", "s", "q")
    assert house.site.log_rows() - before == len(["deal", "insure", "act", "settle"])
    first, second = house.wire.posts(end)
    assert first == second
    assert len({sent.key for sent in house.wire.posts("")}) == len(EACH_COMMAND.args[1])


def test_when_nobody_answers_the_player_may_have_it_sent_again(house: House) -> None:
    house.site.rig.stack(WIN)
    lost = [Fate.REQUEST_IS_LOST] * TRIES
    house.wire.fate = lambda sent: (
        lost.pop() if sent.is_to("/settlement") and lost else Fate.PASSES
    )
    shown = house.shows("10", "s", "no!", "", "q")
    assert "No: it is Enter alone that sends it again." in shown
    assert f"No answer from {house.url}: the connection was lost." in shown
    assert " ".join(shown.split()).count("Enter sends it again") == 2
    assert "You win 10.00 USD." in shown
    sent = house.wire.posts("/settlement")
    assert sent == [sent[0]] * (TRIES + 1)


@pytest.mark.parametrize("moves", ["", "pass", "pass stand"])
def test_a_round_is_taken_up_wherever_it_stands(house: House, moves: str) -> None:
    house.site.rig.stack(INSURED_WIN)
    player = house.site.player()
    player.play(player.deal(1000), moves)
    rest = ["n", "s"][len(moves.split()) :]
    token = f"--table classic-three --token {player.token}"
    assert "You win 10.00 USD." in house.shows(*rest, "q", options=token)


def test_the_robot_ends_when_nobody_answers(house: House) -> None:
    house.wire.fate = lambda sent: (
        Fate.REQUEST_IS_LOST if sent.method == "POST" else Fate.PASSES
    )
    result = house.play(options="--table classic-three --auto")
    assert result.exit_code == 1
    assert "Error: No answer from http://127.0.0.1" in result.output


def test_without_a_server_it_says_how_to_start_one(house: House) -> None:
    result = house.play(options="--url http://127.0.0.1:1")
    assert result.exit_code == 1
    assert "No server at http://127.0.0.1:1: nobody listens there." in result.output
    assert "make serve" in result.output


def test_without_a_key_it_says_where_keys_come_from(
    house: House, tmp_path: Path
) -> None:
    del house.environment["UPCARD_TOKEN_KEYS"]
    result = house.play()
    assert result.exit_code == 1
    assert f"There is no token key at {tmp_path}" in result.output
    assert "make serve" in result.output


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("--token nonsense", 1, "Give both the same"),
        ("--player no@name", 2, "--player is 1 to 64 of"),
        ("--currency euros", 2, "--currency is three letters"),
        ("--url ftp://x", 2, "ftp://x is no address of a server"),
        ("--url http://", 2, "http:// is no address of a server"),
        (
            "--table classic-four",
            1,
            "There is no table classic-four; did you mean classic",
        ),
        ("--table progressive-five --currency EUR", 1, "takes USD: add --currency"),
        ("--currency JPY", 1, "No table takes JPY"),
        ("--table shared-five", 1, "shared-five has seats for several, not for this"),
        ("--table classic-three --wagers 5,5", 1, "--wagers: '5,5' is no amount"),
        ("--rounds 0", 2, "--rounds"),
    ],
)
def test_what_cannot_be_is_said_in_words(
    house: House, options: str, code: int, said: str
) -> None:
    result = house.play("10", "q", options=options)
    assert said in " ".join(result.output.split())
    assert result.exit_code == code


def test_what_is_no_upcard_server_is_called_so(house: House) -> None:
    other = Flask("other")
    other.add_url_rule("/v1/tables", view_func=lambda: "<h1>It works!</h1>")
    with served(other) as port:
        result = house.play(options=f"--url http://{HOST}:{port}")
        assert result.exit_code == 1
        assert "is no Upcard server: it answered 200 without JSON" in result.output
