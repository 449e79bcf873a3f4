"""Reading a TOML file's sections, and noting every fault of them at once."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from service.rules.table import Ratio


class FileFault(ValueError):
    """A file that is refused: which one, and each key with its reason."""

    def __init__(self, source: str, faults: tuple[str, ...]) -> None:
        """Keep the faults and make one text of them, a line each."""
        self.source = source
        self.faults = faults
        super().__init__("\n".join(f"{source}: {fault}" for fault in faults))


def shipped_files(folder: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each TOML file that comes in a folder of ours."""
    found = (files("service") / folder).iterdir()
    named = [file for file in found if file.name.endswith(".toml")]
    for file in sorted(named, key=lambda file: file.name):
        yield file.name, file.read_text("utf-8")


def settings_of(text: str, source: str, fault: type[FileFault]) -> dict[str, Any]:
    """Return what a file's text says; raises ``fault`` for one that is not TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise fault(source, (f"is not TOML: {error}",)) from error


class Reader:
    """Takes the keys of one TOML section and notes what is wrong with them."""

    def __init__(self, section: Mapping[str, Any], path: str = "") -> None:
        """Take a section; `path` leads to it, as "limits.USD." does."""
        self.section = dict(section)
        self.path = path
        self.faults: list[str] = []

    def fault(self, key: str, reason: str) -> None:
        """Note what is wrong with a key."""
        self.faults.append(f"{self.path}{key}: {reason}")

    def take(self, key: str, *, optional: bool = False) -> Any:  # noqa: ANN401 - TOML
        """Take a key's value as it is; None where there is none."""
        if key not in self.section and not optional:
            self.fault(key, "is missing")
        return self.section.pop(key, None)

    def integer(
        self, key: str, low: int, high: int, *, optional: bool = False
    ) -> int | None:
        """Take a whole number from `low` to `high`."""
        value = self.take(key, optional=optional)
        if value is None:
            return None
        if type(value) is not int or not low <= value <= high:
            self.fault(
                key, f"must be a whole number from {low} to {high}; is {value!r}"
            )
            return None
        return value

    def whole_numbers(self, key: str) -> tuple[int, ...]:
        """Take a list of whole numbers above 0."""
        values = self.take(key)
        if values is None:
            return ()
        good = isinstance(values, list) and values
        if not good or any(type(v) is not int or v < 1 for v in values):
            self.fault(key, f"must be a list of whole numbers above 0; is {values!r}")
            return ()
        return tuple(values)

    def flag(self, key: str) -> bool:
        """Take true or false."""
        value = self.take(key)
        if value is not None and type(value) is not bool:
            self.fault(key, f"must be true or false; is {value!r}")
        return bool(value)

    def choice(self, key: str, *choices: str) -> Any:  # noqa: ANN401 - a Literal
        """Take one of some words."""
        value = self.take(key)
        if value is not None and value not in choices:
            wanted = " or ".join(repr(choice) for choice in choices)
            self.fault(key, f"must be {wanted}; is {value!r}")
        return value

    def text(self, key: str, pattern: str, meaning: str) -> str:
        """Take a text of a pattern; `meaning` says it in words."""
        value = self.take(key)
        if value is not None and not (
            isinstance(value, str) and re.fullmatch(pattern, value)
        ):
            self.fault(key, f"must be {meaning}; is {value!r}")
        return str(value)

    def ratio(self, key: str) -> Ratio:
        """Take a ratio such as "3:2"."""
        value = self.take(key)
        match = re.fullmatch(r"([1-9]\d{0,3}):([1-9]\d{0,3})", str(value))
        if value is not None and not match:
            self.fault(key, f"must be a ratio such as '3:2'; is {value!r}")
        return Ratio(int(match[1]), int(match[2])) if match else Ratio(1, 1)

    def inner(self, key: str, *, optional: bool = False) -> "Reader | None":
        """Take a section of its own."""
        value = self.take(key, optional=optional)
        if value is None:
            return None
        if not isinstance(value, dict):
            self.fault(key, f"must be a section; is {value!r}")
            return None
        return Reader(value, f"{self.path}{key}.")

    def finish(self, *inner: "Reader | None") -> None:
        """Note what nobody has taken, and the faults of the sections inside."""
        for key in self.section:
            self.fault(key, "is not a setting")
        for reader in inner:
            if reader is not None:
                self.faults.extend(reader.faults)
