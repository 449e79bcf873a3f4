"""Databases for a crowd: with tables and an operator, with and without the jackpot."""

import pytest

from service.cli.jackpot_files import load_shipped_jackpots
from service.cli.serve import load_shipped_tables
from service.store.database import Database
from service.store.operators import OperatorRow, add_operator
from tests.jackpot.crowd import OPERATOR
from tests.support.postgres import quiet


def load_jackpots(dsn: str) -> None:
    owner = Database(dsn, role=None)
    load_shipped_jackpots(owner, quiet)
    owner.close()


@pytest.fixture
def without(dsn: str) -> str:
    """Give a database with tables and an operator, and no jackpot."""
    owner = Database(dsn, role=None)
    load_shipped_tables(owner, quiet)
    add_operator(owner, OperatorRow(OPERATOR, "ledger", None, sandbox=False))
    owner.close()
    return dsn


@pytest.fixture
def opened(without: str) -> str:
    """Give a database with tables, the jackpot and an operator."""
    load_jackpots(without)
    return without
