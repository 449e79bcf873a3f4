"""What schemathesis loads: the manners of the client, and the checks of our own."""

from typing import Any, Final

import schemathesis
from schemathesis import Case, CheckContext, HookContext
from schemathesis.core.deserialization import DeserializationContext
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.transport import Response

from tests.contract.fuzzing import checks
from tests.contract.fuzzing.manners import Client, is_negative, is_operators
from tests.contract.fuzzing.people import People

PEOPLE: Final = People()
CLIENT: Final = Client(PEOPLE)


@schemathesis.hook
def before_call(context: HookContext, case: Case[Any], kwargs: dict[str, Any]) -> None:
    """Turn a generated request into one that a client would send."""
    del context
    CLIENT.prepare(case)
    # Without a signature where a header is to be wrong: one of them is the signature.
    if is_operators(case) and not is_negative(case, ParameterLocation.HEADER):
        kwargs["auth"] = PEOPLE.signers[0]


@schemathesis.hook
def after_call(context: HookContext, case: Case[Any], response: Response) -> None:
    """Learn what the answer says of rounds."""
    del context
    CLIENT.learn(case, response)


@schemathesis.deserializer("text/csv")
def read_csv(context: DeserializationContext, response: Response) -> str:
    """A table is held against its schema as the text that it is."""
    del context
    return response.content.decode()


@schemathesis.check
def idempotent_replay(ctx: CheckContext, response: Response, case: Case[Any]) -> None:
    """A repeated command has the first answer."""
    del ctx
    checks.idempotent_replay(case, response, PEOPLE)


@schemathesis.check
def others_see_nothing(ctx: CheckContext, response: Response, case: Case[Any]) -> None:
    """A round or session is there for the one whose it is."""
    del ctx
    checks.others_see_nothing(case, response, PEOPLE)


@schemathesis.check
def version_grows_by_one(
    ctx: CheckContext, response: Response, case: Case[Any]
) -> None:
    """A version is a command."""
    del ctx
    checks.version_grows_by_one(CLIENT, case, response)


@schemathesis.check
def settled_is_final(ctx: CheckContext, response: Response, case: Case[Any]) -> None:
    """What is settled stays as it is."""
    del ctx, case
    checks.settled_is_final(response)


@schemathesis.check
def wins_are_capped(ctx: CheckContext, response: Response, case: Case[Any]) -> None:
    """Payouts stay under the max win and add up."""
    del ctx, case
    checks.wins_are_capped(response)


@schemathesis.check
def nothing_is_hidden_badly(
    ctx: CheckContext, response: Response, case: Case[Any]
) -> None:
    """No answer tells a card that lies face down or is still in the shoe."""
    del ctx
    checks.nothing_is_hidden_badly(case, response)
