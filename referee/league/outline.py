"""`plan.json`: what a league will have played in the end, for whoever looks at its folder.

The runner writes it before the first bot starts. It says nothing that a league file does not say:
games, sets and entrants, never a card or what deals it.
"""

import os

import msgspec
from msgspec import Struct

from referee.errors import LogError
from referee.league.config import League
from referee.league.folder import Folder
from referee.league.plan import pairings_of
from referee.log import Header


class GameOutline(Struct, frozen=True, kw_only=True):
    """One game of the league."""

    game: str
    ruleset: str
    pairings: int
    sets: int
    """Of each pairing."""


class Outline(Struct, frozen=True, kw_only=True):
    """What is planned."""

    games: list[GameOutline]
    entrants: list[str]

    @property
    def sets(self) -> int:
        """All of them."""
        return sum(game.pairings * game.sets for game in self.games)

    def of_log(self, header: Header) -> int:
        """How many sets of a log are planned, numbered from 0; entrants may have been taken out."""
        if not {entrant.id for entrant in header.entrants} <= set(self.entrants):
            return 0
        wanted = (header.game, header.ruleset)
        return next((g.sets for g in self.games if (g.game, g.ruleset) == wanted), 0)


def outline_of(league: League) -> Outline:
    """The outline of a league."""
    pairings = [pairing.game for pairing in pairings_of(league)]
    return Outline(
        games=[
            GameOutline(
                game=game.name, ruleset=game.ruleset, pairings=pairings.count(place),
                sets=league.sets(place),
            )
            for place, game in enumerate(league.games)
        ],
        entrants=[entrant.id for entrant in league.entrants],
    )  # fmt: skip


def write_outline(folder: Folder, league: League) -> None:
    """Write down what is planned, whole or not at all, where it is not there already."""
    data = msgspec.json.format(msgspec.json.encode(outline_of(league)), indent=2) + b"\n"
    if folder.plan.exists() and folder.plan.read_bytes() == data:
        return
    fresh = folder.plan.with_suffix(".new")
    fresh.write_bytes(data)
    os.replace(fresh, folder.plan)


def read_outline(folder: Folder) -> Outline | None:
    """What is planned; None in a folder that does not say so. LogError where it is no plan."""
    try:
        data = folder.plan.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LogError(f"{folder.plan}: cannot be read: {error.strerror}") from None
    try:
        return msgspec.json.decode(data, type=Outline)
    except (msgspec.DecodeError, RecursionError) as error:
        raise LogError(f"{folder.plan}: not a plan of a league: {error}") from None
