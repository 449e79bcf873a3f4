"""A picture of how a simulation comes to its exact figure, as SVG."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from service.analysis.tally import Mean

WIDTH: Final = 900
HEIGHT: Final = 480
_LEFT: Final = 90
_RIGHT: Final = 20
_TOP: Final = 50
_BOTTOM: Final = 50
_MARKS: Final = 5
_ERRORS: Final = 3


class Point(NamedTuple):
    """The mean after so many rounds."""

    rounds: int
    mean: Mean


def convergence(title: str, points: Sequence[Point], exact: float | None) -> str:
    """Return the picture: the mean, three standard errors about it, the exact figure.

    The first tenth of the points sets no scale: it swings too far.
    """
    settled = points[len(points) // 10 :]
    low = min(point.mean.value - _ERRORS * point.mean.error for point in settled)
    high = max(point.mean.value + _ERRORS * point.mean.error for point in settled)
    if exact is not None:
        low, high = min(low, exact), max(high, exact)
    scale = _Scale(points[-1].rounds, low, max(high, low + 1e-9))
    upper = [scale.at(p.rounds, p.mean.value + _ERRORS * p.mean.error) for p in points]
    lower = [scale.at(p.rounds, p.mean.value - _ERRORS * p.mean.error) for p in points]
    middle = [scale.at(p.rounds, p.mean.value) for p in points]
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            'font-family="sans-serif" font-size="13">'
        ),
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="28" font-size="16">{title}</text>',
        (
            f'<clipPath id="plot"><rect x="{_LEFT}" y="{_TOP}" '
            f'width="{WIDTH - _LEFT - _RIGHT}" height="{HEIGHT - _TOP - _BOTTOM}"/>'
            '</clipPath><g clip-path="url(#plot)">'
        ),
        f'<polygon points="{" ".join(upper + lower[::-1])}" fill="#cfe3f7"/>',
        (
            f'<polyline points="{" ".join(middle)}" fill="none" stroke="#1f5f9f" '
            'stroke-width="1.5"/></g>'
        ),
        *scale.marks(),
    ]
    if exact is not None:
        y = scale.y(exact)
        parts.append(
            f'<line x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" '
            'stroke="#b3261e" stroke-dasharray="6 4"/>'
            f'<text x="{WIDTH - _RIGHT}" y="{y - 6:.1f}" text-anchor="end" '
            f'fill="#b3261e">exact {exact:+.5f}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


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

    def marks(self) -> list[str]:
        found = []
        for mark in range(_MARKS + 1):
            value = self.low + (self.high - self.low) * mark / _MARKS
            rounds = self.rounds * mark / _MARKS
            x, y = self.x(rounds), self.y(value)
            found += [
                (
                    f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">'
                    f"{value:+.4f}</text>"
                ),
                (
                    f'<text x="{x:.1f}" y="{HEIGHT - _BOTTOM + 20}" '
                    f'text-anchor="middle">{rounds:,.0f}</text>'
                ),
            ]
        found.append(
            f'<text x="{WIDTH / 2}" y="{HEIGHT - 10}" text-anchor="middle">rounds; '
            "what a wager wins on average, and three standard errors</text>"
        )
        return found
