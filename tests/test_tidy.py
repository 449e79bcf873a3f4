"""The house rules hold, and each of them is seen to complain about a planted fault."""

import json
import re
import subprocess
import tomllib
from collections.abc import Sequence
from typing import Final

import pytest
import yaml

import service
import service.rules
from tests import tidy
from tests.tidy import ROOT, Parsed, Rule, Source

MOST_LINES_OF_RULES: Final = 1_300
LOCKS: Final = ("requirements.lock", "requirements-dev.lock")
LOCKED: Final = re.compile(r"^([a-z0-9.-]+)==(\S+)", re.MULTILINE)

# rule, where it holds, where not, and faults to plant
RULES: Final[Sequence[tuple[Rule, str, tuple[str, ...], tuple[str, ...]]]] = (
    (
        tidy.money_is_whole,
        "service/rules/",
        (),
        ("half = wager / 2", "wager /= 2", "x = 1.5", "float(x)", "round(x)"),
    ),
    (
        tidy.chance_has_one_door,
        "service/",
        ("service/chance.py",),
        (
            *("import random", "from secrets import token_hex", "import uuid_utils"),
            *("from uuid import uuid4", "import uuid\nuuid.uuid4()"),
            *("import os\nos.urandom(12)", "from os import urandom"),
            "from cryptography import x\nx.AESGCM.generate_key(256)",
        ),
    ),
    (
        tidy.clock_is_the_databases,
        "service/",
        (
            *("service/api/auth.py", "service/cli/token.py"),
            "service/cli/certify_wallet.py",
        ),
        (
            *("datetime.now(tz=UTC)", "dt.datetime.now()", "time.time()"),
            "from time import time_ns",
        ),
    ),
    (
        tidy.sql_is_in_the_store,
        "service/",
        ("service/store/", "service/embedded/"),
        (
            *("q = 'SELECT 1'", "q = f'select a from {t} where b'", "import psycopg"),
            *("q = '''\n INSERT INTO log VALUES (1)'''", "q = 'update x set y = 1'"),
        ),
    ),
    (
        tidy.printing_is_for_the_terminal,
        "service/",
        ("service/cli/", "service/terminal/"),
        ("print('x')", "import sys\nsys.stdout.write('x')"),
    ),
    (tidy.files_are_short, "service/", (), ("\n" * 301,)),
    (tidy.functions_are_short, "service/", (), ("def f():\n" + "    x()\n" * 50,)),
    (
        tidy.public_things_are_described,
        "service/",
        (),
        ("x = 1", '"""M."""\nclass A: ...', '"""M."""\ndef f(): ...'),
    ),
    (
        tidy.exceptions_to_a_rule_have_reasons,
        "",
        ("tests/test_tidy.py", "tests/tidy.py"),
        (
            *("x = 1  # noqa", "x = 1  # noqa: E501", "x = 1  # type: ignore"),
            *("x = 1  # type: ignore[misc]", "x = 1  # pragma: no cover"),
        ),
    ),
    (
        tidy.rules_hide_nothing_from_coverage,
        "service/rules/",
        (),
        ("x = 1  # pragma: no cover - never reached",),
    ),
    (
        tidy.tests_assert,
        "tests/",
        (),
        ("def test_nothing():\n    f()", "def test_x():\n    f()\ndef f():\n    g()"),
    ),
)


def tracked(suffix: str) -> list[str]:
    """Return the files that belong to the repository, by the end of their name."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.check_output(command, cwd=ROOT, text=True).splitlines()
    return [n for n in names if n.endswith(suffix) and (ROOT / n).is_file()]


def parsed(path: str) -> Parsed:
    return Parsed(Source(path, (ROOT / path).read_text("utf-8")))


SOURCES: Final = [parsed(path) for path in tracked(".py")]


@pytest.mark.parametrize(
    ("rule", "scope", "except_in"),
    [entry[:3] for entry in RULES],
    ids=[entry[0].__name__ for entry in RULES],
)
def test_house_rule(rule: Rule, scope: str, except_in: tuple[str, ...]) -> None:
    complaints = [
        f"{source.path}:{complaint}"
        for source in SOURCES
        if source.path.startswith(scope) and not source.path.startswith(except_in)
        for complaint in rule(source)
    ]
    assert complaints == []


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        pytest.param(rule, fault, id=f"{rule.__name__}-{number}")
        for rule, _, _, faults in RULES
        for number, fault in enumerate(faults)
    ],
)
def test_house_rule_complains(rule: Rule, fault: str) -> None:
    assert list(rule(Parsed(Source("planted.py", fault))))


def test_house_rules_accept_what_is_well() -> None:
    fine = Source(
        "tests/test_fine.py",
        '"""Select a table from the list, delete from it, update x set y."""\n'
        "from uuid import uuid5\n"
        "import time\n"
        "started = time.monotonic()\n"
        "half, rest = divmod(3, 2)\n"
        "text = 'created, updated, selected from'\n"
        "x = 1  # noqa: E501 - a reason\n"
        "def test_fine():\n"
        "    '''What it does.'''\n"
        "    check()\n"
        "def check():\n"
        "    '''What it does.'''\n"
        "    assert x\n",
    )
    complaints = [c for rule, *_ in RULES for c in rule(Parsed(fine))]
    assert complaints == []


def test_rules_are_read_in_twenty_minutes() -> None:
    lines = {
        source.path: tidy.code_lines(source)
        for source in SOURCES
        if source.path.startswith("service/rules/")
    }
    assert 0 < sum(lines.values()) <= MOST_LINES_OF_RULES, lines


def test_lines_of_code_leave_out_prose() -> None:
    prose = '"Says what it is,\\\nin two lines."\n\n# why\n'
    code = "x = (\n    1,\n)\ndef f():\n    'What it does.'\n    return 1\n"
    assert tidy.code_lines(Parsed(Source("x.py", prose + code))) == len("xxxfr")


def test_nothing_is_put_off() -> None:
    later = re.compile(r"\b(TO[D]O|FIXM[E]|X[X]X)\b")
    found = [
        path
        for path in tracked("")
        if not path.endswith((".lock", ".json"))
        if later.search((ROOT / path).read_text("utf-8", errors="replace"))
    ]
    assert found == []


def gaps(names: Sequence[str]) -> list[str]:
    """Return the names that are not the next number, 0001 first."""
    return [
        name
        for place, name in enumerate(sorted(names), 1)
        if not re.fullmatch(rf"{place:04}_[a-z0-9_]+\.sql", name)
    ]


def test_migrations_have_no_gap() -> None:
    names = [path.name for path in (ROOT / "migrations").iterdir()]
    assert names
    assert gaps(names) == []
    assert gaps(["0001_log.sql", "0003_shoe.sql"]) == ["0003_shoe.sql"]
    assert gaps(["0001_log.sql", "0001_shoe.sql"]) == ["0001_shoe.sql"]


def test_version_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    contract = yaml.safe_load((ROOT / "openapi.yaml").read_text("utf-8"))
    assert project["version"] == contract["info"]["version"] == service.__version__


def locked(name: str) -> dict[str, str]:
    """Return what a lock file pins: package -> version."""
    return dict(LOCKED.findall((ROOT / name).read_text("utf-8")))


@pytest.mark.parametrize("name", LOCKS)
def test_locks_have_hashes_and_name_no_place(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    entries = re.split(r"^(?=[a-zA-Z0-9])", text, flags=re.MULTILINE)[1:]
    assert len(entries) == len(locked(name)) > 0
    assert all("--hash=sha256:" in entry for entry in entries)
    assert not re.search(r"://|--index|--find-links|file:|@ ", text)


def test_dev_lock_holds_the_runtime_lock() -> None:
    runtime, dev = (locked(name) for name in LOCKS)
    assert runtime.items() <= dev.items()


def test_node_lock_names_no_place() -> None:
    text = (ROOT / "tests/contract/node/package-lock.json").read_text("utf-8")
    packages = json.loads(text)["packages"]
    assert not [name for name, entry in packages.items() if "resolved" in entry]
    assert all("integrity" in entry for name, entry in packages.items() if name)


def test_make_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert phony
    listed = re.findall(r"^([a-z-]+):.*## \w", makefile, re.MULTILINE)
    assert sorted(listed) == sorted(phony[1].split())


def test_the_map_of_the_code_is_true() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    named = re.findall(r"`((?:deploy|migrations|service|tests)(?:/[\w.-]+)*)`", text)
    assert len(named) > 50
    assert [path for path in named if not (ROOT / path).exists()] == []
    order = re.search(r"The rules are read in this order: `(.+)`", text)
    assert order
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (rules,) = (c for c in contracts if c.get("containers") == ["service.rules"])
    layers = [layer.split(" | ") for layer in reversed(rules["layers"])]
    names = [name for layer in layers for name in layer]
    assert order[1].split(", ") == names
    said = service.rules.__doc__ or ""
    assert " ".join(said.split()).endswith(f"Reading order: {', '.join(names)}.")


def test_container_is_built_from_what_it_is_sent() -> None:
    recipe = (ROOT / "deploy/Dockerfile").read_text("utf-8")
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", recipe, re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    let_through = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert names == {line[1:] for line in let_through if line.startswith("!")}
    assert all((ROOT / name).exists() for name in names)
