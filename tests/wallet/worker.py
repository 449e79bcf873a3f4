"""A worker of the service that can be killed: does one command for a player.

Reads {dsn, story, command, ...} from its input as JSON and writes what it answered.
"""

import json
import sys
from typing import Any, Final

from service.answers import Answer
from service.play import Play
from service.recorded import Ask
from service.store.database import Database
from service.wallet.schedule import Patience, Times
from tests.api.site import Rig
from tests.wallet.casino import Log, house_of, wish_of

LONG: Final = Patience(5.0, 60.0, 0.0)
"""So long that it waits for as long as the test lets it live."""


def done(job: dict[str, Any]) -> Answer:
    """Do the command that a job names."""
    rig = Rig()
    rig.stack(job["story"])
    times = Times(command=LONG, at_once=LONG, in_turn=LONG, look=LONG)
    play = Play(house_of(Database(job["dsn"]), rig, Log(), times))
    account, player, key, digest, *rest = job["ask"]
    ask = Ask(account, player, key, bytes.fromhex(digest), *rest)
    if job["command"] == "deal":
        return play.deal(ask, wish_of(player, *job["deal"]))
    place = (ask, job["round_id"], job["version"])
    match job["command"]:
        case "settle":
            return play.settle(*place)
        case _:
            return play.act(*place, job["hand"], job["command"])


if __name__ == "__main__":
    answer = done(json.load(sys.stdin))
    sys.stdout.write(f"{answer.version}\n")
