"""From a body that the contract has accepted to a typed command.

Each class says the same as the contract's component of its name; tests hold the two
together, so that whatever the contract accepts can be loaded.
"""

from typing import Any, Final, NamedTuple

from marshmallow import Schema, fields, post_load
from marshmallow.validate import Length, OneOf, Range, Regexp

from service.rules.legal import ACTIONS, Action
from service.rules.table import MOST_MONEY

_BOX: Final = Range(min=1, max=5)
_WAGER: Final = Range(min=1, max=MOST_MONEY)


class BoxBet(NamedTuple):
    """The wagers that a deal asks for one box, in minor units."""

    box: int
    wager: int
    bonus_wager: int = 0


class DealBody(NamedTuple):
    """What `deal_round` is sent."""

    table_id: str
    currency: str
    boxes: tuple[BoxBet, ...]
    raise_to_minimum: bool = False


class InsureBody(NamedTuple):
    """What `insure_round` is sent."""

    boxes: tuple[int, ...]


class ActBody(NamedTuple):
    """What `act_on_round` is sent."""

    hand: str
    action: Action


class BoxWager(Schema):
    """One box's wagers."""

    box = fields.Integer(required=True, strict=True, validate=_BOX)
    wager = fields.Integer(required=True, strict=True, validate=_WAGER)
    bonus_wager = fields.Integer(strict=True, validate=_WAGER)

    @post_load
    def _typed(self, values: dict[str, Any], **_: object) -> BoxBet:
        return BoxBet(**values)


class Deal(Schema):
    """The wagers of a new round."""

    table_id = fields.String(required=True, validate=Regexp("^[a-z][a-z0-9-]{2,39}$"))
    currency = fields.String(required=True, validate=Regexp("^[A-Z]{3}$"))
    boxes = fields.List(
        fields.Nested(BoxWager), required=True, validate=Length(min=1, max=5)
    )
    raise_to_minimum = fields.Boolean(load_default=False)

    @post_load
    def _typed(self, values: dict[str, Any], **_: object) -> DealBody:
        return DealBody(**{**values, "boxes": tuple(values["boxes"])})


class Insure(Schema):
    """The answer to the insurance for all of the caller's boxes."""

    boxes = fields.List(
        fields.Integer(strict=True, validate=_BOX),
        required=True,
        validate=Length(max=5),
    )

    @post_load
    def _typed(self, values: dict[str, Any], **_: object) -> InsureBody:
        return InsureBody(tuple(values["boxes"]))


class Act(Schema):
    """One action on one hand."""

    hand = fields.String(required=True, validate=Regexp("^[1-5][a-h]$"))
    action = fields.String(required=True, validate=OneOf(ACTIONS))

    @post_load
    def _typed(self, values: dict[str, Any], **_: object) -> ActBody:
        return ActBody(**values)


DEAL: Final = Deal()
INSURE: Final = Insure()
ACT: Final = Act()
