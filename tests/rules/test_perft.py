"""All rounds on one shoe, counted twice: by the rules, and by a player written apart.

As chess engines are tried by counting all games of a length: the numbers of rounds by
their length and what they come to are the same, and so are the points of decision.
"""

from collections import Counter
from random import Random

import pytest

from service.rules.cards import RANKS, Card
from service.rules.table import Ratio, TableRules
from tests.rules.brute import BET, Count, Game
from tests.rules.rig import Rigged, Story, deal_of
from tests.rules.tables import AMERICAN, CLASSIC, PROGRESSIVE, SHARED, varied
from tests.rules.worlds import legal_commands

PRIVATE = varied(SHARED, seating="private", reshuffle="every_round", cut_card=None)
STRANGE = {
    "21 may be hit": varied(CLASSIC, stand_on_21=False),
    "by rank": varied(AMERICAN, split_on="rank", split_hands=3),
    "naturals after splits": varied(AMERICAN, split_21="natural", split_hands=3),
    "aces closed": varied(AMERICAN, split_aces_hit=False, split_aces_double=False),
    "no double after split": varied(
        AMERICAN, double_after_split=False, split_aces_double=False, split_hands=3
    ),
    "no split": varied(CLASSIC, split_hands=1, soft_17="hit", insurance="all_or_none"),
}
TABLES = {
    "000": PROGRESSIVE,
    "001": PRIVATE,
    "002": CLASSIC,
    "003": AMERICAN,
    **STRANGE,
}


def shoes(boxes: int) -> list[str]:
    """Return shoes of ranks: pairs and aces early, tens late so that rounds end."""
    chance = Random(20_240_229)  # noqa: S311 - the same shoes in every run
    early = ["88", "AA", "TK", "A8", "55", "6A", "99", "A9"]
    found = []
    for liked in early:
        for upcard in ("A", "6", "K", chance.choice(RANKS)):
            pairs = [chance.choice((liked, liked[::-1]))]
            pairs += [chance.choice(("T6", "95", "77", "A8")) for _ in range(boxes - 1)]
            rest = [chance.choice(liked + RANKS) for _ in range(4)]
            rest += [chance.choice("789TJQKA") for _ in range(26)]
            firsts = "".join(pair[0] for pair in pairs)
            seconds = "".join(pair[1] for pair in pairs)
            hole = chance.choice("5679TK")
            found.append(firsts + upcard + seconds + hole + "".join(rest))
    return found[:: 2 * boxes - 1]


def count_rounds(
    table: TableRules, shoe: str, boxes: int
) -> tuple[Count, Counter[int]]:
    """Count the same by the rules: every legal command, by recursion."""
    ends: Count = Counter()
    nodes: Counter[int] = Counter()
    rigged = Rigged(tuple(Card(f"{rank}S") for rank in shoe))
    deal = deal_of(table, [BET] * boxes)

    def follow(story: Story, moves: int) -> None:
        round_ = story.round
        if round_.status == "awaiting_settlement":
            ends[moves, (round_.payout - round_.stake) // 100] += 1
            return
        nodes[moves] += 1
        for command in legal_commands(round_):
            story.do(command)
            follow(story, moves + 1)
            story.round = round_

    follow(Story(deal, rigged), 0)
    return ends, nodes


@pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
@pytest.mark.parametrize("boxes", [1, 2])
def test_all_rounds_on_a_shoe_are_counted_alike(table: TableRules, boxes: int) -> None:
    assert table.natural_pays == Ratio(3, 2)
    total = 0
    for shoe in shoes(boxes):
        game = Game(table, shoe, boxes)
        assert count_rounds(table, shoe, boxes) == (game.ends, game.nodes), shoe
        total += game.ends.total()
    assert total > 100
