"""Resolve the dependencies of pyproject.toml again and write both lock files.

One lock fits Python 3.11 to 3.13 on every platform; it carries hashes and names no
index, so that it can be installed from any. uv does the resolving and nothing else: it
lives in a folder that is thrown away.
"""

import subprocess
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPTIONS = (
    *("--universal", "--python-version", "3.11", "--generate-hashes", "--upgrade"),
    *("--no-emit-index-url", "--no-emit-find-links", "--no-config", "--quiet"),
    *("--custom-compile-command", "make lock", "--group", "build"),
)
LOCKS = {
    "requirements.lock": (),
    "requirements-dev.lock": ("--group", "dev", "--constraint", "requirements.lock"),
}


def main() -> None:
    """Write requirements.lock, then requirements-dev.lock at the same versions."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        programs = Path(folder) / "bin"
        subprocess.run([programs / "pip", "install", "--quiet", "uv"], check=True)
        uv = str(programs / "uv")
        for lock, more in LOCKS.items():
            command = [uv, "pip", "compile", "pyproject.toml", *OPTIONS, *more]
            subprocess.run([*command, "--output-file", lock], check=True, cwd=ROOT)


if __name__ == "__main__":
    main()
