"""`upcard strategy`: a table's charts, in the terminal, as a picture or as JSON."""

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import click
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from service.analysis.card import card
from service.cli.analysed import check_folder, figures_of, named_table
from service.rules.table import TableRules

_STYLES: Final = {
    "S": "black on yellow",
    "H": "black on green",
    "D": "white on blue",
    "Ds": "white on cyan",
    "P": "white on magenta",
}
_NAMES: Final = {"hard": "hard total", "soft": "soft total", "pairs": "pair"}
_LEGEND: Final = {
    "S": "stand",
    "H": "hit",
    "D": "double, else hit",
    "Ds": "double, else stand",
    "P": "split",
}
_CELL: Final = 4
_SIDE_BY_SIDE: Final = 96
_TIMES: Final = {1: "no pair is split", 2: "pairs are split once"}


@click.command("strategy")
@click.argument("table")
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
@click.option(
    "--svg",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write the charts to a picture.",
)
def command(table: str, svg: Path | None, *, as_json: bool) -> None:
    """Show how TABLE (an id or a file) is played best, by totals.

    The charts come with the figures of the table; those of the shipped tables are
    known, those of any other are made on the spot.
    """
    if svg is not None:
        check_folder(svg)
    named = named_table(table)
    figures = figures_of(named)
    if as_json:
        click.echo(json.dumps(figures))
        return
    rules = named.rules
    if svg is not None:
        picture = card(
            rules.title, rules_line(rules), figures["strategy"], [*_notes(figures)]
        )
        svg.write_text(picture, "utf-8")
        click.echo(f"{svg} written")
        return
    console = Console(highlight=False)
    console.print(Text(rules.title, "bold"), f"{rules_line(rules)}\n", sep="\n")
    console.print(charts_of(figures, console.width))


def rules_line(rules: TableRules) -> str:
    """Return what a table's charts depend on, in a line."""
    hands = _TIMES.get(rules.split_hands, f"split up to {rules.split_hands} hands")
    double = "after a split too" if rules.double_after_split else "not after a split"
    return (
        f"{rules.decks} decks, dealer {rules.soft_17}s on soft 17, {hands}, "
        f"double {double}"
    )


def charts_of(figures: dict[str, Any], width: int) -> Group:
    """Return the charts and what they are worth, ready to print."""
    strategy = figures["strategy"]
    hard, soft, pairs = (
        _chart(name, strategy["upcards"], strategy[part])
        for part, name in _NAMES.items()
    )
    charts: list[RenderableType] = [hard, soft, pairs]
    if width >= _SIDE_BY_SIDE:
        charts = [Columns([hard, Group(soft, "", pairs)], padding=(0, 4))]
    legend = Text("  ").join(
        Text.assemble((f" {code} ", _STYLES[code]), f" {means}")
        for code, means in _LEGEND.items()
    )
    return Group(*charts, "", legend, "", *_notes(figures))


def _notes(figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the charts are worth, and what to do beside them."""
    expectation = figures["expectation"]
    yield (
        f"Return to player {1 + expectation['basic']:.4%}; best play that looks at "
        f"every card of its hand {1 + expectation['optimal']:.4%}."
    )
    if figures["max_win"] is not None:
        capped = figures["max_win"]["at_maximum_wager"]
        yield (
            f"At the maximum wager, where the max win cuts doubled hands: "
            f"{1 + capped['basic']:.4%} with these charts, {1 + capped['optimal']:.4%} "
            "at best."
        )
    insurance = figures["insurance"]
    yield (
        f"Never insure: it wins {insurance} of its wager on average, "
        f"{float(Fraction(insurance)):.2%}."
    )
    if figures["bonus"] is not None:
        returned = figures["bonus"]["basic"]["return"]
        yield f"The bonus bet returns {returned:.4%}, the jackpot at its reset value."


def _chart(name: str, upcards: list[str], rows: Mapping[str, list[str]]) -> Table:
    chart = Table(title=name, box=None, pad_edge=False, padding=0, title_justify="left")
    chart.add_column("", justify="right", min_width=_CELL)
    for upcard in upcards:
        chart.add_column(f"{upcard:^{_CELL}}", min_width=_CELL)
    for hand, cells in rows.items():
        label = f"{hand},{hand} " if name == "pair" else f"{hand} "
        chart.add_row(
            label, *(Text(f"{cell:^{_CELL}}", style=_STYLES[cell]) for cell in cells)
        )
    return chart
