"""Measures of how even shuffles are, with a fixed limit for all of them.

The numbers under test are real, so a limit must practically never be passed by
a good shuffle: ALARM is passed once in 1e9 runs.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import permutations
from statistics import NormalDist
from typing import Final

ALARM: Final = NormalDist().inv_cdf(1 - 1e-9)

Shuffle = Callable[[Sequence[str]], Sequence[str]]


def score(statistic: float, freedom: int) -> float:
    """Turn a chi-square value into a standard normal one.

    Wilson and Hilferty, PNAS 17 (1931); in the far tail of few degrees of freedom
    it errs to the small side, so that an alarm is rarer still.

    >>> round(score(20.515, 5), 1)  # the tables' 0.1 % point; exactly 3.09
    3.1
    >>> round(score(149.449, 100), 2)
    3.09
    """
    spread = 2 / (9 * freedom)
    return float(((statistic / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread))


def matrix_score(shoes: Iterable[Sequence[Hashable]]) -> float:
    """Score the whole position x card matrix of many shuffled shoes.

    Far above 0: some cards prefer some places. Far below: more even than chance.
    All rows and columns have fixed sums, and a card's place excludes the others',
    which makes the sum n/(n-1) times a chi-square of (n-1)(kinds-1) degrees.
    """
    counts: Counter[tuple[int, Hashable]] = Counter()
    times = 0
    kinds: Counter[Hashable] = Counter()
    for times, shoe in enumerate(shoes, 1):  # noqa: B007 - the last one counts
        kinds = kinds or Counter(shoe)
        counts.update(enumerate(shoe))
    size = kinds.total()
    statistic = sum(
        (counts[place, kind] - times * copies / size) ** 2 / (times * copies / size)
        for kind, copies in kinds.items()
        for place in range(size)
    )
    return score(statistic * (size - 1) / size, (size - 1) * (len(kinds) - 1))


def check_whole_shoe(shuffle: Shuffle, cards: Sequence[str], times: int) -> None:
    """Assert that each card comes to each place equally often, at both ends too.

    Also that cards stay in their places neither more nor less often than once a
    shuffle (a Poisson law); the cards must all differ.
    """
    shoes = [shuffle(cards) for _ in range(times)]
    assert abs(matrix_score(shoes)) < ALARM
    stayed = sum(sum(map(str.__eq__, shoe, cards)) for shoe in shoes)
    assert abs(stayed - times) / math.sqrt(times) < ALARM
    for ends in (slice(0, 3), slice(-3, None)):
        tops = Counter(card for shoe in shoes for card in shoe[ends])
        expected = 3 * times / len(cards)
        statistic = sum((tops[card] - expected) ** 2 / expected for card in cards)
        assert score(statistic, len(cards) - 1) < ALARM


def check_three_cards(shuffle: Shuffle, times: int = 60_000) -> None:
    """Assert that all six orders of three cards come equally often."""
    seen = Counter("".join(shuffle("ABC")) for _ in range(times))
    orders = ["".join(order) for order in permutations("ABC")]
    assert seen.keys() <= set(orders)
    statistic = sum((seen[order] - times / 6) ** 2 / (times / 6) for order in orders)
    assert score(statistic, 5) < ALARM
