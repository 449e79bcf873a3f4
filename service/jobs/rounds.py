"""End rounds that nobody ends: claim some, read them, decide, write, pay.

A batch is one transaction: each of its rounds is ended and paid, or none is. A job
that is killed leaves nothing half done, and the next one finds the rest. A command that
is faster than the batch takes the version that the batch would make; then the batch is
undone, and its rounds are ended one by one, as they are by then. A round that can't be
ended is told of, and passed over.
"""

from collections.abc import Sequence
from typing import Final

from structlog.typing import FilteringBoundLogger

from service.house import House
from service.jobs.ending import Task, decided, word_of
from service.jobs.job import Note
from service.jobs.outlook import outlook
from service.store.database import clock
from service.store.due import (
    START,
    DueRound,
    Page,
    count_due,
    due_rounds,
    logs_of,
)
from service.store.errors import DatabaseUnavailable, StoreError
from service.wallet.port import Accepted, Wallet

BATCH: Final = 100
"""Rounds a transaction; a player of these waits for it if he plays elsewhere."""


class Rounds:
    """Ends the rounds of a task, some at a time; copies of it end different ones.

    A round is due when it has been for `grace` seconds.
    """

    def __init__(
        self,
        house: House,
        task: Task,
        grace: int,
        log: FilteringBoundLogger,
        batch: int = BATCH,
    ) -> None:
        self._house = house
        self._task = task
        self._grace = grace
        self._log = log
        self._batch = batch
        self._place = START
        self._told: set[str] = set()

    @property
    def name(self) -> str:
        """As `upcard jobs` knows it."""
        return self._task.name

    def run(self, note: Note) -> bool:
        """End some rounds that are due; say whether there may be more.

        Raises DatabaseUnavailable.
        """
        page = Page([], None)
        try:
            with self._house.database.transaction():
                page = self._claimed()
                words = self._written(page.rounds)
        except DatabaseUnavailable:
            raise
        except Exception:
            if not page.rounds:
                raise
            # One of them can't be written: which one is found out now.
            words = [word for one in page.rounds for word in self._alone(one)]
        for word in words:
            note(word)
        # Behind the last one from the beginning: what was another's may be there still.
        self._place = page.after or START
        return page.after is not None

    def count(self) -> int:
        """Count what is due. Raises DatabaseUnavailable."""
        return count_due(self._house.database, self._task.kind, self._grace)

    def look(self) -> list[str]:
        """Say what would be done and paid, by table. Raises DatabaseUnavailable."""
        return outlook(self._house, self._task, self._grace)

    def _claimed(self) -> Page:
        return due_rounds(
            self._house.database,
            self._task.kind,
            grace=self._grace,
            after=self._place,
            most=self._batch,
            claim=True,
        )

    def _alone(self, due: DueRound) -> list[str]:
        """End one round in a transaction of its own."""
        try:
            with self._house.database.transaction():
                return self._written([due])
        except DatabaseUnavailable:
            raise
        except StoreError:
            return []  # a command was faster once more: the next pass sees to it
        except Exception as error:  # noqa: BLE001 - a fault of ours, told there
            return self._faulty(due, error)

    def _written(self, due: Sequence[DueRound]) -> list[str]:
        """Decide and write rounds; return a word for each thing that was done."""
        if not due:
            return []
        words: list[str] = []
        batches: dict[Wallet, list[Accepted]] = {}
        logs, now = logs_of(self._house.database, due), clock(self._house.database)
        for one in due:
            try:
                rows = logs.get(one.round_id, [])
                accepted = decided(self._house, self._task, one, rows, now)
                wallet = accepted and self._house.wallet(accepted.ask)
            except DatabaseUnavailable:
                raise
            except Exception as error:  # noqa: BLE001 - this round's fault, told there
                words += self._faulty(one, error)
                continue
            if accepted is not None and wallet is not None:
                batches.setdefault(wallet, []).append(accepted)
                words.append(word_of(self._task, accepted))
        for wallet, batch in batches.items():
            wallet.carry_all(batch)
        return words

    def _faulty(self, due: DueRound, error: Exception) -> list[str]:
        """Tell of a round that can't be ended, once: it is tried again each time.

        Without the error's text, which may quote a value, and a value may be a card.
        """
        if due.round_id in self._told:
            return []
        self._told.add(due.round_id)
        self._log.error(
            "job_fault",
            job=self.name,
            round=due.round_id,
            table=due.table_id,
            table_version=due.table_version,
            why=type(error).__name__,
        )
        return ["faulty"]
