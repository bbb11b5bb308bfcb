"""How much memory libzmq holds for what has come to this process and was not read yet.

libzmq takes that memory in a thread of its own, for which glibc keeps a heap apart from the main
thread's. So a league's own tables, notes and lines, which may grow as they must, do not count.
"""

import re
from ctypes import CDLL, byref, c_int, c_size_t, c_void_p, string_at

_LONGEST_MAPPED = 4 << 20
"""Longer than any frame that libzmq takes. What is longer than this is in no heap."""

_M_MMAP_THRESHOLD = -3
_TRIAL_BYTES = 100_000

_HEAP = re.compile(
    rb'<heap nr="(\d+)">.*?<total type="fast" count="\d+" size="(\d+)"/>\s*'
    rb'<total type="rest" count="\d+" size="(\d+)"/>\s*<system type="current" size="(\d+)"/>',
    re.DOTALL,
)


class Heaps:
    """What all threads but the main one have taken from the C library and not given back."""

    def __init__(self) -> None:
        self._library = library = CDLL(None)
        try:
            self._told = library.malloc_info
            self._open, self._close = library.open_memstream, library.fclose
            self._limit, self._take = library.mallopt, library.malloc
            self._free = library.free
        except AttributeError:
            raise OSError("this C library does not tell what its heaps hold") from None
        self._open.restype = self._take.restype = c_void_p
        self._open.argtypes = (c_void_p, c_void_p)
        self._told.argtypes = (c_int, c_void_p)
        self._close.argtypes = self._free.argtypes = (c_void_p,)
        self._take.argtypes = (c_size_t,)
        self._limit(_M_MMAP_THRESHOLD, _LONGEST_MAPPED)
        self._try()

    def _try(self) -> None:
        """See whether it counts; to be made in another thread than the main one."""
        before = self.bytes()
        taken = self._take(_TRIAL_BYTES)
        counted = self.bytes() - before
        self._free(taken)
        if counted < _TRIAL_BYTES:
            raise OSError("the heaps of this C library are not where memory is taken from")

    def bytes(self) -> int:
        """So much is in use."""
        text, size = c_void_p(), c_size_t()
        stream = self._open(byref(text), byref(size))
        if not stream:
            raise OSError("no memory for what the C library tells of its heaps")
        self._told(0, stream)
        self._close(stream)
        told = string_at(text.value or 0, size.value)
        self._free(text)
        return sum(
            int(taken) - int(fast) - int(rest)
            for number, fast, rest, taken in _HEAP.findall(told)
            if number != b"0"
        )
