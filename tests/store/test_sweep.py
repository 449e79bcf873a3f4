"""What jobs take away, as the service's role may."""

import psycopg

from service.store.database import Database
from service.store.keys import take_nonce
from service.store.sweep import count_old_nonces, sweep_nonces


def test_old_numbers_of_requests_are_swept(database: Database, dsn: str) -> None:
    with psycopg.connect(dsn) as owner:
        now = owner.execute("SELECT extract(epoch FROM now())::bigint").fetchone()
    assert now is not None
    for nonce in ("number-1-of-ours", "number-2-of-ours", "number-3-of-ours"):
        assert take_nonce(database, "casino", nonce, now[0], 300)
    with psycopg.connect(dsn) as owner:
        owner.execute(
            "UPDATE request_nonce SET at = at - interval '11 minutes' "
            "WHERE nonce <> 'number-3-of-ours'"
        )
    assert count_old_nonces(database, 600) == 2
    assert sweep_nonces(database, 600, 1) == 1
    assert sweep_nonces(database, 600, 5) == 1
    assert sweep_nonces(database, 600, 5) == 0
