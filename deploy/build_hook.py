"""Part of the build: what stands at the root travels inside the wheel's package.

`service.shipped` finds it in both places. An editable install gets no copies: they
would grow old beside the originals.
"""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CARRIED = ("openapi.yaml", "migrations", "deploy/gunicorn.conf.py")


class Carry(BuildHookInterface):  # type: ignore[type-arg]  # it has no settings
    """Adds the files to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Say what to carry where; `version` is "standard" or "editable"."""
        if version == "standard":
            build_data["force_include"] |= {name: f"service/{name}" for name in CARRIED}
