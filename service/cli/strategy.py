"""`upcard strategy`: a table's charts, in the terminal, as a picture or as JSON."""

import json
from io import StringIO
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from service.cli.analysed import figures_of, named_table

_STYLES: Final = {
    "S": "black on yellow",
    "H": "black on green",
    "D": "white on blue",
    "Ds": "white on cyan",
    "P": "white on magenta",
}
_NAMES: Final = {"hard": "hard total", "soft": "soft total", "pairs": "pair"}
_LEGEND: Final = (
    "S stand  H hit  D double, else hit  Ds double, else stand  P split. Never insure."
)
_WIDTH: Final = 72


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
    figures = figures_of(named_table(table))
    if as_json:
        click.echo(json.dumps(figures))
        return
    charts = charts_of(figures)
    if svg is not None:
        console = Console(record=True, width=_WIDTH, file=StringIO())
        console.print(charts)
        svg.write_text(console.export_svg(title=figures["table_id"]), "utf-8")
        click.echo(f"{svg} written")
        return
    Console().print(charts)


def charts_of(figures: dict[str, Any]) -> Group:
    """Return the charts and what they are worth, ready to print."""
    strategy = figures["strategy"]
    tables = [
        _chart(name, strategy["upcards"], strategy[part])
        for part, name in _NAMES.items()
    ]
    expectation = figures["expectation"]
    worth = Text(
        f"Return to player {1 + expectation['basic']:.4%}; best play that looks at "
        f"every card of its hand {1 + expectation['optimal']:.4%}."
    )
    return Group(*tables, Text(_LEGEND), worth, *_capped(figures))


def _capped(figures: dict[str, Any]) -> list[Text]:
    if figures["max_win"] is None:
        return []
    capped = figures["max_win"]["at_maximum_wager"]
    return [
        Text(
            f"At the maximum wager, where the max win cuts doubled hands: "
            f"{1 + capped['basic']:.4%} with these charts, {1 + capped['optimal']:.4%} "
            "at best."
        )
    ]


def _chart(name: str, upcards: list[str], rows: dict[str, list[str]]) -> Table:
    chart = Table(title=name, box=None, pad_edge=False, title_justify="left")
    chart.add_column("")
    for upcard in upcards:
        chart.add_column(upcard, justify="center", min_width=3)
    for hand, cells in rows.items():
        label = f"{hand},{hand}" if name == "pair" else hand
        chart.add_row(
            label, *(Text(f"{cell:^3}", style=_STYLES[cell]) for cell in cells)
        )
    return chart
