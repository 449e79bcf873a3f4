"""Forged proofs, chained anew as their maker could: each change shows its place."""

import copy
import json
from collections.abc import Callable

import pytest

from service.audit import verify
from service.chance import commitment
from tests.chance.documents import (
    BOOKED,
    CAPPED,
    CARDS,
    CHAIN,
    MONEY,
    REPLAY,
    RICH,
    RULES,
    SHARED,
    SHOE,
    VOIDED,
    WHOLE,
    cards_of,
    changed,
    faults,
    forged,
)
from tests.chance.proofs import OPENED, Document
from tests.rules.tables import with_line


def set_event(
    row: int, number: int, **fields: object
) -> Callable[[list[Document]], None]:
    def forge(rows: list[Document]) -> None:
        rows[row - 1]["data"]["events"][number - 1].update(fields)

    return forge


def place_of(document: Document, kind: str) -> tuple[int, int]:
    """Find the first event of a kind: its row and its number."""
    for row in document["rows"]:
        for number, event in enumerate(json.loads(row["data"])["events"], 1):
            if event["type"] == f"{kind}/1":
                return row["ver"], number
    raise AssertionError(kind)


@pytest.mark.parametrize(
    ("kind", "fields", "check", "where"),
    [
        ("card_dealt", {"card": "KC"}, CARDS, "(card_dealt/1): shows KC, place 0 of"),
        ("upcard_dealt", {"card": "KC"}, CARDS, "(upcard_dealt/1): shows KC, place 3"),
        ("hole_card_revealed", {"card": "KC"}, CARDS, "shows KC, place 7 of the shoe"),
        ("hand_split", {"cards": ["3S", "KC"]}, CARDS, "shows KC, place 9 of the shoe"),
        ("hand_doubled", {"card": "KC"}, CARDS, "(hand_doubled/1): shows KC, place 10"),
        ("hand_hit", {"card": "KC"}, CARDS, "(hand_hit/1): shows KC, place "),
        ("dealer_peeked", {"natural": True}, REPLAY, 'should be {"natural":false'),
        ("hand_stood", {"decided_by": "rules"}, REPLAY, "no command is decided by"),
        ("hand_resolved", {"payout": 1}, MONEY, "(hand_resolved/1): pays 1, and "),
        ("hand_resolved", {"result": "natural"}, REPLAY, 'should be {"hand":"1a"'),
        ("insurance_taken", {"stake": 499}, REPLAY, 'should be {"box":1,"stake":500'),
        ("insurance_resolved", {"payout": 1500}, MONEY, "pays 1500, and 0 would be"),
        ("bonus_resolved", {"payout": 7}, MONEY, "(bonus_resolved/1): pays 7, and "),
        ("bonus_resolved", {"line": "three_suited_aces"}, MONEY, "would be right"),
        ("round_decided", {"at": OPENED}, REPLAY, "should be "),
        ("round_settled", {"payout": 10**6}, MONEY, "pays 1000000, and "),
        ("round_opened", {"max_win": 5}, REPLAY, "row 1, event 1: should be "),
        ("round_opened", {"currency": "EUR"}, REPLAY, "row 1: can't be replayed"),
        ("round_opened", {"first_place": 1}, CARDS, "place 1 of the shoe is not"),
        ("round_opened", {"commitment": "00" * 32}, SHOE, "names another commitment"),
        ("round_opened", {"shuffler": "rigged"}, SHOE, "names another shuffler"),
        ("round_opened", {"shoe_id": "other"}, SHOE, "names another shoe_id"),
        ("round_opened", {"table_id": "shared-five"}, RULES, "table_id: the round,"),
        ("round_opened", {"table_version": "00" * 32}, RULES, "table_version: the"),
    ],
)
def test_a_forger_who_can_chain_is_found_out(
    kind: str, fields: Document, check: str, where: str
) -> None:
    row, number = place_of(RICH, kind)
    found = faults(verify(forged(RICH, set_event(row, number, **fields))))
    assert CHAIN not in found
    assert where in found[check]
    if check in (CARDS, MONEY) and kind != "round_opened":
        assert found[check].startswith(f"row {row}, event {number} ({kind}/1): ")


def test_a_capped_win_is_withheld_as_the_rules_say() -> None:
    row, number = place_of(CAPPED, "win_capped")
    found = faults(verify(forged(CAPPED, set_event(row, number, withheld=1))))
    assert f"row {row}, event {number}: should be " in found[REPLAY]
    assert "(round_settled/1): pays " in found[MONEY]


def test_a_voided_round_returns_what_the_rules_say() -> None:
    row, number = place_of(VOIDED, "round_voided")
    paid = set_event(row, number, payout=5_000)
    assert "pays 5000, and " in faults(verify(forged(VOIDED, paid)))[MONEY]


def test_a_row_that_was_left_out_put_in_or_moved_is_found() -> None:
    def leave_out(rows: list[Document]) -> None:
        del rows[2]

    def put_in(rows: list[Document]) -> None:
        rows.insert(2, copy.deepcopy(rows[2]))

    def move(rows: list[Document]) -> None:
        rows[2], rows[3] = rows[3], rows[2]

    for forge in (leave_out, put_in, move):
        found = faults(verify(forged(RICH, forge)))
        assert found[REPLAY].startswith("row ")
        assert CHAIN not in found
        unchained = copy.deepcopy(RICH)
        forge(unchained["rows"])
        assert faults(verify(unchained))[CHAIN].startswith(("row 3: ", "row 4: "))


def test_rows_that_do_not_begin_with_the_first_are_found() -> None:
    report = verify(forged(RICH, lambda _: None, first=2))
    assert faults(report) == {
        CHAIN: "row 1: calls itself 2",
        BOOKED: "money 0: no row of the log is its cause",
    }


def test_another_tables_name_is_found() -> None:
    row, number = place_of(RICH, "round_opened")
    renamed = changed(RICH, ("table_id",), "shared-five")
    found = verify(forged(renamed, set_event(row, number, table_id="shared-five")))
    assert faults(found)[RULES] == "table_id: the round, the table and the proof differ"


def test_a_round_cut_off_before_its_end_is_not_proved() -> None:
    def cut(rows: list[Document]) -> None:
        del rows[-1]

    found = faults(verify(forged(RICH, cut)))
    assert found[REPLAY] == "row 7: the round is not over"
    assert found.keys() == {REPLAY, BOOKED}


def test_a_command_of_another_player_is_found() -> None:
    def steal(rows: list[Document]) -> None:
        rows[4]["player"] = "eve"

    found = faults(verify(forged(SHARED, steal)))
    assert found == {REPLAY: "row 5: can't be replayed: Hand 1a is another player's."}


def test_a_command_after_the_time_is_over_is_found() -> None:
    def delay(rows: list[Document]) -> None:
        for row in rows[2:]:
            row["at"] += 91 * 86_400_000_000

    assert faults(verify(forged(RICH, delay)))[REPLAY].startswith("row 3")


def test_another_shoe_does_not_fit_the_commitment() -> None:
    cards = cards_of(RICH["shoe"]["order"])
    cards[20], cards[400] = cards[400], cards[20]
    other = changed(RICH, ("shoe", "order"), "".join(cards))
    text = "shoe: salt and order give another commitment"
    assert faults(verify(other)) == {SHOE: text}
    salt = bytes.fromhex(other["shoe"]["salt"])
    anew = commitment(salt, other["shoe"]["order"])
    committed = changed(other, ("shoe", "commitment"), anew)
    assert "the deal names another commitment" in faults(verify(committed))[SHOE]


@pytest.mark.parametrize(
    ("tamper", "where"),
    [
        (lambda order: order[:-2] + "AS", "shoe: AS is in it 9 times, not 8"),
        (lambda order: order[:-2], "is in it 7 times, not 8"),
        (lambda order: order + "XX", "shoe: XX is in it 1 times, not 0"),
        (lambda order: order[:-1], "is in it 7 times, not 8"),
    ],
)
def test_a_shoe_that_is_not_whole_is_found(
    tamper: Callable[[str], str], where: str
) -> None:
    order = tamper(RICH["shoe"]["order"])
    salt = bytes.fromhex(RICH["shoe"]["salt"])
    document = changed(RICH, ("shoe", "order"), order)
    document["shoe"]["commitment"] = commitment(salt, order)
    row, number = place_of(document, "round_opened")
    named = set_event(row, number, commitment=document["shoe"]["commitment"])
    found = faults(verify(forged(document, named)))
    assert list(found) == [WHOLE]
    assert where in found[WHOLE]


def test_other_rules_are_not_the_rounds() -> None:
    source = with_line(RICH["table_source"], "soft_17", 'soft_17 = "hit"')
    found = faults(verify(changed(RICH, ("table_source",), source)))
    assert found[RULES].startswith("table_source: its version is not")
    broken = with_line(RICH["table_source"], "decks", "decks = 9")
    found = faults(verify(changed(RICH, ("table_source",), broken)))
    assert "decks: must be a whole number from 1 to 8" in found[RULES]


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"ver": 9}, "money 0: no row of the log is its cause"),
        ({"currency": "EUR"}, "money 0: is in EUR, not USD"),
        ({"source": "wallet"}, "money: is on the ledger and at a wallet"),
        ({"amount": -1}, "row 1: the ledger says {'player': -1, 'held': 3300}, the"),
        ({"purpose": "split"}, "row 1: the ledger says it is for split"),
        ({"balance": 1}, "row 1: the ledger says the balance was another"),
    ],
)
def test_money_that_the_events_do_not_tell_of_is_found(
    fields: Document, where: str
) -> None:
    changed = copy.deepcopy(RICH)
    changed["money"][0] |= fields
    (found,) = faults(verify(changed)).items()
    assert found[0] == BOOKED
    assert found[1].startswith(where)


def test_money_that_is_missing_or_moved_twice_is_found() -> None:
    first = RICH["money"][0]
    for money in (RICH["money"][1:], [*RICH["money"], first]):
        changed = {**RICH, "money": money}
        assert faults(verify(changed))[BOOKED].startswith("row 1: the ledger says")


def at_a_wallet(document: Document) -> Document:
    """Return a proof whose money was moved by an operator's wallet."""
    changed = copy.deepcopy(document)
    moved = [row for row in changed["money"] if row["side"] == "player"]
    for row in moved:
        kind = "debit" if row["amount"] < 0 else "credit"
        status = "confirmed" if kind == "debit" else None
        row |= {"source": "wallet", "side": None, "kind": kind, "status": status}
        row |= {"amount": abs(row["amount"]), "balance": None}
    changed["money"] = moved
    return changed


def test_money_of_a_wallet_is_held_against_the_events() -> None:
    honest = at_a_wallet(RICH)
    assert verify(honest).ok
    for fields, where in (
        ({"status": "refused"}, "row 1: the wallet took 0, and not 3300"),
        ({"amount": 3299}, "row 1: the wallet took 3299, and not 3300"),
        ({"purpose": "split"}, "row 1: the wallet was told another purpose"),
    ):
        changed = copy.deepcopy(honest)
        changed["money"][0] |= fields
        assert faults(verify(changed)) == {BOOKED: where}
