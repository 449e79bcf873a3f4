"""`upcard play`: rounds typed at a terminal, over HTTP, with rigged cards."""

import re

import pytest

from service.cli.session import OPERATOR
from tests.cli.conftest import House

CLASSIC = "--table classic-three"
PROGRESSIVE = "--table progressive-five"
AMERICAN = "--table american-five"
PRIVATE = pytest.mark.parametrize("table", [CLASSIC, PROGRESSIVE, AMERICAN])


@PRIVATE
def test_a_hand_that_stands_wins(house: House, table: str) -> None:
    house.site.rig.stack("P T,9 | U 6 | H T | T")
    before = house.site.log_rows()
    shown = house.shows("10", "s", "q", options=table)
    assert "Box 1 has 19, the dealer shows 6♠." in shown
    assert "26 bust" in shown
    assert "WIN +10.00" in shown
    assert "You win 10.00 USD." in shown
    assert house.site.log_rows() - before == len(["deal", "stand", "settle"])


@PRIVATE
def test_a_pair_is_split_into_two_hands(house: House, table: str) -> None:
    house.site.rig.stack("P 8,8 | U 6 | H T | 3,K,9,9")
    shown = house.shows("10", "p", "h", "s", "s", "q", options=table)
    assert "p split +10.00" in shown
    assert "▶ Box 1a" in shown
    assert "Box 1b has 18, the dealer shows 6♠." in shown
    assert "You win 20.00 USD." in shown


@PRIVATE
def test_a_double_bets_as_much_again(house: House, table: str) -> None:
    house.site.rig.stack("P 6,5 | U 6 | H T | T,9")
    shown = house.shows("10", "double", "q", options=table)
    assert "d double +10.00" in shown
    assert "doubled 20.00" in shown
    assert "WIN +20.00" in shown


@PRIVATE
def test_insurance_pays_when_the_dealer_has_a_blackjack(
    house: House, table: str
) -> None:
    house.site.rig.stack("P T,9 | U A | H K")
    shown = house.shows("10", "y", "q", options=table)
    assert "Insurance pays 2:1: box 1 5.00 USD." in shown
    assert "insured +10.00" in shown
    assert "LOSE -10.00" in shown
    assert "You get your stake back." in shown


def test_some_of_the_boxes_may_be_insured(house: House) -> None:
    house.site.rig.stack("P T,9 / T,8 | U A | H 7")
    shown = house.shows("10 20", "3", "2", "s", "s", "q")
    assert "box 1 5.00, box 2 10.00 USD" in shown
    assert "No: '3' is no answer here." in shown
    assert shown.count("insured -10.00") == 3
    assert "insured -5.00" not in shown


def test_all_boxes_are_insured_together_where_the_table_says_so(house: House) -> None:
    house.site.rig.stack("P T,9 / T,8 | U A | H 7")
    shown = house.shows("10 20", "1", "y", "s", "s", "q", options=PROGRESSIVE)
    assert "all boxes together 15.00 USD" in shown
    assert "No: '1' is no answer here." in shown
    assert "insured -5.00" in shown


def test_declined_insurance_costs_nothing(house: House) -> None:
    house.site.rig.stack("P T,9 | U A | H 7")
    shown = house.shows("10", "n", "s", "q")
    assert "insured" not in shown
    assert "You win 10.00 USD." in shown


def test_the_most_that_a_hand_pays_is_told_before_and_after(house: House) -> None:
    house.site.rig.stack("P 6,5 | U 6 | H T | T,9")
    shown = house.shows("100", "d", "q")
    assert "After a double it pays at most 250.00 USD." in shown
    assert "max win cut" in shown
    assert "WIN +50.00" in shown


def test_a_plus_places_the_bonus_bet(house: House) -> None:
    house.site.rig.stack("P AS,AH | U 6 | H T | 9,9,9")
    shown = house.shows("10+", "s", "q", options=PROGRESSIVE)
    assert "10+ adds the bonus bet of 1.00 USD" in shown
    assert "bonus 1.00" in shown
    assert "bonus +24.00" in shown


def test_a_wager_below_the_minimum_is_raised_when_the_player_agrees(
    house: House,
) -> None:
    house.site.rig.stack("P T,9 | U 6 | H T | T")
    shown = house.shows("1", "n", "1", "y", "s", "q", options=PROGRESSIVE)
    assert shown.count("Box 1: the minimum is 2.00 USD") == 2
    assert "You win 2.00 USD." in shown


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("- 0.50", "Box 2: the minimum is 1.00 USD"),
        ("- - 101", "Box 3: the maximum is 100.00 USD"),
        ("10.50", "Box 1: wagers go in steps of 1.00 USD"),
        ("10.505", "No: USD has 2 digits after the point."),
        ("1e3", "No: '1e3' is no amount; write it as 10 or 2500.50."),
        ("10,5", "No: '10,5' is no amount; write it as 10 or 2500.50."),
        ("-5", "No: '-5' is no amount; write it as 10 or 2500.50."),
        ("- -", "No: put a wager on one box at least, or q to leave."),
        ("1 2 3 4", "No: this table has 3 boxes; you named 4."),
        ("5+", "No: this table has no bonus bet."),
        ("999999999999", "Box 1: the maximum is 100.00 USD"),
    ],
)
def test_a_wager_that_is_refused_is_asked_again(
    house: House, typed: str, said: str
) -> None:
    before = house.site.log_rows()
    shown = house.shows(typed, "q")
    assert said in shown
    assert shown.count("Enter bets 1 ") == 2
    assert house.site.log_rows() == before


def test_enter_bets_the_same_again(house: House) -> None:
    house.site.rig.stack("P T,9 / T,9 | U 6 | H T | T")
    shown = house.shows("10 - 20", "s", "s", "", "s", "s", "q")
    assert "Enter bets 10 - 20 again" in shown
    assert shown.count("You win 30.00 USD.") == 2
    assert "2 rounds, +60.00 USD." in shown


def test_who_comes_back_is_offered_the_same_bet_again(house: House) -> None:
    house.site.rig.stack("P 8,8 / T,9 | U 6 | H T | 3,K,9,9")
    first = house.shows("10+ - 20", "p", "d", "s", "s", "q", options=PROGRESSIVE)
    assert "Enter bets 2 " in first
    assert "verify the last round" in first
    back = house.shows("", "q", options=PROGRESSIVE)
    assert "Enter bets 10+ - 20 again" in back
    assert "verify the last round" not in back.partition("again")[0]
    assert "at stake 31.00 USD" in back
    other = house.shows("q", options=AMERICAN)
    assert "Enter bets 1 " in other
    named = house.shows("q", options=f"{PROGRESSIVE} --wagers 5")
    assert "Enter bets 5" not in named, "the round that was left goes on"


def poor(house: House) -> None:
    """Leave the player 5.00 of his demo money."""
    house.site.rig.stack("P T,2 / T,2 | U T | H 9 | K,K")
    for wagers in ("400 400", "195"):
        house.shows(wagers, *(["h"] * len(wagers.split())), "q", options=AMERICAN)


def test_a_wager_that_is_too_dear_is_asked_again(house: House) -> None:
    poor(house)
    house.site.rig.stack("P T,9 | U 6 | H T | T")
    before = house.site.log_rows()
    shown = house.shows("5.01", "6", "5", "s", "q", options=AMERICAN)
    assert "That takes 6.00 USD, and you have 5.00 USD." in shown
    assert "You win 5.00 USD." in shown
    assert house.site.log_rows() - before == len(["deal", "stand", "settle"])


def test_a_double_that_is_too_dear_leaves_the_other_moves(house: House) -> None:
    poor(house)
    house.site.rig.stack("P 5,6 | U 6 | H T | 8,T")
    shown = house.shows("5", "d", "h", "s", "q", options=AMERICAN)
    assert "That takes 5.00 USD, and you have 0.00 USD." in shown
    assert "You win 5.00 USD." in shown


def test_the_robot_stops_at_wagers_that_are_too_dear(house: House) -> None:
    poor(house)
    result = house.play(options=f"{AMERICAN} --auto --wagers 6")
    assert result.exit_code == 1
    assert "That takes 6.00 USD, and you have 5.00 USD." in result.output


def test_the_own_limit_is_told_in_units(house: House) -> None:
    house.site.owner(
        "INSERT INTO player_limit (operator, player, currency, ver, amount, since) "  # noqa: S608 - a test
        f"VALUES ('{OPERATOR}', '{house.player}', 'USD', 1, 500, now())"
    )
    shown = house.shows("10 5", "q")
    assert "Box 1: your own limit is 5.00 USD" in shown
    assert "Box 2" not in shown


def test_moves_that_mean_nothing_are_asked_again(house: House) -> None:
    house.site.rig.stack("P T,9 | U 6 | H T | T")
    shown = house.shows("10", "x", "", "p", "?", "S", "q")
    assert "No: 'x' is no move" in shown
    assert "No: this hand can't split now." in shown
    assert "Rule of thumb" in shown
    assert "You win 10.00 USD." in shown


def test_a_round_waits_for_the_player_who_leaves(house: House) -> None:
    house.site.rig.stack("P T,9 | U 6 | H T | T")
    left = house.shows("10", "q", options=PROGRESSIVE)
    assert re.search(r"Your round waits until \d{4}-\d\d-\d\d \d\d:\d\d UTC", left)
    came_back = f"upcard play --player {house.player} --table progressive-five"
    assert came_back in left
    found = house.shows("", "s", "q", options="")
    assert "a round waits for you" in found
    assert "Which table? Enter is progressive-five" in found
    assert "You win 10.00 USD." in found


def test_a_finished_round_can_be_verified(house: House) -> None:
    house.site.rig.stack("P T,9 | U 6 | H T | T")
    shown = house.shows("v", "10", "s", "v", "q")
    assert "No: 'v' is no amount" in shown
    assert "WRONG" not in shown
    assert "ok     it is the shoe promised to you at the deal" in shown
    assert "The round was honest" in shown


def test_another_shoe_than_the_promised_one_is_noticed(house: House) -> None:
    promised = re.compile(rb'(?<="commitment":")[0-9a-f]{64}')
    house.site.rig.stack("P T,9 | U 6 | H T | T")
    house.wire.change = lambda sent, body: (
        body if sent.is_to("/proof") else promised.sub(b"0" * 64, body)
    )
    shown = house.shows("10", "s", "v", "q")
    assert "WRONG  it is the shoe promised to you at the deal" in shown
    assert "The round was honest" not in shown


def test_tables_are_listed_to_choose_from(house: House) -> None:
    shown = house.shows("none", "2", "classic-three", "q", options="")
    assert "progressive-five  2.00 - 2,500.00 USD" in shown
    assert "No: type its number or its name." in shown
    assert "No: shared-five has seats for several, not for this client." in shown
    assert "pays at most 250.00 USD a hand." in shown
    by_number = house.shows("4", "q", options="")
    assert "the dealer hits on soft 17" in by_number


def test_another_currency_is_played_with_its_own_token(house: House) -> None:
    house.site.rig.stack("P T,9 | U 6 | H T | T")
    shown = house.shows("10", "s", "q", options=f"{CLASSIC} --currency eur")
    assert "You win 10.00 EUR." in shown


def test_a_round_of_another_currency_takes_moves_that_cost_nothing(
    house: House,
) -> None:
    house.site.rig.stack("P 6,5 | U 6 | H T | T,9")
    left = house.shows("10", "q", options=f"{CLASSIC} --currency EUR")
    assert f"--player {house.player} --currency EUR {CLASSIC}" in left
    shown = house.shows("d", "h", "q")
    assert "at stake 10.00 EUR" in shown
    assert "Start again with --currency" in shown
    assert "You win 10.00 EUR." in shown
    assert "1 round, 0.00 USD." in shown


def test_hands_that_do_not_fit_side_by_side_take_two_rows(house: House) -> None:
    house.site.rig.stack("P 8,8 / 9,8 / T,9 / T,8 / T,7 | U 6 | H T | 5,6")
    shown = house.shows("1 1 1 1 1", "p", "q", options=AMERICAN)
    titles = [line.count(" Box ") for line in shown.splitlines() if "╭─" in line]
    assert titles.count(5) == 1
    assert titles.count(3) == 2


def test_five_boxes_and_many_cards_fit(house: House) -> None:
    house.site.rig.stack("P 4,3 / T,T / T,9 / T,8 / A,K | U 6 | H T | 2,2,2,2,2,9")
    moves = ["h", "h", "h", "h", "h", "s", "s", "s", "s"]
    shown = house.shows("200 200 200 200 200", *moves, "q", options=AMERICAN)
    assert "││2♥ │2♦ │2♣ │ ││" in shown
    assert "You win 1,100.00 USD." in shown


def test_no_colours_where_the_output_is_no_terminal(house: House) -> None:
    assert "\x1b" not in house.shows("10", "s", "q")


def test_the_robot_plays_rounds_and_counts(house: House) -> None:
    house.site.rig.stack("P T,6 / T,9 | U 6 | H T | T,T")
    before = house.site.log_rows()
    options = f"{PROGRESSIVE} --auto --rounds 3 --wagers 10+|25".replace("|", " ")
    assert house.play(options=options).exit_code == 2  # two words are no wager
    result = house.shows(options=f"{PROGRESSIVE} --auto --rounds 3 --wagers 25")
    assert len(re.findall(r"^ +\d +[+-]?[\d.]+  dealer", result, re.MULTILINE)) == 3
    assert re.search(r"^3 rounds, [+-]?\d+\.\d\d USD\.$", result, re.MULTILINE)
    assert house.site.log_rows() > before


def test_the_robot_finishes_what_was_left_open(house: House) -> None:
    house.site.rig.stack("P T,6 | U A | H 6 | 5,T")
    house.shows("10", "q")
    result = house.shows(options=f"{CLASSIC} --auto --rounds 1")
    assert "dealer 17; Box 1: 21 win" in result
    assert "1 round, +10.00 USD." in result


def test_the_robot_stops_at_wagers_that_are_refused(house: House) -> None:
    result = house.play(options=f"{CLASSIC} --auto --wagers 500")
    assert result.exit_code == 1
    assert "Box 1: the maximum is 100.00 USD" in result.output
