"""`make mutants`: change the rules in every small way and see that a test notices.

A mutant that lives is a missing test, unless it behaves as the original does. Those
are listed in tests/rules/equivalent.toml, each with the reason; they are known by what
changed and not by mutmut's numbers, which move with every edit.
"""

import os
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
MUTMUT: Final = str(Path(sys.executable).with_name("mutmut"))
LISTED: Final = ROOT / "tests" / "rules" / "equivalent.toml"
ALIVE: Final = {"survived", "no tests", "suspicious", "skipped"}


class Mutant(NamedTuple):
    """What was changed where; the lines are stripped."""

    function: str
    before: str
    after: str


def main(patterns: list[str]) -> int:
    """Run mutmut (on these mutants only, if any are named); return the exit code."""
    quick = {**os.environ, "HYPOTHESIS_PROFILE": "quick"}
    subprocess.run([MUTMUT, "run", *patterns], check=True, cwd=ROOT, env=quick)
    alive = Counter(living())
    listed = Counter(equivalents(LISTED.read_text("utf-8")))
    for mutant in alive - listed:
        write(f"lives: {mutant.function}\n  - {mutant.before}\n  + {mutant.after}")
    stale = Counter() if patterns else listed - alive
    for mutant in stale:
        write(f"listed, and not alive: {mutant.function}\n  + {mutant.after}")
    unknown = (alive - listed).total()
    write(f"{unknown} mutants live, {listed.total()} are listed as equivalent.")
    return 1 if unknown or stale else 0


def living() -> Iterator[Mutant]:
    """Ask mutmut which mutants of its last run no test noticed."""
    for line in ask("results").splitlines():
        name, _, verdict = line.strip().rpartition(": ")
        if verdict in ALIVE:
            yield mutant_of(name, ask("show", name))


def mutant_of(name: str, diff: str) -> Mutant:
    r"""Read the diff that mutmut shows.

    >>> diff = "--- a\n+++ b\n@@ -1 +1 @@\n def f():\n-    x = 1\n+    x = 2\n"
    >>> mutant_of("service.rules.cards.x_f__mutmut_1", diff)
    Mutant(function='service.rules.cards.x_f', before='x = 1', after='x = 2')
    """
    lines = diff.partition("@@")[2].splitlines()[1:]
    before, after = (
        " ".join(line[1:].strip() for line in lines if line.startswith(sign))
        for sign in "-+"
    )
    return Mutant(name.partition("__mutmut_")[0], before, after)


def equivalents(text: str) -> Iterator[Mutant]:
    """Read the list of equivalent mutants; each must have a reason."""
    for entry in tomllib.loads(text).get("mutant", []):
        if not entry["reason"].strip():
            raise ValueError(f"{entry}: why is it equivalent?")
        yield Mutant(entry["function"], entry["before"], entry["after"])


def ask(*words: str) -> str:
    """Return what mutmut answers."""
    return subprocess.check_output([MUTMUT, *words], cwd=ROOT, text=True)


def write(line: str) -> None:
    """Tell the person who waits."""
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
