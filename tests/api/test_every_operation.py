"""What holds for every operation that needs to know who asks, whatever it does."""

from collections.abc import Iterator
from typing import Final

import pytest

from service.app import create_app
from service.chance import new_id
from tests.api.operator import Operator, requests_of, session_of
from tests.api.player import Got, Player, Request, requests_on
from tests.api.site import Site, Witness, config_of
from tests.contract.lint import PUBLIC

OPERATORS: Final = [request.operation for request in requests_of()]
REFILL: Final = Request(
    *("refill_balance", "POST", "/v1/balance/refill", None),
    {"idempotency_key": new_id()},
)
"""For demo players alone."""
PLAYERS: Final = [
    request.operation
    for request in (REFILL, *requests_on(f"/v1/rounds/{new_id()}"))
    if request.operation not in PUBLIC
]
WITH_BODY: Final = [
    *("create_session", "deposit_money", "withdraw_money", "block_player"),
    *("deal_round", "insure_round", "act_on_round", "set_limit", "set_pin"),
    "malfunction_round",
]
WITHOUT: Final = [
    *("end_session", "get_player_balance", "list_statement", "unblock_player"),
    *("list_player_rounds", "get_player_round", "refill_balance", "refresh_session"),
    *("list_player_rows", "list_player_history", "get_player_history"),
    "export_player_history",
]


class Everybody:
    """An operator, a player whom he launched, and a good request of each operation."""

    def __init__(self, casino: Operator, player: Player, session: str) -> None:
        self._casino = casino
        self._player = player
        requests = [
            *requests_of(player.name, session),
            *requests_on(f"/v1/rounds/{new_id()}", session=session),
            REFILL,
        ]
        self._requests = {request.operation: request for request in requests}

    def __getitem__(self, operation: str) -> Request:
        return self._requests[operation]

    def send(self, request: Request, **headers: str | None) -> Got:
        """Send a request as whoever may, with some headers changed or left out."""
        if request.operation in OPERATORS:
            return self._casino.send(request, **headers)
        return self._player.send(request, **headers)


def everybody_of(site: Site) -> Everybody:
    casino = site.operators["dev"]
    player = casino.launched(site.player().name, mode="demo")
    return Everybody(casino, player, session_of(site.api, player.token))


@pytest.fixture
def everybody(site: Site) -> Everybody:
    return everybody_of(site)


@pytest.mark.parametrize("operation", PLAYERS)
def test_an_operator_is_of_the_wrong_kind_for_a_player(
    casino: Operator, everybody: Everybody, operation: str
) -> None:
    got = casino.send(everybody[operation])
    assert got.refusal == (403, "forbidden")


@pytest.mark.parametrize("operation", PLAYERS)
def test_a_player_has_a_token(everybody: Everybody, operation: str) -> None:
    got = everybody.send(everybody[operation], authorization=None)
    assert got.refusal == (401, "unauthenticated")
    assert got.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("operation", ["get_me", "get_balance", "deal_round"])
def test_a_token_of_an_operator_who_is_not_there_is_forbidden(
    site: Site, everybody: Everybody, operation: str
) -> None:
    token = site.api.tokens.issue(
        operator="nobody",
        player="ann",
        currency="USD",
        mode="real",
        now=Player.present(),
        lifetime=60,
    )
    got = everybody.send(everybody[operation], authorization=f"Bearer {token}")
    assert got.refusal == (403, "forbidden")


@pytest.mark.parametrize("operation", PLAYERS + OPERATORS)
def test_who_takes_no_json_gets_none(everybody: Everybody, operation: str) -> None:
    got = everybody.send(everybody[operation], accept="text/html")
    assert got.refusal == (406, "not_acceptable")


@pytest.mark.parametrize("operation", PLAYERS + OPERATORS)
def test_an_unknown_parameter_is_refused(everybody: Everybody, operation: str) -> None:
    request = everybody[operation]
    joint = "&" if "?" in request.path else "?"
    got = everybody.send(request._replace(path=f"{request.path}{joint}debug=1"))
    assert got.refusal == (422, "invalid")
    assert got.json["errors"][-1]["pointer"] == "query:debug"


@pytest.mark.parametrize("operation", WITH_BODY)
def test_a_body_is_json(everybody: Everybody, operation: str) -> None:
    request = everybody[operation]
    got = everybody.send(request, content_type="text/plain")
    assert got.refusal == (415, "unsupported_media_type")
    got = everybody.send(request._replace(body=b"{"))
    assert got.refusal == (400, "malformed_json")
    got = everybody.send(request._replace(body=b'{"a":1,"a":1}'))
    assert got.refusal == (400, "malformed_json")
    got = everybody.send(request._replace(body=b'{"colour":"red"}'))
    assert got.refusal == (422, "invalid")


@pytest.mark.parametrize("operation", WITHOUT)
def test_a_body_where_none_belongs_is_refused(
    everybody: Everybody, operation: str
) -> None:
    got = everybody.send(everybody[operation]._replace(body=b"{}"))
    assert got.refusal == (422, "invalid")


@pytest.mark.parametrize(
    "operation",
    [
        *(*WITH_BODY, "refill_balance", "refresh_session", "list_player_rows"),
        *("list_player_history", "get_player_history", "export_player_history"),
    ],
)
def test_a_large_body_is_refused(everybody: Everybody, operation: str) -> None:
    got = everybody.send(everybody[operation]._replace(body=b" " * 16_385))
    assert got.refusal == (413, "body_too_large")


@pytest.mark.parametrize(
    "operation", ["create_session", "refill_balance", "malfunction_round"]
)
def test_what_is_done_once_has_a_key(everybody: Everybody, operation: str) -> None:
    request = everybody[operation]
    got = everybody.send(request, idempotency_key=None)
    assert got.refusal == (400, "idempotency_key_missing")
    got = everybody.send(request, idempotency_key="short")
    assert got.refusal == (400, "idempotency_key_malformed")


@pytest.fixture
def away(site: Site) -> Iterator[Everybody]:
    """Give those who ask a worker that never found its database."""
    folder = site.config.home
    app = create_app(config_of("postgresql://u@127.0.0.1:1/none", folder))
    witness = Witness(app)
    app.wsgi_app = witness  # type: ignore[method-assign]  # as Flask says
    name, key = site.player().name, site.operators["dev"].key
    yield Everybody(Operator(app, key), Player(app, name, "USD", "demo"), new_id())
    assert witness.faults == []
    site.witness.seen |= witness.seen


@pytest.mark.parametrize("operation", PLAYERS + OPERATORS)
def test_without_the_database_it_is_said(away: Everybody, operation: str) -> None:
    got = away.send(away[operation])
    assert got.refusal == (503, "database_unavailable")
    assert got.headers["Retry-After"] == "1"
