"""`upcard serve` starts everything, shows how to play, and leaves nothing behind."""

import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from service.cli import main
from service.cli.listening import answers
from service.embedded.home import Home
from tests.support.postgres import fresh_home
from tests.support.processes import children
from tests.support.serving import Serve
from tests.support.waiting import is_gone, until


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    with fresh_home() as home:
        yield home


@pytest.fixture
def serve(home: Home, tmp_path: Path) -> Iterator[Serve]:
    serve = Serve(home, tmp_path / "output")
    yield serve
    if serve.code is None:
        serve.process.send_signal(signal.SIGINT)
        serve.ended()


def play(serve: Serve) -> str:
    """Paste the printed session into a shell; give what it shows."""
    pasted = re.search(r"^  URL=.*?(?=^Or: )", serve.said, re.MULTILINE | re.DOTALL)
    assert pasted
    bash = subprocess.run(
        ["/bin/bash"], input=pasted[0], capture_output=True, text=True, check=True
    )
    return bash.stdout + bash.stderr


# What is pasted calls curl, and a machine need not have it to pass the gate.
@pytest.mark.skipif(not shutil.which("curl"), reason="the session is for curl")
def test_the_printed_session_plays_rounds_to_their_end(serve: Serve) -> None:
    serve.ready()
    for _ in range(20):  # so insurance and a natural are likely among them
        shown = play(serve)
        assert '"status":"settled"' in shown
        assert '"salt":' in shown
        assert "urn:" not in shown
        assert '"code":' not in shown, "no problem on the way"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_everything_when_asked(
    serve: Serve, home: Home, how: signal.Signals
) -> None:
    started = serve.ready().children
    serve.process.send_signal(how)
    assert serve.ended() == 0
    assert serve.said.rstrip().endswith("stopped")
    assert all(is_gone(pid) for pid in started.values())
    assert not (home.data / "postmaster.pid").exists()
    assert sorted(started) == ["gunicorn", "postgres"]


def test_nothing_outlives_it_when_it_is_killed(
    serve: Serve, home: Home, tmp_path: Path
) -> None:
    started = serve.ready().children
    workers = children(started["gunicorn"])
    assert len(workers) == 2
    serve.process.kill()
    serve.ended()
    again = Serve(home, tmp_path / "again").ready()
    for pid in (*started.values(), *workers):
        until(partial(is_gone, pid), f"{pid} to end")
    again.process.send_signal(signal.SIGINT)
    assert again.ended() == 0


def test_a_postgresql_that_dies_is_started_again(serve: Serve) -> None:
    postgres = serve.ready().children["postgres"]
    os.kill(postgres, signal.SIGKILL)
    until(lambda: "PostgreSQL is ready again" in serve.said, "a second start")
    until(lambda: answers(serve.address, "/readyz"), "an answer")
    assert serve.children["postgres"] != postgres


def test_it_ends_with_gunicorns_code(serve: Serve) -> None:
    started = serve.ready().children
    os.kill(started["gunicorn"], signal.SIGKILL)
    assert serve.ended() == 128 + signal.SIGKILL
    assert "the HTTP server (gunicorn) was killed by SIGKILL" in serve.said
    assert is_gone(started["postgres"])


def test_a_second_one_on_the_same_home_is_refused(
    serve: Serve, home: Home, tmp_path: Path
) -> None:
    serve.ready()
    second = Serve(home, tmp_path / "second")
    assert second.ended() == 1
    assert f"in use by another upcard (process {serve.process.pid})" in second.said


def test_an_address_in_use_is_refused_before_anything_starts(
    home: Home, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        bind = f"127.0.0.1:{other.getsockname()[1]}"
        serve = Serve(home, tmp_path / "output", UPCARD_BIND=bind)
        assert serve.ended() == 1
    assert f"{bind} is in use by another program" in serve.said
    assert "PostgreSQL" not in serve.said


def test_a_lost_key_file_is_not_made_anew(home: Home, tmp_path: Path) -> None:
    keys = home.path / "secrets" / "shoe-keys.json"
    away = keys.rename(keys.with_suffix(".away"))
    serve = Serve(home, tmp_path / "output")
    assert serve.ended() == 1
    assert "put the file back from your backup" in serve.said
    assert not keys.exists()
    away.rename(keys)


def test_a_database_of_ones_own_replaces_the_embedded_one(
    dsn: str, tmp_path: Path
) -> None:
    with fresh_home() as home:
        url = "postgresql://upcard@/" + dsn_database(dsn)
        path = home.path / "socket"
        serve = Serve(
            home, tmp_path / "output", DATABASE_URL=url, UPCARD_BIND=f"unix:{path}"
        )
        serve.ready()
        assert sorted(serve.children) == ["gunicorn"]
        assert not home.postgresql.exists()
        assert f"--unix-socket {path}" in serve.said
        serve.process.send_signal(signal.SIGINT)
        assert serve.ended() == 0


def test_production_makes_no_keys_and_prints_no_token(tmp_path: Path) -> None:
    page = "https://play.example"
    production = {"UPCARD_ENV": "production", "UPCARD_LAUNCH_URL": page}
    with fresh_home() as home:
        refused = Serve(home, tmp_path / "refused", **production)
        assert refused.ended() == 1
        assert "UPCARD_SHOE_KEYS: must name a key file in production" in refused.said
        assert not list(home.path.glob("*")), "nothing is made"
        for name in ("TOKEN", "SHOE", "SEAL"):
            path = tmp_path / f"{name}.json"
            assert CliRunner().invoke(main, ["keys", "new", str(path)]).exit_code == 0
            production[f"UPCARD_{name}_KEYS"] = str(path)
        serve = Serve(home, tmp_path / "output", **production)
        until(lambda: "is listening on" in serve.said, "the address")
        assert answers(serve.address, "/readyz")
        serve.process.send_signal(signal.SIGINT)
        assert serve.ended() == 0
    assert f"Upcard is listening on http://{serve.bind}" in serve.said
    assert "TOKEN=" not in serve.said


def test_a_key_file_is_not_made_over_another(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    first, second = (CliRunner().invoke(main, ["keys", "new", str(path)]) for _ in "12")
    assert (first.exit_code, second.exit_code) == (0, 1)
    assert "File exists" in second.output
    assert path.stat().st_mode & 0o777 == 0o600


def dsn_database(dsn: str) -> str:
    """Turn what follows the user in a DSN of the fixtures into that of a URL."""
    parts = dict(part.split("=", 1) for part in dsn.split())
    return f"{parts['dbname']}?host={parts['host']}"
