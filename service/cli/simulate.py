"""`upcard simulate`: rounds by the million through the real rules."""

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Final, NamedTuple

import click
from rich.console import Console
from rich.table import Table

from service.analysis.chart import Chart, mimic
from service.analysis.picture import Point, convergence
from service.analysis.players import Situation
from service.analysis.simulation import BATCH, Run, tallies
from service.analysis.tally import Tally
from service.cli.analysed import (
    Named,
    check_folder,
    figures_of,
    named_table,
    progress_bar,
    study_of,
)
from service.rules.legal import Action
from service.rules.table import MaxWin, TableRules

STRATEGIES: Final = ("basic", "optimal", "mimic")


class Played(NamedTuple):
    """A strategy: a chart or best play's moves, and its exact figure where known."""

    chart: Chart | None
    moves: Mapping[Situation, Action] | None
    exact: float | None


@click.command("simulate")
@click.argument("table")
@click.option(
    "--rounds",
    default=100_000,
    show_default=True,
    type=click.IntRange(1),
    help="How many to play.",
)
@click.option(
    "--strategy",
    default="basic",
    show_default=True,
    metavar="basic|optimal|mimic|FILE",
    help="Charts of the table, best play, the dealer's play, or a file of charts.",
)
@click.option(
    "--boxes",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    help="How many play in each round.",
)
@click.option(
    "--jobs",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    help="Processes that share the work.",
)
@click.option("--seed", default=1, show_default=True, help="For the same rounds again.")
@click.option("--wager", type=int, help="Minor units; the least of the table if none.")
@click.option("--running", is_flag=True, help="Deal on, to the table's cut card.")
@click.option(
    "--bonus", is_flag=True, help="Bet on the bonus too, and count its lines."
)
@click.option(
    "--svg",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Picture the convergence.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the sums as JSON.")
def command(  # noqa: PLR0913, PLR0917 - one argument an option
    table: str,
    rounds: int,
    strategy: str,
    boxes: int,
    jobs: int,
    seed: int,
    wager: int | None,
    svg: Path | None,
    *,
    running: bool,
    bonus: bool,
    as_json: bool,
) -> None:
    """Play ROUNDS at TABLE (an id or a file) through the real rules.

    Each round has a fresh shoe, nobody insures, and every box bets the same. The same
    seed gives the same rounds, in one job or in many.
    """
    if svg is not None:
        check_folder(svg)
    named = named_table(table)
    rules = named.rules
    if boxes > rules.boxes:
        raise click.ClickException(f"{rules.table_id} has {rules.boxes} boxes")
    currency = next(iter(rules.limits))
    wager = rules.limits[currency].minimum if wager is None else wager
    _check_wager(rules, currency, wager)
    _check_table(rules, currency, running=running, bonus=bonus)
    played = strategy_of(named, strategy, wager)
    run = Run(
        named.text,
        boxes,
        wager,
        currency,
        seed,
        played.chart,
        played.moves,
        fresh=not running,
        bonus=bonus,
    )
    total, points = _simulated(run, rounds, jobs)
    exact = played.exact if not running else None
    if as_json:
        click.echo(json.dumps(total.as_json() | {"exact": exact}))
    else:
        show(total, played.exact, running=running)
    if svg is not None:
        title = f"{rules.table_id}, {strategy}, boxes: {boxes}, seed: {seed}"
        svg.write_text(convergence(title, points, exact), "utf-8")


def strategy_of(named: Named, strategy: str, wager: int) -> Played:
    """Return a strategy by its name or file, with its exact figure at a wager."""
    rules = named.rules
    part = _part_of_maximum(rules, wager)
    if strategy == "optimal":
        from service.analysis.plays import pays_of  # noqa: PLC0415 - numpy is an extra
        from service.analysis.study import moves_of  # noqa: PLC0415 - numpy is an extra

        study = study_of(rules)
        best = study.best(pays_of(rules, part))
        return Played(None, moves_of(best), study.best_expectation(best))
    if strategy == "basic":
        figures = figures_of(named)
        chart = Chart.from_json(figures["strategy"])
        if not _cap_binds(rules, part):
            return Played(chart, None, figures["expectation"]["basic"])
    elif strategy == "mimic":
        chart = mimic(hits_soft_17=rules.soft_17 == "hit")
    else:
        chart = _chart_in(Path(strategy))
    return Played(chart, None, _exact(rules, chart, part))


def _exact(rules: TableRules, chart: Chart, part: Fraction) -> float | None:
    """Return a chart's exact figure; None without numpy or under a cap by round."""
    if rules.max_win and rules.max_win.basis == "round":
        return None
    try:
        study = study_of(rules)
    except click.ClickException:
        return None
    from service.analysis.plays import pays_of  # noqa: PLC0415 - numpy is an extra

    return study.expectation(chart, pays_of(rules, part))


def _chart_in(path: Path) -> Chart:
    try:
        read = json.loads(path.read_text("utf-8"))
        found = read.get("strategy", read) if isinstance(read, dict) else read
        return Chart.from_json(found)
    except (OSError, ValueError) as error:
        known = ", ".join(STRATEGIES)
        said = error.strerror if isinstance(error, OSError) else error
        reason = f"{path} is no strategy: {said}; known are {known}"
        raise click.ClickException(reason) from error


def _check_wager(rules: TableRules, currency: str, wager: int) -> None:
    limits = rules.limits[currency]
    if not limits.minimum <= wager <= limits.maximum or wager % limits.step:
        raise click.ClickException(
            f"a wager is {limits.minimum} to {limits.maximum} in steps of {limits.step}"
        )


def _check_table(
    rules: TableRules, currency: str, *, running: bool, bonus: bool
) -> None:
    """Refuse what the table has not, or its figures would be taken for another's."""
    if running and rules.cut_card is None:
        raise click.ClickException(
            f"{rules.table_id} has no cut card: it shuffles before every round"
        )
    if bonus and rules.limits[currency].bonus_wager is None:
        raise click.ClickException(f"{rules.table_id} has no bonus bet in {currency}")


def _part_of_maximum(rules: TableRules, wager: int) -> Fraction:
    return Fraction(wager, next(iter(rules.limits.values())).maximum)


def _cap_binds(rules: TableRules, part: Fraction) -> bool:
    """Tell whether the max win could cut a doubled hand's four wagers."""
    match rules.max_win:
        case None:
            return False
        case MaxWin(multiple, basis):
            doubled = 2 if basis == "stake" else 1
            return Fraction(*multiple) * doubled < 4 * part


def _simulated(run: Run, rounds: int, jobs: int) -> tuple[Tally, list[Point]]:
    total = Tally(run.wager, run.boxes)
    points = []
    with progress_bar() as bar:
        task = bar.add_task("rounds", total=rounds)
        for tally in tallies(run, rounds, jobs):
            total.plus(tally)
            points.append(Point(total.rounds, total.mean))
            bar.update(task, completed=total.rounds)
    assert len(points) == -(-rounds // BATCH), "every batch was played"
    return total, points


def show(total: Tally, exact: float | None, *, running: bool = False) -> None:
    """Print what came of a simulation; a running shoe need not meet a fresh one's."""
    console = Console()
    means = Table("box", "mean", "standard error", box=None, pad_edge=False)
    for place in range(total.boxes):
        mean = total.mean_of_box(place)
        means.add_row(str(place + 1), f"{mean.value:+.6f}", f"{mean.error:.6f}")
    means.add_row("all", f"{total.mean.value:+.6f}", f"{total.mean.error:.6f}")
    console.print(means)
    if exact is not None:
        off = total.mean.value - exact
        # Like results, or one, have no error to count in.
        errors = off / total.mean.error if total.mean.error else 0.0
        away = f"{errors:+.2f} standard errors"
        if running:
            effect = f"cut-card effect {off:+.6f}, {away}"
            console.print(f"exact on a fresh shoe {exact:+.7f}: {effect}")
        else:
            console.print(f"exact {exact:+.7f}: {away} away")
    results = Table("result of a hand", "part", box=None, pad_edge=False)
    for result, count in total.results.most_common():
        results.add_row(result, f"{count / total.hands:.4%}")
    console.print(results)
    nets = Table("a box wins, in wagers", "part", box=None, pad_edge=False)
    for net, part in total.distribution.items():
        nets.add_row(f"{net:+.1f}", f"{part:.4%}")
    console.print(nets)
    for line, count in total.lines.most_common():
        bets = total.rounds * total.boxes
        console.print(f"bonus {line or 'lost'}: {count / bets:.6%}")
    console.print(
        f"{total.rounds:,} rounds, {total.rounds / total.seconds:,.0f} a CPU second; "
        f"standard deviation of a box {total.deviation:.4f}"
    )
