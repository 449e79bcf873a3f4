"""A sandbox names the cards of a deal; nobody else does, and the others stay secret."""

from pathlib import Path
from typing import Any, Final

import pytest

from service.app import create_app
from service.audit import verify
from service.chance import new_id
from service.operators import SandboxRefused
from service.rules.cards import Card
from service.store.database import Database
from service.store.operators import OperatorRow, add_operator
from service.store.tables import save_table_version
from service.tablefile import parse_table, shipped_tables
from tests.api.operator import Operator
from tests.api.player import Got, Player, url_of
from tests.api.site import Site, config_of

NAMED: Final = ["8S", "6D", "8H", "TD"]


@pytest.fixture
def tester(site: Site) -> Player:
    """Give a demo player of the sandbox, new to it."""
    return sandboxed(site)


def sandboxed(site: Site) -> Player:
    sandbox: Operator = site.operators["sandbox"]
    name = site.player().name  # whom nobody has met
    return sandbox.launched(name, mode="demo")


def examples(site: Site) -> dict[str, Any]:
    operation = site.api.contract.document["paths"]["/v1/rounds"]["post"]
    shown = operation["requestBody"]["content"]["application/json"]["examples"]
    return {name: example["value"] for name, example in shown.items()}


def deal(player: Player, cards: object, key: str | None = None) -> Got:
    boxes = [{"box": 1, "wager": 1000}]
    table = {"table_id": "american-five", "currency": "USD", "boxes": boxes}
    body = {**table, "cards": cards}
    return player.post("/v1/rounds", body, idempotency_key=key or new_id())


def proved(player: Player, settled: Got) -> Got:
    proof = player.get(f"{url_of(settled)}/proof")
    assert proof.json["shoe"]["shuffler"] == "sandbox"
    assert verify(proof.json).ok
    return proof


def test_the_contracts_split_to_four_can_be_built(site: Site, tester: Player) -> None:
    body = examples(site)["split_to_four"]
    dealt = tester.post("/v1/rounds", body)
    assert (dealt.status, dealt.round["shuffler"]) == (201, "sandbox")
    moves = "split split double stand split stand stand"
    played = tester.play(dealt, moves)
    hands = [(hand["hand"], hand["cards"]) for hand in played.round["hands"]]
    assert hands == [
        ("1a", ["8S", "3S", "9S"]),
        ("1c", ["8C", "TS"]),
        ("1b", ["8H", "TH"]),
        ("1d", ["8D", "9H"]),
    ]
    assert played.round["dealer"]["cards"] == ["6D", "TD", "KC"]
    settled = tester.settle(played)
    assert (settled.round["stake"], settled.round["payout"]) == (5000, 10_000)
    order = proved(tester, settled).json["shoe"]["order"]
    assert order.startswith("".join(body["cards"]))


def test_the_contracts_jackpot_can_be_built(site: Site, tester: Player) -> None:
    dealt = tester.post("/v1/rounds", examples(site)["jackpot"])
    played = tester.play(dealt, "hit hit stand")
    (box,) = played.round["boxes"]
    assert box["bonus"]["line"] == "four_aces_of_one_colour"
    assert box["bonus"]["jackpot"]
    assert box["bonus"]["payout"] > 0
    proved(tester, tester.settle(played))


def test_a_repeat_is_answered_as_the_first_time(tester: Player) -> None:
    first, again = (deal(tester, NAMED, "the-same-key") for _ in range(2))
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.json == first.json
    other = deal(tester, NAMED[:3], "the-same-key")
    assert other.refusal == (422, "idempotency_key_reused")


def test_without_cards_a_sandbox_deals_as_everybody(tester: Player) -> None:
    assert tester.deal(1000).round["shuffler"] == "rigged"


def test_a_named_hole_card_lies_face_down_all_the_same(tester: Player) -> None:
    dealt = deal(tester, NAMED)
    assert dealt.round["dealer"]["cards"] == ["6D"]
    assert dealt.round["dealer"]["hole_card"] == "face_down"
    for path in ("", "/events"):
        assert "TD" not in tester.get(url_of(dealt) + path).body.decode()
    early = tester.get(f"{url_of(dealt)}/proof")
    assert early.refusal == (409, "proof_not_ready")


def shown(player: Player) -> list[Any]:
    """Return what is shown of a round whose hole card nobody named, but for its ids.

    The commitment is to the whole shoe, and hidden by a salt: it tells no card.
    """
    dealt = deal(player, NAMED[:3])
    bodies = [dealt.json, player.get(f"{url_of(dealt)}/events").json]
    return [without_ids(body) for body in bodies]


def without_ids(found: Any) -> Any:  # noqa: ANN401 - JSON
    own = {"id", "round_id", "shoe_id", "commitment", "at", "opened_at", "expires_at"}
    if isinstance(found, dict):
        return {k: without_ids(v) for k, v in found.items() if k not in own}
    return [without_ids(one) for one in found] if isinstance(found, list) else found


def test_a_card_that_nobody_named_stays_secret(site: Site) -> None:
    site.rig.lay([Card("7C")])
    one = shown(sandboxed(site))
    site.rig.lay([Card("9C")])
    assert shown(sandboxed(site)) == one


def test_the_log_does_not_hold_what_was_named(site: Site, tester: Player) -> None:
    round_id = deal(tester, [*NAMED, "QC"]).round["id"]
    (row,) = site.owner(f"SELECT data::text FROM log WHERE round = '{round_id}'")  # noqa: S608 - an id of ours
    assert "8S" in row[0]
    assert not {"TD", "QC"} & set(row[0].split(chr(34)))


def test_a_card_named_too_often_is_refused_with_its_place(tester: Player) -> None:
    got = deal(tester, ["AS"] * 6 + ["8H", "AS", "AS"])
    assert got.refusal == (409, "cards_not_in_shoe")
    assert [(e["pointer"], e["limit"]) for e in got.json["errors"]] == [
        ("/cards/7", 6),
        ("/cards/8", 6),
    ]
    assert deal(tester, ["AS"] * 6 + ["8H"]).status == 201


@pytest.mark.parametrize(
    "cards",
    [[], ["1S"], ["AS", "XX"], [""], ["as"], ["ASTD"], "AS", None, [1], ["AS"] * 417],
    ids=repr,
)
def test_cards_are_a_list_of_cards(tester: Player, cards: Any) -> None:  # noqa: ANN401 - JSON
    assert deal(tester, cards).refusal == (422, "invalid")


@pytest.mark.parametrize("mode", ["real", "demo"])
@pytest.mark.parametrize("operator", ["dev", "other", "outside"])
def test_no_ordinary_operator_may(site: Site, operator: str, mode: str) -> None:
    rows = site.log_rows()
    player = site.operators[operator].launched(site.player().name, mode=mode)
    got = deal(player, NAMED)
    assert got.refusal == (403, "not_sandbox")
    assert site.log_rows() == rows


def test_no_token_of_real_money_may(site: Site) -> None:
    """An engineer's own token: a sandbox cannot launch for real money at all."""
    tester = sandboxed(site)
    tester.token = site.api.tokens.issue(
        operator="sandbox",
        player=tester.name,
        currency="USD",
        mode="real",
        now=tester.present(),
        lifetime=600,
    )
    assert deal(tester, NAMED).refusal == (409, "sandbox_only")
    assert tester.deal(1000).refusal == (409, "sandbox_only")


def test_production_refuses_a_sandbox(site: Site) -> None:
    config = config_of(site.dsn, site.config.home, environment="production")
    with pytest.raises(SandboxRefused, match="sandbox"):
        create_app(config)


def test_in_production_nobody_names_a_card(dsn: str, tmp_path: Path) -> None:
    owner = Database(dsn, role=None)
    for source, text in shipped_tables():
        rules = parse_table(text, source)
        save_table_version(owner, rules.table_id, rules.version, text)
    app = create_app(config_of(dsn, tmp_path, environment="production"))
    add_operator(owner, OperatorRow("dev", "ledger", None, sandbox=True))
    owner.close()
    player = Player(app, "ann", "USD", "demo")
    assert deal(player, NAMED).refusal == (403, "not_sandbox")
    assert player.get("/readyz").json["shuffler"] == "os-csprng"
    assert player.deal(1000).round["shuffler"] == "os-csprng"
    app.extensions["upcard"].database.close()
