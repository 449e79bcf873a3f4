"""How many digits of a currency stand after the point."""

from typing import Final

_USUAL: Final = 2
# ISO 4217, list one; every other currency has two.
_DIGITS: Final = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}
_EXPONENTS: Final = {
    currency: digits for digits, codes in _DIGITS.items() for currency in codes.split()
}


def exponent(currency: str) -> int:
    """Return the digits between a currency's major and its minor unit.

    >>> exponent("USD"), exponent("JPY"), exponent("KWD")
    (2, 0, 3)
    """
    return _EXPONENTS.get(currency, _USUAL)
