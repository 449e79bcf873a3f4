"""Upcard: a remote game server for multi-hand blackjack.

The map of the house is ARCHITECTURE.md; what it says to the outside is openapi.yaml.
"""

from pathlib import Path
from typing import Final

__version__: Final = "0.1.0"


def shipped(name: str) -> Path:
    """Return where a file or folder of the repository's root is now.

    ``openapi.yaml`` and ``migrations`` stand at the root of a checkout and inside
    the package of an installed wheel.

    Raises:
        FileNotFoundError: the installation is broken.
    """
    package = Path(__file__).parent
    for place in (package / name, package.parent / name):
        if place.exists():
            return place
    raise FileNotFoundError(f"{name} is missing: install upcard again")
