"""Who signs is who asks: whatever is wrong with a signature, nothing is done."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import pytest

from service.chance import new_id
from service.keyfile import KeyFile
from service.operators import OperatorKeys, new_key
from service.sealing import KeyRing
from service.store.database import Database, clock
from service.store.errors import NonceUsed
from service.store.keys import add_key, end_key, take_nonce
from tests.api.operator import Operator, requests_of, url_of
from tests.api.player import Got, Player
from tests.api.site import Site
from tests.support.waiting import at_once

OPERATIONS: Final = [request.operation for request in requests_of()]
BODY: Final = b'{"currency":"USD","amount":500,"reference":"the-first"}'


def target_of(player: Player) -> str:
    return f"{url_of(player.name)}/deposits"


def sent(casino: Operator, player: Player, headers: Mapping[str, str]) -> Got:
    """Deposit with these four headers, which say who signed."""
    names = {name.lower().replace("-", "_"): text for name, text in headers.items()}
    return casino.ask("POST", target_of(player), BODY, **names)


def refused(got: Got, why: str) -> bool:
    return (
        got.refusal == (401, "unauthenticated")
        and why in got.json["detail"]
        and got.headers["WWW-Authenticate"] == "Upcard-Signature"
    )


def test_what_is_signed_is_done(casino: Operator, alice: Player) -> None:
    before = casino.balance(alice.name)
    signed = casino.signed("POST", target_of(alice), BODY)
    assert sent(casino, alice, signed).status == 200
    assert casino.balance(alice.name) == before + 500


@pytest.mark.parametrize("operation", OPERATIONS)
def test_unsigned_is_401(casino: Operator, operation: str) -> None:
    request = next(r for r in requests_of() if r.operation == operation)
    names = ("key", "timestamp", "nonce", "signature")
    for missing in (names, *((name,) for name in names)):
        without = {f"upcard_{name}": None for name in missing}
        got = casino.send(request, **without)
        assert refused(got, "Sign the request"), missing
        assert refused(got, f"Upcard-{missing[0].capitalize()} is missing")


WRONG: Final[Mapping[str, tuple[str, str]]] = {
    "no slash": ("Upcard-Key", "dev"),
    "an empty key": ("Upcard-Key", ""),
    "two keys": ("Upcard-Key", "dev/r-1,dev/r-2"),
    "a long name": ("Upcard-Key", f"{'a' * 65}/r-1"),
    "a time in words": ("Upcard-Timestamp", "now"),
    "a time with a point": ("Upcard-Timestamp", "1772474651.5"),
    "a time below zero": ("Upcard-Timestamp", "-1"),
    "a time without end": ("Upcard-Timestamp", "9" * 13),
    "other digits": ("Upcard-Timestamp", "\xb2\xb3"),
    "a short nonce": ("Upcard-Nonce", "a" * 15),
    "a long nonce": ("Upcard-Nonce", "a" * 65),
    "a nonce with a space": ("Upcard-Nonce", "a" * 16 + " b"),
    "a short signature": ("Upcard-Signature", "0" * 63),
    "capitals": ("Upcard-Signature", "A" * 64),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_malformed_header_is_401(
    casino: Operator, alice: Player, wrong: tuple[str, str]
) -> None:
    signed = casino.signed("POST", target_of(alice), BODY)
    assert refused(sent(casino, alice, signed | dict([wrong])), f"{wrong[0]} must be")
    assert casino.balance(alice.name) == 10**12


Change = Callable[[Operator, Operator, str], dict[str, str]]
MISSIGNED: Final[Mapping[str, Change]] = {
    "another body": lambda o, _, t: o.signed("POST", t, BODY + b" "),
    "no body": lambda o, _, t: o.signed("POST", t),
    "another method": lambda o, _, t: o.signed("PUT", t, BODY),
    "another path": lambda o, _, t: o.signed("POST", t + "s", BODY),
    "a query beside it": lambda o, _, t: o.signed("POST", t + "?", BODY),
    "a path that means the same": lambda o, _, t: o.signed(
        "POST", t.replace("/v1", "/%76%31"), BODY
    ),
    "another time": lambda o, _, t: {
        **o.signed("POST", t, BODY),
        "Upcard-Timestamp": o.signed("POST", t, BODY, ago=1)["Upcard-Timestamp"],
    },
    "another nonce": lambda o, _, t: {
        **o.signed("POST", t, BODY),
        "Upcard-Nonce": new_id(),
    },
    "another operator's secret": lambda o, other, t: {
        **other.signed("POST", t, BODY),
        "Upcard-Key": f"{o.name}/{o.key.key_id}",
    },
    "another operator's key": lambda o, other, t: {
        **o.signed("POST", t, BODY),
        "Upcard-Key": f"{other.name}/{other.key.key_id}",
    },
    "another operator's name": lambda o, other, t: {
        **other.signed("POST", t, BODY),
        "Upcard-Key": f"{o.name}/{other.key.key_id}",
    },
    "an unknown key": lambda o, _, t: {
        **o.signed("POST", t, BODY),
        "Upcard-Key": f"{o.name}/r-unknown",
    },
    "an unknown key without a secret": lambda o, _, t: o.holding(
        o.key._replace(key_id="r-unknown", secret="")
    ).signed("POST", t, BODY),
    "an unknown operator": lambda o, _, t: {
        **o.signed("POST", t, BODY),
        "Upcard-Key": f"nobody/{o.key.key_id}",
    },
}


@pytest.mark.parametrize("change", MISSIGNED.values(), ids=MISSIGNED)
def test_what_was_signed_otherwise_is_401(
    casino: Operator, other: Operator, alice: Player, change: Change
) -> None:
    before = casino.balance(alice.name)
    signed = change(casino, other, target_of(alice))
    assert refused(sent(casino, alice, signed), "The key is not known, or")
    assert casino.balance(alice.name) == before


@pytest.mark.parametrize("ago", [305, -305, 10**9])
def test_a_stale_request_is_401(casino: Operator, alice: Player, ago: int) -> None:
    signed = casino.signed("POST", target_of(alice), BODY, ago=ago)
    assert refused(sent(casino, alice, signed), "300 seconds")
    fresh = casino.signed("POST", target_of(alice), BODY, nonce=signed["Upcard-Nonce"])
    assert sent(casino, alice, fresh).status == 200, "its nonce was not taken"


@pytest.mark.parametrize("ago", [290, -290])
def test_clocks_may_differ(casino: Operator, alice: Player, ago: int) -> None:
    signed = casino.signed("POST", target_of(alice), BODY, ago=ago)
    assert sent(casino, alice, signed).status == 200


def test_a_replay_is_401(casino: Operator, other: Operator, alice: Player) -> None:
    signed = casino.signed("POST", target_of(alice), BODY)
    first = sent(casino, alice, signed)
    assert first.status == 200
    assert refused(sent(casino, alice, signed), "The nonce was used before.")
    again = casino.signed("POST", target_of(alice), BODY)
    assert sent(casino, alice, again).body == first.body, "a repeat has its own nonce"
    nonce = signed["Upcard-Nonce"]
    theirs = other.signed("GET", "/v1/players/a/balance?currency=USD", nonce=nonce)
    got = other.get(
        "/v1/players/a/balance?currency=USD",
        **{name.lower().replace("-", "_"): text for name, text in theirs.items()},
    )
    assert got.status == 200, "a nonce is one operator's"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_more_than_a_body_may_have_is_not_looked_at(
    casino: Operator, operation: str
) -> None:
    request = next(r for r in requests_of() if r.operation == operation)
    got = casino.send(request._replace(body=b"x" * 16_385))
    assert got.refusal == (413, "body_too_large")


def test_of_one_request_sent_many_times_at_once_one_is_done(
    casino: Operator, alice: Player
) -> None:
    signed = casino.signed("POST", target_of(alice), BODY)
    answers = at_once([partial(sent, casino, alice, signed)] * 8)
    statuses = sorted(got.status for got in answers if isinstance(got, Got))
    assert statuses == [200] + [401] * 7


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_players_token_is_of_the_wrong_kind(
    site: Site, alice: Player, operation: str
) -> None:
    request = next(r for r in requests_of() if r.operation == operation)
    assert alice.send(request).refusal == (403, "forbidden")
    old = f"Bearer {alice.fresh_token(60, ago=61)}"
    assert alice.send(request, authorization=old).refusal == (401, "token_expired")
    bad = alice.send(request, authorization="Bearer x")
    assert bad.refusal == (401, "unauthenticated")
    assert site.operators["dev"].balance("ann") == 0


@pytest.mark.parametrize(
    "target", ["/v1/players/me", "/v1/balance", "/v1/rounds?status=open"]
)
def test_a_signature_is_of_the_wrong_kind(casino: Operator, target: str) -> None:
    assert casino.get(target).refusal == (403, "forbidden")
    assert refused(casino.get(target, upcard_nonce=new_id()), "The key is not known")


def test_a_key_is_good_until_it_ends(dsn: str, database: Database) -> None:
    ring = KeyRing.from_text(KeyFile.fresh_text("k1"), "a key file")
    keys = OperatorKeys(database, ring, clock=iter(range(0, 1000, 10)).__next__)
    first, secret = new_key(ring, "dev", "request")
    second, newer = new_key(ring, "dev", "request")
    owner = Database(dsn, role=None)
    for key in (first, second):
        add_key(owner, key)
    assert keys.secret("dev", first.key_id, "request") == secret
    assert keys.secret("dev", second.key_id, "request") == newer
    assert keys.secret("dev", first.key_id, "wallet") is None
    assert keys.current("dev", "request") == secret
    assert end_key(owner, "dev", first.key_id)
    assert not end_key(owner, "dev", first.key_id)
    assert keys.secret("dev", first.key_id, "request") is None
    assert keys.current("dev", "request") == newer
    assert keys.current("other", "request") is None
    owner.close()


def test_a_number_and_a_time_are_taken_together(database: Database) -> None:
    now = clock(database) // 1_000_000
    assert take_nonce(database, "dev", "number-1", now - 299, 300)
    assert not take_nonce(database, "dev", "number-2", now - 302, 300)
    assert not take_nonce(database, "dev", "number-2", now + 302, 300)
    with pytest.raises(NonceUsed):
        take_nonce(database, "dev", "number-1", now, 300)
    assert take_nonce(database, "other", "number-1", now, 300)
