"""A round left open past its time: what is decided counts, all else goes back.

Decision 22, clause by clause, for each ``on_expiry``.
"""

import pytest

from service.rules.table import MaxWin, Ratio, TableRules
from tests.rules.rig import OPENED, Story, tell
from tests.rules.tables import CLASSIC, PROGRESSIVE, SHARED, TABLES, varied

every_table = pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))


def voided(cards: str, moves: str = "", table: TableRules = CLASSIC) -> Story:
    """Tell a round that expires after these moves."""
    story = tell(cards, f"{moves} expire", at=table)
    assert story.round.status == "void"
    assert story.words[-1] == "round_voided"
    return story


@every_table
def test_every_table_voids_after_90_days(table: TableRules) -> None:
    assert (table.void_after_days, table.on_expiry) == (90, "void")


@every_table
@pytest.mark.parametrize(
    ("cards", "moves", "results", "net"),
    [
        # Nothing was decided: every stake goes back.
        ("P T,6 | U 9 | H 7", "", "void", 0),
        ("P T,6 / T,5 | U T | H 7", "stand", "void void", 0),
        ("P 8,8 | U 9 | H 7 | 3,3", "split", "void void", 0),
        ("P 8,8 | U 9 | H 7 | 3,3,9", "split double", "void void", 0),
        # A hand that is bust has lost, by a hit or by a double.
        ("P T,6 / T,5 | U 9 | H 7 | T", "hit", "bust void", -10),
        ("P T,6 / T,5 | U 9 | H 7 | T", "double", "bust void", -20),
        ("P 8,8 | U 9 | H 7 | 7,3,T", "split hit", "bust void", -10),
        # A natural is paid once a dealer natural is excluded.
        ("P A,K / T,5 | U 9 | H 7", "", "natural void", 15),
        ("P A,K / T,5 | U T | H 7", "", "natural void", 15),
        ("P A,K / T,5 | U A | H 7", "passes", "natural void", 15),
        # Before the peek it is not excluded yet, whatever the hole card is.
        ("P A,K / T,5 | U A | H 7", "", "void void", 0),
        ("P A,K / T,5 | U A | H K", "", "void void", 0),
        # Insurance that the peek has answered is lost and stays so.
        ("P T,6 | U A | H 7", "insure", "void", -5),
        ("P T,6 | U A | H 7", "pass", "void", 0),
    ],
)
def test_what_is_decided_counts_and_all_else_goes_back(
    table: TableRules, cards: str, moves: str, results: str, net: int
) -> None:
    story = voided(cards, moves, table)
    assert (story.results, story.net) == (results, net)


@every_table
def test_once_a_dealer_natural_is_shown_nothing_is_left_to_expire(
    table: TableRules,
) -> None:
    for cards, moves in (("U K | H A", ""), ("U A | H K", "passes")):
        story = tell(f"P A,K / T,5 | {cards}", moves, at=table)
        assert story.results == "push lose"
        late = story.command("expire")
        assert story.refused(late).code == "round_decided"
        settle = story.command("settle")
        assert story.do(settle._replace(at=late.at + 1))


def test_a_decided_round_is_paid_however_late() -> None:
    story = tell("P T,9 | U T | H 7", "stand")
    assert story.refused("expire").code == "round_decided"
    late = story.command("settle")._replace(at=OPENED + 10**15)
    assert story.do(late)
    assert story.net == 10


def test_what_goes_back_is_listed_by_box() -> None:
    story = tell("P T,6 / T,5 | U A | H 7", at=SHARED, bets=[10, 20])
    story.play("insure expire")
    end = story.round.opened.expires_at
    assert story.lines == [
        "hand_resolved 1a void 1000",
        "hand_resolved 2a void 2000",
        f"round_voided {end} 3000 Refund(box=1, amount=500)",
    ]
    assert (story.round.stake, story.round.payout) == (3500, 3500)


def test_insurance_that_the_peek_has_answered_is_not_returned() -> None:
    story = voided("P T,6 | U A | H 7", "insure")
    end = story.round.opened.expires_at
    assert story.lines == [
        "hand_resolved 1a void 1000",
        f"round_voided {end} 1000 ",
    ]


@pytest.mark.parametrize(
    ("cards", "moves", "bonus", "net"),
    [
        # The run is broken: the bonus is lost, or paid for what it has reached.
        ("P T,6 | U 9 | H 7", "", "None 0 False", -1),
        ("P AS,6 | U 9 | H 7", "", "None 0 False", -1),
        ("P AS,AS | U 9 | H 7 | 5", "hit", "two_suited_aces 10000 False", 99),
        # Four aces: no card can add to them.
        (
            *("P AS,AH | U 9 | H 7 | AS,AH", "hit hit"),
            *("four_unsuited_aces 150000 False", 1499),
        ),
        # The run is frozen by a split.
        ("P AS,AS / T,5 | U 9 | H 7 | 5,6", "split", "two_suited_aces 10000 False", 99),
        # The hand has ended: stood, bust or doubled.
        ("P AS,AH / T,5 | U 9 | H 7", "stand", "two_unsuited_aces 2500 False", 24),
        (
            *("P AS,AH / T,5 | U 9 | H 7 | AS", "double"),
            *("three_unsuited_aces 25000 False", 249),
        ),
        ("P T,6 / T,5 | U 9 | H 7 | T", "hit", "None 0 False", -11),
        # More aces could still come: it goes back.
        ("P AS,AS | U 9 | H 7", "", None, 0),
        ("P AS,AS | U A | H 7", "", None, 0),
        ("P AS,AS | U A | H 7", "insure", None, -5),
        ("P AS,AS | U 9 | H 7 | AS", "hit", None, 0),
    ],
)
def test_a_bonus_that_no_card_can_change_counts_and_another_goes_back(
    cards: str, moves: str, bonus: str | None, net: int
) -> None:
    story = tell(cards, moves, at=PROGRESSIVE, bonus=[1, 0][: 1 + ("/" in cards)])
    story.play("expire")
    told = [line for line in story.lines if line.startswith("bonus_resolved")]
    assert told == ([] if bonus is None else [f"bonus_resolved 1 {bonus}"])
    assert story.net == net
    refund = story.round.voided.refunds if story.round.voided else ()
    assert refund == (() if bonus else ((1, 100),))


def test_the_bonus_and_the_insurance_of_a_box_go_back_together() -> None:
    with_bonus = varied(PROGRESSIVE, seating="shared")
    story = tell("P AS,AS / AH,AH | U A | H 7", "insure", at=with_bonus, bonus=[1, 1])
    story.play("expire")
    assert story.round.voided is not None
    assert story.round.voided.refunds == ((1, 600), (2, 100))
    assert (story.round.stake, story.net) == (2700, 0)


@pytest.mark.parametrize(
    ("cards", "moves"),
    [
        ("P T,6 | U A | H 7", ""),
        ("P T,6 | U K | H A", ""),
        ("P T,6 | U 9 | H 8", "stand"),
        ("P T,6 | U K | H A", "settle"),
        ("P T,6 | U 9 | H 7", "expire"),
    ],
)
def test_no_hand_is_to_act_where_nothing_is_played(cards: str, moves: str) -> None:
    assert tell(cards, moves).round.active_hand is None


def test_a_natural_is_capped_in_a_voided_round_too() -> None:
    capped = varied(CLASSIC, max_win=MaxWin(Ratio(2, 1), "hand"))
    story = tell("P A,K / T,5 | U 9 | H 7", "expire", at=capped, bets=[100, 100])
    assert story.words[:2] == ["hand_resolved", "win_capped"]
    assert (story.paid("1a"), story.paid("2a")) == (200, 100)
    assert story.round.payout == 30_000


AUTO = {
    table.table_id: varied(table, on_expiry="auto_stand") for table in TABLES.values()
}
FORFEIT = {
    table.table_id: varied(table, on_expiry="forfeit") for table in TABLES.values()
}


@pytest.mark.parametrize("table", AUTO.values(), ids=list(AUTO))
def test_auto_stand_plays_the_round_to_its_end(table: TableRules) -> None:
    story = tell("P T,6 / T,9 / A,K | U 9 | H 8", "expire", at=table)
    end = story.round.opened.expires_at
    assert story.lines == [
        "hand_stood 1a table",
        "hand_stood 2a table",
        "hand_stood 3a rules",
        "hole_card_revealed 8S",
        "hand_resolved 1a lose 0",
        "hand_resolved 2a win 2000",
        "hand_resolved 3a natural 2500",
        f"round_decided {end}",
    ]
    assert story.play("settle").net == 15


@pytest.mark.parametrize("table", AUTO.values(), ids=list(AUTO))
@pytest.mark.parametrize(("hole", "net"), [("K", -20), ("7", 10)])
def test_auto_stand_passes_the_insurance(
    table: TableRules, hole: str, net: int
) -> None:
    story = tell(f"P T,9 / T,8 | U A | H {hole}", "expire", at=table)
    assert story.lines[:3] == [
        "insurance_declined 1",
        "insurance_declined 2",
        f"dealer_peeked {hole == 'K'}",
    ]
    assert story.round.status == "awaiting_settlement"
    assert story.lines[-1] == f"round_decided {story.round.opened.expires_at}"
    assert story.net == net


def test_auto_stand_keeps_the_answers_that_were_given() -> None:
    story = tell("P T,9 / T,8 | U A | H K", "insure expire", at=AUTO["shared-five"])
    assert story.lines[:3] == [
        "insurance_declined 2",
        "dealer_peeked True",
        "hole_card_revealed KS",
    ]
    assert (story.box(1).insurance_payout, story.net) == (1500, -10)


def test_auto_stand_goes_on_from_where_the_round_was() -> None:
    story = tell(
        "P 8,8 | U 9 | H 8S | 3,2,T", "split hit expire", at=AUTO["classic-three"]
    )
    assert story.lines[:2] == ["hand_stood 1b table", "hole_card_revealed 8S"]
    assert story.results == "win lose"
    insured = tell("P T,9 | U A | H 8", "insure expire", at=AUTO["american-five"])
    assert insured.words[0] == "hand_stood"


@pytest.mark.parametrize("table", FORFEIT.values(), ids=list(FORFEIT))
@pytest.mark.parametrize(
    ("cards", "moves", "results", "net"),
    [
        ("P T,6 | U 9 | H 7", "", "forfeit", -10),
        ("P T,6 / T,5 | U 9 | H 7 | T", "hit", "bust forfeit", -20),
        ("P A,K / T,5 | U 9 | H 7", "", "natural forfeit", 5),
        ("P A,K | U A | H 7", "", "forfeit", -10),
        ("P T,6 | U A | H 7", "insure", "forfeit", -15),
    ],
)
def test_forfeit_keeps_what_would_go_back(
    table: TableRules, cards: str, moves: str, results: str, net: int
) -> None:
    story = voided(cards, moves, table)
    assert (story.results, story.net) == (results, net)
    assert story.round.voided is not None
    assert story.round.voided.refunds == ()


def test_forfeit_keeps_an_open_bonus_and_an_open_insurance() -> None:
    table = FORFEIT["progressive-five"]
    story = tell("P AS,AS / AH,AH | U 9 | H 7", "stand expire", at=table, bonus=[1, 1])
    assert story.lines[2:4] == [
        "bonus_resolved 1 two_suited_aces 10000 False",
        "bonus_resolved 2 None 0 False",
    ]
    assert story.net == -22 + 100
    asked = tell("P T,6 / T,5 | U A | H 7", "insure expire", at=FORFEIT["shared-five"])
    assert (asked.round.stake, asked.round.payout) == (2500, 0)
