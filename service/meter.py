"""What a jackpot is, and how its meter counts: whole numbers, nothing is lost.

A meter counts in parts, of which a minor unit has ``PARTS``: so whatever fraction of a
wager is added, no sum is rounded. The words are the regulators' (GLI-19 4.13): what is
won next is the current amount, what goes beyond the ceiling is kept as the overflow.
"""

from fractions import Fraction
from typing import Final, NamedTuple, Self

PARTS: Final = 1_000_000
"""Parts of a minor unit."""


class Jackpot(NamedTuple):
    """One version of a jackpot's file; money in minor units.

    ``contribution`` is what the meter gets of each bonus wager.
    """

    version: str
    jackpot_id: str
    currency: str
    reset: int
    contribution: Fraction
    ceiling: int
    min_return: Fraction
    tables: tuple[str, ...]

    def parts_of(self, wagers: int) -> int:
        """Return what wagers add to the meter, in parts."""
        parts = self.contribution * PARTS * wagers
        assert parts.denominator == 1, "a contribution is a whole number of parts"
        return parts.numerator


class Shown(NamedTuple):
    """A jackpot as a player sees it: what a hit would be paid, in minor units."""

    jackpot_id: str
    meter: int


class Meter(NamedTuple):
    """How a jackpot of one operator stands; ``version`` is of the file in force.

    ``current``, ``overflow`` and ``contributed`` are in parts: what is won next, what
    the ceiling kept out of that, and what all ``wagers`` (in minor units) have added.
    ``resets`` is what the house has put in, in minor units: the reset value as the
    meter was made, and again after every hit.
    """

    operator: str
    jackpot_id: str
    version: str
    current: int
    overflow: int
    contributed: int
    wagers: int
    resets: int

    @classmethod
    def new(cls, operator: str, jackpot: Jackpot) -> Self:
        """Return a meter at its reset value.

        >>> half = Jackpot("v", "aces", "USD", 50, Fraction(1, 2), 52, Fraction(0), ())
        >>> meter = Meter.new("casino", half).with_wagers(3, half)
        >>> meter.amount, meter.current
        (51, 51500000)
        >>> amount, meter = meter.hit(half)
        >>> amount, meter.amount, meter.current, meter.resets
        (51, 50, 50500000, 100)
        >>> full = meter.with_wagers(5, half)
        >>> full.amount, full.overflow
        (52, 1000000)
        """
        place = (operator, jackpot.jackpot_id, jackpot.version)
        return cls(*place, jackpot.reset * PARTS, 0, 0, 0, jackpot.reset)

    @property
    def amount(self) -> int:
        """What a hit is paid, in minor units; what is left of one stays."""
        return self.current // PARTS

    def with_wagers(self, wagers: int, jackpot: Jackpot) -> Self:
        """Return the meter after more bonus wagers, in minor units."""
        parts = jackpot.parts_of(wagers)
        more = self._replace(
            contributed=self.contributed + parts, wagers=self.wagers + wagers
        )
        return more.plus(parts, jackpot)

    def plus(self, parts: int, jackpot: Jackpot) -> Self:
        """Return the meter with more in it; the overflow has what does not fit."""
        pool = self.current + parts
        current = min(pool, max(self.current, jackpot.ceiling * PARTS))
        return self._replace(current=current, overflow=self.overflow + pool - current)

    def hit(self, following: Jackpot) -> tuple[int, Self]:
        """Return what a hit is paid, and the meter at its reset value after it.

        What was ``following``, a changed file, is in force from then on.
        """
        rest = self.current - self.amount * PARTS
        after = self._replace(
            version=following.version,
            current=following.reset * PARTS,
            resets=self.resets + following.reset,
        )
        return self.amount, after.plus(rest, following)

    def with_overflow(self, amount: int) -> Self:
        """Return the meter with so much of its overflow moved into it, minor units."""
        moved = amount * PARTS
        assert 0 <= moved <= self.overflow, "what is moved is there"
        return self._replace(
            current=self.current + moved, overflow=self.overflow - moved
        )

    def given_back(self, amount: int, jackpot: Jackpot) -> Self:
        """Return the meter with a hit, in minor units, put back into it."""
        return self.plus(amount * PARTS, jackpot)

    def room(self, jackpot: Jackpot) -> int:
        """Return how much of the overflow fits below the ceiling, in minor units."""
        below = max(0, jackpot.ceiling * PARTS - self.current)
        return min(self.overflow, below) // PARTS

    def rest(self, held: int) -> int:
        """Return what does not add up, in parts; nothing, if all is well.

        ``held`` is what hits have reserved or were paid, in minor units. The law:
        contributions + resets = current + overflow + reserved + paid.
        """
        put_in = self.contributed + self.resets * PARTS
        return put_in - self.current - self.overflow - held * PARTS
