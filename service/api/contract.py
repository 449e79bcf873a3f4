"""The contract at work: openapi.yaml, read once, checks every request and answer."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, Self

import orjson

from service import shipped
from service.api.faults import (
    MOST,
    SENT,
    FieldError,
    Hints,
    faults_of,
    hushed,
    pointer_to,
    shown,
)
from service.api.operations import (
    Builder,
    Operation,
    Parameter,
    Reply,
    choices,
    read_document,
    rules_of,
    secrets_of,
)

NO_BODY: Final = object()
"""Stands for a request or an answer without a body: JSON's null is one."""

PROBLEM: Final = "application/problem+json"
_NO_BODY_HERE: Final = FieldError("", "unknown", "no body is expected here")
_BODY_NEEDED: Final = FieldError("", "required", "a body is required")


class Contract:
    """The contract's document and its operations, ready to check.

    `json` is the document as JSON for /v1/openapi.json, `etag` its entity tag.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        """Build every validator of the document, and so see that it is whole."""
        self.document: Final = document
        self.json: Final = orjson.dumps(document)
        self.etag: Final = f'"{hashlib.sha256(self.json).hexdigest()}"'
        self._hints = Hints(rules_of(document), [*choices(document)])
        self._secrets = frozenset(secrets_of(document))
        builder = Builder(document)
        self.operations: Final[Mapping[str, Operation]] = {
            operation.operation_id: operation for operation in builder.operations()
        }
        # What answers where no operation does: an unknown path or method.
        self._problem = builder.validator({"$ref": "#/components/schemas/Problem"})

    @classmethod
    def load(cls, path: Path | None = None) -> Self:
        """Return the contract of a file, by default the one that was shipped.

        Raises FileNotFoundError, yaml.YAMLError, or jsonschema_rs.ValidationError
        when a schema in it is none.
        """
        return cls(read_document(path or shipped("openapi.yaml")))

    def check_request(
        self,
        operation_id: str,
        *,
        path: Mapping[str, str],
        query: Iterable[tuple[str, str]] = (),
        body: object = NO_BODY,
    ) -> list[FieldError]:
        """Return what is wrong with a request (status 422); nothing when it is right.

        `query` has every pair as it was sent, `body` is parsed JSON. Headers have
        refusals of their own: see `check_header`.
        """
        operation = self.operations[operation_id]
        found = self._bad_pairs(operation, "path", path.items())
        found += self._bad_pairs(operation, "query", query)
        if (operation.body is None) != (body is NO_BODY):
            found.append(_NO_BODY_HERE if operation.body is None else _BODY_NEEDED)
        elif operation.body is not None and not operation.body.is_valid(body):
            errors = operation.body.iter_errors(body)
            found += islice(faults_of(errors, "", self._hints), MOST)
        told = {fault.pointer for fault in found}
        found += (fault for fault in _fractions(body, "") if fault.pointer not in told)
        return [hushed(fault, self._secrets) for fault in found[:MOST]]

    def check_header(
        self, operation_id: str, name: str, value: str | None
    ) -> FieldError | None:
        """Return what is wrong with a header parameter, by its name as documented.

        `value` is None when the header was not sent.
        """
        parameter = self.operations[operation_id].parameters["header"][name]
        pairs = [] if value is None else [(name, value)]
        found = self._bad_values("header", [parameter], pairs)
        return found[0] if found else None

    def query_values(
        self, operation_id: str, query: Iterable[tuple[str, str]]
    ) -> dict[str, Any]:
        """Return the query of a checked request: integers read, defaults filled in.

        A parameter that was not sent and has no default is None.
        """
        sent = dict(query)
        parameters = self.operations[operation_id].parameters["query"].values()
        return {
            parameter.name: parameter.read(sent[parameter.name])
            if parameter.name in sent
            else parameter.default
            for parameter in parameters
        }

    def check_response(
        self,
        operation_id: str | None,
        status: int,
        headers: Mapping[str, str],
        body: object = NO_BODY,
    ) -> list[FieldError]:
        """Return where an answer is not as the contract says; pointers are its own.

        `headers` looks names up whatever their case; `body` is what was written as
        JSON. None stands for the router, which answers where no operation does.
        """
        reply = Reply((), PROBLEM, self._problem)
        if operation_id is not None:
            documented = self.operations[operation_id].replies.get(status)
            if documented is None:
                detail = f"{operation_id} does not document status {status}"
                return [FieldError("", "not_allowed", detail)]
            reply = documented
        pairs = [
            (wanted.name, headers[wanted.name])
            for wanted in reply.headers
            if wanted.name in headers
        ]
        found = self._bad_values("header", reply.headers, pairs)
        media_type = headers.get("Content-Type", "").partition(";")[0] or None
        if media_type != reply.media_type:
            detail = f"must be {reply.media_type}; is {media_type}"
            found.append(FieldError("header:Content-Type", "not_allowed", detail))
        if (reply.body is None) != (body is NO_BODY):
            found.append(FieldError("", "wrong_type", "has a body where none belongs"))
        elif reply.body is not None and not reply.body.is_valid(body):
            errors = reply.body.iter_errors(body)
            found += islice(faults_of(errors, "", self._hints), MOST)
        return found

    def _bad_pairs(
        self, operation: Operation, place: str, pairs: Iterable[tuple[str, str]]
    ) -> list[FieldError]:
        """Check all pairs of a place, and that there are no others."""
        known = operation.parameters[place]
        sent = list(pairs)
        found = []
        for index, (name, _) in enumerate(sent):
            if name not in known:
                detail = f"{shown(name)} is not a parameter here"
                found.append(FieldError(_place(place, name), "unknown", detail))
            elif any(name == other for other, _ in sent[:index]):
                pointer = _place(place, name)
                found.append(FieldError(pointer, "repeated", "was sent twice"))
        return found + self._bad_values(place, known.values(), sent)

    def _bad_values(
        self,
        place: str,
        parameters: Iterable[Parameter],
        pairs: Sequence[tuple[str, str]],
    ) -> list[FieldError]:
        sent = dict(pairs)
        found = []
        for parameter in parameters:
            if parameter.name not in sent:
                if parameter.required:
                    pointer = _place(place, parameter.name)
                    found.append(FieldError(pointer, "required", "is required"))
                continue
            value = parameter.read(sent[parameter.name])
            if not parameter.validator.is_valid(value):
                pointer = _place(place, parameter.name)
                errors = parameter.validator.iter_errors(value)
                found += faults_of(errors, pointer, self._hints)
        return found


def _place(place: str, name: str) -> str:
    """Return where a parameter is: its name, or only its place if that is odd."""
    return pointer_to(f"{place}:", [name]).replace(":/", ":", 1)


def _fractions(value: object, pointer: str) -> Iterator[FieldError]:
    """Yield where a number has a fraction or an exponent.

    To JSON Schema 3.0 is an integer. To a program that adds money up it is not, and
    no value of the contract needs one.
    """
    if isinstance(value, float):
        detail = f"must be written as a whole number{SENT}{shown(value)}"
        yield FieldError(pointer, "wrong_type", detail)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _fractions(inner, pointer_to(pointer, [key]))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _fractions(inner, f"{pointer}/{index}")
