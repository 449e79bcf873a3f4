"""Deal, insure, act, settle: load, decide, append, and answer.

Every command is safe to repeat under its key, and safe to race: a round's version is
part of its log's primary key, so of two commands on one version one is accepted.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from service import hits
from service.answers import (
    Answer,
    answer_now,
    repeat_of,
    seen_in,
    settlement_of,
    with_balance,
)
from service.dealing import Wish, deal
from service.house import House
from service.malfunction import malfunction
from service.proof import proof_of
from service.rebet import LastWagers, last_wagers
from service.recorded import Ask, Seen
from service.refusals import (
    CurrencyMismatch,
    KeyReused,
    NotAllowed,
    NotFunded,
    ProofNotReady,
    RoundWaits,
    VersionMissing,
    VersionStale,
)
from service.rules.commands import Act, Command, Insure, Refused, Settle
from service.rules.decide import decide
from service.rules.fold import fold
from service.rules.legal import Action
from service.store.errors import KeyUsed, LostRace
from service.store.moved import money_of
from service.store.rounds import open_rounds
from service.store.rows import Loaded
from service.wallet.port import Accepted, FundsShort

# A command that loses a race reads again; by then its version is nearly always stale.
TRIES = 3


class Play:
    """The service's commands and reads, on one database, key ring and shuffler."""

    def __init__(self, house: House) -> None:
        self._house = house

    @property
    def house(self) -> House:
        """What it all works with."""
        return self._house

    @property
    def shuffler(self) -> str:
        """The name of who shuffles, for all but a sandbox that names its cards."""
        return self._house.shuffler.name

    def deal(self, ask: Ask, wish: Wish) -> Answer:
        """Open a round on a fresh shoe and deal it. Raises as ``dealing.deal``."""
        return deal(self._house, ask, wish)

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

    def malfunction(self, ask: Ask, round_id: str, reason: str) -> Answer:
        """Take a round back. Raises as ``malfunction.malfunction``."""
        return malfunction(self._house, ask, round_id, reason)

    def read(self, ask: Ask, round_id: str) -> Seen:
        """Return a round of the account. Raises RoundNotFound, DatabaseUnavailable."""
        house = self._house
        loaded = house.load(ask.account, round_id, None)
        seen = seen_in(round_id, loaded.rows, house.catalog.versions())
        waits = house.wallet(ask).pending(ask.account, round_id) is not None
        return seen._replace(waits=waits)

    def open_rounds(self, ask: Ask) -> tuple[Seen, ...]:
        """Return the account's rounds that are not over, newest first."""
        rows = open_rounds(self._house.database, ask.account)
        seen = (self.read(ask, row.round_id) for row in rows)
        # A round may end after it was listed and before it is read.
        return tuple(one for one in seen if one.round.closed_at is None)

    def last_wagers(self, ask: Ask) -> list[LastWagers]:
        """Return what the player bet last at each table that there is."""
        house = self._house
        tables = [table.table_id for table in house.catalog.current()]
        return last_wagers(house.database, house.catalog, ask, tables)

    def balance(self, ask: Ask, currency: str) -> int | None:
        """Return what the player has, in minor units; None when it is not known."""
        return self._house.wallet(ask).balance(ask, currency)

    def proof(self, account: str, round_id: str) -> dict[str, Any]:
        """Return all that proves a finished round: salt, order, its log and money.

        Raises RoundNotFound, ProofNotReady or DatabaseUnavailable.
        """
        house = self._house
        loaded = house.load(account, round_id, round_id)
        seen = seen_in(round_id, loaded.rows, house.catalog.versions())
        if seen.round.closed_at is None:
            raise ProofNotReady(round_id)
        source = house.catalog.source(seen.round.opened.table.version)
        money = money_of(house.database, account, round_id)
        shoe = house.shoe(account, round_id, loaded)
        return proof_of(loaded.rows, shoe, source, money)

    def _command(
        self,
        ask: Ask,
        round_id: str,
        expected: int | None,
        make: Callable[[int], Command],
    ) -> Answer:
        house = self._house
        for _ in range(TRIES):
            loaded = house.load(ask.account, round_id, round_id)
            seen = seen_in(round_id, loaded.rows, house.catalog.versions())
            known = repeat_of(ask, loaded.rows, seen)
            if known is None and make is Settle and expected is not None:
                known = settlement_of(seen)
            if known is not None:
                return with_balance(known, house.wallet(ask), ask)
            if expected is None:
                raise VersionMissing(round_id)
            if expected != seen.version:
                raise VersionStale(seen)
            try:
                accepted = self._accepted(ask, loaded, seen, make)
                shoe = partial(house.shoe, ask.account, round_id, loaded)
                return self._carried(seen, accepted, shoe)
            except LostRace:
                continue
            except KeyUsed:
                if house.keyed(ask).req != ask.request:
                    raise KeyReused(ask.key) from None
        raise VersionStale(seen)

    def _carried(self, seen: Seen, accepted: Accepted, shoe: hits.OpenShoe) -> Answer:
        if isinstance(accepted.command, Settle):
            accepted = hits.shown_at(self._house, accepted)
        try:
            accepted, carried = hits.carry(self._house, accepted, shoe)
        except FundsShort as short:
            raise NotFunded(short.required, short.balance, seen) from None
        before = seen.steps[-1]
        return answer_now(accepted, carried, before.first_seq + len(before.events))

    def _accepted(
        self, ask: Ask, loaded: Loaded, seen: Seen, make: Callable[[int], Command]
    ) -> Accepted:
        house, last = self._house, loaded.rows[-1]
        at = self._waited(ask, seen) or max(loaded.now, last.at)
        shoe = house.shoe(ask.account, seen.round_id, loaded)
        command = make(at)
        try:
            events = tuple(decide(seen.round, command, shoe))
        except Refused as refused:
            raise NotAllowed(refused, seen) from None
        after = fold(events, seen.round)
        if after.stake > seen.round.stake:
            needed = after.opened.currency
            if ask.currency not in (None, needed):
                raise CurrencyMismatch(ask.currency, needed)
        place = (seen.round_id, command, last, at)
        return Accepted(ask, *place, seen.round, after, events, None)

    def _waited(self, ask: Ask, seen: Seen) -> int | None:
        """Return when this command's stake was asked for, if it waits for that."""
        pending = self._house.wallet(ask).pending(ask.account, seen.round_id)
        if pending is None:
            return None
        if pending.key != ask.key or pending.player != ask.player:
            raise RoundWaits(seen.round_id)
        if pending.request != ask.request:
            raise KeyReused(ask.key)
        return pending.at
