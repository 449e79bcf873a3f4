"""`make rtp`: exact figures, simulations, and docs/rtp.md with both.

RTP_ROUNDS (10,000,000) is for each table's charts in one box, a fiftieth of it for
other plays and numbers of boxes: an hour of one core;
RTP_JOBS (1) is the number of processes. All cases grow together, a tenth at a time.
What was played is kept, also when the run is killed, and the next one goes on from
there; Ctrl-C writes the page with what there is.
"""

import os
from pathlib import Path
from typing import Final

from rich.progress import Progress

from service.analysis.picture import convergence
from tests.rtp.beside import beside_another
from tests.rtp.cases import Done, House, cases, played
from tests.rtp.page import page

PAGE: Final = Path("docs/rtp.md")
PICTURE: Final = PAGE.with_suffix(".svg")
_STEPS: Final = 10


def main() -> None:
    """Play what is missing and write the page."""
    rounds = int(os.environ.get("RTP_ROUNDS", "10000000"))
    jobs = int(os.environ.get("RTP_JOBS", "1"))
    house = House()
    try:
        for step in range(1, _STEPS + 1):
            done = _grown(house, rounds * step // _STEPS, jobs)
    except KeyboardInterrupt:
        print("stopped; the page will have what was played")
        done = _grown(house, 0, jobs)
    done = [each for each in done if each.tally.rounds]
    PAGE.write_text(page(house, done, beside_another(house)), "utf-8")
    first = done[0]
    title = f"{first.case.table_id}, one box, the charts"
    PICTURE.write_text(convergence(title, first.points, first.exact), "utf-8")
    print(f"{PAGE} and {PICTURE} written")
    outside = [each.case.name for each in done if each.is_outside]
    if outside:
        raise SystemExit(f"outside three standard errors: {', '.join(outside)}")


def _grown(house: House, rounds: int, jobs: int) -> list[Done]:
    with Progress() as bar:
        return [played(house, case, jobs, bar) for case in cases(house.tables, rounds)]


if __name__ == "__main__":
    main()
