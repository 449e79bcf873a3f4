"""Rounds for the laws: any table, any bets, any shoe, any players.

A shoe is a real one, shuffled so that aces, tens or pairs are frequent; its players
choose among what is legal and like to split.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import Final, NamedTuple

from hypothesis import strategies as st

from service.rules.cards import Card, deck_order
from service.rules.commands import Act, BoxWager, Command, Deal, Insure, Settle
from service.rules.legal import ACTIONS, LegalAction, legal_actions
from service.rules.round import Round
from service.rules.table import MaxWin, Ratio, TableRules
from tests.rules.rig import OPENED, PLAYERS, Rigged, Story
from tests.rules.tables import AMERICAN, CLASSIC, PROGRESSIVE, SHARED, TABLES, varied

VARIED: Final = (
    varied(AMERICAN, max_win=MaxWin(Ratio(2, 1), "hand"), split_21="natural"),
    varied(AMERICAN, max_win=MaxWin(Ratio(3, 2), "stake"), split_on="rank"),
    varied(AMERICAN, max_win=MaxWin(Ratio(3, 2), "stake"), split_21="natural"),
    varied(CLASSIC, max_win=MaxWin(Ratio(22, 1), "round"), on_expiry="auto_stand"),
    varied(CLASSIC, max_win=MaxWin(Ratio(6, 1), "round"), boxes=1, on_expiry="forfeit"),
    varied(AMERICAN, stand_on_21=False, split_aces_hit=False, split_aces_double=False),
    varied(
        AMERICAN,
        double_after_split=False,
        split_aces_double=False,
        split_21="natural",
        on_expiry="auto_stand",
        natural_pays=Ratio(6, 5),
    ),
    varied(CLASSIC, split_hands=1, soft_17="hit", insurance="all_or_none"),
    varied(PROGRESSIVE, split_hands=4, split_aces_resplit=True, on_expiry="forfeit"),
    varied(SHARED, on_expiry="auto_stand", insurance="any", stand_on_21=False),
    varied(SHARED, on_expiry="forfeit", max_win=MaxWin(Ratio(2, 1), "hand")),
)
ALL_TABLES: Final = (*TABLES.values(), *VARIED)
LIKED: Final = ("", "", "A", "AT", "ATJQK", "8", "2345", "A89", "67")


class World(NamedTuple):
    """A deal, the shoe that it is dealt from, and how its players choose."""

    deal: Deal
    shoe: Rigged
    chance: Random

    def story(self) -> Story:
        """Deal the round."""
        return Story(self.deal, self.shoe)


def shuffled(decks: int, liked: str, chance: Random) -> list[Card]:
    """Return a whole shoe in which some ranks like to come early."""
    return sorted(
        deck_order(decks), key=lambda card: chance.random() - 0.45 * (card[0] in liked)
    )


@st.composite
def worlds(
    draw: st.DrawFn, tables: Sequence[TableRules] = ALL_TABLES, *, most_boxes: int = 5
) -> World:
    """Draw a world."""
    table = draw(st.sampled_from(tables))
    chance = draw(st.randoms(use_true_random=True))
    order = shuffled(table.decks, draw(st.sampled_from(LIKED)), chance)
    first = draw(st.integers(0, (table.cut_card or 1) - 1))
    numbers = range(1, min(table.boxes, most_boxes) + 1)
    boxes = draw(st.lists(st.sampled_from(numbers), min_size=1, unique=True))
    limits = table.limits["USD"]
    wager = st.integers(limits.minimum // limits.step, limits.maximum // limits.step)
    wagers = tuple(
        BoxWager(
            box,
            PLAYERS[box - 1] if table.seating == "shared" else "ann",
            draw(wager | st.just(limits.maximum // limits.step)) * limits.step,
            draw(st.sampled_from((0, limits.bonus_wager or 0))),
        )
        for box in boxes
    )
    deal = Deal(
        *(table, "USD", wagers, False, OPENED),
        *("shoe", first, "rigged", "c0ffee"),
    )
    return World(deal, Rigged(tuple(order[first:]), first), chance)


def players_of(round_: Round) -> list[str]:
    """Return who plays in a round."""
    return sorted({box.player for box in round_.boxes})


def command_of(entry: LegalAction, player: str, at: int = OPENED) -> Command:
    """Return the one command that an entry of the legal actions stands for."""
    if entry.command == "act":
        assert entry.hand is not None
        assert entry.action is not None
        return Act(player, entry.hand, entry.action, at)
    if entry.command == "insure":
        assert entry.boxes is not None
        return Insure(player, entry.boxes, at)
    return Settle(at)


def legal_commands(round_: Round, at: int = OPENED) -> dict[Command, LegalAction]:
    """Return every command that is listed as legal, for each player by himself."""
    return {
        command_of(entry, player, at): entry
        for player in players_of(round_)
        for entry in legal_actions(round_, player)
    }


def all_commands(round_: Round, at: int = OPENED) -> Iterator[Command]:
    """Yield what a player or a stranger might ask, sensible or not."""
    boxes = [box.box for box in round_.boxes]
    hands = [*(hand.name for hand in round_.hands), f"{boxes[0]}e", "9a"]
    for player in (*players_of(round_), "zoe"):
        for hand in hands:
            for action in ACTIONS:
                yield Act(player, hand, action, at)
        for size in range(len(boxes) + 1):
            for chosen in combinations(boxes, size):
                yield Insure(player, chosen, at)
        yield Insure(player, (6,), at)
    yield Settle(at)


def choose(chance: Random, commands: dict[Command, LegalAction]) -> Command:
    """Choose a command: half of the time one that splits or doubles."""
    listed = list(commands)
    bold = [c for c in listed if commands[c].action in ("split", "double")]
    return chance.choice(bold if bold and chance.random() < 0.5 else listed)


def steps(world: World) -> Iterator[Story]:
    """Play a world to its end; yield the story after the deal and each command."""
    story = world.story()
    yield story
    while commands := legal_commands(story.round, OPENED + len(story.commands)):
        story.do(choose(world.chance, commands))
        yield story


def played(world: World) -> Story:
    """Play a world to its end."""
    *_, story = steps(world)
    return story
