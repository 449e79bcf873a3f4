"""Which tests there are, so that a list that names a test can be checked."""

import ast
from functools import cache
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent


@cache
def known_tests() -> frozenset[str]:
    """Return every test of this folder as ``file::name``, without parameters."""
    return frozenset(
        f"{path.name}::{node.name}"
        for path in HERE.glob("test_*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )
