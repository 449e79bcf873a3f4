"""What a player bet last at a table, to bet the same again (document 000)."""

from collections.abc import Sequence
from typing import NamedTuple

from service.catalog import Catalog
from service.recorded import Ask, steps_of
from service.rules.commands import BoxWager
from service.rules.events import RoundOpened
from service.store.database import Database
from service.store.wagers import first_rows


class LastWagers(NamedTuple):
    """The wagers with which a player's last round at a table began, in minor units.

    Never what was doubled, split or insured; a wager that was raised to the minimum is
    what it was raised to.
    """

    table_id: str
    currency: str
    boxes: tuple[BoxWager, ...]


def last_wagers(
    db: Database, catalog: Catalog, ask: Ask, tables: Sequence[str]
) -> list[LastWagers]:
    """Return what the player bet last at each of the tables where he has played.

    Raises DatabaseUnavailable.
    """
    found = []
    for row in first_rows(db, ask.account, tables):
        (step,) = steps_of([row], catalog.versions())
        opened = step.events[0]
        assert isinstance(opened, RoundOpened), "a round begins with it"
        boxes = tuple(
            BoxWager(box.box, box.player, box.wager, box.bonus_wager)
            for box in opened.boxes
            if box.player == ask.player
        )
        found.append(LastWagers(opened.table.table_id, opened.currency, boxes))
    return found
