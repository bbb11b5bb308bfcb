"""A bot that samples: it deals the cards it does not see at random, again and again.

In each of these worlds (referee.games.worlds) it plays every action that it could take, lets a
quick policy (rollout.py) play on to the end, and takes the action with the best mean net. What it
bids and which contract it names follows from the points that such deals bring.

    python -m sample_bots.python.sampler --samples 20
    python -m sample_bots.python.sampler --milliseconds 50

With `--samples` it plays the same whenever a table is played again.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from protocol.bot import Bot
from protocol.messages import Ask, Start
from referee.games.game import net
from referee.games.huutopussi import PACK, Deal, Huutopussi
from referee.games.rulesets import game_from
from referee.games.worlds import worlds
from sample_bots.python.rollout import Rollout

SAMPLES = 20
"""Worlds for one decision."""

EARNED = 0.5
"""What a declarer earns of the points it wins: its contract must stay below them."""

RAW_SHARE = 0.3
"""How much the points won in tricks count beside the net: a quick policy makes or loses contracts
too easily, and the points tell better which card was good."""

EXCHANGE_EFFORT = 3
"""So many times the samples for each card of the exchange: there are few, and they weigh much."""


class Sampler(Bot):
    """Plays what does best, on average, in worlds that it cannot tell from the real one."""

    def __init__(
        self, name: str = "sampler", *, samples: int = SAMPLES, milliseconds: float | None = None
    ) -> None:
        super().__init__(name, games=["huutopussi"])
        self.samples = samples
        self.milliseconds = milliseconds
        """Where given, worlds are sampled for so long instead."""
        self._rollouts: dict[bytes, Rollout] = {}

    def decide(self, ask: Ask) -> str:
        """The action with the best mean."""
        legal = ask.legal
        if len(legal) == 1:
            return legal[0]
        rollout = self._rollout(self.starts[ask.table])
        if "redeal" in legal:
            return "redeal"
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

    def _worlds(self, ask: Ask, game: Huutopussi) -> Iterator[Deal]:
        """Endlessly many worlds."""
        return worlds(game, ask.view, self.random(ask))

    def _spent(self, ask_began: float, rollouts: int, actions: int) -> float:
        """The part of the effort for one decision that has been made."""
        if self.milliseconds is not None:
            return (time.monotonic() - ask_began) * 1000 / self.milliseconds
        return rollouts / (self.samples * actions)

    # ---- auction -----------------------------------------------------------------------------

    def _bid(self, ask: Ask, rollout: Rollout) -> str:
        """The lowest bid, if declaring at it brings more than leaving it to the others."""
        game = rollout.game
        bids = [action for action in ask.legal if action.startswith("bid:")]
        if not bids or "pass" not in ask.legal:
            return ask.legal[0]
        side = game.sides[ask.view.seat]
        gain = 0.0
        for world in islice(self._worlds(ask, game), 2 * self.samples):
            for action, sign in ((bids[0], 1), ("pass", -1)):
                deal = world.copy()
                deal.apply(game.index[action])
                rollout.finish(deal)
                gain += sign * expected_net(deal, side)
        return bids[0] if gain > 0 else "pass"

    def _contract(self, ask: Ask, rollout: Rollout) -> str:
        """The contract that pays best over all worlds."""
        game = rollout.game
        side = game.sides[ask.view.seat]
        raws = []
        for world in islice(self._worlds(ask, game), 6 * self.samples):
            world.apply(game.index[ask.legal[0]])
            rollout.finish(world)
            raws.append(world.raw()[side])
        return max(ask.legal, key=lambda action: worth(int(action[9:]), raws))

    # ---- cards -------------------------------------------------------------------------------

    def _best(self, ask: Ask, rollout: Rollout) -> str:
        """The action with the best mean net over all worlds."""
        game = rollout.game
        actions = [game.index[action] for action in different(ask, game)]
        if len(actions) == 1:
            return game.actions[actions[0]]
        side = game.sides[ask.view.seat]
        named = ask.view.contract is not None or ask.view.declarer is None
        totals = dict.fromkeys(actions, 0.0)
        began, rollouts = time.monotonic(), 0
        found = self._worlds(ask, game)
        effort = len(actions)
        if ask.view.phase in ("give", "return", "discard"):
            effort *= EXCHANGE_EFFORT
        # After each round the worse half of the actions is dropped.
        rounds = (len(actions) - 1).bit_length()
        for number in range(1, rounds + 1):
            while self._spent(began, rollouts, effort) < number / rounds:
                world = next(found)
                rollouts += len(totals)
                for action in totals:
                    deal = world.copy()
                    deal.apply(action)
                    rollout.finish(deal)
                    totals[action] += value(deal, side) if named else expected_net(deal, side)
            best = sorted(totals, key=lambda action: -totals[action])
            totals = {action: totals[action] for action in best[: (len(best) + 1) // 2]}
        return game.actions[next(iter(totals))]


def value(deal: Deal, side: int) -> float:
    """How good a finished deal is for a side."""
    return net(deal.points(), side) + RAW_SHARE * net(deal.raw(), side)


def different(ask: Ask, game: Huutopussi) -> list[str]:
    """The legal actions without those that come to the same: neighbours of the same points.

    Cards are neighbours when no card that others hold or that lies in the trick is between them.
    """
    view = ask.view
    played = [action for _, action in view.history if action in PACK.index]
    own = PACK.mask([*view.hand, *view.chosen, *view.discarded])
    others = PACK.full & ~own & ~PACK.mask(played) | PACK.mask(card for _, card in view.trick)
    above = game.trick_rules.above
    kept: list[str] = []
    groups: list[tuple[int, int]] = []
    for action in ask.legal:
        card = PACK.index.get(action[-2:], -1)
        group = (-1, len(kept))
        if card >= 0:
            over = PACK.suit_of[card] << PACK.size | above[card] & others
            group = (game.scorer.card_points(1 << card), over)
            if action[-2] in "KQ" and action[-1] not in [s for _, s in view.declared]:
                group = (group[0] + 100, group[1])
        if group not in groups:
            groups.append(group)
            kept.append(action)
    return kept


def expected_net(deal: Deal, side: int) -> float:
    """The net of a finished deal whose contract is not named yet."""
    points: list[float] = list(deal.raw())
    if deal.declarer is not None:
        declaring = deal.game.sides[deal.declarer]
        raw = points[declaring]
        bid = deal.game.bids[deal.high]
        points[declaring] = max(EARNED * raw, bid) if raw >= bid else -bid
    return net(points, side)


def worth(contract: int, raws: Sequence[int]) -> float:
    """What a contract brings if the declaring side wins such points."""
    made = sum(raw >= contract for raw in raws)
    return contract * (2 * made - len(raws))


def main() -> None:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(description="A bot that samples worlds.")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="worlds for one decision")
    parser.add_argument("--milliseconds", type=float, help="time for one decision instead")
    options = parser.parse_args()
    Sampler(samples=options.samples, milliseconds=options.milliseconds).run()


if __name__ == "__main__":
    main()
