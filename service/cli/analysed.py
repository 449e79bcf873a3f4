"""What the commands about a table's maths share: the table, its figures, its study."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from service.figures import SUFFIX, Figures, read_figures
from service.rules.table import TableRules
from service.tablefile import TableFault, parse_table, shipped_tables

if TYPE_CHECKING:
    from service.analysis.study import Study


class Named(NamedTuple):
    """A table that was asked for: its rules, and the text that they were read from."""

    rules: TableRules
    text: str
    path: Path | None


def named_table(name: str) -> Named:
    """Return a table by its id or its file, or end with what is wrong with it."""
    shipped = {file.removesuffix(".toml"): text for file, text in shipped_tables()}
    path = None
    text = shipped.get(name)
    if text is None:
        path = Path(name)
        if not path.is_file():
            known = ", ".join(shipped)
            raise click.ClickException(
                f"{name} is neither a file nor one of {known}, which come with Upcard; "
                "of a table of your own, name the file"
            )
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise click.ClickException(f"{name} is no text: {error}") from error
    try:
        return Named(parse_table(text, name), text, path)
    except TableFault as fault:
        raise click.ClickException(str(fault)) from fault


def check_folder(file: Path) -> None:
    """End, before anything takes time, when a file to write has no folder."""
    if not file.parent.is_dir():
        raise click.ClickException(f"there is no folder {file.parent} for {file.name}")


def figures_of(table: Named) -> dict[str, Any]:
    """Return a table's figures: known ones if there are, else made now."""
    known = Figures().of(table.rules.version)
    if known is None and table.path is not None:
        beside = read_figures(table.path.with_suffix(SUFFIX))
        if beside and beside["table_version"] == table.rules.version:
            known = beside
    return known or made_figures(study_of(table.rules))


def study_of(rules: TableRules) -> "Study":
    """Return a table's study, made under a progress bar, or end without numpy."""
    try:
        from service.analysis.study import Study  # noqa: PLC0415 - numpy is an extra
    except ModuleNotFoundError as error:
        wanted = "the exact analysis needs numpy: pip install 'upcard[analysis]'"
        raise click.ClickException(wanted) from error
    with progress_bar() as bar:
        task = bar.add_task(rules.table_id, total=1.0)
        return Study(rules, lambda part: bar.update(task, completed=part))


def made_figures(study: "Study") -> dict[str, Any]:
    """Return a study's figures."""
    from service.analysis.report import figures_of  # noqa: PLC0415 - numpy is an extra

    return figures_of(study)


def progress_bar() -> Progress:
    """Return a progress bar on standard error, so that output can be kept apart."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
