"""What a league will take: pairings, sets, tables, jobs and processes."""

from typing import Any

from msgspec import Struct
from rich.console import RenderableType
from rich.text import Text

from referee.clock import NO_LIMIT_MS
from referee.league.config import League, sides_of
from referee.league.folder import Folder
from referee.league.plan import Pairing, job_plans, pairings_of
from referee.league.runner import closed_sets, cores
from referee.log import first_header, read
from referee.show.page import count, grid, printable, stacked


class Outlook(Struct, frozen=True, kw_only=True):
    """A league and what is left of it to play."""

    league: League
    workers: int
    pairings: list[Pairing]
    left: dict[tuple[int, str], set[int]]
    """Sets still to be played, by the keys of pairings."""
    jobs: int

    @property
    def sets(self) -> int:
        """Sets in all."""
        return sum(self.league.sets(pairing.game) for pairing in self.pairings)

    @property
    def sets_left(self) -> int:
        """Sets still to be played."""
        return sum(map(len, self.left.values()))

    @property
    def tables_left(self) -> int:
        """Tables still to be played."""
        sides = [sides_of(game) for game in self.league.games]
        return sum(sides[place] * len(sets) for (place, _), sets in self.left.items())

    @property
    def busy_workers(self) -> int:
        """Workers that will have something to do at once."""
        return min(self.workers, self.jobs)


def outlook(league: League, workers: int, *, retry: bool) -> Outlook:
    """Compare a league with its logs; touches nothing."""
    pairings = pairings_of(league)
    folder = Folder(league.folder)
    left: dict[tuple[int, str], set[int]] = {}
    for pairing in pairings:
        game = league.games[pairing.game]
        path = folder.log_path(game.name, game.ruleset, pairing.id)
        left[pairing.key] = set(range(league.sets(pairing.game)))
        if path.exists() and first_header(path) is not None:
            left[pairing.key] -= closed_sets(read(path), retry)
    jobs = job_plans(pairings, left)
    return Outlook(league=league, workers=workers, pairings=pairings, left=left, jobs=len(jobs))


def headline(league: League, workers: int) -> list[str]:
    """The plan in short, whatever has been played of it: a line for each game, and one more."""
    config = league.config
    pairings = pairings_of(league)
    unit = "" if config.unit == "deal" else " (whole games)"
    entrants = count(len(league.entrants), "entrant")
    busy = min(workers, sum(league.sets(pairing.game) for pairing in pairings))
    several = len(league.games) > 1
    lines = [f"{config.name}: {count(len(league.games), 'game')}, {entrants}"] if several else []
    for place, game in enumerate(league.games):
        meetings = sum(pairing.game == place for pairing in pairings)
        lines.append(
            ("  " if several else f"{config.name}: ")
            + f"{game.name} {printable(game.ruleset)}{unit}, "
            + ("" if several else f"{entrants}, ")
            + f"{count(meetings, 'pairing')} of {count(league.sets(place), 'set')}, "
            f"{sides_of(game)} tables a set"
        )
    return [
        *lines,
        f"{count(busy, 'worker')} with {'up to ' * several}{processes(league)} bot processes each; "
        f"results in {league.folder}",
        *crowding(league, busy, cores()),
    ]


def crowding(league: League, workers: int, cores: int) -> list[str]:
    """A warning, where more bots may think at once than there are cores for them.

    One seat thinks at a time at each table, and no more at once than a worker has processes; how
    many tables it has in flight is known only when its bots have said how many they play at once.
    No clock, no warning: ten minutes are enough on a busy machine, too.
    """
    thinking = workers * min(league.config.tables, processes(league))
    if thinking <= cores or league.time.decision_ms >= NO_LIMIT_MS:
        return []
    return [
        f"warning: up to {thinking} bots may think at once on {count(cores, 'core')}: "
        "their clocks run while they wait for one"
    ]


def processes(league: League) -> int:
    """Bot processes of one worker: one for each entrant and seat, unless they are shared."""
    shared = league.config.isolation == "entrant"
    return max(sides_of(game) * (1 if shared else game.seats) for game in league.games)


def plan_page(view: Outlook) -> RenderableType:
    """The whole plan, for a dry run."""
    league = view.league
    several = len(league.games) > 1
    game = [("game", "left")] if several else []
    table = grid(*game, ("pairing", "fold"), ("sets", "right"), ("left", "right"))
    for pairing in view.pairings:
        sets, left = league.sets(pairing.game), len(view.left[pairing.key])
        table.add_row(
            *([Text(league.games[pairing.game].ruleset)] if several else []),
            Text(" + ".join(pairing.entrants)), Text(f"{sets:,}"), Text(f"{left:,}"),
        )  # fmt: skip
    each = processes(view.league)
    last = [
        f"left to play: {count(view.sets_left, 'set')} of {view.sets:,}, "
        f"{count(view.tables_left, 'table')}, in {count(view.jobs, 'job')}",
        f"{view.busy_workers * each} bot processes at once "
        f"({count(view.busy_workers, 'worker')} x {each}), and a small helper process beside each",
    ]
    top = [*view.league.left_out, *headline(view.league, view.workers)]
    return stacked([Text("\n".join(top)), table, Text("\n".join(last))])


def plan_data(view: Outlook) -> dict[str, Any]:
    """The same for programs."""
    league, config = view.league, view.league.config
    return {
        "name": config.name,
        "unit": config.unit,
        "games": [
            {
                "game": game.name,
                "ruleset": game.ruleset,
                "sets": league.sets(place),
                "tables_a_set": sides_of(game),
            }
            for place, game in enumerate(league.games)
        ],
        "entrants": [
            {"id": entrant.id, "command": entrant.record.command} for entrant in league.entrants
        ],
        "pairings": [
            {
                "game": league.games[pairing.game].name,
                "ruleset": league.games[pairing.game].ruleset,
                "id": pairing.id,
                "entrants": list(pairing.entrants),
                "sets": league.sets(pairing.game),
                "left": len(view.left[pairing.key]),
            }
            for pairing in view.pairings
        ],
        "sets": view.sets,
        "sets_left": view.sets_left,
        "tables_left": view.tables_left,
        "jobs": view.jobs,
        "workers": view.busy_workers,
        "processes_a_worker": processes(league),
        "processes": view.busy_workers * processes(league),
        "left_out": list(league.left_out),
        "results": str(league.folder),
    }
