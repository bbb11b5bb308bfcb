"""
A bot process as the worker sees it: started, watched and killed through a keeper of its own.

Nothing here waits for a bot unless asked to. The control socket of a `BotProcess` goes into the
worker's poller; when it is readable, `poll()` takes in what has happened.
"""

import errno
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import msgspec

from referee.seats import keeper, slots
from referee.seats.family import descendants, stat_of
from referee.seats.order import LaunchSpec as LaunchSpec
from referee.seats.order import keeper_environment, written
from referee.seats.sandbox import additions, bare
from referee.seats.scratch import remove_folder as remove_folder
from referee.seats.strangers import strangers_halt_at

KEEPER = os.path.abspath(keeper.__file__)
BUFFER_BYTES = 1 << 18  # more than a keeper says in its life, also where the default is small
ORDER_SECONDS = 5.0  # for a keeper to take its launch order
KEEPER_SECONDS = 2.0  # for a keeper to end once its bot is gone
SCRATCH_SECONDS = 0.5  # for deleting what a bot wrote: other bots' clocks are running
CHUNK = 65536


class StderrLines(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot has said on standard error, escaped to printable text."""

    stderr_first: tuple[str, ...] = ()
    stderr_last: tuple[str, ...] = ()
    """The last lines, without those that are among the first."""
    stderr_bytes: int = 0


class ExitReport(StderrLines, frozen=True, kw_only=True):
    """How the main process of a bot ended."""

    code: int | None = None
    signal: int | None = None
    excess: str = ""
    """The limit that it ran into and ended of, with numbers, if it is known to have."""
    note: str = ""
    """What went wrong on the referee's side; without code and signal, the end was not seen."""

    def describe(self) -> str:
        """
        One phrase for messages and logs.

        >>> ExitReport(code=3).describe()
        'exit code 3'
        >>> ExitReport(signal=9).describe()
        'killed by SIGKILL (9)'
        """
        parts = [text for text in (self.excess, self.note) if text]
        if self.code is not None:
            parts.insert(0, f"exit code {self.code}")
        elif self.signal in set(signal.Signals):
            parts.insert(0, f"killed by {signal.Signals(self.signal).name} ({self.signal})")
        elif self.signal is not None:  # a real-time signal has no name
            parts.insert(0, f"killed by signal {self.signal}")
        return "; ".join(parts)


class _Event(StderrLines, frozen=True, kw_only=True):
    """A line from the keeper."""

    event: str
    pid: int = 0
    step: str = ""
    errno: int | None = None
    message: str = ""
    code: int | None = None
    signal: int | None = None
    excess: str = ""
    left: tuple[int, ...] = ()


_EVENTS = msgspec.json.Decoder(_Event)


class BotProcess:
    """
    One bot with all its children, from start to `gone`.

    Take the socket out of the poller when `gone`, and `close()` always.
    """

    def __init__(
        self,
        spec: LaunchSpec,
        process: subprocess.Popen[bytes],
        control: socket.socket,
        scratch: str,
        slot: slots.Slot | None = None,
    ) -> None:
        self.pid: int | None = None
        self.started = False
        self.start_failure: str | None = None
        self.failed_step: str | None = None
        """`exec` and `cwd` are the bot's or its entry's fault, every other step is ours."""
        self.exit: ExitReport | None = None
        self.gone = False
        """Nothing of the bot is left, except `left`; with a dead keeper, as far as we can know."""
        self.left: tuple[int, ...] = ()
        """Processes that not even SIGKILL could end."""
        self.stderr: StderrLines | None = None
        """The answer to `ask_stderr()`."""
        self.scratch = scratch
        self.scratch_left = False
        """After `close()`: there was more in it than could be deleted between two moves."""
        self._spec = spec
        self._slot = slot
        self._keeper = process
        self._control = control
        self._received = b""
        self._ended = False
        self._born = b""
        self._trouble = ""
        self._lost = False
        """Whether its keeper has died, and cannot have cleared up."""

    @classmethod
    def start(cls, spec: LaunchSpec) -> "BotProcess":
        """Start a keeper and give it the order; whether the bot runs is told by `poll()`."""
        slot = None
        if added := additions(spec.level):
            slot = slots.take(own_uid="uid" in added)
        ours, theirs = socket.socketpair()
        scratch = ""
        try:
            scratch = _scratch(spec, slot)
            theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", KEEPER, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                close_fds=True,
                pass_fds=(theirs.fileno(), *(spec.stdio or ()), *([slot.fd] if slot else [])),
                start_new_session=True,
                env=keeper_environment(),
            )
        except BaseException:
            ours.close()
            if scratch:
                os.rmdir(scratch)
            if slot is not None:
                slot.close()
            raise
        finally:
            theirs.close()
        bot = cls(spec, process, ours, scratch, slot)
        try:
            ours.settimeout(ORDER_SECONDS)
            ours.sendall(written(spec, scratch, slot))
        except OSError:  # a keeper that does not listen is no use; `poll()` will find it dead
            process.kill()
        ours.setblocking(False)
        return bot

    @property
    def keeper_pid(self) -> int:
        """The process below which all processes of the bot are."""
        return self._keeper.pid

    def fileno(self) -> int:
        """The control socket: readable when `poll()` has something to take in."""
        return self._control.fileno()

    def poll(self) -> None:
        """Take in what has happened, without waiting."""
        while not self._ended:
            try:
                chunk = self._control.recv(CHUNK)
            except BlockingIOError:
                return
            except OSError:
                chunk = b""
            self._ended = not chunk
            *lines, self._received = (self._received + chunk).split(b"\n")
            for line in lines:
                self._take(_EVENTS.decode(line))
        if not self.gone:
            self._lose_keeper("its keeper died, and the bot with it")

    def stop(self, grace: float) -> None:
        """Ask the bot to end: its stdin closes, SIGTERM after `grace` seconds, then SIGKILL."""
        self._send({"do": "close", "grace": grace})

    def kill(self) -> None:
        """Kill the bot and all its children now."""
        self._send({"do": "kill"})
        # A bot of the same user may have stopped its keeper.
        self._keeper.send_signal(signal.SIGCONT)

    def ask_stderr(self) -> None:
        """Ask for the lines so far; they come with a later `poll()`, in `stderr`."""
        self._send({"do": "stderr"})

    def wait_gone(self, seconds: float) -> bool:
        """Wait until nothing of the bot is left, at most so long; whether that is so."""
        deadline = time.monotonic() + seconds
        poller = select.poll()
        self.poll()
        while not self.gone and (left := deadline - time.monotonic()) > 0:
            poller.register(self._control, select.POLLIN)
            poller.poll(int(left * 1000) + 1)
            self.poll()
        return self.gone

    def close(self, seconds: float = 3.0) -> None:
        """Kill what is left, and give back the socket, the keeper and the scratch folder."""
        if self._control.fileno() < 0:
            return
        if not self.gone:
            self.kill()
        if not self.wait_gone(seconds):
            for pid in descendants(self._keeper.pid):
                _send_signal(os.kill, pid)
            self._lose_keeper("its keeper did not answer and was killed, and the bot with it")
            self._keeper.kill()
        self._ended = True
        self._control.close()
        try:
            self._keeper.wait(KEEPER_SECONDS)
        except subprocess.TimeoutExpired:
            self._keeper.kill()
        if self._slot is not None:
            if self._lost:
                self._slot.clear()
            self._slot.close()
        self.scratch_left = not remove_folder(self.scratch, SCRATCH_SECONDS)

    def _send(self, command: dict[str, str | float]) -> None:
        try:
            self._control.send(json.dumps(command).encode() + b"\n")
        except OSError:  # it has ended, or is stopped: `poll()` and `close()` deal with both
            pass

    def _take(self, event: _Event) -> None:
        match event.event:
            case "started":
                self.started, self.pid = True, event.pid
                self._born = _birth(event.pid)
            case "failed":
                self.failed_step = event.step
                cwd = self._spec.cwd or self.scratch
                self.start_failure = _start_failure(self._spec.argv, cwd, event)
            case "exited":
                self.exit = ExitReport(
                    code=event.code,
                    signal=event.signal,
                    excess=event.excess,
                    note=self._trouble,
                    stderr_first=event.stderr_first,
                    stderr_last=event.stderr_last,
                    stderr_bytes=event.stderr_bytes,
                )
            case "stderr":
                self.stderr = StderrLines(
                    stderr_first=event.stderr_first,
                    stderr_last=event.stderr_last,
                    stderr_bytes=event.stderr_bytes,
                )
            case "broken":
                self._trouble = f"its keeper failed: {event.message}"
            case "gone":
                self.gone, self.left = True, event.left

    def _lose_keeper(self, note: str) -> None:
        """Kill what can be killed without a keeper; children in other sessions may be left."""
        self.gone = self._lost = True
        if self.pid is not None and _birth(self.pid) in (b"", self._born):
            # The number is not a stranger's: it stays taken while its group has a member.
            _send_signal(os.killpg, self.pid)
        if self.started and self.exit is None:
            self.exit = ExitReport(note=note)
        elif not self.started and self.start_failure is None:
            self.failed_step = "keeper"
            self.start_failure = f"{note}, before it had started"


def _scratch(spec: LaunchSpec, slot: slots.Slot | None) -> str:
    """A folder that is the bot's own."""
    parent = spec.scratch_parent
    if slot is None or slot.uid is None:
        return os.path.abspath(tempfile.mkdtemp(prefix="bot-", dir=parent))
    if bare(spec.level) != "bwrap":  # in a box it gets another one, at the same place
        if parent is None or strangers_halt_at(os.path.dirname(parent)):
            parent = tempfile.gettempdir()
        else:
            os.chmod(parent, 0o711)  # its way to its own; others stay closed to it
    scratch = os.path.abspath(tempfile.mkdtemp(prefix="bot-", dir=parent))
    try:
        os.chown(scratch, slot.uid, slot.uid)
    except OSError:
        os.rmdir(scratch)
        raise
    return scratch


def _start_failure(argv: tuple[str, ...], cwd: str, event: _Event) -> str:
    what, why = "cannot start", event.message
    if event.step == "cwd":
        what = f"cannot enter {cwd!r}"
    elif event.step == "exec":
        program = "".join(argv[:1])
        what = f"cannot run {program!r}"
        if event.errno == errno.ENOENT and os.path.exists(os.path.join(cwd, program)):
            why = "the interpreter in its first line is missing"
        elif event.errno == errno.ENOEXEC:
            why = "neither a program nor a script that begins with #!"
    return f"{what}: {why} (step {event.step})"


def _send_signal(send: Callable[[int, int], None], target: int) -> None:
    try:
        send(target, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _birth(pid: int) -> bytes:
    """When a process began, to know it from a later one of the same number; empty if unknown."""
    try:
        return stat_of(pid)[19]
    except OSError:
        return b""
