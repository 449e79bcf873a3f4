"""Serving, the bonus's chances and the simulation need no numpy."""

import subprocess
import sys

WITHOUT = "import sys; sys.modules['numpy'] = None; "
IMPORT_ALL = """
import importlib, pkgutil, service
for module in pkgutil.walk_packages(service.__path__, "service."):
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        print(module.name, error.name)
"""
COMMAND = "from service.cli import main; main({!r})"


def without_numpy(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT + script],
        check=False,
        capture_output=True,
        text=True,
    )


def test_only_the_exact_analysis_needs_numpy() -> None:
    refused = without_numpy(IMPORT_ALL)
    assert refused.returncode == 0, refused.stderr
    modules = dict(line.split() for line in refused.stdout.splitlines())
    assert modules == {
        f"service.analysis.{name}": "numpy"
        for name in (
            *("charts", "hands", "optimum", "plays", "published", "report"),
            *("splits", "study", "upcards", "weights"),
        )
    }


def test_what_is_known_is_shown_and_the_rest_says_what_to_install() -> None:
    shown = without_numpy(COMMAND.format(["strategy", "classic-three"]))
    assert "Return to player 99.5401%" in shown.stdout
    made = without_numpy(COMMAND.format(["tables", "analyse", "classic-three"]))
    assert made.returncode == 1
    assert "pip install 'upcard[analysis]'" in made.stderr
