"""The `upcard` command: its help, and that it knows its subcommands."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import service.cli
from service.cli import SECTIONS, main

NAMES = [name for section in SECTIONS.values() for name in section]


def test_help_lists_each_command_with_a_line() -> None:
    result = CliRunner().invoke(main, ["--help"])
    assert result.exit_code == 0
    for section in SECTIONS.values():
        for name, line in section.items():
            assert f"  {name} " in result.output
            assert line in " ".join(result.output.split())


def test_help_is_fast_because_it_imports_no_subcommand() -> None:
    ask = "from service.cli import main; main(['-h'], standalone_mode=False)"
    heavy = "{'flask', 'psycopg', 'rich', 'cryptography', 'jsonschema_rs'}"
    script = f"import sys; {ask}; sys.exit(str({heavy} & sys.modules.keys() or ''))"
    result = subprocess.run(
        [sys.executable, "-c", script], check=False, capture_output=True, text=True
    )
    assert result.stderr.strip() == ""


def test_every_module_with_a_command_is_listed() -> None:
    folder = Path(service.cli.__file__).parent
    modules = {
        path.stem.replace("_", "-")
        for path in folder.glob("[a-z]*.py")
        if re.search(r"^(def command\(|command\b.* = )", path.read_text(), re.MULTILINE)
    }
    assert modules == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_command_says_what_it_does(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.name == name
    result = CliRunner().invoke(main, [name, "--help"])
    assert result.exit_code == 0
    assert command.help


def paths(
    command: click.Command, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command, of those inside of groups too."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from paths(inner, (*path, name))


@pytest.mark.parametrize("path", list(paths(main)), ids=" ".join)
def test_help_fits_and_leaves_nothing_out(path: tuple[str, ...]) -> None:
    result = CliRunner().invoke(main, [*path, "--help"], env={"COLUMNS": "80"})
    usage, *lines = result.output.splitlines()
    assert usage.startswith("Usage: ")
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if line.endswith("...")] == []
    command = main
    for name in path:
        command = command.get_command(click.Context(command), name)  # type: ignore[assignment]  # all but the last are groups
    silent = [
        option.name
        for option in command.params
        if isinstance(option, click.Option) and not option.help
    ]
    assert silent == []


def test_an_unknown_command_is_refused_by_name() -> None:
    result = CliRunner().invoke(main, ["surrender"])
    assert result.exit_code != 0
    assert "No such command 'surrender'" in result.output


def test_version_is_the_packages() -> None:
    result = CliRunner().invoke(main, ["--version"])
    assert result.output == f"upcard {service.__version__}\n"
