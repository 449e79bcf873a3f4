"""What this installation is made of, against a signed list of what it should be.

Source: GLI-19 v3.0, 2.3.2 (a check of the critical parts of the system, on demand and
once a day, by a digest of at least 128 bits).
"""

import hashlib
import platform
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from importlib import metadata
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import orjson

from service import __version__, shipped
from service.config import Config
from service.keyfile import KeyFault, KeyFile
from service.seals.seal import SealKeys, is_signed

_LINES: Final = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
_SKIPPED: Final = "__pycache__"
_FINGERPRINT_DIGITS: Final = 16
_SHIPPED: Final = ("migrations", "openapi.yaml", "deploy/gunicorn.conf.py")


class ListFault(Exception):
    """A signed list can't be used: why."""


class SignedList(NamedTuple):
    """What an installation should be made of, a text for each name, and who says so."""

    entries: Mapping[str, str]
    key_id: str
    public_key: bytes
    signature: bytes


class Difference(NamedTuple):
    """An entry that is not as it was signed; None: it is not there."""

    name: str
    signed: str | None
    found: str | None

    @property
    def text(self) -> str:
        """What is wrong, in a line."""
        if self.signed is None:
            return f"{self.name}: is not in the signed list"
        if self.found is None:
            return f"{self.name}: is missing"
        return f"{self.name}: is {self.found}, and {self.signed} was signed"


def entries_of(
    config: Config, tables: Iterable[tuple[str, str, str]]
) -> dict[str, str]:
    """Return the digests of code, packages and tables, and the settings, by name.

    `tables` are id, version and text of each that is loaded.
    """
    found = dict(code_entries(Path(__file__).parent))
    for name in _SHIPPED:
        found |= _digests(shipped(name), name)
    found |= dict(_packages())
    for table_id, version, source in tables:
        found[f"table {table_id} {version}"] = _sha256(source.encode())
    found |= dict(_settings(config))
    return dict(sorted(found.items()))


def code_entries(package: Path) -> Iterator[tuple[str, str]]:
    """Yield the digest of each file of this program's package."""
    yield from _digests(package, "service").items()


def signed_list(entries: Mapping[str, str], keys: SealKeys) -> SignedList:
    """Sign a list of entries with the current key."""
    return SignedList(entries, *keys.sign(_text(entries)))


def differences(
    signed: SignedList, found: Mapping[str, str], trusted: Iterable[bytes]
) -> list[Difference]:
    """Return what is not as it was signed, by name.

    Raises ListFault when the list is not signed by one of the trusted public keys.
    """
    if signed.public_key not in set(trusted):
        raise ListFault(
            f"is signed with key {signed.public_key.hex()}, which is not trusted"
        )
    if not is_signed(_text(signed.entries), signed.public_key, signed.signature):
        raise ListFault("its signature is wrong: it was changed")
    return [
        Difference(name, signed.entries.get(name), found.get(name))
        for name in sorted(signed.entries.keys() | found.keys())
        if signed.entries.get(name) != found.get(name)
    ]


def to_json(signed: SignedList) -> bytes:
    """Return a signed list as a file's content."""
    told = {
        **signed._asdict(),
        "public_key": signed.public_key.hex(),
        "signature": signed.signature.hex(),
    }
    return orjson.dumps(told, option=_LINES)


def from_json(content: bytes) -> SignedList:
    """Return the signed list of a file. Raises ListFault."""
    try:
        told: dict[str, Any] = orjson.loads(content)
        entries = {str(name): str(value) for name, value in told["entries"].items()}
        keys = (bytes.fromhex(told["public_key"]), bytes.fromhex(told["signature"]))
        return SignedList(entries, str(told["key_id"]), *keys)
    except (AttributeError, LookupError, TypeError, ValueError):
        raise ListFault("is no list that `upcard selfcheck --sign` made") from None


def _text(entries: Mapping[str, str]) -> bytes:
    """Return what is signed: a line an entry, in order."""
    lines = (f"{name}\t{value}\n" for name, value in sorted(entries.items()))
    return "".join(("upcard-selfcheck/1\n", *lines)).encode()


def _digests(path: Path, name: str) -> dict[str, str]:
    """Return the digest of a file, or of each one in a folder."""
    if path.is_file():
        return {f"file {name}": _sha256(path.read_bytes())}
    return {
        f"file {name}/{file.relative_to(path).as_posix()}": _sha256(file.read_bytes())
        for file in path.rglob("*")
        if file.is_file() and _SKIPPED not in file.parts
    }


def _packages() -> Iterator[tuple[str, str]]:
    """Yield the versions of what this runs on, with the digest of its list of files."""
    yield "runtime python", platform.python_version()
    yield "runtime upcard", __version__
    for package in metadata.distributions():
        record = package.read_text("RECORD") or ""
        name = str(package.metadata["Name"]).lower()
        yield f"package {name}", f"{package.version} {_sha256(record.encode())}"


def _settings(config: Config) -> Iterator[tuple[str, str]]:
    """Yield the settings; of a secret no more than a fingerprint."""
    for field in fields(config):
        value = getattr(config, field.name)
        if field.name.endswith("_keys"):
            yield f"setting {field.name}", _fingerprints(value)
        elif field.name.endswith("database_url"):
            yield f"setting {field.name}", _without_password(value)
        else:
            yield f"setting {field.name}", str(value)


def _fingerprints(path: Path) -> str:
    """Return a key file's names, each with the beginning of its key's digest.

    A key has 256 bits of chance: its digest tells nothing of it.
    """
    try:
        keys = KeyFile.from_file(path)
    except KeyFault as fault:
        return f"({fault.reason})"
    shown = (
        f"{kid}={hashlib.sha256(key).hexdigest()[:_FINGERPRINT_DIGITS]}"
        for kid, key in sorted(keys.items())
    )
    return f"{' '.join(shown)}, current {keys.current}"


def _without_password(url: str | None) -> str:
    if url is None:
        return "(the embedded PostgreSQL)"
    parts = urlsplit(url)
    user = f"{parts.username}@" if parts.username else ""
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{user}{parts.hostname or ''}{port}{parts.path}"


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
