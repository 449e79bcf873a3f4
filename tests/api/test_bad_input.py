"""Any byte string gets a problem and changes nothing."""

from collections.abc import Iterator
from typing import Any, Final

import orjson
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from service.api.body import parsed
from service.api.contract import NO_BODY
from service.api.problems import Problem
from service.api.schemas import ACT, DEAL, INSURE
from service.chance import new_id
from tests.api.player import Got, Player, url_of
from tests.api.site import Site

HARD: Final = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
DEAL_HEAD: Final = b'{"table_id":"classic-three","currency":"USD","boxes":'

UNPARSABLE: Final = {
    "nothing": b"",
    "blanks": b" \t\n",
    "cut short": b'{"hand":"1a"',
    "two values": b'{"hand":"1a","action":"hit"}{}',
    "NaN": b"NaN",
    "infinity": b'{"a":-Infinity}',
    "too big": b"1e999",
    "too long a number": b"1" * 5000,
    "bad UTF-8": b'{"hand":"\xff"}',
    "overlong UTF-8": b'"\xc0\x80"',
    "UTF-16": '{"hand":"1a"}'.encode("utf-16"),
    "byte order mark": b'\xef\xbb\xbf{"hand":"1a","action":"hit"}',
    "lone surrogate": b'{"hand":"\\ud800"}',
    "bare NUL": b"\x00",
    "control character": b'{"hand":"\x01"}',
    "single quotes": b"{'hand':'1a'}",
    "trailing comma": b'{"hand":"1a",}',
    "comment": b'{} // "hit"',
    "deep lists": b"[" * 5000 + b"]" * 5000,
    "deep objects": b'{"a":' * 1000 + b"1" + b"}" * 1000,
    "not that deep": b"[" * 17 + b"]" * 17,
    "a key twice": b'{"hand":"1a","action":"stand","action":"hit"}',
    "a key twice, escaped": b'{"hand":"1a","action":"hit","\\u0061ction":"stand"}',
    "a key twice, inside": DEAL_HEAD + b'[{"box":1,"wager":100,"wager":9900}]}',
    "a key twice, with colons": b'{":\\":":1,":\\":":2}',
}


@pytest.fixture
def untouched(site: Site, alice: Player) -> Iterator[Got]:
    """Give a round that must be, afterwards, as it was; so must the log."""
    site.rig.stack("P 2,3 | U 6 | H 5 | 4,4")
    dealt = alice.deal(1000)
    rows = site.log_rows()
    yield dealt
    assert site.log_rows() == rows
    assert alice.get(url_of(dealt)).json == dealt.round


def paths(on: Got) -> list[str]:
    url = url_of(on)
    return ["/v1/rounds", f"{url}/insurance", f"{url}/actions"]


def send(player: Player, path: str, raw: bytes, **headers: str | None) -> Got:
    chosen: dict[str, str | None] = {"idempotency_key": new_id(), "if_match": '"1"'}
    if path == "/v1/rounds":
        chosen["if_match"] = None
    return player.ask("POST", path, raw, **{**chosen, **headers})


@pytest.mark.parametrize("raw", UNPARSABLE.values(), ids=UNPARSABLE)
def test_what_is_no_json_is_refused(alice: Player, untouched: Got, raw: bytes) -> None:
    for path in paths(untouched):
        got = send(alice, path, raw)
        assert got.refusal == (400, "malformed_json")


def test_a_colon_in_a_text_is_no_key() -> None:
    assert parsed(b'{"a:b":"c:\\"d:","e":[":",{"f":1}]}')["e"] == [":", {"f": 1}]


@pytest.mark.parametrize(
    "raw",
    [
        *(b"null", b"true", b"1", b'"text"', b"[]", b"{}", b"1e3", b"-0", b"[[]]"),
        *(b'{"hand":"1a\\u0000","action":"hit"}', b'{"":{"":{"":0}}}'),
        DEAL_HEAD + b'[{"box":1,"wager":18446744073709551615}]}',
        DEAL_HEAD + b'[{"box":1,"wager":18446744073709551616}]}',
        DEAL_HEAD + b'[{"box":1,"wager":100}],"__proto__":{}}',
        b'{"boxes":[1e0]}',
        b"[" * 15 + b"]" * 15,
    ],
)
def test_what_is_no_command_is_refused(
    alice: Player, untouched: Got, raw: bytes
) -> None:
    for path in paths(untouched):
        got = send(alice, path, raw)
        assert got.refusal == (422, "invalid")
        assert 1 <= len(got.json["errors"]) <= 40


@pytest.mark.parametrize("size", [16_385, 1_000_000])
def test_a_large_body_is_refused_unread(
    alice: Player, untouched: Got, size: int
) -> None:
    for path in [*paths(untouched), f"{url_of(untouched)}/settlement"]:
        got = send(alice, path, b"[" + b" " * (size - 2) + b"]")
        assert got.refusal == (413, "body_too_large")


def test_the_largest_body_is_read(alice: Player, untouched: Got) -> None:
    got = send(alice, paths(untouched)[2], b"[" + b" " * 16_382 + b"]")
    assert got.refusal == (422, "invalid")


@pytest.mark.usefixtures("untouched")
def test_hundreds_of_faults_are_told_in_part(alice: Player) -> None:
    boxes = b",".join([b'{"box":0,"x":1.5}'] * 500)
    got = send(alice, "/v1/rounds", DEAL_HEAD + b"[" + boxes + b"]}")
    assert got.refusal == (422, "invalid")
    assert len(got.json["errors"]) == 40


@HARD
@given(raw=st.binary(max_size=200), which=st.integers(0, 2))
@example(raw=b"\x00", which=0)
def test_bytes(whole_site: Site, raw: bytes, which: int) -> None:
    player, rows = whole_site.player("somebody"), whole_site.log_rows()
    path = [
        "/v1/rounds",
        *(f"/v1/rounds/{new_id()}/{x}" for x in ("insurance", "actions")),
    ]
    got = send(player, path[which], raw)
    assert got.refusal in {(400, "malformed_json"), (422, "invalid")}
    assert whole_site.log_rows() == rows
    assert whole_site.witness.faults == []


JSON: Final = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["hand", "action", "boxes", "box", "wager", "currency"])
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
SCHEMAS: Final = {"deal_round": DEAL, "insure_round": INSURE, "act_on_round": ACT}


@HARD
@given(value=JSON)
def test_values(whole_site: Site, value: object) -> None:
    try:
        raw = orjson.dumps(value)
    except (
        orjson.JSONEncodeError
    ):  # a whole number of more than 64 bits, a lone surrogate
        return
    player, rows = whole_site.player("somebody"), whole_site.log_rows()
    for path in ("/v1/rounds", f"/v1/rounds/{new_id()}/insurance"):
        got = send(player, path, raw)
        accepted = got.refusal == (404, "round_not_found")  # {"boxes": [1]} is right
        assert accepted or got.refusal == (422, "invalid")
    assert whole_site.log_rows() == rows
    assert whole_site.witness.faults == []


NEARLY: Final = st.fixed_dictionaries(
    {
        "table_id": st.sampled_from(["classic-three", "x", "", 1, "a" * 40]),
        "currency": st.sampled_from(["USD", "usd", "", None]),
        "boxes": st.lists(
            st.fixed_dictionaries(
                {
                    "box": st.sampled_from([0, 1, 5, 6, 1.0, True, "1"]),
                    "wager": st.sampled_from([0, 1, 2**53 - 1, 2**53, 3.0, False]),
                },
                optional={"bonus_wager": st.sampled_from([0, 1, None, 1e0])},
            ),
            max_size=6,
        ),
        "hand": st.sampled_from(["1a", "5h", "6a", "1a\n", 1]),
        "action": st.sampled_from(["hit", "split", "Hit", None]),
    },
    optional={"raise_to_minimum": st.sampled_from([True, False, 0, 1, "true", None])},
)


@HARD
@given(value=NEARLY, names=st.sets(st.sampled_from(sorted(["table_id", "hand"]))))
def test_what_the_contract_accepts_can_be_loaded(
    whole_site: Site, value: dict[str, object], names: set[str]
) -> None:
    contract = whole_site.api.contract
    deal = ("table_id", "currency", "boxes", "raise_to_minimum")
    bodies: dict[str, dict[str, Any]] = {
        "deal_round": {name: value[name] for name in deal if name in value},
        "insure_round": {"boxes": [1, 5][: len(names)]},
        "act_on_round": {"hand": value["hand"], "action": value["action"]},
    }
    for operation, body in bodies.items():
        path = {} if operation == "deal_round" else {"round_id": new_id()}
        if not contract.check_request(operation, path=path, body=body):
            assert SCHEMAS[operation].load(body) is not NO_BODY


@HARD
@given(
    name=st.sampled_from(["authorization", "idempotency_key", "if_match", "accept"]),
    text=st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=80),
)
def test_headers(whole_site: Site, name: str, text: str) -> None:
    player, rows = whole_site.player("somebody"), whole_site.log_rows()
    path, body = f"/v1/rounds/{new_id()}/actions", b'{"hand":"1a","action":"hit"}'
    got = send(player, path, body, **{name: text})
    assert got.status in {400, 401, 404, 406}
    assert got.headers["Content-Type"] == "application/problem+json"
    assert whole_site.log_rows() == rows
    assert whole_site.witness.faults == []


@HARD
@given(text=st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=60))
def test_paths_and_queries(whole_site: Site, text: str) -> None:
    player = whole_site.player("somebody")
    for path in (f"/{text}", f"/v1/rounds/{text}", f"/v1/rounds?status=open&{text}"):
        got = player.get(path)
        assert got.status < 500
    assert whole_site.witness.faults == []


def test_a_problem_holds_nothing_of_the_body() -> None:
    with pytest.raises(Problem) as caught:
        parsed(b'{"secret": "hunter2"')
    assert "hunter2" not in caught.value.detail
    assert caught.value.__cause__ is None
