"""Every rule of the four documents is shown, overridden by a decision, or explained."""

import re
import tomllib
from typing import Any, Final, get_type_hints

import pytest

from service.rules.table import TableRules
from tests.rules.nodes import HERE, ROOT, known_tests
from tests.rules.tables import TABLES

ROWS: Final[list[tuple[str, dict[str, Any]]]] = [
    (document, row)
    for document, rows in tomllib.loads(
        (HERE / "documents.toml").read_text("utf-8")
    ).items()
    for row in rows
]
DECISIONS: Final = (ROOT / "docs" / "decisions.md").read_text("utf-8")
NUMBERS: Final = [int(n) for n in re.findall(r"^### (\d+)\. ", DECISIONS, re.MULTILINE)]
WAYS: Final = ("shown_by", "overridden_by", "not_applicable", "not_yet")


def test_the_four_documents_are_listed() -> None:
    assert {document for document, _ in ROWS} == {t.number for t in TABLES.values()}


@pytest.mark.parametrize(
    ("document", "row"), ROWS, ids=[f"{doc}: {row['says']}" for doc, row in ROWS]
)
def test_rule_of_a_document(document: str, row: dict[str, Any]) -> None:
    (way,) = row.keys() - {"says"}
    assert way in WAYS
    assert row[way], f"{document}: nothing shows it"
    assert set(row.get("shown_by", [])) <= known_tests()
    assert row.get("overridden_by", 0) in NUMBERS


def test_decisions_that_are_named_in_words_exist() -> None:
    for _, row in ROWS:
        words = row.get("not_applicable", row.get("not_yet", ""))
        for number in re.findall(r"\d+", words):
            assert int(number) in NUMBERS


def test_what_is_not_there_yet_is_not_there() -> None:
    waiting = [row for _, row in ROWS if "not_yet" in row]
    assert not (waiting and (ROOT / "service" / "live").exists()), "show them now"


def test_no_rule_is_listed_twice() -> None:
    said = [(document, row["says"]) for document, row in ROWS]
    assert len(said) == len(set(said))


def test_every_decision_has_one_number() -> None:
    assert sorted(NUMBERS) == list(range(33))


def test_every_table_setting_stands_beside_its_decision() -> None:
    named = set(re.findall(r"`\[?([a-z_0-9]+)\]?`", DECISIONS))
    identity = {"version", "table_id", "number", "title"}
    settings = get_type_hints(TableRules).keys() - identity
    assert {name.removesuffix("_pays") for name in settings} <= {
        name.removesuffix("_pays") for name in named
    }
