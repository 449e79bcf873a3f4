"""The service about itself, and what answers where no operation does."""

import json

import pytest

import service
from tests.api.player import Player
from tests.api.site import Site


def test_the_contract_is_served_as_it_is_checked(site: Site, alice: Player) -> None:
    got = alice.get("/v1/openapi.json", authorization=None)
    assert got.status == 200
    assert got.json == json.loads(json.dumps(site.api.contract.document))
    assert got.json["info"]["version"] == service.__version__
    assert got.headers["Cache-Control"] == "no-cache"
    again = alice.get("/v1/openapi.json", if_none_match=got.version)
    assert (again.status, again.body) == (304, b"")


def test_every_problem_type_leads_into_the_contract(alice: Player) -> None:
    kind = alice.get("/nowhere").json["type"]
    path, _, pointer = kind.partition("#")
    found = alice.get(path).json
    for step in pointer.split("/")[1:]:
        found = found[step]
    assert (found["status"], found["title"]) == (404, "There is nothing here")


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_probes_ask_for_nothing(alice: Player, path: str) -> None:
    got = alice.get(f"{path}?x=1&x=2", authorization=None, accept="text/html")
    assert (got.status, got.headers["Cache-Control"]) == (200, "no-store")
    assert got.json["status"] == {"/livez": "ok", "/readyz": "ready"}[path]


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/v1", "/v2/tables", "/v1/tables/", "/v1/rounds/", "/v1//tables"),
        *("/v1/rounds/a/b/c", "/v1/tables/%2e%2e/x", "/%00", "/%ff%fe", "/v1/TABLES"),
        "/v1/../v1/tables",
    ],
)
def test_an_unknown_path_is_a_problem_too(alice: Player, path: str) -> None:
    got = alice.get(path)
    assert got.refusal == (404, "not_found")
    assert got.json["instance"].startswith("urn:uuid:")
    assert got.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("DELETE", "/v1/tables", "GET, HEAD"),
        ("OPTIONS", "/v1/rounds", "GET, HEAD, POST"),
        ("PUT", "/v1/rounds/x/actions", "POST"),
        ("GET", "/v1/rounds/x/settlement", "POST"),
        ("TRACE", "/livez", "GET, HEAD"),
        ("BREW", "/readyz", "GET, HEAD"),
    ],
)
def test_a_wrong_method_names_the_right_ones(
    alice: Player, method: str, path: str, allow: str
) -> None:
    got = alice.ask(method, path, authorization=None)
    assert got.refusal == (405, "method_not_allowed")
    assert got.headers["Allow"] == allow


def test_head_is_get_without_a_body(alice: Player) -> None:
    head, get = (alice.ask(m, "/v1/tables/classic-three") for m in ("HEAD", "GET"))
    assert (head.status, head.body, head.version) == (200, b"", get.version)
    assert head.headers["Content-Length"] == str(len(get.body))
