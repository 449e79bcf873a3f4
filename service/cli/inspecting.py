"""What `upcard verify --all` does: every round, the money and the seals."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import click

from service.archive.files import Archive
from service.cli.environment import config_or_exit, service_database
from service.cli.progress import accounts_progress
from service.config import Config
from service.inspection import Archive as ReadArchive
from service.inspection import ArchiveBroken, Finding, Inspector, no_archive
from service.keyfile import KeyFault
from service.sealing import KeyRing, SealedShoe
from service.seals.export import ExportFault, read
from service.seals.seal import SealKeys, SignedSeal
from service.store.archive import archive_files
from service.store.database import Database
from service.store.errors import ArchiveUnavailable
from service.store.inspection import everything, keep_moment
from service.store.rows import LogRow
from service.store.seals import seals
from service.store.tables import all_table_versions

_KEY_DIGITS: Final = 64


def verify_all(exported: Path | None, keys: tuple[str, ...]) -> bool:
    """Check all and print what is wrong; whether nothing is."""
    config = config_or_exit()
    with service_database(config) as database:
        trusted = trusted_keys(keys) or _own_keys(config)
        with database.transaction():
            keep_moment(database)
            return _verified(database, config, exported, trusted)


def trusted_keys(keys: tuple[str, ...]) -> list[bytes]:
    """Return the public keys that were given in hex, or end plainly."""
    try:
        found = [bytes.fromhex(key) for key in keys]
    except ValueError:
        found = [b""]
    if any(2 * len(key) != _KEY_DIGITS for key in found):
        raise click.ClickException(f"a public key has {_KEY_DIGITS} hex digits")
    return found


def _own_keys(config: Config) -> list[bytes]:
    """Return the public keys of the installation's own file, if it is there."""
    try:
        return list(SealKeys.from_file(config.seal_keys).public.values())
    except KeyFault as fault:
        click.echo(f"{fault}; no seal is trusted (or say --key)", err=True)
        return []


def _verified(
    database: Database, config: Config, exported: Path | None, trusted: list[bytes]
) -> bool:
    signed = list(seals(database))
    inspector = Inspector(
        KeyRing.from_file(config.shoe_keys),
        {row.version: row.source for row in all_table_versions(database)},
        signed,
        trusted,
        _archive(config),
    )
    wrong = 0
    with accounts_progress() as watch:
        for finding in inspector.inspect(everything(database), watch):
            wrong += 1
            _show(finding)
    files = _files(database, config, inspector.archived)
    for finding in (*files, *_unlike_export(signed, exported)):
        wrong += 1
        _show(finding)
    counts = ", ".join(f"{count:,} {what}" for what, count in inspector.counts.items())
    click.echo(counts)
    click.echo(
        f"NOT PROVED: {wrong} findings."
        if wrong
        else "Every round is as it was written, dealt and paid as promised."
    )
    return not wrong


def _show(finding: Finding) -> None:
    """Print a line; nothing that was forged can move the cursor or set colours."""
    subject = finding.subject
    if " " not in subject:
        subject = f"round {subject}"
    line = f"{subject}: {finding.where}"
    click.echo("".join(char if char.isprintable() else "?" for char in line))


def _archive(config: Config) -> ReadArchive:
    """Return what reads a round out of the archive."""
    if config.archive is None:
        return no_archive
    archive = Archive(config.archive)

    def read_round(
        file: str, round_id: str
    ) -> tuple[tuple[LogRow, ...], SealedShoe | None]:
        try:
            found = archive.find(file, round_id)
        except ArchiveUnavailable as away:
            raise ArchiveBroken(str(away)) from None
        return found.rows, found.shoe

    return read_round


def _files(
    database: Database, config: Config, archived: Mapping[str, int]
) -> Iterator[Finding]:
    """Yield the files of the archive that are not as they were written.

    `archived` says how many rounds the list has in each.
    """
    files = archive_files(database)
    for name in sorted(archived.keys() - {file.name for file in files}):
        yield Finding(f"file {name}", "is in no list of the archive's files")
    for file in files:
        subject, count = f"file {file.name}", archived.get(file.name, 0)
        if count != file.rounds:
            counts = f"{file.rounds} rounds went to it, and the list of rounds"
            yield Finding(subject, f"{counts} has {count} there")
        if config.archive is None:
            yield Finding(subject, "is needed: UPCARD_ARCHIVE names no folder")
            continue
        try:
            if Archive(config.archive).digest(file.name) != file.digest:
                yield Finding(subject, "is not what was written")
        except ArchiveUnavailable as away:
            yield Finding(subject, str(away))


def _unlike_export(signed: list[SignedSeal], folder: Path | None) -> Iterator[Finding]:
    """Yield the seals that are not those that were exported."""
    if folder is None:
        return
    found = {one.seal.number: one for one in signed}
    try:
        kept = read(folder)
    except (ExportFault, OSError) as fault:
        raise click.ClickException(str(fault)) from None
    if not kept:
        raise click.ClickException(f"{folder}: holds no seals")
    for one in kept:
        number = one.seal.number
        if number not in found:
            yield Finding(f"seal {number}", f"is in {folder}, and missing here")
        elif found[number] != one:
            yield Finding(f"seal {number}", f"is another than in {folder}")
