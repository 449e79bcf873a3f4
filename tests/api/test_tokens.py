"""Player tokens: what is read, and everything else that is refused."""

import base64
import hmac
import json
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.api.tokens import (
    LENGTH_MAX,
    LIFETIME_MAX,
    Caller,
    TokenKeys,
    TokenRefused,
    account_of,
)

KEYS = {"k1": "11" * 32, "k2": "22" * 32}
NOW = 1_790_000_000
HEADER = {"alg": "HS256", "typ": "player+jwt", "kid": "k2"}
CLAIMS = {
    "iss": "upcard",
    "sub": "alice",
    "op": "dev",
    "cur": "USD",
    "mode": "real",
    "iat": NOW,
    "exp": NOW + 3600,
}


def ring(current: str = "k2", **keys: str) -> TokenKeys:
    text = json.dumps({"current": current, "keys": keys or KEYS})
    return TokenKeys.from_text(text, "token-keys.json")


RING = ring()


def segment(part: object) -> bytes:
    raw = part if isinstance(part, bytes) else json.dumps(part).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=")


def signed(
    header: object, claims: object, kid: str = "k2", digest: str = "sha256"
) -> str:
    """Sign by hand, so that the library under the reader isn't its own witness."""
    text = segment(header) + b"." + segment(claims)
    key = bytes.fromhex(KEYS[kid])
    seal = hmac.new(key, text, digest).digest()
    return (text + b"." + segment(seal)).decode()


def issued(**changed: object) -> str:
    asked = {
        "operator": "dev",
        "player": "alice",
        "currency": "USD",
        "mode": "real",
        "now": NOW,
        "lifetime": 3600,
    }
    return RING.issue(**{**asked, **changed})  # type: ignore[arg-type]  # by name


def refusal(token: str, now: int = NOW) -> TokenRefused:
    with pytest.raises(TokenRefused) as caught:
        RING.read(token, now)
    assert caught.value.__cause__ is None
    for part in token.split("."):
        assert len(part) < 4 or part not in str(caught.value)
    return caught.value


def test_a_token_says_who_is_asking() -> None:
    account = account_of("dev", "alice", "real")
    alice = Caller("dev", "alice", "USD", "real", account)
    assert RING.read(issued(), NOW) == alice
    assert RING.read(signed(HEADER, CLAIMS), NOW) == alice
    assert RING.read(issued(mode="demo"), NOW).mode == "demo"


def test_a_token_is_a_plain_jwt_of_the_current_key() -> None:
    header, claims, seal = issued().split(".")
    assert json.loads(base64.urlsafe_b64decode(header + "==")) == HEADER
    assert json.loads(base64.urlsafe_b64decode(claims + "==")) == CLAIMS
    assert signed(HEADER, CLAIMS).count(".") == 2
    assert len(seal) == 43


def test_the_longest_names_fit() -> None:
    token = issued(operator="o" * 64, player="p" * 64)
    assert len(token) < LENGTH_MAX // 2
    assert RING.read(token, NOW).player == "p" * 64


def test_a_token_expires_at_its_second() -> None:
    token = issued()
    assert RING.read(token, NOW + 3599)
    for now in (NOW + 3600, NOW + 3601, NOW + 10**9):
        assert refusal(token, now).code == "token_expired"


def test_a_token_of_the_future_is_refused_past_the_leeway() -> None:
    token = issued()
    assert RING.read(token, NOW - 30)
    assert refusal(token, NOW - 31).code == "unauthenticated"


def test_a_token_is_not_read_before_its_time() -> None:
    later = signed(HEADER, {**CLAIMS, "nbf": NOW + 100})
    assert refusal(later, NOW + 69).code == "unauthenticated"
    assert RING.read(later, NOW + 70)
    for nbf in (True, "0", 1.5, None):
        wrong = signed(HEADER, {**CLAIMS, "nbf": nbf})
        assert refusal(wrong, NOW + 200).code == "unauthenticated"


def test_keys_rotate() -> None:
    old = ring("k1").issue(
        operator="dev", player="a", currency="EUR", mode="demo", now=NOW, lifetime=60
    )
    assert RING.read(old, NOW).player == "a"
    with pytest.raises(TokenRefused):
        ring("k2", k2=KEYS["k2"]).read(old, NOW)


@pytest.mark.parametrize(
    "header",
    [
        {**HEADER, "alg": "none"},
        {**HEADER, "alg": "HS512"},
        {**HEADER, "alg": "RS256"},
        {**HEADER, "alg": ["HS256"]},
        {**HEADER, "alg": None},
        {**HEADER, "kid": "k1"},
        {**HEADER, "kid": "k3"},
        {**HEADER, "kid": 7},
        {**HEADER, "kid": None},
        {**HEADER, "typ": "JWT"},
        {**HEADER, "b64": False, "crit": ["b64"]},
        {**HEADER, "crit": ["x"], "x": 1},
        {**HEADER, "jwk": {"kty": "oct", "k": "IiI"}},
        {"alg": "HS256", "typ": "player+jwt"},
        {"alg": "HS256", "kid": "k2"},
        {},
        [],
        ["alg"],
        "alg",
        None,
        7,
        b"\xff",
        b"[" * 384,
    ],
)
def test_another_header_is_refused(header: object) -> None:
    assert refusal(signed(header, CLAIMS)).code == "unauthenticated"


def test_a_token_without_a_seal_or_with_another_is_refused() -> None:
    header, claims, seal = issued().split(".")
    none = segment({**HEADER, "alg": "none"}).decode()
    for token in (
        f"{none}.{claims}.",
        f"{header}.{claims}.",
        f"{header}.{claims}",
        f"{header}..{seal}",
        f".{claims}.{seal}",
        f"{header}.{claims}.{seal}.",
        f"{header}.{claims}.{seal}.{seal}.{seal}",
        signed(HEADER, CLAIMS, digest="sha512"),
        signed(HEADER, CLAIMS, "k1"),
        "",
        ".",
        "..",
        f" {header}.{claims}.{seal}",
        f"{header}.{claims}.{seal}\n",
        f"Bearer {header}.{claims}.{seal}",
    ):
        assert refusal(token).code == "unauthenticated"


@pytest.mark.parametrize(
    "changed",
    [
        *({name: None} for name in CLAIMS),
        {"iss": "upcard2"},
        {"sub": ""},
        {"sub": "a" * 65},
        {"sub": "al ice"},
        {"sub": "alice\n"},
        {"sub": "älice"},
        {"sub": 7},
        {"sub": ["alice"]},
        {"op": "de/v"},
        {"cur": "usd"},
        {"cur": "USDT"},
        {"cur": ""},
        {"mode": "test"},
        {"mode": True},
        {"iat": True},
        {"iat": float(NOW)},
        {"iat": str(NOW)},
        {"iat": -1},
        {"iat": True, "exp": 61},
        {"iat": -1, "exp": 60},
        {"exp": str(NOW + 60)},
        {"exp": NOW + 60.5},
        {"exp": 1e300},
        {"exp": NOW},
        {"exp": NOW - 1},
        {"exp": NOW + LIFETIME_MAX + 1},
    ],
)
def test_a_signed_token_with_a_bad_claim_is_refused(changed: dict[str, Any]) -> None:
    found = refusal(signed(HEADER, {**CLAIMS, **changed}))
    assert found.code == "unauthenticated"


@pytest.mark.parametrize("name", sorted(CLAIMS))
def test_a_signed_token_that_lacks_a_claim_is_refused(name: str) -> None:
    claims = {key: value for key, value in CLAIMS.items() if key != name}
    assert "lacks a claim" in refusal(signed(HEADER, claims)).detail


@pytest.mark.parametrize("claims", [[], None, "iss", 7, b"", b"\xff", b"{", b"[" * 400])
def test_a_signed_token_of_something_else_is_refused(claims: object) -> None:
    assert refusal(signed(HEADER, claims)).code == "unauthenticated"


def test_a_claim_of_a_later_version_is_ignored() -> None:
    assert RING.read(signed(HEADER, {**CLAIMS, "jti": "x"}), NOW).player == "alice"


def test_what_is_too_long_or_not_ascii_is_refused_unread() -> None:
    longest = signed(HEADER, {**CLAIMS, "pad": "x" * 558})
    assert LENGTH_MAX - 3 <= len(longest) <= LENGTH_MAX
    assert RING.read(longest, NOW)
    for token in (longest + "AAAA", "x" * 10**6, "ä" * 100, "\ud800", issued() + "é"):
        assert refusal(token).detail == "The token is not a player token."


@given(st.text(max_size=60) | st.from_regex(r"[\w-]*\.[\w-]*\.[\w-]*", fullmatch=True))
def test_any_text_is_refused(text: str) -> None:
    with pytest.raises(TokenRefused):
        RING.read(text, NOW)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["alg", "typ", "kid", "crit", "b64", "zip", "x5c", "iat"]
                ),
                inner | st.sampled_from(["HS256", "k2", "player+jwt", "none"]),
                max_size=5,
            )
        ),
        max_leaves=8,
    )
)
def test_any_header_is_refused_and_none_breaks_the_reader(header: object) -> None:
    with pytest.raises(TokenRefused):
        RING.read(signed(header, {"iss": "upcard"}), NOW)


@given(st.data())
def test_a_flipped_letter_is_refused(data: st.DataObject) -> None:
    token = issued()
    place = data.draw(st.integers(0, len(token) - 2))
    letter = data.draw(
        st.sampled_from("ABCabc019-_.").filter(lambda x: x != token[place])
    )
    with pytest.raises(TokenRefused):
        RING.read(token[:place] + letter + token[place + 1 :], NOW)


@pytest.mark.parametrize(
    "changed",
    [
        {"player": "al ice"},
        {"operator": ""},
        {"currency": "usd"},
        {"mode": "test"},
        {"lifetime": 0},
        {"lifetime": LIFETIME_MAX + 1},
    ],
)
def test_no_token_is_issued_that_would_be_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no token: "):
        issued(**changed)


def test_an_account_belongs_to_one_operator_player_and_mode() -> None:
    accounts = {
        account_of("a", "b:c", "real"),
        account_of("a:b", "c", "real"),
        account_of("a", "b:c", "demo"),
    }
    assert len(accounts) == 3
    assert {uuid.UUID(account).version for account in accounts} == {5}


def test_an_account_stays_what_it_was() -> None:
    # Stored rows are found by it: another value here orphans every player.
    assert account_of("dev", "alice", "real") == "ffb9ce3f-9d78-59e5-8fea-1c9926b48d46"


def test_no_key_is_shown() -> None:
    assert repr(RING) == str(RING) == "<TokenKeys of <KeyFile k1, k2 (current)>>"
