"""The proof of a finished round."""

from service.api.asked import Asked
from service.api.endpoint import Api
from service.api.reply import Reply, private, round_tag, unless_known


def get_proof(api: Api, asked: Asked) -> Reply:
    """Show the salt and order of a finished shoe, and the round's log."""
    proof = api.play.proof(asked.player.account, asked.round_id)
    return unless_known(asked, private(proof, round_tag(len(proof["rows"]))))
