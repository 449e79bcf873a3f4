"""Shuffles: every order equally likely, shown exactly and by counting."""

import math
import os
import sys
from collections import Counter
from collections.abc import Sequence
from functools import cmp_to_key, partial
from itertools import permutations, product

import pytest

from service.chance import OsShuffler, below_from, shuffled
from service.rules.cards import deck_order
from tests.chance.uniformity import (
    ALARM,
    Shuffle,
    check_three_cards,
    check_whole_shoe,
    matrix_score,
)

BELOW = below_from(os.urandom)
SHOE = [f"{card}{copy}" for copy in range(8) for card in deck_order(1)]


def fair(items: Sequence[str]) -> list[str]:
    return shuffled(items, BELOW)


def as_bytes(words: list[int], _size: int) -> bytes:
    return b"".join(word.to_bytes(4, sys.byteorder) for word in words)


def i_instead_of_i_plus_1(items: Sequence[str]) -> list[str]:
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        chosen = BELOW(last)
        order[last], order[chosen] = order[chosen], order[last]
    return order


def swap_with_any(items: Sequence[str]) -> list[str]:
    order = list(items)
    for place in range(len(order)):
        chosen = BELOW(len(order))
        order[place], order[chosen] = order[chosen], order[place]
    return order


def sort_by_random_comparator(items: Sequence[str]) -> list[str]:
    return sorted(items, key=cmp_to_key(lambda _a, _b: 2 * BELOW(2) - 1))


def cut_only(items: Sequence[str]) -> list[str]:
    cut = BELOW(len(items))
    return [*items[cut:], *items[:cut]]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_each_sequence_of_draws_makes_another_order(size: int) -> None:
    bounds = range(size, 1, -1)
    made: Counter[tuple[int, ...]] = Counter()
    for draws in product(*(range(bound) for bound in bounds)):
        asked: list[int] = []

        def below(bound: int, draws: tuple[int, ...] = draws) -> int:
            asked.append(bound)  # noqa: B023 - used up within this turn
            return draws[len(asked) - 1]  # noqa: B023 - as above

        made[tuple(shuffled(range(size), below))] += 1
        assert asked == list(bounds)
    assert made == Counter(permutations(range(size)))
    assert made.total() == math.factorial(size)


def test_numbers_are_cut_off_where_they_would_favour_small_ones() -> None:
    for bound in [*range(1, 417), 2**31 + 1, 2**32]:
        unfair = 2**32 // bound * bound
        words = [word for word in (unfair, 2**32 - 1) if unfair <= word < 2**32]
        words += [0, bound - 1, unfair - 1]
        below = below_from(partial(as_bytes, words))
        assert [below(bound) for _ in range(3)] == [0, bound - 1, bound - 1]


def test_three_cards_come_in_all_six_orders() -> None:
    check_three_cards(fair)


def test_each_card_comes_to_each_place_of_the_shoe() -> None:
    check_whole_shoe(fair, SHOE, 6_000)


@pytest.mark.parametrize("decks", [6, 8])
def test_shoes_for_play_are_even_and_complete(decks: int) -> None:
    shoes = [OsShuffler().order(decks) for _ in range(1_500)]
    assert abs(matrix_score(shoes)) < ALARM
    whole = Counter(deck_order(decks))
    assert all(Counter(shoe) == whole for shoe in shoes)
    assert len(set(shoes)) == len(shoes)


@pytest.mark.parametrize(
    "fault",
    [i_instead_of_i_plus_1, swap_with_any, sort_by_random_comparator, cut_only],
)
def test_three_cards_show_the_known_faults(fault: Shuffle) -> None:
    with pytest.raises(AssertionError):
        check_three_cards(fault)


@pytest.mark.parametrize(
    ("fault", "times"),
    [
        (i_instead_of_i_plus_1, 6_000),
        (swap_with_any, 3_000),
        (sort_by_random_comparator, 1_500),
    ],
)
def test_a_whole_shoe_shows_the_known_faults(fault: Shuffle, times: int) -> None:
    with pytest.raises(AssertionError):
        check_whole_shoe(fault, SHOE, times)


def test_the_matrix_shows_what_is_more_even_than_chance() -> None:
    turns = ["".join(SHOE[turn % 416 :] + SHOE[: turn % 416]) for turn in range(416)]
    shoes = [[turn[i : i + 3] for i in range(0, 3 * 416, 3)] for turn in turns]
    assert matrix_score(shoes) < -ALARM
