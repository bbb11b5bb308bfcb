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
import resource
import select
import signal
import sys
import time
from collections.abc import Callable

if sys.platform == "linux":
    import ctypes

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

TERM_SECONDS = 1.0  # between SIGTERM and SIGKILL
UNKILLABLE_SECONDS = 10.0  # what is still there sits in the kernel; it is named and left
FIRST_PAUSE, LAST_PAUSE = 0.002, 0.05
NEVER = float("inf")
CHUNK = 65536
LINES, LINE_CHARS = 20, 400


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


class Stderr:
    """What the bot wrote to standard error: its first bytes, its last bytes, and how many came."""

    def __init__(self, cap: int, path: str | None) -> None:
        self.total = 0
        self._half = cap // 2
        self._head = bytearray()
        self._tail = bytearray()
        # Opened before the bot runs, so that it cannot put a link in its place.
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
        self._file = os.open(path, flags, 0o600) if path else None

    def feed(self, chunk: bytes) -> None:
        self.total += len(chunk)
        room = self._half - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        del self._tail[: -self._half or None]

    def lines(self) -> dict[str, object]:
        """The first and the last lines; those of a short text are all among the first."""
        head, _, tail = self._parts()
        first, last = (
            [line[:LINE_CHARS] for line in part.split("\n") if line] for part in (head, tail)
        )
        last = (last or first[LINES:])[-LINES:]
        return {"stderr_first": first[:LINES], "stderr_last": last, "stderr_bytes": self.total}

    def save(self) -> None:
        try:
            if self._file is not None:
                os.write(self._file, "".join(self._parts()).encode())
        except OSError:  # a full disk must not keep a tree from being reported dead
            pass

    def _parts(self) -> tuple[str, str, str]:
        """Head, marker and tail as text; marker and tail are empty when nothing was cut."""
        if cut := self.total - len(self._head) - len(self._tail):
            marker = f"\n[... {cut} bytes cut here ...]\n"
            return _printable(self._head), marker, _printable(self._tail)
        return _printable(self._head + self._tail), "", ""


def _printable(raw: bytearray) -> str:
    """Text that is safe on any terminal and in any log, whatever a bot wrote."""
    text = raw.decode("utf-8", "backslashreplace").replace("\r\n", "\n").expandtabs(4)
    return "".join(
        c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text
    )


def prctl(option: int, value: int) -> None:
    if sys.platform != "linux":
        return
    # Plain ints would leave the upper half of an argument undefined.
    arguments = [ctypes.c_ulong(number) for number in (value, 0, 0, 0)]
    if ctypes.CDLL(None, use_errno=True).prctl(ctypes.c_int(option), *arguments) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class Launch:
    """The order to start a bot, and the steps by which a forked child obeys it."""

    def __init__(
        self, argv: list[str], env: dict[str, str], cwd: str, limits: dict[str, int],
        stderr_cap: int, stderr_path: str | None, stdio: list[int] | None = None,
    ) -> None:  # fmt: skip
        self.stderr_cap, self.stderr_path, self.stdio = stderr_cap, stderr_path, stdio
        self._argv, self._env, self._cwd, self._limits = argv, env, cwd, limits

    def obey(self, keeper: int, stdin: int, stdout: int, stderr: int, report: int) -> None:
        """Become the bot, or say on `report` which step failed. Never returns."""
        steps: list[tuple[str, Callable[[], object]]] = [
            ("parent", lambda: self._die_with(keeper)),
            ("session", os.setsid),
            ("descriptors", lambda: self._take_descriptors(stdin, stdout, stderr, report)),
            ("signals", self._default_signals),
            ("umask", lambda: os.umask(0o077)),
            ("cwd", lambda: os.chdir(self._cwd)),
            ("limits", self._limit),
            ("exec", lambda: os.execvpe(self._argv[0], self._argv, self._env)),
        ]
        step = ""
        try:
            for name, take in steps:
                step = name
                take()
        except BaseException as problem:
            number = getattr(problem, "errno", None)
            message = os.strerror(number) if number else repr(problem)
            failure = {"step": step, "errno": number, "message": message}
            os.write(report, json.dumps(failure).encode())
        finally:
            os._exit(127)

    def _die_with(self, keeper: int) -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        # The keeper may have died before the line above; then the signal never comes.
        if os.getppid() != keeper:
            os._exit(127)

    def _take_descriptors(self, stdin: int, stdout: int, stderr: int, report: int) -> None:
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        os.dup2(stderr, 2)
        os.closerange(3, report)
        os.closerange(report + 1, os.sysconf("SC_OPEN_MAX"))

    def _default_signals(self) -> None:
        # What is ignored here, by us or by Python, would stay ignored in the bot.
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())

    def _limit(self) -> None:
        for name, wanted in self._limits.items():
            which: int = getattr(resource, f"RLIMIT_{name.upper()}")
            hard = resource.getrlimit(which)[1]
            value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(which, (value, value))


def descendants(root: int) -> list[int]:
    """The processes below `root`, zombies included; out of date at once where a tree forks."""
    if sys.platform != "linux":
        return []
    listed = os.path.exists(f"/proc/self/task/{os.getpid()}/children")
    below = _children if listed else _family()
    found: list[int] = []
    waiting = [root]
    while waiting:
        new = below(waiting.pop())
        found += new
        waiting += new
    return found


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found += map(int, file.read().split())
    except OSError:  # it ended while being read
        pass
    return found


def _family() -> Callable[[int], list[int]]:
    """The same for kernels that keep no list of children: ask every process for its parent."""
    family: dict[int, list[int]] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                # The name before the last bracket may hold spaces and brackets.
                parent = int(file.read().rpartition(b")")[2].split()[1])
            family.setdefault(parent, []).append(int(name))
        except OSError:
            pass
    return lambda pid: family.get(pid, [])


class Keeper:
    """One bot from its start to the death of the last process below it."""

    def __init__(self, channel: Channel, launch: Launch) -> None:
        self._channel = channel
        self._stderr = Stderr(launch.stderr_cap, launch.stderr_path)
        self._running, self._failed, self._childless = True, False, False
        self._term_at = self._kill_at = NEVER
        self._pause = FIRST_PAUSE  # between two sweeps
        self._wake, wake = os.pipe()
        stdin, hold = os.pipe()
        stdout = os.open(os.devnull, os.O_RDWR)
        if launch.stdio:  # the worker holds the other ends
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
        for fd in (self._output, wake):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        keeper = os.getpid()
        self._pid = os.fork()
        if self._pid == 0:
            launch.obey(keeper, stdin, stdout, stderr, report)
        for fd in (stdin, stdout, stderr, report):
            os.close(fd)

    def run(self) -> None:
        while not self._childless and time.monotonic() < self._kill_at + UNKILLABLE_SECONDS:
            try:
                self._wait()
                self._reap()
                self._advance()
            except Exception as problem:  # a mistake of ours, which the bot must not outlive
                self._channel.send("broken", message=repr(problem))
                self._kill()
        self._pump()
        self._stderr.save()
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
        pause = self._pause if now >= self._kill_at else min(self._term_at, self._kill_at) - now
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
        """Learn what came of the start: a failure, or the end of file that an exec leaves."""
        failure = os.read(self._report, CHUNK)
        self._forget(self._report)
        self._failed = bool(failure)
        if failure:
            self._channel.send("failed", **json.loads(failure))
        else:
            self._channel.send("started", pid=self._pid)

    def _reap(self) -> None:
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                self._pause = FIRST_PAUSE
                if ended[0] == self._pid and self._running:
                    self._exited(os.waitstatus_to_exitcode(ended[1]))
        except ChildProcessError:
            self._childless = True

    def _exited(self, code: int) -> None:
        if self._report in self._ears:
            self._read_report()
        self._pump()
        if not self._failed:
            ending = (code, None) if code >= 0 else (None, -code)
            lines = self._stderr.lines()
            self._channel.send("exited", code=ending[0], signal=ending[1], **lines)
        self._kill()
        self._signal(signal.SIGKILL)
        self._running = False

    def _kill(self) -> None:
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
        if self._running and (number == signal.SIGKILL or not targets):
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
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        keeper = Keeper(channel, Launch(**json.loads(lines[0])))
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
