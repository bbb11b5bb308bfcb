"""
The one inside a sandbox who starts the bot there, speaks ZeroMQ with it, and reports its end.

At level linux a forked child of the keeper runs this as it stands; bubblewrap starts it as a
program, `python -I -S sandbox_inside.py FD`, with the order in a file behind the descriptor FD.
Standard library only, but for the relay. It is no more trusted than the bot: what it says is
believed about this one bot alone.
"""

import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any, NoReturn

if __name__ == "__main__":
    # After the standard library, which nothing beside this package may replace.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from referee.seats import sandbox_kernel
from referee.seats.groups import enter
from referee.seats.steps import RELAY_BYTES, RELAY_FILES, set_limits, take_steps


def confine(sandbox: dict[str, Any], port: int | None) -> None:
    """Lose every right that a bot does not need; `port` on this machine stays reachable."""
    sandbox_kernel.drop_privileges()
    if sandbox["box"]:
        # Its walls are what bubblewrap has left out. But root's files in /proc stay root's, and
        # some of what the kernel shares knows no walls.
        sandbox_kernel.restrict_files(
            readable=["/"], listable=[], writable=[*sandbox["writable"], "/tmp", "/dev"],
            port=None, network=False,
        )  # fmt: skip
        sandbox_kernel.filter_calls(keep_group=False, inet="any")
        return
    sandbox_kernel.restrict_files(
        readable=sandbox["readable"], listable=sandbox["listable"],
        writable=sandbox["writable"], port=port,
    )  # fmt: skip
    sandbox_kernel.filter_calls(keep_group=True, inet="none" if port is None else "tcp")


class Inside:
    """One bot inside its sandbox, from the order to its end."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._order = order
        self._sandbox: dict[str, Any] = order["sandbox"]
        self._relay: dict[str, Any] | None = self._sandbox["relay"]
        self._report: int = order["report"]
        self._link: list[int] = order["stdio"] or []
        self._entrances: list[int] = order["entrances"]
        self._listener: socket.socket | None = None
        self._endpoint = ""
        self._pid = 0
        for fd in (self._report, *self._link, *self._entrances):
            os.set_inheritable(fd, False)

    def run(self) -> NoReturn:
        """Start the bot, be there for it, and end when it has ended."""
        steps: list[tuple[str, Callable[[], object]]] = [
            ("cwd", lambda: os.chdir(self._order["cwd"])),
            ("uid", self._become),
            ("sandbox", self._enter),
            ("exec", self._start),
            ("sandbox", self._stay),
        ]
        take_steps(steps, self._report)
        raise AssertionError("take_steps does not return")

    def _become(self) -> None:
        uid: int | None = self._sandbox["uid"]
        if uid is None:
            return
        if self._sandbox["box"]:  # where its folder is another one, which bubblewrap has made
            os.chown(self._sandbox["scratch"], uid, uid)
        sandbox_kernel.become(uid)

    def _enter(self) -> None:
        """Open the endpoint, while that is allowed, and give up all other rights."""
        if self._relay is not None:
            tcp = self._relay["transport"] == "tcp"
            self._listener = socket.socket(socket.AF_INET if tcp else socket.AF_UNIX)
            path = os.path.join(self._relay["folder"], "referee")
            self._listener.bind(("127.0.0.1", 0) if tcp else path)
            self._listener.listen(2)
            port = self._listener.getsockname()[1] if tcp else None
            self._endpoint = f"tcp://127.0.0.1:{port}" if tcp else f"ipc://{path}"
            confine(self._sandbox, port)
        else:
            confine(self._sandbox, None)

    def _start(self) -> None:
        heard, told = os.pipe()
        me = os.getpid()
        self._pid = os.fork()
        if self._pid == 0:
            env = self._order["env"]
            if self._relay is not None:
                env = env | {self._relay["variable"]: self._endpoint}
            argv = self._order["argv"]
            take_steps(
                [
                    ("parent", lambda: self._die_with(me)),
                    ("descriptors", self._take_link),
                    ("group", lambda: enter(self._entrances)),
                    ("limits", lambda: set_limits(self._order["limits"])),
                    ("exec", lambda: os.execvpe(argv[0], argv, env)),
                ],
                told,
            )
        for fd in (told, *self._entrances):
            os.close(fd)
        with os.fdopen(heard, "rb") as file:
            failure = file.read()
        if failure:
            os.write(self._report, failure)
            os._exit(127)
        self._say({"started": True})

    def _die_with(self, parent: int) -> None:
        sandbox_kernel.prctl(sandbox_kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(127)

    def _take_link(self) -> None:
        if self._link and self._relay is None:
            os.dup2(self._link[0], 0)
            os.dup2(self._link[1], 1)

    def _stay(self) -> None:
        """Be there until the bot has ended, and say how it did."""
        set_limits({"core": 0, "nofile": RELAY_FILES, "data": RELAY_BYTES})
        wake, woken = os.pipe()
        os.set_blocking(woken, False)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: os.kill(self._pid, signal.SIGTERM))
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        os.write(woken, b"\0")  # it may have ended before this could be heard of
        ended: list[tuple[int, int]] = []

        def has_ended() -> bool:
            os.read(wake, 4096)
            pid, status, usage = os.wait4(self._pid, os.WNOHANG)
            if pid:
                ended.append((status, usage.ru_maxrss))
            return bool(pid)

        if self._relay is not None and self._listener is not None:
            sys.path += [path for path in self._relay["path"] if path not in sys.path]
            # Only here, in parallel with the bot's own start: it is most of what a relay costs.
            from referee.seats.sandbox_relay import Relay  # noqa: PLC0415

            relay = Relay(self._listener, self._endpoint, self._link[0], self._link[1])
            os.close(0)
            relay.carry(wake, has_ended)
        else:
            for fd in self._link:
                os.close(fd)
            while not has_ended():
                pass
        status, peak = ended[0]
        full = self._sandbox["box"] and _is_full(self._order["env"]["HOME"])
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        code = os.waitstatus_to_exitcode(status)
        # libzmq cuts a connection whose messages it has no room for, and the bot falls over that.
        overrun = self._relay is not None and own * 2 > RELAY_BYTES
        self._say({"exited": code, "peak": peak * 1024, "full": full, "overrun": overrun})
        os._exit(0)

    def _say(self, event: dict[str, object]) -> None:
        os.write(self._report, json.dumps(event).encode() + b"\n")


def _is_full(folder: str) -> bool:
    found = os.statvfs(folder)
    return found.f_bavail * 20 < found.f_blocks  # less than a twentieth is left


def main(fd: int) -> None:
    """Obey the order that is in the file behind a descriptor."""
    with os.fdopen(fd, "rb") as file:
        order = json.loads(file.read())
    Inside(order).run()


if __name__ == "__main__":
    main(int(sys.argv[1]))
