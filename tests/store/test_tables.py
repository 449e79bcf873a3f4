"""A table version never changes."""

import pytest

from service.store.database import Database, clock
from service.store.errors import TableVersionChanged
from service.store.tables import TableVersion, all_table_versions, save_table_version


def test_versions_are_kept_and_listed_in_the_order_of_loading(
    database: Database,
) -> None:
    for table_id, version in [("b", "2"), ("a", "9"), ("a", "1")]:
        assert save_table_version(database, table_id, version, f"text of {version}")
    kept = all_table_versions(database)
    assert [row[:3] for row in kept] == [
        ("a", "9", "text of 9"),
        ("a", "1", "text of 1"),
        ("b", "2", "text of 2"),
    ]
    assert all(0 < clock(database) - row.loaded_at < 60_000_000 for row in kept)


def test_loading_a_version_again_changes_nothing(database: Database) -> None:
    assert save_table_version(database, "a", "1", "text")
    kept = all_table_versions(database)
    assert not save_table_version(database, "a", "1", "text")
    with pytest.raises(TableVersionChanged, match="a version never changes"):
        save_table_version(database, "a", "1", "another text")
    assert all_table_versions(database) == kept
    assert isinstance(kept[0], TableVersion)
