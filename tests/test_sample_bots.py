"""The sample bots in process: they play every ruleset, repeat themselves, beat each other."""

from collections.abc import Callable

import msgspec
import pytest

from protocol.bot import Bot
from protocol.messages import Ask, Start, Time
from referee.cards import DealKey, seed_for, shuffled
from referee.games.game import Game, Unit
from referee.games.rulesets import KINDS, game_named
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
}
RULESETS = [(kind.name, ruleset) for kind in KINDS.values() for ruleset in kind.presets]
VARIANTS: list[tuple[str, str, dict[str, object]]] = [
    ("marjapussi", "marjapussi", {"ask_half": "any", "declare_must_lead_marriage": True}),
    ("marjapussi", "marjapussi-2p", {"declare_in_phase2": True, "trump_in_phase1": False}),
    ("bondtolva", "bondtolva", {"deck": 36, "ten_eyes": 10}),
    ("tuppi", "tuppi", {"bid_mode": "sealed", "bid_cards": "hand_cards"}),
    ("tuppi", "tuppi", {"sooli_exchange": "discard_then_receive", "sooli_stop": False}),
    ("tuppi", "tuppi", {"sooli_exchange": "none", "sooli_ace": "high"}),
    ("minnesota", "minnesota", {"bid_cards": "hand_cards", "grand_lead": "left_of_declarer"}),
]
"""Options that no ruleset has and that change what a bot is asked."""


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
    """The mean net per deal of one bot against another that sits on all other sides."""
    total = 0.0
    sides = len(set(game.sides))
    for set_number in range(sets):
        for side in range(sides):
            bots = [one if own == side else other for own in game.sides]
            nets = played(game, bots, set_number).records[-1].nets
            assert nets is not None
            total += nets[side]
    return total / (sides * sets)


def same_twice(name: str, game: Game, set_number: int) -> bool:
    """Whether a bot in all seats keeps the rules and plays the same when it plays again."""
    first, again = (
        played(game, [BOTS[name]() for _ in range(game.seats)], set_number).records
        for _ in range(2)
    )
    return first == again


@pytest.mark.parametrize("name", BOTS)
class TestEverySampleBot:
    @pytest.mark.parametrize(("kind", "ruleset"), RULESETS)
    def test_plays_every_ruleset_legally_and_the_same_again(
        self, name: str, kind: str, ruleset: str
    ) -> None:
        game = game_named(kind, ruleset)
        for set_number in range(2 if name == "sampler" else 8):
            assert same_twice(name, game, set_number), set_number

    @pytest.mark.parametrize(("kind", "ruleset", "options"), VARIANTS)
    def test_plays_with_options_that_change_what_is_asked(
        self, name: str, kind: str, ruleset: str, options: dict[str, object]
    ) -> None:
        game = game_named(kind, ruleset, options)
        for set_number in range(1 if name == "sampler" else 8):
            assert same_twice(name, game, set_number), set_number


WEAKER = {"huutopussi": 30.0, "marjapussi": 1.0, "bondtolva": 1.0, "tuppi": 4.0, "minnesota": 1.0}
"""What greedy wins at least, on average, from those that look at no card."""


class TestStrength:
    @pytest.mark.parametrize("kind", KINDS)
    def test_greedy_beats_the_first_legal_action_clearly(self, kind: str) -> None:
        game = game_named(kind)
        assert margin(game, Greedy("greedy"), FirstLegal("first_legal"), 60) > WEAKER[kind]

    @pytest.mark.parametrize("kind", KINDS)
    def test_greedy_beats_random_actions_clearly(self, kind: str) -> None:
        game = game_named(kind)
        assert margin(game, Greedy("greedy"), RandomLegal("random_legal"), 60) > WEAKER[kind]

    @pytest.mark.parametrize("kind", ["marjapussi-3p", "marjapussi-2p"])
    def test_greedy_beats_random_actions_with_fewer_players(self, kind: str) -> None:
        game = game_named("marjapussi", kind)
        assert margin(game, Greedy("greedy"), RandomLegal("random_legal"), 60) > 0.5

    def test_sampler_beats_greedy(self) -> None:
        game = game_named("huutopussi", "helsinki")
        assert margin(game, Sampler(samples=10), Greedy("greedy"), 24) > 0

    @pytest.mark.parametrize("kind", ["marjapussi", "bondtolva", "tuppi", "minnesota"])
    def test_sampler_beats_random_actions_clearly(self, kind: str) -> None:
        game = game_named(kind)
        random_legal = RandomLegal("random_legal")
        assert margin(game, Sampler(samples=4), random_legal, 12) > WEAKER[kind]


class TestSampler:
    @pytest.mark.parametrize("kind", KINDS)
    def test_decides_in_the_time_it_is_given(self, kind: str) -> None:
        game = game_named(kind)
        bots: list[Bot] = [Sampler(milliseconds=1) for _ in range(game.seats)]
        assert played(game, bots, 0).over

    @pytest.mark.parametrize("kind", KINDS)
    def test_plays_whole_games(self, kind: str) -> None:
        game = game_named(kind, None, {"max_deals": 2})
        assert played(game, [Sampler(samples=1) for _ in range(game.seats)], 0, "game").over
