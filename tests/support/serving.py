"""A running `upcard serve`."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Final

from service.cli.listening import Address, address_of
from service.embedded.home import Home
from tests.support.processes import children
from tests.support.waiting import until

LAST_LINE: Final = "Ctrl-C stops the server."


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Serve:
    """A running `upcard serve`; what it says is in a file."""

    def __init__(self, home: Home, output: Path, **variables: str) -> None:
        self.bind = variables.get("UPCARD_BIND") or f"127.0.0.1:{free_port()}"
        self.output = output
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("UPCARD_") and "DATABASE_URL" not in name
        }
        environment |= {"UPCARD_HOME": str(home.path), "UPCARD_BIND": self.bind}
        with output.open("w") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-c", "from service.cli import main; main()", "serve"],
                env=environment | variables,
                stdout=file,
                stderr=subprocess.STDOUT,
            )

    @property
    def address(self) -> Address:
        return address_of(self.bind)

    @property
    def said(self) -> str:
        return self.output.read_text()

    @property
    def children(self) -> dict[str, int]:
        """The children's process ids by their programs' names."""
        names = {}
        for pid in children(self.process.pid):
            try:
                command = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
            except FileNotFoundError:
                continue  # it has ended since it was listed
            names["postgres" if "postgres" in command else "gunicorn"] = pid
        return names

    def ready(self) -> "Serve":
        until(lambda: LAST_LINE in self.said or self.code is not None, "a session")
        assert LAST_LINE in self.said, self.said
        return self

    @property
    def code(self) -> int | None:
        return self.process.poll()

    def ended(self) -> int:
        return self.process.wait(60)
