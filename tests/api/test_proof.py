"""`get_proof`: salt, order and log of a finished round, not a moment before."""

import hashlib
import json

import service
from service.audit import verify
from tests.api.player import Player, url_of
from tests.api.site import SALT, Site


def test_the_proof_of_a_settled_round_holds(site: Site, alice: Player) -> None:
    site.rig.stack("P 8,8 | U 6 | H T | 3,K,9,5")
    dealt = alice.deal(1000)
    settled = alice.play(dealt, "split double stand settle")
    got = alice.get(f"{url_of(settled)}/proof")
    assert (got.status, got.version) == (200, settled.version)
    assert got.headers["Cache-Control"] == "no-store"
    shoe = got.json["shoe"]
    whole = bytes.fromhex(shoe["salt"]) + shoe["order"].encode()
    assert hashlib.sha256(whole).hexdigest() == dealt.round["commitment"]
    assert (shoe["salt"], shoe["order"][:12]) == (SALT.hex(), "8S6S8HTS3SKS")
    assert len(got.json["rows"]) == 5
    said = [json.loads(row["data"])["software"] for row in got.json["rows"]]
    assert said == [service.__version__] * 5
    moved = [row for row in got.json["money"] if row["side"] == "player"]
    assert [(row["ver"], row["purpose"], row["amount"]) for row in moved] == [
        *((1, "deal", -1000), (2, "split", -1000), (3, "double", -1000)),
        (5, "settlement", settled.round["payout"]),
    ]
    assert verify(got.json).ok


def test_before_the_end_there_is_none(site: Site, alice: Player) -> None:
    site.rig.stack("P T,9 | U 7 | H T")
    got = alice.deal(1000)
    for move in ("stand", "settle"):
        early = alice.get(f"{url_of(got)}/proof")
        assert early.refusal == (409, "proof_not_ready")
        assert SALT.hex() not in early.body.decode()
        got = alice.play(got, move)
    assert alice.get(f"{url_of(got)}/proof").status == 200


def test_a_known_proof_is_not_sent_again(site: Site, alice: Player) -> None:
    site.rig.stack("P A,K | U 9 | H 7")
    settled = alice.settle(alice.deal(1000))
    got = alice.get(f"{url_of(settled)}/proof", if_none_match=settled.version)
    assert (got.status, got.body) == (304, b"")


def test_the_proof_is_its_players(site: Site, alice: Player, bob: Player) -> None:
    site.rig.stack("P A,K | U 9 | H 7")
    settled = alice.settle(alice.deal(1000))
    got = bob.get(f"{url_of(settled)}/proof")
    assert got.refusal == (404, "round_not_found")
