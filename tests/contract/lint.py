"""The rules that openapi.yaml keeps, each a function from the document to complaints.

tests/contract/test_openapi.py runs them over the contract, and over a planted fault
each to see that they complain. Spectral knows some of them too; these need no node.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from jsonschema_rs import Draft202012Validator

from tests.contract.document import PROBLEM, Document, Node, Place, codes_of

# What only the router answers, and what nobody answers by design.
NOBODYS_CODES: Final = {
    *("not_found", "method_not_allowed", "internal_error", "malformed_request"),
    *("request_too_slow", "uri_too_long", "expectation_failed", "headers_too_large"),
    "transfer_coding_unknown",
}
OPEN_OBJECTS: Final = {"OpenApiDocument", "EventDetails"}
# Every other header is required: an optional one is not checked.
OPTIONAL_HEADERS: Final = {"Idempotent-Replayed"}
# What they make can be made again: a token, and money under the operator's reference.
KEYLESS: Final = {"refresh_session", "deposit_money", "withdraw_money"}
# Whatever a round has come to, it is taken back.
UNVERSIONED: Final = {"malfunction_round"}
OPERATORS: Final[list[Node]] = [{"operator_signature": []}]
PUBLIC: Final = {
    "list_tables",
    "get_table",
    "get_strategy",
    "list_jackpots",
    "get_jackpot",
    "get_openapi",
    "list_seals",
    "livez",
    "readyz",
}
SPECIAL_HEADERS: Final = {
    202: "Retry-After",
    201: "Location",
    401: "WWW-Authenticate",
    429: "Retry-After",
    503: "Retry-After",
}
VERSIONED: Final = {
    "Round",
    "CommandReply",
    "EventList",
    "Proof",
    "Table",
    "Strategy",
    "OpenApiDocument",
}
# HTTP itself keeps control characters out of a header.
FREE_TEXT: Final = "/parameters/IfNoneMatch/"
CONTROL: Final = ("a\x00b", "\x07", "\x1f", "\x7f")
DESCRIBED: Final = re.compile(
    r"/(properties/[a-z_\d]+|components/(schemas|headers|parameters|links)/[\w-]+)$"
)

Rule = Callable[[Document], Iterator[str]]


def operations_are_named(document: Document) -> Iterator[str]:
    """An operationId is snake_case and its own."""
    seen: set[str] = set()
    for place in document.operations:
        if not re.fullmatch(r"[a-z]+(_[a-z]+)*", place.name) or place.name in seen:
            yield f"{place.path}: operationId {place.name}"
        seen.add(place.name)


def refusals_are_problems(document: Document) -> Iterator[str]:
    """A 4xx or 5xx is problem+json and nothing else, with a schema that says so."""
    for place, status, answer in document.answers:
        if status < 400:
            continue
        content = answer.get("content", {})
        parts = content.get(PROBLEM, {}).get("schema", {}).get("allOf", [])
        if (
            list(content) != [PROBLEM]
            or {"$ref": "#/components/schemas/Problem"} not in parts
        ):
            yield f"{place.name} {status}: is no problem+json"


def statuses_are_exact(document: Document) -> Iterator[str]:
    """There is no `default` and no 4XX: those would make every status right."""
    for place in document.operations:
        for status in place.node["responses"]:
            if not re.fullmatch(r"[2-5][0-9]{2}", str(status)):
                yield f"{place.name}: response {status}"


def expected_headers(place: Place, status: int, answer: Node) -> set[str]:
    wanted = {"Cache-Control"}
    content: Node = next(iter(answer.get("content", {}).values()), {})
    schema = str(content.get("schema", {}).get("$ref", "")).rpartition("/")[2]
    if schema in VERSIONED or status in {304, 412}:
        wanted.add("ETag")
    if place.method == "post" and status in {200, 201}:
        wanted.add("Idempotent-Replayed")
    if place.name == "refresh_session":
        wanted.discard("Idempotent-Replayed")
    special = SPECIAL_HEADERS.get(status)
    return wanted | {special} if special else wanted


def headers_are_required(document: Document) -> Iterator[str]:
    """Each answer has the headers that a client needs, required and with a schema."""
    for place, status, answer in document.answers:
        headers = answer.get("headers", {})
        for name in expected_headers(place, status, answer) - headers.keys():
            yield f"{place.name} {status}: lacks {name}"
        for name, node in headers.items():
            header = document.whole(node)
            if header.get("required") is not (name not in OPTIONAL_HEADERS):
                yield f"{place.name} {status}: {name} must be required"
            if not document.whole(header.get("schema", {})):
                yield f"{place.name} {status}: {name} has no schema"


def commands_are_guarded(document: Document) -> Iterator[str]:
    """A POST needs an Idempotency-Key, or says why not, and If-Match on a round."""
    for place in document.operations:
        required = {p["name"] for p in document.parameters(place) if p.get("required")}
        keyed = place.method == "post" and place.name not in KEYLESS
        wanted = {"Idempotency-Key"} if keyed else set()
        versioned = "{round_id}" in place.path and place.name not in UNVERSIONED
        if place.method == "post" and versioned:
            wanted.add("If-Match")
        for name in wanted - required:
            yield f"{place.name}: {name} must be required"
        if ("412" in place.node["responses"]) != ("If-Match" in wanted):
            yield f"{place.name}: 412 goes with If-Match"


def credentials_are_needed(document: Document) -> Iterator[str]:
    """All but tables, contract and health need one, and document 401 and 403."""
    for place in document.operations:
        security = place.node.get("security", document.tree.get("security"))
        is_public = security == []
        if is_public != (place.name in PUBLIC):
            yield f"{place.name}: is {'public' if is_public else 'private'}"
        if is_public == bool({"401", "403"} & place.node["responses"].keys()):
            yield f"{place.name}: 401 and 403 go with a credential"
        if not is_public and "{player_id}" in place.path and security != OPERATORS:
            yield f"{place.name}: a player is named by his operator alone"


def objects_are_closed(document: Document) -> Iterator[str]:
    """An object that let unknown keys pass would hide drift."""
    for where, node in document.schemas:
        name = where.removeprefix("#/components/schemas/").partition("/")[0]
        if node.get("type") != "object" or name in OPEN_OBJECTS:
            continue
        if node.get("additionalProperties") is not False:
            yield f"{where}: lets unknown keys pass"
        if not set(node.get("required", [])) <= set(node.get("properties", {})):
            yield f"{where}: requires what it does not have"


def values_are_bounded(document: Document) -> Iterator[str]:
    """Integers and lists have limits, and no text may hold control characters."""
    for where, node in document.schemas:
        kinds = node.get("type", [])
        kinds = {kinds} if isinstance(kinds, str) else set(kinds)
        if "integer" in kinds and not {"minimum", "maximum"} <= node.keys():
            yield f"{where}: an integer without limits"
        if "number" in kinds:
            yield f"{where}: a number that is no integer"
        if "array" in kinds and "maxItems" not in node:
            yield f"{where}: a list without an end"
        if "string" in kinds and "enum" not in node and FREE_TEXT not in where:
            pattern = {"type": "string", "pattern": node.get("pattern", "")}
            if any(Draft202012Validator(pattern).is_valid(text) for text in CONTROL):
                yield f"{where}: a text that may hold control characters"


def things_are_described(document: Document) -> Iterator[str]:
    """Each operation, parameter, header, schema and property says what it is."""
    for place in document.operations:
        if not {"summary", "description", "tags"} <= place.node.keys():
            yield f"{place.name}: lacks summary, description or tags"
    for where, node in document.nodes:
        # Examples and the narrowing of a described schema (allOf) say no more.
        plain = DESCRIBED.search(where) and not re.search(r"/examples/|/allOf/", where)
        if plain and "description" not in document.whole(node):
            yield f"{where}: is not described"


def references_lead_somewhere(document: Document) -> Iterator[str]:
    """Each $ref resolves, and each component is used."""
    used: set[str] = set()
    for where, node in document.nodes:
        targets = [node["$ref"]] if "$ref" in node else []
        branches = node.get("discriminator", {}).get("mapping", {})
        for target in (*targets, *branches.values()):
            used.add(target)
            try:
                document.find(target)
            except KeyError:
                yield f"{where}: leads to {target}, which is not there"
    for kind, components in document.tree["components"].items():
        if kind in {"x-problems", "securitySchemes"}:
            continue
        for name in components:
            if f"#/components/{kind}/{name}" not in used:
                yield f"#/components/{kind}/{name}: is not used"


def codes_are_explained(document: Document) -> Iterator[str]:
    """The enum of codes, x-problems and the refusals of the operations agree."""
    kinds: Mapping[str, Node] = document.tree["components"]["x-problems"]
    enum = document.find("#/components/schemas/ProblemCode")["enum"]
    if sorted(enum) != sorted(kinds) or len(set(enum)) != len(enum):
        yield f"ProblemCode and x-problems differ: {sorted(set(enum) ^ kinds.keys())}"
    used = set(NOBODYS_CODES)
    for place, status, answer in document.answers:
        if PROBLEM not in answer.get("content", {}):
            continue
        codes = codes_of(answer)
        if not codes:
            yield f"{place.name} {status}: says no code"
        for code in codes:
            used.add(code)
            if kinds.get(code, {}).get("status") != status:
                yield f"{place.name} {status}: {code} has another status"
    for code in sorted(kinds.keys() - used):
        yield f"{code}: no operation answers it"


def examples_are_right(document: Document) -> Iterator[str]:
    """Each body and answer has examples, and each example is as its schema says."""
    for place in document.operations:
        contents = [("body", place.node.get("requestBody", {}).get("content", {}))]
        contents += [
            (str(s), a.get("content", {})) for p, s, a in document.answers if p is place
        ]
        for what, content in contents:
            for media in content.values():
                examples = media.get("examples", {})
                if not examples:
                    yield f"{place.name} {what}: has no example"
                for name, node in examples.items():
                    value = document.whole(node).get("value")
                    for fault in document.faults(media["schema"], value):
                        yield f"{place.name} {what} {name}: {fault}"
    for where, node in document.nodes:
        if "example" in node and "/examples/" not in where:
            schema = node.get("schema", node)
            for fault in document.faults(schema, node["example"]):
                yield f"{where}: example: {fault}"


def refusals_show_their_code(document: Document) -> Iterator[str]:
    """A refusal has an example for each code, with the code's own status and title."""
    kinds: Mapping[str, Node] = document.tree["components"]["x-problems"]
    for place, status, answer in document.answers:
        media = answer.get("content", {}).get(PROBLEM)
        if media is None:
            continue
        if set(media.get("examples", {})) != set(codes_of(answer)):
            yield f"{place.name} {status}: not one example for each code"
        for name, node in media.get("examples", {}).items():
            value = document.whole(node)["value"]
            told = [value[key] for key in ("code", "status", "title")]
            kind = kinds.get(name, {})
            if told != [name, kind.get("status"), kind.get("title")]:
                yield f"{place.name} {status}: {name} shows {told}"
            if not value["type"].endswith(f"/{name}"):
                yield f"{place.name} {status}: {name} has the type {value['type']}"


def links_lead_on(document: Document) -> Iterator[str]:
    """A link names an operation and fills its parameters out of the answer."""
    places = {place.name: place for place in document.operations}
    for place, status, answer in document.answers:
        for name, node in answer.get("links", {}).items():
            link = document.whole(node)
            target = places.get(link.get("operationId", ""))
            if target is None:
                yield f"{place.name} {status}: {name} leads to no operation"
                continue
            own = {f"{p['in']}.{p['name']}" for p in document.parameters(target)}
            if not link["parameters"].keys() <= own:
                yield f"{place.name} {status}: {name} has unknown parameters"
            for said in link["parameters"].values():
                yield from (
                    f"{place.name} {status}: {name}: {fault}"
                    for fault in dangling(document, answer, said)
                )


def dangling(document: Document, answer: Node, said: str) -> Iterator[str]:
    """Say what a runtime expression of a link does not find in the examples."""
    if said.startswith("$response.header."):
        if said.removeprefix("$response.header.") not in answer.get("headers", {}):
            yield f"{said}: no such header"
        return
    for media in answer["content"].values():
        for node in media["examples"].values():
            value = document.whole(node)["value"]
            for step in said.removeprefix("$response.body#/").split("/"):
                value = value.get(step) if isinstance(value, dict) else None
            if value is None:
                yield f"{said}: not in every example"


RULES: Final[tuple[Rule, ...]] = (
    operations_are_named,
    refusals_are_problems,
    statuses_are_exact,
    headers_are_required,
    commands_are_guarded,
    credentials_are_needed,
    objects_are_closed,
    values_are_bounded,
    things_are_described,
    references_lead_somewhere,
    codes_are_explained,
    examples_are_right,
    refusals_show_their_code,
    links_lead_on,
)
