"""Every known fault is shown to be impossible by tests that exist."""

import re
import tomllib
from typing import Any, Final

import pytest

from tests.rules.nodes import HERE, known_tests

FAULTS: Final[dict[str, dict[str, Any]]] = tomllib.loads(
    (HERE / "faults.toml").read_text("utf-8")
)
NUMBERED: Final = re.compile(r"::test_(\d+(?:_and_\d+)*)_")


def test_no_fault_is_left_out() -> None:
    assert list(FAULTS) == [str(number) for number in range(1, 73)]


@pytest.mark.parametrize("number", FAULTS)
def test_fault_is_shown_here_or_elsewhere(number: str) -> None:
    entry = FAULTS[number]
    shown_by = entry.get("shown_by", [])
    assert entry.keys() <= {"fault", "shown_by", "elsewhere"}
    assert shown_by or entry.get("elsewhere")
    assert set(shown_by) <= known_tests()


def test_every_numbered_test_is_listed() -> None:
    for test in known_tests():
        match = NUMBERED.search(test)
        for number in re.findall(r"\d+", match[1]) if match else []:
            assert test in FAULTS[number]["shown_by"], test
