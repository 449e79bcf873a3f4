"""Proofs: honest ones hold, flipped bits are found, nothing breaks the verifier."""

import json
import subprocess
import sys
from collections.abc import Sequence
from random import Random

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from service import shipped
from service.audit import CHECKS, verify
from service.chance import WholeShoe, shuffled
from service.proof import ProofFault, from_json
from service.rules.cards import deck_order
from service.rules.legal import LegalAction
from tests.chance.documents import (
    CAPPED,
    CHAIN,
    MONEY,
    REPLAY,
    RICH,
    SHARED,
    VOIDED,
    WHOLE,
    Path,
    changed,
    faults,
    forged,
    leaves,
    value_at,
)
from tests.chance.proofs import Document, played, stacked, words
from tests.rules.tables import TABLES

# A wager of 1.00 that was raised to the table's minimum, 2.00.
RAISED = played(
    "progressive-five",
    stacked("P T,9 | U 6 | H T | T", 8),
    words("stand", "settle"),
    wager=100,
)
HONEST = {
    "rich": RICH,
    "capped": CAPPED,
    "raised": RAISED,
    "voided": VOIDED,
    "shared": SHARED,
}


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_proof_holds(name: str) -> None:
    report = verify(HONEST[name])
    assert faults(report) == {}
    assert report.ok
    assert [check.name for check in report.checks] == list(CHECKS)


def test_a_report_tells_what_it_looked_at() -> None:
    notes = {check.name: check.where for check in verify(RICH).checks}
    assert notes[WHOLE] == "416 cards, 8 decks"
    assert notes[CHAIN].startswith("8 rows, the last is ")
    assert notes[REPLAY] == "8 commands, settled"
    assert "in minor units of USD" in notes[MONEY]


def without_settle(legal: Sequence[LegalAction]) -> list[None]:
    """Let the round expire now and then, if it is not decided."""
    return [] if legal[0].command == "settle" else [None]


@settings(deadline=None)
@given(
    table_id=st.sampled_from(sorted(TABLES)),
    boxes=st.integers(1, 5),
    chance=st.randoms(use_true_random=True),
)
def test_every_honest_round_holds(table_id: str, boxes: int, chance: Random) -> None:
    table = TABLES[table_id]
    order = shuffled(deck_order(table.decks), chance.randrange)
    shoe = WholeShoe(chance.randbytes(32), "".join(order))
    document = played(
        table_id,
        shoe,
        lambda legal: chance.choice([*legal, *legal, *without_settle(legal)]),
        min(boxes, table.boxes),
    )
    assert faults(verify(document)) == {}


def is_judged(path: Path) -> bool:
    """Leave out what nothing tells: who made the proof, and the names of entries.

    Of the money the deal's rows and the last one stand for all.
    """
    if path[0] == "money":
        return path[1] in {0, 1, len(RICH["money"]) - 1} and path[-1] != "id"
    return path[0] != "software_version"


JUDGED = [path for path in leaves(RICH) if is_judged(path)]


@pytest.mark.parametrize("path", JUDGED, ids=str)
def test_each_flipped_bit_is_found(path: Path) -> None:
    value = value_at(RICH, path)
    if isinstance(value, int):
        others: list[object] = [value ^ 1 << bit for bit in range(8)]
    elif value is None:
        others = [0, ""]
    elif path == ("table_source",):
        others = [value.replace("3:2", "3:3"), value.replace("decks = 8", "decks = 0")]
    else:
        step = max(1, len(value) // 40)
        spots = range(0, len(value), step)
        others = [
            value[:spot] + chr(ord(value[spot]) ^ 1 << spot % 7) + value[spot + 1 :]
            for spot in spots
        ]
    for other in others:
        assert not verify(changed(RICH, path, other)).ok, other


@pytest.mark.parametrize(
    ("document", "where"),
    [
        (None, "/: must be an object"),
        ([], "/: must be an object"),
        ({}, "/shoe: must be an object"),
        (changed(RICH, ("rows",), []), "/rows: must hold at least one row"),
        (changed(RICH, ("rows", 1), 7), "/rows/1: must be an object"),
        (
            changed(RICH, ("rows", 1, "ver"), value=True),
            "/rows/1/ver: must be a whole number",
        ),
        (
            changed(RICH, ("rows", 1, "req"), "0G"),
            "/rows/1/req: must be lower-case hex",
        ),
        (
            changed(RICH, ("rows", 1, "req"), "0A"),
            "/rows/1/req: must be lower-case hex",
        ),
        (changed(RICH, ("rows", 1, "key"), "\ud800"), "/rows/1/key: must be Unicode"),
        (
            changed(RICH, ("shoe", "salt"), "00 11"),
            "/shoe/salt: must be lower-case hex",
        ),
    ],
)
def test_what_is_no_proof_is_said_with_its_place(document: object, where: str) -> None:
    with pytest.raises(ProofFault):
        from_json(document)
    (check,) = verify(document).checks
    assert (check.ok, check.where) == (False, where)


@pytest.mark.parametrize(
    "data", ["", "[]", "{}", '{"events":[]}', '{"events":[1]}', "7"]
)
def test_a_row_without_events_is_said_with_its_place(data: str) -> None:
    found = faults(verify(changed(RICH, ("rows", 2, "data"), data)))
    assert found[REPLAY] == "/rows/2/data: holds no events"
    assert found[CHAIN] == "row 3: its hash does not fit its fields"


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "card", "box", "x"]), inner, max_size=3
        )
    ),
    max_leaves=5,
)


@settings(deadline=None)
@given(ANY_JSON, st.sampled_from(JUDGED))
def test_a_verifier_never_breaks_on_a_strange_value(value: object, path: Path) -> None:
    same = json.dumps(value) == json.dumps(value_at(RICH, path))
    assert verify(changed(RICH, path, value)).ok == same


EVENT_PATHS = [
    (row["ver"], path)
    for row in RICH["rows"]
    for path in leaves(json.loads(row["data"])["events"])
]


@settings(deadline=None)
@given(ANY_JSON, st.sampled_from(EVENT_PATHS))
def test_a_verifier_never_breaks_on_a_strange_event(
    value: object, spot: tuple[int, Path]
) -> None:
    row, path = spot
    # A smaller minimum in force would have allowed the same: nothing else tells of it.
    assume(path != (0, "minimum") or type(value) is not int)

    def forge(rows: list[Document]) -> None:
        rows[row - 1]["data"]["events"] = changed(
            rows[row - 1]["data"]["events"],
            path,
            value,
        )

    old = value_at(json.loads(RICH["rows"][row - 1]["data"])["events"], path)
    same = json.dumps(value) == json.dumps(old)
    assert verify(forged(RICH, forge)).ok == same


def test_the_proof_that_the_contract_shows_holds() -> None:
    contract = yaml.safe_load(shipped("openapi.yaml").read_text("utf-8"))
    example = contract["components"]["examples"]["Proof"]["value"]
    assert faults(verify(example)) == {}


def test_the_auditor_needs_no_database() -> None:
    script = "import sys, service.audit; print('psycopg' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True
    )
    assert run.stdout == "False\n"
