"""Commands at once through an operator's wallet: one of them, one stake, one payout."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import pytest

from service.answers import Answer
from service.chance import new_id
from service.jobs.wallet_calls import WalletCalls
from service.refusals import (
    NotFunded,
    RoundOpenExists,
    RoundWaits,
    VersionStale,
)
from service.store.database import Database
from service.store.tables import save_table_version
from service.tablefile import parse_table, shipped_tables
from tests.support.waiting import at_once
from tests.wallet.casino import DUE_NOW, FUNDS, Casino, Guest

CLIENTS: Final = 8
TURNS: Final = 3
Result = Answer | Exception


def answers(results: Sequence[Result]) -> list[Answer]:
    return [result for result in results if isinstance(result, Answer)]


def refusals(results: Sequence[Result]) -> set[type]:
    return {type(result) for result in results if isinstance(result, Exception)}


def ended_well(casino: Casino, guest: Guest, answer: Answer) -> None:
    """Play the round to its end, and see that money is where it should be."""
    ended = guest.finish(answer).round
    casino.check()
    assert guest.has() == FUNDS - ended.stake + ended.payout


def test_one_key_many_times_is_one_deal(casino: Casino) -> None:
    casino.rig.stack("P T,8 | U 9 | H 7")
    for _ in range(TURNS):
        guest, key = casino.player(), new_id()
        send = partial(guest.deal, 1_000, key=key)
        got = [*answers(at_once([send] * CLIENTS)), guest.surely(send)]
        assert len({answer.round_id for answer in got}) == 1
        assert all(answer.events == got[0].events for answer in got)
        assert guest.has() == FUNDS - 1_000
        ended_well(casino, guest, got[0])


def test_a_copy_of_a_paid_deal_is_not_told_that_money_is_short(casino: Casino) -> None:
    casino.rig.stack("P T,8 | U 9 | H 7")
    for _ in range(TURNS * 3):
        guest, key = casino.player(1_000), new_id()
        send = partial(guest.deal, 1_000, key=key)
        results = at_once([send] * CLIENTS)
        assert NotFunded not in refusals(results)
        guest.finish(guest.surely(send))
    casino.check()


def test_many_keys_are_one_deal(casino: Casino) -> None:
    casino.rig.stack("P T,8 | U 9 | H 7")
    for _ in range(TURNS):
        guest = casino.player()
        results = at_once([partial(guest.deal, 1_000)] * CLIENTS)
        (answer,) = answers(results)
        assert refusals(results) <= {RoundOpenExists, RoundWaits}
        assert guest.has() == FUNDS - 1_000
        ended_well(casino, guest, answer)


def test_one_key_many_times_is_one_double(casino: Casino) -> None:
    casino.rig.stack("P 5,6 | U 6 | H T | T,9")
    for _ in range(TURNS):
        guest = casino.player()
        send = partial(guest.act, guest.deal(1_000), "double", key=new_id())
        got = [*answers(at_once([send] * CLIENTS)), guest.surely(send)]
        assert all(answer.events == got[0].events for answer in got)
        assert guest.has() == FUNDS - 2_000
        ended_well(casino, guest, got[0])


def test_many_keys_are_one_double(casino: Casino) -> None:
    casino.rig.stack("P 5,6 | U 6 | H T | T,9")
    for _ in range(TURNS):
        guest = casino.player()
        begun = guest.deal(1_000)
        results = at_once([partial(guest.act, begun, "double")] * CLIENTS)
        (answer,) = answers(results)
        assert refusals(results) <= {VersionStale, RoundWaits}
        ended_well(casino, guest, answer)


def test_a_hit_and_a_double_at_once_are_one_of_them(casino: Casino) -> None:
    casino.rig.stack("P 5,6 | U 6 | H T | 2,3,9,8")
    chosen: Counter[str] = Counter()
    for _ in range(TURNS * 3):
        guest = casino.player()
        begun = guest.deal(1_000)
        moves = [partial(guest.act, begun, move) for move in ("hit", "double")] * 3
        results = at_once(moves)
        (answer,) = answers(results)
        assert refusals(results) <= {VersionStale, RoundWaits}
        chosen["hit" if answer.round.stake == 1_000 else "double"] += 1
        ended_well(casino, guest, answer)
    assert chosen.total() == TURNS * 3


def test_a_round_is_settled_once(casino: Casino) -> None:
    casino.rig.stack("P T,9 | U 9 | H 8")
    for _ in range(TURNS):
        guest = casino.player()
        stood = guest.act(guest.deal(1_000), "stand")
        results = at_once([partial(guest.settle, stood)] * CLIENTS)
        assert refusals(results) <= {VersionStale}
        assert {answer.round.payout for answer in answers(results)} == {2_000}
        casino.check()
        assert guest.has() == FUNDS + 1_000


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_faults_at_random_among_many_clients(casino: Casino, seed: int) -> None:
    casino.rig.stack("P 5,6 | U 6 | H T | T,9")
    names = ("error_before", "error_after", "cut_before", "cut_after", "twice")
    casino.wallet.arm(seed=seed, rates=dict.fromkeys(names, 0.12))

    def play(guest: Guest) -> Answer:
        answer = guest.surely(partial(guest.deal, 1_000, key=new_id()))
        answer = guest.surely(partial(guest.act, answer, "double", key=new_id()))
        return guest.settle(answer)

    guests = [casino.player() for _ in range(CLIENTS)]
    results = at_once([partial(play, guest) for guest in guests])
    assert not refusals(results), results
    casino.wallet.arm(rates={})
    casino.check()
    assert {guest.has() for guest in guests} == {FUNDS + 2_000}


def test_ten_stakes_are_taken_of_what_is_enough_for_ten(casino: Casino) -> None:
    owner = Database(casino.dsn, role=None)
    text = dict(shipped_tables())["classic-three.toml"]
    tables = [f"table-{number}" for number in range(50)]
    for table in tables:
        named = text.replace("classic-three", table)
        rules = parse_table(named, f"{table}.toml")
        save_table_version(owner, rules.table_id, rules.version, named)
    owner.close()
    guest = casino.player(1_000)
    deals = [partial(guest.deal, 100, table=table) for table in tables]
    results = at_once([partial(guest.surely, deal) for deal in deals])
    assert len(answers(results)) == 10
    assert refusals(results) == {NotFunded}
    assert guest.has() == 0
    casino.check()


def copies(casino: Casino, number: int) -> list[Callable[[], bool]]:
    """Return passes of as many copies of the job."""
    jobs = [
        WalletCalls(casino.database, casino.wallets, casino.play, casino.log.logger)
        for _ in range(number)
    ]
    return [partial(job.run, lambda _: None) for job in jobs]


def test_copies_of_the_job_and_the_player_finish_a_thing_once(casino: Casino) -> None:
    casino.rig.stack("P 5,6 | U 6 | H T | T,9")
    for _ in range(TURNS):
        guest = casino.player()
        send = partial(guest.act, guest.deal(1_000), "double", key=new_id())
        casino.wallet.arm(*["cut_after"] * 20)
        waits = at_once([send])
        assert not answers(waits)
        casino.wallet.arm(next=[])
        casino.owner(DUE_NOW)
        everybody: list[Callable[[], Answer | bool]] = [send, *copies(casino, 3)]
        answer = at_once(everybody)[0]
        assert isinstance(answer, Answer), answer
        ended_well(casino, guest, answer)


def test_copies_of_the_job_share_the_work(casino: Casino) -> None:
    casino.rig.stack("P T,9 | U 9 | H 8")
    guests = [casino.player() for _ in range(CLIENTS * 2)]
    for guest in guests:
        stood = guest.act(guest.deal(1_000), "stand")
        casino.wallet.arm("error_before")
        guest.settle(stood)
    casino.owner(DUE_NOW)
    calls = len(casino.log.lines)
    while casino.waiting():
        casino.owner("UPDATE transfer SET next_try_at = now() WHERE tries = 0")
        at_once(copies(casino, 2))
    assert len(casino.log.lines) == calls, "none was made in vain"
    tries = casino.owner("SELECT DISTINCT kind, tries FROM transfer ORDER BY kind")
    assert tries == [("credit", 2), ("debit", 1), ("end", 1)]
    casino.check()
    assert {guest.has() for guest in guests} == {FUNDS + 1_000}
