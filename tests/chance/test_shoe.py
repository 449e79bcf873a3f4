"""Whole shoes, commitments, ids and secrets."""

import hashlib
import subprocess
import sys
import time
import uuid

import pytest

from service.chance import (
    NONCE_BYTES,
    SALT_BYTES,
    OsShuffler,
    WholeShoe,
    commitment,
    new_id,
    new_nonce,
    new_secret,
)
from service.rules.cards import Card, deck_order


def test_a_shoe_gives_its_cards_by_place() -> None:
    shoe = WholeShoe(bytes(32), "".join(deck_order(1)))
    assert tuple(shoe.card_at(place) for place in range(52)) == deck_order(1)


@pytest.mark.parametrize("place", [-53, -1, 52, 53, 10**9])
def test_a_shoe_has_no_card_outside_itself(place: int) -> None:
    with pytest.raises(IndexError, match="no card at place"):
        WholeShoe(bytes(32), "".join(deck_order(1))).card_at(place)


def test_a_shoe_shows_no_card_in_a_log_or_an_error() -> None:
    shoe = WholeShoe.new(OsShuffler(), 8)
    with pytest.raises(IndexError) as caught:
        shoe.card_at(416)
    for text in (repr(shoe), str(shoe), f"{shoe}", f"{[shoe]}", str(caught.value)):
        assert "416 cards" in text
        assert shoe.order[:4] not in text
        assert repr(shoe.salt) not in text


def test_the_commitment_is_the_hash_of_salt_and_order() -> None:
    salt = bytes(range(32))
    by_hand = hashlib.sha256(salt + b"AS" + b"TD").hexdigest()
    assert commitment(salt, ["AS", "TD"]) == commitment(salt, "ASTD") == by_hand
    assert WholeShoe(salt, "ASTD").commitment == by_hand
    assert len({commitment(salt, "ASTD"), commitment(salt, "TDAS")}) == 2
    assert commitment(bytes(32), "ASTD") != by_hand


def test_a_new_shoe_takes_order_and_salt_from_its_shuffler() -> None:
    class Rigged:
        name = "rigged"

        def order(self, decks: int) -> tuple[Card, ...]:
            return deck_order(decks)

        def salt(self) -> bytes:
            return b"s" * 32

    shoe = WholeShoe.new(Rigged(), 2)
    assert shoe == (b"s" * 32, "".join(deck_order(2)))


def test_salts_nonces_and_secrets_are_of_full_size_and_new() -> None:
    assert {len(OsShuffler().salt()) for _ in range(9)} == {SALT_BYTES} == {32}
    assert {len(new_nonce()) for _ in range(9)} == {NONCE_BYTES} == {12}
    assert len(new_secret(48)) == 48
    assert len({OsShuffler().salt() for _ in range(1_000)}) == 1_000
    assert len({new_nonce() for _ in range(1_000)}) == 1_000


def test_ids_are_uuid7_of_this_moment() -> None:
    before = time.time_ns() // 1_000_000
    made = new_id()
    after = time.time_ns() // 1_000_000
    parsed = uuid.UUID(made)
    assert (parsed.version, str(parsed)) == (7, made)
    assert before <= parsed.int >> 80 <= after


def test_ids_do_not_repeat_after_a_fork() -> None:
    script = """
import os
from service.chance import new_id
new_id()
if child := os.fork():
    os.waitpid(child, 0)
for _ in range(1000):
    print(new_id()[14:])
"""
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True
    )
    without_time = run.stdout.split()
    assert len(without_time) == len(set(without_time)) == 2_000
