"""What was measured, as tables for the terminal and as docs/bench.md."""

import datetime as dt
import os
import platform
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from rich.table import Table

import service
from tests.bench.inside import EVENTS
from tests.bench.load import CONNECTIONS, Run

TITLES: Final = {
    "hello": "Flask hello",
    "pgbench": "pgbench",
    "act": "act (a hit)",
    "deal": "deal",
    "paid deal": "deal for real money",
    "bonus deal": "the same with bonus wagers",
    "settle": "settle",
}
MEASURED: Final = (
    *("", "a second", "p50 ms", "p99 ms"),
    *("app CPU us", "PG CPU us", "SQL"),
)
BONUS_LEAST: Final = 90
_UNDISTURBED: Final = 0.1
SECTION: Final = "\n## Among many rounds\n"
TARGETS: Final = ("", "target", "aim", "got", "")


class Machine(NamedTuple):
    """Where and when it was measured."""

    date: str
    cores: int
    model: str
    system: str
    python: str
    postgresql: str


class Report(NamedTuple):
    """Everything that one run of the bench found out."""

    machine: Machine
    workers: int
    others: float
    """The part of the machine, 0 to 1, that other programs took meanwhile."""
    runs: Mapping[str, Sequence[Run]]
    statements: Mapping[str, Sequence[str]]
    """The SQL statements that each request of a kind needs."""
    inside: Mapping[str, float]
    """CPU us of each part of a hit on a long round."""


class Line(NamedTuple):
    """One target as text, and whether it was met."""

    name: str
    target: str
    aim: str
    got: str
    met: bool


def machine_of(postgresql: str) -> Machine:
    """Return what this machine is."""
    info = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    models = (line.partition(":")[2] for line in info if line.startswith("model name"))
    return Machine(
        date=dt.datetime.now(dt.UTC).date().isoformat(),
        cores=len(os.sched_getaffinity(0)),
        model=next(models, platform.machine()).strip(),
        system=f"{platform.system()} {platform.release().partition('-')[0]}",
        python=platform.python_version(),
        postgresql=postgresql,
    )


def lines(report: Report) -> Iterator[Line]:
    """Hold what was measured against the targets."""
    act = report.runs["act"]
    for beside, least, aim in (("pgbench", 25, 35), ("hello", 20, 30)):
        ratios = [
            100 * run.rate / other.rate
            for run, other in zip(act, report.runs[beside], strict=True)
        ]
        got = _spread(ratios, "%")
        met = statistics.median(ratios) >= least
        name = f"act beside {TITLES[beside]}"
        yield Line(name, f"at least {least} %", f"{aim} %", got, met)
    ratios = [
        100 * run.rate / other.rate
        for run, other in zip(
            report.runs["bonus deal"], report.runs["paid deal"], strict=True
        )
    ]
    met = statistics.median(ratios) >= BONUS_LEAST
    name = "a deal with bonus wagers beside one without"
    yield Line(name, f"at least {BONUS_LEAST} %", "", _spread(ratios, "%"), met)
    yield _at_most("app CPU an act", 600, "us", [run.app_cpu or 0 for run in act])
    yield _at_most("PG CPU an act", 200, "us", [run.database_cpu or 0 for run in act])
    yield _at_most("p99 of an act", 25, "ms", [run.p99 or 0 for run in act])
    count = len(report.statements["act"])
    yield Line("SQL statements a hit", "2", "", str(count), count == 2)
    name = f"CPU of a round of {EVENTS} events"
    total = _at_most(name, 150, "us", [sum(report.inside.values())])
    parts = ", ".join(f"{name} {took:.0f}" for name, took in report.inside.items())
    yield total._replace(got=f"{total.got}: {parts}")


def _at_most(name: str, most: float, unit: str, found: Sequence[float]) -> Line:
    met = statistics.median(found) <= most
    return Line(name, f"at most {most} {unit}", "", _spread(found, unit), met)


def _spread(found: Sequence[float], unit: str) -> str:
    """Return the median, and the least and the most if there are several."""
    middle = f"{statistics.median(found):,.4g} {unit}"
    if len(found) == 1:
        return middle
    return f"{middle} ({min(found):,.4g} to {max(found):,.4g})"


def rows(report: Report) -> Iterator[tuple[str, ...]]:
    """Return what was measured of each kind of request."""
    latencies: tuple[Callable[[Run], float | None], ...]
    latencies = (lambda run: run.p50, lambda run: run.p99)
    cpu: tuple[Callable[[Run], float | None], ...]
    cpu = (lambda run: run.app_cpu, lambda run: run.database_cpu)
    for name, runs in report.runs.items():
        rates = [run.rate for run in runs]
        rate = f"{statistics.median(rates):,.0f}"
        if len(rates) > 1:
            rate += f" ({min(rates):,.0f} to {max(rates):,.0f})"
        shown = [_median(map(of, runs), ".1f") for of in latencies]
        shown += [_median(map(of, runs), ",.0f") for of in cpu]
        told = report.statements.get(name)
        yield (TITLES[name], rate, *shown, str(len(told)) if told else "")


def _median(found: Iterable[float | None], form: str) -> str:
    values = [value for value in found if value is not None]
    return format(statistics.median(values), form) if values else ""


def tables(report: Report) -> Iterator[Table]:
    """Return both tables for the terminal."""
    measured = Table(title="Measured", title_justify="left")
    for head in MEASURED:
        measured.add_column(head, justify="right" if head else "left")
    for row in rows(report):
        measured.add_row(*row)
    yield measured
    targets = Table(title="Targets", title_justify="left")
    for head in TARGETS:
        targets.add_column(head)
    for line in lines(report):
        sign = "[green]met[/]" if line.met else "[red]missed[/]"
        targets.add_row(*line[:4], sign)
    yield targets


def how(report: Report) -> str:
    """Say in one paragraph how it was measured."""
    machine, turns = report.machine, len(report.runs["act"])
    several = f"the median of {turns} runs that took turns" if turns > 1 else "one run"
    disturbed = report.others > _UNDISTURBED
    return (
        f"Measured on {machine.date} with Upcard {service.__version__}: "
        f"{machine.cores} cores ({machine.model}), {machine.system}, Python "
        f"{machine.python}, the embedded PostgreSQL {machine.postgresql} with fsync "
        f"on, gunicorn with {report.workers} gthread workers. wrk sends each prepared "
        f"request once, over {CONNECTIONS} connections; pgbench runs the two SQL "
        f"statements of a hit from {CONNECTIONS} clients. Both run on the same cores "
        f"as what they measure. Each figure is {several}. Other programs took "
        f"{report.others:.0%} of the machine meanwhile"
        f"{': times and CPU are worse for it; ratios less so.' if disturbed else '.'}"
    )


def markdown(report: Report) -> str:
    """Return docs/bench.md."""
    signed = [
        (*line[:4], "met" if line.met else "**missed**") for line in lines(report)
    ]
    parts = (
        *("# How fast", "", "`make bench` writes this page.", "", how(report), ""),
        *(*_table(TARGETS, signed), "", *_table(MEASURED, rows(report)), ""),
    )
    return "\n".join(parts)


def keep_section(page: str, section: str | None) -> str:
    r"""Return docs/bench.md with another section on growth, or with that of `page`.

    >>> keep_section("# How fast", "Slow.")
    '# How fast\n\n## Among many rounds\n\nSlow.\n'
    >>> keep_section(_, None) == _
    True
    """
    rest, _, old = page.partition(SECTION)
    if section is None and not old:
        return page
    return f"{rest.rstrip()}\n{SECTION}\n{(section or old).strip()}\n"


def _table(heads: Sequence[str], body: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in body:
        yield f"| {' | '.join(row)} |"
