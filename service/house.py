"""What dealing and playing work with."""

from typing import NamedTuple

from service.archive.files import Archive, Archived
from service.catalog import Catalog
from service.chance import Shuffler, WholeShoe
from service.meters import Meters
from service.recorded import Ask
from service.sealing import KeyRing
from service.store.archive import archived_in
from service.store.database import Database
from service.store.errors import ArchiveUnavailable
from service.store.log import find_key, load
from service.store.rows import Loaded, LogRow
from service.wallet.port import Wallet
from service.wallet.wallets import Wallets


class House(NamedTuple):
    """One database, its tables, wallets, key ring, shuffler and jackpots."""

    database: Database
    catalog: Catalog
    wallets: Wallets
    keys: KeyRing
    shuffler: Shuffler
    meters: Meters
    sandboxes: bool = False
    """Whether sandbox operators may name cards here; in production they may not."""
    archive: Archive | None = None
    """Where rounds are whose log has left the database; None: nowhere near."""

    def wallet(self, ask: Ask) -> Wallet:
        """Return who keeps the money of the player who asks."""
        return self.wallets.of(ask)

    def load(self, account: str, round_id: str, shoe_id: str | None) -> Loaded:
        """Read a round's log, a sealed shoe and the clock, wherever the log is.

        No rows: the account has no such round.

        Raises DatabaseUnavailable, or ArchiveUnavailable.
        """
        loaded = load(self.database, account, round_id, shoe_id)
        if loaded.rows and loaded.rows[0].ver == 1:
            return loaded
        # It is not here, or no more of it than what came after it was archived.
        name = archived_in(self.database, account, round_id)
        if name is None:
            return loaded
        found = self.archived(name, round_id)
        shoe = loaded.shoe if shoe_id is None else found.shoe
        return Loaded([*found.rows, *loaded.rows], shoe, loaded.now)

    def archived(self, name: str, round_id: str) -> Archived:
        """Return a round of a file of the archive. Raises ArchiveUnavailable."""
        if self.archive is None:
            raise ArchiveUnavailable(f"{name}: UPCARD_ARCHIVE names no folder")
        return self.archive.find(name, round_id)

    def shoe(self, account: str, shoe_id: str, loaded: Loaded) -> WholeShoe:
        """Open the sealed shoe that was loaded. Raises SealBroken."""
        assert loaded.shoe is not None, "a round is opened together with its shoe"
        return self.keys.open(loaded.shoe, account, shoe_id)

    def keyed(self, ask: Ask) -> LogRow:
        """Return the row of a key that the store has just found used."""
        keyed = find_key(self.database, ask.account, ask.player, ask.key)
        assert keyed is not None, "rows of the log are never taken away"
        return keyed
