"""`upcard certify-wallet`: every case of the wallet contract, against a wallet."""

import sys
import time

import click
import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from service.currencies import is_currency
from service.wallet.certify.bench import Bench, Tested
from service.wallet.certify.cases import (
    LEAST,
    CannotBegin,
    Verdict,
    begin,
    cases,
    knows,
    verdicts,
)

_OTHER = "certification-2"
"""The other player, where the wallet happens to know one of this name."""
_NARROW = 100
"""Columns that the table takes where the terminal does not say how many it has."""


@click.command("certify-wallet")
@click.argument("url")
@click.option(
    "--key",
    envvar="UPCARD_WALLET_KEY",
    help="The wallet key's secret; better in UPCARD_WALLET_KEY, or asked for.",
)
@click.option("--operator", default="certification", help="Whose wallet it is.")
@click.option(
    "--player",
    default="certification",
    show_default=True,
    help="A player that is there for tests.",
)
@click.option(
    "--other-player",
    help=f"Another player, whose money is not touched; {_OTHER} if there is one.",
)
@click.option(
    "--currency", default="EUR", show_default=True, help="What the players have."
)
@click.option(
    "--amount",
    type=click.IntRange(min=3, max=10**9),
    default=100,
    show_default=True,
    help=f"What each case moves, in minor units; the player needs {LEAST} times of it.",
)
@click.option(
    "--faults",
    is_flag=True,
    help="Test what goes wrong on the way, too; the wallet needs the hook for it.",
)
def command(  # noqa: PLR0913 - one parameter an option
    *,
    url: str,
    key: str | None,
    operator: str,
    player: str,
    other_player: str | None,
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
    key = key or _asked_for()
    tested = Tested(url, key, operator, player, currency, amount, faults)
    try:
        found = _tested(_bench(tested, other_player))
    except CannotBegin as cannot:
        raise click.ClickException(f"cannot begin: {cannot}") from None
    _show(found)
    _show_sent(found)
    failed = sum(verdict.failed for verdict in found)
    skipped = sum(verdict.skipped for verdict in found)
    tried = len(found) - skipped
    note = f" {skipped} were skipped." if skipped else ""
    if failed:
        click.echo(f"NOT CERTIFIED: {failed} of {tried} failed.{note}")
        raise SystemExit(1)
    click.echo(f"Certified: {tried} of {tried} passed.{note}")


def _asked_for() -> str:
    """Ask for the secret where somebody sits; else say where it is looked for."""
    if not sys.stdin.isatty():
        raise click.UsageError(
            "the wallet key's secret is missing: set UPCARD_WALLET_KEY, or use --key"
        )
    secret: str = click.prompt("The wallet key's secret", hide_input=True)
    return secret


def _bench(tested: Tested, other: str | None) -> Bench:
    """Return a bench with another player, if there is one. Raises CannotBegin."""

    def now() -> int:
        return int(time.time())

    bench = Bench(tested, now)
    known = knows(bench, other or _OTHER)
    if other is None:
        return Bench(tested._replace(other=_OTHER if known else None), now)
    begin(bench)  # or a wallet that is down would be told to know nobody
    if other == tested.player or not known:
        where = f"'{other}' in {tested.currency}, beside '{tested.player}'"
        raise CannotBegin(f"the wallet knows no other player {where}")
    return Bench(tested._replace(other=other), now)


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
        why = "".join(char for char in verdict.why or "" if char.isprintable())
        table.add_row(Text(verdict.case.name), _result(verdict), Text(why))
    console = Console()
    if not console.is_terminal:
        console = Console(width=_NARROW)
    console.print(table)


def _result(verdict: Verdict) -> Text:
    if verdict.failed:
        return Text("FAIL", "bold red")
    return Text("skip", "yellow") if verdict.skipped else Text("pass", "green")


def _show_sent(found: list[Verdict]) -> None:
    """Print the last calls of each case that failed, as they were sent."""
    for verdict in found:
        if verdict.sent:
            click.echo(f"\n{verdict.case.name}: the last that was sent")
        for sent in verdict.sent:
            click.echo(f"POST /{sent.path} {orjson.dumps(sent.body).decode()}")
            click.echo(f"  {sent.came}")
    click.echo()
