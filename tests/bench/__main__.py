"""`python -m tests.bench [--quick] [--profile]`: every figure beside what it is compared with.

With `--profile` only the arena with 64 tables and batches is run, under the profiler.
"""

import cProfile
import os
import pstats
import statistics
import sys
from collections.abc import Callable

from referee.seats.sandbox_choice import finding
from tests.bench.arena import decisions_a_second
from tests.bench.engine import playout_decision, verified_deal
from tests.bench.memory import coordinator_bytes, worker_bytes
from tests.bench.openspiel import DEALS, compared, library
from tests.bench.pingpong import rounds_a_second

QUICK = "--quick" in sys.argv
REPEATS = 2 if QUICK else 3
SECONDS = 0.7 if QUICK else 2.0

WAYS: dict[str, tuple[str, Callable[[], float]]] = {
    "a": ("bare ROUTER-DEALER ping-pong", lambda: rounds_a_second(SECONDS)),
    "b": ("arena, 1 table", lambda: decisions_a_second(1, batch=True, seconds=SECONDS)),
    "c16": ("arena, 16 tables", lambda: decisions_a_second(16, batch=False, seconds=SECONDS)),
    "c16b": (
        "arena, 16 tables, batch",
        lambda: decisions_a_second(16, batch=True, seconds=SECONDS),
    ),
    "c64": ("arena, 64 tables", lambda: decisions_a_second(64, batch=False, seconds=SECONDS)),
    "c64b": (
        "arena, 64 tables, batch",
        lambda: decisions_a_second(64, batch=True, seconds=SECONDS),
    ),
}
if finding("linux").works:
    WAYS |= {
        "r1": (
            "1 table, relays in sandboxes",
            lambda: decisions_a_second(1, batch=True, seconds=SECONDS, sandbox="linux"),
        ),
        "r16b": (
            "16 tables, batch, relays",
            lambda: decisions_a_second(16, batch=True, seconds=SECONDS, sandbox="linux"),
        ),
        "r64b": (
            "64 tables, batch, relays",
            lambda: decisions_a_second(64, batch=True, seconds=SECONDS, sandbox="linux"),
        ),
    }


def throughput(title: str) -> None:
    """Decisions a second of every way in turn, several times over, with ratios to the first."""
    found: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(REPEATS):
        for name, (_, measure) in WAYS.items():
            found[name].append(measure())
    print(f"\n{title}: decisions a second, median of {REPEATS}")
    for name, (text, _) in WAYS.items():
        ratios = [one / base for one, base in zip(found[name], found["a"], strict=True)]
        median, ratio = statistics.median(found[name]), statistics.median(ratios)
        print(f"  {name:5} {text:30} {median:9,.0f}   {ratio:5.2f} of (a)")


def beside_openspiel() -> None:
    """Random play-outs of the games with 52 cards, with ratios to OpenSpiel's hearts."""
    print(f"\nplay-outs beside OpenSpiel's hearts from Python, median of {REPEATS}")
    if library() is None:
        print("  skipped: OpenSpiel is not installed (pip install open_spiel)")
        return
    runs = [list(compared(DEALS // 4 if QUICK else DEALS)) for _ in range(REPEATS)]
    for lines in zip(*runs, strict=True):
        dealing, more, copies, less = (
            statistics.median(line[place] for line in lines) for place in range(1, 5)
        )
        print(
            f"  {lines[0][0]:18} with dealing {dealing:9,.0f}/s  {more:5.2f}   "
            f"from copies {copies:9,.0f}/s  {less:5.2f}"
        )


def profile() -> None:
    """Where the arena's time goes, by function; `send` and `poll` are the bots' time too."""
    profiler = cProfile.Profile()
    profiler.enable()
    decisions_a_second(64, batch=True, seconds=SECONDS)
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


def main() -> None:
    """Print everything."""
    if "--profile" in sys.argv:
        profile()
        return
    throughput("unpinned")
    if hasattr(os, "sched_setaffinity"):
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(cores)})
        throughput("pinned to one core")
        os.sched_setaffinity(0, cores)
    deals = 300 if QUICK else 3000
    print(f"\nrules in process, median of {REPEATS}")
    for ruleset in ("helsinki", "wikibooks-3", "german"):
        costs = [playout_decision(ruleset, deals) for _ in range(REPEATS)]
        loops = statistics.median(cost.loops for cost in costs)
        micro = statistics.median(cost.seconds for cost in costs) * 1e6
        print(f"  play-out decision, {ruleset:12} {micro:6.2f} us   {loops:8.0f} empty loops")
    costs = [verified_deal("helsinki", deals // 3) for _ in range(REPEATS)]
    loops = statistics.median(cost.loops for cost in costs)
    micro = statistics.median(cost.seconds for cost in costs) * 1e6
    print(f"  verified deal, helsinki         {micro:6.1f} us   {loops:8.0f} empty loops")
    beside_openspiel()
    one, many = worker_bytes(1), worker_bytes(64)
    print("\nmemory")
    print(f"  coordinator, idle        {coordinator_bytes() / 1e6:6.1f} MB")
    print(f"  worker, 1 table          {one / 1e6:6.1f} MB")
    print(f"  worker, 64 tables        {many / 1e6:6.1f} MB")
    print(f"  for each further table   {(many - one) / 63 / 1e3:6.1f} kB")


if __name__ == "__main__":
    main()
