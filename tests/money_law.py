"""The law of money, checked from outside: the log's events against a wallet's own book.

Money in, money out and money held add up to zero in each currency, and each round's
money is what its events say. It reads rows and JSON, and shares no code with the
service.
"""

import json
from collections import Counter, defaultdict
from typing import Any, Final, NamedTuple

import psycopg
from psycopg.rows import dict_row

_LOG: Final = "SELECT round, ver, data::text FROM log ORDER BY round, ver"
_TRANSFERS: Final = "SELECT * FROM transfer ORDER BY made_at"
_BOOK: Final = "SELECT * FROM transaction"
_PAYING: Final = ("credit", "refund")


class Command(NamedTuple):
    """What one row of the log moves; `ends` the round."""

    currency: str
    stake: int
    payout: int
    ends: bool


def faults_of(service: str, wallet: str) -> list[str]:
    """Return what is wrong between a service's database and a seamless wallet's.

    Call it when nothing is under way and all is delivered.
    """
    commands = _commands(service)
    transfers = _rows(service, _TRANSFERS)
    book = {str(row["transaction_id"]): row for row in _rows(wallet, _BOOK)}
    return [
        *_unfinished(transfers),
        *_unlike_events(commands, transfers),
        *_unlike_book(transfers, book),
        *_unbalanced(commands, transfers, book),
    ]


def _unfinished(transfers: list[dict[str, Any]]) -> list[str]:
    return [
        f"{row['kind']} {row['transfer']} is not finished"
        for row in transfers
        if row["status"] == "requested"
    ]


def _unlike_events(
    commands: dict[tuple[str, int], Command], transfers: list[dict[str, Any]]
) -> list[str]:
    """Compare each command's money with the transfers of its version."""
    moved: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    ends: Counter[str] = Counter()
    for row in transfers:
        refused = row["kind"] == "correction" and row["status"] == "refused"
        if row["kind"] == "rollback" or (row["status"] != "confirmed" and not refused):
            continue
        place = (str(row["round"]), row["ver"])
        if row["kind"] == "end":
            ends[place[0]] += 1
        elif row["kind"] == "debit":
            moved[place]["stake"] += row["amount"]
        elif row["kind"] in (*_PAYING, "correction"):
            moved[place]["payout"] += row["amount"]
    faults = []
    for place in commands.keys() | moved.keys():
        command = commands.get(place, Command("", 0, 0, ends=False))
        said = (command.stake, command.payout)
        if said != (moved[place]["stake"], moved[place]["payout"]):
            faults.append(f"{place}: events say {said}, transfers {moved[place]}")
    closed = Counter(place[0] for place, command in commands.items() if command.ends)
    if closed != ends:
        faults.append(f"rounds ended {closed - ends}, calls of an end {ends - closed}")
    return faults


def _unlike_book(
    transfers: list[dict[str, Any]], book: dict[str, dict[str, Any]]
) -> list[str]:
    """Compare each transfer with what the wallet did; nothing is there without one."""
    ours = {str(row["transfer"]): row for row in transfers}
    faults = [f"{name}: the wallet alone knows it" for name in book.keys() - ours]
    for name, row in ours.items():
        found = book.get(name)
        if row["status"] == "confirmed":
            if found is None or found["status"] != 200 or found["rolled_back"]:
                faults.append(f"{row['kind']} {name}: the wallet did not do it")
            elif found["amount"] != row["amount"] or found["kind"] != row["kind"]:
                faults.append(f"{row['kind']} {name}: the wallet did another thing")
        elif row["kind"] == "debit" and found is not None and found["taken"]:
            faults.append(f"debit {name} is {row['status']}, and taken")
    return faults


def _unbalanced(
    commands: dict[tuple[str, int], Command],
    transfers: list[dict[str, Any]],
    book: dict[str, dict[str, Any]],
) -> list[str]:
    """See that in and out and held add up to zero."""
    players: Counter[str] = Counter()
    for row in book.values():
        players[row["currency"]] += row["moved"]
    closed = {place[0] for place, command in commands.items() if command.ends}
    house: Counter[str] = Counter()
    held: Counter[str] = Counter()
    for place, command in commands.items():
        side = house if place[0] in closed else held
        side[command.currency] += command.stake - command.payout
    for row in transfers:
        if row["kind"] == "correction" and row["status"] == "refused":
            house[row["currency"]] += row["amount"]  # the player owes it
    return [
        f"{currency}: players {players[currency]}, held {held[currency]}, house "
        f"{house[currency]} do not add up to zero"
        for currency in players | house | held
        if players[currency] + house[currency] + held[currency]
    ]


def _commands(service: str) -> dict[tuple[str, int], Command]:
    commands = {}
    currencies = {}
    ended: set[object] = set()
    for row in _rows(service, _LOG):
        events = json.loads(row["data"])["events"]
        stake = payout = 0
        ends = False
        for event in events:
            match event["type"]:
                case "round_opened/1":
                    currencies[row["round"]] = event["currency"]
                    for box in event["boxes"]:
                        stake += box["wager"] + box["bonus_wager"]
                case "insurance_taken/1" | "hand_doubled/1" | "hand_split/1":
                    stake += event["stake"]
                case "insurance_resolved/1":
                    payout += event["payout"]
                case "round_settled/1":
                    payout += event["payout"]
                    ends = True
                case "round_voided/1":
                    refunds = sum(refund["amount"] for refund in event["refunds"])
                    payout += event["payout"] + refunds
                    ends = True
                case "round_malfunctioned/1":
                    payout += event["correction"]
                    ends = row["round"] not in ended
                case _:
                    pass
        ended |= {row["round"]} if ends else set()
        place = (str(row["round"]), row["ver"])
        commands[place] = Command(currencies[row["round"]], stake, payout, ends)
    return commands


def _rows(dsn: str, query: str) -> list[dict[str, Any]]:
    with psycopg.connect(dsn, row_factory=dict_row) as db:
        return db.execute(query.encode()).fetchall()
