"""The figures of analysed tables, found by the digest of a table's rules.

Those of the shipped tables stand beside them; those that an operator made, in the
home of the service. Nothing is computed here.
"""

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

FORMAT: Final = 1
SUFFIX: Final = ".figures.json"

Json = dict[str, Any]


class Figures:
    """Figures by table version: the shipped ones, and those of a folder.

    ``known`` are those that were read; they never change.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Read the shipped figures; the folder is looked into when asked."""
        self.folder = folder
        self.known: dict[str, Json] = {
            figures["table_version"]: figures for figures in shipped_figures()
        }

    def of(self, version: str) -> Json | None:
        """Return the figures of a table version, None when it is not analysed."""
        found = self.known.get(version)
        if found is None and self.folder is not None:
            found = read_figures(self.folder / f"{version}{SUFFIX}")
            if found is not None:
                self.known[version] = found
        return found


def shipped_figures() -> Iterator[Json]:
    """Yield the figures that are committed beside the shipped tables."""
    for file in (files("service") / "tables").iterdir():
        if file.name.endswith(SUFFIX):
            figures: Json = json.loads(file.read_text("utf-8"))
            yield figures


def read_figures(path: Path) -> Json | None:
    """Return the figures in a file; None without it, or when it holds none."""
    try:
        read: object = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return read if isinstance(read, dict) and read.get("format") == FORMAT else None


def write_figures(path: Path, figures: Mapping[str, Any]) -> None:
    """Write figures at once: a service that reads them meanwhile sees all or none."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(written(figures), "utf-8")
    part.replace(path)


def written(figures: Mapping[str, Any]) -> str:
    """Return figures as the text of their file: a hand a line, so that changes show."""
    lines = []
    for name, value in figures.items():
        if isinstance(value, dict) and name in {"hands", "strategy"}:
            inner = [f"  {_line(key)}: {_line(cell)}" for key, cell in value.items()]
            lines.append(f"{_line(name)}: {{\n" + ",\n".join(inner) + "\n}")
        else:
            lines.append(f"{_line(name)}: {_line(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=True)
