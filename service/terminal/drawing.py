"""The picture of a round: the dealer, the hands, what each has at stake and won."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from rich import box as borders
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from service.terminal.cards import FACE_DOWN, fan, row_width
from service.terminal.money import Money
from service.terminal.score import net_of
from service.terminal.shapes import Box, Hand, Round
from service.terminal.words import hand_word, result_word, total_word

WIDEST: Final = 100
_BORDERS: Final = 2
_WIDEST_HAND: Final = 24
_NARROWEST_HAND: Final = row_width(3) + _BORDERS
_BASIS: Final = {"hand": "a hand", "stake": "a wager", "round": "a round"}
_GOOD, _BAD, _EVEN = "bold green", "bold red", "bold yellow"
_STYLES: Final = {
    **dict.fromkeys(("natural", "win"), _GOOD),
    **dict.fromkeys(("lose", "bust", "forfeit"), _BAD),
}


class Canvas(NamedTuple):
    """What to draw on, and how money is written."""

    width: int
    money: Money
    ascii_only: bool = False


class Showing(NamedTuple):
    """How much of a round is shown yet: cards a hand, open cards of the dealer."""

    hands: Mapping[str, int]
    dealer: int
    hole_card: str


def picture(
    round_: Round, canvas: Canvas, heading: Text, showing: Showing | None = None
) -> RenderableType:
    """Draw a round; with `showing`, a moment on the way there, without its outcome."""
    return Group(
        heading, _dealer(round_, canvas, showing), *_rows(round_, canvas, showing)
    )


def _dealer(round_: Round, canvas: Canvas, showing: Showing | None) -> Panel:
    """Draw the dealer, and beside it what is to be known of the round."""
    dealer = round_["dealer"]
    cards = list(dealer["cards"])
    hidden = dealer["hole_card"] == "face_down"
    soft, natural = dealer["soft"] and len(cards) > 1, bool(dealer["natural"])
    total = total_word(dealer["total"], soft=soft, natural=natural)
    if showing:
        hidden = showing.hole_card == "face_down"
        cards, total = cards[: showing.dealer], ""
    if hidden:
        cards.append(FACE_DOWN)
    inner = canvas.width - 2 * _BORDERS
    grid = Grid.grid(expand=True)
    grid.add_column()
    grid.add_column(justify="right")
    notes = list(_notes(round_, canvas.money, showing))
    lines = fan(cards, inner // 2, ascii_only=canvas.ascii_only) or [Text()] * 3
    if total:
        lines[1] = Text.assemble(lines[1], "  ", (total, "bold"))
    for place, line in enumerate(lines):
        grid.add_row(line, notes[place] if place < len(notes) else "")
    return _panel(grid, "Dealer", canvas.width, "green", padding=1)


def _notes(round_: Round, money: Money, showing: Showing | None) -> Iterator[Text]:
    """Tell what is staked and paid, the cap, and the promise about the shoe."""
    paid = round_["payout"]
    if paid is None or showing:
        yield Text(f"at stake {money.text(round_['stake'])}")
    else:
        yield Text(
            f"staked {money.plain(round_['stake'])}, paid {money.text(paid)}: "
        ).append(money.signed(net_of(round_)), _style(net_of(round_)))
    if cap := round_["max_win"]:
        basis = _BASIS.get(cap["basis"], cap["basis"])
        yield Text(f"pays at most {money.plain(cap['amount'])} {basis}", "dim")
    else:
        yield Text()
    yield Text(f"shoe {round_['commitment'][:12]}", "dim")


def _rows(
    round_: Round, canvas: Canvas, showing: Showing | None
) -> Iterator[RenderableType]:
    """Draw the hands in the order of play, as many in a row as fit."""
    hands = round_["hands"]
    most = max(1, canvas.width // _NARROWEST_HAND)
    rows = -(-len(hands) // most)
    fit = -(-len(hands) // rows)
    width = min(_WIDEST_HAND, canvas.width // fit)
    for start in range(0, len(hands), fit):
        yield _row(round_, hands[start : start + fit], canvas, width, showing)


def _row(
    round_: Round,
    hands: Sequence[Hand],
    canvas: Canvas,
    width: int,
    showing: Showing | None,
) -> Grid:
    """Draw hands side by side, equally high."""
    drawn = [list(_hand(round_, hand, canvas, width, showing)) for hand in hands]
    height = max(map(len, drawn))
    grid = Grid.grid()
    panels = []
    for hand, lines in zip(hands, drawn, strict=True):
        active = hand["status"] == "active" and not showing
        name = hand_word(hand["hand"], round_)
        mark = (">" if canvas.ascii_only else "▶") + f" {name}" if active else name
        filled = [*lines, *[Text()] * (height - len(lines))]
        body = Group(*(_centred(line) for line in filled))
        style = "bold cyan" if active else "dim"
        panels.append(_panel(body, mark, width, style))
        grid.add_column()
    grid.add_row(*panels)
    return grid


def _hand(
    round_: Round, hand: Hand, canvas: Canvas, width: int, showing: Showing | None
) -> Iterator[Text]:
    """Draw a hand: its cards, what they count, its stake and its outcome."""
    count = len(hand["cards"])
    shown = showing.hands.get(hand["hand"], 0) if showing else count
    cards = hand["cards"][:shown]
    yield from (
        fan(cards, width - _BORDERS, ascii_only=canvas.ascii_only) or [Text()] * 3
    )
    total = total_word(hand["total"], soft=hand["soft"], natural=hand["natural"])
    yield Text(total if shown == count else "", "bold")
    for word, amount, style in _bets(round_, hand, canvas.money, showing):
        whole = f"{word} {amount}".strip()
        fits = len(whole) <= width - _BORDERS
        yield from (Text(part, style) for part in ([whole] if fits else [word, amount]))


def _bets(
    round_: Round, hand: Hand, money: Money, showing: Showing | None
) -> Iterator[tuple[str, str, str]]:
    """Tell a hand's stake, side bets and outcome, each as word, amount, style."""
    hidden = showing and showing.hands.get(hand["hand"], 0) < len(hand["cards"])
    yield (
        "doubled" if hand["doubled"] and not hidden else "",
        money.plain(hand["stake"]),
        "",
    )
    if hand["result"] and not showing:
        result, net = hand["result"], (hand["payout"] or 0) - hand["stake"]
        yield result_word(result), money.signed(net), _STYLES.get(result, _EVEN)
        if hand["withheld"]:
            yield "max win cut", money.plain(hand["withheld"]), _EVEN
    if hand["hand"] == _first_of(hand["box"], round_):
        yield from _side_bets(_box_of(hand["box"], round_), money, showing)


def _side_bets(
    box: Box, money: Money, showing: Showing | None
) -> Iterator[tuple[str, str, str]]:
    """Tell of a box's insurance and bonus bet."""
    insurance, bonus = box["insurance"], box["bonus"]
    if insurance and insurance["stake"] and not showing:
        net = (insurance["payout"] or 0) - insurance["stake"]
        if insurance["payout"] is None:
            yield "insured", money.plain(insurance["stake"]), "dim"
        else:
            yield "insured", money.signed(net), _style(net)
    if bonus and not showing:
        net = bonus["payout"] - box["bonus_wager"]
        yield "JACKPOT" if bonus["jackpot"] else "bonus", money.signed(net), _style(net)
    elif box["bonus_wager"]:
        yield "bonus", money.plain(box["bonus_wager"]), "dim"


def _first_of(box: int, round_: Round) -> str:
    """Return the name of a box's first hand."""
    return next(hand["hand"] for hand in round_["hands"] if hand["box"] == box)


def _box_of(number: int, round_: Round) -> Box:
    """Return a box by its number."""
    return next(box for box in round_["boxes"] if box["box"] == number)


def _style(net: int) -> str:
    """Return the style of what was won or lost."""
    return _GOOD if net > 0 else _BAD if net < 0 else _EVEN


def _centred(line: Text) -> Text:
    """Return a line that stands in the middle and is cut rather than wrapped."""
    line = line.copy()
    line.justify, line.no_wrap, line.overflow = "center", True, "crop"
    return line


def _panel(
    body: RenderableType, title: str, width: int, style: str, padding: int = 0
) -> Panel:
    """Draw a frame."""
    return Panel(
        body,
        title=Text(title),
        title_align="left",
        width=width,
        border_style=style,
        padding=(0, padding),
        box=borders.ROUNDED,
    )
