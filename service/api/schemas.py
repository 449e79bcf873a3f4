"""From a body that the contract has accepted to a typed command.

Each class says the same as the contract's component of its name; tests hold the two
together, so that whatever the contract accepts can be loaded.
"""

from typing import Any, Final, NamedTuple, get_args

from marshmallow import Schema, fields, post_load
from marshmallow.validate import Length, OneOf, Range, Regexp

from service.api.tokens import Mode
from service.rules.cards import Card
from service.rules.legal import ACTIONS, Action
from service.rules.table import MOST_MONEY

MODES: Final = get_args(Mode)
_BOX: Final = Range(min=1, max=5)
_WAGER: Final = Range(min=1, max=MOST_MONEY)
_CURRENCY: Final = Regexp("^[A-Z]{3}$")
_TABLE_ID: Final = Regexp("^[a-z][a-z0-9-]{2,39}$")
_PIN: Final = Regexp("^[0-9]{4,12}$")
_SECRET: Final = {"format": "password"}
_PRINTABLE: Final = r"^[^\u0000-\u001f\u007f]+$"


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
    """Empty where he bets the same again."""
    rebet: bool = False
    raise_to_minimum: bool = False
    cards: tuple[Card, ...] = ()


class InsureBody(NamedTuple):
    """What `insure_round` is sent."""

    boxes: tuple[int, ...]


class ActBody(NamedTuple):
    """What `act_on_round` is sent."""

    hand: str
    action: Action


class LaunchBody(NamedTuple):
    """What `create_session` is sent."""

    player_id: str
    currency: str
    mode: Mode
    language: str
    tables: list[str] | None = None
    return_url: str | None = None


class TransferBody(NamedTuple):
    """What `deposit_money` and `withdraw_money` are sent, in minor units."""

    currency: str
    amount: int
    reference: str


class BlockBody(NamedTuple):
    """What `block_player` is sent."""

    why: str


class MalfunctionBody(NamedTuple):
    """What `malfunction_round` is sent."""

    reason: str
    disable_table: bool = False


class LimitBody(NamedTuple):
    """What `set_limit` is sent: minor units, None for no limit."""

    currency: str
    maximum: int | None
    pin: str


class PinBody(NamedTuple):
    """What `set_pin` is sent; None takes the PIN away."""

    pin: str | None


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

    table_id = fields.String(required=True, validate=_TABLE_ID)
    currency = fields.String(required=True, validate=_CURRENCY)
    boxes = fields.List(fields.Nested(BoxWager), validate=Length(min=1, max=5))
    rebet = fields.Boolean(truthy={True}, falsy=set(), validate=OneOf([True]))
    raise_to_minimum = fields.Boolean(load_default=False)
    cards = fields.List(
        fields.String(validate=Regexp("^[A23456789TJQK][SHDC]$")),
        validate=Length(min=1, max=416),
    )

    @post_load
    def _typed(self, values: dict[str, Any], **_: object) -> DealBody:
        lists = {name: tuple(values.get(name, ())) for name in ("boxes", "cards")}
        return DealBody(**{**values, **lists})


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


class Launch(Schema):
    """A player to be launched."""

    player_id = fields.String(
        required=True, validate=Regexp("^[A-Za-z0-9_:-][A-Za-z0-9_.:-]{0,63}$")
    )
    currency = fields.String(required=True, validate=_CURRENCY)
    mode = fields.String(required=True, validate=OneOf(MODES))
    language = fields.String(
        required=True,
        validate=Regexp("^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$"),
    )
    tables = fields.List(
        fields.String(validate=_TABLE_ID), validate=Length(min=1, max=100)
    )
    return_url = fields.String(validate=Regexp("^https?://[!-~]{1,500}$"))

    @post_load
    def _typed(self, values: dict[str, Any], **_: object) -> LaunchBody:
        return LaunchBody(**values)


class Transfer(Schema):
    """Money brought or taken away."""

    currency = fields.String(required=True, validate=_CURRENCY)
    amount = fields.Integer(required=True, strict=True, validate=_WAGER)
    reference = fields.String(required=True, validate=Regexp("^[A-Za-z0-9_.:-]{1,64}$"))

    @post_load
    def _typed(self, values: dict[str, Any], **_: object) -> TransferBody:
        return TransferBody(**values)


class Block(Schema):
    """Why a player is blocked."""

    why = fields.String(required=True, validate=[Length(max=200), Regexp(_PRINTABLE)])

    @post_load
    def _typed(self, values: dict[str, Any], **_: object) -> BlockBody:
        return BlockBody(**values)


class Malfunction(Schema):
    """Why a round is taken back."""

    reason = fields.String(
        required=True, validate=[Length(max=200), Regexp(_PRINTABLE)]
    )
    disable_table = fields.Boolean(load_default=False)

    @post_load
    def _typed(self, values: dict[str, Any], **_: object) -> MalfunctionBody:
        return MalfunctionBody(**values)


class Limit(Schema):
    """The player's own limit, as he wishes it."""

    currency = fields.String(required=True, validate=_CURRENCY)
    maximum = fields.Integer(
        required=True, allow_none=True, strict=True, validate=_WAGER
    )
    pin = fields.String(required=True, load_only=True, validate=_PIN, metadata=_SECRET)

    @post_load
    def _typed(self, values: dict[str, Any], **_: object) -> LimitBody:
        return LimitBody(**values)


class Pin(Schema):
    """A player's PIN."""

    pin = fields.String(
        required=True, allow_none=True, load_only=True, validate=_PIN, metadata=_SECRET
    )

    @post_load
    def _typed(self, values: dict[str, Any], **_: object) -> PinBody:
        return PinBody(**values)


DEAL: Final = Deal()
INSURE: Final = Insure()
ACT: Final = Act()
LAUNCH: Final = Launch()
TRANSFER: Final = Transfer()
BLOCK: Final = Block()
MALFUNCTION: Final = Malfunction()
LIMIT: Final = Limit()
PIN: Final = Pin()
