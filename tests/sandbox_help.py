"""Which levels of sandbox the tests can use here, and why not the others."""

import os
import sys
import tempfile
from pathlib import Path

import pytest

from referee.seats.sandbox import Level, additions, bare
from referee.seats.sandbox_choice import addition_troubles, finding

SANDBOXES: tuple[Level, ...] = (
    "linux", "linux+cgroup", "linux+uid+cgroup", "bwrap", "bwrap+uid+cgroup",
)  # fmt: skip


def need(level: Level) -> None:
    """
    Skip a test where a level does not work, and say why; where CI runs, all of them must.

    What is added to a level is only there on some machines.
    """
    found = finding(bare(level))
    if not found.works:
        if os.environ.get("CI"):
            pytest.fail(f"{level} must work here: {found.why}")
        pytest.skip(f"{level} does not work here: {found.why}")
    if sys.platform == "linux":
        troubles = addition_troubles(bare(level)) if additions(level) else {}
        for one in additions(level):
            if troubles[one]:
                pytest.skip(f"{level} does not work here: {troubles[one]}")


def open_to_all(folder: Path) -> Path:
    """The folder, so that a bot with a uid of its own can read in it."""
    folder.chmod(0o755)
    for parent in folder.parents:
        if parent.is_relative_to(tempfile.gettempdir()) and not parent.stat().st_mode & 0o001:
            parent.chmod(0o711)
    return folder
