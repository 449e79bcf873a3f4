"""`make rtp`: exact figures, simulations, and docs/rtp.md with both.

RTP_ROUNDS (10,000,000) is for one box, a tenth of it for other numbers of boxes;
RTP_JOBS (1) is the number of processes. A run that was stopped goes on where it was.
"""

import os
from pathlib import Path
from typing import Final

from rich.progress import Progress

from tests.rtp.beside import beside_another
from tests.rtp.cases import House, cases, played
from tests.rtp.page import page

PAGE: Final = Path("docs/rtp.md")


def main() -> None:
    """Play what is missing and write the page."""
    rounds = int(os.environ.get("RTP_ROUNDS", "10000000"))
    jobs = int(os.environ.get("RTP_JOBS", "1"))
    house = House()
    with Progress() as bar:
        done = [played(house, case, jobs, bar) for case in cases(house.tables, rounds)]
    PAGE.write_text(page(house, done, beside_another(house)), "utf-8")
    print(f"{PAGE} written")
    outside = [each.case.name for each in done if each.is_outside]
    if outside:
        raise SystemExit(f"outside three standard errors: {', '.join(outside)}")


if __name__ == "__main__":
    main()
