"""How many SQL statements a command takes: the ledger adds three where money moves."""

from collections.abc import Callable
from typing import Final

import pytest

from tests.api.bank import Purse, purse
from tests.api.player import Got
from tests.api.site import Site
from tests.support.sent import wire

PLAIN: Final = 2
"""One SELECT and one INSERT: what a command takes that moves no money."""
LEDGER: Final = 3
"""BEGIN, the balance's UPDATE, COMMIT; the lines come along with the log's row."""

JACKPOT: Final = 8
"""BEGIN, lock, take what waits, read the versions, reset, the hit, its note, COMMIT."""

STORIES: Final = {
    "split": ("P 8,8 | U 6 | H T | 3,T,T", "", "split", LEDGER),
    "double": ("P 5,6 | U 6 | H T | T,T", "", "double", LEDGER),
    "insure": ("P T,9 | U A | H 5 | T,T", "", "insure", LEDGER),
    "won insurance": ("P T,9 | U A | H T", "", "insure", LEDGER),
    "decline": ("P T,9 | U A | H 5 | T,T", "", "pass", 0),
    "hit": ("P 2,3 | U 6 | H T | 2,T,T", "", "hit", 0),
    "stand": ("P 8,8 | U 6 | H T | 3,T,T", "split", "stand", 0),
    "the last stand": ("P T,9 | U 6 | H T | T", "", "stand", 0),
    "settle": ("P T,9 | U 6 | H T | T", "stand", "settle", LEDGER),
    "settle a lost round": ("P T,8 | U T | H 9", "stand", "settle", LEDGER),
}


def statements(site: Site, job: Callable[[], Got]) -> int:
    """Count what one thread's connection is asked to do while `job` runs."""
    done: list[Got] = []
    sent = wire(site.api.database, lambda: done.append(job()))
    assert done[0].status < 300, done[0].body
    return sent.count("Execute") + sent.count("Query")


@pytest.fixture
def ann(site: Site, monkeypatch: pytest.MonkeyPatch) -> Purse:
    """Give a player whose operator and tables have been read, and stay so."""
    site.api.catalog.current()
    assert site.api.wallets.operator("dev").wallet == "ledger"
    for kept in (site.api.catalog, site.api.wallets):
        monkeypatch.setattr(kept, "_clock", lambda: 0.0)
    return purse(site, 100_000)


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_a_command_takes_so_many(
    site: Site, ann: Purse, story: tuple[str, str, str, int]
) -> None:
    cards, first, move, more = story
    site.rig.stack(cards)
    on = ann.played(first, 1000)
    count = statements(site, lambda: ann.player.play(on, move))
    assert count == PLAIN + more


def test_a_deal_takes_three_more_too(site: Site, ann: Purse) -> None:
    site.rig.stack("P 9,7 | U 6 | H 5")
    ann.deal(1000, table="classic-three")
    assert statements(site, lambda: ann.deal(1000)) == PLAIN + LEDGER


BONUS: Final = {
    "table_id": "progressive-five",
    "currency": "USD",
    "boxes": [{"box": 1, "wager": 1000, "bonus_wager": 100}],
}


@pytest.fixture
def shown(site: Site, ann: Purse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the jackpot's meter be read once, a moment ago."""
    assert ann.player.post("/v1/rounds", BONUS).status == 201
    monkeypatch.setattr(site.api.meters, "_clock", lambda: 0.0)


@pytest.mark.usefixtures("shown")
def test_a_deal_with_a_bonus_wager_takes_no_more_than_without(site: Site) -> None:
    bob = purse(site, 100_000)
    site.rig.stack("P 9,7 | U 6 | H 5")
    count = statements(site, lambda: bob.player.post("/v1/rounds", BONUS))
    assert count == PLAIN + LEDGER


@pytest.mark.usefixtures("shown")
def test_only_the_hit_of_the_jackpot_takes_a_transaction(site: Site) -> None:
    bob = purse(site, 100_000)
    site.rig.stack("P AS,AC | U T | H 7 | AS,AC,5")
    on = bob.player.post("/v1/rounds", BONUS)
    taken = []
    for _ in range(3):
        replies: list[Got] = []

        def job(on: Got = on, replies: list[Got] = replies) -> Got:
            replies.append(bob.player.act(on, "hit"))
            return replies[0]

        taken.append(statements(site, job))
        (on,) = replies
    assert taken == [PLAIN, PLAIN + JACKPOT, PLAIN]
