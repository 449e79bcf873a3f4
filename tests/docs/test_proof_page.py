"""docs/proof.md: its lines of code find what they should, its commands are there."""

import copy
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from service.audit import CHECKS
from service.chance import new_id
from service.cli import main
from service.keyfile import KeyFile
from service.seals.export import write
from service.seals.seal import GENESIS, Seal, SealKeys
from service.seals.tree import Leaf, Tree
from tests.chance.documents import RICH
from tests.docs.page import Page

PAGE = Page.of("proof.md")
KEYS = SealKeys(KeyFile.from_text(KeyFile.fresh_text("k1"), "keys"))


def code(name: str) -> str:
    (text,) = (block.text for block in PAGE.blocks if block.about == name)
    return text


def python(name: str, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run a block of the page in a Python of its own."""
    command = [sys.executable, "-c", code(name), *words]
    return subprocess.run(
        command, input=stdin, capture_output=True, text=True, check=False
    )


def test_the_lines_for_a_proof_prove_and_refute() -> None:
    honest = python("chain.py", stdin=json.dumps(RICH))
    assert honest.returncode == 0, honest.stderr
    assert honest.stdout == f"8 rows, the last is {RICH['rows'][-1]['hash']}\n"
    changed = copy.deepcopy(RICH)
    changed["rows"][4]["at"] += 1
    assert "row 5 was changed" in python("chain.py", stdin=json.dumps(changed)).stderr
    changed = copy.deepcopy(RICH)
    order = changed["shoe"]["order"]
    changed["shoe"]["order"] = order[2:] + order[:2]
    assert "another shoe" in python("chain.py", stdin=json.dumps(changed)).stderr


def kept(folder: Path) -> str:
    """Export three seals, of three, no and four rounds; return the public key."""
    former = GENESIS
    for number, count in enumerate((3, 0, 4), 1):
        leaves = sorted(Leaf(new_id(), new_id(), 3, b"h" * 32) for _ in range(count))
        tree = Tree()
        for leaf in leaves:
            tree.add(leaf.digest)
        rest = (count, tree.root(), former, "k1")
        seal = Seal(number, f"2026-12-0{number}", 7, 100 * number, *rest)
        write(folder, KEYS.signed(seal), leaves)
        former = seal.digest
    return KEYS.public["k1"].hex()


def test_the_lines_for_seals_prove_and_refute(tmp_path: Path) -> None:
    public_key = kept(tmp_path)
    honest = python("seal.py", str(tmp_path), public_key)
    assert honest.returncode == 0, honest.stderr
    told = [line.split(", root")[0] for line in honest.stdout.splitlines()]
    days = ("2026-12-01: 3", "2026-12-02: 0", "2026-12-03: 4")
    assert told == [f"{day} rounds" for day in days]
    assert "InvalidSignature" in python("seal.py", str(tmp_path), "00" * 32).stderr
    rows = tmp_path / "seal-000003.leaves"
    lines = rows.read_text().splitlines(keepends=True)
    rows.write_text("".join([*lines[1:], lines[0]]))
    assert "other leaves" in python("seal.py", str(tmp_path), public_key).stderr
    (tmp_path / "seal-000001.json").unlink()
    assert "a seal is missing" in python("seal.py", str(tmp_path), public_key).stderr


@pytest.mark.parametrize(
    "line",
    [
        line
        for block in PAGE.blocks
        if block.language == "sh"
        for line in block.text.splitlines()
    ],
)
def test_commands_of_the_page_are_there(line: str) -> None:
    program, *words = line.split()
    assert program == "upcard"
    names = [word for word in words if not word.startswith("-")]
    group = names[:2] if names[0] in {"seals", "keys"} else names[:1]
    help_ = CliRunner().invoke(main, [*group, "--help"])
    assert help_.exit_code == 0
    for option in (word for word in words if word.startswith("--")):
        assert option in help_.stdout


def test_the_checks_of_the_page_are_those_that_are_made() -> None:
    for name in CHECKS:
        assert f"\n| {name} | " in PAGE.text
