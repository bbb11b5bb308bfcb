"""
What the Linux kernel offers a process that wants to lose rights for good, without any privilege.

Everything here is done by a process to itself, between fork and exec, and holds for whatever it
starts: no new privileges, no capabilities, a seccomp filter, a Landlock domain. Standard library
only: it is imported by the keeper and inside sandboxes, in interpreters without site-packages.
"""

import ctypes
import errno
import os
import platform
import signal
import stat
import struct
from collections.abc import Iterable

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP = 1, 4, 22
PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 24, 36, 38, 47
_CAPABILITY_VERSION_3 = 0x20080522
_SECCOMP_MODE_FILTER, _AMBIENT_CLEAR_ALL = 2, 4
_MOST_CAPABILITIES = 64

_LIBC = ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def prctl(option: int, *values: int) -> None:
    """The system call of that name; raises OSError."""
    # Plain ints would leave the upper half of an argument undefined.
    padded = (*values, 0, 0, 0, 0)[:4]
    arguments = [ctypes.c_ulong(number) for number in padded]
    _checked(_LIBC.prctl(ctypes.c_int(option), *arguments))


def _syscall(number: int, *values: object) -> int:
    return _checked(_LIBC.syscall(ctypes.c_long(number), *values))


def hide_memory() -> None:
    """Nobody without privileges may read this process's memory, environment or descriptors."""
    prctl(PR_SET_DUMPABLE, 0)


# ---- privileges --------------------------------------------------------------------------------


def become(uid: int) -> None:
    """Be the user and the group of this number and of no other, for good."""
    parent = os.getppid()
    _bound_privileges()
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    # The change has cleared it; and the parent may have died meanwhile.
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(127)


def _bound_privileges() -> None:
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    for number in range(_MOST_CAPABILITIES):
        try:
            prctl(PR_CAPBSET_DROP, number)
        except OSError:  # past the last one; or not allowed, where there is little to drop
            break


def drop_privileges() -> None:
    """No set-uid program gives any right from now on, and root is a user like any other."""
    _bound_privileges()
    try:
        prctl(PR_CAP_AMBIENT, _AMBIENT_CLEAR_ALL)
    except OSError:  # kernels before 4.3 know no ambient set
        pass
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    _checked(_LIBC.capset(ctypes.c_char_p(header), ctypes.c_char_p(bytes(24))))


# ---- seccomp -----------------------------------------------------------------------------------

# Number on x86-64, number on aarch64.
_FORBIDDEN = {
    "acct": (163, 89), "add_key": (248, 217), "adjtimex": (159, 171), "bpf": (321, 280),
    "chroot": (161, 51), "clock_adjtime": (305, 266), "clock_settime": (227, 112),
    "delete_module": (176, 106), "fanotify_init": (300, 262), "finit_module": (313, 273),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fsopen": (430, 430), "fspick": (433, 433),
    "init_module": (175, 105), "kcmp": (312, 272), "kexec_file_load": (320, 294),
    "kexec_load": (246, 104), "keyctl": (250, 219), "mount": (165, 40),
    "mount_setattr": (442, 442), "move_mount": (429, 429), "mq_open": (240, 180),
    "msgget": (68, 186), "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    "open_tree": (428, 428), "perf_event_open": (298, 241), "personality": (135, 92),
    "pidfd_getfd": (438, 438), "pivot_root": (155, 41), "process_madvise": (440, 440),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "ptrace": (101, 117),
    "quotactl": (179, 60), "reboot": (169, 142), "request_key": (249, 218), "semget": (64, 190),
    "setdomainname": (171, 162), "sethostname": (170, 161), "setns": (308, 268),
    "settimeofday": (164, 170), "shmget": (29, 194), "swapoff": (168, 225), "swapon": (167, 224),
    "syslog": (103, 116), "umount2": (166, 39), "unshare": (272, 97), "userfaultfd": (323, 282),
    "vhangup": (153, 58),
}  # fmt: skip

_KEEPS_GROUP = {"setpgid": (109, 154), "setsid": (112, 157)}
"""Without these a tree stays one process group, which dies in one call."""

_ABSENT = {
    "clone3": (435, 435), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
}  # fmt: skip
"""Answered as by a kernel that has never heard of them: C libraries then use what came before."""

_CLONE, _SOCKET, _SECCOMP = (56, 220), (41, 198), (317, 277)
_NAMESPACES = 0x7E020000  # every CLONE_NEW… that `clone` takes
_AF_UNIX, _AF_INET, _AF_INET6, _SOCK_STREAM, _IPPROTO_TCP = 1, 2, 10, 1, 6
_SOCK_TYPE_MASK = 0xF

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Which column of the tables, and what seccomp calls the architecture."""

_LOAD, _EQUAL, _ANY, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x54, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


def _refuse(numbers: Iterable[int], error: int) -> bytes:
    return b"".join(
        _step(_EQUAL, number, 0, 1) + _step(_RETURN, _ERRNO | error) for number in numbers
    )


def seccomp_program(machine: str, *, keep_group: bool, inet: str) -> bytes:
    """
    A filter for the machine's kernel, as the instructions of its virtual machine.

    It is a list of what is refused, so that programs in any language run. `inet` says which
    Internet sockets are allowed: `none`, `tcp` or `any`; Unix sockets always are. `keep_group`
    keeps a tree in one process group. Raises OSError for a machine whose calls are not known here.
    """
    if machine not in _MACHINES:
        raise OSError(errno.ENOSYS, f"no table of system calls for {machine}")
    column, architecture = _MACHINES[machine]
    forbidden = _FORBIDDEN | (_KEEPS_GROUP if keep_group else {})
    program = _step(_LOAD, _ARCHITECTURE)
    program += _step(_EQUAL, architecture, 1, 0) + _step(_RETURN, _ERRNO | errno.ENOSYS)
    program += _step(_LOAD, _NUMBER)
    # The numbers of the x32 interface would go past the list.
    program += _step(_AT_LEAST, 0x40000000, 0, 1) + _step(_RETURN, _ERRNO | errno.ENOSYS)
    program += _refuse((pair[column] for pair in forbidden.values()), errno.EPERM)
    program += _refuse((pair[column] for pair in _ABSENT.values()), errno.ENOSYS)
    program += _step(_EQUAL, _CLONE[column], 0, 4) + _step(_LOAD, _ARGUMENTS)
    program += _step(_ANY, _NAMESPACES, 0, 1) + _step(_RETURN, _ERRNO | errno.EPERM)
    program += _step(_RETURN, _ALLOW)
    return program + _socket_rules(_SOCKET[column], inet=inet)


def _socket_rules(number: int, *, inet: str) -> bytes:
    allow, refuse = _step(_RETURN, _ALLOW), _step(_RETURN, _ERRNO | errno.EAFNOSUPPORT)
    rules = _step(_EQUAL, number, 1, 0) + allow + _step(_LOAD, _ARGUMENTS)
    rules += _step(_EQUAL, _AF_UNIX, 0, 1) + allow
    if inet == "any":
        rules += _step(_EQUAL, _AF_INET, 1, 0) + _step(_EQUAL, _AF_INET6, 0, 1) + allow
    elif inet == "tcp":  # a stream, and not one of another protocol, which Landlock would not see
        rules += _step(_EQUAL, _AF_INET, 2, 0) + _step(_EQUAL, _AF_INET6, 1, 0) + refuse
        rules += _step(_LOAD, _ARGUMENTS + 8) + _step(_AND, _SOCK_TYPE_MASK)
        rules += _step(_EQUAL, _SOCK_STREAM, 1, 0) + refuse + _step(_LOAD, _ARGUMENTS + 16)
        rules += _step(_EQUAL, 0, 1, 0) + _step(_EQUAL, _IPPROTO_TCP, 0, 1) + allow
    return rules + refuse


def filter_calls(*, keep_group: bool, inet: str) -> None:
    """Refuse system calls that no bot needs, from now on; see `seccomp_program`."""
    program = seccomp_program(platform.machine(), keep_group=keep_group, inet=inet)
    steps = ctypes.create_string_buffer(program, len(program))
    count = len(program) // 8
    # struct sock_fprog: a count, padding, a pointer.
    head = ctypes.create_string_buffer(struct.pack("=HxxxxxxQ", count, ctypes.addressof(steps)))
    prctl(PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(head))


# ---- Landlock ----------------------------------------------------------------------------------

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG, _RULE_PATH, _RULE_PORT = 1, 1, 2
_NO_FLAGS = ctypes.c_uint32(0)

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | 1 << 14 | 1 << 15
_RIGHTS_BY_VERSION = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many rights over files each version of Landlock knows; later ones know as many as 5."""
_CONNECT = 2
_NETWORK_RIGHTS = 3  # bind and connect, TCP
_SCOPES = 3  # abstract sockets and signals
_NETWORK_VERSION, _SCOPE_VERSION = 4, 6


def landlock_version() -> int:
    """What the kernel's Landlock calls itself; 0 where there is none."""
    try:
        return _syscall(
            _CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_FLAG)
        )
    except OSError:
        return 0


def _allow_path(ruleset: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # not there, so nothing to allow
        return
    try:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            rights &= _FILE_RIGHTS
        if rights:
            rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, fd))
            _syscall(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_RULE_PATH), rule, _NO_FLAGS)
    finally:
        os.close(fd)


def restrict_files(
    *,
    readable: Iterable[str],
    listable: Iterable[str],
    writable: Iterable[str],
    port: int | None,
    network: bool = True,
) -> None:
    """
    Allow these files and folders, and what is below them, and no others, from now on.

    Readable also means executable; of a listable folder only the names are seen. From version 4
    on, if `network`, no TCP but to `port`; from 6 on no signals and no abstract sockets out of the
    sandbox. Nothing happens where the kernel has no Landlock.
    """
    version = landlock_version()
    if not version:
        return
    every = (1 << _RIGHTS_BY_VERSION.get(version, 16)) - 1
    connections = _NETWORK_RIGHTS if network and version >= _NETWORK_VERSION else 0
    scopes = _SCOPES if version >= _SCOPE_VERSION else 0
    size = 24 if scopes else 16 if connections else 8
    fields = struct.pack("QQQ", every, connections, scopes)[:size]
    attributes = ctypes.create_string_buffer(fields, size)
    ruleset = _syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), _NO_FLAGS)
    try:
        for path in readable:
            _allow_path(ruleset, path, _EXECUTE | _READ_FILE | _READ_DIR)
        for path in listable:
            _allow_path(ruleset, path, _READ_DIR)
        for path in writable:
            _allow_path(ruleset, path, every)
        if port is not None and connections:
            rule = ctypes.create_string_buffer(struct.pack("QQ", _CONNECT, port))
            _syscall(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_RULE_PORT), rule, _NO_FLAGS)
        _syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), _NO_FLAGS)
    finally:
        os.close(ruleset)
