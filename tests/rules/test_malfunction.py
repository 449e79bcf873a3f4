"""A malfunction takes all back, in any state and once (decision 24)."""

import pytest
from hypothesis import given

from service.rules.commands import Malfunction
from service.rules.decide import decide
from service.rules.events import RoundMalfunctioned
from service.rules.fold import fold
from service.rules.legal import legal_actions
from service.rules.table import Ratio, TableRules
from tests.rules.rig import OPENED, Story, tell
from tests.rules.tables import AMERICAN, PROGRESSIVE, TABLES, varied
from tests.rules.worlds import World, steps, worlds

every_table = pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))


def correction_of(story: Story) -> int:
    """Return what a story's last event gives back; below zero it is taken back."""
    event = story.log[-1]
    assert isinstance(event, RoundMalfunctioned)
    return event.correction


def check_taken_back(story: Story) -> None:
    """See that the round is over, that its net is nothing, and that it stays so."""
    round_ = story.round
    assert round_.status == "malfunction"
    assert (story.net, story.legal, round_.active_hand) == (0, (), None)
    assert round_.closed_at is not None
    for late in ("settle", "expire", "malfunction"):
        assert story.refused(late).code == "round_malfunction"


@every_table
@pytest.mark.parametrize(
    ("cards", "moves", "correction"),
    [
        # What is open has paid nothing: all stakes come back.
        ("P T,6 / T,5 | U 9 | H 7", "", 2_000),
        ("P T,6 | U A | H 7", "", 1_000),
        ("P 8,8 | U 9 | H 7 | 3,3,9", "split double", 3_000),
        ("P T,6 | U A | H 7", "insure", 1_500),
        ("P T,6 / T,5 | U 9 | H 7 | T", "hit", 2_000),
        # What is decided is not paid yet: the stakes come back, the win is not paid.
        ("P T,9 | U T | H 7", "stand", 1_000),
        # What insurance paid is taken into account: 1,000 + 500 staked, 1,500 paid.
        ("P T,6 | U A | H K", "insure", 0),
        # What is settled: a win is taken back, a loss given back, a push left.
        ("P T,9 | U T | H 7", "stand settle", -1_000),
        ("P A,K | U T | H 7", "settle", -1_500),
        ("P T,7 | U T | H 9", "stand settle", 1_000),
        ("P T,7 | U T | H 7", "stand settle", 0),
        ("P T,6 | U A | H K", "insure settle", 0),
        # What is void: the returned stakes are the players', the lost ones come back.
        ("P T,6 / T,5 | U 9 | H 7 | T", "hit expire", 1_000),
        ("P T,6 | U 9 | H 7", "expire", 0),
        ("P A,K / T,5 | U 9 | H 7", "expire", -1_500),
    ],
)
def test_a_round_is_corrected_whatever_it_has_come_to(
    table: TableRules, cards: str, moves: str, correction: int
) -> None:
    story = tell(cards, f"{moves} malfunction", at=table)
    assert story.words == ["round_malfunctioned"]
    assert correction_of(story) == correction
    check_taken_back(story)


def test_a_capped_win_is_taken_back_as_it_was_paid() -> None:
    story = tell("P 5,6 | U T | H 7 | T", "double settle malfunction", bets=[100])
    assert correction_of(story) == 20_000 - 25_000
    check_taken_back(story)


def test_a_bonus_is_taken_back_too() -> None:
    story = tell("P AS,AS | U T | H 9", "stand settle", at=PROGRESSIVE, bonus=[1])
    paid = story.round.payout
    assert paid > 1_100
    story.play("malfunction")
    assert correction_of(story) == 1_100 - paid
    check_taken_back(story)


def test_a_high_insurance_can_be_more_than_was_staked() -> None:
    dear = varied(AMERICAN, insurance_pays=Ratio(5, 1))
    story = tell("P T,6 | U A | H K", "insure malfunction", at=dear)
    assert correction_of(story) == 1_500 - 3_000
    check_taken_back(story)


@pytest.mark.parametrize(("moves", "correction"), [("settle", -1_000), ("expire", 0)])
def test_it_says_when_and_why_and_leaves_the_rest_as_it_was(
    moves: str, correction: int
) -> None:
    story = tell("P T,9 | U T | H 7", "stand" if moves == "settle" else "")
    before = story.play(moves).round
    at = OPENED + len(story.commands)
    after = story.play("malfunction").round
    assert story.lines == [f"round_malfunctioned {at} a fault {correction}"]
    assert after[:-1] == before[:-1]
    assert after.closed_at is not None


def test_an_open_round_ends_with_it() -> None:
    story = tell("P T,9 | U T | H 7", "malfunction")
    assert (story.round.closed_at, story.round.decided_at) == (OPENED + 1, None)


def test_a_round_that_has_expired_can_malfunction() -> None:
    story = tell("P T,9 | U T | H 7")
    story.do(Malfunction(story.round.opened.expires_at + 5, "late"))
    check_taken_back(story)


@given(worlds())
def test_stakes_and_corrections_come_to_nothing_at_any_point(world: World) -> None:
    for story in steps(world):
        late = Malfunction(story.round.opened.expires_at, "a fault")
        (event,) = decide(story.round, late, story.shoe)
        assert isinstance(event, RoundMalfunctioned)
        over = story.round.closed_at is not None
        paid = story.round.payout if over else story.round.insured
        broken = fold([event], story.round)
        assert broken.payout == paid + event.correction == broken.stake
        assert broken.stake == story.round.stake
        assert legal_actions(broken) == ()
