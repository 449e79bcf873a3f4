"""Money as people write it, from and to whole minor units, without a float."""

import re
from typing import Final, NamedTuple

_AMOUNT: Final = re.compile(r"([0-9]{1,12})(?:\.([0-9]{1,4}))?", re.ASCII)


class Unclear(ValueError):
    """What was typed means nothing here; the message tells a person why."""


class Money(NamedTuple):
    """A currency; `exponent` is the number of digits after its point."""

    currency: str
    exponent: int

    def plain(self, amount: int) -> str:
        """Write an amount of minor units in units.

        >>> Money("USD", 2).plain(250_000), Money("JPY", 0).plain(500)
        ('2,500.00', '500')
        >>> Money("USD", 2).plain(-5)
        '-0.05'
        """
        units, rest = divmod(abs(amount), 10**self.exponent)
        sign = "-" if amount < 0 else ""
        digits = f".{rest:0{self.exponent}}" if self.exponent else ""
        return f"{sign}{units:,}{digits}"

    def text(self, amount: int) -> str:
        """Write an amount with its currency.

        >>> Money("USD", 2).text(1050)
        '10.50 USD'
        """
        return f"{self.plain(amount)} {self.currency}"

    def signed(self, amount: int) -> str:
        """Write what was won or lost.

        >>> Money("USD", 2).signed(500), Money("USD", 2).signed(0)
        ('+5.00', '0.00')
        """
        return f"+{self.plain(amount)}" if amount > 0 else self.plain(amount)

    def typed(self, amount: int) -> str:
        """Write an amount as a person would type it: `read` gives it back.

        >>> Money("USD", 2).typed(250_000), Money("USD", 2).typed(1050)
        ('2500', '10.50')
        """
        text = self.plain(amount).replace(",", "")
        whole = amount % 10**self.exponent == 0
        return text.partition(".")[0] if whole else text

    def read(self, text: str) -> int:
        """Read an amount in units; return minor units. Raises Unclear.

        >>> Money("USD", 2).read("10"), Money("USD", 2).read("10.5")
        (1000, 1050)
        >>> Money("USD", 2).read("10.505")
        Traceback (most recent call last):
        ...
        service.terminal.money.Unclear: USD has 2 digits after the point
        """
        match = _AMOUNT.fullmatch(text)
        if match is None:
            raise Unclear(f"'{text}' is no amount; write it as 10 or 2500.50")
        units, digits = match[1], match[2] or ""
        if len(digits) > self.exponent:
            count = self.exponent or "no"
            raise Unclear(f"{self.currency} has {count} digits after the point")
        return int(units + digits.ljust(self.exponent, "0"))
