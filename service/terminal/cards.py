"""Cards as text: three lines, each card over the one to its left."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rich.text import Text

FACE_DOWN: Final = "??"
_FACE: Final = 3
"""Columns between a card's two sides: the ten needs them."""
_SUITS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_RED: Final = {"H", "D"}
_EDGE: Final = "dim"


class _Frame(NamedTuple):
    """What a card's edges are drawn with: left, line and right; its sides."""

    top: tuple[str, str, str]
    side: str
    bottom: tuple[str, str, str]


_ROUND: Final = _Frame(("╭", "─", "╮"), "│", ("╰", "─", "╯"))
_ASCII: Final = _Frame(("+", "-", "+"), "|", ("+", "-", "+"))


def card_text(card: str, *, ascii_only: bool = False) -> Text:
    """Write one card, such as `10♥`; the face-down one as a pattern."""
    if card == FACE_DOWN:
        return Text("###" if ascii_only else "▒▒▒", "blue")
    rank, suit = card[0].replace("T", "10"), card[1]
    shown = suit.lower() if ascii_only else _SUITS.get(suit, suit)
    return Text(rank + shown, "bold red" if suit in _RED else "bold")


def row_width(count: int) -> int:
    """Return the columns of a row of cards."""
    return count * (_FACE + 1) + 1


def fan(cards: Sequence[str], width: int, *, ascii_only: bool = False) -> list[Text]:
    r"""Draw cards in rows of three lines, each at most `width` columns wide.

    >>> print(*fan(["AS", "TH"], 20), sep="\n")
    ╭───╭───╮
    │A♠ │10♥│
    ╰───╰───╯
    """
    fit = max(1, (width - 1) // (_FACE + 1))
    rows = [cards[place : place + fit] for place in range(0, len(cards), fit)]
    return [line for row in rows for line in _row(row, ascii_only=ascii_only)]


def _row(cards: Sequence[str], *, ascii_only: bool) -> Iterator[Text]:
    """Draw one row."""
    frame = _ASCII if ascii_only else _ROUND
    yield _edge(len(cards), *frame.top)
    middle = Text()
    for card in cards:
        face = card_text(card, ascii_only=ascii_only)
        face.pad_right(_FACE - face.cell_len)
        middle.append(frame.side, _EDGE).append_text(face)
    yield middle.append(frame.side, _EDGE)
    yield _edge(len(cards), *frame.bottom)


def _edge(count: int, left: str, line: str, right: str) -> Text:
    """Draw the upper or the lower edge of a row."""
    return Text((left + line * _FACE) * count + right, _EDGE)
