"""`upcard lab`: what a test laboratory takes away for its own statistics."""

from pathlib import Path

import click

from service.chance import OsShuffler, new_secret
from service.cli.analysed import progress_bar

_CHUNK = 1_000_000


@click.group("lab")
def command() -> None:
    """Export random numbers and shoes for a test laboratory."""


@command.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--shoes",
    default=1_000,
    show_default=True,
    type=click.IntRange(0),
    help="Lines of shoes.txt.",
)
@click.option(
    "--decks",
    default=8,
    show_default=True,
    type=click.IntRange(1, 8),
    help="In each shoe.",
)
@click.option(
    "--bytes",
    "size",
    default=10_000_000,
    show_default=True,
    type=click.IntRange(0),
    help="Size of raw.bin.",
)
def export(folder: Path, shoes: int, decks: int, size: int) -> None:
    """Write raw generator output and shuffled shoes into FOLDER.

    raw.bin has the bytes of the generator that every shuffle reads. shoes.txt has a
    shoe a line, two letters a card, in the order of the deal: shuffled by the code
    that deals to players. None of these shoes is ever dealt.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shuffler = OsShuffler()
    with progress_bar() as bar:
        task = bar.add_task("raw.bin", total=size)
        with (folder / "raw.bin").open("wb") as raw:
            for done in range(0, size, _CHUNK):
                raw.write(new_secret(min(_CHUNK, size - done)))
                bar.update(task, completed=done + _CHUNK)
        task = bar.add_task("shoes.txt", total=shoes)
        with (folder / "shoes.txt").open("w", encoding="ascii") as text:
            for _ in range(shoes):
                text.write("".join(shuffler.order(decks)) + "\n")
                bar.advance(task)
    click.echo(f"{folder}: {size:,} bytes from {shuffler.name}, {shoes:,} shoes")
