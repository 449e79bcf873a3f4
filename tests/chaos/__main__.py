"""`make chaos`: kill, cut and stall everything while 50 people play for money.

Ends with 1 when money was lost or made, a client got no definite answer or a round is
stuck; the first differences are named.
"""

import sys
import time
from pathlib import Path

import click

from tests.chaos.plan import plan_of
from tests.chaos.report import show
from tests.chaos.run import run


@click.command()
@click.option("--seed", type=int, help="The same seed makes the same choices.")
@click.option("--quick", is_flag=True, help="About 300 rounds, not 5,000.")
@click.option("--logs", type=Path, help="Keep in this folder what processes said.")
def main(*, seed: int | None, quick: bool, logs: Path | None) -> None:
    """Let everything go wrong, and see that the money is right."""
    chosen = int(time.time()) if seed is None else seed
    click.echo(f"make chaos SEED={chosen}{' QUICK=1' if quick else ''}", err=True)
    sys.exit(0 if show(run(plan_of(chosen, quick=quick), logs)) else 1)


if __name__ == "__main__":
    main()
