"""What a player's own limit does to a deal, and what it leaves alone."""

from contextlib import suppress
from typing import Final

import pytest

from service.rules.commands import BoxWager, Code, Problem, Refused
from service.rules.decide import decide
from service.rules.table import TableRules
from tests.rules.rig import deal_of, shoe_of, tell
from tests.rules.tables import AMERICAN, CLASSIC, PROGRESSIVE

CARDS: Final = "P T,9 / T,8 / T,7 | U T | H 7"


def problems_of(
    table: TableRules,
    own: int | None,
    *wagers: int,
    raises: bool = False,
) -> list[Problem]:
    """Return the faults of wagers on boxes 3, 2, 1 under a player's own limit."""
    boxes = tuple(
        BoxWager(3 - index, "ann", wager) for index, wager in enumerate(wagers)
    )
    deal = deal_of(table, [10], raise_to_minimum=raises)
    deal = deal._replace(boxes=boxes, own_limit=own)
    shoe = shoe_of(CARDS)
    with suppress(Refused):
        decide(None, deal, shoe)
        return []
    with pytest.raises(Refused) as caught:
        decide(None, deal, shoe)
    refused = caught.value
    assert (refused.code, refused.detail) == refused.problems[0][2:4]
    return list(refused.problems)


def test_wagers_up_to_the_own_limit_are_taken() -> None:
    assert problems_of(CLASSIC, 1000, 1000, 900, 100) == []
    assert problems_of(CLASSIC, None, 10_000) == []


def test_each_box_above_the_own_limit_is_named_with_it() -> None:
    assert problems_of(CLASSIC, 1000, 1100, 1000, 2000) == [
        Problem(
            *(3, "/boxes/0/wager", "wager_above_own_limit"),
            *("The player's own limit is 1000; 1100 is above it.", 1000),
        ),
        Problem(
            *(1, "/boxes/2/wager", "wager_above_own_limit"),
            *("The player's own limit is 1000; 2000 is above it.", 1000),
        ),
    ]


@pytest.mark.parametrize(
    ("own", "wager", "code", "accepted"),
    [
        (10_100, 10_100, "wager_above_maximum", 10_000),
        (10_000, 10_100, "wager_above_maximum", 10_000),
        (9_999, 10_100, "wager_above_own_limit", 9_999),
        (1_050, 1_050, "wager_off_step", 100),
        (1_049, 1_050, "wager_above_own_limit", 1_049),
        (50, 50, "wager_below_minimum", 100),
        (50, 100, "wager_above_own_limit", 50),
    ],
)
def test_the_nearest_limit_is_told(
    own: int, wager: int, code: Code, accepted: int
) -> None:
    (problem,) = problems_of(CLASSIC, own, wager)
    assert (problem.code, problem.accepted) == (code, accepted)


def test_a_wager_is_never_raised_above_the_own_limit() -> None:
    assert problems_of(PROGRESSIVE, 200, 100, raises=True) == []
    (problem,) = problems_of(PROGRESSIVE, 199, 100, raises=True)
    assert problem[2:] == (
        "wager_above_own_limit",
        "The player's own limit is 199; 200 is above it.",
        *(199, None),
    )


@pytest.mark.parametrize(
    ("table", "own", "raised_to"),
    [
        (PROGRESSIVE, None, 200),
        (PROGRESSIVE, 200, 200),
        (PROGRESSIVE, 199, None),
        (CLASSIC, None, None),
    ],
)
def test_a_raise_is_offered_only_where_it_would_be_taken(
    table: TableRules, own: int | None, raised_to: int | None
) -> None:
    (problem,) = problems_of(table, own, 50)
    assert (problem.code, problem.raised_to) == ("wager_below_minimum", raised_to)


def test_doubles_splits_and_insurance_are_exempt() -> None:
    story = tell("P 8,8 | U A | H 5 | 3,T,9,9", "insure split double", at=AMERICAN)
    limited = deal_of(AMERICAN, [10])._replace(own_limit=1000)
    assert decide(None, limited, story.shoe) == story.replies[0]
    assert story.round.stake == 1000 * 3 + 500


def test_the_max_win_does_not_move_with_it() -> None:
    story = tell("P T,9 | U T | H 7", at=CLASSIC)
    limited = deal_of(CLASSIC, [10])._replace(own_limit=1000)
    assert decide(None, limited, story.shoe) == story.replies[0]
    assert story.round.opened.maximum == 10_000
