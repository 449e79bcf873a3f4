"""The service's log: a line of JSON for each request, on standard error.

A line names the request, never its body, its token or what was answered.
"""

import logging
from typing import Any, Final

import orjson
import structlog
from structlog.typing import FilteringBoundLogger

_STANDARD_ERROR: Final = 2


def open_log(*, requests: bool) -> FilteringBoundLogger:
    """Return a log; without `requests` it writes only what is wrong.

    Each line is one write to the file descriptor, so that the lines of several
    processes do not mix.
    """
    level = logging.INFO if requests else logging.WARNING
    # Not sys.stderr: whoever replaces that (a test, a server) would not be heard.
    stream = open(_STANDARD_ERROR, "wb", buffering=0, closefd=False)  # noqa: SIM115 - open as long as the process
    log: FilteringBoundLogger = structlog.wrap_logger(
        structlog.BytesLogger(stream),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(serializer=_json),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=True,
    )
    return log.bind()


def _json(event: dict[str, Any], **_: object) -> bytes:
    return orjson.dumps(event, default=repr)


def frames_of(error: BaseException) -> list[str]:
    """Return where an exception came from, innermost last: file, line, function.

    Without its text, which may quote a value, and a value may be a card.
    """
    frames = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append(f"{code.co_filename}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return frames
