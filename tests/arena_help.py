"""Small jobs for tests of the arena, played in this process with real bots."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import to_builtins

from protocol.messages import Time
from referee.arena import Arena
from referee.games.game import Unit
from referee.games.rulesets import game_named
from referee.job import Isolation, Job, Played, Report, SetPlan, Unstartable, Voided
from referee.league.entrants import sample_bots
from referee.league.plan import seatings_of
from referee.log import AnyLine, DealLine, Unplayed, decode_play, lines_of
from referee.rulings import Blame
from referee.seats.bot import BotCommand
from referee.table import PlayRecord

ZOO = Path(__file__).parent / "bad_bots" / "zoo.py"
SECRET = "a5" * 32


def bot(entrant: str, name: str, **env: str) -> BotCommand:
    """A sample bot, or with `zoo:MODE` a misbehaving one."""
    if name.startswith("zoo:"):
        argv = [sys.executable, str(ZOO), name.removeprefix("zoo:")]
    else:
        argv = [sys.executable, str(sample_bots()[name])]
    return BotCommand(entrant=entrant, argv=argv, env=env)


@dataclass
class Outcome:
    """What a job reported, taken apart."""

    reports: list[Report] = field(default_factory=list)

    @property
    def sets(self) -> dict[int, list[AnyLine]]:
        return {r.set: lines_of(r.lines) for r in self.reports if isinstance(r, Played)}

    @property
    def lines(self) -> list[DealLine]:
        found = [line for number in sorted(self.sets) for line in self.sets[number]]
        return [line for line in found if isinstance(line, DealLine)]

    @property
    def plays(self) -> list[PlayRecord]:
        return [decode_play(line.play) for line in self.lines]

    @property
    def unplayed(self) -> list[Unplayed]:
        found = [line for number in sorted(self.sets) for line in self.sets[number]]
        return [line for line in found if isinstance(line, Unplayed)]

    def blame(self, entrant: str) -> list[Blame]:
        """All blame records of an entrant, in order."""
        return [
            blame
            for line, play in zip(self.lines, self.plays, strict=True)
            for blame in line.side.blame
            if play.seats[blame.seat] == entrant
        ]

    @property
    def voided(self) -> list[Voided]:
        return [r for r in self.reports if isinstance(r, Voided)]

    @property
    def unstartable(self) -> list[Unstartable]:
        return [r for r in self.reports if isinstance(r, Unstartable)]


def job(
    folder: Path,
    entrants: Sequence[BotCommand],
    *,
    rules: str = "wikibooks-2",
    sets: int = 1,
    unit: Unit = "deal",
    decision_ms: int = 400,
    bank_ms: int = 0,
    start_ms: int = 5000,
    tables: int = 64,
    started: Sequence[str] = (),
    isolation: Isolation = "seat",
    crashes: int = 3,
) -> Job:
    """A job of the first sets of a pairing."""
    game = game_named("huutopussi", rules)
    ids = [entrant.entrant for entrant in entrants]
    pairing = "+".join(ids)
    return Job(
        game=game.name,
        ruleset=game.ruleset,
        rules=to_builtins(game.rules),
        unit=unit,
        time=Time(decision_ms=decision_ms, bank_ms=bank_ms, increment_ms=0),
        start_ms=start_ms,
        tables=tables,
        started=list(started),
        isolation=isolation,
        crashes=crashes,
        pairing=pairing,
        entrants=list(entrants),
        secret=SECRET,
        sets=[
            SetPlan(
                number=number,
                seatings=seatings_of(game, game.ruleset, pairing, ids, number, SECRET),
            )
            for number in range(sets)
        ],
        stderr_folder=str(folder),
    )


def play(work: Job) -> Outcome:
    """Play a job here and now."""
    outcome = Outcome()
    Arena(work, outcome.reports.append).run()
    return outcome
