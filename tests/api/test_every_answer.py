"""Runs last: each status that the contract documents was answered by some test."""

from typing import Final

from tests.api.site import Site, Witness, form_of

NEVER: Final = {
    403: "a player's token is the only kind of credential, so none is the wrong kind"
}


def test_every_documented_answer_was_seen(site: Site) -> None:
    documented = {
        (operation.operation_id, status)
        for operation in site.api.contract.operations.values()
        for status in operation.replies
    }
    unseen = {pair for pair in documented - site.witness.seen if pair[1] not in NEVER}
    assert sorted(unseen) == []
    # Whatever else was answered is a fault of ours, which some test provoked.
    assert {status for _, status in site.witness.seen - documented} <= {500}


def test_what_the_examples_say_was_said(site: Site) -> None:
    examples = site.api.contract.document["components"]["examples"]
    problems = [
        one["value"]
        for one in examples.values()
        if isinstance(one["value"], dict) and "code" in one["value"]
    ]
    theirs = {"wallet_refused"}  # a wallet's own words
    unsaid = {
        problem["code"]
        for problem in problems
        if (problem["code"], form_of(problem["detail"])) not in Witness.said
    }
    assert sorted(unsaid - theirs) == []
