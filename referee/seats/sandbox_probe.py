"""
A bot that tries to do what no bot should be able to, and says what it could do.

Run inside a sandbox as `python -I -S sandbox_probe.py [LIMIT]`, with bait laid out by the referee
outside. It prints a JSON object: for each attempt `yes`, or why it failed. Nothing
that it tries does any harm where it succeeds. Standard library only.
"""

import ctypes
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
from typing import Any, Self

BAIT_VARIABLE = "REFEREE_BAIT"

MEMORY_BYTES, PROCESSES, DISK_BYTES = 128 << 20, 24, 16 << 20
"""What a probe may use."""

_TRY = 4
"""So many times more than that it tries to get."""

_ATTEMPT_SECONDS = 3
_SEAT_SECONDS = 60
_MPTCP, _VSOCK, _NETLINK = 262, 40, 16
_NEW_USER, _GET_NO_NEW_PRIVS = 0x10000000, 39
_SEIZE = 0x4206
_CAPABILITY_VERSION_3 = 0x20080522
_CALLS = {"x86_64": (250, 272), "aarch64": (219, 97)}
"""The numbers of keyctl and unshare; that of io_uring_setup is the same everywhere."""
_IO_URING_SETUP = 425


# ---- outside -----------------------------------------------------------------------------------


class Bait:
    """
    What a probe is to try its hands on: files, sockets and processes of the referee's side.

    Another seat's are those of `uid`, where seats have uids of their own; OSError where this user
    may not have that.
    """

    def __init__(self, uid: int | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="rf-bait-")
        self.folder = self._folder.name
        mark = os.path.basename(self.folder)
        self._shared = [os.path.join(folder, f"{mark}-left") for folder in ("/tmp", "/dev/shm")]
        for name in ("secret", "other_seat"):
            with open(os.open(self._at(name), os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
                file.write("bait")
        try:
            if uid is not None:
                os.chown(self._at("other_seat"), uid, uid)
            self._seat = subprocess.Popen(["sleep", str(_SEAT_SECONDS)], user=uid, group=uid)
        except BaseException:
            self._folder.cleanup()
            raise
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", 0))
        self._udp.setblocking(False)
        self._unix = [socket.socket(socket.AF_UNIX) for _ in range(2)]
        for one, name in zip(self._unix, (self._at("socket"), f"\0{mark}"), strict=True):
            one.bind(name)
            one.listen()
        home = os.path.expanduser("~")
        self._told = {
            "pid": os.getpid(), "born": born(os.getpid()), "folder": self.folder,
            "home": home, "names": os.listdir(home), "tcp": self._tcp.getsockname()[1],
            "udp": self._udp.getsockname()[1], "abstract": mark, "shared": self._shared,
            "uid": os.getuid(), "seat": self._seat.pid, "seat_born": born(self._seat.pid),
        }  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for one in (self._tcp, self._udp, *self._unix):
            one.close()
        self._seat.kill()
        self._seat.wait()
        for path in self._shared:
            if os.path.exists(path):
                os.unlink(path)
        self._folder.cleanup()

    def described(self) -> str:
        """What the probe needs to know, for its environment."""
        return json.dumps(self._told)

    def confirm(self, done: dict[str, str]) -> None:
        """Correct what the probe believes to have done, by what has arrived here."""
        arrived = done.get("udp_loopback") != "yes" or select.select([self._udp], [], [], 0.2)[0]
        if not arrived:
            done["udp_loopback"] = "it did not arrive"
        for name, path in zip(("write_tmp", "write_shared_memory"), self._shared, strict=True):
            if done.get(name) == "yes" and not os.path.exists(path):
                done[name] = "only in its own memory"

    def _at(self, name: str) -> str:
        return os.path.join(self.folder, name)


def born(pid: int) -> str:
    """When a process began, in the kernel's ticks; empty where that cannot be seen."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode()
    except OSError:
        return ""


# ---- inside ------------------------------------------------------------------------------------


class Refused(Exception):
    """The attempt failed without an error of the system's; says how."""


def _call(number: int, *values: Any) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(ctypes.c_long(number), *values) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _libc(name: str, *values: Any) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    result: int = getattr(libc, name)(*values)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _number(which: int) -> int:
    machine = os.uname().machine
    if machine not in _CALLS:
        raise Refused(f"not tried on {machine}")
    return _CALLS[machine][which]


class Attempts:
    """Everything that is tried, each a method named after what it would mean to succeed."""

    def __init__(self, bait: dict[str, Any]) -> None:
        self._bait = bait

    def read_secret(self) -> None:
        open(os.path.join(self._bait["folder"], "secret")).close()

    def read_other_seat(self) -> None:
        open(os.path.join(self._bait["folder"], "other_seat")).close()

    def list_home(self) -> None:
        if set(os.listdir(self._bait["home"])) != set(self._bait["names"]):
            raise Refused("another folder is in its place")

    def write_outside(self) -> None:
        with open(os.path.join(self._bait["folder"], "secret"), "a"):
            pass

    def write_tmp(self) -> None:
        with open(self._bait["shared"][0], "w"):
            pass

    def write_shared_memory(self) -> None:
        with open(self._bait["shared"][1], "w"):
            pass

    def see_referee(self) -> None:
        if born(self._bait["pid"]) != self._bait["born"]:
            raise Refused("there is no such process")

    def signal_referee(self) -> None:
        os.kill(self._bait["pid"], 0)
        found = born(self._bait["pid"])
        if found and found != self._bait["born"]:
            raise Refused("there is no such process")

    def signal_other_seat(self) -> None:
        os.kill(self._bait["seat"], 0)
        found = born(self._bait["seat"])
        if found and found != self._bait["seat_born"]:
            raise Refused("there is no such process")

    def same_user(self) -> None:
        if os.getuid() != self._bait["uid"]:
            raise Refused(f"its own user is {os.getuid()}")

    def read_referee_memory(self) -> None:
        self.see_referee()
        open(f"/proc/{self._bait['pid']}/mem", "rb").close()

    def ptrace_referee(self) -> None:
        pid = ctypes.c_long(self._bait["pid"])
        nothing = ctypes.c_void_p(0)
        _libc("ptrace", ctypes.c_long(_SEIZE), pid, nothing, nothing)  # ends with this process

    def tcp_out(self) -> None:
        with socket.socket() as one:
            one.setblocking(False)
            try:
                one.connect(("203.0.113.1", 9))  # an address that is nobody's
            except BlockingIOError:
                return

    def tcp_loopback(self) -> None:
        socket.create_connection(("127.0.0.1", self._bait["tcp"]), 2).close()

    def mptcp_loopback(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM, _MPTCP) as one:
            one.settimeout(2)
            one.connect(("127.0.0.1", self._bait["tcp"]))

    def udp_loopback(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.sendto(b"bait", ("127.0.0.1", self._bait["udp"]))

    def unix_socket(self) -> None:
        with socket.socket(socket.AF_UNIX) as one:
            one.connect(os.path.join(self._bait["folder"], "socket"))

    def abstract_socket(self) -> None:
        with socket.socket(socket.AF_UNIX) as one:
            one.connect(f"\0{self._bait['abstract']}")

    def netlink(self) -> None:
        socket.socket(_NETLINK, socket.SOCK_RAW).close()

    def vsock(self) -> None:
        socket.socket(_VSOCK, socket.SOCK_STREAM).close()

    def keyring(self) -> None:
        _call(_number(0), ctypes.c_long(0), ctypes.c_long(-3), ctypes.c_long(0))

    def io_uring(self) -> None:
        parameters = ctypes.create_string_buffer(120)
        _call(_IO_URING_SETUP, ctypes.c_long(1), parameters)

    def new_namespace(self) -> None:
        _call(_number(1), ctypes.c_long(_NEW_USER))

    def mount(self) -> None:
        try:
            _libc("mount", b"none", b"/", b"no-such-file-system", ctypes.c_ulong(0), None)
        except OSError as error:
            if error.strerror != os.strerror(19):  # ENODEV: it was allowed, and came to nothing
                raise

    def chroot(self) -> None:
        os.chroot("/")

    def kernel_settings(self) -> None:
        os.close(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY))

    def leave_process_group(self) -> None:
        os.setsid()

    def gain_privileges(self) -> None:
        header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
        sets = (ctypes.c_uint32 * 6)()
        _libc("capget", header, sets)
        nothing = [ctypes.c_ulong(0)] * 4
        held = sets[0] | sets[1] | sets[3] | sets[4]
        if not held and _libc("prctl", ctypes.c_int(_GET_NO_NEW_PRIVS), *nothing) == 1:
            raise Refused("it has none, and no program can give it any")


NAMES = tuple(name for name in vars(Attempts) if not name.startswith("_"))


def _attempt(take: Callable[[], None]) -> str:
    """What comes of an attempt, made by a process of its own."""
    heard, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(_ATTEMPT_SECONDS)
        text = "yes"
        try:
            take()
        except OSError as error:
            text = error.strerror or str(error)
        except BaseException as problem:
            text = str(problem) or type(problem).__name__
        os.write(told, text.encode())
        os._exit(0)
    os.close(told)
    with os.fdopen(heard, "rb") as file:
        said = file.read().decode()
    os.waitpid(pid, 0)
    return said or "it was stopped"


def _memory() -> dict[str, str]:
    held: list[bytearray] = []
    block = 4 << 20
    while len(held) * block < _TRY * MEMORY_BYTES:
        try:
            held.append(bytearray(b"x") * block)
        except MemoryError:
            return {"memory": f"stopped at {len(held) * block >> 20} MB"}
    return {"memory": "yes"}


def _shared_memory() -> dict[str, str]:
    """Memory that belongs to no process: in files without a name, which are not mapped."""
    block = bytes(4 << 20)
    for count in range(_TRY * MEMORY_BYTES // len(block)):
        try:
            os.write(os.memfd_create("held"), block)
        except OSError as error:
            return {"shared_memory": f"stopped at {count * 4} MB: {error.strerror}"}
    return {"shared_memory": "yes"}


def _processes() -> dict[str, str]:
    for count in range(_TRY * PROCESSES):
        try:
            if os.fork() == 0:
                time.sleep(_ATTEMPT_SECONDS)
                os._exit(0)
        except OSError:
            return {"processes": f"stopped at {count}"}
    time.sleep(_ATTEMPT_SECONDS)  # the keeper looks now and then
    return {"processes": "yes"}


def _disk() -> dict[str, str]:
    written, block = 0, bytes(1 << 20)
    with open(os.path.join(os.environ["HOME"], "large"), "wb", buffering=0) as file:
        while written < _TRY * DISK_BYTES:
            try:
                written += file.write(block)
            except OSError as error:
                return {"disk": f"stopped at {written >> 20} MB: {error.strerror}"}
    return {"disk": "yes"}


LIMITS: dict[str, Callable[[], dict[str, str]]] = {
    "memory": _memory, "shared_memory": _shared_memory, "processes": _processes, "disk": _disk,
}  # fmt: skip


def main() -> None:
    """Try everything, or to get more than is allowed of one thing, and print what came of it."""
    signal.alarm(20)
    if len(sys.argv) > 1:
        found = LIMITS[sys.argv[1]]()
    else:
        attempts = Attempts(json.loads(os.environ[BAIT_VARIABLE]))
        found = {name: _attempt(getattr(attempts, name)) for name in NAMES}
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
