"""The contract at work: what it refuses, in which words, and what it lets pass."""

from typing import Any, Final

import orjson
import pytest

import service
from service.api.contract import NO_BODY, Contract
from service.api.faults import MOST, FieldError, Hints, faults_of
from service.api.operations import rules_of

CONTRACT: Final = Contract.load()
ROUND: Final = {"round_id": "019cafb8-d35a-7c3e-9b1d-2f4a6c8e0b13"}
DEAL: Final[dict[str, Any]] = {
    "table_id": "progressive-five",
    "currency": "USD",
    "boxes": [{"box": 1, "wager": 1000, "bonus_wager": 100}, {"box": 3, "wager": 500}],
}
HEADERS: Final = {
    "ETag": '"3"',
    "Cache-Control": "no-store",
    "Content-Type": "application/json",
}


def deal_faults(body: object) -> list[FieldError]:
    return CONTRACT.check_request("deal_round", path={}, body=body)


def with_box(**changes: object) -> dict[str, Any]:
    return {**DEAL, "boxes": [{"box": 1, "wager": 1000, **changes}]}


def example(name: str) -> Any:  # noqa: ANN401 - JSON
    return orjson.loads(CONTRACT.json)["components"]["examples"][name]["value"]


def test_a_right_deal_has_no_fault() -> None:
    assert deal_faults(DEAL) == []
    assert deal_faults({**DEAL, "raise_to_minimum": True}) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (with_box(wager=0), ("/boxes/0/wager", "too_small", "at least 1; you sent 0")),
        (with_box(wager=-600), ("/boxes/0/wager", "too_small", "you sent -600")),
        (
            with_box(wager=2**53),
            ("/boxes/0/wager", "too_large", "at most 900719925474"),
        ),
        (
            with_box(wager=2**63),
            ("/boxes/0/wager", "too_large", "at most 900719925474"),
        ),
        (with_box(wager="10"), ("/boxes/0/wager", "wrong_type", 'you sent "10"')),
        (with_box(wager=True), ("/boxes/0/wager", "wrong_type", "a whole number; you")),
        (with_box(wager=None), ("/boxes/0/wager", "wrong_type", "you sent null")),
        (with_box(wager=10.005), ("/boxes/0/wager", "wrong_type", "you sent 10.005")),
        (with_box(wager=1000.0), ("/boxes/0/wager", "wrong_type", "you sent 1000.0")),
        (with_box(box=0), ("/boxes/0/box", "too_small", "must be at least 1")),
        (with_box(box=6), ("/boxes/0/box", "too_large", "must be at most 5")),
        (with_box(colour=1), ("/boxes/0/colour", "unknown", '"colour" is not a key')),
        (with_box(bonus_wager=0), ("/boxes/0/bonus_wager", "too_small", "at least 1")),
        ({**DEAL, "boxes": []}, ("/boxes", "too_few", "needs at least 1 item")),
        (
            {**DEAL, "boxes": DEAL["boxes"] * 3},
            ("/boxes", "too_many", "5 items; you sent 6"),
        ),
        ({**DEAL, "currency": "usd"}, ("/currency", "malformed", "must look like USD")),
        (
            {**DEAL, "table_id": "a\x00b"},
            ("/table_id", "malformed", "must be 3 to 40 of a-z 0-9 -, and begin with"),
        ),
        ({**DEAL, "\x00": 1}, ("", "unknown", "is not a key here")),
        ([], ("", "wrong_type", "must be an object; you sent a list")),
        (None, ("", "wrong_type", "must be an object; you sent null")),
        (NO_BODY, ("", "required", "a body is required")),
    ],
)
def test_a_wrong_deal_has_one_fault(body: object, fault: tuple[str, str, str]) -> None:
    [found] = deal_faults(body)
    assert found[:2] == fault[:2]
    assert fault[2] in found.detail


@pytest.mark.parametrize(
    ("operation", "body", "said"),
    [
        (
            "create_session",
            {
                "player_id": "x" * 65,
                "currency": "EUR",
                "mode": "real",
                "language": "en",
            },
            "must be 1 to 64 of A-Z a-z 0-9 _ . : -, and begin with no point; you sent",
        ),
        (
            "deposit_money",
            {"currency": "EUR", "amount": 1, "reference": "a b"},
            'must be 1 to 64 of A-Z a-z 0-9 _ . : -; you sent "a b"',
        ),
        ("set_pin", {"pin": "123"}, "must be 4 to 12 digits"),
        ("block_player", {"why": ""}, "must be 1 to 200 characters on one line; you s"),
    ],
)
def test_what_a_malformed_text_must_be_is_said(
    operation: str, body: dict[str, Any], said: str
) -> None:
    path = {"player_id": "ann"} if operation != "create_session" else {}
    [found] = CONTRACT.check_request(operation, path=path, body=body)
    assert found.code == "malformed"
    assert found.detail.startswith(said)


def test_no_text_of_a_request_is_only_malformed() -> None:
    hints = Hints(rules_of(CONTRACT.document), [])
    silent = [
        (operation.operation_id, name)
        for operation in CONTRACT.operations.values()
        for place in ("path", "query")
        for name, parameter in operation.parameters[place].items()
        for error in parameter.validator.iter_errors("\x7f")
        if next(faults_of([error], "", hints)).detail.startswith("is malformed")
    ]
    assert silent == []


def test_a_missing_key_is_named() -> None:
    [found] = deal_faults({**DEAL, "boxes": [{"box": 1}]})
    assert found == FieldError("/boxes/0/wager", "required", "is required")


def test_all_faults_come_at_once_but_not_without_end() -> None:
    assert len(deal_faults({"boxes": [{"box": 9, "wager": 0}]})) == 4
    assert len(deal_faults({str(number): 1 for number in range(99)})) == MOST


def test_faults_are_themselves_as_the_contract_says() -> None:
    body = {"\x00\n" * 400: 1, "\x7f" * 300: 2, "a" * 300: 3, "currency": "\x7f" * 90}
    problem = example("invalid")
    problem["errors"] = [fault.as_dict() for fault in deal_faults(body)]
    headers = {**HEADERS, "Content-Type": "application/problem+json"}
    assert len(problem["errors"]) > 4
    assert CONTRACT.check_response("deal_round", 422, headers, problem) == []


def test_parameters_are_checked() -> None:
    query = [("status", "closed"), ("limit", "0"), ("limit", "1"), ("page", "2")]
    found = CONTRACT.check_request("list_open_rounds", path={}, query=query)
    assert [(fault.pointer, fault.code) for fault in found] == [
        ("query:limit", "repeated"),
        ("query:page", "unknown"),
        ("query:status", "not_allowed"),
    ]
    assert CONTRACT.check_request("get_round", path={"round_id": "1"}) == [
        FieldError(
            "path:round_id",
            "malformed",
            f'must look like {ROUND["round_id"]}; you sent "1"',
        )
    ]


@pytest.mark.parametrize(
    "text", ["3.0", "1e1", "+1", " 1", "01", "", "\u0663", "9" * 30]
)
def test_a_whole_number_in_a_query_is_plain_digits(text: str) -> None:
    query = [("status", "open"), ("limit", text)]
    [found] = CONTRACT.check_request("list_open_rounds", path={}, query=query)
    assert (found.pointer, found.code) == ("query:limit", "wrong_type")


def test_a_checked_query_is_read() -> None:
    query = [("status", "open"), ("limit", "5")]
    assert CONTRACT.check_request("list_open_rounds", path={}, query=query) == []
    read = CONTRACT.query_values("list_open_rounds", query)
    assert read == {"status": "open", "limit": 5, "cursor": None}
    assert CONTRACT.query_values("list_events", []) == {"after": 0}


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("If-Match", '"3"', None),
        ("If-Match", None, "required"),
        ("If-Match", "*", "malformed"),
        ("If-Match", 'W/"3"', "malformed"),
        ("If-Match", '"3", "4"', "malformed"),
        ("If-Match", '"0"', "malformed"),
        ("Idempotency-Key", "a-key-of-mine", None),
        ("Idempotency-Key", '"a-key-of-mine"', None),
        ("Idempotency-Key", '"a-key-of-mine', "malformed"),
        ("Idempotency-Key", "short", "malformed"),
    ],
)
def test_headers_are_checked(name: str, value: str | None, code: str | None) -> None:
    found = CONTRACT.check_header("act_on_round", name, value)
    assert (found.code if found else None) == code


def test_a_body_where_none_belongs_is_refused() -> None:
    assert CONTRACT.check_request("settle_round", path=ROUND) == []
    bodies: tuple[object, ...] = ({}, None, b"x")
    for body in bodies:
        [found] = CONTRACT.check_request("settle_round", path=ROUND, body=body)
        assert found == FieldError("", "unknown", "no body is expected here")


def test_an_answer_is_checked_to_the_last_key() -> None:
    answer = example("SplitReply")
    assert CONTRACT.check_response("act_on_round", 200, HEADERS, answer) == []
    answer["round"]["hole_card"] = "6D"
    answer["events"][0]["cards"] = ["3D"]
    found = CONTRACT.check_response("act_on_round", 200, HEADERS, answer)
    assert {(fault.pointer, fault.code) for fault in found} == {
        ("/round/hole_card", "unknown"),
        ("/events/0/cards", "too_few"),
    }


@pytest.mark.parametrize(
    ("status", "headers", "pointer"),
    [
        (418, HEADERS, ""),
        (200, {**HEADERS, "ETag": "3"}, "header:ETag"),
        (200, {k: v for k, v in HEADERS.items() if k != "ETag"}, "header:ETag"),
        (200, {**HEADERS, "Content-Type": "text/html"}, "header:Content-Type"),
        (304, HEADERS, "header:Content-Type"),
    ],
)
def test_status_and_headers_of_an_answer_are_checked(
    status: int, headers: dict[str, str], pointer: str
) -> None:
    body = example("RoundPlaying")
    found = CONTRACT.check_response("get_round", status, headers, body)
    assert pointer in {fault.pointer for fault in found}


def test_an_answer_without_an_operation_is_a_problem() -> None:
    headers = {"Content-Type": "application/problem+json; charset=utf-8"}
    problem = {**example("invalid"), "status": 404, "code": "not_found"}
    assert CONTRACT.check_response(None, 404, headers, problem) == []
    assert CONTRACT.check_response(None, 404, headers, {"error": "no"}) != []


def test_the_shipped_contract_is_the_one_at_the_root() -> None:
    document = orjson.loads(CONTRACT.json)
    assert document["info"]["version"] == service.__version__
    assert len(CONTRACT.etag) == 66
    assert {operation.path for operation in CONTRACT.operations.values()} == set(
        document["paths"]
    )
