"""`upcard seals`: the daily seals of the log, to be kept elsewhere."""

from pathlib import Path

import click

from service.cli.environment import config_or_exit, plainly, service_database
from service.cli.inspecting import trusted_keys
from service.seals.export import ExportFault, faults, read, write
from service.seals.seal import SealKeys
from service.store.seals import leaves_of, seals


@click.group("seals")
def command() -> None:
    """List the daily seals of the log, export them, check what was exported.

    A seal is the signed root of a Merkle tree over all rounds that changed since the
    former seal. Keep what is exported, or the roots alone, where nobody who can write
    the database can write: it shows later that nothing was written anew.
    """


@command.command("list")
def list_seals() -> None:
    """List the seals: day, rounds and root."""
    with service_database(config_or_exit()) as database:
        none = True
        for seal, public_key, _ in seals(database):
            none = False
            click.echo(
                f"seal {seal.number}  {seal.day}  {seal.leaves} rounds  root "
                f"{seal.root.hex()}  key {public_key.hex()}"
            )
    if none:
        click.echo("There is no seal yet: upcard jobs seal makes one a day.")


@command.command(short_help="Print the public keys of UPCARD_SEAL_KEYS.")
def keys() -> None:
    """Print the public keys of UPCARD_SEAL_KEYS: what checks a seal's signature."""
    config = config_or_exit()
    with plainly():
        ring = SealKeys.from_file(config.seal_keys)
    for name, public_key in ring.public.items():
        click.echo(f"{name} {public_key.hex()}{' (current)' * (name == ring.current)}")


@command.command(short_help="Write the seals that FOLDER has not yet.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def export(folder: Path) -> None:
    """Write each seal into FOLDER that is not there yet, with its leaves."""
    count = 0
    with service_database(config_or_exit()) as database:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for signed in seals(database):
                number = signed.seal.number
                count += write(folder, signed, leaves_of(database, number))
        except OSError as error:
            raise click.ClickException(f"{error.filename}: {error.strerror}") from None
    click.echo(f"{folder}: {count} seals written")


@command.command(short_help="Check exported seals.")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--key",
    "public",
    multiple=True,
    required=True,
    help="A public key that may have signed them, 64 hex digits (upcard seals keys).",
)
def verify(folder: Path, public: tuple[str, ...]) -> None:
    """Check exported seals with nothing but this program and a public key.

    Each seal must be signed, follow from the one before it, and be that of its leaves.
    Ends with 1 if one is not.
    """
    try:
        found = list(faults(folder, trusted_keys(public)))
        count = len(read(folder))
    except ExportFault as fault:
        raise click.ClickException(str(fault)) from None
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from None
    for number, where in found:
        click.echo(f"seal {number}: {where}")
    if not count:
        raise click.ClickException(f"{folder}: holds no seals")
    click.echo(f"{count} seals: {'NOT PROVED' if found else 'all of them hold'}.")
    raise SystemExit(1 if found else 0)
