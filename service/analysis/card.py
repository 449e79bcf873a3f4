"""A table's charts as a card to print and keep, in SVG."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from textwrap import wrap
from typing import Any, Final

from service.analysis.picture import FONT

_CELL: Final = 36
_ROW: Final = 26
_LABEL: Final = 52
_MARGIN: Final = 28
_HEAD: Final = 84
_GAP: Final = 36
_TITLES: Final = 50
"""Above the first row of a chart: its name, and the dealer's cards."""
_BLOCK: Final = _LABEL + 10 * _CELL
_LINE: Final = 19
_LETTERS: Final = 128
"""Of a note, in a line as wide as the card."""

_MIDDLE: Final = 'text-anchor="middle"'
_COLOURS: Final = {
    "S": "#f4d35e",
    "H": "#a8d5a2",
    "D": "#6ea8dc",
    "Ds": "#a5d3e8",
    "P": "#c9a4dd",
}
_MEANS: Final = {
    "S": "stand",
    "H": "hit",
    "D": "double, else hit",
    "Ds": "double, else stand",
    "P": "split",
}
_PARTS: Final = {"hard": "Hard totals", "soft": "Soft totals", "pairs": "Pairs"}


def card(
    title: str, subtitle: str, strategy: Mapping[str, Any], notes: Sequence[str]
) -> str:
    """Return the card; ``strategy`` is a chart as JSON, ``notes`` stand below it."""
    left, right = _MARGIN, _MARGIN + _BLOCK + _GAP
    hard, soft, pairs = (len(strategy[part]) for part in _PARTS)
    below = _HEAD + _height(soft) + _GAP
    under = _HEAD + _height(hard) + _GAP
    lines = [line for note in notes for line in wrap(note, _LETTERS)]
    width = right + _BLOCK + _MARGIN
    noted = max(below + _height(pairs), under + _ROW * len(_MEANS)) + _LINE
    height = noted + _LINE * len(lines) + _MARGIN
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'font-family="{FONT}" font-size="14" fill="#1c2733">'
        ),
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        _text(left, 40, title, 'font-size="24" font-weight="bold"'),
        _text(left, 64, subtitle, 'fill="#5a6875"'),
        *_chart(left, _HEAD, "hard", strategy),
        *_chart(right, _HEAD, "soft", strategy),
        *_chart(right, below, "pairs", strategy),
        *_legend(left, under),
        *(
            _text(left, noted + _LINE * at, line, 'font-size="13"')
            for at, line in enumerate(lines, 1)
        ),
    ]
    return "\n".join([*parts, "</svg>", ""])


def _height(rows: int) -> int:
    return _TITLES + _ROW * rows


def _chart(
    left: int, top: int, part: str, strategy: Mapping[str, Any]
) -> Iterator[str]:
    yield _text(left, top + 18, _PARTS[part], 'font-weight="bold"')
    for at, upcard in enumerate(strategy["upcards"]):
        x = left + _LABEL + _CELL * at + _CELL / 2
        yield _text(x, top + 42, upcard, _MIDDLE + ' font-weight="bold"')
    for row, (hand, cells) in enumerate(strategy[part].items()):
        y = top + _TITLES + _ROW * row
        label = f"{hand},{hand}" if part == "pairs" else hand
        x = left + _LABEL - 12
        yield _text(x, y + 18, label, 'text-anchor="end" font-weight="bold"')
        for at, code in enumerate(cells):
            yield from _cell(left + _LABEL + _CELL * at, y, code)


def _legend(left: int, top: int) -> Iterator[str]:
    for at, (code, means) in enumerate(_MEANS.items()):
        y = top + _ROW * at
        yield from _cell(left + _LABEL, y, code)
        yield _text(left + _LABEL + _CELL + 12, y + 18, means)


def _cell(x: int, y: int, code: str) -> Iterator[str]:
    yield (
        f'<rect x="{x + 1}" y="{y + 1}" width="{_CELL - 2}" height="{_ROW - 2}" '
        f'rx="3" fill="{_COLOURS[code]}"/>'
    )
    yield _text(x + _CELL / 2, y + 18, code, _MIDDLE)


def _text(x: float, y: float, text: str, style: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" {style}>{escape(text)}</text>'
