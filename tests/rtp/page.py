"""docs/rtp.md: what the tables return, how that was found, and what it rests on."""

import datetime as dt
import os
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import service
from service.analysis.plays import pays_of
from service.analysis.published import published_expectation
from service.analysis.report import figures_of
from service.analysis.study import Study
from service.rules.table import TableRules
from tests.analysis.test_published import ONCE, PUBLISHED
from tests.rtp.beside import Speed
from tests.rtp.cases import Done, House
from tests.rules.tables import AMERICAN, varied

_PLAYS: Final = {
    "optimal": "best play",
    "basic": "charts of the table",
    "mimic": "the dealer's play",
}


def page(house: House, done: Sequence[Done], speed: Speed) -> str:
    """Return the whole page."""
    return "\n".join(
        [
            "# Return to player",
            "",
            (
                f"Upcard {service.__version__}. Written by `make rtp` on "
                f"{dt.datetime.now(dt.UTC):%Y-%m-%d}, with Python "
                f"{platform.python_version()} on {os.cpu_count()} cores ({sys.platform})."
            ),
            "",
            *_exact(house),
            *_bonus(house),
            *_simulated(done),
            *_running(done),
            *_published(),
            *_speed(speed),
            (Path(__file__).parent / "method.md").read_text("utf-8"),
        ]
    )


def _exact(house: House) -> Iterator[str]:
    yield from (
        "## Exact figures",
        "",
        (
            "What a wager of 1 wins on average, uninsured, on a fresh shoe; the return to "
            "player is 1 more."
        ),
        "",
        "| table | rules' digest | best play | charts | return, charts | dealer's play |",
        "|---|---|---|---|---|---|",
    )
    for table_id, table in house.tables.items():
        found = house.figures(table_id)["expectation"]
        yield (
            f"| {table_id} | `{table.version[:12]}` | {found['optimal']:+.7f} | "
            f"{found['basic']:+.7f} | {1 + found['basic']:.4%} | {found['mimic']:+.7f} |"
        )
    yield from (
        "",
        (
            "The whole analysis of an eight-deck table where pairs split to four hands "
            f"takes {_seconds_of_eight_decks():.1f} CPU seconds on one core."
        ),
        "",
    )
    for table_id in house.tables:
        capped = house.figures(table_id)["max_win"]
        if capped is not None:
            at, cost = capped["at_maximum_wager"], capped["cost"]
            yield (
                f"`{table_id}` caps what a hand may win. At the maximum wager the charts "
                f"return {1 + at['basic']:.4%} (the cap costs {cost['basic']:.4%} of the "
                f"wager) and best play, which then hardly doubles, "
                f"{1 + at['optimal']:.4%} (it costs {cost['optimal']:.4%}). Wagers up to "
                "5/8 of the maximum are not cut at all."
            )
            yield ""


def _seconds_of_eight_decks() -> float:
    table = varied(AMERICAN, decks=8)
    started = time.process_time()
    figures_of(Study(table))
    return time.process_time() - started


def _bonus(house: House) -> Iterator[str]:
    for table_id in house.tables:
        bonus = house.figures(table_id)["bonus"]
        if bonus is None:
            continue
        yield from (
            f"## The bonus bet of {table_id}",
            "",
            (
                "A third ace needs a hit: the charts split two aces, which freezes the run. "
                "The jackpot counts at its reset value."
            ),
            "",
            "| line | chance, charts | chance, every run of aces hit |",
            "|---|---|---|",
        )
        for line, chance in bonus["basic"]["lines"].items():
            yield f"| {line} | {chance} | {bonus['always_hit']['lines'][line]} |"
        yield (
            f"| **return** | {bonus['basic']['return']:.4%} | "
            f"{bonus['always_hit']['return']:.4%} |"
        )
        yield ""


def _simulated(done: Sequence[Done]) -> Iterator[str]:
    yield from (
        "## Simulated",
        "",
        (
            "Through `decide` and `evolve`. `make rtp` goes on until it has 10,000,000 "
            "rounds for each table's charts in one box, and a fiftieth of that for all else; "
            "here is what it had when this page was written. The mean is what a wager of 1 "
            "wins, over all boxes; the error is its standard error; the last column is how "
            "many errors the mean is from the exact figure. More than 3 ends the run with "
            "a failure, though chance alone does that to one of some 15 runs of so many "
            "lines."
        ),
        "",
        "![The mean comes to the exact figure](rtp.svg)",
        "",
        "| table | play | boxes | wager | rounds | mean | error | exact | errors | day |",
        "|---|---|---|---|---|---|---|---|---|---|",
    )
    for each in done:
        if each.case.fresh:
            case, mean = each.case, each.tally.mean
            wager = "maximum" if case.at_maximum else "minimum"
            yield (
                f"| {case.table_id} | {_PLAYS[case.strategy]} | {case.boxes} | {wager} | "
                f"{each.tally.rounds:,} | {mean.value:+.6f} | {mean.error:.6f} | "
                f"{each.exact:+.6f} | {each.errors_away:+.2f} | {each.when} |"
            )
    first = done[0]
    again = first.case.command(first.tally.rounds)
    yield from ("", f"The first line again: `{again}`.", "")


def _running(done: Sequence[Done]) -> Iterator[str]:
    running = [each for each in done if not each.case.fresh]
    if not running:
        return
    yield from (
        "## The cut-card effect",
        "",
        (
            "A running shoe is dealt until its cut card comes, so a shoe of small cards gives "
            "fewer rounds than one of great ones; the mean a round need not be that of a "
            "fresh shoe. What it differs by:"
        ),
        "",
        "| table | boxes | rounds | mean | fresh, exact | differs by | error | errors |",
        "|---|---|---|---|---|---|---|---|",
    )
    for each in running:
        mean = each.tally.mean
        yield (
            f"| {each.case.table_id} | {each.case.boxes} | {each.tally.rounds:,} | "
            f"{mean.value:+.6f} | {each.exact:+.6f} | {mean.value - each.exact:+.6f} | "
            f"{mean.error:.6f} | {each.errors_away:+.2f} |"
        )
    yield ""


def _published() -> Iterator[str]:
    yield from (
        "## Beside published figures",
        "",
        (
            "Wizard of Odds, blackjack appendix 9; split to four hands, aces once. His "
            "convention values a hand of a split by how many hands there are, and does not "
            "say whether they are counted when the hand is played or when the split is over: "
            "each published figure is between the two, and the mean of the two has its "
            "digits, but for two decks, where the last is one off. Ours is exact. Where the "
            "dealer hits soft 17 the source says that there is no double after a split; its "
            "figures are met with it, and missed by 0.0014 without."
        ),
        "",
        "| decks | soft 17 | published | when played | when over | mean | exact |",
        "|---|---|---|---|---|---|---|",
    )
    for decks, soft_17, das, value in PUBLISHED:
        table: TableRules = varied(
            AMERICAN,
            decks=decks,
            soft_17=soft_17,
            double_after_split=das == "das",
            **ONCE,
        )
        found, exact = published_expectation(table), _best(table)
        yield (
            f"| {decks} | {soft_17}s, {das} | {value:+.6f} | {found.when_played:+.6f} | "
            f"{found.when_over:+.6f} | {found.mean:+.6f} | {exact:+.6f} |"
        )
    yield ""


def _best(table: TableRules) -> float:
    study = Study(table)
    return study.best_expectation(study.best(pays_of(table)))


def _speed(speed: Speed) -> Iterator[str]:
    yield from (
        "## Speed",
        "",
        (
            f"One box, six decks, the charts, a fresh shoe a round, one core: "
            f"{speed.ours:,.0f} rounds a CPU second through the real rules."
        ),
    )
    if speed.other is not None:
        yield (
            f"blackjack21 {speed.version} in the same run: {speed.other:,.0f} with its own "
            f"shoe shuffled for each round, {speed.other_lazy:,.0f} with our lazy shoe; it "
            "checks no wagers, has no insurance and no peek, and records nothing."
        )
    yield from (
        "",
        "Where the time goes, by cProfile, which overrates short functions:",
        "",
        "| part | time |",
        "|---|---|",
        *(f"| {part} | {share:.0%} |" for part, share in speed.shares),
        "",
    )
