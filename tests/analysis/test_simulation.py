"""Rounds through the real rules: repeatable, and near the exact figure."""

import pytest

from service.analysis.chart import Chart, mimic
from service.analysis.picture import Point, convergence
from service.analysis.players import by_chart
from service.analysis.shoes import LazyShoe
from service.analysis.simulation import BATCH, Run, tallies
from service.analysis.tally import Mean, Tally
from service.chance import seeded_for_simulation
from service.figures import Figures
from service.rules.cards import deck_order
from tests.rules.tables import TABLE_FILES, TABLES

WAGER = 200


def run_of(table_id: str, boxes: int, *, fresh: bool = True) -> tuple[Run, float]:
    figures = Figures().of(TABLES[table_id].version)
    assert figures is not None
    chart = Chart.from_json(figures["strategy"])
    text = TABLE_FILES[table_id]
    run = Run(text, boxes, WAGER, "USD", 7, chart, fresh=fresh)
    return run, figures["expectation"]["basic"]


def simulated(run: Run, rounds: int, jobs: int = 1) -> Tally:
    total = Tally(run.wager, run.boxes)
    for tally in tallies(run, rounds, jobs):
        total.plus(tally)
    return total


@pytest.mark.parametrize(("table_id", "boxes"), [("american-five", 2)])
def test_a_short_simulation_is_near_the_exact_figure(table_id: str, boxes: int) -> None:
    run, exact = run_of(table_id, boxes)
    tally = simulated(run, 12_000)
    mean = tally.mean
    assert tally.rounds == 12_000
    assert abs(mean.value - exact) < 3 * mean.error
    assert mean.error == pytest.approx(1.15 / 24_000**0.5, rel=0.25)
    assert sum(tally.results.values()) == tally.hands > 24_000
    assert sum(tally.distribution.values()) == pytest.approx(1)
    each = [tally.mean_of_box(place).value for place in range(boxes)]
    assert sum(each) / boxes == pytest.approx(mean.value)


def test_the_same_rounds_come_of_one_job_or_two() -> None:
    run, _ = run_of("classic-three", 1)
    rounds = BATCH + 300
    one, two = (simulated(run, rounds, jobs) for jobs in (1, 2))
    one.seconds = two.seconds = 0.0
    assert one == two
    assert Tally.from_json(one.as_json()) == one
    later = next(tallies(run, 300, 1, first=1))
    assert later.won + next(tallies(run, BATCH, 1)).won == one.won


def test_a_running_shoe_is_dealt_to_its_cut_card() -> None:
    run, _ = run_of("shared-five", 5, fresh=False)
    tally = simulated(run, 200)
    assert tally.rounds == 200
    fresh, _ = run_of("shared-five", 5)
    assert simulated(fresh, 200).won != tally.won


def test_a_lazy_shoe_holds_every_card_once() -> None:
    shoe = LazyShoe(6, seeded_for_simulation("one"))
    cards = [shoe.card_at(place) for place in range(312)]
    assert sorted(cards) == sorted(deck_order(6))
    assert [shoe.card_at(place) for place in (5, 0)] == [cards[5], cards[0]]
    with pytest.raises(IndexError):
        shoe.card_at(312)
    shoe.shuffle()
    again = [shoe.card_at(place) for place in range(312)]
    assert again != cards
    assert sorted(again) == sorted(cards)


def test_every_card_is_as_likely_to_come_first() -> None:
    shoe = LazyShoe(1, seeded_for_simulation("three"))
    seen: dict[str, int] = {}
    for _ in range(52_000):
        shoe.shuffle()
        card = shoe.card_at(0)
        seen[card] = seen.get(card, 0) + 1
    squares = sum((count - 1000) ** 2 / 1000 for count in seen.values())
    assert len(seen) == 52
    assert squares < 87  # chi squared with 51 degrees of freedom: one in a thousand


def test_the_dealers_play_never_doubles() -> None:
    run, _ = run_of("classic-three", 1)
    tally = simulated(run._replace(chart=mimic(hits_soft_17=False)), 500)
    assert set(tally.distribution) <= {-1.0, 0.0, 1.0, 1.5}
    assert tally.hands == 500
    assert by_chart(mimic(hits_soft_17=True)) is not None


def test_the_picture_is_svg() -> None:
    points = [Point(n, Mean(-0.01 / n, 0.1 / n)) for n in range(1, 40)]
    svg = convergence("a table", points, -0.005)
    assert svg.startswith("<svg ")
    assert svg.endswith("</svg>\n")
    assert "exact -0.00500" in svg
    assert "exact" not in convergence("a table", points, None)
