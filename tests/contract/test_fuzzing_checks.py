"""Each check of our own finds the fault that it is there for."""

import copy
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, Final

import pytest
import requests
import schemathesis
from schemathesis import Case
from schemathesis.core.transport import Response

from service import shipped
from service.api.operations import read_document
from service.chance import commitment
from tests.contract.fuzzing import checks
from tests.contract.fuzzing.manners import Client, json_of
from tests.contract.fuzzing.people import People, Person, people_in, write_people
from tests.contract.fuzzing.shoes import shoe

TREE: Final = read_document(shipped("openapi.yaml"))
SALT, ORDER = shoe(1, 8)
PEOPLE: Final = People()
Change = Callable[[dict[str, Any]], object]


def in_play() -> dict[str, Any]:
    """Return a round of one box, dealt from shoe 1, with the hole card face down."""
    round_ = copy.deepcopy(TREE["components"]["examples"]["RoundPlaying"]["value"])
    box, hand = round_["boxes"][0], round_["hands"][0]
    round_["commitment"] = commitment(SALT, ORDER)
    round_["boxes"], round_["hands"] = [box], [hand]
    hand["cards"] = [ORDER[0], ORDER[2]]
    round_["dealer"]["cards"] = [ORDER[1]]
    assert round_["dealer"]["hole_card"] == "face_down"
    return dict(round_)


def settled() -> dict[str, Any]:
    return copy.deepcopy(dict(TREE["components"]["examples"]["RoundSettled"]["value"]))


def case_of(path: str, method: str) -> Case[Any]:
    schema = schemathesis.openapi.from_dict(copy.deepcopy(TREE))
    return schema[path][method].Case()


def answer(body: object, status: int = 200, **headers: str) -> Response:
    request = requests.Request("GET", "http://127.0.0.1", {"Authorization": "a"})
    return Response(
        status_code=status,
        headers={name.replace("_", "-"): [text] for name, text in headers.items()},
        content=json.dumps(body).encode(),
        request=request.prepare(),
        elapsed=0.0,
        verify=False,
    )


GET: Final = case_of("/v1/rounds/{round_id}", "GET")
ACT: Final = case_of("/v1/rounds/{round_id}/actions", "POST")


def show_the_hole_card(round_: dict[str, Any]) -> None:
    round_["dealer"]["cards"].append(ORDER[3])


def show_another_card(round_: dict[str, Any]) -> None:
    round_["hands"][0]["cards"][1] = "QS" if ORDER[2] != "QS" else "QH"


def tell_the_salt(round_: dict[str, Any]) -> None:
    round_["shuffler"] = SALT.hex()


def tell_what_comes(round_: dict[str, Any]) -> None:
    round_["shuffler"] = "".join(ORDER)


def test_a_round_in_play_hides_what_it_should() -> None:
    checks.nothing_is_hidden_badly(GET, answer(in_play()))
    assert json_of(answer(in_play())) == in_play()


@pytest.mark.parametrize(
    "change",
    [show_the_hole_card, show_another_card, tell_the_salt, tell_what_comes],
)
def test_what_should_be_hidden_is_found(change: Change) -> None:
    round_ = in_play()
    change(round_)
    with pytest.raises(AssertionError):
        checks.nothing_is_hidden_badly(GET, answer(round_))


def test_a_hole_card_in_an_event_is_found() -> None:
    events = [{"type": "hole_card_revealed", "card": ORDER[3]}]
    with pytest.raises(AssertionError, match="an event tells the hole card"):
        checks.nothing_is_hidden_badly(
            ACT, answer({"round": in_play(), "events": events})
        )


def test_salt_in_a_header_is_found() -> None:
    with pytest.raises(AssertionError, match="salt"):
        checks.nothing_is_hidden_badly(GET, answer(in_play(), x_debug=SALT.hex()))


@pytest.mark.parametrize(
    ("case", "before", "after", "is_right"),
    [
        (ACT, 2, 3, True),
        (ACT, 2, 4, False),
        (ACT, 2, 2, False),
        (GET, 3, 3, True),
        (GET, 2, 3, False),
        (GET, 0, 3, True),
    ],
)
def test_versions_grow_by_one(
    case: Case[Any], before: int, after: int, *, is_right: bool
) -> None:
    client = Client(PEOPLE)
    client.versions_before[case.id] = before
    response = answer({**in_play(), "version": after})
    if is_right:
        checks.version_grows_by_one(client, case, response)
    else:
        with pytest.raises(AssertionError, match="version"):
            checks.version_grows_by_one(client, case, response)


def test_a_client_learns_the_versions_in_between() -> None:
    client = Client(PEOPLE)
    client.learn(GET, answer({**in_play(), "version": 2}))
    client.learn(ACT, answer({"round": {**in_play(), "version": 3}, "events": []}))
    assert client.versions_before[ACT.id] == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda round_: round_.update(payout=1),
        lambda round_: round_.update(status="playing"),
        lambda round_: round_.update(version=8),
    ],
)
def test_a_settled_round_that_changes_is_found(change: Change) -> None:
    checks.settled_is_final(answer(settled()))
    checks.settled_is_final(answer(settled()))
    changed = settled()
    change(changed)
    with pytest.raises(AssertionError, match="settled round"):
        checks.settled_is_final(answer(changed))


@pytest.mark.parametrize(
    "change",
    [
        lambda round_: round_.update(max_win={"amount": 3999, "basis": "hand"}),
        lambda round_: round_.update(payout=7001),
    ],
)
def test_a_payout_that_is_wrong_is_found(change: Change) -> None:
    checks.wins_are_capped(answer(settled()))
    changed = settled()
    change(changed)
    with pytest.raises(AssertionError):
        checks.wins_are_capped(answer(changed))


@contextmanager
def repeating(body: object, status: int = 200, **headers: str) -> Iterator[str]:
    """Give the address of a server that always answers the same."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            for name, text in headers.items():
                self.send_header(name.replace("_", "-"), text)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("status", "is_right"), [(404, True), (200, False), (409, False)]
)
def test_what_is_told_to_somebody_else_is_found(status: int, *, is_right: bool) -> None:
    with repeating({}, status) as url:
        first = answer(in_play())
        first.request.method, first.request.url = "POST", url
        if is_right:
            checks.pry(first.request)
            return
        with pytest.raises(AssertionError, match="somebody else is told"):
            checks.pry(first.request)


@pytest.mark.parametrize(
    ("fault", "status", "headers", "body"),
    [
        (None, 200, {"ETag": '"3"', "Idempotent_Replayed": "true"}, {"a": 1}),
        ("not marked", 200, {"ETag": '"3"'}, {"a": 1}),
        ("ETag", 200, {"ETag": '"4"', "Idempotent_Replayed": "true"}, {"a": 1}),
        ("another answer", 200, {"ETag": '"3"', "Idempotent_Replayed": "true"}, {}),
        ("repeat: 409", 409, {"ETag": '"3"', "Idempotent_Replayed": "true"}, {"a": 1}),
    ],
)
def test_a_repeat_that_differs_is_found(
    fault: str | None, status: int, headers: dict[str, str], body: object
) -> None:
    with repeating(body, status, **headers) as url:
        first = answer({"a": 1}, 200, etag='"3"')
        first.request.method, first.request.url = "POST", url
        if fault is None:
            checks.repeat(first, PEOPLE)
            return
        with pytest.raises(AssertionError, match=fault):
            checks.repeat(first, PEOPLE)


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> People:
    """Give two players and two operators, as a run reads them."""
    players = [Person(f"Bearer {name}", name, "s") for name in ("alice", "bob")]
    write_people(tmp_path, players, [("dev/r-1", "one"), ("other/r-2", "two")])
    monkeypatch.setenv("UPCARD_FUZZING_PEOPLE", str(people_in(tmp_path)))
    return People()


def test_others_are_the_others_of_the_same_kind(people: People) -> None:
    plain = requests.Request("GET", "http://127.0.0.1/a?b=%2f")
    signed = people.signers[0](plain.prepare())
    (theirs,) = people.others(signed)
    assert theirs.headers["Upcard-Key"] == "other/r-2"
    plain.headers = {"Authorization": "Bearer alice"}
    (theirs,) = people.others(plain.prepare())
    assert theirs.headers["Authorization"] == "Bearer bob"
    assert "Upcard-Key" not in theirs.headers


def test_a_signature_is_made_anew_for_a_repeat(people: People) -> None:
    plain = requests.Request("POST", "http://127.0.0.1/a", json={"b": 1})
    first = people.signers[1](plain.prepare())
    again = people.again(first)
    assert (again.body, again.headers["Upcard-Key"]) == (first.body, "other/r-2")
    assert again.headers["Upcard-Nonce"] != first.headers["Upcard-Nonce"]
    assert again.headers["Upcard-Signature"] != first.headers["Upcard-Signature"]
