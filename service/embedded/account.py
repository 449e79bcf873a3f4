"""The user that PostgreSQL runs as: it refuses to run as root."""

import os
import pwd
from collections.abc import Collection
from pathlib import Path
from typing import Final, NamedTuple

from service.embedded.errors import EmbeddedFault

_UNPRIVILEGED: Final = "nobody"


class Account(NamedTuple):
    """A user of the operating system; -1 as ids: the one that we are."""

    name: str
    user: int
    group: int

    @classmethod
    def for_server(cls) -> "Account":
        """Ourselves; as root an existing user without rights.

        Raises:
            EmbeddedFault: we are root and there is no such user.
        """
        if os.geteuid() != 0:
            return cls(f"{os.geteuid()}", -1, -1)
        try:
            found = pwd.getpwnam(_UNPRIVILEGED)
        except KeyError:
            raise EmbeddedFault(
                f"PostgreSQL must not run as root and there is no user "
                f"{_UNPRIVILEGED}: start upcard as an ordinary user, or set "
                "DATABASE_URL to a server of your own"
            ) from None
        return cls(found.pw_name, found.pw_uid, found.pw_gid)

    @property
    def is_another(self) -> bool:
        """Whether the server's user is not ourselves."""
        return self.user >= 0

    @property
    def owners(self) -> Collection[int]:
        """Whose a folder of the server may be when we find it."""
        return {os.geteuid(), self.user} if self.is_another else {os.geteuid()}

    def give(self, path: Path) -> None:
        """Make the server's user the owner of `path`."""
        if self.is_another:
            os.chown(path, self.user, self.group, follow_symlinks=False)
