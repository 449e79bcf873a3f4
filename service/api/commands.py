"""The commands on a round: insure, act, settle."""

from service.api.asked import Asked
from service.api.endpoint import Api
from service.api.reply import Reply, command_reply
from service.api.schemas import ACT, INSURE, ActBody, InsureBody


def insure_round(api: Api, asked: Asked) -> Reply:
    """Take or decline the insurance for all of the caller's boxes."""
    insure: InsureBody = INSURE.load(asked.body)
    answer = api.play.insure(asked.ask, asked.round_id, asked.expected, insure.boxes)
    return command_reply(asked, answer)


def act_on_round(api: Api, asked: Asked) -> Reply:
    """Hit, stand, double or split the active hand."""
    act: ActBody = ACT.load(asked.body)
    answer = api.play.act(
        asked.ask, asked.round_id, asked.expected, act.hand, act.action
    )
    return command_reply(asked, answer)


def settle_round(api: Api, asked: Asked) -> Reply:
    """Pay a decided round, or show the settlement that it has had."""
    answer = api.play.settle(asked.ask, asked.round_id, asked.expected)
    return command_reply(asked, answer)
