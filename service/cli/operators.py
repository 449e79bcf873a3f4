"""`upcard operators`: casino platforms, their keys, and what each offers."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click
from rich.console import Console
from rich.table import Table

from service.changes import (
    HasTraces,
    LastWalletKey,
    OperatorGone,
    add_key,
    add_operator,
    end_key,
    remove_operator,
    set_wallet,
)
from service.cli.acting import actor
from service.cli.environment import config_or_exit, owners_database, plainly
from service.cli.offers import tables
from service.config import Config
from service.operators import new_key
from service.sealing import KeyRing
from service.store.database import Database
from service.store.keys import OperatorKey, Use, good_keys
from service.store.operators import OperatorRow, all_operators
from service.store.outbox import waiting

_NAME: Final = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_URL: Final = re.compile(r"https?://[^\s/?#@]+(/[^\s?#]*)?")
_MOST_KEYS: Final = 2
_WHY: Final = click.option("--why", metavar="TEXT", help="For those who ask later.")
_WIDE: Final = 160
"""Columns where nobody's terminal says how many there are."""


@click.group("operators")
def command() -> None:
    """Add operators; their keys, and what each offers.

    An operator is a casino platform: it launches its players here, and signs what it
    asks. A change is in force within seconds, without a restart.
    """


command.add_command(tables)


@command.command()
@click.argument("name")
@click.option(
    "--wallet",
    type=click.Choice(["ledger", "seamless"]),
    default="ledger",
    show_default=True,
    help="Who keeps the players' money: Upcard's ledger, or the operator over HTTP.",
)
@click.option("--wallet-url", help="Where the seamless wallet is.")
@click.option("--sandbox", is_flag=True, help="Demo money only, to integrate with.")
@_WHY
def add(
    *, name: str, wallet: str, wallet_url: str | None, sandbox: bool, why: str | None
) -> None:
    """Add the operator NAME and print its keys, once."""
    if not _NAME.fullmatch(name):
        raise click.UsageError("NAME is 1 to 64 of A-Z a-z 0-9 _ . : -")
    if (wallet == "seamless") != (wallet_url is not None):
        raise click.UsageError("--wallet-url goes with --wallet seamless, and only so")
    _check_url(wallet_url)
    config = config_or_exit()
    if sandbox and config.environment == "production":
        raise click.ClickException("production serves no sandbox operator")
    uses: list[Use] = ["request"] if wallet == "ledger" else ["request", "wallet"]
    keys = [_new_key(config, name, use) for use in uses]
    row = OperatorRow(name, wallet, wallet_url, sandbox)
    with owners_database(config) as database:
        made = [key for key, _ in keys]
        if not add_operator(database, actor(why), row, made):
            raise click.ClickException(f"there is an operator {name} already")
    click.echo(f"{name} is added")
    for key, secret in keys:
        _show(key, secret)


@command.command("set")
@click.argument("name")
@click.option("--wallet", type=click.Choice(["ledger", "seamless"]), help="As in add.")
@click.option("--wallet-url", help="Where the seamless wallet is from now on.")
@_WHY
def set_(
    *, name: str, wallet: str | None, wallet_url: str | None, why: str | None
) -> None:
    """Change where the wallet of the operator NAME is.

    Calls that wait go to the new address. Whose ledger it is changes only while there
    was no real money: what players have would be left behind.
    """
    if wallet is None and wallet_url is None:
        raise click.UsageError("name --wallet-url, --wallet or both")
    _check_url(wallet_url)
    config = config_or_exit()
    made = []
    with owners_database(config) as database:
        before = _operator(database, name)
        after = before._replace(
            wallet=wallet or before.wallet,
            wallet_url=None if wallet == "ledger" else wallet_url or before.wallet_url,
        )
        if (after.wallet == "seamless") != (after.wallet_url is not None) or (
            wallet == "ledger" and wallet_url
        ):
            raise click.UsageError("--wallet-url goes with a seamless wallet alone")
        good = {(k.operator, k.use) for k in good_keys(database)}
        if after.wallet == "seamless" and (name, "wallet") not in good:
            made = [_new_key(config, name, "wallet")]
        with _plainly(name):
            set_wallet(database, actor(why), after, [key for key, _ in made])
        calls = sum(w.all for w in waiting(database) if w.operator == name)
    click.echo(f"{name}: {after.wallet} {after.wallet_url or ''}".rstrip())
    if calls:
        click.echo(f"{calls} calls to its wallet wait, and go there")
    for key, secret in made:
        _show(key, secret)


@command.command()
@click.argument("name")
@_WHY
def remove(name: str, why: str | None) -> None:
    """Remove the operator NAME, who has dealt nothing yet.

    A sandbox with demo rounds is retired: its keys and sessions end, its rounds stay,
    and production may be served beside it.
    """
    with owners_database(config_or_exit()) as database, _plainly(name):
        is_retired = remove_operator(database, actor(why), name)
    if is_retired:
        click.echo(f"{name} is retired: its keys and sessions have ended")
    else:
        click.echo(f"{name} is removed")


@command.command("list")
def list_() -> None:
    """List the operators and the keys that are good now."""
    shown = Table(box=None, pad_edge=False)
    for heading in ("operator", "wallet", "sandbox", "keys", "wallet's address"):
        shown.add_column(heading, overflow="fold")
    with owners_database(config_or_exit()) as database:
        keys = good_keys(database)
        for row in all_operators(database):
            ids = " ".join(key.key_id for key in keys if key.operator == row.operator)
            sandbox = "yes" if row.sandbox else "no"
            sandbox = "retired" if row.retired else sandbox
            shown.add_row(row.operator, row.wallet, sandbox, ids, row.wallet_url or "")
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDE)  # a reader who pipes it wants all of a key's id
    console.print(shown)


@command.group("keys")
def keys_() -> None:
    """Rotate an operator's keys without a gap.

    `rotate` makes a second key beside the first; when the other side uses it, or for a
    wallet key accepts it, `end` the first one.
    """


@keys_.command()
@click.argument("name")
@click.option(
    "--use",
    type=click.Choice(["request", "wallet"]),
    default="request",
    show_default=True,
    help="What the key signs: the operator's requests, or our calls to its wallet.",
)
@_WHY
def rotate(name: str, use: Use, why: str | None) -> None:
    """Make another key for the operator NAME and print it, once."""
    config = config_or_exit()
    with owners_database(config) as database:
        if use == "wallet" and _operator(database, name).wallet != "seamless":
            raise click.ClickException(
                f"{name} has no wallet to sign for: Upcard's ledger keeps its money"
            )
        _check_operator(database, name)
        good = [k for k in good_keys(database) if (k.operator, k.use) == (name, use)]
        if len(good) >= _MOST_KEYS:
            ids = " and ".join(key.key_id for key in good)
            raise click.ClickException(f"{ids} are good; end one of them first")
        key, secret = _new_key(config, name, use)
        add_key(database, actor(why), key)
    for old in good:
        ended = f"upcard operators keys end {name} {old.key_id}"
        click.echo(f"{old.key_id} stays good until it is ended: {ended}")
    _show(key, secret)


@keys_.command()
@click.argument("name")
@click.argument("key")
@_WHY
def end(name: str, key: str, why: str | None) -> None:
    """End the KEY of the operator NAME, now and for ever."""
    with owners_database(config_or_exit()) as database, _plainly(name):
        if not end_key(database, actor(why), name, key):
            raise click.ClickException(f"{name} has no key {key} that is good")
        left = [k for k in good_keys(database) if k.operator == name]
    click.echo(f"{key} is ended; good: {' '.join(k.key_id for k in left) or 'none'}")
    if not any(k.use == "request" for k in left):
        again = f"upcard operators keys rotate {name}"
        click.echo(f"{name} can ask for nothing any more, until you: {again}")


def _new_key(config: Config, name: str, use: Use) -> tuple[OperatorKey, str]:
    with plainly():
        ring = KeyRing.from_file(config.shoe_keys)
    return new_key(ring, name, use)


def _show(key: OperatorKey, secret: str) -> None:
    what = {
        "request": "signs the operator's requests, as Upcard-Key",
        "wallet": "signs our calls to the operator's wallet",
    }[key.use]
    click.echo(f"\n{key.operator}/{key.key_id} {what}\nsecret, shown once: {secret}")


def _check_operator(database: Database, name: str) -> None:
    if name not in {row.operator for row in all_operators(database) if not row.retired}:
        raise click.ClickException(f"there is no operator {name}")


def _operator(database: Database, name: str) -> OperatorRow:
    _check_operator(database, name)
    return next(row for row in all_operators(database) if row.operator == name)


def _check_url(url: str | None) -> None:
    # It is shown, logged and told of: no place for a password. Paths are put behind it.
    if url is not None and not (url.isascii() and _URL.fullmatch(url)):
        raise click.UsageError(
            "--wallet-url must be an http or https address: https://HOST/PATH, without "
            "a password, ? or #"
        )


@contextmanager
def _plainly(name: str) -> Iterator[None]:
    """End plainly when an operator is not there, or cannot be changed so."""
    try:
        yield
    except OperatorGone:
        raise click.ClickException(f"there is no operator {name}") from None
    except LastWalletKey as key:
        raise click.ClickException(
            f"only {key} signs the calls to the wallet of {name}: without it nobody is "
            f"dealt, and nobody paid. First: upcard operators keys rotate {name} --use "
            "wallet"
        ) from None
    except HasTraces as has:
        raise click.ClickException(
            f"{name} has {', '.join(has.left)}, which stay with it; `upcard gaming "
            f"stop --operator {name}` and `upcard operators keys end` keep all out"
        ) from None
