"""The shoe that a sandbox makes: named cards on top of one that chance has shuffled."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.chance import OsShuffler
from service.rules.cards import CARDS, Card, deck_order
from service.sandbox import CardsNotInShoe, Sandbox


class Turned:
    """A shuffler that deals from the bottom of factory order."""

    name = "turned"

    def order(self, decks: int) -> tuple[Card, ...]:
        return deck_order(decks)[::-1]

    def salt(self) -> bytes:
        return bytes(32)


@given(st.lists(st.sampled_from(CARDS), max_size=30), st.integers(6, 8))
def test_the_rest_of_the_shoe_is_the_shufflers(cards: list[Card], decks: int) -> None:
    sandbox = Sandbox(cards, Turned())
    if max(Counter(cards).values(), default=0) > decks:
        with pytest.raises(CardsNotInShoe):
            sandbox.order(decks)
        return
    order = sandbox.order(decks)
    assert order[: len(cards)] == tuple(cards)
    assert Counter(order) == Counter(deck_order(decks))
    # What was not named lies as the shuffler laid it.
    rest = list(order[len(cards) :])
    for card in reversed(Turned().order(decks)):
        if rest and rest[-1] == card:
            rest.pop()
    assert rest == []


def test_a_whole_shoe_may_be_named() -> None:
    order = OsShuffler().order(6)
    assert Sandbox(order, Turned()).order(6) == order


def test_every_card_too_many_is_named_by_its_place() -> None:
    aces = [Card("AS")] * 3
    with pytest.raises(CardsNotInShoe) as refused:
        Sandbox([*aces, Card("2S"), Card("AS")], Turned()).order(2)
    assert (refused.value.places, refused.value.decks) == ((2, 4), 2)


def test_it_takes_the_salt_of_the_real_shuffler() -> None:
    salts = {Sandbox([], OsShuffler()).salt() for _ in range(8)}
    assert len(salts) == 8
    assert {len(salt) for salt in salts} == {32}
