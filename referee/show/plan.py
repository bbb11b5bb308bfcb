"""What a league will take: pairings, sets, tables, jobs and processes."""

from typing import Any

from msgspec import Struct
from rich.console import RenderableType
from rich.text import Text

from referee.league.config import League
from referee.league.folder import Folder
from referee.league.plan import Pairing, job_plans, pairings_of
from referee.league.runner import closed_sets
from referee.log import read
from referee.show.page import count, grid, printable, stacked


class Outlook(Struct, frozen=True, kw_only=True):
    """A league and what is left of it to play."""

    league: League
    workers: int
    pairings: list[Pairing]
    left: dict[str, set[int]]
    """Sets still to be played, by pairing id."""
    jobs: int

    @property
    def sets(self) -> int:
        """Sets in all."""
        return self.league.config.sets * len(self.pairings)

    @property
    def sets_left(self) -> int:
        """Sets still to be played."""
        return sum(map(len, self.left.values()))

    @property
    def tables(self) -> int:
        """Tables in a set."""
        return self.league.sides

    @property
    def busy_workers(self) -> int:
        """Workers that will have something to do at once."""
        return min(self.workers, self.jobs)


def outlook(league: League, workers: int, *, retry: bool) -> Outlook:
    """Compare a league with its logs; touches nothing."""
    pairings = pairings_of(league)
    folder = Folder(league.folder)
    left: dict[str, set[int]] = {}
    for pairing in pairings:
        path = folder.log_path(league.game.name, league.game.ruleset, pairing.id)
        left[pairing.id] = set(range(league.config.sets))
        if path.exists() and path.stat().st_size:
            left[pairing.id] -= closed_sets(read(path), retry)
    jobs = job_plans(pairings, league.config.sets, left)
    return Outlook(league=league, workers=workers, pairings=pairings, left=left, jobs=len(jobs))


def headline(league: League, workers: int) -> list[str]:
    """The plan in two lines, whatever has been played of it."""
    config = league.config
    pairings = len(pairings_of(league))
    unit = "" if config.unit == "deal" else " (whole games)"
    busy = min(workers, pairings * config.sets)
    return [
        f"{config.name}: {league.game.name} {printable(league.game.ruleset)}{unit}, "
        f"{count(len(league.entrants), 'entrant')}, {count(pairings, 'pairing')} of "
        f"{count(config.sets, 'set')}, {league.sides} tables a set",
        f"{count(busy, 'worker')} with {processes(league)} bot processes each; "
        f"results in {league.folder}",
    ]


def processes(league: League) -> int:
    """Bot processes of one worker: one for each entrant and seat, unless they are shared."""
    sides = league.sides
    return sides if league.config.isolation == "entrant" else sides * league.game.seats


def plan_page(view: Outlook) -> RenderableType:
    """The whole plan, for a dry run."""
    table = grid(("pairing", "fold"), ("sets", "right"), ("left", "right"))
    for pairing in view.pairings:
        sets, left = view.league.config.sets, len(view.left[pairing.id])
        table.add_row(Text(" + ".join(pairing.entrants)), Text(f"{sets:,}"), Text(f"{left:,}"))
    each = processes(view.league)
    last = [
        f"left to play: {count(view.sets_left, 'set')} of {view.sets:,}, "
        f"{count(view.sets_left * view.tables, 'table')}, in {count(view.jobs, 'job')}",
        f"{view.busy_workers * each} bot processes at once "
        f"({count(view.busy_workers, 'worker')} x {each}), and a small helper process beside each",
    ]
    top = headline(view.league, view.workers)
    return stacked([Text("\n".join(top)), table, Text("\n".join(last))])


def plan_data(view: Outlook) -> dict[str, Any]:
    """The same for programs."""
    league, config = view.league, view.league.config
    return {
        "name": config.name,
        "game": league.game.name,
        "ruleset": league.game.ruleset,
        "unit": config.unit,
        "entrants": [
            {"id": entrant.id, "command": entrant.record.command} for entrant in league.entrants
        ],
        "pairings": [
            {
                "id": pairing.id,
                "entrants": list(pairing.entrants),
                "sets": config.sets,
                "left": len(view.left[pairing.id]),
            }
            for pairing in view.pairings
        ],
        "tables_a_set": view.tables,
        "sets": view.sets,
        "sets_left": view.sets_left,
        "tables_left": view.sets_left * view.tables,
        "jobs": view.jobs,
        "workers": view.busy_workers,
        "processes_a_worker": processes(league),
        "processes": view.busy_workers * processes(league),
        "results": str(league.folder),
    }
