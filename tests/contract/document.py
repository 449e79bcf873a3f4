"""openapi.yaml as a test reads it: its operations, with references followed."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final, NamedTuple

from jsonschema_rs import Draft202012Validator

from service.api.operations import METHODS

Node = dict[str, Any]
PROBLEM: Final = "application/problem+json"


class Place(NamedTuple):
    """An operation of the document."""

    name: str
    path: str
    method: str
    item: Node
    node: Node


class Document:
    """A contract's document, with its references followed."""

    def __init__(self, tree: Node) -> None:
        self.tree = tree

    def find(self, reference: str) -> Node:
        node = self.tree
        for step in reference.removeprefix("#/").split("/"):
            node = node[step.replace("~1", "/").replace("~0", "~")]
        return node

    def whole(self, node: Node) -> Node:
        while "$ref" in node:
            beside = {key: value for key, value in node.items() if key != "$ref"}
            node = {**self.find(node["$ref"]), **beside}
        return node

    @cached_property
    def operations(self) -> list[Place]:
        return [
            Place(
                item[method].get("operationId", f"{method} {path}"),
                path,
                method,
                item,
                item[method],
            )
            for path, item in self.tree["paths"].items()
            for method in METHODS & item.keys()
        ]

    @cached_property
    def answers(self) -> list[tuple[Place, int, Node]]:
        return [
            (place, int(status), self.whole(answer))
            for place in self.operations
            for status, answer in place.node["responses"].items()
            if status.isdigit()
        ]

    def parameters(self, place: Place) -> list[Node]:
        nodes = place.item.get("parameters", []) + place.node.get("parameters", [])
        return [self.whole(node) for node in nodes]

    @cached_property
    def nodes(self) -> list[tuple[str, Node]]:
        return list(walk(self.tree, "#"))

    @cached_property
    def schemas(self) -> list[tuple[str, Node]]:
        """Every schema, those inside of others too, but no example."""
        return [
            (where, node)
            for where, node in self.nodes
            if not re.search(r"/examples?/|/value/|/x-problems/", where)
            if {"type", "oneOf", "allOf", "properties", "enum"} & node.keys()
            if not where.endswith("/properties") and "/securitySchemes/" not in where
        ]

    def faults(self, schema: Node, value: object) -> Iterator[str]:
        root = {**schema, "components": self.tree["components"]}
        validator = Draft202012Validator(root, validate_formats=True)
        for error in validator.iter_errors(value):
            yield f"/{'/'.join(map(str, error.instance_path))}: {error.message[:200]}"


def walk(node: object, where: str) -> Iterator[tuple[str, Node]]:
    if isinstance(node, dict):
        yield where, node
        for key, value in node.items():
            yield from walk(value, f"{where}/{str(key).replace('/', '~1')}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from walk(value, f"{where}/{index}")


def codes_of(refusal: Node) -> list[str]:
    """Return the codes that a refusal's schema allows."""
    return [
        code
        for part in refusal["content"][PROBLEM]["schema"]["allOf"]
        for code in part.get("properties", {}).get("code", {}).get("enum", [])
    ]
