"""Streams that are sorted alike, put together round by round."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from service.store.inspection import Everything
from service.store.statements import Row

_KEY: Final = itemgetter(0, 1)
_NONE: Final[Sequence[Row]] = ()


class Gathered(NamedTuple):
    """All rows of one round, a list from each stream (see `Everything`)."""

    account: str
    round_id: str
    log: Sequence[Row]
    shoes: Sequence[Row]
    lines: Sequence[Row]
    calls: Sequence[Row]
    rounds: Sequence[Row]
    leaves: Sequence[Row]


def gathered(everything: Everything) -> Iterator[Gathered]:
    """Yield what the streams tell of each round that one of them tells of."""
    groups = [groupby(stream, _KEY) for stream in everything]
    heads = [_next(group) for group in groups]
    while keys := [head[0] for head in heads if head is not None]:
        key = min(keys)
        found = []
        for number, head in enumerate(heads):
            if head is not None and head[0] == key:
                found.append(head[1])
                heads[number] = _next(groups[number])
            else:
                found.append(_NONE)
        yield Gathered(*key, *found)


def _next(
    group: Iterator[tuple[tuple[str, str], Iterator[Row]]],
) -> tuple[tuple[str, str], Sequence[Row]] | None:
    found = next(group, None)
    return None if found is None else (found[0], list(found[1]))
