"""A table file is read whole, or refused with the file, every key and the reason."""

import tomllib

import pytest

from service.rules.table import BONUS_LINES
from service.tablefile import parse_table
from tests.rules.tables import (
    CLASSIC,
    TABLE_FILES,
    TABLES,
    faults_of,
    table_text,
    with_line,
)

TEXT = table_text("classic-three")
BONUS_TEXT = table_text("progressive-five")


def keys_of(text: str) -> set[str]:
    """Return the keys above the first section of a table file."""
    return {
        key for key, value in tomllib.loads(text).items() if type(value) is not dict
    }


def test_four_tables_are_shipped() -> None:
    assert set(TABLE_FILES) == set(TABLES)
    assert [table.number for table in TABLES.values()] == ["000", "001", "002", "003"]


@pytest.mark.parametrize("table_id", TABLES)
def test_a_shipped_table_is_named_as_its_file(table_id: str) -> None:
    assert TABLES[table_id].table_id == table_id


@pytest.mark.parametrize("key", sorted(keys_of(TEXT)))
def test_a_missing_key_is_named(key: str) -> None:
    assert faults_of(with_line(TEXT, key, None)) == [f"{key}: is missing"]


@pytest.mark.parametrize("key", sorted(keys_of(TEXT)))
@pytest.mark.parametrize("value", ["1.5", "1979-05-27", "[]", "{}", '""', "-1"])
def test_a_value_of_the_wrong_kind_is_named(key: str, value: str) -> None:
    (fault,) = faults_of(with_line(TEXT, key, f"{key} = {value}"))
    assert fault.startswith(f"{key}: must be ")
    assert "; is " in fault


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("table_id", '"x"', "must be 3 to 40 of a-z 0-9 -; is 'x'"),
        ("table_id", '"Mine"', "must be 3 to 40 of a-z 0-9 -; is 'Mine'"),
        ("table_id", '"0mine"', "must be 3 to 40 of a-z 0-9 -; is '0mine'"),
        ("number", '"12"', "must be three digits; is '12'"),
        ("number", "123", "must be three digits; is 123"),
        ("title", '""', "must be 1 to 60 plain characters; is ''"),
        ("title", r'"a\nb"', "must be 1 to 60 plain characters; is 'a\\nb'"),
        ("seating", '"open"', "must be 'private' or 'shared'; is 'open'"),
        ("decks", "0", "must be a whole number from 1 to 8; is 0"),
        ("decks", "9", "must be a whole number from 1 to 8; is 9"),
        ("decks", "true", "must be a whole number from 1 to 8; is True"),
        ("decks", "6.0", "must be a whole number from 1 to 8; is 6.0"),
        ("boxes", "0", "must be a whole number from 1 to 5; is 0"),
        ("boxes", "6", "must be a whole number from 1 to 5; is 6"),
        ("reshuffle", '"never"', "must be 'every_round' or 'cut_card'; is 'never'"),
        ("soft_17", '"draw"', "must be 'stand' or 'hit'; is 'draw'"),
        ("split_on", '"suit"', "must be 'value' or 'rank'; is 'suit'"),
        ("split_hands", "0", "must be a whole number from 1 to 4; is 0"),
        ("split_hands", "5", "must be a whole number from 1 to 4; is 5"),
        ("split_aces_hit", "1", "must be true or false; is 1"),
        ("split_aces_double", "0", "must be true or false; is 0"),
        ("split_aces_resplit", '"no"', "must be true or false; is 'no'"),
        ("split_21", '"21"', "must be 'plain' or 'natural'; is '21'"),
        ("double_after_split", '"yes"', "must be true or false; is 'yes'"),
        ("stand_on_21", "[true]", "must be true or false; is [True]"),
        ("insurance", '"no"', "must be 'any' or 'all_or_none'; is 'no'"),
        ("natural_pays", '"3:0"', "must be a ratio such as '3:2'; is '3:0'"),
        ("natural_pays", '"0:2"', "must be a ratio such as '3:2'; is '0:2'"),
        ("natural_pays", '"3/2"', "must be a ratio such as '3:2'; is '3/2'"),
        ("natural_pays", '"10000:1"', "must be a ratio such as '3:2'; is '10000:1'"),
        ("insurance_pays", "2", "must be a ratio such as '3:2'; is 2"),
        ("under_minimum", '"cut"', "must be 'raise' or 'refuse'; is 'cut'"),
        ("void_after_days", "0", "must be a whole number from 1 to 3650; is 0"),
        ("void_after_days", "3651", "must be a whole number from 1 to 3650; is 3651"),
        (
            "on_expiry",
            '"keep"',
            "must be 'void' or 'auto_stand' or 'forfeit'; is 'keep'",
        ),
    ],
)
def test_a_bad_value_is_told_with_what_would_be_right(
    key: str, value: str, reason: str
) -> None:
    changed = with_line(TEXT, key, f"{key} = {value}")
    assert faults_of(changed) == [f"{key}: {reason}"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("table_id", '"abc"'),
        ("table_id", f'"a{"-" * 39}"'),
        ("title", '"~"'),
        ("title", f'"{"x" * 60}"'),
        ("decks", "8"),
        ("boxes", "1"),
        ("boxes", "5"),
        ("split_hands", "1"),
        ("split_hands", "4"),
        ("natural_pays", '"1:1"'),
        ("void_after_days", "1"),
        ("void_after_days", "3650"),
    ],
)
def test_a_value_at_its_bound_is_taken(key: str, value: str) -> None:
    table = parse_table(with_line(TEXT, key, f"{key} = {value}"), "mine.toml")
    assert table.version != CLASSIC.version


def test_an_unknown_key_is_named_wherever_it_stands() -> None:
    text = TEXT.replace("[limits.USD]", "[limits.USD]\ncolour = 1")
    text = text.replace("[max_win]", "[max_win]\nsize = 2")
    text = "surrender = true\n" + text.replace("[limits.EUR]", "[side]\n[limits.EUR]")
    assert faults_of(text) == [
        "surrender: is not a setting",
        "side: is not a setting",
        "limits.USD.colour: is not a setting",
        "max_win.size: is not a setting",
    ]
    bonus = faults_of(f"{BONUS_TEXT}\nfive_aces = 3")
    assert bonus == ["bonus.five_aces: is not a setting"]


def test_all_faults_are_told_at_once() -> None:
    text = with_line(TEXT, "decks", "decks = 7.5")
    text = with_line(text, "soft_17", None)
    text = with_line(text, "multiple", 'multiple = "much"')
    text = text.replace("[limits.EUR]", "[limits.EUR]\nfloor = 1")
    assert faults_of(text) == [
        "decks: must be a whole number from 1 to 8; is 7.5",
        "soft_17: is missing",
        "limits.EUR.floor: is not a setting",
        "max_win.multiple: must be a ratio such as '3:2'; is 'much'",
    ]


def test_what_is_not_toml_is_refused() -> None:
    (fault,) = faults_of("decks = = 6")
    assert fault.startswith("is not TOML: ")


def test_an_empty_file_lacks_everything() -> None:
    faults = faults_of("")
    assert set(faults) == {f"{key}: is missing" for key in {*keys_of(TEXT), "limits"}}


def limits_text(*lines: str) -> str:
    """Return a table file whose one section of limits has these lines."""
    head = TEXT.partition("[limits.EUR]")[0]
    return head + "\n".join(lines)


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (["limits = 5"], "limits: must be a section; is 5"),
        (["[limits]"], "limits: must hold at least one currency"),
        (["[limits]", "USD = 1"], "limits.USD: must be a section; is 1"),
        (
            [
                *("[limits.usd]", "minimum = 2", "maximum = 4", "step = 2"),
                "chips = [2]",
            ],
            "limits.usd: must be named by an ISO 4217 code",
        ),
    ],
)
def test_limits_that_are_no_limits_are_refused(lines: list[str], fault: str) -> None:
    faults = faults_of(limits_text(*lines))
    assert fault in faults


GOOD = {
    "minimum": "100",
    "maximum": "10_000",
    "step": "100",
    "chips": "[100, 500]",
}


@pytest.mark.parametrize("key", GOOD)
def test_a_missing_limit_is_named_once(key: str) -> None:
    lines = [f"{name} = {value}" for name, value in GOOD.items() if name != key]
    assert faults_of(limits_text("[limits.USD]", *lines)) == [
        f"limits.USD.{key}: is missing"
    ]


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        (
            {"minimum": "0"},
            "minimum: must be a whole number from 1 to 10000000000; is 0",
        ),
        (
            {"maximum": "10_000_000_100"},
            "maximum: must be a whole number from 1 to 10000000000; is 10000000100",
        ),
        ({"step": "0"}, "step: must be a whole number from 1 to 10000000000; is 0"),
        ({"chips": "[]"}, "chips: must be a list of whole numbers above 0; is []"),
        ({"chips": "100"}, "chips: must be a list of whole numbers above 0; is 100"),
        (
            {"chips": "[true]"},
            "chips: must be a list of whole numbers above 0; is [True]",
        ),
        ({"chips": "[0]"}, "chips: must be a list of whole numbers above 0; is [0]"),
        (
            {"chips": "[-100]"},
            "chips: must be a list of whole numbers above 0; is [-100]",
        ),
        (
            {"bonus_wager": "0"},
            "bonus_wager: must be a whole number from 1 to 10000000000; is 0",
        ),
        # From here on each limit is fine by itself.
        ({"minimum": "10_100"}, "minimum: 10100 is above the maximum 10000"),
        ({"minimum": "150"}, "minimum: 150 is not a multiple of the step 100"),
        ({"maximum": "10_050"}, "maximum: 10050 is not a multiple of the step 100"),
        ({"chips": "[500, 100]"}, "chips: must rise"),
        ({"chips": "[100, 100]"}, "chips: must rise"),
        ({"chips": "[100, 150]"}, "chips: each must be a multiple of the step 100"),
        ({"step": "25"}, "step: half of 25 at insurance_pays must be a whole number"),
        ({"step": "25"}, "step: 25 at natural_pays must be a whole number"),
        (
            {"bonus_wager": "100"},
            "bonus_wager: goes with a [bonus] section, and only with it",
        ),
    ],
)
def test_a_limit_that_cannot_be_is_told(changed: dict[str, str], fault: str) -> None:
    lines = [f"{name} = {value}" for name, value in {**GOOD, **changed}.items()]
    faults = faults_of(limits_text("[limits.USD]", *lines))
    assert f"limits.USD.{fault}" in faults


@pytest.mark.parametrize("line", BONUS_LINES)
def test_every_line_of_the_bonus_is_priced(line: str) -> None:
    assert faults_of(with_line(BONUS_TEXT, line, None)) == [f"bonus.{line}: is missing"]
    assert faults_of(with_line(BONUS_TEXT, line, f"{line} = 0")) == [
        f"bonus.{line}: must be a whole number from 1 to 10000000; is 0"
    ]


def test_the_version_is_made_of_the_settings_alone() -> None:
    lines = TEXT.splitlines()
    first_section = lines.index("[limits.EUR]")
    moved = [*lines[first_section - 2 :: -1], *lines[first_section - 1 :]]
    assert parse_table("\n".join(moved), "other name").version == CLASSIC.version
    changed = with_line(TEXT, "title", 'title = "Another"')
    assert parse_table(changed, "mine").version != CLASSIC.version
    assert len({table.version for table in TABLES.values()}) == len(TABLES)


def test_a_loaded_table_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        CLASSIC.limits["GBP"] = CLASSIC.limits["USD"]  # type: ignore[index]  # on purpose
    with pytest.raises(AttributeError):
        CLASSIC.decks = 8  # type: ignore[misc]  # on purpose
