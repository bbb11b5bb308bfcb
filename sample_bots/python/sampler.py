"""A bot that samples: it deals the cards it does not see at random, again and again.

In each of these worlds (referee.games.worlds) it plays every action that it could take, lets a
quick policy (rollout.py) play on to the end, and takes the action with the best mean net. It
plays every ruleset of every game; bids, sooli and the contract follow from such deals too.

    python -m sample_bots.python.sampler --samples 40
    python -m sample_bots.python.sampler --milliseconds 50

With `--samples` it plays the same whenever a table is played again.
"""

import argparse
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from protocol.bot import Bot
from protocol.messages import Ask, HuutopussiView, Start
from referee.games.game import Game, Unit
from referee.games.huutopussi import Huutopussi
from referee.games.marjapussi import Marjapussi
from referee.games.minnesota import Minnesota
from referee.games.rulesets import game_from
from referee.games.stock import StockGame
from referee.games.tuppi import Tuppi
from referee.games.worlds import worlds
from sample_bots.python.rollout import Rollout
from sample_bots.python.rollout_items import MarjapussiRollout, StockRollout
from sample_bots.python.rollout_marriages import HuutopussiRollout
from sample_bots.python.rollout_whist import WhistRollout

SAMPLES = 40
"""Worlds in which each action is tried, on average: poor ones in fewer, good ones in more."""
CONTRACT = 6
"""So many times as many for the contract, where a world is played out only once."""

AnyRollout = Rollout[Any, Any]


class Effort:
    """How much is done for one decision: so many rollouts, or so much time where it is given."""

    def __init__(self, rollouts: int, milliseconds: float | None) -> None:
        self.rollouts = rollouts
        self.milliseconds = milliseconds
        self.done = 0
        self.began = time.monotonic()

    def spent(self) -> float:
        """The part of it that has been made; 1 or more when it is time to decide."""
        if self.milliseconds is None:
            return self.done / self.rollouts
        return (time.monotonic() - self.began) * 1000 / self.milliseconds


class Sampler(Bot):
    """Plays what does best, on average, in worlds that it cannot tell from the real one."""

    def __init__(
        self, name: str = "sampler", *, samples: int = SAMPLES, milliseconds: float | None = None
    ) -> None:
        super().__init__(name)
        self.samples = samples
        self.milliseconds = milliseconds
        self._rollouts: dict[bytes, AnyRollout] = {}

    def decide(self, ask: Ask) -> str:
        """The action with the best mean."""
        if len(ask.legal) == 1:
            return ask.legal[0]
        start = self.starts[ask.table]
        rollout = self._rollout(start)
        if ask.view.phase == "contract":
            return self._contract(ask, start, rollout)
        return self._best(ask, start, rollout)

    def _rollout(self, start: Start) -> AnyRollout:
        """The policy for the rules of this table."""
        key = msgspec.json.encode((start.game, start.rules))
        if key not in self._rollouts:
            self._rollouts[key] = rollout_for(game_from(start.game, start.ruleset, start.rules))
        return self._rollouts[key]

    def _best(self, ask: Ask, start: Start, rollout: AnyRollout) -> str:
        """The action with the best mean; the worse half drops out after each round of worlds."""
        game = rollout.game
        view = ask.view
        actions = [game.index[action] for action in rollout.candidates(view, ask.legal)]
        rounds = (len(actions) - 1).bit_length()
        times = rollout.times.get(view.phase, 1)
        effort = Effort(times * self.samples * len(actions), self.milliseconds)
        value = rollout.measure(view)
        side = game.sides[view.seat]
        totals = dict.fromkeys(actions, 0.0)
        found = worlds(game, view, self.random(ask), unit_of(start))
        for number in range(1, rounds + 1):
            while effort.spent() < number / rounds and (world := next(found, None)):
                for action in totals:
                    deal = world.copy()
                    deal.apply(action)
                    rollout.finish(deal)
                    totals[action] += value(deal, side)
                effort.done += len(totals)
            best = sorted(totals, key=lambda action: -totals[action])
            totals = {action: totals[action] for action in best[: (len(best) + 1) // 2]}
        return str(game.actions[next(iter(totals))])

    def _contract(self, ask: Ask, start: Start, rollout: AnyRollout) -> str:
        """The contract of Huutopussi that pays best over all worlds."""
        game, view = rollout.game, ask.view
        assert isinstance(game, Huutopussi)
        assert isinstance(view, HuutopussiView)
        side = game.sides[view.seat]
        raws: list[int] = []
        effort = Effort(CONTRACT * self.samples, self.milliseconds)
        for world in worlds(game, view, self.random(ask), unit_of(start)):
            world.apply(game.index[ask.legal[0]])
            rollout.finish(world)
            raws.append(world.raw()[side])
            effort.done += 1
            if effort.spent() >= 1:
                break
        return max(ask.legal, key=lambda action: pays(int(action.removeprefix("contract:")), raws))


def unit_of(start: Start) -> Unit:
    """The unit of a table."""
    return "game" if start.unit == "game" else "deal"


def rollout_for(game: Game) -> AnyRollout:
    """The quick policy for a game."""
    if isinstance(game, Huutopussi):
        return HuutopussiRollout(game)
    if isinstance(game, Marjapussi):
        return MarjapussiRollout(game, game.scorer)
    if isinstance(game, StockGame):
        return StockRollout(game, game.scorer)
    assert isinstance(game, Tuppi | Minnesota)
    return WhistRollout(game, game.rules.grand_points)


def pays(contract: int, raws: Sequence[int]) -> int:
    """What a contract brings over deals in which the declaring side wins such points."""
    made = sum(raw >= contract for raw in raws)
    return contract * (2 * made - len(raws))


def main() -> None:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(description="A bot that samples worlds.")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="worlds for each action")
    parser.add_argument("--milliseconds", type=float, help="time for each decision instead")
    options = parser.parse_args()
    if options.samples < 1 or (options.milliseconds is not None and options.milliseconds <= 0):
        parser.error("expected at least one sample and more than 0 milliseconds")
    Sampler(samples=options.samples, milliseconds=options.milliseconds).run()


if __name__ == "__main__":
    main()
