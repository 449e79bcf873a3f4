"""The service about itself: its contract, and whether it is well."""

from service.api.asked import Asked
from service.api.endpoint import Api
from service.api.reply import Reply, private, shared, unless_known
from service.store import counter, schema


def get_openapi(api: Api, asked: Asked) -> Reply:
    """Show the contract."""
    return unless_known(asked, shared(api.contract.json, api.contract.etag))


def livez(_: Api, __: Asked) -> Reply:
    """Tell that the process answers."""
    return private({"status": "ok"})


def readyz(api: Api, _: Asked) -> Reply:
    """Tell that requests can be served, and who shuffles: the schema is this one's."""
    schema.check(api.database)
    counter.check(api.database)
    return private({"status": "ready", "shuffler": api.play.shuffler})
