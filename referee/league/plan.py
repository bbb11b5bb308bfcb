"""The plan of a league: a pure function of its configuration and its secret."""

from collections.abc import Iterable, Sequence

from msgspec import Struct, to_builtins

from referee.cards import Draws
from referee.games.game import Game
from referee.job import Job, SetPlan
from referee.league.config import League, sides_of
from referee.league.entrants import Entrant
from referee.league.schedule import cyclic_order, meetings, pairing_id, rounds, seatings
from referee.log import FORMAT, Header
from referee.rulings import UNEXPECTED_MESSAGES
from referee.seats.sandbox_choice import level_of

FIRST_JOB = 2
"""Sets of a pairing's first job, so that everyone soon has met everyone."""

GROWTH, LARGEST_JOB = 2, 64
"""How much larger each next job is, up to a size where starting the bots costs little."""


class Pairing(Struct, frozen=True, kw_only=True):
    """The entrants that meet, by id; the id of the pairing does not depend on who else plays."""

    id: str
    entrants: tuple[str, ...]
    """Sorted."""
    game: int = 0
    """The place of the game among the league's."""

    @property
    def key(self) -> tuple[int, str]:
        """What tells a pairing from all others of its league."""
        return self.game, self.id


class JobPlan(Struct, frozen=True, kw_only=True):
    """Sets of one pairing that one worker is to play."""

    pairing: Pairing
    sets: tuple[int, ...]


def pairings_of(league: League) -> list[Pairing]:
    """Who meets whom, in the order of play."""
    ids = [entrant.id for entrant in league.entrants]
    found = []
    for place, game in enumerate(league.games):
        for meeting in meetings(len(ids), sides_of(game)):
            members = tuple(sorted(ids[entrant] for entrant in meeting))
            found.append(Pairing(id=pairing_id(members), entrants=members, game=place))
    return found


def seatings_of(
    game: Game, ruleset: str, pairing: str, entrants: Sequence[str], set_number: int, secret: str
) -> list[list[int]]:
    """Who sits where in a set: for each table, for each seat, the entrant's place.

    Two sides swap; individuals rotate, in an order drawn for each set from the secret.
    """
    if len(set(game.sides)) == 2:
        tables = seatings("swap", game.seats, game.sides, (0, 1))
    else:
        text = f"order|{secret}|{game.name}|{ruleset}|{pairing}|{set_number}"
        order = cyclic_order(len(entrants), Draws(text).below)
        tables = seatings("rotate", game.seats, game.sides, order)
    return [list(table) for table in tables]


def logged_seatings(
    header: Header, set_number: int, secret: str | None, game: Game
) -> list[list[str]] | None:
    """Who must sit where in a logged set; None where only the unrevealed secret would tell."""
    rotate = len(set(game.sides)) > 2
    if rotate and secret is None:
        return None
    ids = [entrant.id for entrant in header.entrants]
    tables = seatings_of(game, header.ruleset, header.pairing, ids, set_number, secret or "")
    return [[ids[place] for place in table] for table in tables]


def job_plans(
    pairings: Sequence[Pairing], open_sets: dict[tuple[int, str], set[int]]
) -> list[JobPlan]:
    """The jobs of a league in order, less what has been played already."""
    plans = []
    sets = 1 + max((max(numbers) for numbers in open_sets.values() if numbers), default=-1)
    for batch in rounds(pairings, sets, FIRST_JOB, GROWTH, LARGEST_JOB):
        for pairing, numbers in batch:
            wanted = tuple(n for n in numbers if n in open_sets[pairing.key])
            if wanted:
                plans.append(JobPlan(pairing=pairing, sets=wanted))
    return plans


def job_of(
    league: League, plan: JobPlan, secret: str, started: Iterable[str], stderr_folder: str
) -> Job:
    """The job that plays these sets."""
    game, config = league.games[plan.pairing.game], league.config
    entrants = {entrant.id: entrant for entrant in league.entrants}
    members = plan.pairing.entrants
    return Job(
        game=game.name,
        ruleset=game.ruleset,
        rules=to_builtins(game.rules),
        unit=config.unit,
        time=league.time,
        start_ms=config.time.start_ms,
        soft_faults=config.soft_faults,
        unexpected_messages=UNEXPECTED_MESSAGES,
        crashes=config.crashes,
        isolation=config.isolation,
        tables=config.tables,
        pairing=plan.pairing.id,
        entrants=[entrants[name].command for name in members],
        started=[name for name in members if name in set(started)],
        secret=secret,
        sets=[
            SetPlan(
                number=number,
                seatings=seatings_of(
                    game, game.ruleset, plan.pairing.id, members, number, secret
                ),
            )
            for number in plan.sets
        ],
        stderr_folder=stderr_folder,
        sandbox=league.level or level_of(config.sandbox),
        hidden=[str(league.folder.absolute()), *league.hidden],
    )


def header_of(league: League, pairing: Pairing, commitment: str, referee: str) -> Header:
    """The header of a pairing's log."""
    game, config = league.games[pairing.game], league.config
    entrants: dict[str, Entrant] = {entrant.id: entrant for entrant in league.entrants}
    two_sides = len(set(game.sides)) == 2
    return Header(
        format=FORMAT,
        referee=referee,
        game=game.name,
        ruleset=game.ruleset,
        rules=to_builtins(game.rules),
        unit=config.unit,
        time=league.time,
        soft_faults=config.soft_faults,
        pairing=pairing.id,
        entrants=[entrants[name].record for name in pairing.entrants],
        seating="swap" if two_sides else "rotate",
        tables=2 if two_sides else sides_of(game),
        isolation=config.isolation,
        commitment=commitment,
        sandbox=league.level or level_of(config.sandbox),
    )
