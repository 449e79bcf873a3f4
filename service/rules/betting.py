"""Which wagers a table takes: the check of a deal before any card."""

from collections.abc import Iterator

from service.rules.commands import BoxWager, Deal, Problem, Refused
from service.rules.events import BoxOpened
from service.rules.table import Limits


def limits_of(deal: Deal) -> Limits:
    """Return the limits in force for a deal. Raises Refused."""
    table = deal.table
    limits = table.limits.get(deal.currency)
    if limits is None:
        taken = ", ".join(sorted(table.limits))
        detail = f"Table {table.table_id} takes {taken}, not {deal.currency}."
        raise Refused("currency_not_offered", detail)
    return deal.limits or limits


def open_boxes(deal: Deal, limits: Limits) -> tuple[BoxOpened, ...]:
    """Return the boxes of a deal in playing order, raised where that was asked.

    Raises Refused with every fault of every box (decisions 15, 16, 17, 25).
    """
    assert deal.boxes, "a deal has at least one box"
    raises = deal.raise_to_minimum and deal.table.under_minimum == "raise"
    problems = [*_places(deal)]
    opened = []
    for index, box in enumerate(deal.boxes):
        wager = box.wager
        if raises and 0 < wager < limits.minimum:  # no wager is none to raise
            wager = limits.minimum
        problems.extend(_wager(deal, index, wager, limits))
        problems.extend(_bonus(box, index, limits))
        raised_from = box.wager if wager != box.wager else None
        opened.append(
            BoxOpened(box.box, box.player, wager, raised_from, box.bonus_wager)
        )
    if problems:
        first = problems[0]
        raise Refused(first.code, first.detail, problems=tuple(problems))
    return tuple(sorted(opened))


def _places(deal: Deal) -> Iterator[Problem]:
    boxes: set[int] = set()
    players: set[str] = set()
    last = deal.table.boxes
    for index, box in enumerate(deal.boxes):
        pointer = f"/boxes/{index}/box"
        if not 1 <= box.box <= last:
            detail = f"Box {box.box} is not offered; this table has boxes 1 to {last}."
            yield Problem(box.box, pointer, "box_not_offered", detail, last)
        if box.box in boxes:
            detail = f"Box {box.box} stands twice in this deal; each box is bet once."
            yield Problem(box.box, pointer, "box_repeated", detail)
        if deal.table.seating == "shared" and box.player in players:
            detail = "At a shared table a player has one box."
            yield Problem(box.box, pointer, "box_not_offered", detail)
        boxes.add(box.box)
        players.add(box.player)


def _wager(deal: Deal, index: int, wager: int, limits: Limits) -> Iterator[Problem]:
    minimum, maximum, step = limits.minimum, limits.maximum, limits.step
    own = deal.own_limit
    place = (deal.boxes[index].box, f"/boxes/{index}/wager")
    if wager < minimum:
        detail = f"A wager is at least {minimum}; {wager} is below it."
        # Never above the player's own limit (decision 16).
        raises = deal.table.under_minimum == "raise"
        raised_to = minimum if raises and (own is None or own >= minimum) else None
        yield Problem(*place, "wager_below_minimum", detail, minimum, raised_to)
    elif own is not None and own < min(wager, maximum):
        detail = f"The player's own limit is {own}; {wager} is above it."
        yield Problem(*place, "wager_above_own_limit", detail, own)
    elif wager > maximum:
        detail = f"A wager is at most {maximum}; {wager} is above it."
        yield Problem(*place, "wager_above_maximum", detail, maximum)
    elif wager % step:
        below = wager - wager % step
        detail = f"A wager is a multiple of {step}; {wager} is not, {below} would be."
        yield Problem(*place, "wager_off_step", detail, step)


def _bonus(box: BoxWager, index: int, limits: Limits) -> Iterator[Problem]:
    place = (box.box, f"/boxes/{index}/bonus_wager")
    if box.bonus_wager == 0:
        return
    if limits.bonus_wager is None:
        detail = "This table has no bonus wager."
        yield Problem(*place, "bonus_not_offered", detail, 0)
    elif box.bonus_wager != limits.bonus_wager:
        exact = limits.bonus_wager
        detail = f"A bonus wager is exactly {exact}; {box.bonus_wager} is not."
        yield Problem(*place, "bonus_wager_wrong", detail, exact)
