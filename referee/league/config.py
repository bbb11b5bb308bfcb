"""A league file: TOML, decoded into frozen structs; every mistake is named with its place."""

import re
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from protocol.messages import Time
from referee.clock import NO_LIMIT_MS
from referee.errors import ConfigError
from referee.games.game import Game
from referee.games.rulesets import game_named, nearest
from referee.job import START_MS, Isolation
from referee.league.entrants import Entrant, EntrantConfig, Name, entrant_of
from referee.league.manifest import MissingTool
from referee.rulings import CRASHES, SOFT_FAULTS
from referee.seats.sandbox import Allowance, Level
from referee.seats.sandbox_choice import AskedLevel

Milliseconds = Annotated[int, Meta(ge=0, le=86_400_000)]


class TimeConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[time]`: the clocks, in milliseconds."""

    decision_ms: Annotated[int, Meta(ge=20, le=86_400_000)] = NO_LIMIT_MS
    """What one decision may take before the bank is used; ten minutes where nothing is said."""
    bank_ms: Milliseconds = 0
    """Spare time of a seat for a whole table."""
    increment_ms: Milliseconds = 0
    """Added to the bank after every decision."""
    start_ms: Annotated[int, Meta(ge=100, le=3_600_000)] = START_MS
    """What a bot may take from its start to its hello."""


class GameConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[[games]]`: one game of a league that plays several."""

    game: str
    rules: str | None = None
    """A ruleset of the game."""
    options: dict[str, Any] = {}
    """Single options on top of it."""
    sets: Annotated[int, Meta(ge=1, le=10_000_000)] | None = None
    """Sets for each pairing, where they are not the league's."""


class LeagueConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A league file."""

    name: Name
    game: str | None = None
    """The game, `huutopussi` when left out."""
    rules: str | None = None
    """A ruleset of the game."""
    options: dict[str, Any] = {}
    """Single options on top of it."""
    games: list[GameConfig] = []
    """Several games in place of one; everybody plays all of them."""
    unit: Literal["deal", "game"] = "deal"
    sets: Annotated[int, Meta(ge=1, le=10_000_000)] = 100
    """Sets for each pairing."""
    time: TimeConfig = TimeConfig()
    soft_faults: Annotated[int, Meta(ge=1, le=1000)] = SOFT_FAULTS
    crashes: Annotated[int, Meta(ge=1, le=1000)] = CRASHES
    isolation: Isolation = "seat"
    sandbox: AskedLevel = "basic"
    """What the bots are kept in; `auto` is the highest level that works here."""
    tables: Annotated[int, Meta(ge=1, le=4096)] = 64
    """Tables in flight for each worker at most; fewer where a bot plays fewer at once."""
    workers: Annotated[int, Meta(ge=0, le=1024)] = 0
    """Worker processes; 0 is one for each core."""
    results: str | None = None
    """The results folder, from the league file's folder; `results/NAME` here when left out."""
    entrants: Annotated[list[EntrantConfig], Meta(min_length=2, max_length=1000)]


class League(Struct, frozen=True, kw_only=True):
    """A league as it will be played: the file with everything resolved."""

    config: LeagueConfig
    games: tuple[Game, ...]
    """One, or those of `[[games]]` in their order."""
    entrants: tuple[Entrant, ...]
    """Sorted by id."""
    folder: Path
    left_out: tuple[str, ...] = ()
    """A line for each optional entrant that cannot play here."""
    hidden: tuple[str, ...] = ()
    """Files that no bot in a sandbox may read, besides the results: where the secret came from."""
    level: Level | None = None
    """What the bots are kept in, once that is settled."""

    @property
    def time(self) -> Time:
        """The clocks as bots are told."""
        time = self.config.time
        return Time(
            decision_ms=time.decision_ms, bank_ms=time.bank_ms, increment_ms=time.increment_ms
        )

    def sets(self, place: int) -> int:
        """Sets of each pairing in the game of this place."""
        own = self.config.games[place].sets if self.config.games else None
        return own or self.config.sets

    def with_sets(self, sets: int) -> "League":
        """The same league with so many sets in every game."""
        games = [replace(game, sets=None) for game in self.config.games]
        return replace(self, config=replace(self.config, sets=sets, games=games))


def read_league(path: Path) -> League:
    """Read a league file; raises ConfigError with the file, the line and what was expected."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8: {error.reason} at byte {error.start}") from None
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    try:
        config = msgspec.convert(values, LeagueConfig)
    except msgspec.ValidationError as error:
        raise ConfigError(_explained(path, text, values, str(error))) from None
    try:
        return league_of(config, path.parent)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def league_of(config: LeagueConfig, base: Path) -> League:
    """Resolve a configuration whose relative paths start from `base`."""
    games = tuple(_games(config))
    entrants: list[Entrant] = []
    left_out: list[str] = []
    for entry in config.entrants:
        try:
            entrants.append(entrant_of(entry, base))
        except MissingTool as error:
            if not entry.optional:
                raise
            left_out.append(f"{entry.id} is left out: {error}")
    entrants.sort(key=lambda entrant: entrant.id)
    for one, other in pairwise(entrants):
        if one.id == other.id:
            raise ConfigError(f"entrants: id = {one.id!r} is given twice; each needs its own")
    for game in games:
        sides = sides_of(game)
        if len(entrants) < sides:
            raise ConfigError(
                f"entrants: {game.name} {game.ruleset} is played by {sides} entrants at a table, "
                f"there are {len(entrants)}"
            )
    folder = base / config.results if config.results else Path("results") / config.name
    return League(
        config=config, games=games, entrants=tuple(entrants), folder=folder,
        left_out=tuple(left_out),
    )  # fmt: skip


def sides_of(game: Game) -> int:
    """How many sides play at a table: entrants in a pairing."""
    return max(game.sides) + 1


def _games(config: LeagueConfig) -> Iterator[Game]:
    if not config.games:
        yield game_named(config.game or "huutopussi", config.rules, config.options)
        return
    for key in ("game", "rules", "options"):
        if value := getattr(config, key):
            raise ConfigError(f"{key} = {value!r}: with [[games]] it belongs to one of those")
    seen: set[tuple[str, str]] = set()
    for entry in config.games:
        game = game_named(entry.game, entry.rules, entry.options)
        if (game.name, game.ruleset) in seen:
            raise ConfigError(
                f"games: {game.name} {game.ruleset} is given twice; each ruleset is played once"
            )
        seen.add((game.name, game.ruleset))
        yield game


def _explained(path: Path, text: str, values: dict[str, Any], problem: str) -> str:
    """A decoding error in words: which key of which file, on which line, and what to write."""
    unknown = re.search(r"unknown field `([^`]+)`(?: - at `\$(.*)`)?", problem)
    if unknown:
        key, place = unknown[1], unknown[2] or ""
        kind: type[Struct] = LeagueConfig
        if place.startswith(".entrants"):
            kind = Allowance if place.endswith(".limits") else EntrantConfig
        elif place.startswith(".time"):
            kind = TimeConfig
        elif place.startswith(".games"):
            kind = GameConfig
        return f"{path}: line {_line_of(text, key)}: unknown key {key!r}" + nearest(
            key, kind.__struct_fields__
        )
    at = re.search(r" - at `\$\.?([^`]*)`", problem)
    if at is None:
        return f"{path}: {problem}"
    keys = re.findall(r"[a-z_]+|\d+", at[1])
    value: Any = values
    for key in keys:
        try:
            value = value[int(key) if key.isdigit() else key]
        except (LookupError, TypeError):
            value = None
    line = _line_of(text, next((k for k in reversed(keys) if not k.isdigit()), ""))
    what = problem[: at.start()].strip()
    return f"{path}: line {line}: {at[1]} = {value!r}: {what}"


def _line_of(text: str, key: str) -> int:
    """The first line that sets a key."""
    pattern = re.compile(rf"(^|[\s{{,\[.])\"?{re.escape(key)}\"?\s*(=|\])")
    for number, line in enumerate(text.splitlines(), 1):
        if pattern.search(line):
            return number
    return 1
