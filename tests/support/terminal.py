"""A program in a real terminal: what it shows is read, what it asks is typed."""

import codecs
import os
import pty
import signal
import subprocess
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.support.waiting import DEADLINE, readable, until

SIZE: Final = (24, 80)


class Terminal:
    """The near end of a pseudo-terminal."""

    def __init__(self, file: int, process: subprocess.Popen[bytes]) -> None:
        self._file = file
        self._process = process
        self.shown = ""
        self._seen = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def expect(self, text: str) -> None:
        """Read until `text` is shown, after what was expected before."""
        while (place := self.shown.find(text, self._seen)) < 0:
            assert self._read(), f"{text!r} was never shown after {self.shown!r}"
        self._seen = place + len(text)

    def type(self, line: str) -> None:
        """Type a line."""
        os.write(self._file, f"{line}\n".encode())

    def interrupt(self) -> None:
        """Do what a terminal does at Ctrl-C, once the program waits for input."""
        until(self._sleeps, "the program waits")
        self._process.send_signal(signal.SIGINT)

    def end(self) -> int:
        """Read to the end; return the exit code."""
        while self._read():
            pass
        return self._process.wait(DEADLINE)

    def _sleeps(self) -> bool:
        """Whether the program waits for something; see proc(5)."""
        stat = Path(f"/proc/{self._process.pid}/stat").read_text("utf-8", "replace")
        return stat.rpartition(")")[2].split()[0] == "S"

    def _read(self) -> bool:
        """Read what is there; False when the program has closed the terminal."""
        assert readable(self._file), f"nothing more was shown after {self.shown!r}"
        try:
            data = os.read(self._file, 65536)
        except OSError:  # Linux says so when the far end is closed
            return False
        self.shown += self._decoder.decode(data)
        return bool(data)


@contextmanager
def terminal(
    command: Sequence[str], environment: Mapping[str, str]
) -> Iterator[Terminal]:
    """Run a command in a terminal of 24 lines with 80 columns."""
    near, far = pty.openpty()
    termios.tcsetwinsize(far, SIZE)
    process = subprocess.Popen(
        command,
        stdin=far,
        stdout=far,
        stderr=far,
        env={**os.environ, "TERM": "xterm-256color", **environment},
        start_new_session=True,
    )
    os.close(far)
    try:
        yield Terminal(near, process)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(near)
