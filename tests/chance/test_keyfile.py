"""Key files: what is taken, what is refused, and that no key is ever shown."""

import json
from pathlib import Path

import pytest

from service.keyfile import KeyFault, KeyFile

KEY = "0123456789abcdef" * 4
OTHER = "fedcba9876543210" * 4


def text_of(current: object, keys: object, **more: object) -> str:
    return json.dumps({"current": current, "keys": keys, **more})


def test_a_good_file_gives_its_keys() -> None:
    keys = KeyFile.from_text(text_of("k2", {"k1": KEY, "k2": OTHER}), "keys.json")
    assert keys.current == "k2"
    assert dict(keys.items()) == {
        "k1": bytes.fromhex(KEY),
        "k2": bytes.fromhex(OTHER),
    }


def test_upper_case_hex_is_the_same_key() -> None:
    keys = KeyFile.from_text(text_of("k1", {"k1": KEY.upper()}), "keys.json")
    assert dict(keys.items()) == {"k1": bytes.fromhex(KEY)}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not valid JSON"),
        (KEY, "is not valid JSON"),
        ('{"current": NaN}', "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ("[]", 'must be an object of "current" and "keys"'),
        (text_of("k1", {"k1": KEY}, old=1), 'must be an object of "current" and'),
        (json.dumps({"current": "k1"}), 'must be an object of "current" and "keys"'),
        (text_of("k1", [KEY]), '"keys" must be an object of at least one key'),
        (text_of("k1", {}), '"keys" must be an object of at least one key'),
        (text_of("k2", {"k1": KEY}), '"current" must be the name of one of the keys'),
        (text_of(None, {"k1": KEY}), '"current" must be the name of one of the keys'),
        (text_of(["k1"], {"k1": KEY}), '"current" must be the name of one of the keys'),
        (text_of("k1", {"k1": KEY[2:]}), 'key "k1" must be 64 hex digits'),
        (text_of("k1", {"k1": KEY + "00"}), 'key "k1" must be 64 hex digits'),
        (text_of("k1", {"k1": KEY[:-1] + "g"}), 'key "k1" must be 64 hex digits'),
        (text_of("k1", {"k1": KEY[:-2] + " 0"}), 'key "k1" must be 64 hex digits'),
        (text_of("k1", {"k1": KEY + "\n"}), 'key "k1" must be 64 hex digits'),
        (text_of("k1", {"k1": 7}), 'key "k1" must be 64 hex digits'),
        (text_of("", {"": KEY}), "a key's name must be 1 to 32 of"),
        (text_of("a b", {"a b": KEY}), "a key's name must be 1 to 32 of"),
        (text_of("k1\n", {"k1\n": KEY}), "a key's name must be 1 to 32 of"),
        (text_of("k" * 33, {"k" * 33: KEY}), "a key's name must be 1 to 32 of"),
    ],
)
def test_a_bad_file_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(KeyFault) as caught:
        KeyFile.from_text(text, "keys.json")
    assert str(caught.value).startswith(f"keys.json: {reason}")
    assert (caught.value.source, caught.value.__cause__) == ("keys.json", None)
    assert KEY[:8] not in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(KeyFault, match=r"absent\.json: can't be read: No such file"):
        KeyFile.from_file(tmp_path / "absent.json")
    with pytest.raises(KeyFault, match="can't be read: Is a directory"):
        KeyFile.from_file(tmp_path)
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff" + KEY.encode())
    with pytest.raises(KeyFault, match=r"binary\.json: can't be read: is not UTF-8"):
        KeyFile.from_file(binary)


def test_a_fresh_file_is_good_and_new_each_time(tmp_path: Path) -> None:
    texts = {KeyFile.fresh_text("k1") for _ in range(50)}
    assert len(texts) == 50
    file = tmp_path / "keys.json"
    file.write_text(texts.pop(), "utf-8")
    assert KeyFile.from_file(file).current == "k1"


def test_no_key_is_shown() -> None:
    keys = KeyFile.from_text(text_of("k2", {"k1": KEY, "k2": OTHER}), "keys.json")
    assert repr(keys) == str(keys) == f"{keys}" == "<KeyFile k1, k2 (current)>"
