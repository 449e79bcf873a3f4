"""`list_events`: what happened, oldest first."""

import pytest

from service.rules.events import STORED_AS
from tests.api.player import Player, url_of
from tests.api.site import Site


def test_events_are_those_of_the_replies_in_order(site: Site, alice: Player) -> None:
    site.rig.stack("P 8,8 | U 6 | H T | 3,K,9,5")
    got = alice.deal(1000)
    url, told = url_of(got), list(got.json["events"])
    for move in ["split", "double", "stand", "settle"]:
        got = alice.play(got, move)
        told += got.json["events"]
    listed = alice.get(f"{url}/events")
    assert listed.json["events"] == told
    assert (listed.json["version"], listed.version) == (5, '"5"')
    assert [event["seq"] for event in told] == list(range(1, len(told) + 1))
    assert [event["version"] for event in told] == sorted(e["version"] for e in told)


def test_only_what_is_new_is_told(site: Site, alice: Player) -> None:
    site.rig.stack("P 2,3 | U 6 | H 5 | 4,4")
    got = alice.play(alice.deal(1000), "hit hit")
    events = alice.get(f"{url_of(got)}/events").json["events"]
    for after in (0, 1, len(events) - 1, len(events), 2**53 - 1):
        some = alice.get(f"{url_of(got)}/events?after={after}").json["events"]
        assert some == events[after:]


@pytest.mark.parametrize(
    "after", ["-1", "x", "1.0", "1e3", str(2**53), "", "%00", "+1"]
)
def test_a_place_is_a_whole_number(alice: Player, after: str) -> None:
    got = alice.get(f"{url_of(alice.deal(1000))}/events?after={after}")
    assert got.refusal == (422, "invalid")


def test_a_known_version_is_not_sent_again(alice: Player) -> None:
    url = f"{url_of(alice.deal(1000))}/events"
    assert alice.get(url, if_none_match='"1"').status == 304


def test_events_of_someone_else_are_not_found(alice: Player, bob: Player) -> None:
    url = f"{url_of(alice.deal(1000))}/events"
    assert bob.get(url).refusal == (404, "round_not_found")


def test_every_kind_of_event_is_described(site: Site) -> None:
    schemas = site.api.contract.document["components"]["schemas"]
    mapping = schemas["Event"]["discriminator"]["mapping"]
    assert set(mapping) == {name.split("/")[0] for name in STORED_AS.values()}
    for kind, name in STORED_AS.items():
        described = mapping[name.split("/")[0]].rpartition("/")[2]
        assert described == kind.__name__
        fields = set(schemas[described]["properties"]) - {
            "seq",
            "version",
            "at",
            "type",
        }
        own = set(kind._fields) - {"at"}
        if kind.__name__ == "RoundOpened":
            own = own - {"table"} | {"table_id", "table_version"}
        assert fields == own
