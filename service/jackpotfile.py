"""Reading a jackpot's file: TOML text to a Jackpot, or every fault of it at once.

A file says what a jackpot pays and costs; the tables that it names say how its bonus
is won. That both together return enough is counted, not simulated.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from service.analysis.chances import always, line_chances
from service.meter import PARTS, Jackpot
from service.rules.table import JACKPOT_LINE, TableRules
from service.tomlreader import FileFault, Reader, settings_of, shipped_files

MOST_CEILING: Final = 10**12
"""Parts of it, and sums of many jackpots, are within 64 bits."""
_NAME: Final = "[a-z][a-z0-9-]{2,31}"
_PLACES: Final = 7
_COUNTED: Final[dict[str, Mapping[str, Fraction]]] = {}
"""The chances of the lines, by table version."""


class JackpotFault(FileFault):
    """A jackpot's file that is refused."""


def shipped_jackpots() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each jackpot's file that comes with Upcard."""
    return shipped_files("jackpots")


def parse_jackpot(text: str, source: str) -> Jackpot:
    """Return the jackpot in a file's text; ``source`` names it in errors.

    Raises JackpotFault with every unknown key, missing key and bad value.
    """
    settings = settings_of(text, source, JackpotFault)
    reader = Reader(settings)
    canonical = json.dumps(settings, sort_keys=True, default=str)
    jackpot = Jackpot(
        version=hashlib.sha256(canonical.encode()).hexdigest(),
        jackpot_id=reader.text("jackpot_id", _NAME, "3 to 32 of a-z 0-9 -"),
        currency=reader.text("currency", "[A-Z]{3}", "an ISO 4217 code"),
        reset=reader.integer("reset", 1, MOST_CEILING) or 1,
        contribution=_contribution(reader),
        ceiling=reader.integer("ceiling", 1, MOST_CEILING) or MOST_CEILING,
        min_return=_share(reader, "min_return"),
        tables=_tables(reader),
    )
    reader.finish()
    if not reader.faults and jackpot.ceiling < jackpot.reset:
        reader.fault("ceiling", f"{jackpot.ceiling} is below the reset value")
    if reader.faults:
        raise JackpotFault(source, tuple(reader.faults))
    return jackpot


def check_jackpot(
    jackpot: Jackpot, source: str, tables: Mapping[str, TableRules]
) -> None:
    """See that a jackpot fits the tables that it names.

    Raises JackpotFault with every contradiction; the return is in it where it is less
    than ``min_return``.
    """
    faults = tuple(_contradictions(jackpot, tables))
    if faults:
        raise JackpotFault(source, faults)


def lines_of(table: TableRules) -> Mapping[str, Fraction]:
    """Return the chance of each line for who hits while his run is alive.

    Counted once for each version of a table: that takes a tenth of a second.
    """
    if table.version not in _COUNTED:
        _COUNTED[table.version] = line_chances(table, always)
    return _COUNTED[table.version]


def pays_at(table: TableRules, wager: int, meter: int) -> dict[str, Fraction]:
    """Return what each line pays for one while a meter stands at so much."""
    pays = {line: Fraction(pay) for line, pay in (table.bonus_pays or {}).items()}
    return {**pays, JACKPOT_LINE: Fraction(meter, wager)}


def return_at(table: TableRules, wager: int, meter: int) -> Fraction:
    """Return what a bonus wager returns to who hits while his run is alive."""
    chances, pays = lines_of(table), pays_at(table, wager, meter)
    return sum((chance * pays[line] for line, chance in chances.items()), Fraction(0))


def decimal(value: Fraction, places: int = _PLACES) -> str:
    """Return a fraction from 0 on as a decimal text, cut off and never rounded up.

    >>> decimal(Fraction(2, 3)), decimal(Fraction(7, 2), 2)
    ('0.6666666', '3.50')
    """
    whole = value.numerator * 10**places // value.denominator
    return f"{whole // 10**places}.{whole % 10**places:0{places}}"


def _contradictions(
    jackpot: Jackpot, tables: Mapping[str, TableRules]
) -> Iterator[str]:
    for name in jackpot.tables:
        table = tables.get(name)
        if table is None:
            yield f"tables: there is no table {name}; there are {', '.join(tables)}"
            continue
        limits = table.limits.get(jackpot.currency)
        wager = limits and limits.bonus_wager
        if not wager or table.bonus_pays is None:
            yield f"tables: {name} has no bonus wager in {jackpot.currency}"
            continue
        pays = table.bonus_pays
        best = max(pay for line, pay in pays.items() if line != JACKPOT_LINE)
        if pays[JACKPOT_LINE] <= best:
            yield f"tables: another line of {name} pays as much as the jackpot's"
        if jackpot.reset <= best * wager:
            yield f"reset: must be more than the {best * wager} of a line of {name}"
        found = return_at(table, wager, jackpot.reset)
        if found < jackpot.min_return:
            yield (
                f"min_return: at the reset value the bonus of {name} returns "
                f"{decimal(found)} of its wager ({found}), less than "
                f"{decimal(jackpot.min_return, 2)}"
            )


def _contribution(reader: Reader) -> Fraction:
    value = reader.take("contribution")
    match = re.fullmatch(r"([1-9]\d{0,6})/([1-9]\d{0,6})", str(value))
    if value is None:
        return Fraction(1)
    share = Fraction(int(match[1]), int(match[2])) if match else Fraction(1)
    if not match or share >= 1:
        reader.fault("contribution", f"must be a fraction below 1; is {value!r}")
    elif PARTS % share.denominator:
        reader.fault(
            "contribution",
            f"must be a whole number of millionths, as '3/20' is; is {value!r}",
        )
    return share


def _share(reader: Reader, key: str) -> Fraction:
    text = reader.text(key, r"0\.\d{1,6}", "a decimal below 1 such as '0.60'")
    return Fraction(text) if re.fullmatch(r"0\.\d{1,6}", text) else Fraction(0)


def _tables(reader: Reader) -> tuple[str, ...]:
    values = reader.take("tables")
    if values is None:
        return ()
    names = [str(value) for value in values] if isinstance(values, list) else []
    good = names and len(set(names)) == len(names)
    if not good or not all(re.fullmatch(_NAME, name) for name in names):
        reader.fault("tables", f"must be a list of tables, each once; is {values!r}")
        return ()
    return tuple(names)
