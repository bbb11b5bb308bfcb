"""The box that bubblewrap builds around one bot, as a command line."""

import os
import shutil
from collections.abc import Iterable, Sequence

from referee.seats.sandbox_paths import SYSTEM, below

_SHARED_MEMORY_BYTES = 16 << 20
_KERNEL_SETTINGS = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/acpi")
"""Root could write in them without any capability, and bubblewrap 0.8 leaves the first writable."""

_ALWAYS = (
    "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
    "--die-with-parent", "--new-session", "--cap-drop", "ALL",
)  # fmt: skip

_TO_BECOME = ("CAP_CHOWN", "CAP_SETGID", "CAP_SETPCAP", "CAP_SETUID")
"""What the one inside needs to give its folder and itself to another user."""


def program() -> str | None:
    """Where bubblewrap is, if it is."""
    return shutil.which("bwrap")


def box(
    seen: Iterable[str], hidden: Sequence[str], *, cwd: str, scratch: str, room: int,
    entry: Sequence[str], own_uid: bool,
) -> list[str]:  # fmt: skip
    """
    A command that runs `entry`, with the number of one more descriptor behind it, in a box.

    It sees the system and the paths of `seen` without `hidden`, read-only, and the folder
    `scratch`, which is its own memory of `room` bytes and not the one outside. `cwd` is there,
    empty where it is not seen. With `own_uid` the entry begins as the real root, and has to become
    somebody else before it starts anything.
    """
    found = [program() or "bwrap", *_ALWAYS]
    if own_uid:
        for name in _TO_BECOME:
            found += ["--cap-add", name]
    else:
        found.append("--unshare-user")
    # Parents that bubblewrap makes by itself could be entered by their owner alone.
    for folder in sorted(_parents(SYSTEM)):
        found += ["--perms", "0755", "--dir", folder]
    for path in SYSTEM:
        if os.path.islink(path) and os.path.dirname(path) == "/":
            found += ["--symlink", os.readlink(path), path]
        elif not path.startswith("/dev/"):
            found += ["--ro-bind", path, path]
    found += ["--proc", "/proc", "--dev", "/dev"]
    for path in _KERNEL_SETTINGS:
        found += ["--ro-bind-try", path, path]
    for path, size in (("/dev/shm", _SHARED_MEMORY_BYTES), ("/tmp", room)):
        found += ["--perms", "1777", "--size", str(size), "--tmpfs", path]
    seen = [path for path in seen if not below(path, ["/usr"])]
    missing = [] if below(cwd, ["/usr", scratch, *seen]) else [cwd]
    for folder in sorted({*_parents([*seen, *missing, scratch]), *missing}):
        found += ["--perms", "0755", "--dir", folder]
    for path in seen:
        found += ["--ro-bind", path, path]
    # Never below what a bot could have filled: a hidden folder is the referee's own.
    for path in hidden:
        if not below(path, [os.path.realpath(one) for one in seen]):
            continue
        if os.path.isdir(path):
            found += ["--perms", "0555", "--size", "4096", "--tmpfs", path]
        elif os.path.exists(path):
            found += ["--ro-bind", "/dev/null", path]
    found += ["--perms", "0700", "--size", str(room), "--tmpfs", scratch]
    found += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--", *entry]
    return found


def _parents(paths: Iterable[str]) -> list[str]:
    """Every folder above these, from the top, but for those that are there anyway."""
    found: set[str] = set()
    for path in paths:
        while (path := os.path.dirname(path)) not in ("/", ""):
            found.add(path)
    return list(found - set(SYSTEM) - {"/tmp", "/dev", "/proc"})
