"""`upcard certify-wallet`: every case of the wallet contract, against a wallet."""

import time

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from service.currencies import is_currency
from service.wallet.certify.bench import Bench, Tested
from service.wallet.certify.cases import Verdict, cases, verdicts

_NARROW = 100
"""Columns that the table takes where the terminal does not say how many it has."""


@click.command("certify-wallet")
@click.argument("url")
@click.option(
    "--key",
    envvar="UPCARD_WALLET_KEY",
    prompt="The wallet key's secret",
    hide_input=True,
    help="The wallet key's secret; better in UPCARD_WALLET_KEY, or asked for.",
)
@click.option("--operator", default="certification", help="Whose wallet it is.")
@click.option("--player", default="certification", show_default=True)
@click.option("--currency", default="EUR", show_default=True)
@click.option(
    "--amount",
    type=click.IntRange(min=3, max=10**9),
    default=100,
    show_default=True,
    help="What each case moves, in minor units; the player needs ten times of it.",
)
@click.option(
    "--faults",
    is_flag=True,
    help="Test what goes wrong on the way, too; the wallet needs the hook for it.",
)
def command(  # noqa: PLR0913 - one parameter an option
    *,
    url: str,
    key: str,
    operator: str,
    player: str,
    currency: str,
    amount: int,
    faults: bool,
) -> None:
    """Hold the wallet at URL against docs/wallet.yaml and print what passes.

    Use a player that is there for tests: each case gives back what it takes, a wallet
    that fails may not. Ends with 1 if a case fails.
    """
    if not url.startswith(("http://", "https://")):
        raise click.UsageError("URL must be an http or https address")
    if not is_currency(currency):
        raise click.UsageError(f"--currency {currency}: there is no such currency")
    tested = Tested(url, key, operator, player, currency, amount, faults)
    found = _tested(Bench(tested, lambda: int(time.time())))
    _show(found)
    failed = sum(verdict.why is not None for verdict in found)
    if failed:
        click.echo(f"NOT CERTIFIED: {failed} of {len(found)} failed.")
        raise SystemExit(1)
    click.echo(f"Certified: {len(found)} of {len(found)} passed.")


def _tested(bench: Bench) -> list[Verdict]:
    """Run all cases, and say on a terminal how far it is."""
    console = Console(stderr=True)
    found: list[Verdict] = []
    number = len(cases(faults=bench.tested.faults)) + 1
    with console.status("") as status:
        for verdict in verdicts(bench):
            found.append(verdict)
            status.update(f"{len(found)} of {number}: {verdict.case.name}")
    return found


def _show(found: list[Verdict]) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in ("case", "result", "why"):
        table.add_column(heading, no_wrap=heading == "result", overflow="fold")
    for verdict in found:
        passed = verdict.why is None
        result = Text("pass", "green") if passed else Text("FAIL", "bold red")
        why = "".join(char for char in verdict.why or "" if char.isprintable())
        table.add_row(Text(verdict.case.name), result, Text(why))
    console = Console()
    if not console.is_terminal:
        console = Console(width=_NARROW)
    console.print(table)
