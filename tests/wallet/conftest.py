"""One wallet process for all tests here; a service's database for each."""

from collections.abc import Iterator

import pytest

from tests.support.postgres import Postgres
from tests.support.wallet import WalletProcess, running_wallet
from tests.wallet.casino import ONE_TRY, QUICK, Casino


@pytest.fixture(scope="session")
def wallet_process(postgres: Postgres) -> Iterator[WalletProcess]:
    with postgres.copy(empty=True) as dsn, running_wallet(dsn, "--faults") as wallet:
        yield wallet


@pytest.fixture
def wallet(wallet_process: WalletProcess) -> WalletProcess:
    """Give the wallet with an empty book, in which nothing is to go wrong."""
    wallet_process.arm(next=[], rates={}, release=True)
    wallet_process.rest()
    wallet_process.clear()
    return wallet_process


@pytest.fixture
def casino(dsn: str, wallet: WalletProcess) -> Iterator[Casino]:
    casino = Casino(dsn, wallet)
    yield casino
    casino.close()


@pytest.fixture
def hasty(dsn: str, wallet: WalletProcess) -> Iterator[Casino]:
    """Give a casino that does not wait for long, for wallets that don't answer."""
    casino = Casino(dsn, wallet, QUICK)
    yield casino
    casino.close()


@pytest.fixture
def curt(dsn: str, wallet: WalletProcess) -> Iterator[Casino]:
    """Give a casino that asks once, and leaves the rest to the job."""
    casino = Casino(dsn, wallet, ONE_TRY)
    yield casino
    casino.close()
