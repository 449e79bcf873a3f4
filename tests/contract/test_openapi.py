"""openapi.yaml keeps its rules, and says what the code behind it says."""

import copy
from collections.abc import Sequence
from typing import Any, Final, get_args, get_type_hints

import orjson
import pytest

import service
from service import shipped
from service.api.jackpots import share
from service.api.operations import read_document
from service.api.problems import KINDS
from service.api.tables import table_view
from service.api.views import events_view, seen_view
from service.audit import verify
from service.figures import Figures
from service.jackpotfile import return_at
from service.proof import from_json
from service.recorded import Step, seen_of, steps_of
from service.rules import commands, events, legal, table
from service.rules.events import EVENTS
from service.store import significant
from service.store.rows import LogRow
from service.tablefile import parse_table, shipped_tables
from tests.contract import lint
from tests.contract.document import Document
from tests.contract.lint import RULES, Rule
from tests.rules.tables import PROGRESSIVE

TREE: Final = read_document(shipped("openapi.yaml"))
CONTRACT: Final = Document(TREE)
SCHEMAS: Final = TREE["components"]["schemas"]
EXAMPLES: Final = TREE["components"]["examples"]
ROUND: Final = ("paths", "/v1/rounds/{round_id}", "get")
ACT: Final = ("paths", "/v1/rounds/{round_id}/actions", "post")
BLOCK: Final = ("paths", "/v1/players/{player_id}/block", "put")
GONE: Final = object()

# rule, the place of a fault to plant, and what to put there
PLANTED: Final[Sequence[tuple[Rule, tuple[str, ...], object]]] = (
    (lint.operations_are_named, (*ROUND, "operationId"), "getRound"),
    (lint.operations_are_named, (*ROUND, "operationId"), "deal_round"),
    (lint.refusals_are_problems, (*ROUND, "responses", "404"), {"description": "No."}),
    (
        lint.refusals_are_problems,
        ("components", "responses", "Forbidden", "content", "application/json"),
        {"schema": {"type": "object"}},
    ),
    (lint.statuses_are_exact, (*ROUND, "responses", "default"), {"description": "?"}),
    (lint.statuses_are_exact, (*ROUND, "responses", "4XX"), {"description": "?"}),
    (
        lint.headers_are_required,
        ("components", "headers", "RoundETag", "required"),
        GONE,
    ),
    (lint.headers_are_required, ("components", "headers", "RetryAfter", "schema"), {}),
    (lint.headers_are_required, (*ROUND, "responses", "200", "headers", "ETag"), GONE),
    (lint.commands_are_guarded, ("components", "parameters", "IfMatch", "required"), 0),
    (lint.commands_are_guarded, (*ACT, "responses", "412"), GONE),
    (lint.credentials_are_needed, (*ROUND, "security"), []),
    (lint.credentials_are_needed, ("paths", "/v1/tables", "get", "security"), GONE),
    (lint.credentials_are_needed, (*BLOCK, "security"), GONE),
    (
        lint.objects_are_closed,
        ("components", "schemas", "Deal", "additionalProperties"),
        GONE,
    ),
    (lint.objects_are_closed, ("components", "schemas", "Act", "required"), ["fold"]),
    (lint.values_are_bounded, ("components", "schemas", "Wager", "maximum"), GONE),
    (lint.values_are_bounded, ("components", "schemas", "Wager", "type"), "number"),
    (lint.values_are_bounded, ("components", "schemas", "Card", "pattern"), "^[^A]+$"),
    (
        lint.values_are_bounded,
        ("components", "schemas", "LegalActions", "maxItems"),
        GONE,
    ),
    (lint.things_are_described, ("components", "schemas", "Card", "description"), GONE),
    (lint.things_are_described, (*ROUND, "summary"), GONE),
    (
        lint.references_lead_somewhere,
        (*ROUND, "responses", "404", "$ref"),
        "#/components/responses/Nowhere",
    ),
    (
        lint.references_lead_somewhere,
        ("paths", "/v1/balance/refill", "post", "responses", "409", "$ref"),
        "#/components/responses/Invalid",
    ),
    (lint.codes_are_explained, ("components", "x-problems", "invalid"), GONE),
    (lint.codes_are_explained, ("components", "x-problems", "odd"), {"status": 409}),
    (lint.codes_are_explained, ("components", "x-problems", "invalid", "status"), 400),
    (lint.examples_are_right, ("components", "examples", "RoundList", "value"), {}),
    (lint.examples_are_right, ("components", "schemas", "Card", "example"), "1S"),
    (
        lint.examples_are_right,
        (*ACT, "requestBody", "content", "application/json", "examples"),
        {},
    ),
    (
        lint.refusals_show_their_code,
        ("components", "examples", "invalid", "value", "title"),
        "Wrong",
    ),
    (
        lint.refusals_show_their_code,
        ("components", "examples", "invalid", "value", "type"),
        "about:blank",
    ),
    (lint.links_lead_on, ("components", "links", "GetProof", "operationId"), "prove"),
    (
        lint.links_lead_on,
        ("components", "links", "GetProof", "parameters"),
        {"path.id": "$response.body#/round/id"},
    ),
    (
        lint.links_lead_on,
        ("components", "links", "GetProof", "parameters"),
        {"path.round_id": "$response.body#/id"},
    ),
    (
        lint.links_lead_on,
        ("components", "links", "GetProof", "parameters"),
        {"path.round_id": "$response.header.X"},
    ),
)


def planted(place: tuple[str, ...], value: object) -> Document:
    tree = copy.deepcopy(TREE)
    node: Any = tree
    for step in place[:-1]:
        node = node[step]
    if value is GONE:
        del node[place[-1]]
    else:
        node[place[-1]] = value
    return Document(tree)


@pytest.mark.parametrize("rule", RULES, ids=[rule.__name__ for rule in RULES])
def test_the_contract_keeps_its_rules(rule: Rule) -> None:
    assert list(rule(CONTRACT)) == []


@pytest.mark.parametrize(
    ("rule", "place", "value"),
    PLANTED,
    ids=[f"{rule.__name__}-{place[-1]}" for rule, place, _ in PLANTED],
)
def test_a_rule_finds_its_fault(
    rule: Rule, place: tuple[str, ...], value: object
) -> None:
    assert list(rule(planted(place, value))) != []


def test_each_rule_has_a_planted_fault() -> None:
    assert {rule for rule, _, _ in PLANTED} == set(RULES)


def test_the_version_is_the_packages() -> None:
    assert TREE["info"]["version"] == service.__version__


def test_refusals_are_those_of_the_code() -> None:
    described = {
        code: (kind["status"], kind["title"])
        for code, kind in TREE["components"]["x-problems"].items()
    }
    assert described == {code: tuple(kind) for code, kind in KINDS.items()}
    # The rules refuse to void a round too early, which no request asks for.
    assert set(get_args(commands.Code)) - {"round_not_expired"} <= set(described)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ("Action", legal.ACTIONS),
        ("DecidedBy", get_args(events.DecidedBy)),
        ("HandResult", get_args(events.Result)),
        ("BonusLine", table.BONUS_LINES),
        ("OnExpiry", get_args(get_type_hints(table.TableRules)["on_expiry"])),
        ("SignificantKind", get_args(significant.Kind)),
        ("MaxWinBasis", get_args(get_type_hints(table.MaxWin)["basis"])),
    ],
)
def test_words_are_those_of_the_rules(schema: str, words: Sequence[str]) -> None:
    assert SCHEMAS[schema]["enum"] == list(words)


def test_reasons_include_those_of_the_rules() -> None:
    assert set(get_args(legal.Reason)) <= set(SCHEMAS["ActionReason"]["enum"])


def test_events_are_those_of_the_log() -> None:
    mapping = SCHEMAS["Event"]["discriminator"]["mapping"]
    assert [f"{name}/1" for name in mapping] == list(EVENTS)
    for name, reference in mapping.items():
        schema = CONTRACT.find(reference)
        kind = EVENTS[f"{name}/1"]
        assert reference.rpartition("/")[2] == kind.__name__
        assert schema["properties"]["type"]["enum"] == [name]
        # The command's time is told as `at` of every event.
        fields = [field for field in kind._fields if field != "at"]
        if kind is events.RoundOpened:
            fields[:1] = ["table_id", "table_version"]
        assert schema["required"] == ["seq", "version", "at", "type", *fields]


def test_the_example_of_a_proof_is_one() -> None:
    report = verify(EXAMPLES["Proof"]["value"])
    assert [check for check in report.checks if not check.ok] == []


def sent(value: object) -> Any:  # noqa: ANN401 - JSON
    """Return a value as it comes out at the other end."""
    return orjson.loads(orjson.dumps(value))


def steps() -> tuple[Step, ...]:
    """Return the commands of the round that the example of a proof tells of."""
    proof = from_json(EXAMPLES["Proof"]["value"])
    rules = parse_table(proof.table_source, "the example")
    rows = [LogRow(proof.account, proof.round_id, *row) for row in proof.rows]
    return steps_of(rows, {proof.table_version: rules})


REPLIES: Final = {
    1: "DealReply",
    2: "InsureReply",
    3: "SplitReply",
    6: "LastHitReply",
    7: "SettleReply",
}


@pytest.mark.parametrize("version", REPLIES)
def test_the_example_of_a_reply_is_what_the_service_answers(version: int) -> None:
    seen = seen_of(EXAMPLES["Proof"]["value"]["round_id"], steps()[:version])
    events = events_view(seen.steps[-1], "alice")
    reply = {"round": seen_view(seen, "alice"), "events": events}
    assert EXAMPLES[REPLIES[version]]["value"] == sent(reply)


def test_the_example_of_events_is_what_the_service_answers() -> None:
    told = [event for step in steps() for event in events_view(step, "alice")]
    assert EXAMPLES["EventList"]["value"]["events"] == sent(told)


def test_the_examples_of_tables_are_those_that_are_shipped() -> None:
    shown = {
        rules.table_id: sent(table_view(rules, Figures().of(rules.version)))
        for source, text in shipped_tables()
        for rules in [parse_table(text, source)]
    }
    one = EXAMPLES["ProgressiveFive"]["value"]
    for example in (one, *EXAMPLES["TableList"]["value"]["items"]):
        bonus = example["bonus"] and {**example["bonus"], "jackpots": []}
        assert {**example, "bonus": bonus} == shown[example["table_id"]]
    for jackpot in one["bonus"]["jackpots"]:
        returned = return_at(PROGRESSIVE, 100, jackpot["meter"])
        assert jackpot["return"] == share(returned)
