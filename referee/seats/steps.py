"""What a forked child does on its way to becoming a bot. Standard library only."""

import json
import os
import resource
from collections.abc import Callable, Mapping, Sequence

RELAY_BYTES, RELAY_FILES = 128 << 20, 512
"""What the relay inside a sandbox may hold. A bot that sends without end fills its own relay, which
then dies."""


def set_limits(limits: Mapping[str, int]) -> None:
    """Lower this process's limits, by their names in lower case; none is ever raised."""
    for name, wanted in limits.items():
        which: int = getattr(resource, f"RLIMIT_{name.upper()}")
        hard = resource.getrlimit(which)[1]
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(which, (value, value))


def take_steps(steps: Sequence[tuple[str, Callable[[], object]]], report: int) -> None:
    """Do one after the other, the last of which does not return; say which one failed, and end."""
    step = ""
    try:
        for name, take in steps:
            step = name
            take()
    except BaseException as problem:
        number = getattr(problem, "errno", None)
        message = os.strerror(number) if number else repr(problem)
        failure = {"step": step, "errno": number, "message": message}
        os.write(report, json.dumps(failure).encode() + b"\n")
    finally:
        os._exit(127)
