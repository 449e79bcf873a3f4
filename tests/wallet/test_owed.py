"""What is owed to players: in which turn it goes, and of which session it is."""

import pytest

from service.chance import new_id
from service.jobs.ending import SETTLE
from service.jobs.job import run_once
from service.jobs.rounds import Rounds
from service.store.database import Database
from service.store.operators import OperatorRow, add_operator
from tests.support.wallet import free_port
from tests.wallet.casino import DUE_NOW, FUNDS, Casino, Guest, wish_of


def insured_in_vain(casino: Casino, guest: Guest) -> Guest:
    """Settle a round whose insurance the wallet does not pay, and pays the rest of."""
    casino.rig.stack("P A,K | U A | H K")
    dealt = guest.deal(1_000)
    casino.wallet.arm(None, "error_before")
    guest.settle(guest.insure(dealt, 1))
    return guest


def test_the_end_waits_for_an_earlier_command_s_payout(curt: Casino) -> None:
    guest = insured_in_vain(curt, curt.player())
    assert curt.wallet.kinds(guest.name) == ["debit", "debit", "credit"]
    assert curt.waiting() == [("credit",), ("end",)]
    curt.check()
    paid = ["debit", "debit", "credit", "credit", "end"]
    assert curt.wallet.kinds(guest.name) == paid
    assert guest.has() == FUNDS + 1_000


def test_a_payout_does_not_wait_for_another_one(curt: Casino) -> None:
    guest = curt.player()
    curt.rig.stack("P A,K | U A | H K")
    dealt = guest.deal(1_000)
    curt.wallet.arm(None, "error_before", "error_before")
    guest.settle(guest.insure(dealt, 1))
    # What is paid first is never taken; as of a wallet that has a fault there.
    curt.owner(DUE_NOW)
    curt.owner(
        "UPDATE transfer SET next_try_at = now() + interval '1 hour' "
        "WHERE purpose = 'insurance' AND status = 'requested'"
    )
    curt.job.run(lambda _: None)
    assert guest.has() == FUNDS - 500
    assert curt.waiting() == [("credit",), ("end",)]
    curt.check()


def test_a_wallet_that_is_away_keeps_no_other_operator_waiting(curt: Casino) -> None:
    away = f"http://127.0.0.1:{free_port()}"
    owner = Database(curt.dsn, role=None)
    add_operator(owner, OperatorRow("away", "seamless", away, sandbox=False))
    owner.close()
    guest = insured_in_vain(curt, curt.player())
    curt.owner(
        "INSERT INTO transfer (account, transfer, operator, player, kind, purpose, "
        "round, ver, table_id, currency, amount, lines, status, made_at, next_try_at) "
        "SELECT %s, gen_random_uuid(), 'away', 'ann', 'credit', 'settlement', "
        "gen_random_uuid(), 2, 'classic-three', 'USD', 100, '[]', 'requested', "
        "now(), now() - interval '1 hour' FROM generate_series(1, 20)",
        new_id(),
    )
    curt.owner(f"{DUE_NOW} AND operator <> 'away'")
    words: list[str] = []
    curt.job.run(words.append)
    assert words.count("waiting") == len(words) - 1
    assert guest.has() == FUNDS + 1_000
    curt.owner("DELETE FROM transfer WHERE operator = 'away'")
    curt.check()


@pytest.mark.parametrize("ended_by", ["another session", "job", "operator"])
def test_all_that_is_owed_says_the_session_of_the_deal(
    casino: Casino, ended_by: str
) -> None:
    guest, session = casino.player(), new_id()
    ask = guest.ask()._replace(session=session)
    casino.owner(
        "INSERT INTO session (account, session, operator, player, currency, mode, "
        "language, key, request, expires_at) VALUES (%s, %s, 'casino', %s, 'USD', "
        "'real', 'en', 'k', '', now() + interval '1 hour')",
        *(guest.account, session, guest.name),
    )
    casino.rig.stack("P T,9 | U 9 | H 8")
    wish = wish_of(guest.name, "classic-three", 0, 1_000)
    stood = guest.act(casino.play.deal(ask, wish), "stand")
    match ended_by:
        case "job":
            settle = Rounds(casino.house, SETTLE, 0, casino.log.logger)
            assert run_once([settle], casino.log.logger, lambda _: None)
        case "operator":
            casino.play.malfunction(guest.ask(), stood.round_id, "a fault")
        case _:
            guest.settle(stood)
    told = dict(casino.owner("SELECT kind, session::text FROM transfer"))
    paid = "refund" if ended_by == "operator" else "credit"
    assert told == dict.fromkeys(("debit", paid, "end"), session)
    casino.check()
