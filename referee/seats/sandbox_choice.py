"""
Which level of sandbox works here: found out by starting a program in each and looking around.

That a tool is installed, or that a kernel gives its version, does not say that it works: containers
and distributions switch off parts of both. So the probe is started in the same way as a bot, and
what it could do there decides.
"""

import functools
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from referee.errors import RefereeError
from referee.seats import groups, sandbox_probe, slots
from referee.seats.bot import BotCommand
from referee.seats.process import BotProcess, LaunchSpec
from referee.seats.sandbox import (
    ADDITIONS,
    LEVELS,
    BareLevel,
    Level,
    additions,
    bare,
    with_additions,
)
from referee.seats.sandbox_box import program
from referee.seats.sandbox_kernel import landlock_version
from referee.seats.strangers import closed_to_strangers, strangers_halt_at

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

NOT_WITH: Mapping[str, tuple[str, ...]] = {
    "uid": ("same_user", "read_other_seat", "signal_other_seat"),
    "cgroup": ("shared_memory",),
}
"""The same for what is added to a level; the last one is a limit."""


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
    if why := _plain_trouble(level):
        return Finding(level, False, why, {})
    if "uid" not in additions(level):
        return _tried(level, limit, None)
    try:
        other = slots.take(own_uid=True)
    except OSError as error:
        return Finding(level, False, str(error), {})
    try:
        return _tried(level, limit, other.uid)
    except OSError as error:  # root without the rights to it, as in some containers
        return Finding(level, False, f"{error.strerror} (a process of another user)", {})
    finally:
        other.close()


def _plain_trouble(level: Level) -> str:
    """What stands against a level and its additions, so far as it can be known without trying."""
    if level == "basic":
        return ""
    if sys.platform != "linux":
        return "this is not Linux"
    if bare(level) == "bwrap" and program() is None:
        return "bubblewrap (bwrap) is not installed"
    if "uid" in additions(level) and os.geteuid() != 0:
        return "only root can give bots a user of their own"
    if "cgroup" in additions(level):
        try:
            groups.place()
        except groups.GroupError as error:
            return str(error)
        if level == "linux+cgroup" and not landlock_version():
            return "a bot that is the same user could leave its group: there is no Landlock"
    return ""


def _tried(level: Level, limit: str, other: int | None) -> Finding:
    with sandbox_probe.Bait(other) as bait:
        output, written = os.pipe()
        nothing = os.open(os.devnull, os.O_RDONLY)
        try:
            bot = BotProcess.start(_probe_spec(level, limit, bait, (nothing, written)))
        except OSError as error:
            return Finding(level, False, str(error), {})
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
    forbidden = [*MUST_NOT[bare(level)], *(x for one in additions(level) for x in NOT_WITH[one])]
    leaks = [name for name in forbidden if done.get(name) == "yes"]
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
    """What `try_level` says, found out once; a control group has to show that it limits."""
    found = try_level(level)
    if found.works and "cgroup" in additions(level):
        held = try_level(level, "shared_memory")
        return found if not held.works else found._replace(works=held.works, why=held.why)
    return found


def level_of(asked: AskedLevel) -> Level:
    """The level itself; for `auto` the highest that works here."""
    if asked != "auto":
        return asked
    return next(level for level in reversed(LEVELS) if finding(level).works)


def chosen(
    asked: AskedLevel, *, required: bool, commands: Sequence[BotCommand] = (),
    hidden: Iterable[str] = (), allowed: Iterable[str] = ADDITIONS,
) -> tuple[Level, str]:  # fmt: skip
    """
    The level to play at with what is added to it, and a line that says so.

    A level that does not work here gives way to the highest one that does, or, where it is
    required, to a SandboxError. Of the additions that are `allowed` it has those that work, for
    all the `commands` of a league.
    """
    if asked == "basic":
        return "basic", "sandbox: basic (bots have the rights of this user)"
    wanted: BareLevel = "bwrap" if asked == "auto" else asked
    problems = []
    level: Level
    for level in reversed(LEVELS[: LEVELS.index(wanted) + 1]):
        found = finding(level)
        if found.works:
            break
        problems.append(f"{level} does not work here: {found.why}")
    if problems and required and (asked != "auto" or level == "basic"):
        raise SandboxError(f"a sandbox is required, but {'; '.join(problems)}")
    if level != "basic":
        troubles = addition_troubles(level, commands, hidden)
        level = with_additions(level, [one for one in allowed if not troubles[one]])
        if os.geteuid() == 0:  # others are not told what only root can have
            problems += [f"no {NAMED[one]}: {troubles[one]}" for one in allowed if troubles[one]]
    return level, f"sandbox: {described(level)}" + "".join(f"; {text}" for text in problems)


NAMED = {"uid": "own uid per seat", "cgroup": "cgroup limits"}


def addition_troubles(
    level: Level, commands: Iterable[BotCommand] = (), hidden: Iterable[str] = ()
) -> dict[str, str]:
    """Why each of the additions cannot be had at a level; empty texts for those that can."""
    troubles = {one: _plain_trouble(with_additions(level, [one])) for one in ADDITIONS}
    if not troubles["uid"]:
        needs = [(sys.executable, None, ()), *((c.argv, c.cwd, c.readable) for c in commands)]
        closed = (
            closed_to_strangers(level, [argv] if isinstance(argv, str) else argv, cwd, seen, hidden)
            for argv, cwd, seen in needs
        )
        # In a box the bot's own folder is another one.
        folder = "" if bare(level) == "bwrap" else strangers_halt_at(tempfile.gettempdir())
        if path := folder or next(filter(None, closed), ""):
            troubles["uid"] = f"{path} is closed to other users"
    rest = [one for one in ADDITIONS if not troubles[one]]
    if rest and not finding(with_additions(level, rest)).works:
        for one in rest:
            found = finding(with_additions(level, [one]))
            troubles[one] = "" if found.works else found.why
    return troubles


def described(level: Level) -> str:
    """
    What a level is, in a few words.

    >>> described("bwrap+uid")
    'bwrap (a box for each seat, without network), own uid per seat'
    """
    if level == "basic":
        return "basic (bots have the rights of this user)"
    if bare(level) == "bwrap":
        words = "bwrap (a box for each seat, without network)"
    else:
        version = landlock_version()
        landlock = f"Landlock {version}" if version else "no Landlock: files are not protected"
        words = f"linux (seccomp, {landlock})"
    for one in additions(level):
        words += f", {NAMED[one]}"
        if one == "cgroup":
            words += f" (v{groups.place().version})"
    return words
