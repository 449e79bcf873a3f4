"""Sealed shoes: they open for their own account and id, unaltered, or not at all."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.chance import OsShuffler, WholeShoe
from service.keyfile import KeyFault
from service.rules.cards import CARDS
from service.sealing import KeyRing, SealBroken, SealedShoe

ACCOUNT = "0b4f9a9c-8a0e-5f0b-9f0e-0d4d0a6f3c11"
SHOE = "01890a5d-ac96-774b-bcce-b302099a8057"
KEYS = {"old": "11" * 32, "new": "22" * 32}

shoes = st.builds(
    WholeShoe,
    st.binary(min_size=32, max_size=32),
    st.lists(st.sampled_from(CARDS), min_size=1, max_size=60).map("".join),
)
names = st.text(st.characters(codec="utf-8"), max_size=40)


def ring(current: str = "new", **keys: str) -> KeyRing:
    text = json.dumps({"current": current, "keys": keys or KEYS})
    return KeyRing.from_text(text, "shoe-keys.json")


def flipped(whole: bytes, bit: int) -> bytes:
    altered = bytearray(whole)
    altered[bit // 8] ^= 1 << bit % 8
    return bytes(altered)


RING = ring()


@given(shoe=shoes, account=names, shoe_id=names)
def test_a_sealed_shoe_opens_as_it_was(
    shoe: WholeShoe, account: str, shoe_id: str
) -> None:
    sealed = RING.seal(shoe, account, shoe_id)
    assert RING.open(sealed, account, shoe_id) == shoe
    assert sealed.key_id == "new"
    assert sealed.commitment == shoe.commitment


@given(shoe=shoes, own=st.tuples(names, names), other=st.tuples(names, names))
def test_a_seal_holds_for_one_account_and_id_only(
    shoe: WholeShoe, own: tuple[str, str], other: tuple[str, str]
) -> None:
    sealed = RING.seal(shoe, *own)
    for account, shoe_id in {other, (own[0], other[1]), (other[0], own[1])} - {own}:
        with pytest.raises(SealBroken, match="the seal is not the one of this shoe"):
            RING.open(sealed, account, shoe_id)


def test_letters_moved_from_account_to_id_break_the_seal() -> None:
    sealed = RING.seal(WholeShoe(bytes(32), "AS"), "ab", "c")
    with pytest.raises(SealBroken):
        RING.open(sealed, "a", "bc")


def test_every_flipped_bit_breaks_the_seal() -> None:
    sealed = RING.seal(WholeShoe.new(OsShuffler(), 1), ACCOUNT, SHOE)
    for bit in range(8 * len(sealed.nonce)):
        altered = sealed._replace(nonce=flipped(sealed.nonce, bit))
        with pytest.raises(SealBroken, match="not the one of this shoe"):
            RING.open(altered, ACCOUNT, SHOE)
    for bit in range(8 * len(sealed.sealed)):
        altered = sealed._replace(sealed=flipped(sealed.sealed, bit))
        with pytest.raises(SealBroken, match="not the one of this shoe"):
            RING.open(altered, ACCOUNT, SHOE)


def test_every_other_commitment_is_refused() -> None:
    sealed = RING.seal(WholeShoe.new(OsShuffler(), 1), ACCOUNT, SHOE)
    for place, letter in enumerate(sealed.commitment):
        wrong = "0" if letter != "0" else "1"
        other = sealed.commitment[:place] + wrong + sealed.commitment[place + 1 :]
        with pytest.raises(SealBroken, match="not the one committed to"):
            RING.open(sealed._replace(commitment=other), ACCOUNT, SHOE)


@given(st.binary(max_size=80), st.binary(max_size=80))
def test_any_bytes_in_place_of_a_sealed_shoe_are_refused(
    nonce: bytes, sealed: bytes
) -> None:
    with pytest.raises(SealBroken):
        RING.open(SealedShoe("new", nonce, sealed, "00" * 32), ACCOUNT, SHOE)


def test_the_old_key_still_opens_after_a_rotation() -> None:
    shoe = WholeShoe.new(OsShuffler(), 8)
    before = ring("old", old=KEYS["old"]).seal(shoe, ACCOUNT, SHOE)
    assert RING.open(before, ACCOUNT, SHOE) == shoe
    assert RING.seal(shoe, ACCOUNT, SHOE).key_id == "new"


def test_a_removed_key_is_named() -> None:
    sealed = RING.seal(WholeShoe(bytes(32), "AS"), ACCOUNT, SHOE)
    with pytest.raises(SealBroken, match="no key 'new' in the key ring"):
        ring("old", old=KEYS["old"]).open(sealed, ACCOUNT, SHOE)


def test_another_key_of_the_same_name_does_not_open() -> None:
    sealed = RING.seal(WholeShoe(bytes(32), "AS"), ACCOUNT, SHOE)
    with pytest.raises(SealBroken, match="not the one of this shoe"):
        ring("new", new="33" * 32).open(sealed, ACCOUNT, SHOE)


def test_the_same_shoe_is_never_sealed_alike() -> None:
    shoe = WholeShoe(bytes(32), "AS")
    sealed = [RING.seal(shoe, ACCOUNT, SHOE) for _ in range(100)]
    assert len({seal.nonce for seal in sealed}) == 100
    assert len({seal.sealed for seal in sealed}) == 100


def test_nothing_secret_is_readable() -> None:
    shoe = WholeShoe.new(OsShuffler(), 8)
    sealed = RING.seal(shoe, ACCOUNT, SHOE)
    assert shoe.order[:6].encode() not in sealed.sealed
    assert shoe.salt not in sealed.sealed
    assert repr(RING) == str(RING) == "<KeyRing of <KeyFile old, new (current)>>"


def test_a_ring_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "shoe-keys.json"
    file.write_text(json.dumps({"current": "old", "keys": KEYS}), "utf-8")
    assert KeyRing.from_file(file).seal(WholeShoe(b"", ""), "", "").key_id == "old"
    with pytest.raises(KeyFault):
        KeyRing.from_file(tmp_path / "absent.json")
