"""Make .venv from a lock file, or bring it up to date: `make_venv.py runtime|dev`.

Needs only a Python of its own. It may be run twice, twice at once, or again after it
was killed: a lock keeps two runs apart, and an installation that was not finished
is thrown away instead of being trusted.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
UNFINISHED = VENV / "unfinished"
LOCKS = {"runtime": "requirements.lock", "dev": "requirements-dev.lock"}
# The dev lock holds all of the runtime lock, at the same versions.
STAMPS = {"runtime": ("runtime",), "dev": ("runtime", "dev")}


def main(kind: str) -> None:
    """Install the packages of that kind, unless that is done already."""
    require_venv_module()
    with alone() as lock:
        if not healthy():
            shutil.rmtree(VENV, ignore_errors=True)
            say("making .venv with Python " + sys.version.split()[0])
            venv.create(VENV, with_pip=True, symlinks=True)
        elif up_to_date(kind):
            stamp(kind)
            return
        UNFINISHED.touch()
        say(f"installing {LOCKS[kind]} into .venv (about a minute when new)")
        pip(lock, "--require-hashes", "-r", str(ROOT / LOCKS[kind]))
        pip(lock, "--no-deps", "--no-build-isolation", "-e", str(ROOT))
        stamp(kind)
        UNFINISHED.unlink()


def require_venv_module() -> None:
    """Stop with advice where the system's Python came without ensurepip."""
    try:
        __import__("ensurepip")
    except ImportError:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        sys.exit(
            f"This Python cannot make a virtual environment: ensurepip is missing. "
            f"On Debian and Ubuntu: apt-get install python{version}-venv"
        )


@contextlib.contextmanager
def alone() -> Iterator[int]:
    """Hold the lock on the folder; children that hold it too keep it after a kill."""
    descriptor = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def healthy() -> bool:
    """Tell whether .venv was finished, has not been moved, and its Python runs."""
    if UNFINISHED.exists() or not (VENV / "pyvenv.cfg").exists():
        return False
    probe = [str(VENV / "bin" / "python"), "-c", "import pip, sys; print(sys.prefix)"]
    try:
        answer = subprocess.run(probe, check=True, capture_output=True, text=True)
        script = (VENV / "bin" / "pip").read_text("utf-8")
    except (OSError, subprocess.CalledProcessError):
        return False
    return answer.stdout.strip() == str(VENV) and str(VENV) in script


def digest(kind: str) -> str:
    """Return what the installed packages follow from."""
    names = (LOCKS[kind], "pyproject.toml")
    return hashlib.sha256(b"".join((ROOT / n).read_bytes() for n in names)).hexdigest()


def up_to_date(kind: str) -> bool:
    """Tell whether the stamp was written for these very files."""
    path = VENV / f"{kind}.stamp"
    return path.exists() and path.read_text("ascii") == digest(kind)


def stamp(kind: str) -> None:
    """Say, for make and for the next run, that this kind is installed."""
    for each in STAMPS[kind]:
        (VENV / f"{each}.stamp").write_text(digest(each), "ascii")


def pip(lock: int, *arguments: str) -> None:
    """Install with the environment's own pip, the lock held for as long as it runs."""
    command = [str(VENV / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    command += ["--no-input", "--disable-pip-version-check", *arguments]
    result = subprocess.run(command, check=False, pass_fds=(lock,))
    if result.returncode:
        sys.exit("The packages could not be installed (see above); run make again.")


def say(text: str) -> None:
    """Tell the person who waits."""
    sys.stderr.write(f"upcard: {text}\n")


if __name__ == "__main__":
    if sys.argv[1:] not in [[kind] for kind in LOCKS]:
        sys.exit(f"usage: make_venv.py {'|'.join(LOCKS)}")
    main(sys.argv[1])
