"""`upcard token` as a developer types it."""

import base64
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from service.api.tokens import Caller, TokenKeys, TokenRefused
from service.cli import main

KEYS = json.dumps({"current": "k1", "keys": {"k1": "11" * 32}})


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> TokenKeys:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("UPCARD_HOME", str(tmp_path))
    file = tmp_path / "secrets" / "token-keys.json"
    file.parent.mkdir()
    file.write_text(KEYS, "utf-8")
    return TokenKeys.from_file(file)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["token", *words])


def caller(keys: TokenKeys, token: str, minutes: int = 60) -> Caller:
    """Read a token, and see that it is good for exactly so long."""
    issued = read_issued(token)
    with pytest.raises(TokenRefused, match="token_expired"):
        keys.read(token, issued + 60 * minutes)
    return keys.read(token, issued + 60 * minutes - 1)


def read_issued(token: str) -> int:
    claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    return int(claims["iat"])


def test_the_output_is_the_token_and_nothing_else(keys: TokenKeys) -> None:
    result = run("ann")
    assert result.exit_code == 0
    assert result.stdout.count("\n") == 1
    found = caller(keys, result.stdout.strip())
    assert found[:4] == ("development", "ann", "USD", "demo")
    assert "For ann of development, USD, demo; good for 60 minutes." in result.stderr
    assert result.stdout.strip() not in result.stderr


def test_every_claim_can_be_chosen(keys: TokenKeys) -> None:
    words = "bob --currency EUR --operator acme --minutes 5 --mode real --quiet"
    result = run(*words.split())
    assert (result.exit_code, result.stderr) == (0, "")
    found = caller(keys, result.stdout.strip(), 5)
    assert found[:4] == ("acme", "bob", "EUR", "real")


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["an n"], "PLAYER and --operator are 1 to 64 of"),
        (["ann", "--currency", "usd"], "--currency is three capitals"),
        (["ann", "--currency", "ZZZ"], "--currency ZZZ: there is no such currency"),
        (["ann", "--operator", ""], "PLAYER and --operator are 1 to 64 of"),
        (["ann", "--minutes", "0"], "0 is not in the range 1<=x<=1440"),
        (["ann", "--mode", "test"], "'test' is not one of 'real', 'demo'"),
        ([], "Missing argument 'PLAYER'"),
    ],
)
def test_what_no_token_can_say_is_refused(words: list[str], said: str) -> None:
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in " ".join(result.stderr.split())


def test_without_a_key_file_it_is_said_what_makes_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("UPCARD_HOME", str(tmp_path))
    result = run("ann")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "token-keys.json: there is no such file; `upcard serve`" in result.stderr


@pytest.mark.usefixtures("keys")
def test_a_bad_key_file_is_named_and_not_shown(tmp_path: Path) -> None:
    file = tmp_path / "secrets" / "token-keys.json"
    file.write_text(KEYS.replace("11" * 32, "11" * 31), "utf-8")
    result = run("ann")
    assert (result.exit_code, result.stdout) == (1, "")
    assert 'key "k1" must be 64 hex digits' in result.stderr
    assert "11" * 8 not in result.stderr
