"""What a run did, out of schemathesis' report: a run with a bad token "passes" too."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple


class Step(NamedTuple):
    """One request: what for, by which link, and the status of the answer."""

    operation: tuple[str, str]
    """Method and path as in the contract."""
    link: str | None
    status: int
    is_replay: bool


class Report:
    """The steps of a run, counted."""

    def __init__(self, path: Path) -> None:
        self.steps = [
            step
            for line in path.read_text("utf-8").splitlines()
            for event in [json.loads(line)]
            if "ScenarioFinished" in event
            for step in _steps(event["ScenarioFinished"]["recorder"])
        ]

    @property
    def links(self) -> set[str]:
        """Every link that was followed to an answer."""
        return {step.link for step in self.steps if step.link is not None}

    @property
    def succeeded(self) -> set[tuple[str, str]]:
        """Every operation that had an answer of 2xx."""
        return {step.operation for step in self.steps if 200 <= step.status < 300}

    @property
    def settled(self) -> int:
        """How many rounds were settled."""
        counted = Counter((s.operation[1], s.status, s.is_replay) for s in self.steps)
        return counted["/v1/rounds/{round_id}/settlement", 200, False]


def _steps(recorder: dict[str, Any]) -> Iterator[Step]:
    for id_, interaction in recorder.get("interactions", {}).items():
        response = interaction["response"]
        if response is None:
            continue
        node = recorder["cases"][id_]
        case, transition = node["value"], node.get("transition")
        followed = transition is not None and node["is_transition_applied"]
        yield Step(
            operation=(case["method"], case["path"]),
            link=transition["id"] if followed else None,
            status=response["status_code"],
            is_replay="idempotent-replayed" in response["headers"],
        )
