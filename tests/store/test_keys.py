"""Key files are made once, are private, and never made anew beside rounds."""

from pathlib import Path

import pytest

from service.embedded.errors import EmbeddedFault
from service.embedded.keys import ensure_keys
from service.keyfile import KeyFile


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    return [tmp_path / "secrets" / "shoe.json", tmp_path / "secrets" / "token.json"]


def test_missing_files_are_made_private_and_different(files: list[Path]) -> None:
    assert ensure_keys(files, lambda: False) == files
    assert [path.stat().st_mode & 0o777 for path in files] == [0o600, 0o600]
    assert files[0].parent.stat().st_mode & 0o777 == 0o700
    keys = [dict(KeyFile.from_file(path).items()) for path in files]
    assert keys[0] != keys[1]
    assert sorted(files[0].parent.iterdir()) == files, "no part is left behind"


def test_files_that_are_there_stay_and_nobody_asks(files: list[Path]) -> None:
    ensure_keys(files, lambda: False)
    before = [path.read_bytes() for path in files]

    def asked() -> bool:
        raise AssertionError

    assert ensure_keys(files, asked) == []
    assert [path.read_bytes() for path in files] == before


def test_none_is_made_beside_a_database_in_use(files: list[Path]) -> None:
    ensure_keys(files[:1], lambda: False)
    with pytest.raises(EmbeddedFault, match="put the file back from your backup"):
        ensure_keys(files, lambda: True)
    assert not files[1].exists()


def test_a_folder_that_cannot_be_made_is_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "secrets").touch()
    with pytest.raises(EmbeddedFault, match="secrets"):
        ensure_keys([tmp_path / "secrets" / "key.json"], lambda: False)


def test_who_starts_at_the_same_time_takes_the_same_keys(tmp_path: Path) -> None:
    file = tmp_path / "seal-keys.json"

    def another_was_faster() -> bool:
        ensure_keys([file], lambda: False)
        return False

    ensure_keys([file], another_was_faster)
    assert KeyFile.from_file(file).current == "k1"
