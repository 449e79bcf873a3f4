"""A picture of how a simulation comes to its exact figure, as SVG."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import count, takewhile
from math import ceil, floor, log10
from typing import Final, NamedTuple

from service.analysis.tally import Mean

WIDTH: Final = 900
HEIGHT: Final = 500
_LEFT: Final = 92
_RIGHT: Final = 40
_TOP: Final = 96
_BOTTOM: Final = 64
_LINES: Final = 6
_ERRORS: Final = 3
_MEAN, _BAND, _EXACT, _PALE = "#1f5f9f", "#d5e6f6", "#b3261e", "#5a6875"
FONT: Final = "Helvetica, Arial, 'DejaVu Sans', sans-serif"


class Point(NamedTuple):
    """The mean after so many rounds."""

    rounds: int
    mean: Mean


def convergence(title: str, points: Sequence[Point], exact: float | None) -> str:
    """Return the picture: the mean, three standard errors about it, the exact figure.

    The first tenth of the points sets no scale: it swings too far.
    """
    settled = points[len(points) // 10 :]
    low = min(point.mean.value - _spread(point) for point in settled)
    high = max(point.mean.value + _spread(point) for point in settled)
    if exact is not None:
        low, high = min(low, exact), max(high, exact)
    scale = _Scale(points[-1].rounds, low, max(high, low + 1e-9))
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'font-family="{FONT}" font-size="13" fill="#1c2733">'
        ),
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        (
            f'<text x="{_LEFT}" y="40" font-size="20" font-weight="bold">'
            f"{escape(title)}</text>"
        ),
        *_legend(points[-1], exact),
        *_grid(scale),
        *_curves(scale, points),
    ]
    if exact is not None:
        y = scale.y(exact)
        parts.append(
            f'<path d="M{_LEFT} {y:.1f}H{WIDTH - _RIGHT}" stroke="{_EXACT}" '
            'stroke-width="1.5" stroke-dasharray="7 4"/>'
        )
    return "\n".join([*parts, "</svg>", ""])


def _spread(point: Point) -> float:
    """Return three standard errors; none after one round, which has no spread."""
    return _ERRORS * point.mean.error if point.rounds > 1 else 0.0


class _Scale:
    """Where a number of rounds and an expectation are in the picture."""

    def __init__(self, rounds: int, low: float, high: float) -> None:
        self.rounds, self.low, self.high = rounds, low, high

    def x(self, rounds: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * rounds / self.rounds

    def y(self, value: float) -> float:
        part = (value - self.low) / (self.high - self.low)
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * part

    def at(self, rounds: int, value: float) -> str:
        # Far off the plot a line need not be true, only finite.
        y = min(max(self.y(value), -HEIGHT), 2 * HEIGHT)
        return f"{self.x(rounds):.1f},{y:.1f}"


def _legend(last: Point, exact: float | None) -> Iterator[str]:
    mean = last.mean
    shown = [
        (_MEAN, f"mean {mean.value:+.5f} after {last.rounds:,} rounds"),
        (_BAND, f"three standard errors, {_spread(last):.5f} at the end"),
    ]
    if exact is not None:
        shown.append((_EXACT, f"exact {exact:+.5f}"))
    x = _LEFT
    for colour, text in shown:
        yield f'<rect x="{x}" y="58" width="18" height="12" rx="2" fill="{colour}"/>'
        yield f'<text x="{x + 25}" y="69">{text}</text>'
        x += 50 + 7 * len(text)


def _curves(scale: _Scale, points: Sequence[Point]) -> Iterator[str]:
    upper = [scale.at(p.rounds, p.mean.value + _spread(p)) for p in points]
    lower = [scale.at(p.rounds, p.mean.value - _spread(p)) for p in points]
    middle = [scale.at(p.rounds, p.mean.value) for p in points]
    yield (
        f'<clipPath id="plot"><rect x="{_LEFT}" y="{_TOP}" '
        f'width="{WIDTH - _LEFT - _RIGHT}" height="{HEIGHT - _TOP - _BOTTOM}"/>'
        '</clipPath><g clip-path="url(#plot)">'
        f'<polygon points="{" ".join(upper + lower[::-1])}" fill="{_BAND}" '
        'fill-opacity="0.75"/>'
        f'<polyline points="{" ".join(middle)}" fill="none" stroke="{_MEAN}" '
        'stroke-width="2" stroke-linejoin="round"/></g>'
    )


def _grid(scale: _Scale) -> Iterator[str]:
    values, places = _round_values(scale.low, scale.high)
    for value in values:
        y = scale.y(value)
        yield f'<path d="M{_LEFT} {y:.1f}H{WIDTH - _RIGHT}" stroke="#e3e8ec"/>'
        yield (
            f'<text x="{_LEFT - 10}" y="{y + 4:.1f}" text-anchor="end" '
            f'fill="{_PALE}">{value:+.{places}f}</text>'
        )
    for rounds in _round_values(0, scale.rounds)[0]:
        yield (
            f'<text x="{scale.x(rounds):.1f}" y="{HEIGHT - _BOTTOM + 22}" '
            f'text-anchor="middle" fill="{_PALE}">{rounds:,.0f}</text>'
        )
    yield (
        f'<path d="M{_LEFT} {HEIGHT - _BOTTOM}H{WIDTH - _RIGHT}" stroke="{_PALE}"/>'
        f'<text x="{(WIDTH + _LEFT - _RIGHT) / 2}" y="{HEIGHT - 16}" '
        f'text-anchor="middle" fill="{_PALE}">rounds played; what a wager of 1 wins '
        "on average</text>"
    )


def _round_values(low: float, high: float) -> tuple[list[float], int]:
    """Return a handful of round numbers from low to high, and their decimal places.

    >>> _round_values(-0.011, 0.008)
    ([-0.01, -0.005, 0.0, 0.005], 3)
    >>> _round_values(0, 600)[0]
    [0.0, 100.0, 200.0, 300.0, 400.0, 500.0, 600.0]
    """
    least = (high - low) / _LINES
    power = floor(log10(least))
    step = next(
        factor * 10.0**power
        for factor in (1, 2, 5, 10)
        if factor * 10.0**power >= least
    )
    places = max(0, -floor(log10(step) + 1e-9))
    multiples = (round(step * number, places) for number in count(ceil(low / step)))
    return list(takewhile(lambda value: value <= high, multiples)), places
