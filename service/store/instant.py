"""Values on their way to PostgreSQL and back, in binary and without detours.

An instant is an int here, microseconds since 1970 UTC, and timestamptz there; an id
is text here and uuid there; JSON stays the bytes that were hashed.
"""

import struct
from typing import Final

from psycopg import adapters
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap, Dumper, Loader
from psycopg.pq import Format

_EPOCH_2000: Final = 946_684_800_000_000
"""2000-01-01 UTC in microseconds since 1970: where timestamptz counts from."""

_INT64: Final = struct.Struct(">q")


class Instant(int):
    """Microseconds since 1970 UTC, to be sent as a timestamptz."""

    __slots__ = ()


class _InstantDumper(Dumper):
    format = Format.BINARY
    oid = adapters.types["timestamptz"].oid

    def dump(self, obj: int) -> bytes:
        return _INT64.pack(obj - _EPOCH_2000)


class _InstantLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> int:
        found: int = _INT64.unpack(data)[0]
        return found + _EPOCH_2000


class _UuidLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> str:
        digits = bytes(data).hex()
        return (
            f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
        )


class _JsonLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> bytes:
        return bytes(data)


def instant(at: int | None) -> Instant | None:
    """Mark a time as one, keeping None."""
    return None if at is None else Instant(at)


def store_adapters() -> AdaptersMap:
    """Make the adapters that every connection of the store begins with."""
    ours = AdaptersMap(adapters)
    ours.register_dumper(Instant, _InstantDumper)
    ours.register_loader("timestamptz", _InstantLoader)
    ours.register_loader("uuid", _UuidLoader)
    ours.register_loader("json", _JsonLoader)
    return ours
