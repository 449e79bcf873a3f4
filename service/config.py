"""The environment as a `Config`, or every fault of it at once.

| variable | meaning | default |
|---|---|---|
| UPCARD_HOME | folder of the embedded database and the key files | as root /var/lib/upcard, else upcard in XDG_DATA_HOME (~/.local/share) |
| DATABASE_URL | a PostgreSQL of one's own, instead of the embedded one | |
| MIGRATION_DATABASE_URL | the same database as its owner, for migrations | DATABASE_URL |
| UPCARD_ENV | development or production | development |
| UPCARD_BIND | HOST:PORT or unix:PATH to listen on | 127.0.0.1:8000 |
| UPCARD_WORKERS, UPCARD_THREADS | processes, and threads in each | 2, 8 |
| UPCARD_LOG_REQUESTS | a line for each request in the log, or only what is wrong | true |
| UPCARD_LAUNCH_URL | the page that players are sent to, with their token in its fragment | /play of the address that the operator asked; in production none |
| UPCARD_SETTLE_GRACE_SECONDS | so long a decided round is left to its player, before a job settles it | 60 |
| UPCARD_LARGE_WIN_MULTIPLE | a round that wins so many times the table's largest wager is a significant event | 10 |
| UPCARD_LARGE_WINS | or, for some currencies, so many minor units, such as EUR=100000,USD=120000 | |
| UPCARD_LIMIT_WEEKDAY, UPCARD_LIMIT_ZONE | when a week of players' own limits starts: at midnight of which day, in which time zone | friday, America/New_York |
| UPCARD_TOKEN_KEYS, UPCARD_SHOE_KEYS, UPCARD_SEAL_KEYS | key files (see keyfile.py) | made in UPCARD_HOME/secrets; in production none |
| UPCARD_ARCHIVE | folder of the files that `upcard archive` made, to show what is in them | |
"""  # noqa: E501 - a table has long lines

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, Literal, cast
from urllib.parse import urlsplit

from environs import Env, EnvValidationError, ValidationError, validate

from service.weeks import WEEKDAYS, Weeks, week_of

_BIND: Final = re.compile(r"unix:/.+|(?:\[[0-9a-fA-F:]+\]|[^:/\[\]]+):(\d{1,5})")
_PAGE: Final = re.compile(r"https?://[^\s#/?]+(/[^\s#]*)?")
_CODE: Final = re.compile(r"[A-Z]{3}")
_PORT_MOST: Final = 65_535
_NEAR: Final = 0.85
_ENVIRONMENTS: Final = ("development", "production")
_KEY_VARIABLES: Final = ("UPCARD_TOKEN_KEYS", "UPCARD_SHOE_KEYS", "UPCARD_SEAL_KEYS")


_PLAINER: Final = {
    "Not a valid integer.": "must be a whole number",
    "Not a valid boolean.": "must be true or false",
}
"""What environs says, and what this house says instead."""
_VARIABLES: Final = frozenset(
    name
    for row in (__doc__ or "").splitlines()
    if row.startswith("| ")
    for name in re.findall(r"UPCARD_[A-Z_]+", row.split("|")[1])
)


class ConfigError(Exception):
    """The environment is wrong; `faults` names each variable and what it must be."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("\n".join(faults))
        self.faults: Final = faults


@dataclass(frozen=True, slots=True)
class Config:
    """What one process needs to know; its text shows no password."""

    environment: Literal["development", "production"]
    home: Path
    database_url: str | None = field(repr=False)
    """None: the embedded PostgreSQL of `home`."""
    migration_database_url: str | None = field(repr=False)
    bind: str
    workers: int
    threads: int
    token_keys: Path
    shoe_keys: Path
    seal_keys: Path
    log_requests: bool = True
    large_win_multiple: int = 10
    large_wins: Mapping[str, int] = field(default_factory=dict)
    settle_grace: int = 60
    """Seconds from the end of the play until a job settles the round."""
    launch_url: str | None = None
    """None: the page `/play` of the address that an operator's request came to."""
    limit_weekday: str = "friday"
    limit_zone: str = "America/New_York"
    archive: Path | None = None
    """Where rounds are that left the database; None: they are not shown here."""

    @property
    def large_win(self) -> tuple[int, Mapping[str, int]]:
        """From what on a win is a large one: `service.wallet.notable.Watch`."""
        return self.large_win_multiple, self.large_wins

    @property
    def figures(self) -> Path:
        """Where the figures of tables are that an operator analysed."""
        return self.home / "figures"

    @property
    def weeks(self) -> Weeks:
        """The weeks in which a player may ask once to raise his own limit."""
        return week_of(self.limit_zone, self.limit_weekday)

    @classmethod
    def from_environment(cls) -> "Config":
        """Read the variables above.

        Raises:
            ConfigError: something is wrong.
        """
        env = Env(eager=False)
        home = env.path("UPCARD_HOME", default=None, validate=_absolute)
        home = home or default_home()
        secrets = home / "secrets"
        config = cls(
            environment=(
                "production"
                if env.str(
                    "UPCARD_ENV", default=_ENVIRONMENTS[0], validate=_environment
                )
                == _ENVIRONMENTS[1]
                else "development"
            ),
            home=home,
            database_url=env.str("DATABASE_URL", default="", validate=_url) or None,
            migration_database_url=(
                env.str("MIGRATION_DATABASE_URL", default="", validate=_url) or None
            ),
            bind=env.str("UPCARD_BIND", default="127.0.0.1:8000", validate=_bind),
            workers=env.int("UPCARD_WORKERS", default=2, validate=_count),
            threads=env.int("UPCARD_THREADS", default=8, validate=_count),
            token_keys=env.path("UPCARD_TOKEN_KEYS", default=None, validate=_file)
            or secrets / "token-keys.json",
            shoe_keys=env.path("UPCARD_SHOE_KEYS", default=None, validate=_file)
            or secrets / "shoe-keys.json",
            seal_keys=env.path("UPCARD_SEAL_KEYS", default=None, validate=_file)
            or secrets / "seal-keys.json",
            log_requests=env.bool("UPCARD_LOG_REQUESTS", default=True),
            **_of_play(env),
            archive=env.path("UPCARD_ARCHIVE", default=None, validate=_absolute),
            launch_url=env.str("UPCARD_LAUNCH_URL", default="", validate=_page) or None,
            limit_weekday=env.str(
                "UPCARD_LIMIT_WEEKDAY", default="friday", validate=_weekday
            ),
            limit_zone=env.str(
                "UPCARD_LIMIT_ZONE", default="America/New_York", validate=_zone
            ),
        )
        faults = _faults(env, config)
        if faults:
            raise ConfigError(faults)
        return config


def misspelt(names: Iterable[str]) -> dict[str, str]:
    """Return the names that are nearly one of the variables above, with that one.

    Others that begin alike may be anybody's: a cluster names addresses after services.

    >>> misspelt(["UPCARD_WORKER", "UPCARD_HOME", "UPCARD_SERVICE_HOST", "HOME"])
    {'UPCARD_WORKER': 'UPCARD_WORKERS'}
    """
    unknown = sorted(
        {name for name in names if name.startswith("UPCARD_")} - _VARIABLES
    )
    near = {name: get_close_matches(name, _VARIABLES, 1, _NEAR) for name in unknown}
    return {name: found[0] for name, found in near.items() if found}


def default_home() -> Path:
    """Return where the data is unless UPCARD_HOME says otherwise.

    Source: XDG Base Directory Specification; a relative path in it is to be ignored.
    """
    if os.geteuid() == 0:
        return Path("/var/lib/upcard")
    base = Path(os.environ.get("XDG_DATA_HOME", ""))
    if not base.is_absolute():
        base = Path.home() / ".local" / "share"
    return base / "upcard"


def _of_play(env: Env) -> dict[str, Any]:
    """Read when a job settles, and from what on a win is a large one."""
    return {
        "settle_grace": env.int(
            "UPCARD_SETTLE_GRACE_SECONDS", default=60, validate=_grace
        ),
        "large_win_multiple": env.int(
            "UPCARD_LARGE_WIN_MULTIPLE", default=10, validate=_multiple
        ),
        "large_wins": env.dict(
            "UPCARD_LARGE_WINS", subcast_values=int, default={}, validate=_amounts
        ),
    }


def _faults(env: Env, config: Config) -> tuple[str, ...]:
    """List what is wrong with each variable, then with some of them together."""
    faults = []
    try:
        env.seal()
    except EnvValidationError as error:
        by_name = cast("dict[str, list[str]]", error.error_messages)
        for name, messages in by_name.items():
            faults += [f"{name}: {_PLAINER.get(said, said)}" for said in messages]
    if config.migration_database_url and not config.database_url:
        faults.append("MIGRATION_DATABASE_URL: set DATABASE_URL as well")
    if config.environment == "production":
        # Key files made here would be lost with this machine, and with them the
        # coming cards of every open round in a database that lives on.
        faults += [
            f"{name}: must name a key file in production; `upcard keys new FILE` "
            "makes one"
            for name in _KEY_VARIABLES
            if not os.environ.get(name)
        ]
        # Else whoever names a Host in a request says where a player's token goes.
        if not (config.launch_url or "").startswith("https://"):
            faults.append(
                "UPCARD_LAUNCH_URL: must be the https:// page of your front-end in "
                "production"
            )
    return tuple(faults)


def _absolute(path: Path) -> None:
    if not path.is_absolute():
        raise ValidationError("must be an absolute path")


def _file(path: Path) -> None:
    if not path.is_file():
        raise ValidationError(f"there is no file {path}")


def _url(text: str) -> None:
    if text and urlsplit(text).scheme not in {"postgresql", "postgres"}:
        # Without the text: it may hold a password.
        raise ValidationError("must be postgresql://USER:PASSWORD@HOST:PORT/DATABASE")


def _page(text: str) -> None:
    if text and not _PAGE.fullmatch(text):
        raise ValidationError("must be https://HOST/PATH (or http), without a #")


def _bind(text: str) -> None:
    match = _BIND.fullmatch(text)
    if match is None or int(match[1] or 0) > _PORT_MOST:
        raise ValidationError("must be HOST:PORT or unix:/PATH")


def _zone(text: str) -> None:
    try:
        week_of(text, WEEKDAYS[0])
    except ValueError:
        detail = "must be a time zone, such as America/New_York or Etc/GMT+5"
        raise ValidationError(detail) from None


_weekday: Final = validate.OneOf(
    WEEKDAYS, error="must be a day of the week, monday to sunday"
)


def _amounts(amounts: Mapping[str, int]) -> None:
    if not all(_CODE.fullmatch(code) and amounts[code] > 0 for code in amounts):
        raise ValidationError("must be like EUR=100000,USD=120000, in minor units")


_environment: Final = validate.OneOf(
    _ENVIRONMENTS, error="must be development or production"
)
_grace: Final = validate.Range(
    0, 86_400, error="must be a whole number from 0 to 86400"
)
_count: Final = validate.Range(1, 64, error="must be a whole number from 1 to 64")
_multiple: Final = validate.Range(1, 1_000_000, error="must be 1 to 1000000")
