"""Money is read and written without losing a unit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.terminal.money import Money, Unclear

AMOUNTS = st.integers(0, 10**11)
CURRENCIES = st.builds(Money, st.just("XTS"), st.integers(0, 4))


@given(CURRENCIES, AMOUNTS)
def test_what_is_typed_is_what_is_read(money: Money, amount: int) -> None:
    assert money.read(money.typed(amount)) == amount
    assert money.read(money.plain(amount).replace(",", "")) == amount


@pytest.mark.parametrize(
    "text",
    [
        "",
        " 1",
        "1 ",
        "+1",
        "-1",
        ".5",
        "5.",
        "1,000",
        "1_000",
        "1e3",
        "٣",
        "NaN",
        "1.234",
    ],
)
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(Unclear):
        Money("USD", 2).read(text)
