"""Where jobs are played: one fresh process each, so that a dying worker takes nobody with it.

The interface is that of `concurrent.futures`, so that an executor of another kind (a cluster's)
can stand in; ours streams the reports while a job is still being played.
"""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from referee.arena import DRAIN
from referee.job import Job, Report
from referee.league.worker import job_frame, reports_from

ABORT_SECONDS = 1.5
"""How long workers have to end their bots after an abort, before they are killed."""


class FreshProcesses(Executor):
    """Plays each submitted job in a worker process of its own, a given number at once."""

    def __init__(
        self,
        workers: int,
        listener: Callable[[Job, Report], None],
        errors: Path,
    ) -> None:
        self._listener = listener
        """Called with every report as it comes, from a thread of this executor."""
        self._errors = errors
        """Where what workers write to standard error is kept."""
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="job")
        self._lock = threading.Lock()
        self._running: dict[subprocess.Popen[bytes], bool] = {}
        """Workers, and whether they have got their job whole: only then may a word follow it."""
        self._ending = False

    def submit(  # type: ignore[override]
        self, fn: Callable[[Job], Any], job: Job, /
    ) -> "Future[list[Report]]":
        """Play a job; the future's result is the reports that have not been streamed: none."""
        del fn  # always referee.league.worker.play_job, which the worker process runs
        return self._threads.submit(self._play, job)

    def _play(self, job: Job) -> list[Report]:
        with self._errors.open("ab") as errors, self._lock:
            if self._ending:
                return []
            process = subprocess.Popen(
                [sys.executable, "-m", "referee.league.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                # The terminal's Ctrl-C is the coordinator's business alone.
                start_new_session=True,
            )
            self._running[process] = False
        assert process.stdout is not None
        try:
            if _write(process, job_frame(job)):
                with self._lock:
                    self._running[process] = True
                    if self._ending:
                        _write(process, DRAIN)
            for report in reports_from(process.stdout):
                self._listener(job, report)
        finally:
            with self._lock:
                del self._running[process]
                _close(process)
            # Closed before the wait: a worker that is still writing must not block for ever.
            process.stdout.close()
            process.wait()
        if process.returncode and not self._ending:
            raise WorkerDied(process.returncode)
        return []

    def drain(self) -> None:
        """Have every running job finish the sets in flight and begin no new ones."""
        with self._lock:
            self._ending = True
            for process, has_job in self._running.items():
                if has_job:
                    _write(process, DRAIN)

    def abort(self) -> None:
        """End every running job now, with all its bots."""
        with self._lock:
            self._ending = True
            running = list(self._running)
            for process, has_job in self._running.items():
                if has_job:
                    _close(process)
                else:
                    process.kill()  # it has started no bot yet
        deadline = time.monotonic() + ABORT_SECONDS
        for process in running:
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End when the running jobs have ended."""
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)


def _write(process: subprocess.Popen[bytes], data: bytes) -> bool:
    """Write to a worker; False when it is no longer there, which its exit code explains."""
    assert process.stdin is not None
    try:
        process.stdin.write(data)
        process.stdin.flush()
    except (OSError, ValueError):
        return False
    return True


def _close(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    try:
        process.stdin.close()
    except OSError:
        pass


class WorkerDied(Exception):
    """A worker process ended without finishing its job; its exit code."""
