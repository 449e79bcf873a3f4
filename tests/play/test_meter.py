"""A meter by itself: whatever happens to it, nothing is lost and nothing is made."""

from fractions import Fraction
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from service.meter import Jackpot, Meter

_FILES: Final = st.builds(
    lambda reset, room, share: Jackpot(
        *("v", "aces", "USD", reset, share, reset + room, Fraction(0), ())
    ),
    st.integers(1, 10_000),
    st.integers(0, 300),
    st.sampled_from([Fraction(3, 20), Fraction(1, 10**6), Fraction(999_999, 10**6)]),
)
_STEPS: Final = st.tuples(
    st.sampled_from(["bet", "hit", "change", "move", "give back"]),
    st.integers(1, 500),
    _FILES,
)


@given(_FILES, st.lists(_STEPS, max_size=40))
def test_contributions_and_resets_are_what_it_holds_and_has_paid(
    first: Jackpot, steps: list[tuple[str, int, Jackpot]]
) -> None:
    meter, force, newest = Meter.new("casino", first), first, first
    hits: list[int] = []
    for what, number, file in steps:
        match what:
            case "bet":
                meter = meter.with_wagers(number, force)
            case "hit":
                amount, meter = meter.hit(newest)
                hits.append(amount)
                force = newest
                assert meter.amount == force.reset
            case "change":
                newest = file
            case "move":
                meter = meter.with_overflow(meter.room(force))
            case _:
                back = hits.pop(number % len(hits)) if hits else 0
                meter = meter.given_back(back, force)
        assert meter.rest(sum(hits)) == 0
        assert min(meter.current, meter.overflow) >= 0
        assert meter.amount <= force.ceiling


def test_a_ceiling_that_is_met_exactly_leaves_nothing_over() -> None:
    full = Jackpot("v", "aces", "USD", 100, Fraction(1, 2), 150, Fraction(0), ())
    meter = Meter.new("casino", full).with_wagers(100, full)
    assert (meter.amount, meter.overflow, meter.room(full)) == (150, 0, 0)
    assert meter.with_wagers(1, full).overflow == 500_000
