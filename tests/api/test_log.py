"""What the service writes to its log, and what never gets there."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.api.contract import Contract
from service.app import create_app, flask_app
from service.keyfile import KeyFile
from tests.api.player import Player, url_of
from tests.api.site import Site

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def lines(capfd: pytest.CaptureFixture[str]) -> Lines:
    """Give what was written to the log since the last time."""

    def read() -> list[dict[str, Any]]:
        return [json.loads(line) for line in capfd.readouterr().err.splitlines()]

    return read


def test_a_line_for_each_request(site: Site, alice: Player, lines: Lines) -> None:
    site.rig.stack("P 2,3 | U 6 | H 5 | 4,4")
    dealt = alice.deal(1000)
    alice.act(dealt, "split")
    alice.get("/nowhere")
    told = lines()
    assert [(line["operation"], line["status"], line["code"]) for line in told] == [
        ("deal_round", 201, None),
        ("act_on_round", 409, "action_not_legal"),
        ("-", 404, "not_found"),
    ]
    for line in told:
        assert (line["event"], line["level"]) == ("request", "info")
        assert line["microseconds"] >= 0
    assert told[0]["account"] == told[1]["account"] is not None
    assert told[0]["round"] == told[1]["round"] == dealt.round["id"]


def test_a_problem_names_its_line(alice: Player, lines: Lines) -> None:
    got = alice.deal(1)
    (line,) = lines()
    assert got.json["instance"] == f"urn:uuid:{line['request']}"


def test_no_token_body_or_card_is_logged(
    site: Site, alice: Player, capfd: pytest.CaptureFixture[str]
) -> None:
    site.rig.stack("P 8,8 | U 6 | H KC | 3,QD,9")
    got = alice.play(alice.deal(1000), "split stand stand settle")
    alice.get(f"{url_of(got)}/proof")
    alice.get("/v1/rounds?status=open", authorization="Bearer not.a.token")
    told = capfd.readouterr().err
    assert told.count("\n") == 7
    for secret in (alice.token, "not.a.token", alice.name, "KC", "QD", "wager", "1000"):
        assert secret not in told


def test_the_lines_of_requests_can_be_left_out(site: Site, lines: Lines) -> None:
    app = create_app(replace(site.config, log_requests=False), shuffler=site.rig)
    assert app.test_client().get("/v1/tables").status_code == 200
    assert lines() == []
    app.extensions["upcard"].database.close()


def test_a_fault_of_ours_is_500_and_told_to_the_log_alone(
    site: Site, alice: Player, tmp_path: Path, lines: Lines
) -> None:
    site.rig.stack("P 2,3 | U 6 | H 5 | 4,4")
    dealt = alice.deal(1000)
    keys = tmp_path / "other-shoe-keys.json"
    keys.write_text(KeyFile.fresh_text("k1"))
    # Somebody put the wrong key file in place: the shoe cannot be opened.
    app = create_app(replace(site.config, shoe_keys=keys), shuffler=site.rig)
    lines()
    twin = Player(app, alice.name, "USD")
    got = twin.act(dealt, "hit")
    assert got.refusal == (500, "internal_error")
    assert set(got.json) == {"type", "title", "status", "detail", "instance", "code"}
    fault, request = lines()
    assert (fault["level"], fault["event"]) == ("error", "internal_error")
    assert (fault["error"], fault["operation"]) == ("SealBroken", "act_on_round")
    assert fault["said"] is None
    assert any("sealing.py" in frame for frame in fault["trace"])
    assert fault["request"] == request["request"]
    assert alice.act(dealt, "hit").status == 200
    app.extensions["upcard"].database.close()


def test_an_answer_off_the_contract_is_counted_and_still_sent(
    site: Site, lines: Lines
) -> None:
    document = copy.deepcopy(site.api.contract.document)
    document["components"]["schemas"]["Live"]["properties"]["status"]["enum"] = ["fine"]
    api = replace(
        site.api, contract=Contract(document), violations=type(site.api.violations)()
    )
    got = flask_app(api).test_client().get("/livez")
    assert (got.status_code, got.json) == (200, {"status": "ok"})
    assert dict(api.violations) == {"livez 200": 1}
    (violation, _) = lines()
    assert violation["event"] == "contract_violation"
    assert violation["faults"] == [["/status", "not_allowed"]]


def test_nothing_of_this_suite_is_off_the_contract(site: Site) -> None:
    assert dict(site.api.violations) == {}
