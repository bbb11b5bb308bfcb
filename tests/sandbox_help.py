"""Which levels of sandbox the tests can use here, and why not the others."""

import os

import pytest

from referee.seats.sandbox import LEVELS, Level
from referee.seats.sandbox_choice import finding

SANDBOXES: tuple[Level, ...] = LEVELS[1:]


def need(level: Level) -> None:
    """Skip a test where a level does not work, and say why; where CI runs, all of them must."""
    found = finding(level)
    if found.works:
        return
    if os.environ.get("CI"):
        pytest.fail(f"{level} must work here: {found.why}")
    pytest.skip(f"{level} does not work here: {found.why}")
