"""The lock of a home: who holds it, who may read it."""

import fcntl
from pathlib import Path

import pytest

from service.embedded.home import Busy, Home


def test_the_lock_is_for_its_owner_alone(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.touch(0o644)
    with Home(tmp_path).locked():
        assert lock.stat().st_mode & 0o777 == 0o600


NEVER = str(2**22 + 1)
"""More than any process id of Linux."""


@pytest.mark.parametrize("written", ["", "no number", "9" * 40, NEVER])
def test_a_lock_that_another_program_holds_is_blamed_on_no_upcard(
    tmp_path: Path, written: str
) -> None:
    lock = tmp_path / "lock"
    lock.write_text(f"{written}\n")
    with lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(Busy, match="in use by another program") as caught:
            Home(tmp_path).locked().__enter__()
    assert "another upcard" not in str(caught.value)
