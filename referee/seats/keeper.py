"""
Starts one bot, keeps its standard error, and sees to it that nothing of it survives.

Run as a script in an interpreter of its own, `python -I -S keeper.py FD`, where FD is one end of a
socket pair. The other end sends a launch order, then commands `{"do": "close", "grace": seconds}`,
`{"do": "kill"}`, `{"do": "stderr"}`, and reads the events started, failed, exited, stderr, gone;
all are JSON lines. When that end closes, for whatever reason, the whole tree of the bot dies.

On Linux the keeper is the bot's subreaper: whatever its children do, they stay below the keeper,
and `waitpid` saying ECHILD proves that none is left. Elsewhere only the process group is killed.
"""

import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

if __name__ == "__main__":
    # After the standard library, which nothing beside this package may replace.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from referee.seats.excess import NEVER, RELAY_ROOM, Usage
from referee.seats.family import descendants, lists_children
from referee.seats.launch import Launch
from referee.seats.leavings import Leavings
from referee.seats.output import LINES as LINES
from referee.seats.output import Stderr

if sys.platform == "linux":
    from referee.seats import sandbox_kernel

TERM_SECONDS = 1.0  # between SIGTERM and SIGKILL
UNKILLABLE_SECONDS = 10.0  # what is still there sits in the kernel; it is named and left
FIRST_PAUSE, LAST_PAUSE = 0.002, 0.05
WATCH_SECONDS, SLOW_WATCH_SECONDS = 0.2, 2.0  # between two looks at what a bot uses
CHUNK = 65536
PEAK_UNIT = 1 if sys.platform == "darwin" else 1024  # of `ru_maxrss`
DYING = {sign * number + base for sign, base in ((-1, 0), (1, 128)) for number in (6, 7, 11)}


class Channel:
    """JSON lines over the control socket, whose buffer holds more than a keeper has to say."""

    def __init__(self, fd: int) -> None:
        os.set_inheritable(fd, False)
        self.fd = fd
        self.open = True
        self._received = b""

    def send(self, event: str, **details: object) -> None:
        line = json.dumps({"event": event, **details}, ensure_ascii=False).encode() + b"\n"
        try:
            while line:
                line = line[os.write(self.fd, line) :]
        except OSError:  # nobody is there to read it; the end of file will say so
            pass

    def receive(self) -> list[bytes]:
        """The lines completed by what has come; `open` turns false at the end of file."""
        try:
            chunk = os.read(self.fd, CHUNK)
        except OSError:
            chunk = b""
        self.open = bool(chunk)
        *lines, self._received = (self._received + chunk).split(b"\n")
        return lines


class Keeper:
    """One bot from its start to the death of the last process below it."""

    def __init__(self, channel: Channel, launch: Launch) -> None:
        self._channel = channel
        self._launch = launch
        self._stderr = Stderr(launch.stderr_cap, launch.stderr_path)
        self._running, self._failed, self._childless = True, False, False
        self._started = False
        self._ending: dict[str, Any] = {}
        """What the one inside the sandbox reported of the bot's end."""
        self._excess = ""
        self._term_at = self._kill_at = NEVER
        self._watch_every = WATCH_SECONDS if lists_children() else SLOW_WATCH_SECONDS
        group = launch.made_group()
        self._usage = Usage(launch, group)
        entrances = group.entrances() if group else []
        watched = any(launch.watch.values())
        self._watch_at = time.monotonic() + self._watch_every if watched else NEVER
        self._pause = FIRST_PAUSE  # between two sweeps
        self._leavings = Leavings()
        self._wake, wake = os.pipe()
        stdin, hold = os.pipe()
        stdout = os.open(os.devnull, os.O_RDWR)
        if launch.stdio and not launch.supervised:  # the worker holds the other ends
            stdin, stdout = launch.stdio
        self._stdin = os.fdopen(hold, "wb", 0)  # its end tells the bot that the referee is gone
        self._output, stderr = os.pipe()
        self._report, report = os.pipe()
        self._ears: dict[int, Callable[[], object]] = {
            channel.fd: self._listen,
            self._wake: lambda: os.read(self._wake, CHUNK),
            self._output: self._pump,
            self._report: self._read_report,
        }
        self._poller = select.poll()
        for fd in self._ears:
            self._poller.register(fd, select.POLLIN)
        for fd in (self._output, self._report, wake):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        if launch.uid is not None:
            for fd in (stdin, stdout, stderr):
                os.fchown(fd, launch.uid, launch.uid)  # for bots that open /dev/stderr
        keeper = os.getpid()
        self._pid = os.fork()
        if self._pid == 0:
            launch.obey(keeper, (stdin, stdout, stderr), report, entrances)
        for fd in {stdin, stdout, stderr, report, *(launch.stdio or ()), *entrances}:
            os.close(fd)

    def run(self) -> None:
        while not self._childless and time.monotonic() < self._kill_at + UNKILLABLE_SECONDS:
            try:
                self._wait()
                self._reap()
                self._look()
                self._advance()
            except Exception as problem:  # a mistake of ours, which the bot must not outlive
                self._channel.send("broken", message=repr(problem))
                self._kill()
        self._pump()
        self._stderr.save()
        self._leavings.remove()
        if self._launch.slot is not None:
            self._launch.slot.clear()
        self._channel.send("gone", left=descendants(os.getpid()))

    def obey(self, lines: list[bytes]) -> None:
        for line in lines:
            command = json.loads(line)
            if command["do"] == "close":
                self._stdin.close()
                self._term_at = min(self._term_at, time.monotonic() + command["grace"])
                self._kill_at = min(self._kill_at, self._term_at + TERM_SECONDS)
            elif command["do"] == "stderr":
                self._pump()
                self._channel.send("stderr", **self._stderr.lines())
            else:
                self._kill()

    def _wait(self) -> None:
        """Sleep until a descriptor or a deadline asks for attention."""
        now = time.monotonic()
        due = min(self._term_at, self._kill_at, self._watch_at)
        pause = self._pause if now >= self._kill_at else due - now
        for fd, _ in self._poller.poll(max(0, int(pause * 1000) + 1) if pause < NEVER else None):
            if fd in self._ears:
                self._ears[fd]()

    def _forget(self, fd: int) -> None:
        if self._ears.pop(fd, None):
            self._poller.unregister(fd)

    def _listen(self) -> None:
        self.obey(self._channel.receive())
        if not self._channel.open:
            self._forget(self._channel.fd)
            self._kill()

    def _pump(self) -> None:
        """Take what the bot has written; bounded, as it may be writing all the time."""
        for _ in range(16):
            try:
                chunk = os.read(self._output, CHUNK)
            except BlockingIOError:
                return
            if not chunk:
                self._forget(self._output)
                return
            self._stderr.feed(chunk)

    def _read_report(self) -> None:
        """Learn what came of the start, and from the one inside a sandbox of the end."""
        heard = b""
        try:
            while chunk := os.read(self._report, CHUNK):
                heard += chunk
            self._forget(self._report)
        except BlockingIOError:
            pass
        for line in heard.splitlines():
            said = json.loads(line)
            if "step" in said and self._started:
                self._excess = f"its relay failed: {said['message']}; {RELAY_ROOM}"
            elif "step" in said:
                self._failed = True
                self._channel.send("failed", **said)
            elif "exited" in said:
                self._ending = said
            else:
                self._say_started()
        # Without anybody inside, the end of file that an exec leaves says that it has started.
        if self._report not in self._ears and not self._launch.supervised and not self._failed:
            self._say_started()

    def _say_started(self) -> None:
        if not self._started:
            self._started = True
            self._channel.send("started", pid=self._pid)

    def _reap(self) -> None:
        try:
            while True:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
                if not pid:
                    return
                self._pause = FIRST_PAUSE
                if pid == self._pid and self._running:
                    self._exited(os.waitstatus_to_exitcode(status), usage.ru_maxrss * PEAK_UNIT)
        except ChildProcessError:
            self._childless = True

    def _exited(self, code: int, peak: int) -> None:
        if self._report in self._ears:
            self._read_report()
        self._pump()
        lines = self._stderr.lines()
        if self._launch.supervised and not self._started and not self._failed:
            words = [*lines["stderr_first"], *lines["stderr_last"]]
            text = words[-1] if words else f"it ended with {code}"
            self._failed = True
            self._channel.send("failed", step="sandbox", errno=None, message=text)
        if not self._failed:
            if self._launch.supervised and not self._ending and code in DYING:
                self._excess = self._excess or f"its relay was overrun; {RELAY_ROOM}"
            code, peak = self._ending.get("exited", code), self._ending.get("peak", peak)
            ending = (code, None) if code >= 0 else (None, -code)
            excess = self._excess
            if code and not excess:
                excess = self._usage.explained(code, peak, self._ending)
            self._channel.send(
                "exited", code=ending[0], signal=ending[1], excess=excess, **lines
            )
        self._kill()
        self._signal(signal.SIGKILL)
        self._running = False

    def _look(self) -> None:
        """See what the bot's processes use together, now and then, and end it over its limits."""
        now = time.monotonic()
        if now < self._watch_at or now >= self._kill_at:
            return
        self._watch_at = now + self._watch_every
        family = descendants(os.getpid())
        self._leavings.look(family)
        self._excess = self._usage.exceeded(family) or self._excess
        if self._excess:
            self._kill()

    def _kill(self) -> None:
        self._leavings.look([self._pid] * self._running + descendants(os.getpid()))
        self._kill_at = min(self._kill_at, time.monotonic())

    def _advance(self) -> None:
        now = time.monotonic()
        if now >= self._kill_at:
            self._signal(signal.SIGKILL)
            self._pause = min(2 * self._pause, LAST_PAUSE)
        elif now >= self._term_at:
            self._term_at = NEVER
            self._signal(signal.SIGTERM)

    def _signal(self, number: int) -> None:
        # A number read here would have to be freed and given out again within microseconds to hit a
        # stranger, and they are given out in a circle; that of a dead leader may return later.
        targets = [(os.kill, pid) for pid in descendants(os.getpid())]
        # The group dies in one call; but a bot that shuts down by itself is asked only once.
        if self._running and number != signal.SIGKILL and self._launch.supervised:
            # The one inside hands it on; the walls of a box would only fall on the bot.
            targets = targets[self._launch.overhead - 1 :][:1]
        elif self._running and (number == signal.SIGKILL or not targets):
            targets.insert(0, (os.killpg, self._pid))
        for send, target in targets:
            try:
                send(target, number)
            except (ProcessLookupError, PermissionError):
                pass


def main(fd: int) -> None:
    # The end of the control socket is the one signal that counts.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    channel = Channel(fd)
    lines: list[bytes] = []
    while channel.open and not lines:
        lines = channel.receive()
    if not lines:
        return
    try:
        if sys.platform == "linux":
            sandbox_kernel.prctl(sandbox_kernel.PR_SET_CHILD_SUBREAPER, 1)
        launch = Launch(**json.loads(lines[0]))
        if launch.sandbox and sys.platform == "linux":
            sandbox_kernel.hide_memory()
        keeper = Keeper(channel, launch)
    except Exception as problem:
        message = f"{type(problem).__name__}: {problem}"
        channel.send("failed", step="keeper", errno=None, message=message)
        channel.send("gone", left=[])
    else:
        keeper.obey(lines[1:])
        keeper.run()


if __name__ == "__main__":
    main(int(sys.argv[1]))
    os._exit(0)  # quicker than taking an interpreter apart, and the worker waits for it
