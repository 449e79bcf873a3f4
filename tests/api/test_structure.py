"""Routes, refusals and schemas say what the contract says: no more and no less."""

import re
from typing import Any, get_args

import pytest
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from marshmallow import Schema

from service.api import schemas
from service.api.problems import KINDS
from service.app import ROUTES
from service.rules.commands import Code
from service.rules.legal import Reason
from tests.api.site import Site

COMPONENTS = (
    *("Deal", "BoxWager", "Insure", "Act", "Launch", "Transfer", "Block"),
    *("Limit", "Pin", "Malfunction"),
)
DESCRIBING = {"description", "example", "x-must-be", "$ref"}


def test_the_routes_are_the_contracts_operations(site: Site) -> None:
    routed = {
        (method, re.sub(r"<(\w+)>", r"{\1}", rule.rule), rule.endpoint)
        for rule in site.app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD"}
    }
    documented = {
        (operation.method, operation.path, operation.operation_id)
        for operation in site.api.contract.operations.values()
    }
    assert routed == documented
    assert len(ROUTES) == len(documented)


def test_the_table_of_problems_is_the_contracts(site: Site) -> None:
    components = site.api.contract.document["components"]
    described = {
        code: (problem["status"], problem["title"])
        for code, problem in components["x-problems"].items()
    }
    assert {code: tuple(kind) for code, kind in KINDS.items()} == described
    assert set(components["schemas"]["ProblemCode"]["enum"]) == set(KINDS)


def test_what_the_rules_refuse_has_a_problem(site: Site) -> None:
    shown = site.api.contract.document["components"]["schemas"]
    # An expired round is ended by the service itself; no request asks for it.
    assert set(get_args(Code)) - {"round_not_expired"} <= set(KINDS)
    assert set(get_args(Reason)) <= set(shown["ActionReason"]["enum"])


def named(schema: Schema | type[Schema]) -> str:
    return (schema if isinstance(schema, type) else type(schema)).__name__


def bare(schema: Any, document: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON Schema
    """Return a schema with its references followed and its prose left out."""
    if isinstance(schema, list):
        return [bare(item, document) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        target: Any = document
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        schema = {**target, **schema}
    return {
        key: bare(value, document)
        for key, value in schema.items()
        if key not in DESCRIBING or not isinstance(value, str | int)
    }


@pytest.mark.parametrize("name", COMPONENTS)
def test_each_marshmallow_class_is_its_component(site: Site, name: str) -> None:
    plugin = MarshmallowPlugin(schema_name_resolver=named)
    spec = APISpec("x", "1", "3.1.0", plugins=[plugin])
    cls: type[Schema] = getattr(schemas, name)
    spec.components.schema(name, schema=cls)
    made = spec.to_dict()
    ours = bare({"$ref": f"#/components/schemas/{name}"}, made)
    document = site.api.contract.document
    theirs = bare({"$ref": f"#/components/schemas/{name}"}, document)
    assert comparable(ours) == comparable(theirs)


def comparable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema in the one form: what marshmallow cannot say is left out."""
    found = {**schema, "required": sorted(schema.get("required", []))}
    found.pop("additionalProperties", None)  # marshmallow's way is to refuse, too
    found.pop("oneOf", None)
    found["properties"] = {
        name: {**field, "items": comparable(field["items"])}
        if field.get("items", {}).get("type") == "object"
        else {k: v for k, v in field.items() if k != "uniqueItems"}
        for name, field in schema["properties"].items()
    }
    return found


def test_every_body_of_the_contract_has_a_class(site: Site) -> None:
    paths = site.api.contract.document["paths"].values()
    bodies = {
        operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        for item in paths
        for operation in item.values()
        if "requestBody" in operation
    }
    assert {body.rpartition("/")[2] for body in bodies} | {"BoxWager"} == set(
        COMPONENTS
    )
