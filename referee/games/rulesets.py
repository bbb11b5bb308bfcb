"""Which games there are, which rulesets each has, and how options are read on top of one."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

import msgspec
from msgspec import Struct

from referee.errors import ConfigError
from referee.games import (
    bondtolva,
    bondtolva_options,
    huutopussi,
    huutopussi_options,
    marjapussi,
    marjapussi_options,
    minnesota,
    minnesota_options,
    tuppi,
    tuppi_options,
)
from referee.games.game import Game, Option


class Kind(Struct, frozen=True, kw_only=True):
    """One game: its named rulesets and how to make it from options."""

    name: str
    title: str
    """One line for people."""
    rules: type[Struct]
    presets: Mapping[str, Struct]
    about: Mapping[str, str]
    """One line for each ruleset."""
    default: str
    """The ruleset used when none is named."""
    make: Callable[[Any, str], Game]


KINDS: dict[str, Kind] = {
    "huutopussi": Kind(
        name="huutopussi",
        title="Huutopussi: bid, exchange cards, declare marriages; 2 to 4 players or two pairs",
        rules=huutopussi_options.Rules,
        presets=huutopussi_options.PRESETS,
        about=huutopussi_options.ABOUT,
        default="helsinki",
        make=huutopussi.Huutopussi,
    ),
    "marjapussi": Kind(
        name="marjapussi",
        title="Marjapussi: declare marriages in mid-play, score exactly twelve; 2, 3 or 4 players",
        rules=marjapussi_options.Rules,
        presets=marjapussi_options.PRESETS,
        about=marjapussi_options.ABOUT,
        default="marjapussi",
        make=marjapussi.marjapussi,
    ),
    "bondtolva": Kind(
        name="bondtolva",
        title="Bondtolva: two players with a stock, marriages, exactly twelve",
        rules=bondtolva_options.Rules,
        presets=bondtolva_options.PRESETS,
        about=bondtolva_options.ABOUT,
        default="bondtolva",
        make=bondtolva.Bondtolva,
    ),
    "tuppi": Kind(
        name="tuppi",
        title="Tuppi: most tricks or fewest, or none at all alone; two pairs, 52 cards",
        rules=tuppi_options.Rules,
        presets=tuppi_options.PRESETS,
        about=tuppi_options.ABOUT,
        default="tuppi",
        make=tuppi.Tuppi,
    ),
    "minnesota": Kind(
        name="minnesota",
        title="Minnesota Whist: most tricks or fewest; two pairs, 52 cards",
        rules=minnesota_options.Rules,
        presets=minnesota_options.PRESETS,
        about=minnesota_options.ABOUT,
        default="minnesota",
        make=minnesota.Minnesota,
    ),
}


def nearest(name: str, names: Mapping[str, object] | tuple[str, ...]) -> str:
    """A hint for a misspelt name: `; did you mean "helsinki"?`, or all the names."""
    close = get_close_matches(name, list(names), 1, 0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; expected one of: {', '.join(names)}"


def kind_named(game: str) -> Kind:
    """The game of this name; ConfigError with the nearest name when there is none."""
    if game not in KINDS:
        raise ConfigError(f"no game is called {game!r}{nearest(game, KINDS)}")
    return KINDS[game]


def game_named(
    game: str, ruleset: str | None = None, options: Mapping[str, Any] | None = None
) -> Game:
    """A game by a ruleset's name, with single options set on top.

    With options the ruleset is named after them too (`helsinki[bid_step=10]`), since it decides
    the cards. Raises ConfigError, naming the option, what came and what was expected.
    """
    kind = kind_named(game)
    ruleset = ruleset or kind.default
    if ruleset not in kind.presets:
        hint = nearest(ruleset, kind.presets)
        raise ConfigError(f"{game} has no ruleset called {ruleset!r}{hint}")
    rules = kind.presets[ruleset]
    if options:
        rules = _with_options(kind, rules, options)
        changed = ",".join(f"{name}={options[name]}" for name in sorted(options))
        ruleset = f"{ruleset}[{changed}]"
    return kind.make(rules, ruleset)


def game_from(game: str, ruleset: str, rules: Mapping[str, Any]) -> Game:
    """A game from all its resolved options, as a log's header has them."""
    kind = kind_named(game)
    return kind.make(_converted(kind, dict(rules)), ruleset)


def _with_options(kind: Kind, rules: Struct, options: Mapping[str, Any]) -> Struct:
    known = {option.name: option for option in options_of(kind)}
    for name in options:
        if name not in known:
            raise ConfigError(f"{kind.name} has no option {name!r}{nearest(name, known)}")
    return _converted(kind, msgspec.structs.asdict(rules) | dict(options))


def _converted(kind: Kind, values: dict[str, Any]) -> Struct:
    known = {option.name: option for option in options_of(kind)}
    try:
        return msgspec.convert(values, kind.rules)
    except msgspec.ValidationError as error:
        text = str(error)
        for name, option in known.items():
            if text.endswith(f"`$.{name}`"):
                raise ConfigError(
                    f"{name} = {values[name]!r}: expected {option.values} ({option.meaning})"
                ) from None
        raise ConfigError(f"options of {kind.name}: {text}") from None


def options_of(kind: Kind, ruleset: str | None = None) -> list[Option]:
    """Every option with its meaning, the values it takes and its value in a ruleset."""
    rules = kind.presets[ruleset or kind.default]
    return [
        Option(
            name=field.name,
            default=getattr(rules, field.name),
            values=_values(field.type),
            meaning=_meaning(field.type),
        )
        for field in msgspec.inspect.type_info(kind.rules).fields  # type: ignore[attr-defined]
    ]


def _meaning(kind: msgspec.inspect.Type) -> str:
    if isinstance(kind, msgspec.inspect.Metadata):
        return str((kind.extra_json_schema or {}).get("description", "")) or _meaning(kind.type)
    if isinstance(kind, msgspec.inspect.UnionType):
        return next(filter(None, map(_meaning, kind.types)), "")
    return ""


def _values(kind: msgspec.inspect.Type) -> str:
    inspect = msgspec.inspect
    if isinstance(kind, inspect.Metadata):
        return _values(kind.type)
    if isinstance(kind, inspect.UnionType):
        return " or ".join(map(_values, kind.types))
    if isinstance(kind, inspect.LiteralType):
        return ", ".join(map(str, kind.values))
    if isinstance(kind, inspect.BoolType):
        return "true, false"
    if isinstance(kind, inspect.IntType):
        return f"a whole number {kind.ge} to {kind.le}"
    return "?"
