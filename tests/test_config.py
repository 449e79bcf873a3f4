"""The environment becomes a configuration, or every fault of it is told at once."""

import os
import re
from pathlib import Path

import pytest

import service.config
from service.config import Config, ConfigError, misspelt
from service.weeks import NEW_YORK_FRIDAYS, week_of

VARIABLES = [
    *("UPCARD_HOME", "UPCARD_ENV", "UPCARD_BIND", "UPCARD_WORKERS", "UPCARD_THREADS"),
    *("UPCARD_TOKEN_KEYS", "UPCARD_SHOE_KEYS", "UPCARD_SEAL_KEYS", "XDG_DATA_HOME"),
    *("DATABASE_URL", "MIGRATION_DATABASE_URL", "UPCARD_LAUNCH_URL"),
    *("UPCARD_SETTLE_GRACE_SECONDS", "UPCARD_LARGE_WIN_MULTIPLE", "UPCARD_LARGE_WINS"),
    *("UPCARD_LIMIT_WEEKDAY", "UPCARD_LIMIT_ZONE"),
]
URL = "postgresql://ann:hunter2@host/upcard"


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def faults_of(monkeypatch: pytest.MonkeyPatch, **variables: str) -> list[str]:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as caught:
        Config.from_environment()
    return list(caught.value.faults)


def test_nothing_needs_to_be_set() -> None:
    config = Config.from_environment()
    assert config.environment == "development"
    assert config.database_url is None
    assert (config.bind, config.workers, config.threads) == ("127.0.0.1:8000", 2, 8)
    assert config.shoe_keys == config.home / "secrets" / "shoe-keys.json"
    assert config.token_keys == config.home / "secrets" / "token-keys.json"


@pytest.mark.parametrize(
    ("user", "xdg", "home"),
    [
        (0, "/data", "/var/lib/upcard"),
        (1000, "/data", "/data/upcard"),
        (1000, "relative", "/home/ann/.local/share/upcard"),
        (1000, "", "/home/ann/.local/share/upcard"),
    ],
)
def test_the_home_is_where_the_user_expects_it(
    monkeypatch: pytest.MonkeyPatch, user: int, xdg: str, home: str
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.setenv("XDG_DATA_HOME", xdg)
    assert Config.from_environment().home == Path(home)


def test_everything_can_be_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    keys.touch()
    for name, value in {
        "UPCARD_HOME": str(tmp_path),
        "UPCARD_ENV": "production",
        "UPCARD_BIND": "[::1]:80",
        "UPCARD_WORKERS": "3",
        "UPCARD_THREADS": "4",
        "UPCARD_SETTLE_GRACE_SECONDS": "0",
        "UPCARD_LARGE_WIN_MULTIPLE": "25",
        "UPCARD_LARGE_WINS": "EUR=100000,USD=120000",
        "UPCARD_TOKEN_KEYS": str(keys),
        "UPCARD_SHOE_KEYS": str(keys),
        "UPCARD_SEAL_KEYS": str(keys),
        "UPCARD_LAUNCH_URL": "https://play.example",
        "DATABASE_URL": URL,
        "MIGRATION_DATABASE_URL": f"{URL}-owner",
    }.items():
        monkeypatch.setenv(name, value)
    assert Config.from_environment() == Config(
        environment="production",
        home=tmp_path,
        database_url=URL,
        migration_database_url=f"{URL}-owner",
        bind="[::1]:80",
        workers=3,
        threads=4,
        settle_grace=0,
        large_win_multiple=25,
        large_wins={"EUR": 100_000, "USD": 120_000},
        token_keys=keys,
        shoe_keys=keys,
        seal_keys=keys,
        launch_url="https://play.example",
    )
    assert "hunter2" not in repr(Config.from_environment())


def test_all_faults_are_told_at_once_and_no_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    faults = faults_of(
        monkeypatch,
        UPCARD_HOME="relative",
        UPCARD_ENV="staging",
        UPCARD_BIND="8000",
        UPCARD_WORKERS="0",
        UPCARD_THREADS="many",
        UPCARD_TOKEN_KEYS="/nonexistent",  # noqa: S106 - the name of a file
        UPCARD_SHOE_KEYS="/nonexistent",
        UPCARD_SEAL_KEYS="/nonexistent",
        DATABASE_URL="mysql://ann:hunter2@host/upcard",
        MIGRATION_DATABASE_URL="hunter2",
        UPCARD_LAUNCH_URL="nowhere",
        UPCARD_SETTLE_GRACE_SECONDS="-1",
        UPCARD_LARGE_WIN_MULTIPLE="0",
        UPCARD_LARGE_WINS="EUR=1000,usd=5",
        UPCARD_LIMIT_WEEKDAY="Freitag",
        UPCARD_LIMIT_ZONE="America",
    )
    assert sorted(fault.split(":")[0] for fault in faults) == sorted(
        set(VARIABLES) - {"XDG_DATA_HOME"}
    )
    assert "hunter2" not in "".join(faults)


@pytest.mark.parametrize(
    "bind", ["", "8000", ":8000", "host:", "host:99999", "a:b:1", "unix:relative"]
)
def test_an_address_is_host_and_port_or_a_socket(
    monkeypatch: pytest.MonkeyPatch, bind: str
) -> None:
    assert faults_of(monkeypatch, UPCARD_BIND=bind) == [
        "UPCARD_BIND: must be HOST:PORT or unix:/PATH"
    ]


def test_an_owner_alone_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    assert faults_of(monkeypatch, MIGRATION_DATABASE_URL=URL) == [
        "MIGRATION_DATABASE_URL: set DATABASE_URL as well"
    ]


@pytest.mark.parametrize("url", [URL, ""])
def test_production_makes_no_keys(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    page = "https://play.example"
    production = {"UPCARD_ENV": "production", "UPCARD_LAUNCH_URL": page}
    faults = faults_of(monkeypatch, **production, DATABASE_URL=url)
    assert [fault.split(":")[0] for fault in faults] == [
        "UPCARD_TOKEN_KEYS",
        "UPCARD_SHOE_KEYS",
        "UPCARD_SEAL_KEYS",
    ]
    assert "`upcard keys new FILE` makes one" in faults[0]


@pytest.mark.parametrize("page", ["", "http://play.example"])
def test_production_sends_players_to_a_page_that_is_named(
    monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    production = {"UPCARD_ENV": "production", "UPCARD_LAUNCH_URL": page}
    assert (
        "UPCARD_LAUNCH_URL: must be the https:// page of your front-end in production"
    ) in faults_of(monkeypatch, **production)


@pytest.mark.parametrize("url", ["https://play.example", "http://localhost:3000/a?b=c"])
def test_players_may_be_sent_to_a_page_of_ones_own(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    assert Config.from_environment().launch_url is None
    monkeypatch.setenv("UPCARD_LAUNCH_URL", url)
    assert Config.from_environment().launch_url == url


@pytest.mark.parametrize(
    "url",
    ["play.example", "ftp://a", "https://", "https://a/b#c", "https://a b", "//a"],
)
def test_a_launch_page_has_no_fragment_of_its_own(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    assert faults_of(monkeypatch, UPCARD_LAUNCH_URL=url) == [
        "UPCARD_LAUNCH_URL: must be https://HOST/PATH (or http), without a #"
    ]


def test_a_week_of_the_own_limits_starts_when_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert Config.from_environment().weeks == NEW_YORK_FRIDAYS
    monkeypatch.setenv("UPCARD_LIMIT_WEEKDAY", "monday")
    monkeypatch.setenv("UPCARD_LIMIT_ZONE", "Etc/GMT+5")
    assert Config.from_environment().weeks == week_of("Etc/GMT+5", "monday")


def test_every_variable_is_described_and_in_the_readme() -> None:
    source = Path(service.config.__file__).read_text()
    read = set(re.findall(r'env\.\w+\(\s*"(UPCARD_[A-Z_]+)"', source))
    table = (source.partition('"""')[2]).partition('"""')[0]
    readme = (Path(service.config.__file__).parents[1] / "README.md").read_text()
    assert "UPCARD_LARGE_WINS" in read
    for name in read:
        assert name in table
        assert f"`{name}`" in readme
        assert misspelt([name]) == {}
    assert misspelt(["UPCARD_SEAL_KEY"]) == {"UPCARD_SEAL_KEY": "UPCARD_SEAL_KEYS"}


def test_what_is_no_number_is_told_what_it_must_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert faults_of(monkeypatch, UPCARD_WORKERS="x", UPCARD_LOG_REQUESTS="maybe") == [
        "UPCARD_WORKERS: must be a whole number",
        "UPCARD_LOG_REQUESTS: must be true or false",
    ]
