"""gunicorn for Upcard: `gunicorn --config deploy/gunicorn.conf.py`.

Everything that differs from place to place comes from the environment, through
service/config.py; what is fixed here has its reason beside it.
"""

from pathlib import Path

from service.config import Config

_config = Config.from_environment()
_memory = Path("/dev/shm")  # noqa: S108 - gunicorn makes a file without a name in it

wsgi_app = "service.app:create_app()"
bind = _config.bind
workers = _config.workers
# Deadlines end a client that drips, after it has held a thread for up to 30 seconds:
# before a public port belongs a proxy that buffers whole requests.
worker_class = "service.worker.Worker"  # gthread, with deadlines and problems
threads = _config.threads  # each with a database connection of its own
# A worker takes this many clients; the others wait in the backlog, or with another
# worker, and a burst cannot eat the memory.
worker_connections = 32 * threads
keepalive = 30  # seconds; longer than a front-end's pause between two moves
timeout = 30  # seconds without a heartbeat; a command takes milliseconds
graceful_timeout = 8  # seconds to finish on a stop; docker kills after ten
worker_tmp_dir = str(_memory) if _memory.is_dir() else None
# No proxy's word is taken: the service reads none of those headers, and SCRIPT_NAME,
# which gunicorn would take from a neighbour, moves every path.
forwarder_headers = ""
forwarded_allow_ips = ""
control_socket_disable = True  # nobody asks for it, so nobody can misuse it
accesslog = None  # the service logs each request itself, as data
loglevel = "warning"
proc_name = "upcard"
