"""Numbered pieces of a file that are not kept, but read again when they are asked for."""

from array import array
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Generic, TypeVar

from referee.errors import LogError

T = TypeVar("T")


KEPT_BYTES = 2 << 20
"""Of the beginning of a file: what is made of it is kept, so that a small one is read once."""


class Pieces(Mapping[int, T], Generic[T]):
    """Pieces of a file by number, each made anew of its bytes whenever it is asked for.

    What is kept is where each lies, so a million of them take little memory. It is for files that
    grow at their end and are not changed before it: what has been found stays where it is.
    """

    def __init__(
        self, path: Path, data: bytes | None, made: Callable[[int, bytes, int, int], T]
    ) -> None:
        self._path = path
        self._data = data
        """The whole file, where it is none."""
        self._made = made
        """Makes a piece of its number, its bytes and the two numbers kept with it."""
        self._place: dict[int, int] = {}
        self._kept: dict[int, T] = {}
        self._known = array("q")
        """For each place: offset, bytes, and two numbers more."""

    def put(self, number: int, offset: int, size: int, one: int, other: int, made: T) -> None:
        """A piece has been found; one of the same number before it does not count any more."""
        self._kept.pop(number, None)
        if offset + size <= KEPT_BYTES:
            self._kept[number] = made
        place = self._place.pop(number, len(self._known))
        self._place[number] = place  # in the order of the file
        self._known[place : place + 4] = array("q", (offset, size, one, other))

    def __getitem__(self, number: int) -> T:
        if number in self._kept:
            return self._kept[number]
        place = self._place[number]
        offset, size, one, other = self._known[place : place + 4]
        if self._data is not None:
            return self._made(number, self._data[offset : offset + size], one, other)
        try:
            with self._path.open("rb", buffering=0) as file:
                file.seek(offset)
                data = file.read(size)
        except OSError as error:
            raise unreadable(self._path, error) from None
        if data is None or len(data) != size:
            raise LogError(f"{self._path}: it was changed while it was being read")
        return self._made(number, data, one, other)

    def __contains__(self, number: object) -> bool:
        return number in self._place

    def __iter__(self) -> Iterator[int]:
        return iter(self._place)

    def __len__(self) -> int:
        return len(self._place)


def unreadable(path: Path, error: OSError) -> LogError:
    """What to say of a log that cannot be read."""
    return LogError(f"{path}: cannot be read: {error.strerror}")
