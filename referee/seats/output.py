"""What a bot writes to standard error: bounded, and safe to show. Standard library only."""

import os
from typing import Any

LINES, LINE_CHARS = 20, 400


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
        """Take in what has been written."""
        self.total += len(chunk)
        room = self._half - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        del self._tail[: -self._half or None]

    def lines(self) -> dict[str, Any]:
        """The first and the last lines; those of a short text are all among the first."""
        head, _, tail = self._parts()
        first, last = (
            [line[:LINE_CHARS] for line in part.split("\n") if line] for part in (head, tail)
        )
        last = (last or first[LINES:])[-LINES:]
        return {"stderr_first": first[:LINES], "stderr_last": last, "stderr_bytes": self.total}

    def save(self) -> None:
        """Write it to the file, if there is one."""
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
