"""Every known fault is shown to be impossible by tests that exist."""

import re
import tomllib
from typing import Any, Final

import pytest

from tests.rules.nodes import HERE, ROOT, known_tests

FAULTS: Final[dict[str, dict[str, Any]]] = tomllib.loads(
    (HERE / "faults.toml").read_text("utf-8")
)
NUMBERED: Final = re.compile(r"::test_((?:\d+_(?:and_)?)+)")


def test_no_fault_is_left_out() -> None:
    assert list(FAULTS) == [str(number) for number in range(1, 73)]


@pytest.mark.parametrize("number", FAULTS)
def test_fault_is_shown(number: str) -> None:
    entry = FAULTS[number]
    (way,) = entry.keys() - {"fault"}
    assert way in {"shown_by", "not_yet"}
    assert entry[way], "nothing shows it"
    assert set(entry.get("shown_by", [])) <= known_tests()


def test_what_is_not_there_yet_is_not_there() -> None:
    waiting = [number for number in FAULTS if "not_yet" in FAULTS[number]]
    assert not (waiting and (ROOT / "service" / "live").exists()), "show them now"


def test_every_numbered_test_is_listed() -> None:
    for test in known_tests():
        match = NUMBERED.search(test)
        for number in re.findall(r"\d+", match[1]) if match else []:
            assert test in FAULTS[number]["shown_by"], test
