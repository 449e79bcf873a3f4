"""Where the parts are put together, and every path is named."""

from typing import Final, NamedTuple

from flask import Flask, Request, request
from flask.sessions import NullSession, SessionInterface
from werkzeug.exceptions import NotFound

from service.api import (
    cashier,
    commands,
    exports,
    history,
    jackpots,
    limits,
    meta,
    players,
    proof,
    reports,
    rounds,
    seals,
    sessions,
    significant,
    strategy,
    tables,
    transactions,
)
from service.api.auth import Gate
from service.api.body import READ_BYTES
from service.api.contract import Contract
from service.api.endpoint import Api, Handler, astray, endpoint
from service.api.log import open_log
from service.api.tokens import TokenKeys
from service.archive.files import Archive
from service.catalog import Catalog
from service.chance import OsShuffler, Shuffler
from service.config import Config
from service.embedded.home import Home
from service.embedded.server import dsn
from service.figures import Figures
from service.house import House
from service.meters import Meters
from service.operators import OperatorKeys, refuse_sandboxes
from service.pins import Pins
from service.play import Play
from service.sealing import KeyRing
from service.store import counter, schema
from service.store.database import Database
from service.store.errors import DatabaseUnavailable
from service.store.operators import all_operators
from service.wallet.calls import Calls
from service.wallet.notable import Watch
from service.wallet.schedule import PUBLISHED, Times
from service.wallet.wallets import Wallets


class Route(NamedTuple):
    """A path and method, and what answers there."""

    method: str
    path: str
    handler: Handler
    is_probe: bool = False


PLAYER: Final = "/v1/players/<player_id>"
ROUTES: Final = (
    Route("GET", "/v1/tables", tables.list_tables),
    Route("GET", "/v1/tables/<table_id>", tables.get_table),
    Route("GET", "/v1/tables/<table_id>/strategy", strategy.get_strategy),
    Route("GET", "/v1/jackpots", jackpots.list_jackpots),
    Route("GET", "/v1/jackpots/<jackpot_id>", jackpots.get_jackpot),
    Route("POST", "/v1/rounds", rounds.deal_round),
    Route("GET", "/v1/rounds", rounds.list_open_rounds),
    Route("GET", "/v1/rounds/<round_id>", rounds.get_round),
    Route("GET", "/v1/rounds/<round_id>/events", rounds.list_events),
    Route("POST", "/v1/rounds/<round_id>/insurance", commands.insure_round),
    Route("POST", "/v1/rounds/<round_id>/actions", commands.act_on_round),
    Route("POST", "/v1/rounds/<round_id>/settlement", commands.settle_round),
    Route("GET", "/v1/rounds/<round_id>/proof", proof.get_proof),
    Route("GET", "/v1/history", history.list_history),
    Route("GET", "/v1/history.csv", exports.export_history),
    Route("GET", "/v1/history/<round_id>", history.get_history),
    Route("GET", "/v1/players/me", players.get_me),
    Route("GET", "/v1/players/me/limit", limits.get_limit),
    Route("PUT", "/v1/players/me/limit", limits.set_limit),
    Route("GET", "/v1/balance", players.get_balance),
    Route("POST", "/v1/balance/refill", players.refill_balance),
    Route("POST", "/v1/sessions", sessions.create_session),
    Route("POST", "/v1/sessions/<session_id>/refresh", sessions.refresh_session),
    Route("DELETE", "/v1/sessions/<session_id>", sessions.end_session),
    Route("GET", f"{PLAYER}/balance", players.get_player_balance),
    Route("POST", f"{PLAYER}/deposits", cashier.deposit_money),
    Route("POST", f"{PLAYER}/withdrawals", cashier.withdraw_money),
    Route("GET", f"{PLAYER}/statement", cashier.list_statement),
    Route("PUT", f"{PLAYER}/block", players.block_player),
    Route("DELETE", f"{PLAYER}/block", players.unblock_player),
    Route("PUT", f"{PLAYER}/pin", limits.set_pin),
    Route("GET", f"{PLAYER}/rounds", players.list_player_rounds),
    Route("GET", f"{PLAYER}/rounds/<round_id>", players.get_player_round),
    Route("GET", f"{PLAYER}/rounds/<round_id>/rows", history.list_player_rows),
    Route("GET", f"{PLAYER}/history", history.list_player_history),
    Route("GET", f"{PLAYER}/history.csv", exports.export_player_history),
    Route("GET", f"{PLAYER}/history/<round_id>", history.get_player_history),
    Route(
        "POST",
        f"{PLAYER}/rounds/<round_id>/malfunction",
        players.malfunction_round,
    ),
    Route("GET", "/v1/transactions", transactions.list_transactions),
    Route("GET", "/v1/significant-events", significant.list_significant_events),
    Route("GET", "/v1/reports/held", reports.get_held_report),
    Route("GET", "/v1/reports/turnover", reports.get_turnover_report),
    Route("GET", "/v1/seals", seals.list_seals),
    Route("GET", "/v1/openapi.json", meta.get_openapi),
    Route("GET", "/livez", meta.livez, is_probe=True),
    Route("GET", "/readyz", meta.readyz, is_probe=True),
)


class WrongShuffler(Exception):
    """Real money is dealt by the operating system's chance alone."""


def create_app(
    config: Config | None = None,
    *,
    shuffler: Shuffler | None = None,
    times: Times = PUBLISHED,
) -> Flask:
    """Put the service together; without a `config`, as the environment says.

    Another `shuffler` than the operating system's is for tests and sandboxes, and so
    are other `times` to wait for wallets.

    Raises ConfigError, KeyFault, WrongShuffler, SandboxRefused or SchemaWrong: what is
    wrong is said before the first request, not by it.
    """
    config = config or Config.from_environment()
    shuffler = shuffler or OsShuffler()
    production = config.environment == "production"
    if production and type(shuffler) is not OsShuffler:
        raise WrongShuffler(
            f"the shuffler {shuffler.name!r} is refused: production deals by "
            f"{OsShuffler.name!r} alone"
        )
    shoe_keys = KeyRing.from_file(config.shoe_keys)
    tokens = TokenKeys.from_file(config.token_keys)
    database = Database(config.database_url or dsn(Home(config.home)))
    _check(database, production=production)
    catalog = Catalog(database)
    operators = OperatorKeys(database, shoe_keys)
    log = open_log(requests=config.log_requests)
    calls = Calls(operators, log, times)
    wallets = Wallets(database, calls, watch=Watch(*config.large_win))
    meters = Meters(database)
    parts = (database, catalog, wallets, shoe_keys, shuffler, meters)
    archive = None if config.archive is None else Archive(config.archive)
    return flask_app(
        Api(
            play=Play(House(*parts, not production, archive)),
            catalog=catalog,
            database=database,
            wallets=wallets,
            gate=Gate(tokens, operators, database),
            launch_url=config.launch_url,
            contract=Contract.load(),
            log=log,
            figures=Figures(config.figures),
            meters=meters,
            pins=Pins(database, shoe_keys),
            weeks=config.weeks,
        )
    )


def _check(database: Database, *, production: bool) -> None:
    """See that the database is one to serve from. Raises SchemaWrong, SandboxRefused.

    A worker that starts while it is away answers 503 until it is back; if it ended
    instead, gunicorn would end with it and take the other workers along.
    """
    try:
        schema.check(database)
        counter.check(database)
        if production:
            refuse_sandboxes(all_operators(database))
    except DatabaseUnavailable:
        return
    except BaseException:
        database.close()
        raise


def _refuse_a_second_slash() -> None:
    """Refuse `//v1/tables`; the router would take it for `/v1/tables`."""
    if request.environ["PATH_INFO"].startswith("//"):
        raise NotFound


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
    app.before_request(_refuse_a_second_slash)
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
