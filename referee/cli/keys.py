"""Single keys from a terminal, which is left as it was found: also after errors and signals."""

import os
import select
import signal
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_NAMES = {
    b"\r": "enter",
    b"\n": "enter",
    b"\x7f": "backspace",
    b"\b": "backspace",
    b"\x1b": "escape",
}
_SEQUENCES = {
    b"A": "up", b"B": "down", b"C": "right", b"D": "left", b"H": "home", b"F": "end",
    b"1~": "home", b"7~": "home", b"4~": "end", b"8~": "end", b"5~": "page up",
    b"6~": "page down",
}  # fmt: skip
"""What terminals send for keys without a letter, after `ESC [` or `ESC O`."""

_REST_SECONDS = 0.05
"""So soon the rest of a key's sequence follows; after that it was the key Escape."""


class Keyboard:
    """A terminal's keys, one by one."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._left = b""
        self.closed = False
        """Whether the terminal has gone."""

    def next(self, seconds: float) -> str | None:
        """The next key, a letter or a name; None when none came in time."""
        if not self._left and not self._fill(seconds):
            return None
        if self._left[:1] == b"\x1b" and len(self._left) < 3:
            self._fill(_REST_SECONDS)
        key, self._left = split(self._left)
        return key

    def _fill(self, seconds: float) -> bool:
        if not select.select([self._handle], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._handle, 256)
        except OSError:
            data = b""
        self.closed = self.closed or not data
        self._left += data
        return bool(data)


def split(data: bytes) -> tuple[str, bytes]:
    """The first key of what a terminal sent, and the rest; an empty key where it means nothing.

    >>> split(b"\\x1b[Cq"), split(b"n"), split(b"\\x1b")
    (('right', b'q'), ('n', b''), ('escape', b''))
    """
    if data[:2] in (b"\x1b[", b"\x1bO"):
        end = 2
        while end < len(data) and not 0x40 <= data[end] <= 0x7E:
            end += 1
        return _SEQUENCES.get(data[2 : end + 1], ""), data[end + 1 :]
    if data[:1] in _NAMES:
        return _NAMES[data[:1]], data[1:]
    length = next((n for n in (1, 2, 3, 4) if _is_letter(data[:n])), 1)
    return data[:length].decode("utf-8", "ignore"), data[length:]


def _is_letter(data: bytes) -> bool:
    try:
        return len(data.decode("utf-8")) == 1
    except UnicodeDecodeError:
        return False


@contextmanager
def orderly_end() -> Iterator[None]:
    """SIGTERM and SIGHUP become SystemExit with 128 + signal, so that the screen is put right."""

    def leave(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    handlers = {
        number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextmanager
def keyboard(handle: int) -> Iterator[Keyboard]:
    """Keys without Enter and without echo; the terminal is restored whatever happens."""
    before = termios.tcgetattr(handle)
    with orderly_end():
        try:
            tty.setcbreak(handle)
            modes = termios.tcgetattr(handle)
            # Stopped with Ctrl-Z it would leave a screen that nobody can type on.
            modes[6][termios.VSUSP] = b"\x00"
            termios.tcsetattr(handle, termios.TCSANOW, modes)
            yield Keyboard(handle)
        finally:
            try:
                termios.tcsetattr(handle, termios.TCSADRAIN, before)
            except termios.error:
                pass  # the terminal has gone
