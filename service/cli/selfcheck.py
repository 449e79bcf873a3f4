"""`upcard selfcheck`: is this installation what was signed?"""

from pathlib import Path

import click
import orjson

from service.cli.environment import config_or_exit, plainly, service_database
from service.cli.inspecting import trusted_keys
from service.config import Config
from service.keyfile import KeyFault
from service.seals.seal import SealKeys
from service.selfcheck import (
    ListFault,
    differences,
    entries_of,
    from_json,
    signed_list,
    to_json,
)
from service.store.tables import all_table_versions

_NAME = "selfcheck.json"


@click.command("selfcheck")
@click.option(
    "--list",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help=f"The signed list; {_NAME} in UPCARD_HOME unless given.",
)
@click.option(
    "--key",
    "keys",
    multiple=True,
    help="A public key that may have signed it; UPCARD_SEAL_KEYS' unless given.",
)
@click.option(
    "--sign",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Make the list of what is here, signed with the current key of this file.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    *, file: Path | None, keys: tuple[str, ...], sign: Path | None, as_json: bool
) -> None:
    """Compare what is installed with a signed list, and say what differs.

    That is a SHA-256 of each file of the program, the versions of the packages it runs
    on, each loaded table, and the settings; of keys no more than a fingerprint. Sign
    what was certified once (--sign), where it was certified, and keep the key from
    those who serve it. Ends with 1 if anything differs.
    """
    config = config_or_exit()
    file = file or config.home / _NAME
    with service_database(config) as database:
        tables = [row[:3] for row in all_table_versions(database)]
    found = entries_of(config, tables)
    if sign is not None:
        _sign(found, sign, file)
        return
    try:
        signed = from_json(file.read_bytes())
        wrong = differences(signed, found, trusted_keys(keys) or _own_keys(config))
    except OSError as error:
        raise click.ClickException(
            f"{file}: {error.strerror}; --sign KEYFILE makes a list"
        ) from None
    except ListFault as fault:
        raise click.ClickException(f"{file}: {fault}") from None
    if as_json:
        told = {
            "checked": len(found),
            "signed_by": signed.public_key.hex(),
            "differences": [one._asdict() for one in wrong],
        }
        click.echo(orjson.dumps(told, option=orjson.OPT_INDENT_2))
    else:
        for one in wrong:
            click.echo(one.text)
        click.echo(
            f"NOT AS SIGNED: {len(wrong)} of {len(found)} entries."
            if wrong
            else f"All {len(found)} entries are as signed by {signed.public_key.hex()}."
        )
    raise SystemExit(1 if wrong else 0)


def _sign(found: dict[str, str], sign: Path, file: Path) -> None:
    with plainly():
        signed = signed_list(found, SealKeys.from_file(sign))
    try:
        file.write_bytes(to_json(signed))
    except OSError as error:
        raise click.ClickException(f"{file}: {error.strerror}") from None
    click.echo(
        f"{file}: {len(found)} entries, signed with key {signed.public_key.hex()}"
    )


def _own_keys(config: Config) -> list[bytes]:
    try:
        return list(SealKeys.from_file(config.seal_keys).public.values())
    except KeyFault:
        return []
