"""Memory of a worker: idle, and for every table in flight."""

import subprocess
import sys

_PROGRAM = """
import sys, tempfile
from msgspec.structs import replace
from referee.arena import Arena
from tests.bench.arena import bench_job

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

tables = int(sys.argv[1])
most = 0
def report(message):
    global most
    most = max(most, resident())
with tempfile.TemporaryDirectory() as folder:
    Arena(bench_job(tables, batch=True, sets=3 * tables, folder=folder), report).run()
print(most)
"""

_COORDINATOR = """
import referee.cli.main, referee.league.runner
with open("/proc/self/statm") as file:
    print(int(file.read().split()[1]) * 4096)
"""


def worker_bytes(tables: int) -> int:
    """The most that a worker process held while it kept so many tables in flight."""
    return _run(_PROGRAM, str(tables))


def coordinator_bytes() -> int:
    """What the coordinating process holds before it plays."""
    return _run(_COORDINATOR)


def _run(program: str, *arguments: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )
    return int(done.stdout)
