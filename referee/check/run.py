"""The order of a check, and its verdict on every step."""

import sys
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from protocol.messages import Hello
from referee.check.activities import BYE_SECONDS, Activities, Activity, Place
from referee.check.diagnosis import shown
from referee.check.steps import NUMBERS, STEPS, Mistake, Outcome, Report, Result, Skip
from referee.check.watch import Watch
from referee.errors import ConfigError
from referee.games.game import Game
from referee.games.rulesets import KINDS, game_named, kind_named, nearest
from referee.seats.bot import BotCommand
from referee.seats.keeper import TERM_SECONDS
from referee.seats.sandbox import Level

Show = Callable[[str], object]
"""Told what is under way."""

_CLAIMED = frozenset(("fields", "unknown", "again", "end", "tables", "batch", "ping", "bye"))
"""Steps that answer for everything that goes wrong in them, as the same went well before."""

OPTIONAL = (
    "many", "again", "fields", "unknown", "end", "tables", "batch", "ping", "bye", "processes",
    "orphan",
)  # fmt: skip
"""Steps for which something is done that can be left out; the others come with every check."""

_OBSERVED = ("messages", "ids", "once", "legal", "limit", "single")
_MOST_BROKEN = 3
"""After so many rulesets that cannot be played the rest is not tried."""


def all_games(games: Sequence[str] = (), rulesets: Sequence[str] = ()) -> list[Game]:
    """The rulesets of a check, the default one of each game first; all where none is named.

    Raises ConfigError where a name is unknown.
    """
    found = []
    for name in games:
        kind_named(name)
    known = tuple(name for game in games or KINDS for name in KINDS[game].presets)
    for name in rulesets:
        if name not in known:
            raise ConfigError(f"no ruleset is called {name!r}{nearest(name, known)}")
    for kind in KINDS.values():
        if games and kind.name not in games:
            continue
        names = sorted(kind.presets, key=lambda name: name != kind.default)
        found += [game_named(kind.name, name) for name in names if not rulesets or name in rulesets]
    return found


class Check:
    """One check of one bot."""

    def __init__(
        self,
        command: BotCommand,
        games: Sequence[Game],
        *,
        bot: str,
        decision_ms: int = 2000,
        start_ms: int = 30_000,
        steps: Collection[str] = (),
        level: Level = "basic",
        show: Show = lambda _: None,
    ) -> None:
        """`steps` are the keys of those wanted, all where none is given; see OPTIONAL."""
        self.command = command
        self.games = games
        self.bot = bot
        self.steps = steps
        self.level = level
        self.show = show
        self.watch = Watch(decision_ms)
        self.results: dict[str, Result] = {}
        self.start_ms = start_ms
        self.played: list[str] = []

    def run(self) -> Report:
        """Do all steps; the report."""
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="check-") as folder:
            self.activities = Activities(
                self.command, self.watch, Path(folder), self.start_ms / 1000, self.level
            )
            if self._start():
                self._deals()
                self._more()
                self._leaving()
            self._verdicts()
        hello = self.activities.hello
        return Report(
            bot=self.bot,
            name=" ".join(filter(None, (hello.name, hello.version))) if hello else "",
            results=sorted(self.results.values(), key=lambda result: result.number),
            rulesets=self.played,
            decisions=self.watch.decisions(),
            deterministic=self._deterministic(),
            seconds=round(time.monotonic() - began, 3),
        )

    # ---- results -----------------------------------------------------------------------------

    def _set(self, key: str, outcome: Outcome, detail: str, received: bytes = b"") -> None:
        number = NUMBERS[key]
        self.results[key] = Result(
            number=number, key=key, name=STEPS[number - 1].name, outcome=outcome, detail=detail,
            received=shown(received) if received else "",
        )  # fmt: skip

    def _failed(self, key: str) -> bool:
        return key in self.results and self.results[key].outcome == "failed"

    def _blame(self, key: str, mistake: Mistake, where: str = "") -> str:
        """Enter a mistake made during a step; the key of the step that it broke."""
        step = mistake.step or key
        known = step in self.watch.noted or self._failed(step)
        if key in _CLAIMED and step != "limit" and not known:
            step = key
        if not self._failed(step):
            self._set(step, "failed", where + mistake.reason, mistake.received)
        if step != key:
            self._set(key, "skipped", f"cut short by the failure of step {NUMBERS[step]}")
        return step

    def _attempt(self, key: str, activity: Activity) -> None:
        self._show(key)
        try:
            self._set(key, "passed", activity())
        except Skip as reason:
            self._set(key, "skipped", str(reason))
        except Mistake as mistake:
            self._blame(key, mistake)

    def _show(self, key: str, more: str = "") -> None:
        number = NUMBERS[key]
        self.show(f"step {number} of {len(STEPS)}: {STEPS[number - 1].name}{more}")

    # ---- the steps ---------------------------------------------------------------------------

    def _start(self) -> bool:
        """Whether it starts at all."""
        self._show("start")
        try:
            hello, ms = self.activities.start()
        except Mistake as mistake:
            step = self._blame("start", mistake)
            if step != "start":
                self._set("start", "passed", "it ran and spoke")
            return False
        self._set("start", "passed", f"its hello came after {ms:,.0f} ms")
        unknown = [name for name in hello.games if name not in KINDS]
        if unknown and len(unknown) == len(hello.games):
            text = f"its hello.games names no game of this referee: {unknown[0]!r}"
            self._set("hello", "failed", shown((text + nearest(unknown[0], KINDS)).encode()))
            return False
        self._set("hello", "passed", shown(_said(hello, unknown).encode()))
        return True

    def _deals(self) -> None:
        """One deal of every ruleset."""
        hello = self.activities.hello
        assert hello is not None
        games = [game for game in self.games if not hello.games or game.name in hello.games]
        if not games:
            self._set("deals", "failed", f"its hello.games is {hello.games}: none that was asked")
            return
        first: tuple[str, Mistake] | None = None
        broken = 0
        for number, game in enumerate(games):
            place = Place(game, number % game.seats)
            self._show("deals", f": {place.name} ({number + 1} of {len(games)})")
            try:
                self.activities.deal(place)
            except Mistake as mistake:
                broken += 1
                first = first or (place.name, mistake)
                if mistake.step is not None or broken >= _MOST_BROKEN:
                    break
                continue
            self.played.append(place.name)
            self.activities.place = self.activities.place or place
        if first is None:
            self._set("deals", "passed", f"{len(games)} of {len(games)}")
            return
        where, worst = first
        if broken > 1:
            worst.reason += f" ({broken} rulesets failed, {len(self.played)} were played)"
        self._blame("deals", worst, "" if worst.step == "limit" else f"in {where} ")

    def _wanted(self, *keys: str) -> bool:
        """Whether one of these steps is wanted; the others are entered as skipped."""
        if not self.steps or set(keys) & set(self.steps):
            return True
        for key in keys:
            self._set(key, "skipped", "not wanted this time")
        return False

    def _more(self) -> None:
        do = self.activities
        for key, activity in (
            ("many", do.many), ("again", do.again), ("fields", do.fields),
            ("unknown", do.unknown), ("end", do.end), ("tables", do.tables), ("batch", do.batch),
        ):  # fmt: skip
            if self._wanted(key):
                self._attempt(key, activity)

    def _leaving(self) -> None:
        if self._failed("once") and not self.watch.answers:
            self._set("ping", "skipped", f"it answers nothing, see step {NUMBERS['once']}")
        elif self._wanted("ping"):
            self._attempt("ping", self.activities.ping)
        if self._wanted("bye", "processes"):
            self._bye()
        if self._wanted("orphan"):
            self._attempt("orphan", self.activities.orphan)

    def _bye(self) -> None:
        self._show("bye")
        try:
            parting = self.activities.bye()
        except Mistake as mistake:
            self._blame("bye", mistake)
            self._set("processes", "skipped", "it did not get as far as bye")
        else:
            if parting.exit is None:
                text = f"it still runs {BYE_SECONDS:g} s after bye, and would be ended"
                text += f" by SIGTERM now and by SIGKILL {TERM_SECONDS:g} s later"
                self._set("bye", "failed", text)
                self._set("processes", "skipped", "it did not exit")
            else:
                how = parting.exit.describe()
                self._set("bye", "passed", f"after {parting.took_ms:,.0f} ms, {how}")
                self._left(parting.left)

    def _left(self, left: list[str] | None) -> None:
        if sys.platform != "linux":
            self._set("processes", "skipped", "can be seen on Linux only")
            return
        if left is None:
            self._set("processes", "skipped", "its box ends with it, and all that is in it")
            return
        if not left:
            self._set("processes", "passed", "looked for when it had exited")
            return
        more = f" and {len(left) - 1} more" if len(left) > 1 else ""
        text = f"a process that it started outlives it: {shown(left[0].encode(), 70)}{more}"
        self._set("processes", "failed", text)

    # ---- verdicts ----------------------------------------------------------------------------

    def _verdicts(self) -> None:
        """What all that was heard and seen comes to."""
        watch = self.watch
        for key, noted in watch.noted.items():
            if not self._failed(key):
                more = f" ({noted.count} times)" if noted.count > 1 else ""
                self._set(key, "failed", noted.reason + more, noted.received)
        for key in _OBSERVED:
            if key not in self.results and watch.answers:
                self._set(key, "passed", self._seen(key))
        if self.command.transport != "stdio":
            self._set("stdout", "skipped", "its standard output goes nowhere; only over stdio")
        elif "stdout" not in self.results and watch.answers:
            self._set("stdout", "passed", "")
        failed = next((key for key in ("start", "hello") if self._failed(key)), None)
        if failed is None:
            lines = watch.stderr
            text = "nothing"
            if lines:
                text = f"lines: {len(lines):,}; the first: {shown(lines[0].encode(), 100)}"
            self._set("stderr", "passed", text)
            self._set_same()
        for step in STEPS:
            if step.key not in self.results:
                why = f"step {NUMBERS[failed]} failed" if failed else "nothing was answered"
                self._set(step.key, "skipped", why)

    def _seen(self, key: str) -> str:
        watch = self.watch
        if key == "limit":
            found = watch.decisions()
            return (
                f"{found.mean_ms:,.2f} ms on average, {found.slowest_ms:,.1f} ms at most "
                f"({found.where})"
            )
        if key == "single":
            return f"{watch.single:,} such asks"
        return f"{watch.answers:,} answers"

    def _compared(self) -> tuple[bool | None, str]:
        found: tuple[bool | None, str] = (None, "no deal was played twice")
        for name, traces in self.watch.traces.items():
            first, *others = traces
            for other in others:
                for at, (one, two) in enumerate(zip(first, other, strict=False)):
                    if one != two:
                        text = f"not deterministic: in the same deal ({name}) its decision {at + 1}"
                        return False, f"{text} was {one!r}, then {two!r}"
                found = (True, "deterministic: the same deal gives the same answers again")
        return found

    def _deterministic(self) -> bool | None:
        return self._compared()[0]

    def _set_same(self) -> None:
        same, text = self._compared()
        self._set("same", "skipped" if same is None else "passed", text)


def _said(hello: Hello, unknown: list[str]) -> str:
    """A hello for people."""
    games = ", ".join(hello.games) if hello.games else "all games"
    name = " ".join(filter(None, (hello.name, hello.version)))
    parts = [
        *([name] if name else []),
        f"protocol {', '.join(map(str, hello.protocol))}",
        "token right",
        games,
        f"tables {hello.tables:,}",
        "batch" if hello.batch else "no batch",
    ]
    if unknown:
        close = nearest(unknown[0], KINDS)
        parts.append(f"{unknown[0]!r} is no game of this referee{close}")
    return ", ".join(parts)
