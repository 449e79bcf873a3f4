"""What a run came to, to be read by people."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tests.chaos.run import Outcome

_WIDTH = 100


def show(outcome: Outcome) -> bool:
    """Print a run; tell whether all is well."""
    console = Console(width=_WIDTH)
    plan, books = outcome.plan, outcome.books
    minutes, seconds = divmod(int(outcome.seconds), 60)
    console.print(
        f"\nseed {plan.seed}: {outcome.rounds} rounds by {plan.players} players in "
        f"{minutes} min {seconds} s;\n{len(books.log):,} commands, "
        f"{len(books.lines):,} ledger lines, {len(books.calls):,} calls to the wallet\n"
    )
    console.print(_counts(outcome))
    console.print(_money(outcome))
    console.print(_findings(outcome))
    for finding in outcome.findings:
        for line in finding.first:
            console.print(Text(f"  {line}", "red"))
    short = plan.rounds - outcome.rounds
    if short > 0:
        console.print(Text(f"{short} rounds were not played in the time.", "bold red"))
    well = short <= 0 and not any(finding.wrong for finding in outcome.findings)
    last = "No money was lost or made." if well else "NOT WELL: see above."
    console.print(Text(last, "bold green" if well else "bold red"))
    return well


def _counts(outcome: Outcome) -> Table:
    table = Table(box=None, pad_edge=False, title="What happened", title_justify="left")
    for heading in ("", "what"):
        table.add_column(heading)
    table.add_column("times", justify="right")
    for of, counts in outcome.counts.items():
        heading = of
        for what, times in sorted(counts.items()):
            table.add_row(heading, what, f"{times:,}")
            heading = ""
        table.add_section()
    return table


def _money(outcome: Outcome) -> Table:
    table = Table(box=None, pad_edge=False, title="Money", title_justify="left")
    for heading in ("operator", "keeper", "currency"):
        table.add_column(heading)
    for heading in ("players", "held", "house", "brought", "sum"):
        table.add_column(heading, justify="right")
    for one in outcome.report.sums:
        figures = (one.player, one.held, one.house, one.brought, one.rest)
        operator, _, keeper, currency = one.purse
        table.add_row(
            *(operator, keeper, currency), *(f"{figure:,}" for figure in figures)
        )
    return table


def _findings(outcome: Outcome) -> Table:
    table = Table(box=None, pad_edge=False, title="\nThe books", title_justify="left")
    table.add_column("question")
    table.add_column("wrong", justify="right")
    for finding in outcome.findings:
        style = "red" if finding.wrong else "green"
        table.add_row(finding.question, Text(str(finding.wrong), style))
    return table
