"""The sample bots at tables in process: they keep the rules, repeat themselves, beat each other."""

from collections.abc import Callable

import msgspec
import pytest

from protocol.bot import Bot
from protocol.messages import Ask, Start, Time
from referee.cards import DealKey, seed_for, shuffled
from referee.games.game import Game, Unit
from referee.games.huutopussi_options import PRESETS
from referee.games.rulesets import game_named
from referee.table import Table
from sample_bots.python.first_legal import FirstLegal
from sample_bots.python.greedy import Greedy
from sample_bots.python.random_legal import RandomLegal
from sample_bots.python.sampler import Sampler

SECRET = "5a" * 32

BOTS: dict[str, Callable[[], Bot]] = {
    "first_legal": lambda: FirstLegal("first_legal"),
    "random_legal": lambda: RandomLegal("random_legal"),
    "greedy": lambda: Greedy("greedy"),
    "sampler": lambda: Sampler(samples=2),
    "sampler-12": lambda: Sampler(samples=12),
}


def key(game: Game, set_number: int, deal: int = 0, redeal: int = 0) -> DealKey:
    return DealKey(SECRET, game.name, game.ruleset, "bots", set_number, deal, redeal)


def start(game: Game, seat: int, seed: int, unit: Unit) -> Start:
    return Start(
        table=1,
        game=game.name,
        rules=msgspec.to_builtins(game.rules),
        ruleset=game.ruleset,
        seat=seat,
        sides=list(game.sides),
        unit=unit,
        time=Time(decision_ms=1000, bank_ms=0, increment_ms=0),
        seed=seed,
    )


def played(game: Game, bots: list[Bot], set_number: int, unit: Unit = "deal") -> Table:
    """A table played to its end by a bot in each seat; `submit` refuses illegal actions."""
    table = Table(
        game,
        unit,
        set_number=set_number,
        cards=lambda deal, redeal: shuffled(key(game, set_number, deal, redeal), game.pack.size),
    )
    starts = [
        start(game, seat, seed_for(key(game, set_number), 0, seat), unit)
        for seat in range(game.seats)
    ]
    number = 0
    while decision := table.ask():
        number += 1
        bot = bots[decision.seat]
        # One bot may sit in several seats here, so it is told of its table before each ask.
        bot.starts[1] = starts[decision.seat]
        action = bot.decide(
            Ask(
                table=1,
                id=number,
                view=table.deal.view(decision.seat),
                legal=[game.actions[place] for place in decision.legal],
                time_ms=1000,
                bank_ms=0,
            )
        )
        assert isinstance(action, str)
        table.submit(game.index[action])
    return table


def margin(game: Game, one: Bot, other: Bot, sets: int) -> float:
    """The mean net per deal of two pairs' first bot over duplicate sets."""
    total = 0.0
    for set_number in range(sets):
        for bots, side in (([one, other, one, other], 0), ([other, one, other, one], 1)):
            nets = played(game, bots, set_number).records[-1].nets
            assert nets is not None
            total += nets[side]
    return total / (2 * sets)


@pytest.mark.parametrize("ruleset", PRESETS)
@pytest.mark.parametrize("name", ["first_legal", "random_legal", "greedy", "sampler"])
class TestEverySampleBot:
    def test_plays_legally_and_the_same_when_played_again(self, name: str, ruleset: str) -> None:
        game = game_named("huutopussi", ruleset)
        sets = 2 if name == "sampler" else 8
        for set_number in range(sets):
            first, again = (
                played(game, [BOTS[name]() for _ in range(game.seats)], set_number).records
                for _ in range(2)
            )
            assert first == again, (name, ruleset, set_number)


class TestStrength:
    def test_greedy_beats_the_first_legal_action_clearly(self) -> None:
        game = game_named("huutopussi", "helsinki")
        assert margin(game, Greedy("greedy"), FirstLegal("first_legal"), 60) > 30

    def test_greedy_beats_random_actions_clearly(self) -> None:
        game = game_named("huutopussi", "helsinki")
        assert margin(game, Greedy("greedy"), RandomLegal("random_legal"), 30) > 300

    def test_sampler_beats_greedy(self) -> None:
        game = game_named("huutopussi", "helsinki")
        assert margin(game, Sampler(samples=10), Greedy("greedy"), 60) > 0


class TestSampler:
    def test_decides_in_the_time_it_is_given(self) -> None:
        game = game_named("huutopussi", "wikibooks-3")
        bots: list[Bot] = [Sampler(milliseconds=1) for _ in range(game.seats)]
        assert played(game, bots, 0).over

    def test_plays_whole_games(self) -> None:
        game = game_named("huutopussi", "helsinki", {"max_deals": 3})
        assert played(game, [Sampler(samples=1) for _ in range(4)], 0, "game").over
