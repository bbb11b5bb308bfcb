"""`referee watch`: follow a running league from another terminal by its logs; writes nothing."""

import math
import sys
import time
from collections import Counter, deque
from pathlib import Path

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from referee.cli.keys import orderly_end
from referee.errors import ConfigError
from referee.games.rulesets import game_from
from referee.league.config import read_league
from referee.league.folder import Folder
from referee.league.outline import Outline, outline_of, read_outline
from referee.league.results import EntrantNotes, LeagueResults, results_of
from referee.log import Header, Log, first_header, read_on
from referee.show.page import Look, console_on, count, duration, look_of, printable, put, signed
from referee.show.standings import ranking
from referee.show.tour import Tour, overall_table, tour_of, tour_page

POLL_SECONDS = 1.0
"""How often the logs are looked at."""

RATE_SECONDS = 60.0
"""How far back rates look: sets come in batches."""


@click.command(
    epilog="\b\nExample: referee watch results/quickstart",
    short_help="Follow a running league from its logs.",
)
@click.argument("path", metavar="FOLDER|LEAGUE.toml")
@click.option(
    "--every", type=click.FloatRange(0.1, 3600), default=5.0, show_default=True,
    help="Seconds between two lines where there is no terminal.",
)
def watch(path: str, every: float) -> None:
    """Follow a running league from another terminal: ranking, faults, how far it is.

    It reads a results folder as its logs grow and writes nothing; the folder of a league file where
    that is named. It ends when the league is complete, or with Ctrl-C.
    """
    place = Path(path)
    planned = None
    if place.is_file():
        league = read_league(place)
        place = league.folder
        planned = outline_of(league).sets
    elif not place.is_dir():
        raise ConfigError(f"{place}: there is no such results folder or league file")
    console = console_on(sys.stdout)
    following = Following(Folder(place), planned)
    with orderly_end():
        if console.is_terminal and not console.is_dumb_terminal:
            _on_screen(following, console)
        else:
            _in_lines(following, console, every)
    put(console, tour_page(following.tour(), look_of(console)))


def _on_screen(following: "Following", console: Console) -> None:
    look = look_of(console)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        while True:
            following.poll(time.monotonic())
            if following.complete:
                return
            live.update(following.page(look, time.monotonic()), refresh=True)
            time.sleep(POLL_SECONDS)


def _in_lines(following: "Following", console: Console, every: float) -> None:
    while True:
        following.poll(time.monotonic())
        line = printable(following.line(time.monotonic()))
        console.print(Text(line), soft_wrap=True)
        console.file.flush()
        if following.complete:
            return
        time.sleep(every)


class Tail:
    """A log read from where it was last read to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header: Header | None = None
        self.ended = False
        self._offset = 0

    def news(self) -> Log | None:
        """Complete sets that have come since; None where nothing has."""
        try:
            if self.path.stat().st_size <= self._offset:
                return None
            if self.header is None and first_header(self.path) is None:
                return None  # it is just being begun
        except OSError as error:
            raise ConfigError(f"{self.path}: cannot be read: {error.strerror}") from None
        # What is read on its own needs the header that it stands under.
        log = read_on(self.path, self._offset, [] if self.header is None else [self.header])
        if log.good_bytes == self._offset:
            return None  # a set that is not complete yet
        self._offset = log.good_bytes
        self.header = log.header
        self.ended = log.end is not None
        return log


class Following:
    """What the logs of a folder say by now."""

    def __init__(self, folder: Folder, planned: int | None = None) -> None:
        self.folder = folder
        self._outline: Outline | None = None
        self._planned = planned
        """Sets in all, where a league file says so."""
        self.results: dict[tuple[str, str], LeagueResults] = {}
        """By game and ruleset."""
        self.sets = 0
        self.done = 0
        """Those of them that are planned, where the folder says what is."""
        self.voids = 0
        self.decisions = 0
        self.lag_ms = 0.0
        self._tails: dict[Path, Tail] = {}
        self._seen: dict[Path, set[int]] = {}
        self._attempts: dict[tuple[Path, int], int] = {}
        """The last void attempt at a set."""
        self._rates: deque[tuple[float, int, int]] = deque()
        self._last: float | None = None
        self._tour: Tour | None = None

    @property
    def complete(self) -> bool:
        """Whether every log has been closed: all that was planned is there."""
        return bool(self._tails) and all(tail.ended for tail in self._tails.values())

    @property
    def planned(self) -> int | None:
        """Sets in all, where that is known."""
        if self._planned is not None:
            return self._planned
        return None if self._outline is None else self._outline.sets

    def poll(self, now: float) -> None:
        """Read what has been written since the last time (now in monotonic seconds)."""
        first = not self._tails
        self._look_at_plan()
        before = self.sets
        for path in self.folder.log_paths():
            tail = self._tails.setdefault(path, Tail(path))
            log = tail.news()
            if log is not None:
                self._tour = None
                self._add(log)
        if self.sets > before and not first:
            self._last = now
        self._rates.append((now, self.sets, self.decisions))
        while len(self._rates) > 2 and now - self._rates[0][0] > RATE_SECONDS:
            self._rates.popleft()

    def _look_at_plan(self) -> None:
        """The plan may come, and change when more is to be played."""
        outline = None if self._planned is not None else read_outline(self.folder)
        if outline != self._outline:
            self._outline = outline
            self.done = 0
            for path, numbers in self._seen.items():
                most = self._most(self._tails[path].header)
                self.done += sum(number < most for number in numbers)

    def _most(self, header: Header | None) -> float:
        """How many sets of a log are planned."""
        if header is None or self._outline is None:
            return math.inf
        return self._outline.of_log(header)

    def _add(self, log: Log) -> None:
        known = self._seen.setdefault(log.path, set())
        if not known.isdisjoint(log.sets):
            self._start_again()  # sets that could not be played have been played after all
            return
        results = self._results_for(log.header)
        for number, attempt in log.voids.items():
            more = attempt - self._attempts.get((log.path, number), 0)
            self._attempts[log.path, number] = attempt
            results.voids += more
            self.voids += more
        for number in sorted(log.sets):
            record = log.sets[number]
            known.add(number)
            pairing = [entrant.id for entrant in record.header.entrants]
            results.add(pairing, number, record.entries)
            self.sets += 1
            self.done += number < self._most(record.header)
            for _, line, _ in record.deals():
                self.decisions += len(line.side.times)
                self.lag_ms = max(self.lag_ms, line.side.lag_ms)

    def _results_for(self, header: Header) -> LeagueResults:
        """The results of a header's game, with its entrants in them."""
        key = (header.game, header.ruleset)
        names = [entrant.id for entrant in header.entrants]
        if key not in self.results:
            self.results[key] = results_of(game_from(*key, header.rules), [])
        results = self.results[key]
        for name in names:
            if name not in results.notes:
                results.notes[name] = EntrantNotes(faults=Counter())
        results.entrants = sorted(results.notes)
        return results

    def _start_again(self) -> None:
        """Forget everything and read all logs anew."""
        self.results, self._tails, self._seen, self._attempts = {}, {}, {}, {}
        self.sets = self.done = self.voids = self.decisions = 0
        self._rates.clear()
        for path in self.folder.log_paths():
            tail = self._tails[path] = Tail(path)
            log = tail.news()
            if log is not None:
                self._add(log)

    # ---- what is shown -----------------------------------------------------------------------

    def tour(self) -> Tour:
        """The standings so far."""
        if self._tour is None:
            headers = [tail.header for tail in self._tails.values() if tail.header is not None]
            levels = "/".join(sorted({header.isolation for header in headers}))
            paths: list[dict[str, Path]] = [{} for _ in self.results]
            places = {key: place for place, key in enumerate(self.results)}
            for path, tail in self._tails.items():
                if (header := tail.header) is not None:
                    paths[places[header.game, header.ruleset]][header.pairing] = path
            unit = headers[0].unit
            found = list(self.results.values())
            self._tour = tour_of(found, unit, levels, self.complete, paths)
        return self._tour

    def page(self, look: Look, now: float) -> RenderableType:
        """The ranking and how far the league is."""
        if not self.sets:
            return Text(self.line(now))
        tour = self.tour()
        table = overall_table(tour, look) if tour.rows else ranking(tour.sheets[0], look)
        return Group(table, Text(self.line(now)))

    def line(self, now: float) -> str:
        """How far the league is, in one line."""
        if not self._tails:
            return f"{self.folder.path}: no logs yet"
        sets, decisions = self._speed()
        parts = [self._sets_text()]
        ended = sum(tail.ended for tail in self._tails.values())
        parts.append(f"{ended} of {count(len(self._tails), 'log')} complete")
        if self.voids:
            parts.append(count(self.voids, "void"))
        if decisions:
            parts.append(f"{decisions:,.0f} decisions a second")
        if self.lag_ms:
            parts.append(f"referee lag {self.lag_ms:.0f} ms at worst")
        if self._last is not None and not self.complete:
            parts.append(f"last set {duration(now - self._last)} ago")
        if self.planned is not None and sets and self.planned > self.done:
            parts.append(f"about {duration((self.planned - self.done) / sets)} left")
        return ", ".join(parts) + self._first()

    def _sets_text(self) -> str:
        if self.planned is None:
            return count(self.sets, "set")
        percent = 100 * self.done // max(self.planned, 1)
        return f"{self.done:,}/{self.planned:,} sets ({percent} %)"

    def _speed(self) -> tuple[float, float]:
        """Sets and decisions a second, lately."""
        (start, sets, decisions), (end, more_sets, more) = self._rates[0], self._rates[-1]
        if end <= start:
            return 0.0, 0.0
        return (more_sets - sets) / (end - start), (more - decisions) / (end - start)

    def _first(self) -> str:
        """Who leads, if anybody does yet."""
        if not self.sets:
            return ""
        tour = self.tour()
        if tour.rows:
            best = tour.rows[0]
            score = None if best.score is None else signed(best.score, 2)
            return "" if score is None else f"; first: {best.entrant} {score}"
        sheet = tour.sheets[0]
        row = sheet.table.rows[0]
        net = signed(row.net.mean, sheet.decimals) if not row.unrated else None
        return "" if net is None else f"; first: {row.entrant} {net}"
