"""
Which level of sandbox works here: found out by starting a program in each and looking around.

That a tool is installed, or that a kernel gives its version, does not say that it works: containers
and distributions switch off parts of both. So the probe is started in the same way as a bot, and
what it could do there decides.
"""

import functools
import os
import sys
from collections.abc import Mapping
from typing import Literal, NamedTuple

import msgspec

from referee.errors import RefereeError
from referee.seats import sandbox_probe
from referee.seats.process import BotProcess, LaunchSpec
from referee.seats.sandbox import LEVELS, Level
from referee.seats.sandbox_box import program
from referee.seats.sandbox_kernel import landlock_version

AskedLevel = Literal["auto", "basic", "linux", "bwrap"]

PROBE_SECONDS = 20.0
"""For a probe to look around, on a busy machine too."""

MUST_NOT: Mapping[Level, tuple[str, ...]] = {
    "basic": (),
    "linux": ("gain_privileges", "new_namespace", "udp_loopback"),
    "bwrap": (
        "gain_privileges", "new_namespace", "see_referee", "signal_referee", "read_secret",
        "write_outside", "write_tmp", "tcp_out", "kernel_settings",
    ),
}  # fmt: skip
"""What must be impossible where a level is said to work."""


class SandboxError(RefereeError):
    """A level of sandbox that was asked for does not work here; says why."""


class Finding(NamedTuple):
    """What a probe found at one level."""

    level: Level
    works: bool
    why: str
    """Why it does not work; empty where it does."""
    done: dict[str, str]
    """What the probe tried, and `yes` or why it could not; empty where it did not run."""


def try_level(level: Level, limit: str = "") -> Finding:
    """
    Start the probe at a level, as a bot would be, and see what it could do.

    With `limit` it only tries to get more than its share of that: memory, processes or disk.
    """
    if level != "basic" and sys.platform != "linux":
        return Finding(level, False, "this is not Linux", {})
    if level == "bwrap" and program() is None:
        return Finding(level, False, "bubblewrap (bwrap) is not installed", {})
    with sandbox_probe.Bait() as bait:
        output, written = os.pipe()
        nothing = os.open(os.devnull, os.O_RDONLY)
        try:
            bot = BotProcess.start(_probe_spec(level, limit, bait, (nothing, written)))
        finally:
            os.close(written)
            os.close(nothing)
        bot.wait_gone(PROBE_SECONDS)
        bot.close()
        with os.fdopen(output, "rb") as file:
            said = file.read()
        if bot.exit is not None and bot.exit.excess:
            return Finding(level, True, "", {limit: f"ended: {bot.exit.excess}"})
        try:
            done = msgspec.json.decode(said, type=dict[str, str])
        except msgspec.DecodeError:
            return Finding(level, False, _failure(bot), {})
        bait.confirm(done)
    leaks = [name for name in MUST_NOT[level] if done.get(name) == "yes"]
    why = f"it does not prevent: {', '.join(leaks)}" if leaks else ""
    return Finding(level, not leaks, why, done)


def _failure(bot: BotProcess) -> str:
    """Why the probe has said nothing."""
    if bot.start_failure is not None:
        return bot.start_failure
    end = bot.exit.describe() if bot.exit else "it did not end"
    words = bot.exit.stderr_first[-1:] if bot.exit else ()
    return "; ".join(["the probe failed there", end, *words])


def _probe_spec(
    level: Level, limit: str, bait: sandbox_probe.Bait, stdio: tuple[int, int]
) -> LaunchSpec:
    program = os.path.abspath(sandbox_probe.__file__)
    return LaunchSpec(
        argv=(sys.executable, "-I", "-S", program, *([limit] if limit else [])),
        env={sandbox_probe.BAIT_VARIABLE: bait.described()},
        stdio=stdio,
        level=level,
        processes=sandbox_probe.PROCESSES,
        memory_bytes=sandbox_probe.MEMORY_BYTES,
        file_bytes=sandbox_probe.DISK_BYTES,
    )


@functools.cache
def finding(level: Level) -> Finding:
    """What `try_level` says, found out once."""
    return try_level(level)


def level_of(asked: AskedLevel) -> Level:
    """The level itself; for `auto` the highest that works here."""
    if asked != "auto":
        return asked
    return next(level for level in reversed(LEVELS) if finding(level).works)


def chosen(asked: AskedLevel, *, required: bool) -> tuple[Level, str]:
    """
    The level to play at, and a line that says so.

    A level that does not work here gives way to the highest one that does, or, where it is
    required, to a SandboxError.
    """
    if asked == "basic":
        return "basic", "sandbox: basic (bots have the rights of this user)"
    wanted: Level = "bwrap" if asked == "auto" else asked
    problems = []
    for level in reversed(LEVELS[: LEVELS.index(wanted) + 1]):
        found = finding(level)
        if found.works:
            break
        problems.append(f"{level} does not work here: {found.why}")
    if problems and required and (asked != "auto" or level == "basic"):
        raise SandboxError(f"a sandbox is required, but {'; '.join(problems)}")
    return level, f"sandbox: {_described(level)}" + "".join(f"; {text}" for text in problems)


def _described(level: Level) -> str:
    if level == "basic":
        return "basic (bots have the rights of this user)"
    if level == "bwrap":
        return "bwrap (a box for each seat, without network)"
    version = landlock_version()
    landlock = f"Landlock {version}" if version else "no Landlock: files are not protected"
    return f"linux (seccomp, {landlock})"
