"""Seals as files, for whoever keeps them elsewhere and checks them without us.

`seal-000001.json` is what was signed, key and signature; `seal-000001.leaves` has a
line a round: account, round, version, hash.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, Final

import orjson

from service.seals.seal import Seal, SignedSeal, chain_faults
from service.seals.tree import Leaf, Tree

_LINES: Final = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


class ExportFault(Exception):
    """An exported file is none that we have written: which, and why."""


def as_json(signed: SignedSeal) -> dict[str, Any]:
    """Return a seal for JSON: bytes in hex.

    The number of a transaction is text: it has 64 bits, which not every reader has.
    """
    seal, public_key, signature = signed
    return {
        **seal._asdict(),
        "before": str(seal.before),
        "root": seal.root.hex(),
        "previous": seal.previous.hex(),
        "public_key": public_key.hex(),
        "signature": signature.hex(),
    }


def from_json(found: Any) -> SignedSeal:  # noqa: ANN401 - JSON
    """Return the seal of a JSON object. Raises LookupError, TypeError, ValueError."""
    fields = {name: found[name] for name in Seal._fields}
    fields["before"] = int(fields["before"])
    for name in ("root", "previous"):
        fields[name] = bytes.fromhex(fields[name])
    public_key, signature = found["public_key"], found["signature"]
    return SignedSeal(
        Seal(**fields), bytes.fromhex(public_key), bytes.fromhex(signature)
    )


def write(folder: Path, signed: SignedSeal, leaves: Iterable[Leaf]) -> bool:
    """Write a seal's two files; False when they are there. Raises OSError.

    The seal comes last, and whole: where it is, its leaves are, too.
    """
    seal, rows = _files(folder, signed.seal.number)
    if seal.exists():
        return False
    with rows.open("w", encoding="ascii") as file:
        for leaf in leaves:
            file.write(f"{leaf[0]} {leaf[1]} {leaf[2]} {leaf[3].hex()}\n")
        _keep(file)
    beginning = seal.with_suffix(".part")
    with beginning.open("wb") as whole:
        whole.write(orjson.dumps(as_json(signed), option=_LINES))
        _keep(whole)
    beginning.rename(seal)
    return True


def read(folder: Path) -> list[SignedSeal]:
    """Read the exported seals, in order. Raises ExportFault, OSError."""
    found = []
    for path in sorted(folder.glob("seal-*.json")):
        try:
            found.append(from_json(orjson.loads(path.read_bytes())))
        except (LookupError, TypeError, ValueError) as error:
            raise ExportFault(f"{path}: is no seal: {error}") from None
    return found


def faults(folder: Path, trusted: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Yield what is wrong with exported seals: the number and the fault.

    Raises ExportFault, OSError.
    """
    seals = read(folder)
    yield from chain_faults(seals, trusted)
    for seal, _, _ in seals:
        tree = Tree()
        former: tuple[str, str] | None = None
        for leaf in _leaves(_files(folder, seal.number)[1]):
            tree.add(leaf.digest)
            if former is not None and leaf[:2] <= former:
                yield seal.number, f"round {leaf.round_id} is out of its order"
            former = leaf[:2]
        if (tree.leaves, tree.root()) != (seal.leaves, seal.root):
            yield seal.number, "its leaves are not those that were signed"


def _keep(file: IO[Any]) -> None:
    """Have on the disk what was written to a file."""
    file.flush()
    os.fsync(file.fileno())


def _leaves(path: Path) -> Iterator[Leaf]:
    with path.open(encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            try:
                account, round_id, ver, digest = line.split()
                yield Leaf(account, round_id, int(ver), bytes.fromhex(digest))
            except ValueError:
                raise ExportFault(f"{path}: line {number} is no leaf") from None


def _files(folder: Path, number: int) -> tuple[Path, Path]:
    name = f"seal-{number:06}"
    return folder / f"{name}.json", folder / f"{name}.leaves"
