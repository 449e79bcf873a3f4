"""The operations of openapi.yaml, each with its validators, built once.

What the contract says is not said again here: there is no list of fields, limits or
statuses. service/api/contract.py uses what is built.
"""

import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import orjson
import yaml
from jsonschema_rs import Draft202012Validator

JSON: Final = "application/json"
Who = Literal["anybody", "player", "operator"]
METHODS: Final = frozenset({"get", "put", "post", "patch", "delete"})
_SCHEMES: Final[Mapping[str, Who]] = {
    "player_token": "player",
    "operator_signature": "operator",
}
"""Whom a security scheme of the contract lets in."""
_INTEGER: Final = re.compile(r"-?(0|[1-9][0-9]{0,18})")


class Parameter(NamedTuple):
    """A path, query or header parameter, or a header of an answer."""

    name: str
    required: bool
    whole: bool
    """Whether it is an integer, which then is read from its decimal text."""
    default: Any
    validator: Draft202012Validator

    def read(self, text: str) -> int | str:
        """Return the integer that is wanted, or else the text, which is then wrong."""
        if self.whole and _INTEGER.fullmatch(text):
            return int(text)
        return text


class Reply(NamedTuple):
    """One documented status of an operation."""

    headers: tuple[Parameter, ...]
    media_type: str | None
    body: Draft202012Validator | None


class Operation(NamedTuple):
    """One operation of the contract, with its validators."""

    operation_id: str
    method: str
    path: str
    who: Who
    """Who may call it: what its `security` says, and nothing else does."""
    parameters: Mapping[str, Mapping[str, Parameter]]
    """By place ("path", "query", "header"), then by name."""
    body: Draft202012Validator | None
    replies: Mapping[int, Reply]
    answers_in: str
    """The media type of what it answers when nothing is wrong."""


def read_document(path: Path) -> dict[str, Any]:
    """Return the contract in a file.

    Raises FileNotFoundError or yaml.YAMLError.
    """
    # The loader in C where PyYAML has it: 26 ms in place of 210.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    document: dict[str, Any] = yaml.load(path.read_bytes(), loader)  # noqa: S506 - both are safe loaders
    return document


class Builder:
    """Builds validators and operations out of a contract's document."""

    def __init__(self, document: dict[str, Any]) -> None:
        """Take the document that all references lead into."""
        self.document: Final = document
        self._built: dict[bytes, Draft202012Validator] = {}

    def operations(self) -> Iterator[Operation]:
        """Yield every operation. Raises ValidationError for a schema that is none."""
        for path, item in self.document["paths"].items():
            for method in METHODS & item.keys():
                yield self._operation(path, method, item)

    def validator(self, schema: Mapping[str, Any]) -> Draft202012Validator:
        """Return the validator of a schema of the document; equal ones share it."""
        text = orjson.dumps(schema)
        if text not in self._built:
            # References in a schema of the contract start at the document's root.
            schemas = {"schemas": self.document["components"]["schemas"]}
            root = {**schema, "components": schemas}
            self._built[text] = Draft202012Validator(root)
        return self._built[text]

    def _operation(self, path: str, method: str, item: dict[str, Any]) -> Operation:
        found = item[method]
        places: dict[str, dict[str, Parameter]] = {
            "path": {},
            "query": {},
            "header": {},
        }
        for node in (*item.get("parameters", ()), *found.get("parameters", ())):
            described = self._resolved(node)
            parameter = self._parameter(described["name"], described)
            places[described["in"]][parameter.name] = parameter
        content = found.get("requestBody", {}).get("content")
        replies = {
            int(status): self._reply(self._resolved(reply))
            for status, reply in found["responses"].items()
        }
        well = replies.get(HTTPStatus.OK)
        return Operation(
            operation_id=found["operationId"],
            method=method.upper(),
            path=path,
            who=self._who(found),
            parameters=places,
            body=self.validator(content[JSON]["schema"]) if content else None,
            replies=replies,
            answers_in=(well and well.media_type) or JSON,
        )

    def _who(self, found: dict[str, Any]) -> Who:
        security = found.get("security", self.document.get("security", []))
        for requirement in security:
            (scheme,) = requirement
            return _SCHEMES[scheme]
        return "anybody"

    def _resolved(self, node: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in node:
            target: dict[str, Any] = self.document
            for step in node["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            node = {**target, **{k: v for k, v in node.items() if k != "$ref"}}
        return node

    def _parameter(self, name: str, described: dict[str, Any]) -> Parameter:
        schema = self._resolved(described["schema"])
        return Parameter(
            name=name,
            required=described.get("required", False),
            whole=schema.get("type") == "integer",
            default=schema.get("default"),
            validator=self.validator(schema),
        )

    def _reply(self, reply: dict[str, Any]) -> Reply:
        headers = tuple(
            self._parameter(name, self._resolved(header))
            for name, header in reply.get("headers", {}).items()
        )
        for media_type, content in reply.get("content", {}).items():
            return Reply(headers, media_type, self.validator(content["schema"]))
        return Reply(headers, None, None)


def rules_of(document: object) -> dict[str, str]:
    """Return in words what a text must be, by the pattern that it must match.

    The contract says it itself (`x-must-be`), or else an example of it does.
    """
    found = dict(_said(document, "example"))
    words = {pattern: f"look like {example}" for pattern, example in found.items()}
    said = _said(document, "x-must-be")
    return words | {pattern: f"be {rule}" for pattern, rule in said}


def _said(node: object, key: str) -> Iterator[tuple[str, str]]:
    """Yield each pattern beside which a document has a text under `key`."""
    if isinstance(node, dict):
        schema, text = node.get("schema", node), node.get(key)
        if isinstance(text, str) and isinstance(schema.get("pattern"), str):
            yield schema["pattern"], text
        for inner in node.values():
            yield from _said(inner, key)
    elif isinstance(node, list):
        for inner in node:
            yield from _said(inner, key)


def choices(node: object) -> Iterator[tuple[str, ...]]:
    """Yield the keys of each object of a document that has exactly one of them."""
    if isinstance(node, dict):
        branches = node.get("oneOf")
        named = branches if isinstance(branches, list) else []
        keys = [one["required"] for one in named if list(one) == ["required"]]
        if keys and len(keys) == len(named):
            yield tuple(key for required in keys for key in required)
        for inner in node.values():
            yield from choices(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from choices(inner)


def secrets_of(node: object) -> Iterator[str]:
    """Yield the name of each property that a document says is write-only."""
    if isinstance(node, dict):
        properties = node.get("properties", {})
        for name, schema in properties.items() if isinstance(properties, dict) else ():
            if isinstance(schema, dict) and schema.get("writeOnly"):
                yield name
        for inner in node.values():
            yield from secrets_of(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from secrets_of(inner)
