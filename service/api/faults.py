"""What is wrong with a value, in words for the person who sent it.

The validators say which rule of the contract a value breaks; this turns each into a
place, a code of the contract's `FieldErrorCode` and a sentence.
"""

import re
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from typing import Any, Final, NamedTuple

import orjson
from jsonschema_rs import ValidationError

MOST: Final = 40
"""Faults in one answer; the contract's limit for `errors`."""
SENT: Final = "; you sent "
"""Stands in a sentence before the value that was sent."""
_LONGEST_POINTER: Final = 200
_LONGEST_SAMPLE: Final = 40
_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f]")
_KINDS: Final[Mapping[str, str]] = {
    "integer": "a whole number",
    "string": "a text",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


class Hints(NamedTuple):
    """What the contract says beside its rules, to tell of a fault what would be right.

    ``rules`` says of a pattern what a text must do, such as "look like USD"; of each of
    the ``choices``, which are keys, an object has exactly one.
    """

    rules: Mapping[str, str]
    choices: Sequence[tuple[str, ...]]


class FieldError(NamedTuple):
    """One fault: a JSON pointer into the body (or `query:limit`), code, sentence."""

    pointer: str
    code: str
    detail: str

    def as_dict(self) -> dict[str, str]:
        """Return the fault as the contract's `FieldError`."""
        return self._asdict()


def hushed(fault: FieldError, secrets: Collection[str]) -> FieldError:
    """Return a fault without the value that was sent, if that is a secret.

    >>> hushed(FieldError("/pin", "malformed", "is short; you sent 47"), {"pin"})[2]
    'is short'
    """
    if fault.pointer.rpartition("/")[2] not in secrets:
        return fault
    return fault._replace(detail=fault.detail.partition(SENT)[0])


def shown(value: object) -> str:
    r"""Return a value as JSON, short and printable, to say what was sent.

    >>> shown("a\x00b"), shown([1, 2]), shown({})
    ('"a\\u0000b"', 'a list', 'an object')
    """
    if isinstance(value, list | dict):
        return _KINDS["array" if isinstance(value, list) else "object"]
    text = _UNPRINTABLE.sub("?", orjson.dumps(value).decode())
    return text if len(text) <= _LONGEST_SAMPLE else f"{text[:_LONGEST_SAMPLE]}..."


def pointer_to(base: str, keys: Iterable[str | int]) -> str:
    r"""Return the JSON pointer (RFC 6901) of a place below `base`.

    Keys that the sender made up may be anything: the pointer stops before one that is
    unprintable or would make it too long.

    >>> pointer_to("", ["boxes", 0, "a/b"]), pointer_to("", ["boxes", "\x00"])
    ('/boxes/0/a~1b', '/boxes')
    """
    pointer = base
    for key in keys:
        step = "/" + str(key).replace("~", "~0").replace("/", "~1")
        if _UNPRINTABLE.search(step) or len(pointer + step) > _LONGEST_POINTER:
            break
        pointer += step
    return pointer


def faults_of(
    errors: Iterable[ValidationError], base: str, hints: Hints
) -> Iterator[FieldError]:
    """Yield the faults that a validator found.

    `base` stands before each pointer.
    """
    for error in errors:
        name = error.kind.name
        about = error.kind.as_dict()
        if name in {"oneOf", "anyOf"} and "context" in about:
            meant = _meant(error.kind.context)  # type: ignore[attr-defined]  # only these two kinds have a context
            if meant:  # else it fits several alternatives, of which it may fit one
                yield from faults_of(meant, base, hints)
                continue
            if not isinstance(error.instance, dict):
                continue  # its keys are no matter; that it is no object is told
        place = list(error.instance_path)
        pointer = pointer_to(base, place)
        if name == "required":
            missing = pointer_to(base, [*place, about["property"]])
            yield FieldError(missing, "required", "is required")
        elif name == "additionalProperties":
            for key in about["unexpected"]:
                unknown = pointer_to(base, [*place, key])
                yield FieldError(unknown, "unknown", f"{shown(key)} is not a key here")
        else:
            more = {"hints": hints, "value": error.instance}
            yield _fault(pointer, name, {**about, **more}, error.instance)


def _meant(branches: list[list[ValidationError]]) -> list[ValidationError]:
    """Return the errors of the alternative that the sender most likely meant.

    That is one whose kind fits, and of these the one with the fewest errors.
    """

    def distance(branch: list[ValidationError]) -> tuple[int, int]:
        misfits = sum(error.kind.name in {"type", "enum"} for error in branch)
        return misfits, len(branch)

    return min(branches, key=distance)


def _fault(pointer: str, name: str, about: dict[str, Any], value: object) -> FieldError:
    code, words = _WORDS.get(name, ("malformed", lambda _: "is not allowed here"))
    sent = SENT + shown(value)
    if name in {"uniqueItems", "oneOf"}:
        sent = ""
    elif isinstance(value, list) and name in {"minItems", "maxItems"}:
        sent = f"{SENT}{len(value)}"
    return FieldError(pointer, code, f"{words(about)}{sent}")


def _one_of(about: dict[str, Any]) -> str:
    return "must be " + " or ".join(shown(option) for option in about["options"])


def _type(about: dict[str, Any]) -> str:
    return "must be " + " or ".join(_KINDS[kind] for kind in about["types"])


def _pattern(about: dict[str, Any]) -> str:
    rule = about["hints"].rules.get(about["pattern"])
    return f"must {rule}" if rule else "is malformed"


def _choice(about: dict[str, Any]) -> str:
    """Name what stands together: that none fits is said of the one that was meant."""
    for keys in about["hints"].choices:
        named = [shown(key) for key in keys if key in about["value"]]
        if len(named) > 1:
            return f"has {' and '.join(named)}, of which one may stand here"
    return "names two things of which one may stand here"


def _items(count: int) -> str:
    """Count items.

    >>> _items(1), _items(5)
    ('1 item', '5 items')
    """
    return "1 item" if count == 1 else f"{count} items"


_WORDS: Final[Mapping[str, tuple[str, Callable[[dict[str, Any]], str]]]] = {
    "type": ("wrong_type", _type),
    "enum": ("not_allowed", _one_of),
    "pattern": ("malformed", _pattern),
    "minimum": ("too_small", lambda about: f"must be at least {about['limit']}"),
    "maximum": ("too_large", lambda about: f"must be at most {about['limit']}"),
    "minLength": ("too_short", lambda about: f"needs {about['limit']} characters"),
    "maxLength": ("too_long", lambda about: f"may have {about['limit']} characters"),
    "minItems": ("too_few", lambda about: f"needs at least {_items(about['limit'])}"),
    "maxItems": ("too_many", lambda about: f"may have {_items(about['limit'])}"),
    "minProperties": ("too_few", lambda about: f"needs {about['limit']} keys"),
    "uniqueItems": ("repeated", lambda _: "names something twice"),
    "oneOf": ("not_allowed", _choice),
}
