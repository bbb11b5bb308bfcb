"""`referee games`: the games, their rulesets and options."""

import sys

import click

from referee.errors import ConfigError
from referee.games.rulesets import kind_named, nearest
from referee.show.games import game_data, game_page, games_data, games_page
from referee.show.page import console_on, json_text, put


@click.command(
    epilog="\b\nExample: referee games huutopussi --rules german",
    short_help="Games, rulesets and options.",
)
@click.argument("game", required=False)
@click.option("--rules", help="Show the options as this ruleset sets them.")
@click.option("--json", "as_json", is_flag=True, help="As JSON; with GAME also the alphabet.")
def games(game: str | None, rules: str | None, as_json: bool) -> None:
    """List games and rulesets; with GAME every option, its meaning and its value."""
    console = console_on(sys.stdout)
    if game is None:
        if rules is not None:
            raise click.UsageError("--rules needs a GAME before it")
        if as_json:
            click.echo(json_text(games_data()))
        else:
            put(console, games_page())
        return
    kind = kind_named(game)
    ruleset = rules or kind.default
    if ruleset not in kind.presets:
        hint = nearest(ruleset, kind.presets)
        raise ConfigError(f"{game} has no ruleset called {ruleset!r}{hint}")
    if as_json:
        click.echo(json_text(game_data(kind, ruleset)))
    else:
        put(console, game_page(kind, ruleset))
