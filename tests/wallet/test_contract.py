"""docs/wallet.yaml, the code that calls, and the example that answers: one contract."""

import re
from functools import cache
from typing import Any, Final

import pytest
import yaml
from jsonschema_rs import Draft202012Validator

from examples.operator_wallet.app import KINDS
from examples.operator_wallet.faults import FAULTS as HOOKS
from service.chance import new_id
from service.store.transfers import Transfer
from service.wallet.calls import signed
from service.wallet.certify import cases
from service.wallet.schedule import GIVE_UP_SECONDS, PUBLISHED, RETRY_SECONDS
from service.wallet.wire import FAULTS, PLAYERS, balance_body, body_of
from tests.support.wallet import WalletProcess
from tests.tidy import ROOT
from tests.wallet.busy import Busy
from tests.wallet.casino import Casino

DOCUMENT: Final[dict[str, Any]] = yaml.safe_load(
    (ROOT / "docs/wallet.yaml").read_text("utf-8")
)
SCHEMAS: Final = DOCUMENT["components"]["schemas"]


@cache
def schema(name: str) -> Draft202012Validator:
    """Return the validator of a component's schema."""
    document = {"components": {"schemas": SCHEMAS}}
    reference = {"$ref": f"#/components/schemas/{name}", **document}
    return Draft202012Validator(reference, validate_formats=True)


def faults(name: str, value: object) -> list[str]:
    return [str(error) for error in schema(name).iter_errors(value)]


def call_of(kind: str) -> str:
    return f"{kind.capitalize()}Call"


def test_the_signature_of_the_example_is_right() -> None:
    text = DOCUMENT["info"]["description"]
    rows = dict(re.findall(r"^\| `?([\w-]+)`? \| `(.+)` \|$", text, re.MULTILINE))
    made = signed(
        rows["secret"], int(rows["Upcard-Timestamp"]), rows["body"].encode()
    )  # fmt: skip
    assert made["Upcard-Signature"] == rows["Upcard-Signature"]


def test_every_code_is_known_on_both_sides() -> None:
    named, own = SCHEMAS["Refusal"]["properties"]["code"]["oneOf"]
    assert set(named["enum"]) == set(DOCUMENT["x-refusals"]) == PLAYERS | FAULTS
    assert re.fullmatch(own["pattern"], "x_own_reason")


def test_every_code_has_its_row_in_the_table() -> None:
    text = DOCUMENT["info"]["description"]
    rows = re.findall(r"^\| (`[a-z_.`, ]+`) \| (4\d\d) \| ", text, re.MULTILINE)
    told = {code: int(to) for row, to in rows for code in re.findall("[a-z_]+", row)}
    assert told.keys() - {"x_"} == DOCUMENT["x-refusals"].keys()
    source = (ROOT / "examples/operator_wallet").glob("*.py")
    raised = re.findall(
        r'Refusal\(\s*(\d+), "(\w+)"', "".join(file.read_text() for file in source)
    )
    assert len(raised) > 10
    assert [(told[code], code) for _, code in raised] == [
        (int(status), code) for status, code in raised
    ]


def test_the_schedule_is_the_one_that_is_kept() -> None:
    assert DOCUMENT["x-retry-schedule"] == {
        "connect_seconds": PUBLISHED.command.connect,
        "answer_seconds": {
            "debit": PUBLISHED.command.answer,
            "at_once": PUBLISHED.at_once.answer,
            "later": PUBLISHED.in_turn.answer,
        },
        "debit_seconds": PUBLISHED.command.altogether,
        "later_seconds": list(RETRY_SECONDS),
        "give_up_debit_seconds": GIVE_UP_SECONDS,
    }


def test_every_kind_has_its_path() -> None:
    assert {path[1:] for path in DOCUMENT["paths"]} == {*KINDS, "balance"}


def test_the_faults_that_are_tried_are_those_of_the_hook() -> None:
    text = DOCUMENT["info"]["description"]
    for fault in cases.FAULTS.values():
        assert fault in HOOKS
        assert f"`{fault}`" in text


@pytest.mark.parametrize("name", DOCUMENT["components"]["requestBodies"])
def test_every_example_is_as_its_schema_says(name: str) -> None:
    media = DOCUMENT["components"]["requestBodies"][name]["content"]
    body = media["application/json"]
    called = body["schema"]["$ref"].rpartition("/")[2]
    assert called == call_of(body["example"]["kind"])
    assert faults(called, body["example"]) == []


def test_the_examples_of_answers_are_as_their_schemas_say() -> None:
    for answer in DOCUMENT["components"]["responses"].values():
        for media in answer["content"].values():
            name = media["schema"]["$ref"].rpartition("/")[2]
            assert faults(name, media["example"]) == []


def test_what_is_sent_is_as_the_contract_says(casino: Casino) -> None:
    busy = Busy(casino)
    guest = casino.player()
    casino.rig.stack("P 8,8 | U A | H 9 | 3,K,9")
    begun = guest.insure(guest.deal(1_000), 1)
    guest.finish(guest.act(begun, "split"))
    bodies = [body_of(transfer) for transfer in rows_of(busy.casino)]
    sent = {(body["kind"], body["purpose"]) for body in bodies}
    debits = {"deal", "insurance", "double", "split"}
    assert sent == {
        *(("debit", purpose) for purpose in debits),
        *(("credit", purpose) for purpose in ("insurance", "settlement")),
        *(("end", "settled"), ("end", "void"), ("refund", "void")),
        *(("rollback", "deal"), ("correction", "malfunction")),
    }
    for body in bodies:
        assert faults(call_of(body["kind"]), body) == []
        if body["kind"] != "end":
            assert sum(line["amount"] for line in body["lines"]) == body["amount"]


def test_what_asks_for_a_balance_is_as_the_contract_says() -> None:
    assert faults("BalanceCall", balance_body("ann", "EUR", None)) == []
    assert faults("BalanceCall", balance_body("ann", "EUR", new_id())) == []


def test_what_the_example_answers_is_as_the_contract_says(
    wallet: WalletProcess,
) -> None:
    wallet.put("ann", 1_000, bonus=50)
    call: dict[str, Any] = {
        "transaction_id": new_id(),
        "round_id": new_id(),
        "table_id": "t",
        "player_id": "ann",
        "session_id": None,
        "currency": "USD",
        "amount": 100,
        "purpose": "deal",
        "lines": [],
    }
    calls: list[tuple[str, dict[str, Any], int]] = [
        ("balance", {}, 200),
        ("debit", {}, 200),
        ("debit", {"amount": 101}, 409),
        ("debit", {"amount": 0}, 422),
        ("debit", {"transaction_id": new_id(), "amount": 10_000}, 402),
        ("debit", {"transaction_id": new_id(), "player_id": "bob"}, 404),
    ]
    for kind, more, status in calls:
        got, body = wallet.call(kind, **{**call, **more})
        assert got == status
        assert faults("Done" if status == 200 else "Refusal", body) == []


def rows_of(casino: Casino) -> list[Transfer]:
    """Return all transfers, as the service reads them."""
    columns = ", ".join(
        {"transfer_id": "transfer", "round_id": "round"}.get(name, name)
        for name in Transfer._fields
    )
    found = casino.database.read(f"SELECT {columns} FROM transfer")  # noqa: S608 - names of ours
    return [Transfer(*row) for row in found]
