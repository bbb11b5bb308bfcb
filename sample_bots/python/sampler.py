"""A bot that samples: it deals the cards it does not see at random, again and again.

In each of these worlds (referee.games.worlds) it plays every action that it could take, lets a
quick policy (rollout.py) play on to the end, and takes the action with the best mean net. What it
bids and which contract it names follows from the points that such deals bring.

    python -m sample_bots.python.sampler --samples 40
    python -m sample_bots.python.sampler --milliseconds 50

With `--samples` it plays the same whenever a table is played again.
"""

import argparse
import time
from collections.abc import Sequence

import msgspec

from protocol.bot import Bot
from protocol.messages import Ask, HuutopussiView, Start
from referee.games.game import net
from referee.games.huutopussi import PACK, Deal, Huutopussi
from referee.games.rulesets import game_from
from referee.games.worlds import worlds
from sample_bots.python.rollout import Rollout

SAMPLES = 40
"""Worlds in which each action is tried, on average: poor ones in fewer, good ones in more."""
EXCHANGE = 3
"""So many times as many for cards to give, return or discard: few decisions that weigh much."""
AUCTION = 2
"""So many times as many for a bid."""
CONTRACT = 6
"""So many times as many for the contract, where a world is played out only once."""
EARNED = 0.5
"""The part of its points that a declarer is taken to earn while no contract is named."""
SPARE = 0.3
"""The weight of points beside the net, so that contracts are made with something to spare."""


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
        super().__init__(name, games=["huutopussi"])
        self.samples = samples
        self.milliseconds = milliseconds
        self._rollouts: dict[bytes, Rollout] = {}

    def decide(self, ask: Ask) -> str:
        """The action with the best mean; a redeal whenever it is offered, to weak hands only."""
        legal = ask.legal
        if len(legal) == 1:
            return legal[0]
        if "redeal" in legal:
            return "redeal"
        rollout = self._rollout(self.starts[ask.table])
        if ask.view.phase == "bid":
            return self._bid(ask, rollout)
        if ask.view.phase == "contract":
            return self._contract(ask, rollout)
        return self._best(ask, rollout)

    def _rollout(self, start: Start) -> Rollout:
        """The policy for the rules of this table."""
        key = msgspec.json.encode(start.rules)
        if key not in self._rollouts:
            game = game_from(start.game, start.ruleset, start.rules)
            assert isinstance(game, Huutopussi)
            self._rollouts[key] = Rollout(game)
        return self._rollouts[key]

    # ---- auction -----------------------------------------------------------------------------

    def _bid(self, ask: Ask, rollout: Rollout) -> str:
        """The lowest bid, if to declare at it brings more than to leave it to the others."""
        game = rollout.game
        bids = [action for action in ask.legal if action.startswith("bid:")]
        if not bids or "pass" not in ask.legal:
            return ask.legal[0]
        side = game.sides[ask.view.seat]
        gain = 0.0
        effort = Effort(2 * AUCTION * self.samples, self.milliseconds)
        for world in worlds(game, seen(ask), self.random(ask)):
            for action, sign in ((bids[0], 1), ("pass", -1)):
                deal = world.copy()
                deal.apply(game.index[action])
                rollout.finish(deal)
                gain += sign * expected_net(deal, side)
            effort.done += 2
            if effort.spent() >= 1:
                break
        return bids[0] if gain > 0 else "pass"

    def _contract(self, ask: Ask, rollout: Rollout) -> str:
        """The contract that pays best over all worlds."""
        game = rollout.game
        side = game.sides[ask.view.seat]
        raws: list[int] = []
        effort = Effort(CONTRACT * self.samples, self.milliseconds)
        for world in worlds(game, seen(ask), self.random(ask)):
            world.apply(game.index[ask.legal[0]])
            rollout.finish(world)
            raws.append(world.raw()[side])
            effort.done += 1
            if effort.spent() >= 1:
                break
        return max(ask.legal, key=lambda action: pays(int(action.removeprefix("contract:")), raws))

    # ---- cards and declarations --------------------------------------------------------------

    def _best(self, ask: Ask, rollout: Rollout) -> str:
        """The action with the best mean; the worse half drops out after each round of worlds."""
        game = rollout.game
        view = seen(ask)
        actions = [game.index[action] for action in different(ask, game)]
        rounds = (len(actions) - 1).bit_length()
        times = EXCHANGE if view.phase in ("give", "return", "discard") else 1
        effort = Effort(times * self.samples * len(actions), self.milliseconds)
        named = view.contract is not None or view.declarer is None
        score = named_net if named else expected_net
        side = game.sides[view.seat]
        totals = dict.fromkeys(actions, 0.0)
        found = worlds(game, view, self.random(ask))
        for number in range(1, rounds + 1):
            while effort.spent() < number / rounds and (world := next(found, None)):
                for action in totals:
                    deal = world.copy()
                    deal.apply(action)
                    rollout.finish(deal)
                    totals[action] += score(deal, side)
                effort.done += len(totals)
            best = sorted(totals, key=lambda action: -totals[action])
            totals = {action: totals[action] for action in best[: (len(best) + 1) // 2]}
        return game.actions[next(iter(totals))]


def seen(ask: Ask) -> HuutopussiView:
    """The view of an ask."""
    assert isinstance(ask.view, HuutopussiView)
    return ask.view


def different(ask: Ask, game: Huutopussi) -> list[str]:
    """The legal actions without cards that come to the same as an earlier one.

    They do when they are of one suit, count the same and no card that others hold, or that lies
    in the trick, ranks between them. The king and queen of an open suit are a pair of their own.
    """
    view = seen(ask)
    played = PACK.mask(action for _, action in view.history if action in PACK.index)
    own = PACK.mask([*view.hand, *view.chosen, *view.discarded])
    others = PACK.full & ~(own | played) | PACK.mask(card for _, card in view.trick)
    declared = [suit for _, suit in view.declared]
    kept: dict[tuple[object, ...], str] = {}
    for action in ask.legal:
        card = PACK.index.get(action.rpartition(":")[2])
        if card is None:
            kept[(action,)] = action
            continue
        rank, suit = PACK.names[card][0], PACK.names[card][1]
        points = game.scorer.card_points(1 << card)
        royal = rank in "KQ" and suit not in declared
        kept.setdefault((suit, points, royal, game.trick_rules.above[card] & others), action)
    return list(kept.values())


def named_net(deal: Deal, side: int) -> float:
    """The net of a finished deal, and a little for every point won beyond what counts."""
    return net(deal.points(), side) + SPARE * net(deal.raw(), side)


def expected_net(deal: Deal, side: int) -> float:
    """The net of a finished deal whose contract is still to be named by the declarer."""
    points: list[float] = list(deal.raw())
    if deal.declarer is not None:
        declaring = deal.game.sides[deal.declarer]
        raw, bid = points[declaring], deal.game.bids[deal.high]
        points[declaring] = max(EARNED * raw, bid) if raw >= bid else -bid
    return net(points, side)


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
