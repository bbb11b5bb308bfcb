"""What the whole arena does: real bot processes, rules, clocks and logs."""

import sys
import tempfile
import time
from pathlib import Path

from msgspec import to_builtins

from protocol.messages import Time
from referee.arena import Arena
from referee.clock import NO_LIMIT_MS
from referee.games.rulesets import game_named
from referee.job import Job, Played, Report, SetPlan
from referee.league.plan import seatings_of
from referee.log import DealLine, lines_of
from referee.seats.bot import BotCommand
from referee.seats.sandbox import Level

SECRET = "5e" * 32


def bench_job(
    tables: int, *, batch: bool, sets: int, folder: str, sandbox: Level = "basic"
) -> Job:
    """`first_legal` against itself at `helsinki`: four processes, one for each seat.

    Each set is one table here, where a league plays two with the sides swapped.
    """
    game = game_named("huutopussi", "helsinki")
    code = (
        "from sample_bots.python.first_legal import FirstLegal; "
        f"FirstLegal('first_legal', tables={tables}, batch={batch}).run()"
    )
    entrants = [
        BotCommand(entrant=name, argv=[sys.executable, "-c", code], cwd=str(Path.cwd()))
        for name in ("a", "b")
    ]
    return Job(
        game="huutopussi",
        ruleset="helsinki",
        rules=to_builtins(game.rules),
        unit="deal",
        time=Time(decision_ms=NO_LIMIT_MS, bank_ms=0, increment_ms=0),
        tables=tables,
        pairing="a+b",
        entrants=entrants,
        secret=SECRET,
        sets=[
            SetPlan(
                number=number,
                seatings=seatings_of(game, "helsinki", "a+b", ("a", "b"), number, SECRET)[:1],
            )
            for number in range(sets)
        ],
        stderr_folder=folder,
        sandbox=sandbox,
    )


def decisions_a_second(
    tables: int, *, batch: bool, seconds: float, sandbox: Level = "basic"
) -> float:
    """Decisions a second between the first finished set and the last."""
    sets = max(6 * tables, int(seconds * (220 if tables == 1 else 1200)))
    done: list[tuple[float, bytes]] = []

    def report(message: Report) -> None:
        if isinstance(message, Played):
            done.append((time.perf_counter(), message.lines))

    with tempfile.TemporaryDirectory() as folder:
        job = bench_job(tables, batch=batch, sets=sets, folder=folder, sandbox=sandbox)
        Arena(job, report).run()
    # From when all tables are in flight to when the first seat stays empty.
    edge = min(tables, len(done) // 4) or 1
    middle = done[edge : len(done) - edge]
    decisions = sum(
        len(line.side.times)
        for _, lines in middle[1:]
        for line in lines_of(lines)
        if isinstance(line, DealLine)
    )
    return decisions / (middle[-1][0] - middle[0][0])
