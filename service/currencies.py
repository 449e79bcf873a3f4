"""Which currencies there are, and how many digits of each stand after the point."""

from typing import Final

from iso4217 import Currency

_MOST_DIGITS: Final = 3
_USUAL: Final = 2
_EXPONENTS: Final = {
    currency.code: currency.exponent
    for currency in Currency
    if currency.exponent is not None
}
"""By ISO 4217; metals and the like have none."""


def is_currency(code: str) -> bool:
    """Tell whether a code is of a currency that players can have.

    CLF and UYW are not: units of account with four digits, and nobody's cash.

    >>> list(filter(is_currency, ["EUR", "JPY", "KWD", "CLF", "XAU", "ABC"]))
    ['EUR', 'JPY', 'KWD']
    """
    return _EXPONENTS.get(code, _MOST_DIGITS + 1) <= _MOST_DIGITS


def exponent(currency: str) -> int:
    """Return the digits between a currency's major and its minor unit.

    >>> exponent("USD"), exponent("JPY"), exponent("KWD")
    (2, 0, 3)
    """
    return _EXPONENTS.get(currency, _USUAL)


def money_text(amount: int, currency: str) -> str:
    """Write an amount of minor units for a person, with its currency.

    >>> money_text(3000, "EUR"), money_text(5, "JPY"), money_text(-1, "KWD")
    ('30.00 EUR', '5 JPY', '-0.001 KWD')
    """
    digits = exponent(currency)
    units, rest = divmod(abs(amount), 10**digits)
    sign = "-" if amount < 0 else ""
    point = f".{rest:0{digits}}" if digits else ""
    return f"{sign}{units}{point} {currency}"
