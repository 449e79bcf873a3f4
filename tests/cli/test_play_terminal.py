"""`upcard play` in a real terminal, where other clients may get in between."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.cli.conftest import House
from tests.support.terminal import Terminal, terminal

COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-7]")
WIN = "P T,9 | U 6 | H T | T"


@contextmanager
def playing(house: House, **environment: str) -> Iterator[Terminal]:
    """Sit down at a table; the wagers are asked."""
    code = "from service.cli import main; main()"
    words = ["play", "--table", "classic-three", "--player", house.player]
    command = [sys.executable, "-c", code, *words]
    with terminal(command, {**house.environment, **environment}) as seat:
        yield seat


def test_cards_fall_one_by_one_in_colours(house: House) -> None:
    house.site.rig.stack("P T,9 | U 6 | H T | T")
    with playing(house) as seat:
        seat.expect("leave")
        seat.type("10")
        seat.expect("Box 1 has 19")
        dealt = seat.shown.count("Dealer")
        assert dealt >= len(["first", "upcard", "second", "hole card", "the whole"])
        seat.type("s")
        seat.expect("You win 10.00 USD.")
        seat.expect("leave")
        seat.type("q")
        assert seat.end() == 0
    assert COLOUR.search(seat.shown)


def test_no_color_is_respected(house: House) -> None:
    house.site.rig.stack(WIN)
    with playing(house, NO_COLOR="1") as seat:
        seat.expect("leave")
        seat.type("10")
        seat.expect("Box 1 has 19")
        seat.type("q")
        assert seat.end() == 0
    assert not COLOUR.search(seat.shown)


def test_ctrl_c_leaves_and_the_round_waits(house: House) -> None:
    house.site.rig.stack(WIN)
    with playing(house) as seat:
        seat.expect("leave")
        seat.type("10")
        seat.expect("Box 1 has 19")
        seat.expect("leave")
        seat.interrupt()
        seat.expect("Your round waits until")
        assert seat.end() == 0
    assert "Traceback" not in seat.shown
    assert "You win 10.00 USD." in house.shows("s", "q")


def test_a_round_dealt_elsewhere_is_played_here(house: House) -> None:
    house.site.rig.stack(WIN)
    with playing(house) as seat:
        seat.expect("leave")
        house.shows("20", "q")
        seat.type("10")
        seat.expect("20.00")
        seat.expect("Finish the open round on this table first.")
        seat.expect("leave")
        seat.type("s")
        seat.expect("You win 20.00 USD.")


def test_a_move_made_elsewhere_is_seen_before_the_next(house: House) -> None:
    house.site.rig.stack("P 2,3 | U 6 | H T | 4,5,9")
    with playing(house) as seat:
        seat.expect("leave")
        seat.type("10")
        seat.expect("Box 1 has 5")
        house.shows("h", "q")
        seat.type("h")
        seat.expect("moved on")
        seat.expect("Box 1 has 9")
        seat.expect("leave")
        seat.type("s")
        seat.expect("You lose 10.00 USD.")


def test_a_round_finished_elsewhere_is_over_here(house: House) -> None:
    house.site.rig.stack(WIN)
    with playing(house) as seat:
        seat.expect("leave")
        seat.type("10")
        seat.expect("Box 1 has 19")
        house.shows("s", "q")
        seat.type("h")
        seat.expect("You win 10.00 USD.")
        seat.expect("bets 10 again")
