"""The service's worker with less patience, for `gunicorn --worker-class`."""

from service.worker import Worker


class Hasty(Worker):
    """Gives a head and a body half a second each."""

    head_seconds = 0.5
    body_seconds = 0.5
