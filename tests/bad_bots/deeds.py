"""What misbehaving bots do in place of an answer, or beside it: time, transport, processes, files.

Everything is bounded in number, size and time.
"""

import contextlib
import fcntl
import mmap
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from ctypes import CDLL

from tests.bad_bots.client import COMMAND, LONG, MORE, Ask, Dealer, Lines, Wire, Zoo, framed

Deed = Callable[[Zoo, Ask], object]

ALARM_SECONDS = 60
LATE_SECONDS = 0.6


def _exit(code: int) -> Deed:
    def do(bot: Zoo, ask: Ask) -> None:
        print("last words on stderr", file=sys.stderr, flush=True)
        os._exit(code)

    return do


def _signal(number: int) -> Deed:
    return lambda bot, ask: os.kill(os.getpid(), number)


def _exception(bot: Zoo, ask: Ask) -> None:
    raise KeyError("trump")


def _sleep(bot: Zoo, ask: Ask) -> None:
    time.sleep(ALARM_SECONDS)


# ---- time ----------------------------------------------------------------------------------------


def _late(bot: Zoo, ask: Ask) -> None:
    time.sleep(LATE_SECONDS)
    bot.act(ask)


def _spin(bot: Zoo, ask: Ask) -> None:
    end = time.monotonic() + LATE_SECONDS
    while time.monotonic() < end:
        pass
    bot.act(ask)


def _stop(bot: Zoo, ask: Ask) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def _ponder(bot: Zoo, ask: Ask) -> None:
    """Think on while the others are asked; for a second."""
    end = time.monotonic() + 1.0

    def think() -> None:
        while time.monotonic() < end:
            sum(range(1000))

    threading.Thread(target=think, daemon=True).start()
    bot.act(ask)


# ---- transport -----------------------------------------------------------------------------------


def _close(bot: Zoo, ask: Ask) -> None:
    bot.link.close()
    time.sleep(ALARM_SECONDS)


def _reconnect(bot: Zoo, ask: Ask) -> None:
    """Hang up and come back as another connection with the same token."""
    bot.link.close()
    bot.link = Dealer()
    bot.send(type="hello", protocol=[1], token=os.environ["REFEREE_TOKEN"], name="again")
    bot.act(ask)
    time.sleep(ALARM_SECONDS)


def _wire(bot: Zoo) -> Wire:
    assert isinstance(bot.link, Wire)
    return bot.link


def _endless_parts(bot: Zoo, ask: Ask) -> None:
    """A message of many frames that never comes to its end; 8 MiB of it."""
    for _ in range(128):
        _wire(bot).frame(b"x" * 65_536, MORE)
    time.sleep(ALARM_SECONDS)


def _endless_parts_much(bot: Zoo, ask: Ask) -> None:
    """The same as fast as it can; up to 600 MB of it."""
    fill(_wire(bot), 600)


def _parts_in_pieces(bot: Zoo, ask: Ask) -> None:
    """The same a little at a time, so that nothing is ever waiting to be read; up to 120 MB."""
    for _ in range(1920):
        fill(_wire(bot), 1 / 16)
        time.sleep(0.002)
    time.sleep(ALARM_SECONDS)


def _parts_elsewhere(bot: Zoo, ask: Ask) -> None:
    """The same at the endpoints of all others, over which it does not play."""
    for other in _others():
        fill(other, 300)
    time.sleep(ALARM_SECONDS)


def fill(wire: Wire, megabytes: float) -> None:
    """Frames of a message without an end, each followed by more."""
    frames = framed(b"x" * 65_536, MORE)
    for _ in range(int(megabytes * 16)):
        wire.socket.sendall(frames)


def _others() -> list[Wire]:
    """Connections to the endpoints of all others in the same folder."""
    own = os.environ["REFEREE_ENDPOINT"].removeprefix("ipc://")
    folder = os.path.dirname(own)
    paths = [os.path.join(folder, name) for name in os.listdir(folder) if name.isdecimal()]
    return [Wire(path) for path in paths if path != own]


def _floods_others(bot: Zoo, ask: Ask) -> None:
    """Twenty thousand answers at the endpoints of all others."""
    for other in _others():
        with contextlib.suppress(OSError):
            for _ in range(200):
                other.socket.sendall(framed(b'{"type":"act","id":1,"action":"pass"}') * 100)
        HELD.append(other)
    time.sleep(ALARM_SECONDS)


def _connections(bot: Zoo, ask: Ask) -> None:
    """Connections from sixteen children, each as many as it can; 3,200 at most."""
    path = os.environ["REFEREE_ENDPOINT"].removeprefix("ipc://")

    def connect() -> None:
        signal.alarm(ALARM_SECONDS)
        with contextlib.suppress(OSError):
            for _ in range(200):
                one = socket.socket(socket.AF_UNIX)
                HELD.append(one)
                one.connect(path)
        time.sleep(ALARM_SECONDS)

    for _ in range(16):
        _child(connect)
    time.sleep(ALARM_SECONDS)


def _empty_parts(bot: Zoo, ask: Ask) -> None:
    """A message of 20,000 empty frames."""
    _wire(bot).socket.sendall(framed(b"", MORE) * 20_000)
    _wire(bot).frame(b"")


def _endless_frame(bot: Zoo, ask: Ask) -> None:
    """A frame that says it is 2^63 bytes long."""
    _wire(bot).socket.sendall(bytes((LONG,)) + (2**63).to_bytes(8, "big") + b"x" * 1000)
    time.sleep(ALARM_SECONDS)


def _half_frame(bot: Zoo, ask: Ask) -> None:
    _wire(bot).socket.sendall(bytes((0, 50)) + b'{"type":"a')
    time.sleep(ALARM_SECONDS)


def _half_frame_and_exit(bot: Zoo, ask: Ask) -> None:
    _wire(bot).socket.sendall(bytes((0, 50)) + b'{"type":"a')
    os._exit(4)


def _wire_pings(bot: Zoo, ask: Ask) -> None:
    """PING commands of ZMTP, which libzmq answers by itself and the referee never sees."""
    wire = _wire(bot)
    for _ in range(100):
        wire.socket.sendall(framed(b"\x04PING\x00\x00", COMMAND) * 200)
        while select.select([wire.socket], [], [], 0)[0]:
            wire.skip()
    bot.act(ask)


def _wrong_command(bot: Zoo, ask: Ask) -> None:
    _wire(bot).frame(b"\x05ERROR\x00", COMMAND)
    time.sleep(ALARM_SECONDS)


def _many_connections(bot: Zoo, ask: Ask) -> None:
    path = os.environ["REFEREE_ENDPOINT"].removeprefix("ipc://")
    held = []
    for _ in range(30):
        one = socket.socket(socket.AF_UNIX)
        one.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            one.connect(path)
        held.append(one)
    bot.act(ask)
    HELD.append(held)


def _reconnect_storm(bot: Zoo, ask: Ask) -> None:
    """Two hundred connections that say something and are gone."""
    for _ in range(200):
        with contextlib.suppress(OSError):
            other = Wire(greet=False)
            other.socket.sendall(b"GET / HTTP/1.1\r\n\r\n")
            other.close()
    bot.act(ask)


def _second_connection(bot: Zoo, ask: Ask) -> None:
    """Answers over a connection that never said hello."""
    other = Wire()
    other.send(b'{"type":"act","id":%d,"action":"AS AS"}' % ask["id"])
    other.send(b'{"type":"hello","protocol":[1],"token":"x"}')
    HELD.append(other)
    bot.act(ask)


def _other_seats(bot: Zoo, ask: Ask) -> None:
    """Speaks to everybody else's endpoint in the same folder."""
    own = os.environ["REFEREE_ENDPOINT"].removeprefix("ipc://")
    folder = os.path.dirname(own)
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.isdecimal() and path != own:
            other = Wire(path)
            other.send(b'{"type":"hello","protocol":[1],"token":"mine"}')
            other.send(b'{"type":"act","id":1,"action":"pass"}')
            HELD.append(other)
    bot.act(ask)


def _unlink_endpoint(bot: Zoo, ask: Ask) -> None:
    os.unlink(os.environ["REFEREE_ENDPOINT"].removeprefix("ipc://"))
    bot.act(ask)


HELD: list[object] = []
"""Kept open until the end."""


# ---- standard input and output -------------------------------------------------------------------


def _lines(bot: Zoo) -> Lines:
    assert isinstance(bot.link, Lines)
    return bot.link


def _prints(bot: Zoo, ask: Ask) -> None:
    _lines(bot).write(b"thinking about the ace of spades\n")
    bot.act(ask)


def _prints_much(bot: Zoo, ask: Ask) -> None:
    _lines(bot).write(b"depth 1 score 0\n" * 100_000)
    bot.act(ask)


def _prints_bytes(bot: Zoo, ask: Ask) -> None:
    _lines(bot).write(b"\x1b[2J\x00\xff\xfe\x9b\n")
    bot.act(ask)


def _no_end_of_line(bot: Zoo, ask: Ask) -> None:
    _lines(bot).write(b'{"type":"act"')
    time.sleep(ALARM_SECONDS)


def _endless_line(bot: Zoo, ask: Ask) -> None:
    with contextlib.suppress(OSError):
        for _ in range(64):
            _lines(bot).write(b"{" + b"x" * 65_535)
    time.sleep(ALARM_SECONDS)


def _close_input(bot: Zoo, ask: Ask) -> None:
    os.close(0)
    bot.act(ask)
    time.sleep(ALARM_SECONDS)


def _half_line_and_exit(bot: Zoo, ask: Ask) -> None:
    _lines(bot).write(b'{"type":"act","id":')
    os._exit(4)


def _never_blocks(bot: Zoo, ask: Ask) -> None:
    """Makes its pipes, which are the referee's too, blocking and non-blocking."""
    for fd in (0, 1):
        flags = fcntl.fcntl(fd, fcntl.F_GETFL)
        fcntl.fcntl(fd, fcntl.F_SETFL, flags | os.O_NONBLOCK)
        fcntl.fcntl(fd, fcntl.F_SETFL, flags)
    bot.act(ask)


# ---- processes -----------------------------------------------------------------------------------


def _sleeps_for_ever() -> None:
    signal.alarm(ALARM_SECONDS)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(ALARM_SECONDS)


def _child(act: Callable[[], object]) -> None:
    if os.fork() == 0:
        try:
            act()
        finally:
            os._exit(0)


def _daemon() -> None:
    os.setsid()
    os.closerange(0, 256)
    _child(_sleeps_for_ever)


def _stopped() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def _in_a_group() -> None:
    os.setpgid(0, 0)
    _sleeps_for_ever()


def _in_a_session() -> None:
    os.setsid()
    _sleeps_for_ever()


def _hydra(bot: Zoo, ask: Ask) -> None:
    for head in (_sleeps_for_ever, _in_a_group, _in_a_session, _daemon, _stopped):
        _child(head)
    bot.act(ask)


def _hydra_and_exit(bot: Zoo, ask: Ask) -> None:
    _hydra(bot, ask)
    os._exit(9)


def _racer(bot: Zoo, ask: Ask) -> None:
    """Forks and exits, each time in a new session, 500 generations or two seconds."""
    end = time.monotonic() + 2.0

    def run() -> None:
        for _ in range(500):
            if time.monotonic() > end:
                return
            os.setsid()
            if os.fork():
                os._exit(0)

    _child(run)
    bot.act(ask)


def _bomb(bot: Zoo, ask: Ask) -> None:
    """Sixty processes in sessions of their own."""
    for _ in range(60):
        _child(_in_a_session)
    time.sleep(ALARM_SECONDS)


def _ignores_signals(bot: Zoo, ask: Ask) -> None:
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGALRM}:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    bot.before_bye = lambda: time.sleep(ALARM_SECONDS)
    bot.act(ask)


def _kills_all(bot: Zoo, ask: Ask) -> None:
    """Only where it is alone: the first process of a namespace."""
    assert os.getpid() == 1
    others = [subprocess.Popen(["sleep", "30"]) for _ in range(3)]
    os.kill(-1, signal.SIGKILL)
    assert [other.wait() for other in others] == [-signal.SIGKILL] * 3
    bot.act(ask)


def _forks_at_once(bot: Zoo, ask: Ask) -> None:
    """As many processes as there may be, at once: where nothing stops it, 3,000 at most."""
    for _ in range(3000):
        try:
            _child(_sleeps_for_ever)
        except BlockingIOError:
            break
    time.sleep(ALARM_SECONDS)


def _forks_without_end(bot: Zoo, ask: Ask) -> None:
    """Only where it is alone, and there 2,000 at most."""
    assert os.getpid() == 1
    for _ in range(2000):
        _child(_in_a_session)
    time.sleep(ALARM_SECONDS)


def _kills_keeper(bot: Zoo, ask: Ask) -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(ALARM_SECONDS)


def _stops_keeper(bot: Zoo, ask: Ask) -> None:
    os.kill(os.getppid(), signal.SIGSTOP)
    bot.act(ask)


# ---- memory, files, standard error ---------------------------------------------------------------


def _memory(bot: Zoo, ask: Ask) -> None:
    """Takes memory, and writes on it, until there is none, or half a gigabyte."""
    HELD.extend(b"x" * (4 << 20) for _ in range(128))


def _memory_of_children(bot: Zoo, ask: Ask) -> None:
    """Five children that hold 50 MiB each, which is too much together."""

    def hold() -> None:
        HELD.append(b"x" * (50 << 20))
        _sleeps_for_ever()

    for _ in range(5):
        _child(hold)
    time.sleep(ALARM_SECONDS)


def _memory_of_nobody(bot: Zoo, ask: Ask) -> None:
    """Memory that no process has: in files without a name, 400 MiB of it at most."""
    for _ in range(100):
        fd = os.memfd_create("held")
        os.write(fd, bytes(4 << 20))
    bot.act(ask)


def _memory_shared(bot: Zoo, ask: Ask) -> None:
    """Memory that is shared with children, and so no process's own; 400 MiB at most."""
    for _ in range(100):
        shared = mmap.mmap(-1, 4 << 20)
        shared.write(bytes(4 << 20))
        HELD.append(shared)
    bot.act(ask)


def _descriptors(bot: Zoo, ask: Ask) -> None:
    """Opens files until it cannot; its connection stays."""
    with contextlib.suppress(OSError):
        for _ in range(5000):
            HELD.append(os.open("/dev/null", os.O_RDONLY))
    bot.act(ask)


def _files(bot: Zoo, ask: Ask) -> None:
    """Fills its folder: many files, odd names, no rights, depth."""
    top = os.environ["TMPDIR"]
    os.chdir(top)
    for number in range(500):
        with open(f"{number}", "wb") as file:
            file.write(b"x")
    for name in (b"-rf", b"a\nb", b"\xff\xfe", b" ", b"*", b"\x1b[2J", b"x" * 255):
        with open(os.path.join(os.fsencode(top), name), "wb"):
            pass
    os.symlink("/", "root")
    os.mkfifo("pipe")
    os.mkdir("closed", 0o700)
    os.mkdir("closed/inner")
    os.chmod("closed", 0)
    for _ in range(300):
        os.mkdir("d")
        os.chdir("d")
    bot.act(ask)


def _large_file(bot: Zoo, ask: Ask) -> None:
    """A file of a terabyte with nothing in it, which its limit forbids."""
    with open(os.path.join(os.environ["TMPDIR"], "large"), "wb") as file:
        try:
            file.truncate(1 << 40)
        except OSError:
            bot.act(ask)


def _full_disk(bot: Zoo, ask: Ask) -> None:
    """Writes until it may not, 100 MB at most, and falls over that."""
    with open(os.path.join(os.environ["TMPDIR"], "book"), "wb") as file:
        for _ in range(100):
            file.write(b"x" * 1_000_000)


def _shared_memory(bot: Zoo, ask: Ask) -> None:
    """Leaves shared memory behind: a file that it has mapped, a child's, and a segment."""
    name = f"/dev/shm/zoo-{os.getpid()}"
    HELD.append(mapped(name))

    def hold() -> None:
        HELD.append(mapped(f"{name}-child"))
        _sleeps_for_ever()

    _child(hold)
    while not os.path.exists(f"{name}-child"):
        time.sleep(0.001)
    segment(4096)
    bot.act(ask)


def _shared_memory_and_exit(bot: Zoo, ask: Ask) -> None:
    """A segment, and the end."""
    segment(4096)
    os._exit(5)


def mapped(path: str) -> mmap.mmap:
    """A new file, mapped and closed."""
    with open(path, "xb+") as file:
        file.truncate(4096)
        return mmap.mmap(file.fileno(), 4096)


def segment(size: int) -> int:
    """A new segment of System V."""
    return int(CDLL(None).shmget(0, size, 0o1600))


def _stderr_flood(bot: Zoo, ask: Ask) -> None:
    for _ in range(160):
        os.write(2, b"e" * 65_536)
    bot.act(ask)


def _stderr_steering(bot: Zoo, ask: Ask) -> None:
    os.write(2, b"\x1b[2J\x1b]0;owned\x07 \xff\xfe \xc2\x9b31m \xe2\x80\xae no end of line")
    os._exit(6)


DEEDS: dict[str, Deed] = {
    "crash": _exit(3),
    "exit_zero": _exit(0),
    "exception": _exception,
    "kill_self": _signal(signal.SIGKILL),
    "segfault": _signal(signal.SIGSEGV),
    "abort": _signal(signal.SIGABRT),
    "hang_up_signal": _signal(signal.SIGHUP),
    "real_time_signal": _signal(signal.SIGRTMIN + 3),
    "silent": lambda bot, ask: None,
    "hang": _sleep,
    "late_once": _late,
    "spin": _spin,
    "stop_self": _stop,
    "ponder": _ponder,
    "close": _close,
    "reconnect": _reconnect,
    "endless_parts": _endless_parts,
    "endless_parts_much": _endless_parts_much,
    "parts_in_pieces": _parts_in_pieces,
    "parts_elsewhere": _parts_elsewhere,
    "floods_others": _floods_others,
    "connections": _connections,
    "empty_parts": _empty_parts,
    "endless_frame": _endless_frame,
    "half_frame": _half_frame,
    "half_frame_and_exit": _half_frame_and_exit,
    "wire_pings": _wire_pings,
    "wrong_command": _wrong_command,
    "many_connections": _many_connections,
    "reconnect_storm": _reconnect_storm,
    "second_connection": _second_connection,
    "other_seats": _other_seats,
    "unlink_endpoint": _unlink_endpoint,
    "prints": _prints,
    "prints_much": _prints_much,
    "prints_bytes": _prints_bytes,
    "no_end_of_line": _no_end_of_line,
    "endless_line": _endless_line,
    "close_input": _close_input,
    "half_line_and_exit": _half_line_and_exit,
    "never_blocks": _never_blocks,
    "hydra": _hydra,
    "hydra_and_exit": _hydra_and_exit,
    "racer": _racer,
    "bomb": _bomb,
    "ignores_signals": _ignores_signals,
    "kills_all": _kills_all,
    "forks_at_once": _forks_at_once,
    "forks_without_end": _forks_without_end,
    "kills_keeper": _kills_keeper,
    "stops_keeper": _stops_keeper,
    "memory": _memory,
    "memory_of_children": _memory_of_children,
    "memory_of_nobody": _memory_of_nobody,
    "memory_shared": _memory_shared,
    "full_disk": _full_disk,
    "descriptors": _descriptors,
    "files": _files,
    "large_file": _large_file,
    "shared_memory": _shared_memory,
    "shared_memory_and_exit": _shared_memory_and_exit,
    "stderr_flood": _stderr_flood,
    "stderr_steering": _stderr_steering,
}

ON_THE_WIRE = {
    "endless_parts", "endless_parts_much", "parts_in_pieces", "empty_parts", "endless_frame",
    "half_frame", "half_frame_and_exit", "wire_pings", "wrong_command",
}  # fmt: skip
"""Modes that speak ZMTP themselves."""
