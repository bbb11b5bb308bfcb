"""The report of a league that is still being played, made anew when its logs have grown.

It reads nothing but logs, and of them nothing but complete sets: the lines of a set are appended
when its last table ends, and what is cut short at the end of a log is left out. So the deals of
a set are withheld until nobody plays it any more, and no page tells of a hand that is being held.
"""

import time
from collections.abc import Callable
from hashlib import sha256
from threading import Lock

from msgspec import Struct

from referee.errors import RefereeError
from referee.league.folder import Folder
from referee.log import Log, first_header, read
from referee.show.page import printable
from referee.show.report.data import facts_of
from referee.show.report.markup import Replays, text
from referee.show.report.page import document, report_page
from referee.show.tour import tour_from

SECONDS = 3.0
"""So often, at most, logs are looked at."""

_REST = 4.0
"""After a report that took long to make there is a rest this many times as long: where a league
runs on the same cores, most of the time is for its bots."""

Stamp = tuple[tuple[str, int, int], ...]
"""Name, size and time of change of each log."""


class Newest(Struct, frozen=True, kw_only=True):
    """A report as it stands."""

    html: str
    """The same page that `referee report` writes, or one that says why there is none yet."""
    trouble: str = ""
    """Why logs could not be read since; the page is the last one that could be made."""

    @property
    def version(self) -> str:
        """Changes whenever the page does."""
        return sha256(self.html.encode("utf-8")).hexdigest()[:32]


class Watched:
    """A results folder whose report is asked for again and again, from any thread."""

    def __init__(self, folder: Folder, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder = folder
        self._clock = clock
        self._lock = Lock()
        self._newest: Newest | None = None
        self._stamp: Stamp | None = None
        self._next = 0.0

    def newest(self) -> Newest:
        """The report of the sets that are finished; the last one while another is being made."""
        known = self._newest
        if not self._lock.acquire(blocking=known is None):
            assert known is not None
            return known
        try:
            now = self._clock()
            if self._newest is None or now >= self._next:
                self._look()
                after = self._clock()
                self._next = after + max(SECONDS, _REST * (after - now))
            assert self._newest is not None
            return self._newest
        finally:
            self._lock.release()

    def _look(self) -> None:
        stamp = self._stamped()
        if self._newest is not None and stamp == self._stamp:
            return
        # Stamped before they are read: what comes in between is seen the next time.
        self._stamp = stamp
        try:
            self._newest = Newest(html=_page(self.folder))
        except RefereeError as error:
            trouble = printable(str(error))
            html = _notice(trouble) if self._newest is None else self._newest.html
            self._newest = Newest(html=html, trouble=trouble)

    def _stamped(self) -> Stamp:
        found = []
        for path in self.folder.log_paths():
            try:
                there = path.stat()
            except OSError:
                continue  # gone since it was listed
            found.append((path.name, there.st_size, there.st_mtime_ns))
        return tuple(found)


def _page(folder: Folder) -> str:
    logs = _begun(folder)
    tour = tour_from(logs) if logs else None
    games = [facts_of(sheet) for sheet in tour.sheets if sheet.results.results] if tour else []
    if tour is None or not games:
        return _notice("No set is finished yet.")
    return report_page(tour, games, Replays())


def _begun(folder: Folder) -> list[Log]:
    """The logs that have their first line; the one that is being opened just now has not."""
    found = []
    for path in folder.log_paths():
        try:
            begun = first_header(path) is not None
        except OSError:
            begun = False
        if begun:
            found.append(read(path))
    return found


def _notice(said: str) -> str:
    return document("Report", f"<h1>Report</h1>\n<p>{text(said)}</p>\n")
