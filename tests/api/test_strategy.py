"""`get_strategy`, and what a table's page says of its return."""

import pytest

from service.figures import SUFFIX, Figures, write_figures, written
from tests.api.player import Player
from tests.api.site import Site
from tests.api.test_tables import TABLES


@pytest.mark.parametrize("table_id", TABLES)
def test_the_charts_of_a_table_are_shown(alice: Player, table_id: str) -> None:
    got = alice.get(f"/v1/tables/{table_id}/strategy", authorization=None)
    table = alice.get(f"/v1/tables/{table_id}").json
    assert got.status == 200
    assert got.json["table_version"] == table["version"]
    assert got.json["rtp"] == table["rtp"]
    assert [len(got.json[part]) for part in ("hard", "soft", "pairs")] == [18, 10, 10]
    sixteen = next(row for row in got.json["hard"] if row["hand"] == "16")
    assert sixteen["cells"] == [*"SSSSSHHHHH"]


def test_a_table_says_what_it_returns(alice: Player) -> None:
    progressive, _, classic, american = (
        alice.get(f"/v1/tables/{table_id}").json["rtp"] for table_id in TABLES
    )
    assert progressive["basis"] == "initial_wager"
    assert progressive["basic"] < progressive["optimal"] < "1"
    assert progressive["bonus"]["basic"] < progressive["bonus"]["always_hit"]
    assert (classic["bonus"], american["max_win_cost"]) == (None, None)
    assert classic["at_maximum_wager"]["basic"] < classic["basic"]
    cost = float(classic["basic"]) - float(classic["at_maximum_wager"]["basic"])
    assert f"{cost:.6f}" == f"{float(classic['max_win_cost']['basic']):.6f}"


def test_a_known_strategy_is_not_sent_again(alice: Player) -> None:
    path = "/v1/tables/classic-three/strategy"
    first = alice.get(path)
    again = alice.get(path, if_none_match=first.version)
    assert (again.status, again.body, again.version) == (304, b"", first.version)


def test_a_table_that_nobody_analysed_says_so(
    site: Site, alice: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = "/v1/tables/classic-three"
    before = alice.get(path)
    version = before.json["version"]
    monkeypatch.delitem(site.api.figures.known, version)
    got = alice.get(f"{path}/strategy")
    assert got.refusal == (404, "not_analysed")
    assert got.json["detail"] == "Table classic-three was not analysed in this version."
    page = alice.get(path, if_none_match=before.version)
    assert (page.status, page.json["rtp"]) == (200, None)


def test_figures_that_an_operator_made_are_found_while_the_service_runs(
    site: Site, alice: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = site.api.catalog.table("classic-three")
    figures = Figures().of(table.version)
    assert figures is not None
    folder = site.api.figures.folder
    assert folder is not None
    monkeypatch.delitem(site.api.figures.known, table.version)
    assert alice.get("/v1/tables/classic-three/strategy").status == 404
    folder.mkdir(exist_ok=True)
    file = folder / f"{table.version}{SUFFIX}"
    file.write_text(written(figures)[:-99], "utf-8")  # not yet whole
    assert alice.get("/v1/tables/classic-three/strategy").status == 404
    write_figures(file, figures)
    assert alice.get("/v1/tables/classic-three/strategy").status == 200
    assert [each.name for each in folder.iterdir()] == [file.name]


def test_a_strategy_of_no_table_is_not_found(alice: Player) -> None:
    got = alice.get("/v1/tables/progressive-nine/strategy")
    assert got.refusal == (404, "table_not_found")
