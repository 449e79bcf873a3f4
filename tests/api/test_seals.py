"""`list_seals`: public, the newest first, with all that was signed."""

import datetime as dt

from service.keyfile import KeyFile
from service.seals.export import from_json
from service.seals.seal import SealKeys, chain_faults
from service.store.database import Database
from service.store.seals import make_seal
from tests.api.player import Player
from tests.api.site import Site

KEYS = SealKeys(KeyFile.from_text(KeyFile.fresh_text("s1"), "keys"))


def test_seals_are_shown_to_everybody(site: Site, alice: Player) -> None:
    assert site.config.database_url
    database = Database(site.config.database_url)
    for day in (1, 2, 3):
        make_seal(database, KEYS, dt.date(2026, 3, day), 1_800_000_000_000_000)
    database.close()
    first = alice.get("/v1/seals?limit=2", authorization=None)
    assert first.status == 200
    assert [seal["number"] for seal in first.json["items"]] == [3, 2]
    cursor = first.json["next_cursor"]
    last = alice.get(f"/v1/seals?limit=2&cursor={cursor}", authorization=None)
    assert [seal["day"] for seal in last.json["items"]] == ["2026-03-01"]
    assert last.json["next_cursor"] is None
    shown = [from_json(seal) for seal in (*first.json["items"], *last.json["items"])]
    assert list(chain_faults(reversed(shown), KEYS.public.values())) == []
    made_up = alice.get("/v1/seals?limit=3&cursor=MA", authorization=None)
    assert made_up.refusal == (422, "invalid")
