"""The mutants that are listed as equivalent are of code that is still there."""

import inspect
from importlib import import_module
from typing import Final

import pytest

from tests.mutants import LISTED, Mutant, equivalents

MUTANTS: Final = list(equivalents(LISTED.read_text("utf-8")))


@pytest.mark.parametrize("mutant", MUTANTS, ids=[each.function for each in MUTANTS])
def test_a_listed_mutant_changes_what_is_there(mutant: Mutant) -> None:
    module, _, name = mutant.function.rpartition(".")
    function = getattr(import_module(module), name.removeprefix("x_"))
    before, code = mutant.before.split(), inspect.getsource(function).split()
    assert " ".join(before) in " ".join(code)


def test_none_is_listed_twice() -> None:
    assert len(set(MUTANTS)) == len(MUTANTS)
