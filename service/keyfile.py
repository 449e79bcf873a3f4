"""Key files: several secret keys with a name each, one of them current.

A file is JSON, `{"current": "k2", "keys": {"k1": HEX, "k2": HEX}}`, HEX being
32 bytes. New work is done with the current key; the others stay readable. To
rotate: add a key, make it current, restart, and remove the old one only when
nothing made with it is needed any more.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Self

import orjson

from service.chance import new_secret

KEY_BYTES: Final = 32
_LINES: Final = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
_KEY = re.compile(rf"[0-9a-fA-F]{{{2 * KEY_BYTES}}}")
_KEY_ID = re.compile(r"[A-Za-z0-9_-]{1,32}")


class KeyFault(Exception):
    """A key file cannot be used; says where and why, and never a key."""

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(f"{source}: {reason}")
        self.source = source
        self.reason = reason


class KeyFile:
    """What a key file says: `current` and the keys by name.

    The constructor takes keys that are known to be good; `from_text` checks.
    No NamedTuple or dataclass, because its text must show names only.
    """

    __slots__ = ("_keys", "current")

    def __init__(self, current: str, keys: Mapping[str, bytes]) -> None:
        self.current: Final = current
        self._keys: Final = dict(keys)

    @classmethod
    def from_file(cls, path: Path) -> Self:
        """Read a key file. Raises KeyFault."""
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "is not UTF-8 text"
            # Without its cause: a decoding error holds the bytes it read.
            raise KeyFault(str(path), f"can't be read: {reason}") from None
        return cls.from_text(text, str(path))

    @classmethod
    def from_text(cls, text: str, source: str) -> Self:
        """Check the text of a key file; `source` is its name in errors.

        Raises KeyFault.

        >>> KeyFile.from_text('{"current": "k2", "keys": {"k1": "00"}}', "keys.json")
        Traceback (most recent call last):
        ...
        service.keyfile.KeyFault: keys.json: key "k1" must be 64 hex digits
        """
        try:
            found = orjson.loads(text)
        except orjson.JSONDecodeError:
            # Without its cause: it holds the whole text.
            raise KeyFault(source, "is not valid JSON") from None
        if not isinstance(found, dict) or found.keys() != {"current", "keys"}:
            raise KeyFault(source, 'must be an object of "current" and "keys"')
        current, keys = found["current"], found["keys"]
        if not isinstance(keys, dict) or not keys:
            raise KeyFault(source, '"keys" must be an object of at least one key')
        good = {kid: _key_of(kid, key, source) for kid, key in keys.items()}
        if not isinstance(current, str) or current not in good:
            raise KeyFault(source, '"current" must be the name of one of the keys')
        return cls(current, good)

    @staticmethod
    def fresh_text(kid: str) -> str:
        """Make the text of a new key file with one new key.

        >>> KeyFile.from_text(KeyFile.fresh_text("k1"), "new")
        <KeyFile k1 (current)>
        """
        keys = {kid: new_secret(KEY_BYTES).hex()}
        text = orjson.dumps({"current": kid, "keys": keys}, option=_LINES)
        return text.decode()

    def items(self) -> Iterator[tuple[str, bytes]]:
        """Give each key's name and its bytes."""
        return iter(self._keys.items())

    def __repr__(self) -> str:
        """Name the keys and show none."""
        names = (
            f"{kid} (current)" if kid == self.current else kid for kid in self._keys
        )
        return f"<KeyFile {', '.join(names)}>"


def _key_of(kid: str, key: object, source: str) -> bytes:
    """Check one key and its name."""
    if not _KEY_ID.fullmatch(kid):
        raise KeyFault(source, "a key's name must be 1 to 32 of A-Z a-z 0-9 _ -")
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise KeyFault(source, f'key "{kid}" must be {2 * KEY_BYTES} hex digits')
    return bytes.fromhex(key)
