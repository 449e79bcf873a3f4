"""A jackpot's file: what it may say, and what its bonus must return."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

import pytest

from service.jackpotfile import (
    JackpotFault,
    check_jackpot,
    parse_jackpot,
    return_at,
    shipped_jackpots,
)
from service.meter import Jackpot
from service.rules.table import TableRules
from tests.rules.tables import PROGRESSIVE, TABLES, varied, with_line

TEXT: Final = dict(shipped_jackpots())["aces-usd.toml"]


def faults(key: str, line: str | None) -> str:
    """Return what is said of the shipped file with the line of a key changed."""
    with pytest.raises(JackpotFault) as caught:
        checked(with_line(TEXT, key, line), TABLES)
    return str(caught.value)


def checked(text: str, tables: Mapping[str, TableRules]) -> Jackpot:
    jackpot = parse_jackpot(text, "mine.toml")
    check_jackpot(jackpot, "mine.toml", tables)
    return jackpot


def test_the_shipped_jackpot_is_that_of_document_000() -> None:
    jackpot = checked(TEXT, TABLES)
    assert (jackpot.jackpot_id, jackpot.currency) == ("aces-usd", "USD")
    assert (jackpot.reset, jackpot.ceiling) == (7_500_000, 100_000_000)
    assert jackpot.contribution == Fraction(3, 20)
    assert jackpot.min_return == Fraction(60, 100)
    assert jackpot.tables == ("progressive-five",)
    assert len(jackpot.version) == 64


def test_comments_make_no_other_version() -> None:
    assert (
        parse_jackpot(TEXT, "a").version == parse_jackpot(f"# Hi.\n{TEXT}", "b").version
    )


@pytest.mark.parametrize(
    ("key", "line", "said"),
    [
        ("reset", None, "reset: is missing"),
        ("reset", "reset = 0", "reset: must be a whole number from 1 to 1000000000000"),
        ("reset", "reset = 7.5", "reset: must be a whole number"),
        ("ceiling", "ceiling = 7_499_999", "ceiling: 7499999 is below the reset value"),
        ("ceiling", "ceiling = 1_000_000_000_001", "ceiling: must be a whole number"),
        ("currency", 'currency = "usd"', "currency: must be an ISO 4217 code"),
        ("jackpot_id", 'jackpot_id = "A"', "jackpot_id: must be 3 to 32 of a-z"),
        ("contribution", 'contribution = "0.15"', "must be a fraction below 1"),
        ("contribution", 'contribution = "3/3"', "must be a fraction below 1"),
        ("contribution", "contribution = 0.15", "must be a fraction below 1"),
        ("contribution", 'contribution = "1/3"', "a whole number of millionths"),
        ("contribution", None, "contribution: is missing"),
        ("min_return", "min_return = 0.6", "min_return: must be a decimal below 1"),
        ("min_return", 'min_return = "1.0"', "min_return: must be a decimal below 1"),
        ("tables", "tables = []", "tables: must be a list of tables, each once"),
        ("tables", 'tables = ["one-table", "one-table"]', "each once"),
        ("tables", "tables = 7", "tables: must be a list"),
        ("tables", None, "tables: is missing"),
        ("reset", "rest = 7_500_000", "rest: is not a setting"),
    ],
)
def test_a_wrong_file_is_refused_with_its_key(
    key: str, line: str | None, said: str
) -> None:
    assert said in faults(key, line)


def test_what_is_no_toml_is_refused() -> None:
    with pytest.raises(JackpotFault, match=r"mine\.toml: is not TOML"):
        parse_jackpot("reset = ", "mine.toml")


@pytest.mark.parametrize(
    ("key", "line", "said"),
    [
        ("tables", 'tables = ["no-table"]', "tables: there is no table no-table"),
        ("tables", 'tables = ["classic-three"]', "has no bonus wager in USD"),
        ("currency", 'currency = "EUR"', "progressive-five has no bonus wager in EUR"),
        ("reset", "reset = 250_000", "reset: must be more than the 250000 of a line"),
    ],
)
def test_a_file_fits_its_tables(key: str, line: str, said: str) -> None:
    assert said in faults(key, line)


def test_a_bonus_that_returns_too_little_is_refused_with_the_figure() -> None:
    said = faults("min_return", 'min_return = "0.61"')
    returned = return_at(PROGRESSIVE, 100, 7_500_000)
    assert "at the reset value the bonus of progressive-five returns 0.6054505" in said
    assert f"({returned})" in said
    assert "less than 0.61" in said
    assert faults("reset", "reset = 7_000_000").count("min_return") == 1


def test_the_return_is_what_the_lines_come_to() -> None:
    # Published nowhere; counted line by line: chance times what it pays.
    assert return_at(PROGRESSIVE, 100, 7_500_000) == sum(
        (
            Fraction(21_854_208, 5_278_451_815) * 25,
            Fraction(910_592, 754_064_545) * 100,
            Fraction(2_300_663_552, 6_508_331_087_895) * 250,
            Fraction(3_238_736, 185_952_316_797) * 2_500,
            Fraction(159_245_048, 6_508_331_087_895) * 1_500,
            Fraction(40_541, 14_304_024_369) * 75_000,
        ),
        Fraction(0),
    )


def test_another_line_may_not_pay_as_much_as_the_jackpot() -> None:
    pays = {**(PROGRESSIVE.bonus_pays or {}), "two_suited_aces": 75_000}
    table = varied(PROGRESSIVE, bonus_pays=pays)
    with pytest.raises(JackpotFault, match="pays as much as the jackpot's"):
        checked(TEXT, {"progressive-five": table})
