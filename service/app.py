"""Where the parts are put together, and every path is named."""

from typing import Final, NamedTuple

from flask import Flask, Request
from flask.sessions import NullSession, SessionInterface

from service.api import commands, meta, proof, rounds, strategy, tables
from service.api.body import READ_BYTES
from service.api.contract import Contract
from service.api.endpoint import Api, Handler, astray, endpoint
from service.api.log import open_log
from service.api.tokens import TokenKeys
from service.catalog import Catalog
from service.chance import OsShuffler, Shuffler
from service.config import Config
from service.embedded.home import Home
from service.embedded.server import dsn
from service.figures import Figures
from service.play import Play
from service.sealing import KeyRing
from service.store import schema
from service.store.database import Database
from service.store.errors import DatabaseUnavailable, SchemaWrong


class Route(NamedTuple):
    """A path and method, and what answers there."""

    method: str
    path: str
    handler: Handler
    is_probe: bool = False


ROUTES: Final = (
    Route("GET", "/v1/tables", tables.list_tables),
    Route("GET", "/v1/tables/<table_id>", tables.get_table),
    Route("GET", "/v1/tables/<table_id>/strategy", strategy.get_strategy),
    Route("POST", "/v1/rounds", rounds.deal_round),
    Route("GET", "/v1/rounds", rounds.list_open_rounds),
    Route("GET", "/v1/rounds/<round_id>", rounds.get_round),
    Route("GET", "/v1/rounds/<round_id>/events", rounds.list_events),
    Route("POST", "/v1/rounds/<round_id>/insurance", commands.insure_round),
    Route("POST", "/v1/rounds/<round_id>/actions", commands.act_on_round),
    Route("POST", "/v1/rounds/<round_id>/settlement", commands.settle_round),
    Route("GET", "/v1/rounds/<round_id>/proof", proof.get_proof),
    Route("GET", "/v1/openapi.json", meta.get_openapi),
    Route("GET", "/livez", meta.livez, is_probe=True),
    Route("GET", "/readyz", meta.readyz, is_probe=True),
)


class WrongShuffler(Exception):
    """Real money is dealt by the operating system's chance alone."""


def create_app(
    config: Config | None = None, *, shuffler: Shuffler | None = None
) -> Flask:
    """Put the service together; without a `config`, as the environment says.

    Another `shuffler` than the operating system's is for tests and sandboxes.

    Raises ConfigError, KeyFault, WrongShuffler or SchemaWrong: what is wrong is said
    before the first request, not by it.
    """
    config = config or Config.from_environment()
    shuffler = shuffler or OsShuffler()
    if config.environment == "production" and type(shuffler) is not OsShuffler:
        raise WrongShuffler(
            f"the shuffler {shuffler.name!r} is refused: production deals by "
            f"{OsShuffler.name!r} alone"
        )
    shoe_keys = KeyRing.from_file(config.shoe_keys)
    token_keys = TokenKeys.from_file(config.token_keys)
    contract = Contract.load()
    database = _checked(Database(config.database_url or dsn(Home(config.home))))
    catalog = Catalog(database)
    return flask_app(
        Api(
            play=Play(database, catalog, shoe_keys, shuffler),
            catalog=catalog,
            database=database,
            tokens=token_keys,
            contract=contract,
            log=open_log(requests=config.log_requests),
            figures=Figures(config.figures),
        )
    )


def _checked(database: Database) -> Database:
    """Return a database that has the schema of this release. Raises SchemaWrong."""
    try:
        schema.check(database)
    except DatabaseUnavailable:
        # A worker that starts while it is away answers 503 until it is back; if the
        # worker ended, gunicorn would end with it and take the others along.
        return database
    except SchemaWrong:
        database.close()
        raise
    return database


class _NoSessions(SessionInterface):
    """Nobody has a session here: a request is known by its token alone."""

    _none: Final = NullSession()

    def open_session(self, app: Flask, request: Request) -> NullSession:
        """Return the one session, always empty, without a look at cookies."""
        del app, request
        return self._none


def flask_app(api: Api) -> Flask:
    """Return the WSGI application of an `Api`, kept as its extension "upcard"."""
    app = Flask("service", static_folder=None)
    app.session_interface = _NoSessions()
    app.config["MAX_CONTENT_LENGTH"] = READ_BYTES
    app.url_map.merge_slashes = False  # a path with two is another, not a redirect
    for route in ROUTES:
        app.add_url_rule(
            route.path,
            endpoint=route.handler.__name__,
            view_func=endpoint(api, route.handler, is_probe=route.is_probe),
            methods=[route.method],
            provide_automatic_options=False,
        )
    app.register_error_handler(Exception, astray(api))
    app.extensions["upcard"] = api
    return app
