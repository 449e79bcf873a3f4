"""`upcard migrate`: bring the database to the schema of this version."""

from contextlib import closing

import click

from service.cli.environment import config_or_exit, plainly
from service.embedded.access import database_urls
from service.store import counter, schema
from service.store.database import Database


@click.command("migrate")
@click.option("--check", is_flag=True, help="Only tell what is pending (exit code 1).")
def command(*, check: bool) -> None:
    """Bring the database to the schema of this version.

    Each migration runs once, in a transaction of its own. The database is that of
    DATABASE_URL (as the owner: MIGRATION_DATABASE_URL), or the embedded one. One that
    was restored from a dump is brought to where its transactions were numbered.
    """
    config = config_or_exit()
    with plainly(), database_urls(config, click.echo) as urls:
        if check:
            pending = schema.pending(urls.owner)
            for migration in pending:
                click.echo(f"pending: {migration.label}")
            if pending:
                raise SystemExit(1)
            with closing(Database(urls.owner, role=None)) as database:
                counter.check(database)
        else:
            schema.migrate(urls.owner, lambda label: click.echo(f"done: {label}"))
            counter.catch_up(urls.owner, click.echo)
    click.echo("the schema is that of this version")
