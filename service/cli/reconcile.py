"""`upcard reconcile`: every movement of money against the log, and what differs."""

from typing import Any, Final

import click
import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from service.archive.reading import logged_in
from service.cli.environment import config_or_exit, service_database
from service.cli.progress import accounts_progress
from service.reconcile import Report, Sums, reconcile
from service.reconcile.book import KINDS, Difference
from service.store.operators import all_operators
from service.store.reconciliation import one_moment

_NARROW: Final = 120
"""Columns that a report takes where the terminal does not say how many it has."""
_WALLET: Final = (
    "The operators' own wallets were not asked: their contract has no call that tells "
    "of a transfer. Their engineers compare them with GET /v1/transactions."
)


@click.command("reconcile")
@click.option("--operator", help="Look at this operator's players alone.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, operator: str | None, as_json: bool) -> None:
    """Hold all money against the log, and list every difference.

    Each debit, credit and entry of the ledger must have one cause among the events of
    the log, and each cause its movement; balances must be the sums of their entries;
    money in, out and held must add up to zero. All is looked at as of one moment, while
    play goes on. Ends with 1 if there is a difference.
    """
    report = _report(operator)
    if as_json:
        click.echo(orjson.dumps(_as_json(report), option=orjson.OPT_INDENT_2))
    else:
        _show(report)
    raise SystemExit(1 if report.differences else 0)


def _report(operator: str | None) -> Report:
    config = config_or_exit()
    with service_database(config) as database:
        known = [row.operator for row in all_operators(database)]
        if operator is not None and operator not in known:
            names = ", ".join(known) or "none"
            raise click.ClickException(
                f"there is no operator {operator}; there are: {names}"
            )
        with one_moment(database) as streams, accounts_progress() as watch:
            return reconcile(
                streams,
                operator=operator,
                watch=watch,
                archived=logged_in(config.archive),
            )


def _as_json(report: Report) -> dict[str, Any]:
    return {
        "differences": [
            {**found._asdict(), "meaning": KINDS[found.kind]}
            for found in report.differences
        ],
        "money": [
            {**one.purse._asdict(), **_figures(one), "rest": one.rest}
            for one in report.sums
        ],
        "counts": report.counts,
    }


def _figures(one: Sums) -> dict[str, int]:
    return {name: sum_ for name, sum_ in one._asdict().items() if name != "purse"}


def _show(report: Report) -> None:
    console = Console()
    if not console.is_terminal:
        console = Console(width=_NARROW)
    if report.differences:
        console.print(_differences(report.differences))
        for kind in dict.fromkeys(found.kind for found in report.differences):
            console.print(Text(f"{kind}: {KINDS[kind]}"))
        console.print()
    if report.sums:
        console.print(_money(report.sums))
        console.print(Text("In minor units; what is gained is positive.\n"))
    if any(sums.purse.keeper == "wallet" for sums in report.sums):
        console.print(Text(f"{_WALLET}\n"))
    names = ("accounts", "rounds", "commands", "entries", "transfers", "waiting")
    console.print(Text(", ".join(f"{name}: {report.counts[name]}" for name in names)))
    count = len(report.differences)
    if count:
        what = "1 difference" if count == 1 else f"{count} differences"
        console.print(Text(f"NOT RECONCILED: {what}.", "bold red"))
    else:
        console.print(Text("All money has its cause, and every cause its money."))


def _differences(found: tuple[Difference, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("difference", "operator", "where", "what", "expected", "found"):
        table.add_column(heading, overflow="fold")
    for one in found:
        where = one.account or ""
        if one.round_id is not None:
            version = "" if one.version is None else f" version {one.version}"
            where = f"round {one.round_id}{version}"
        cells = (one.operator, where, one.name, one.expected, one.found)
        table.add_row(
            Text(one.kind, "red"),
            *(Text("" if cell is None else str(cell)) for cell in cells),
        )
    return table


def _money(sums: tuple[Sums, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("operator", "mode", "keeper", "currency"):
        table.add_column(heading)
    for heading in ("players", "held", "house", "brought", "sum"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in sums:
        figures = (one.player, one.held, one.house, one.brought, one.rest)
        table.add_row(*one.purse, *(f"{figure:,}" for figure in figures))
    return table
