"""The games, their rulesets, and every option with its meaning."""

from typing import Any

import msgspec
from rich.console import RenderableType
from rich.text import Text

from referee.games.rulesets import KINDS, Kind, game_named, options_of
from referee.show.page import grid, stacked


def games_page() -> RenderableType:
    """All games with their rulesets."""
    parts: list[RenderableType] = []
    for kind in KINDS.values():
        parts += [Text(kind.title, "bold"), _rulesets(kind)]
    return stacked(parts)


def game_page(kind: Kind, ruleset: str) -> RenderableType:
    """One game: its rulesets, and the options as one of them sets them."""
    options = grid(("option", "left"), (ruleset, "left"), ("meaning (values)", "fold"))
    usual = {option.name: option.default for option in options_of(kind, kind.default)}
    for option in options_of(kind, ruleset):
        style = "bold" if option.default != usual[option.name] else ""
        options.add_row(
            Text(option.name, style),
            Text(_value(option.default), style),
            Text(f"{option.meaning} ({option.values})"),
        )
    return stacked([Text(kind.title, "bold"), _rulesets(kind), options])


def _rulesets(kind: Kind) -> RenderableType:
    table = grid(("ruleset", "left"), ("", "fold"))
    for name in kind.presets:
        mark = " (default)" if name == kind.default else ""
        table.add_row(Text(name), Text(kind.about.get(name, "") + mark))
    return table


def _value(value: object) -> str:
    """A value as it is written in a league file."""
    return msgspec.json.encode(value).decode().strip('"')


def games_data() -> dict[str, Any]:
    """All games and rulesets for programs."""
    return {
        "games": [
            {
                "name": kind.name,
                "title": kind.title,
                "default": kind.default,
                "rulesets": [
                    {"name": name, "about": kind.about.get(name, "")} for name in kind.presets
                ],
            }
            for kind in KINDS.values()
        ]
    }


def game_data(kind: Kind, ruleset: str) -> dict[str, Any]:
    """One ruleset for programs: options, seats, pack, and the alphabet of actions in its order."""
    game = game_named(kind.name, ruleset)
    return {
        "game": kind.name,
        "title": kind.title,
        "ruleset": ruleset,
        "about": kind.about.get(ruleset, ""),
        "rulesets": list(kind.presets),
        "seats": game.seats,
        "sides": list(game.sides),
        "pack": list(game.pack.names),
        "actions": list(game.actions),
        "rules": msgspec.to_builtins(game.rules),
        "options": [msgspec.to_builtins(option) for option in options_of(kind, ruleset)],
    }
