"""The order of checks: of all that is wrong, the first in the contract's order answers.

A request that is wrong in every way is mended one way after another.
"""

from typing import Any, Final

import pytest

from service.chance import new_id
from tests.api.player import Got, Player, requests_on, url_of
from tests.api.site import Site

PROTECTED: Final = [
    *("list_open_rounds", "get_round", "list_events", "get_proof"),
    *("deal_round", "insure_round", "act_on_round", "settle_round"),
]
COMMANDS: Final = PROTECTED[4:]
PUBLIC: Final = [
    *("list_tables", "get_table", "get_strategy", "list_jackpots", "get_jackpot"),
    *("list_seals", "get_openapi"),
]


def send(player: Player, operation: str, url: str = "", **headers: str | None) -> Got:
    by_name = {r.operation: r for r in requests_on(url or f"/v1/rounds/{new_id()}")}
    return player.send(by_name[operation], **headers)


def test_of_an_act_everything_is_checked_in_order(site: Site, alice: Player) -> None:
    site.rig.stack("P 2,3 | U 6 | H 5 | 4,4,4")
    dealt = alice.deal(1000)
    played = alice.act(dealt, "hit", idempotency_key="the-first-hit")
    path: str = f"{url_of(dealt)}/actions"
    wrong: dict[str, Any] = {
        "path": "/v1/rounds/x/actions?y=1",
        "body": b"{" * 20_000,
        "authorization": None,
        "idempotency_key": None,
        "if_match": "*",
        "content_type": "text/plain",
        "accept": "text/html",
    }
    split = b'{"hand":"1a","action":"split"}'
    mended: list[tuple[dict[str, Any], tuple[int, str]]] = [
        ({}, (401, "unauthenticated")),
        (
            {"authorization": f"Bearer {alice.fresh_token(60, ago=61)}"},
            (401, "token_expired"),
        ),
        (
            {"authorization": f"Bearer {alice.token}"},
            (400, "idempotency_key_missing"),
        ),
        ({"idempotency_key": "short"}, (400, "idempotency_key_malformed")),
        ({"idempotency_key": "the-first-hit"}, (400, "if_match_malformed")),
        ({"if_match": None}, (415, "unsupported_media_type")),
        ({"content_type": "application/json"}, (413, "body_too_large")),
        ({"body": b"{"}, (406, "not_acceptable")),
        ({"accept": "*/*"}, (400, "malformed_json")),
        ({"body": b'{"hand":"1a"}'}, (422, "invalid")),
        ({"body": split}, (422, "invalid")),
        ({"path": f"{path}?y=1"}, (422, "invalid")),
        ({"path": f"/v1/rounds/{new_id()}/actions"}, (404, "round_not_found")),
        ({"path": path}, (422, "idempotency_key_reused")),
        ({"idempotency_key": "a-new-one"}, (428, "if_match_missing")),
        ({"if_match": dealt.version}, (412, "version_stale")),
        ({"if_match": played.version}, (409, "action_not_legal")),
        ({"body": b'{"hand":"1a","action":"hit"}'}, (200, "")),
    ]
    for mend, refusal in mended:
        wrong |= mend
        headers = {k: v for k, v in wrong.items() if k not in {"path", "body"}}
        got = alice.ask("POST", wrong["path"], wrong["body"], **headers)
        assert got.refusal == refusal, mend


def test_a_repeat_is_answered_whatever_its_version(site: Site, alice: Player) -> None:
    site.rig.stack("P 2,3 | U 6 | H 5 | 4,4,4")
    dealt = alice.deal(1000)
    first = alice.act(dealt, "hit", idempotency_key="the-first-hit")
    for tag in (dealt.version, first.version, None):
        again = alice.act(dealt, "hit", idempotency_key="the-first-hit", if_match=tag)
        assert (again.status, again.body) == (200, first.body)


def test_of_a_deal_the_repeat_comes_before_the_currency(
    site: Site, alice: Player
) -> None:
    first = alice.deal(1000, idempotency_key="the-first-deal")
    euro = site.player(alice.name, currency="EUR")
    euro.currency = "USD"  # what its deal says
    again = euro.deal(1000, idempotency_key="the-first-deal")
    assert (again.status, again.body) == (201, first.body)
    assert euro.deal(1000).refusal == (409, "round_open_exists")
    assert euro.deal(1000, table="american-five").refusal == (409, "currency_mismatch")
    unknown = euro.deal(1000, table="no-such-table")
    assert unknown.refusal == (404, "table_not_found")


TOKENS = {
    "none": None,
    "empty": "",
    "no scheme": "alice",
    "another scheme": "Basic YWxpY2U6cGFzc3dvcmQ=",
    "no token": "Bearer ",
    "garbage": "Bearer \xff.\xfe.x",
    "three parts": "Bearer eyJhbGciOiJub25lIn0.e30.",
    "very long": "Bearer " + "a" * 5000,
}


@pytest.mark.parametrize("operation", PROTECTED)
def test_a_player_token_is_needed(alice: Player, operation: str) -> None:
    for name, sent in TOKENS.items():
        got = send(alice, operation, authorization=sent)
        assert got.refusal == (401, "unauthenticated"), name
        assert got.headers["WWW-Authenticate"].startswith("Bearer")
        assert "legal_actions" not in got.json


@pytest.mark.parametrize("operation", PROTECTED)
def test_an_expired_token_is_told_apart(alice: Player, operation: str) -> None:
    old = f"Bearer {alice.fresh_token(lifetime=60, ago=60)}"
    got = send(alice, operation, authorization=old)
    assert got.refusal == (401, "token_expired")
    assert got.headers["WWW-Authenticate"] == 'Bearer error="invalid_token"'


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer  "])
def test_the_scheme_may_be_written_in_any_case(alice: Player, scheme: str) -> None:
    got = send(alice, "list_open_rounds", authorization=f"{scheme} {alice.token}")
    assert got.status == 200


@pytest.mark.parametrize("operation", PROTECTED + PUBLIC)
def test_who_takes_no_json_gets_none(alice: Player, operation: str) -> None:
    for accept in (
        "text/html",
        "application/json;q=0",
        "image/*, text/*;q=0.5",
        "json",
    ):
        got = send(alice, operation, accept=accept)
        assert got.refusal == (406, "not_acceptable"), accept
        assert got.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    "accept",
    [
        *("application/json", "*/*", "application/*", "application/problem+json", ""),
        *("text/html, */*;q=0.1", "application/json; charset=utf-8", ",,*/*"),
    ],
)
def test_who_takes_json_gets_it(alice: Player, accept: str) -> None:
    assert send(alice, "list_open_rounds", accept=accept).status == 200


@pytest.mark.parametrize("operation", PROTECTED + PUBLIC)
def test_an_unknown_parameter_is_refused(alice: Player, operation: str) -> None:
    request = {r.operation: r for r in requests_on(f"/v1/rounds/{new_id()}")}[operation]
    joint = "&" if "?" in request.path else "?"
    for text in ("debug=1", "%FF=%00", "=", "a b"):
        got = alice.send(request._replace(path=f"{request.path}{joint}{text}"))
        assert got.refusal == (422, "invalid")
        assert got.json["errors"][-1]["code"] == "unknown"


@pytest.mark.parametrize("operation", COMMANDS)
def test_a_command_has_a_key(alice: Player, operation: str) -> None:
    missing = send(alice, operation, idempotency_key=None)
    assert missing.refusal == (400, "idempotency_key_missing")
    for key in (
        "",
        "short77",
        "x" * 65,
        '"no-end-quote',
        "with space",
        "a,b-c-d-e-f",
        "\xff" * 8,
    ):
        got = send(alice, operation, idempotency_key=key)
        assert got.refusal == (400, "idempotency_key_malformed"), key


@pytest.mark.parametrize("operation", COMMANDS[1:])
def test_a_command_on_a_round_has_a_version(alice: Player, operation: str) -> None:
    url = url_of(alice.deal(1000))
    assert send(alice, operation, url, if_match=None).refusal == (
        428,
        "if_match_missing",
    )
    assert send(alice, operation, url, if_match="*").refusal == (
        400,
        "if_match_malformed",
    )
    assert send(alice, operation, url, if_match='"9"').refusal == (412, "version_stale")


@pytest.mark.parametrize("operation", COMMANDS[:3])
def test_a_body_is_json(alice: Player, operation: str) -> None:
    for kind in (
        None,
        "",
        "text/json",
        "application/jsonp",
        "application/json; charset=latin-1",
    ):
        got = send(alice, operation, content_type=kind)
        assert got.refusal == (415, "unsupported_media_type"), kind
    for kind in ("application/json; charset=utf-8", "Application/JSON;charset=UTF-8"):
        got = send(alice, operation, content_type=kind)
        assert got.refusal != (415, "unsupported_media_type"), kind


@pytest.mark.parametrize("operation", PROTECTED)
def test_a_round_that_is_not_there(alice: Player, operation: str) -> None:
    got = send(alice, operation)
    wanted = (404, "round_not_found")
    if operation in {"deal_round", "list_open_rounds"}:
        assert got.status < 300
    else:
        assert got.refusal == wanted
