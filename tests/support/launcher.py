"""A launcher to be killed: runs the PostgreSQL of a home and says how it went.

Prints the postmaster's process id when it answers; ends when its input does.
"""

import sys
from pathlib import Path

from service.embedded.home import Home
from service.embedded.server import Server
from tests.support.postgres import quiet

if __name__ == "__main__":
    home = Home(Path(sys.argv[1]))
    with home.locked():
        server = Server(home, quiet)
        server.start()
        sys.stdout.write(f"{server.pid}\n")
        sys.stdout.flush()
        sys.stdin.read()
        server.stop()
