"""Which tests there are, so that a list that names a test can be checked."""

import ast
from functools import cache
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent.parent


@cache
def known_tests() -> frozenset[str]:
    """Return every test, without parameters.

    Of this folder as ``file::name``, of others with the path from the root.
    """
    return frozenset(
        f"{_named(path)}::{node.name}"
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def _named(path: Path) -> str:
    return path.name if path.parent == HERE else path.relative_to(ROOT).as_posix()
