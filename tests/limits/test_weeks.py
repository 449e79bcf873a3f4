"""When a week of a player's own limit starts, through the clock changes too."""

from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from service.weeks import NEW_YORK_FRIDAYS, WEEKDAYS, Weeks, week_of

FIXED: Final = week_of("Etc/GMT+5", "friday")
"""EST all the year."""
HOUR: Final = 3_600_000_000
DAY: Final = 24 * HOUR


def at(text: str) -> int:
    """Return a UTC time in microseconds since 1970."""
    moment = datetime.fromisoformat(text).replace(tzinfo=UTC)
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


# Known fault 67: the week of a clock change began a day or an hour off. Fridays 00:00
# before and after the changes, as New York's clocks and as five hours behind UTC.
FRIDAYS: Final = {
    "March 2026": ("2026-03-06 05:00", "2026-03-13 04:00", "2026-03-13 05:00"),
    "November 2026": ("2026-10-30 04:00", "2026-11-06 05:00", "2026-11-06 05:00"),
    "March 2027": ("2027-03-12 05:00", "2027-03-19 04:00", "2027-03-19 05:00"),
    "November 2027": ("2027-11-05 04:00", "2027-11-12 05:00", "2027-11-12 05:00"),
}


@pytest.mark.parametrize("change", FRIDAYS)
def test_67_a_week_starts_at_midnight_whatever_the_clocks_do(change: str) -> None:
    before, after, fixed = (at(text) for text in FRIDAYS[change])
    hours = {"M": 7 * 24 - 1, "N": 7 * 24 + 1}[change[0]]
    assert after - before == hours * HOUR
    for moment in (before, before + 3 * DAY, after - 1):
        assert NEW_YORK_FRIDAYS.start(moment) == before
        assert NEW_YORK_FRIDAYS.next_start(moment) == after
    assert NEW_YORK_FRIDAYS.start(after) == after
    assert FIXED.start(fixed) == fixed
    assert FIXED.start(fixed - 1) == fixed - 7 * DAY
    assert FIXED.next_start(fixed - 1) == fixed


@pytest.mark.parametrize("weeks", [NEW_YORK_FRIDAYS, FIXED], ids=["law", "fixed"])
def test_67_midnight_itself_is_of_the_new_week(weeks: Weeks) -> None:
    friday = at("2026-12-04 05:00")
    assert weeks.start(friday) == friday
    assert weeks.next_start(friday) == friday + 7 * DAY
    assert weeks.start(friday - 1) == friday - 7 * DAY
    assert weeks.next_start(friday - 1) == friday


def test_each_hour_of_two_years_is_in_the_week_that_began_last() -> None:
    hour, end = at("2026-01-02 05:00"), at("2028-01-07 05:00")
    began = hour
    while hour < end:
        local = (
            datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=hour // 10**6)
        ).astimezone(NEW_YORK_FRIDAYS.zone)
        if (WEEKDAYS[local.weekday()], local.hour) == ("friday", 0):
            began = hour
        assert NEW_YORK_FRIDAYS.start(hour) == began
        hour += HOUR


def test_where_midnight_is_skipped_the_week_starts_with_the_day() -> None:
    # Egypt's clocks went from Friday 2023-04-28 00:00 to 01:00.
    weeks = week_of("Africa/Cairo", "friday")
    jump = at("2023-04-27 22:00")
    assert weeks.start(jump) == jump
    assert weeks.next_start(jump - 1) == jump


def test_where_midnight_comes_twice_the_week_starts_at_the_first() -> None:
    # Cuba's clocks went from Sunday 2026-11-01 01:00 back to 00:00.
    weeks = week_of("America/Havana", "sunday")
    first = at("2026-11-01 04:00")
    assert weeks.start(first + HOUR) == weeks.start(first) == first
    assert weeks.next_start(first - 1) == first


def test_a_raise_waits_for_the_next_week() -> None:
    monday, friday = at("2026-11-30 12:00"), at("2026-12-04 05:00")
    assert NEW_YORK_FRIDAYS.in_force(monday) == friday
    assert NEW_YORK_FRIDAYS.in_force(friday - DAY) == friday


def test_a_raise_waits_for_24_hours() -> None:
    friday = at("2026-12-04 05:00")
    for before in (3 * HOUR, 1, DAY - 1):
        asked = friday - before
        assert NEW_YORK_FRIDAYS.in_force(asked) == asked + DAY
    assert NEW_YORK_FRIDAYS.in_force(friday) == friday + 7 * DAY


@pytest.mark.parametrize(
    ("zone", "day"),
    [
        ("Mars/Olympus", "friday"),
        ("../x", "friday"),
        ("America", "friday"),
        ("UTC", "Freitag"),
    ],
)
def test_what_is_no_week_is_refused(zone: str, day: str) -> None:
    with pytest.raises(ValueError, match=r"no time zone|not in"):
        week_of(zone, day)
