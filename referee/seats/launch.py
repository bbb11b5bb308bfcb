"""
From a fork to a running bot: the steps by which a child of the keeper becomes what was ordered.

Standard library only. Without a sandbox the child becomes the bot. In a sandbox that needs somebody
inside (`supervised`) it becomes that: `sandbox_inside`, which starts the bot and reports its end.
"""

import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any

from referee.seats.groups import Group, Limits, enter, folders
from referee.seats.slots import Slot
from referee.seats.steps import set_limits, take_steps

if sys.platform == "linux":
    from referee.seats import sandbox_kernel


class Launch:
    """The order to start a bot, and the steps by which a forked child obeys it."""

    def __init__(
        self, argv: list[str], env: dict[str, str], cwd: str, limits: dict[str, int],
        stderr_cap: int, stderr_path: str | None, stdio: list[int] | None = None,
        sandbox: dict[str, Any] | None = None, watch: dict[str, int | None] | None = None,
        scratch: str = "", slot: list[int] | None = None, group: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.stderr_cap, self.stderr_path, self.stdio = stderr_cap, stderr_path, stdio
        self.cwd, self.limits, self.scratch = cwd, limits, scratch
        self.sandbox = sandbox
        """What `sandbox.Confinement` says; None at level basic."""
        self.uid: int | None = sandbox["uid"] if sandbox else None
        """Its own, where it has one."""
        self.slot = Slot(slot[0], slot[1], self.uid) if slot else None
        self._group = Limits(**group) if group else None
        self.watch = watch or {}
        """What the keeper watches itself: `memory` in bytes, `processes`."""
        self.supervised = bool(sandbox and (sandbox["box"] or sandbox["relay"]))
        """Whether the child is not the bot, but starts it and reports on it."""
        self.overhead = (3 if sandbox and sandbox["box"] else 1) if self.supervised else 0
        """Processes of ours below the keeper."""
        self._argv, self._env = argv, env

    def made_group(self) -> Group | None:
        """
        The control group for the bot alone, without what is ours in its sandbox; None without one.

        What there is to clear up when all is over is written down first.
        """
        if self.slot is not None:
            self.slot.note(folders(self._group) if self._group else [])
        return Group(self._group) if self._group else None

    def obey(
        self, keeper: int, streams: tuple[int, int, int], report: int, entrances: list[int]
    ) -> None:
        """
        Become the bot, or say on `report` which step failed. Never returns.

        `entrances` lead to the bot's control group.
        """
        link = self.stdio or [] if self.supervised else []
        kept = [report, *link, *entrances]
        steps: list[tuple[str, Callable[[], object]]] = [
            ("parent", lambda: self._die_with(keeper)),
            ("session", os.setsid),
            ("descriptors", lambda: self._take(streams, kept)),
            ("signals", self._default_signals),
            ("umask", lambda: os.umask(0o077)),
        ]
        if self.supervised:
            steps.append(("sandbox", lambda: self._supervise(report, entrances)))
        else:
            steps += [
                ("cwd", lambda: os.chdir(self.cwd)),
                ("group", lambda: enter(entrances)),
                ("limits", lambda: set_limits(self.limits)),
                ("uid", self._become),
                ("sandbox", self._confine),
                ("exec", lambda: os.execvpe(self._argv[0], self._argv, self._env)),
            ]
        take_steps(steps, report)

    def _die_with(self, keeper: int) -> None:
        if sys.platform == "linux":
            sandbox_kernel.prctl(sandbox_kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        # The keeper may have died before the line above; then the signal never comes.
        if os.getppid() != keeper:
            os._exit(127)

    def _take(self, streams: tuple[int, int, int], kept: Sequence[int]) -> None:
        for number, fd in enumerate(streams):
            os.dup2(fd, number)
        first = 3
        for fd in sorted(kept):
            os.closerange(first, fd)
            first = fd + 1
        os.closerange(first, os.sysconf("SC_OPEN_MAX"))

    def _default_signals(self) -> None:
        # What is ignored here, by us or by Python, would stay ignored in the bot.
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())

    def _become(self) -> None:
        if self.uid is not None and sys.platform == "linux":
            sandbox_kernel.become(self.uid)

    def _confine(self) -> None:
        if self.sandbox:
            # Imported only where it is wanted: every keeper would pay for it at its start.
            from referee.seats.sandbox_inside import confine  # noqa: PLC0415

            confine(self.sandbox, None)

    def _supervise(self, report: int, entrances: list[int]) -> None:
        """Become the one inside: as it stands here, or through a program that builds the box."""
        assert self.sandbox is not None
        order = {
            "argv": self._argv, "env": self._env, "cwd": self.cwd, "limits": self.limits,
            "stdio": self.stdio, "sandbox": self.sandbox, "report": report,
            "entrances": entrances,
        }  # fmt: skip
        box: list[str] = self.sandbox["box"]
        if not box:
            from referee.seats.sandbox_inside import Inside  # noqa: PLC0415

            Inside(order).run()
        set_limits({"core": 0})
        fd = os.memfd_create("order", 0)
        os.write(fd, json.dumps(order).encode())
        os.lseek(fd, 0, os.SEEK_SET)
        for inherited in (report, *(self.stdio or ()), *entrances):
            os.set_inheritable(inherited, True)
        os.execve(box[0], [*box, str(fd)], {"LANG": "C.UTF-8", "PATH": os.defpath})
