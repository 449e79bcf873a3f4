"""Deal, insure, act, settle: load, decide, append, and answer.

Every command is safe to repeat under its key, and safe to race: a round's version is
part of its log's primary key, so of two commands on one version one is accepted.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from service.catalog import Catalog
from service.chance import Shuffler, WholeShoe, new_id
from service.proof import proof_of
from service.recorded import Ask, Seen, Step, next_row, projection_of, seen_of, steps_of
from service.refusals import (
    CurrencyMismatch,
    KeyReused,
    NotAllowed,
    ProofNotReady,
    RoundNotFound,
    RoundOpenExists,
    TableShared,
    VersionMissing,
    VersionStale,
)
from service.rules.commands import (
    Act,
    BoxWager,
    Command,
    Deal,
    Insure,
    Refused,
    Settle,
)
from service.rules.decide import decide
from service.rules.events import Event
from service.rules.legal import Action
from service.rules.round import Round, fold
from service.sealing import KeyRing, SealedShoe
from service.store.database import Database
from service.store.errors import KeyUsed, LostRace, OpenRoundExists
from service.store.log import append, find_key, load
from service.store.rounds import (
    append_and_project,
    before_deal,
    open_round,
    open_rounds,
)
from service.store.rows import Loaded, LogRow

# A command that loses a race reads again; by then its version is nearly always stale.
TRIES = 3


class Answer(NamedTuple):
    """What a command did, or did when it was first sent (``replayed``)."""

    round_id: str
    version: int
    round: Round
    events: tuple[Event, ...]
    first_seq: int
    at: int
    replayed: bool


class Play:
    """The service's commands and reads, on one database, key ring and shuffler."""

    def __init__(
        self, database: Database, catalog: Catalog, keys: KeyRing, shuffler: Shuffler
    ) -> None:
        self._database = database
        self._catalog = catalog
        self._keys = keys
        self._shuffler = shuffler

    def deal(
        self,
        ask: Ask,
        table_id: str,
        currency: str,
        boxes: tuple[BoxWager, ...],
        *,
        raise_to_minimum: bool,
    ) -> Answer:
        """Open a round on a fresh shoe and deal it.

        Raises TableNotFound, TableShared, KeyReused, RoundOpenExists,
        CurrencyMismatch, Refused, or DatabaseUnavailable; after the last the same key
        finds out what happened.
        """
        table = self._catalog.table(table_id)
        if table.seating == "shared":
            raise TableShared(table_id)
        before = before_deal(self._database, ask.account, ask.player, table_id, ask.key)
        if before.keyed is not None:
            return self._replayed_deal(ask, before.keyed)
        if before.open_round_id is not None:
            raise RoundOpenExists(before.open_round_id)
        _check_currency(ask, currency)
        round_id = new_id()
        shoe = WholeShoe.new(self._shuffler, table.decks)
        command = Deal(
            table=table,
            currency=currency,
            boxes=boxes,
            raise_to_minimum=raise_to_minimum,
            at=before.now,
            shoe_id=round_id,
            first_place=0,
            shuffler=self._shuffler.name,
            commitment=shoe.commitment,
        )
        events = decide(None, command, shoe)
        round_ = fold(events)
        row = next_row(None, (ask.account, round_id), ask, before.now, events)
        sealed = self._keys.seal(shoe, ask.account, round_id)
        try:
            projection = projection_of(row, round_)
            open_round(self._database, sealed, round_id, row, projection)
        except KeyUsed:
            return self._replayed_deal(ask, self._keyed(ask))
        except OpenRoundExists:
            return self._deal_beside_another(ask, table_id)
        return Answer(round_id, 1, round_, tuple(events), 1, row.at, replayed=False)

    def insure(
        self, ask: Ask, round_id: str, expected: int | None, boxes: tuple[int, ...]
    ) -> Answer:
        """Insure these of the caller's boxes; the others pass.

        ``expected`` is the version that the caller saw. Raises RoundNotFound,
        KeyReused, VersionMissing, VersionStale, NotAllowed, CurrencyMismatch or
        DatabaseUnavailable.
        """
        return self._command(
            ask, round_id, expected, lambda at: Insure(ask.player, boxes, at)
        )

    def act(
        self,
        ask: Ask,
        round_id: str,
        expected: int | None,
        hand: str,
        action: Action,
    ) -> Answer:
        """Play one action on a hand. Raises as ``insure`` does."""
        return self._command(
            ask, round_id, expected, lambda at: Act(ask.player, hand, action, at)
        )

    def settle(self, ask: Ask, round_id: str, expected: int | None) -> Answer:
        """Pay a decided round, or answer with the settlement that it has had.

        Raises as ``insure`` does.
        """
        return self._command(ask, round_id, expected, Settle)

    def read(self, account: str, round_id: str) -> Seen:
        """Return a round of the account. Raises RoundNotFound, DatabaseUnavailable."""
        loaded = load(self._database, account, round_id, None)
        return self._seen(round_id, loaded.rows)

    def open_rounds(self, account: str) -> tuple[Seen, ...]:
        """Return the account's rounds that are not over, newest first."""
        rows = open_rounds(self._database, account)
        seen = (self.read(row.log_account, row.round_id) for row in rows)
        # A round may end after it was listed and before it is read.
        return tuple(one for one in seen if one.round.closed_at is None)

    def proof(self, account: str, round_id: str) -> dict[str, Any]:
        """Return all that proves a finished round: salt, order, and its log.

        Raises RoundNotFound, ProofNotReady or DatabaseUnavailable.
        """
        loaded = load(self._database, account, round_id, round_id)
        seen = self._seen(round_id, loaded.rows)
        if seen.round.closed_at is None:
            raise ProofNotReady(round_id)
        source = self._catalog.source(seen.round.opened.table.version)
        return proof_of(loaded.rows, self._opened(account, round_id, loaded), source)

    def _command(
        self,
        ask: Ask,
        round_id: str,
        expected: int | None,
        make: Callable[[int], Command],
    ) -> Answer:
        for _ in range(TRIES):
            loaded = load(self._database, ask.account, round_id, round_id)
            seen = self._seen(round_id, loaded.rows)
            repeat = self._repeat(ask, loaded.rows, seen)
            if repeat is not None:
                return repeat
            if expected is None:
                raise VersionMissing(round_id)
            if make is Settle and seen.round.status == "settled":
                return _answer(seen, seen.steps[-1], replayed=True)
            if expected != seen.version:
                raise VersionStale(seen)
            try:
                return self._decided(ask, loaded, seen, make)
            except LostRace:
                continue
            except KeyUsed:
                if self._keyed(ask).req != ask.request:
                    raise KeyReused(ask.key) from None
        raise VersionStale(seen)

    def _decided(
        self, ask: Ask, loaded: Loaded, seen: Seen, make: Callable[[int], Command]
    ) -> Answer:
        last = loaded.rows[-1]
        at = max(loaded.now, last.at)
        shoe = self._opened(ask.account, seen.round_id, loaded)
        try:
            events = decide(seen.round, make(at), shoe)
        except Refused as refused:
            raise NotAllowed(refused, seen) from None
        round_ = fold(events, seen.round)
        if round_.stake > seen.round.stake:
            _check_currency(ask, round_.opened.currency)
        row = next_row(last, (ask.account, seen.round_id), ask, at, events)
        if round_.decided_at is None and round_.closed_at is None:
            append(self._database, row)
        else:
            append_and_project(self._database, row, projection_of(row, round_))
        before = seen.steps[-1]
        first_seq = before.first_seq + len(before.events)
        step = Step(row.ver, at, first_seq, tuple(events))
        return _answer(Seen(seen.round_id, row.ver, round_, (step,)), step)

    def _seen(self, round_id: str, rows: Sequence[LogRow]) -> Seen:
        if not rows:
            raise RoundNotFound(round_id)
        return seen_of(round_id, steps_of(rows, self._catalog.versions()))

    def _opened(self, account: str, shoe_id: str, loaded: Loaded) -> WholeShoe:
        sealed: SealedShoe | None = loaded.shoe
        assert sealed is not None, "a round is opened together with its shoe"
        return self._keys.open(sealed, account, shoe_id)

    def _repeat(self, ask: Ask, rows: Sequence[LogRow], seen: Seen) -> Answer | None:
        """Return the answer that a repeated command had, out of the round's rows."""
        for row in rows:
            if row.key == ask.key and row.player == ask.player:
                if row.req != ask.request:
                    raise KeyReused(ask.key)
                then = seen_of(seen.round_id, seen.steps[: row.ver])
                return _answer(then, then.steps[-1], replayed=True)
        return None

    def _replayed_deal(self, ask: Ask, keyed: LogRow) -> Answer:
        if keyed.req != ask.request:
            raise KeyReused(ask.key)
        seen = self._seen(keyed.round_id, [keyed])
        return _answer(seen, seen.steps[0], replayed=True)

    def _deal_beside_another(self, ask: Ask, table_id: str) -> Answer:
        """Answer a deal that lost to another one which opened a round meanwhile."""
        before = before_deal(self._database, ask.account, ask.player, table_id, ask.key)
        if before.keyed is not None:
            return self._replayed_deal(ask, before.keyed)
        raise RoundOpenExists(before.open_round_id or "")

    def _keyed(self, ask: Ask) -> LogRow:
        keyed = find_key(self._database, ask.account, ask.player, ask.key)
        assert keyed is not None, "rows of the log are never taken away"
        return keyed


def _check_currency(ask: Ask, needed: str) -> None:
    """Refuse to move money in another currency than the caller may."""
    if ask.currency not in (None, needed):
        raise CurrencyMismatch(ask.currency, needed)


def _answer(seen: Seen, step: Step, *, replayed: bool = False) -> Answer:
    return Answer(
        round_id=seen.round_id,
        version=seen.version,
        round=seen.round,
        events=step.events,
        first_seq=step.first_seq,
        at=step.at,
        replayed=replayed,
    )
