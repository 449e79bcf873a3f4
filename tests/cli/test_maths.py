"""`upcard strategy`, `simulate`, `tables analyse` and `lab export`."""

import json
import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from service.cli import main
from service.figures import read_figures
from service.rules.cards import deck_order
from tests.rules.tables import TABLE_FILES
from tests.tidy import ROOT

SVG_TEXT = re.compile(r">([^<>]+)</text>")


def upcard(*arguments: str, home: Path | None = None) -> Result:
    environment = {"UPCARD_HOME": str(home)} if home else None
    return CliRunner().invoke(main, arguments, env=environment)


def small(folder: Path) -> Path:
    """Return the file of a table that is quick to analyse: one deck, no splits."""
    text = TABLE_FILES["classic-three"]
    for old, new in (
        ("decks = 6", "decks = 1"),
        ("boxes = 3", "boxes = 1"),
        ("split_hands = 2", "split_hands = 1"),
        ('"classic-three"', '"small-one"'),
    ):
        assert old in text
        text = text.replace(old, new)
    file = folder / "small.toml"
    file.write_text(text, "utf-8")
    return file


def test_strategy_prints_the_charts_and_what_they_return() -> None:
    result = upcard("strategy", "classic-three")
    assert result.exit_code == 0
    assert "hard total" in result.output
    assert "Return to player 99.5401%" in result.output
    assert "At the maximum wager" in result.output
    assert "Never insure: it wins -23/311 of its wager" in result.output


def test_charts_stand_side_by_side_where_there_is_room() -> None:
    outputs = [
        CliRunner().invoke(main, ["strategy", "american-five"], env=env).output
        for env in ({"COLUMNS": "80"}, {"COLUMNS": "120"})
    ]
    lines = [len(output.splitlines()) for output in outputs]
    assert lines[1] < lines[0] - 10
    assert all("split up to 4 hands" in output for output in outputs)


def test_strategy_writes_json_and_a_picture(tmp_path: Path) -> None:
    result = upcard("strategy", "american-five", "--json")
    assert json.loads(result.output)["table_id"] == "american-five"
    picture = tmp_path / "chart.svg"
    assert upcard("strategy", "american-five", "--svg", str(picture)).exit_code == 0
    drawn = SVG_TEXT.findall(picture.read_text("utf-8"))
    strategy = json.loads(result.output)["strategy"]
    cells = [
        cell
        for part in ("hard", "soft", "pairs")
        for row in strategy[part].values()
        for cell in row
    ]
    assert Counter(drawn) & Counter(cells) == Counter(cells)
    assert {"21", "A,A", "Hard totals", "double, else stand"} <= set(drawn)


def test_the_charts_in_the_readme_are_those_of_the_table(tmp_path: Path) -> None:
    picture = tmp_path / "chart.svg"
    upcard("strategy", "american-five", "--svg", str(picture))
    assert (ROOT / "docs" / "american-five.svg").read_text() == picture.read_text()


def test_a_table_of_ones_own_is_analysed(tmp_path: Path) -> None:
    file = small(tmp_path)
    result = upcard("tables", "analyse", str(file), home=tmp_path)
    assert result.exit_code == 0, result.output
    (made,) = (tmp_path / "figures").iterdir()
    figures = read_figures(made)
    assert figures is not None
    assert made.name == f"{figures['table_version']}.figures.json"
    beside = file.with_suffix(".figures.json")
    assert (
        upcard("tables", "analyse", str(file), "--output", str(beside)).exit_code == 0
    )
    assert read_figures(beside) == figures
    shown = upcard("strategy", str(file), "--json")
    assert json.loads(shown.output) == figures


def test_a_changed_rule_in_a_file_changes_its_figures(tmp_path: Path) -> None:
    file = small(tmp_path)
    before = json.loads(upcard("strategy", str(file), "--json").output)
    rules = file.read_text("utf-8")
    assert 'soft_17 = "stand"' in rules
    file.write_text(rules.replace('soft_17 = "stand"', 'soft_17 = "hit"'), "utf-8")
    after = json.loads(upcard("strategy", str(file), "--json").output)
    assert after["table_version"] != before["table_version"]
    for play in ("basic", "optimal"):
        assert after["expectation"][play] < before["expectation"][play]


def test_simulate_shows_means_and_results(tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    result = upcard(
        *("simulate", "classic-three", "--rounds", "1200", "--boxes", "2"),
        *("--svg", str(picture)),
    )
    assert result.exit_code == 0, result.output
    assert "standard errors away" in result.output
    assert "1,200 rounds" in result.output
    assert "exact -0.00460" in picture.read_text("utf-8")
    running = ("shared-five", "--rounds", "60", "--running")
    assert "cut-card effect" in upcard("simulate", *running).output


@pytest.mark.parametrize("seed", range(1, 9))
def test_one_round_or_two_have_little_to_say_but_say_it(
    tmp_path: Path, seed: int
) -> None:
    picture = tmp_path / "picture.svg"
    for rounds in ("1", "2"):
        options = ("--rounds", rounds, "--seed", str(seed), "--svg", str(picture))
        result = upcard("simulate", "classic-three", *options)
        assert result.exit_code == 0, result.output
        assert not re.search("nan|inf", picture.read_text("utf-8"))


def test_simulate_is_repeatable_and_takes_charts_from_a_file(tmp_path: Path) -> None:
    chart = tmp_path / "chart.json"
    chart.write_text(upcard("strategy", "progressive-five", "--json").output, "utf-8")
    options = ("--rounds", "300", "--json", "--bonus", "--wager", "1000")
    runs = [
        json.loads(upcard("simulate", "progressive-five", *options, *more).output)
        for more in ((), ("--strategy", str(chart)), ("--seed", "2"))
    ]
    for run in runs:
        del run["seconds"]
    assert runs[0]["won"] == runs[1]["won"]
    assert runs[0]["won"] != runs[2]["won"]
    assert sum(runs[0]["lines"].values()) == 300
    assert runs[0]["exact"] == pytest.approx(runs[1]["exact"], abs=1e-7)


@pytest.mark.parametrize("strategy", ["optimal", "mimic"])
def test_simulate_plays_every_strategy(tmp_path: Path, strategy: str) -> None:
    table = str(small(tmp_path))
    options = ("--rounds", "200", "--json", "--strategy", strategy)
    result = upcard("simulate", table, *options)
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["rounds"] == 200


def test_a_capped_wager_has_an_exact_figure_of_its_own(tmp_path: Path) -> None:
    table = str(small(tmp_path))
    exact = [
        json.loads(
            upcard("simulate", table, "--rounds", "50", "--json", *wager).output
        )["exact"]
        for wager in ((), ("--wager", "10000"))
    ]
    assert exact[1] < exact[0]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("simulate", "no-such-table"), "neither a file nor one of"),
        (("simulate", "classic-three", "--boxes", "4"), "has 3 boxes"),
        (("simulate", "classic-three", "--wager", "150"), "in steps of 100"),
        (("simulate", "classic-three", "--wager", "0"), "in steps of 100"),
        (
            ("simulate", "classic-three", "--strategy", "luck"),
            "luck is no strategy: No such file or directory; known are basic",
        ),
        (("simulate", "classic-three", "--running"), "has no cut card"),
        (("simulate", "classic-three", "--bonus"), "has no bonus bet in EUR"),
        (("simulate", "my-table"), "of a table of your own, name the file"),
        (("simulate", "classic-three", "--svg", "no/such/x.svg"), "no folder no/such"),
        (("strategy", "classic-three", "--svg", "no/such/x.svg"), "no folder no/such"),
        (("tables", "analyse", "classic-three", "--output", "no/x"), "no folder no"),
        (("simulate", sys.executable), "is no text"),
        (("strategy", "no-such-table"), "neither a file nor one of"),
    ],
)
def test_what_is_wrong_is_said(arguments: tuple[str, ...], reason: str) -> None:
    result = upcard(*arguments)
    assert result.exit_code == 1
    assert reason in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"hard": {}}, "hard: must have the rows"),
        ({"upcards": []}, "upcards: must be"),
        ({"soft": None}, "soft: must have the rows"),
    ],
)
def test_a_wrong_chart_is_refused(
    tmp_path: Path, change: dict[str, object], reason: str
) -> None:
    figures = json.loads(upcard("strategy", "classic-three", "--json").output)
    file = tmp_path / "chart.json"
    file.write_text(json.dumps(figures["strategy"] | change), "utf-8")
    result = upcard("simulate", "classic-three", "--strategy", str(file))
    assert result.exit_code == 1
    assert reason in result.output


def test_lab_export_writes_bytes_and_whole_shoes(tmp_path: Path) -> None:
    options = ("--shoes", "3", "--decks", "6", "--bytes", "1001")
    result = upcard("lab", "export", str(tmp_path / "out"), *options)
    assert result.exit_code == 0, result.output
    assert len((tmp_path / "out" / "raw.bin").read_bytes()) == 1001
    shoes = (tmp_path / "out" / "shoes.txt").read_text("ascii").splitlines()
    assert len(set(shoes)) == 3
    cards = [shoes[0][place : place + 2] for place in range(0, len(shoes[0]), 2)]
    assert sorted(cards) == sorted(deck_order(6))
