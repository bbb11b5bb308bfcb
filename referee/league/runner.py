"""Runs a league: hands out jobs, appends the sets that come back, knows when it is complete.

Planned work minus what the logs hold is what is left to play, so resuming is running the same
command again, and adding an entrant plays only the pairings that are missing.
"""

import errno
import os
import queue
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Struct, structs, to_builtins

from referee import __version__
from referee.cards import commitment
from referee.errors import ConfigError, LogError, RefereeError
from referee.job import Job, Played, Progress, Report, Unstartable, Voided
from referee.league.config import League
from referee.league.folder import Folder, set_aside, set_aside_from
from referee.league.outline import write_outline
from referee.league.plan import (
    JobPlan,
    Pairing,
    header_of,
    job_of,
    job_plans,
    pairings_of,
    seatings_of,
)
from referee.league.results import LeagueResults, results_of
from referee.league.worker import play_job
from referee.log import (
    End,
    Entry,
    Log,
    Unplayed,
    Void,
    append,
    append_bytes,
    entry_of,
    first_header,
    lines_of,
    read,
)
from referee.rulings import MOST_VOIDS, Blame

MOST_DEATHS = 3
"""So many workers may die over the same job."""

POLL_SECONDS = 0.2

Key = tuple[int, str]
"""What tells a pairing from the others: the place of its game, its id."""


class LeagueState(Struct, kw_only=True):
    """How a running league stands, for whoever shows it."""

    results: list[LeagueResults]
    """By game, in the league's order."""
    planned: int
    """Sets in all."""
    done: int
    """Sets in the logs."""
    before: int
    """Sets that were in the logs when this run began."""
    began: float
    """Monotonic seconds."""
    decisions: int = 0
    tables: int = 0
    lag_ms: float = 0.0
    unstartable: dict[tuple[int, str], Blame]
    """By (place of the game, entrant): a bot may know one game and not another."""


class Watcher(Protocol):
    """Shows a running league."""

    def show(self, state: LeagueState) -> None:
        """Called a few times a second."""
        ...

    def say(self, text: str) -> None:
        """Something that happened, in one line."""
        ...


class Outcome(Struct, frozen=True, kw_only=True):
    """How a run ended."""

    state: LeagueState
    complete: bool
    interrupted: bool
    voided: int
    """Sets not played after three tries."""
    not_playable: int
    commitment: str | None
    """Of the secret that dealt what this run played; None when there was nothing to play."""


class JobInHand(Struct, kw_only=True, eq=False):
    """A job that is being played."""

    plan: JobPlan
    job: Job
    left: set[int]
    """Sets that have not been reported yet."""
    tables: int = 0
    """In flight, when last heard of."""


class NothingStarts(RefereeError):
    """Nothing could be played, since bots cannot be started; nothing was scored."""


class CannotWrite(LogError):
    """The results folder takes no more; the run has stopped, and the logs hold all that counts."""


_NO_ROOM = {
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO,
}  # fmt: skip
"""What a disk says that is full, read-only or broken."""


class Runner:
    """One run of a league into its results folder."""

    def __init__(
        self,
        league: League,
        watcher: Watcher,
        *,
        secret: str | None = None,
        retry: bool = False,
    ) -> None:
        self.league = league
        self.watcher = watcher
        self.folder = Folder(league.folder)
        self.given_secret = secret
        self.retry = retry
        """Play sets again that were not playable, or spoilt too often."""
        self.pairings = pairings_of(league)
        self.logs: dict[Key, Log] = {}
        self.voids: dict[tuple[Key, int], int] = {}
        self.deaths: dict[tuple[Key, int], int] = {}
        """Workers that died over a job, by its pairing and the first set that it had left."""
        self.inbox: queue.SimpleQueue[tuple[JobInHand, Report] | None] = queue.SimpleQueue()
        self.started: set[tuple[int, str]] = set()
        self.failed: dict[tuple[int, str], list[Blame]] = {}
        """Starts that failed though others had not, until a job takes them along to be logged."""
        self.unplayable: list[JobPlan] = []
        self.given_up: list[JobInHand] = []
        """Jobs that no worker has survived."""
        self.interrupts = 0
        self._shown = 0.0

    def run(
        self,
        executor_for: "Callable[[Callable[[Job, Report], None]], Executor]",
        interrupted: Callable[[], int],
    ) -> Outcome:
        """Play what is left to play.

        `executor_for` makes the executor, given the listener for its reports; `interrupted` tells
        how often the user has asked to stop. Raises ConfigError when the folder holds something
        else or is in use, CannotWrite when it takes no more, NothingStarts when no entrant can be
        started.
        """
        self.folder.open_for_writing()
        try:
            plans = self._prepare()
            try:
                if plans:
                    self._play(plans, executor_for, interrupted)
                    self._finish_given_up()
                    self._finish_unplayable()
                return self._outcome()
            except LogError as error:
                raise CannotWrite(_stopped(str(error))) from error
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            where = error.filename or self.folder.path
            text = f"{where}: cannot be written: {error.strerror}"
            raise CannotWrite(_stopped(text)) from error
        finally:
            self.folder.close()

    # ---- what is left ------------------------------------------------------------------------

    def _prepare(self) -> list[JobPlan]:
        """Read the logs, settle the secret, write headers; the jobs that are left."""
        league = self.league
        names = [entrant.id for entrant in league.entrants]
        results = [results_of(game, names) for game in league.games]
        self._check_folder()
        planned = 0
        open_sets: dict[Key, set[int]] = {}
        for pairing in self.pairings:
            log = self._read(pairing)
            missing = set(range(league.sets(pairing.game)))
            planned += len(missing)
            if log is not None:
                self.logs[pairing.key] = log
                self._check(pairing, log)
                missing -= closed_sets(log, self.retry)
                for number, attempts in log.voids.items():
                    again = self.retry or number in log.sets
                    self.voids[pairing.key, number] = 0 if again else attempts
                results[pairing.game].add_log(log)
            open_sets[pairing.key] = missing
        write_outline(self.folder, league)
        left = sum(map(len, open_sets.values()))
        self.state = LeagueState(
            results=results,
            planned=planned,
            done=planned - left,
            before=planned - left,
            began=time.monotonic(),
            unstartable={},
        )
        if not left:
            # Killed between the last set and the end: what is complete is revealed now.
            self.secret = self.folder.secret() or ""
            return []
        self._settle_secret()
        for pairing in self.pairings:
            if open_sets[pairing.key]:
                self._open_log(pairing)
        return job_plans(self.pairings, open_sets)

    def _read(self, pairing: Pairing) -> Log | None:
        path = self._path(pairing)
        if not path.exists() or not path.stat().st_size:
            return None
        if first_header(path) is None:
            set_aside_from(path, 0)  # killed while it was being begun
            return None
        log = read(path)
        set_aside(log)
        return log

    def _check_folder(self) -> None:
        """Refuse a folder that holds another game or other rules."""
        wanted = [
            {"game": game.name, "ruleset": game.ruleset, "rules": to_builtins(game.rules)}
            for game in self.league.games
        ]
        for path in self.folder.log_paths():
            header = first_header(path)
            if header is None:
                continue
            found = {field: getattr(header, field) for field in ("game", "ruleset", "rules")}
            if found in wanted:
                continue
            # The nearest of the league's games is the one that it agrees with longest.
            near = max(wanted, key=lambda game: [game[field] == found[field] for field in found])
            field = next(field for field in found if found[field] != near[field])
            raise ConfigError(
                f"{path}: was played with {field} = {_text(found[field])}, the league now says "
                f"{_text(near[field])}; give the league another results folder"
            )

    def _check(self, pairing: Pairing, log: Log) -> None:
        """Refuse to go on with other bots, rules or clocks than the log was begun with."""
        wanted = header_of(self.league, pairing, log.header.commitment, log.header.referee)
        for field in ("unit", "time", "soft_faults", "isolation"):
            found, now = getattr(log.header, field), getattr(wanted, field)
            if found != now:
                raise ConfigError(
                    f"{log.path}: was played with {field} = {_text(found)}, the league now says "
                    f"{_text(now)}; give the league another results folder"
                )
        sets = self.league.sets(pairing.game)
        if left := [number for number in log.gaps() if number >= sets]:
            raise ConfigError(
                f"{log.path}: sets up to {max(log.sets)} have been begun and set {left[0]} is "
                f"still to be played; sets = {sets} would leave it out for ever"
            )
        for was, entrant in zip(log.header.entrants, wanted.entrants, strict=True):
            if was != entrant:
                raise ConfigError(
                    f"{log.path}: entrant {was.id!r} has changed (its command, version or program "
                    "file); give the new one another id, or the league another results folder"
                )

    def _settle_secret(self) -> None:
        """Go on with the secret of an incomplete league, or commit to a new one."""
        found = self.folder.secret()
        if found is not None and commitment(found) in self.folder.revealed():
            found = None  # killed between its publication and its removal
        given = self.given_secret
        if found is not None and given is not None and found != given:
            raise ConfigError(f"{self.folder.path}: the league was begun with another secret")
        if found is None and given is not None and commitment(given) in self.folder.revealed():
            raise ConfigError("this secret has been revealed; later sets need another one")
        self.secret = found or self.folder.new_secret(given)
        self.watcher.say(f"commitment to the secret (SHA-256): {commitment(self.secret)}")

    def _open_log(self, pairing: Pairing) -> None:
        """See that the log's last header is of this secret."""
        text = commitment(self.secret)
        log = self.logs.get(pairing.key)
        if log is not None and log.header.commitment == text and log.end is None:
            return
        header = header_of(self.league, pairing, text, __version__)
        append(self._path(pairing), [header])

    def _path(self, pairing: Pairing) -> Path:
        game = self.league.games[pairing.game]
        return self.folder.log_path(game.name, game.ruleset, pairing.id)

    # ---- playing -----------------------------------------------------------------------------

    def _play(
        self,
        plans: list[JobPlan],
        executor_for: "Callable[[Callable[[Job, Report], None]], Executor]",
        interrupted: Callable[[], int],
    ) -> None:
        """Keep the executor busy until nothing is left or the user wants to stop."""
        waiting = list(reversed(plans))
        running: dict[Future[list[Report]], JobInHand] = {}
        by_job: dict[int, JobInHand] = {}
        executor = executor_for(lambda job, report: self.inbox.put((by_job[id(job)], report)))
        room = self.league.config.workers or cores()
        try:
            while waiting or running:
                while waiting and len(running) < room and not self.interrupts:
                    plan = waiting.pop()
                    if self._barred(plan):
                        continue
                    hand = JobInHand(plan=plan, job=self._job(plan), left=set(plan.sets))
                    by_job[id(hand.job)] = hand
                    future = executor.submit(play_job, hand.job)
                    running[future] = hand
                    future.add_done_callback(lambda _: self.inbox.put(None))
                if not running:
                    break
                self._listen(POLL_SECONDS)
                ended = [future for future in running if future.done()]
                self._listen(0)  # what a job reports is in the inbox before it is done
                for future in ended:
                    hand = running.pop(future)
                    del by_job[id(hand.job)]
                    self._ended(future, hand, waiting)
                self._show()
                self._stop_if_asked(interrupted(), executor)
        except BaseException:
            _abort(executor)
            raise
        finally:
            executor.shutdown()
            self._listen(0)
            self._show(last=True)

    def _barred(self, plan: JobPlan) -> bool:
        """Whether an entrant of a job cannot be started; its sets are not playable then."""
        game, unstartable = plan.pairing.game, self.state.unstartable
        if not any((game, name) in unstartable for name in plan.pairing.entrants):
            return False
        self.unplayable.append(plan)
        return True

    def _job(self, plan: JobPlan) -> Job:
        folder = self.folder.stderr / self._path(plan.pairing).stem
        folder.mkdir(parents=True, exist_ok=True)
        started = [name for game, name in self.started if game == plan.pairing.game]
        job = job_of(self.league, plan, self.secret, started, str(folder))
        keys = [(name, (plan.pairing.game, name)) for name in plan.pairing.entrants]
        failed = {name: self.failed.pop(key) for name, key in keys if key in self.failed}
        return structs.replace(job, failed=failed)

    def _listen(self, seconds: float) -> None:
        """Take the reports that have come; wait so long for a first one."""
        try:
            item = self.inbox.get(timeout=seconds) if seconds else self.inbox.get_nowait()
            while True:
                if item is not None:
                    hand, report = item
                    self._report(hand, report)
                item = self.inbox.get_nowait()
        except queue.Empty:
            return

    def _report(self, hand: JobInHand, report: Report) -> None:
        """Write down what a job reports."""
        pairing, left = hand.plan.pairing, hand.left
        path = self._path(pairing)
        if isinstance(report, Played):
            if report.set not in left:
                return
            append_bytes(path, report.lines)
            left.discard(report.set)
            self.started.update((pairing.game, name) for name in pairing.entrants)
            self._count(pairing, report.set, report.lines)
        elif isinstance(report, Voided):
            attempt = self.voids.get((pairing.key, report.set), 0) + 1
            self.voids[pairing.key, report.set] = attempt
            line = Void(
                set=report.set, attempt=attempt, reason=report.reason, blame=report.blame
            )
            append(path, [line])
            self.state.results[pairing.game].voids += 1
            self.watcher.say(f"{pairing.id} set {report.set} is void ({attempt}): {report.reason}")
            if attempt >= MOST_VOIDS:
                left.discard(report.set)
                self.state.done += 1
        elif isinstance(report, Unstartable):
            # One that has played by now can start: its next job takes it for a hard fault.
            key = (pairing.game, report.entrant)
            if key in self.started:
                self.failed.setdefault(key, []).append(report.blame)
            elif key not in self.state.unstartable:
                self.state.unstartable[key] = report.blame
                self.watcher.say(f"{report.entrant} cannot be started: {report.blame.message}")
        else:
            self._progress(hand, report)

    def _progress(self, hand: JobInHand, report: Progress) -> None:
        self.state.decisions += report.decisions
        self.state.tables += report.tables - hand.tables
        hand.tables = report.tables
        self.state.lag_ms = max(self.state.lag_ms, report.lag_ms)

    def _count(self, pairing: Pairing, number: int, lines: bytes) -> None:
        """Add a set that has just been logged to the results."""
        self.state.done += 1
        entries = [entry_of(0, line) for line in lines_of(lines)]
        self.state.results[pairing.game].add(pairing.entrants, number, entries)

    def _ended(
        self, future: "Future[list[Report]]", hand: JobInHand, waiting: list[JobPlan]
    ) -> None:
        """A job is over: what it has not played is planned again, or cannot be played."""
        pairing = hand.plan.pairing
        self.state.tables -= hand.tables
        reports: list[Report] = []
        try:
            reports = future.result()
        except CancelledError:
            return
        except Exception as error:
            if isinstance(error, OSError) and error.errno in _NO_ROOM:
                raise  # nobody has died: no worker could be started on such a disk
            # Of this job: another one of the pairing may be none of it. One that goes on a set
            # further each time comes to its end.
            job = (pairing.key, min(hand.left, default=-1))
            deaths = self.deaths[job] = self.deaths.get(job, 0) + 1
            what = f"a worker died over {pairing.id}: {error!r}"
            if deaths >= MOST_DEATHS:
                self.watcher.say(what)
                self._give_up(hand, deaths, error)
                return
            self.watcher.say(f"{what}; playing again")
        for report in reports:
            self._report(hand, report)
        if hand.left == set(hand.plan.sets):  # it has logged nothing
            for name, blames in hand.job.failed.items():
                self.failed.setdefault((pairing.game, name), []).extend(blames)
        if hand.left and not self.interrupts:
            again = JobPlan(pairing=pairing, sets=tuple(sorted(hand.left)))
            if not self._barred(again):
                waiting.append(again)

    def _give_up(self, hand: JobInHand, deaths: int, error: Exception) -> None:
        """Leave a job that no worker survives: it may be a bot's doing, the others are played.

        It is the machine's where nothing else can be played either: then the run ends.
        """
        self.given_up.append(hand)
        lost = {given.plan.pairing.key for given in self.given_up}
        if not self.started and len(lost) >= MOST_DEATHS:
            raise self._all_dead(deaths) from error
        self.watcher.say(
            f"{deaths} workers died over {hand.plan.pairing.id}: it is not tried again; the last "
            f"words are in {self.folder.errors}"
        )

    def _all_dead(self, deaths: int) -> RefereeError:
        pairings = ", ".join(dict.fromkeys(hand.plan.pairing.id for hand in self.given_up))
        return RefereeError(
            f"{deaths} workers died over each of {pairings}, and nothing could be played; the "
            f"last words are in {self.folder.errors}"
        )

    def _finish_given_up(self) -> None:
        """Log the sets over which workers died as spoilt by the referee: nobody is blamed."""
        if not self.given_up or self.interrupts:
            return
        if not self.started and not self.state.before:
            raise self._all_dead(MOST_DEATHS)
        reason = f"{MOST_DEATHS} workers died over its job"
        for hand in self.given_up:
            pairing = hand.plan.pairing
            for number in sorted(hand.left):
                line = Void(set=number, attempt=MOST_VOIDS, reason=reason, blame=[])
                append(self._path(pairing), [line])
                before = self.voids.get((pairing.key, number), 0)
                self.voids[pairing.key, number] = MOST_VOIDS
                self.state.results[pairing.game].voids += MOST_VOIDS - before
                self.state.done += 1

    def _stop_if_asked(self, count: int, executor: Executor) -> None:
        """First request: finish the sets in flight. Second: end at once."""
        if count >= 1 and self.interrupts == 0:
            self.watcher.say("finishing the sets in flight; once more to stop at once")
            drain = getattr(executor, "drain", None)
            if drain is not None:
                drain()
        if count >= 2 and self.interrupts < 2:
            _abort(executor)
        self.interrupts = max(self.interrupts, count)

    def _show(self, last: bool = False) -> None:
        now = time.monotonic()
        if last or now - self._shown >= POLL_SECONDS:
            self._shown = now
            self.watcher.show(self.state)

    # ---- the end -----------------------------------------------------------------------------

    def _finish_unplayable(self) -> None:
        """Log the sets that could not be played; nobody gains by them."""
        state = self.state
        if not state.unstartable:
            return
        if not self.started and state.done == 0:
            reasons = "; ".join(
                f"{entrant} cannot be started: {blame.message}"
                for entrant, blame in sorted(
                    {name: blame for (_, name), blame in state.unstartable.items()}.items()
                )
            )
            raise NothingStarts(f"nothing could be played, nothing was scored: {reasons}")
        if self.interrupts:
            return
        for plan in self.unplayable:
            pairing = plan.pairing
            for number in plan.sets:
                lines = self._not_playable(pairing, number)
                append(self._path(pairing), lines)
                state.done += 1
                entries = [Entry(0, line) for line in lines]
                state.results[pairing.game].add(pairing.entrants, number, entries)

    def _not_playable(self, pairing: Pairing, number: int) -> list[Unplayed]:
        """The lines of a set that cannot be played, with the blame at its first table."""
        game = self.league.games[pairing.game]
        tables = seatings_of(
            game, game.ruleset, pairing.id, pairing.entrants, number, self.secret
        )
        lines = []
        for place, table in enumerate(tables):
            seats = [pairing.entrants[entrant] for entrant in table]
            blame = [
                structs.replace(why, seat=seats.index(name))
                for (at, name), why in self.state.unstartable.items()
                if at == pairing.game and name in seats and place == 0
            ]
            lines.append(
                Unplayed(
                    set=number, table=place, reason="not_playable", seats=seats, nets=None,
                    blame=blame,
                )
            )  # fmt: skip
        return lines

    def _outcome(self) -> Outcome:
        """Close the logs and reveal the secret when everything is there."""
        state = self.state
        complete = state.done >= state.planned
        if complete and self.secret:
            for log in self.folder.read_logs():  # those of entrants taken out since, too
                if log.end is None:
                    append(log.path, [End(sets=len(log.sets), digest=log.digest())])
            self.folder.reveal(self.secret)
        self.folder.tidy()
        return Outcome(
            state=state,
            complete=complete,
            interrupted=self.interrupts > 0,
            voided=sum(times >= MOST_VOIDS for times in self.voids.values()),
            not_playable=sum(len(plan.sets) for plan in self.unplayable),
            commitment=commitment(self.secret) if self.secret else None,
        )


def _stopped(why: str) -> str:
    return f"{why}; the run has stopped, and what is not in the logs does not count"


def _abort(executor: Executor) -> None:
    abort = getattr(executor, "abort", None)
    if abort is not None:
        abort()


def _text(value: object) -> str:
    """A value of a header as a league file has it."""
    return msgspec.json.encode(value).decode()


def closed_sets(log: Log, retry: bool) -> set[int]:
    """Sets of a log that are not to be played (again)."""
    if retry:
        return set(log.sets) - log.unplayable
    return set(log.sets) | {number for number, times in log.voids.items() if times >= MOST_VOIDS}


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
