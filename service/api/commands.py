"""The commands on a round: insure, act, settle."""

from collections.abc import Callable

from service.answers import Answer
from service.api.asked import Asked
from service.api.endpoint import Api
from service.api.reply import Reply, command_reply, waiting_reply
from service.api.schemas import ACT, INSURE, ActBody, InsureBody
from service.refusals import RoundNotFound
from service.wallet.port import WalletWaits


def answered(api: Api, asked: Asked, command: Callable[[], Answer]) -> Reply:
    """Answer with what a command did, or that it waits for the operator's wallet."""
    try:
        return command_reply(asked, command())
    except WalletWaits as waits:
        round_id = waits.round_id
    try:
        seen = api.play.read(asked.ask, round_id)
    except RoundNotFound:  # a deal's: it has no card yet
        seen = None
    return waiting_reply(asked, round_id, seen)


def insure_round(api: Api, asked: Asked) -> Reply:
    """Take or decline the insurance for all of the caller's boxes."""
    insure: InsureBody = INSURE.load(asked.body)
    place = (asked.ask, asked.round_id, asked.expected)
    return answered(api, asked, lambda: api.play.insure(*place, insure.boxes))


def act_on_round(api: Api, asked: Asked) -> Reply:
    """Hit, stand, double or split the active hand."""
    act: ActBody = ACT.load(asked.body)
    place = (asked.ask, asked.round_id, asked.expected)
    return answered(api, asked, lambda: api.play.act(*place, act.hand, act.action))


def settle_round(api: Api, asked: Asked) -> Reply:
    """Pay a decided round, or show the settlement that it has had."""
    answer = api.play.settle(asked.ask, asked.round_id, asked.expected)
    return command_reply(asked, answer)
