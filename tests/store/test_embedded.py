"""The embedded PostgreSQL: made once, private, and back after any death."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from service.config import Config
from service.embedded.access import database_urls
from service.embedded.account import Account
from service.embedded.errors import EmbeddedFault
from service.embedded.home import Busy, Home, own_folder
from service.embedded.server import Server
from service.store.database import Database
from service.store.log import load
from service.store.schema import migrate
from tests.support.postgres import fresh_home, quiet
from tests.support.samples import opened
from tests.support.waiting import is_gone, readable, until

# PostgreSQL refuses to run as root, so root's server has a user of its own: who is not
# root can neither need nor make one.
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="is about being root")


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    """A home with a cluster, which no test leaves running."""
    with fresh_home() as home:
        with home.locked():
            server = Server(home, quiet)
            server.start()
            migrate(server.dsn, quiet)
            server.stop()
        yield home


@pytest.fixture
def server(home: Home) -> Iterator[Server]:
    with home.locked():
        server = Server(home, quiet)
        yield server
        server.stop()


class Launcher:
    """A process that runs a home's PostgreSQL."""

    def __init__(self, home: Home) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.launcher", str(home.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def postmaster(self) -> int:
        """Wait until it runs; give the postmaster's process id."""
        assert self.process.stdout
        assert readable(self.process.stdout.fileno())
        return int(self.process.stdout.readline())

    def end(self) -> None:
        self.process.communicate()
        self.process.wait()


@pytest.fixture
def launcher(home: Home) -> Iterator[Launcher]:
    launcher = Launcher(home)
    yield launcher
    launcher.end()


def postmaster_of(url: str) -> int:
    with psycopg.connect(url) as db:
        line = db.execute("SELECT pg_read_file('postmaster.pid', 0, 12)").fetchone()
    assert line
    return int(line[0].split()[0])


def settings(server: Server, *names: str) -> list[str]:
    with psycopg.connect(server.dsn) as db:
        rows = [db.execute(f"SHOW {name}".encode()).fetchone() for name in names]
    return [str(row[0]) for row in rows if row]


def test_it_is_durable_checked_and_in_unicode(server: Server) -> None:
    server.start()
    durable = ("fsync", "synchronous_commit", "full_page_writes", "data_checksums")
    assert settings(server, *durable) == ["on"] * 4
    assert settings(server, "server_encoding", "listen_addresses") == ["UTF8", ""]


def test_only_its_user_can_reach_it(server: Server, home: Home) -> None:
    server.start()
    for folder in (home.data, home.sockets):
        found = folder.stat()
        assert found.st_mode & 0o777 == 0o700
        assert found.st_uid == max(Account.for_server().user, 0) or os.geteuid()


def test_what_was_written_is_there_after_a_restart(server: Server) -> None:
    server.start()
    with closing(Database(server.dsn)) as database:
        row = opened(database)
        server.stop()
        server.start()
        assert load(database, row.account, row.round_id, None).rows == [row]


def test_it_ends_with_a_launcher_that_is_killed(launcher: Launcher) -> None:
    postmaster = launcher.postmaster()
    launcher.process.kill()
    until(lambda: is_gone(postmaster), "PostgreSQL to follow its launcher")


def test_the_next_launcher_waits_for_the_former_ones_server(
    home: Home, launcher: Launcher
) -> None:
    postmaster = launcher.postmaster()
    os.kill(postmaster, signal.SIGSTOP)  # a shutdown that takes its time
    launcher.process.kill()
    launcher.process.wait()
    said: list[str] = []

    def say(line: str) -> None:
        if "waiting" in line:
            said.append(line)
            os.kill(postmaster, signal.SIGCONT)

    with home.locked():
        server = Server(home, say)
        server.start()
        server.stop()
    assert said == [f"waiting for the former PostgreSQL (process {postmaster}) ..."]


def test_it_comes_back_after_both_were_killed(home: Home, launcher: Launcher) -> None:
    postmaster = launcher.postmaster()
    launcher.process.send_signal(signal.SIGSTOP)
    os.kill(postmaster, signal.SIGKILL)
    launcher.process.kill()
    launcher.process.wait()
    assert (home.data / "postmaster.pid").exists()
    with home.locked():
        server = Server(home, quiet)
        server.start()
        server.stop()


def test_it_waits_for_the_last_process_of_a_killed_server(home: Home) -> None:
    said: list[str] = []

    def say(line: str) -> None:
        if "waiting" in line:
            said.append(line)
            os.kill(backend, signal.SIGCONT)

    with home.locked():
        server = Server(home, say)
        server.start()
        connection = psycopg.connect(server.dsn)
        backend = connection.info.backend_pid
        os.kill(backend, signal.SIGSTOP)  # so it can't see that its parent is dead
        os.kill(server.pid, signal.SIGKILL)
        assert server.ended(30)
        server.start()
        server.stop()
        connection.close()
    assert said == ["waiting for processes of the killed PostgreSQL to end ..."]


def test_a_second_launcher_is_refused_and_told_by_whom(
    home: Home, launcher: Launcher
) -> None:
    launcher.postmaster()
    with pytest.raises(Busy, match=f"process {launcher.process.pid}"), home.locked():
        pass


@pytest.mark.parametrize("pid", ["ours", 1, 2**22 - 1, "no number"])
def test_a_stale_pid_file_is_no_hindrance(
    server: Server, home: Home, pid: int | str
) -> None:
    pid = os.getpid() if pid == "ours" else pid
    for file in (home.data / "postmaster.pid", home.sockets / ".s.PGSQL.5432.lock"):
        file.write_text(f"{pid}\n{home.data}\n1\n5432\n\n\n\n")
    server.start()
    assert settings(server, "port") == ["5432"]


def test_a_server_that_cannot_start_says_why(home: Home) -> None:
    server = Server(home, quiet, {"shared_buffers": "nonsense"})
    with home.locked(), pytest.raises(EmbeddedFault, match="nonsense"):
        server.start()
    server.stop()


def test_a_cluster_of_another_version_is_refused(server: Server, home: Home) -> None:
    version = home.data / "PG_VERSION"
    made_by = version.read_text()
    version.write_text("15\n")
    try:
        with pytest.raises(EmbeddedFault, match="made by PostgreSQL 15 and this is"):
            server.start()
    finally:
        version.write_text(made_by)


def test_an_initdb_that_was_cut_short_is_begun_again() -> None:
    with fresh_home() as home, home.locked():
        (home.postgresql / "data.part" / "base").mkdir(parents=True)
        server = Server(home, quiet)
        server.start()
        server.stop()


def test_a_home_too_long_for_a_socket_has_it_elsewhere() -> None:
    with fresh_home() as short:
        home = Home(short.path / ("x" * 80) / "y,z")
        assert home.sockets.parent == Path(tempfile.gettempdir())
        home.path.parent.mkdir()
        with home.locked():
            server = Server(home, quiet)
            server.start()
            assert settings(server, "port") == ["5432"]
            server.stop()
        home.sockets.rmdir()


def test_a_trap_in_the_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.symlink_to(tmp_path)
    with pytest.raises(EmbeddedFault, match="remove it"):
        own_folder(trap, Account.for_server())


@as_root
def test_root_learns_which_folder_bars_the_way() -> None:
    with fresh_home() as outer:
        outer.path.chmod(0o700)
        home = Home(outer.path / "inner")
        with home.locked(), pytest.raises(EmbeddedFault, match="chmod o") as caught:
            Server(home, quiet).start()
        assert str(outer.path) in str(caught.value)
        outer.path.chmod(0o711)


@as_root
def test_as_root_its_programs_are_roots_copies(server: Server, home: Home) -> None:
    server.start()
    program = Path(f"/proc/{server.pid}/exe").readlink()
    assert home.path in program.parents
    assert program.stat().st_uid == 0
    assert Path(f"/proc/{server.pid}").stat().st_uid == Account.for_server().user


def test_a_home_that_cannot_be_made_is_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(EmbeddedFault, match="set UPCARD_HOME"),
        Home(tmp_path / "file" / "home").locked(),
    ):
        pass


def test_a_command_uses_the_server_that_runs_or_starts_one(
    home: Home, launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("UPCARD_HOME", str(home.path))
    config = Config.from_environment()
    running = launcher.postmaster()
    with database_urls(config, quiet) as urls:
        assert postmaster_of(urls.owner) == running
    launcher.end()
    with database_urls(config, quiet) as urls:
        started = postmaster_of(urls.service)
        assert started != running
    assert is_gone(started)
    monkeypatch.setenv("DATABASE_URL", "postgresql://one-s-own/")
    with database_urls(Config.from_environment(), quiet) as urls:
        assert urls == ("postgresql://one-s-own/",) * 2


def test_an_owner_who_is_no_superuser_can_migrate_and_serve(server: Server) -> None:
    server.start()
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        # As on a fresh server: the roles are there from this module's migrations.
        for role in ("upcard_service", "upcard_archiver"):
            admin.execute(f"DROP OWNED BY {role}")
            admin.execute(f"DROP ROLE {role}")
        admin.execute("CREATE ROLE boss LOGIN CREATEROLE CREATEDB")
        admin.execute("CREATE DATABASE bosss OWNER boss")
    dsn = psycopg.conninfo.make_conninfo(server.dsn, user="boss", dbname="bosss")
    migrate(dsn, quiet)
    with closing(Database(dsn)) as database:
        row = opened(database)
        assert load(database, row.account, row.round_id, None).rows == [row]
