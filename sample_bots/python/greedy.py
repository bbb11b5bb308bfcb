"""A bot by rules of thumb: it looks at its cards and at what has been played, never ahead.

It plays every ruleset of every game, and has no memory: whatever it needs is in the ask and in
the rules that came with `start`.
"""

from protocol.bot import Bot
from protocol.messages import (
    Ask,
    BondtolvaView,
    HuutopussiView,
    MarjapussiView,
    MinnesotaView,
    TuppiView,
)
from sample_bots.python.greedy_huutopussi import HuutopussiMind
from sample_bots.python.greedy_items import ItemMind, StockMind
from sample_bots.python.greedy_whist import WhistMind


class Greedy(Bot):
    """Bids what its hand is worth, declares what it can, wins or ducks cheaply."""

    def decide(self, ask: Ask) -> str:
        """The best action by the rules of thumb of the game."""
        view, start = ask.view, self.starts[ask.table]
        if isinstance(view, HuutopussiView):
            return HuutopussiMind(view, start).decide(ask.legal)
        if isinstance(view, TuppiView | MinnesotaView):
            return WhistMind(view, start).decide(ask.legal)
        assert isinstance(view, MarjapussiView | BondtolvaView)
        mind = StockMind if len(start.sides) == 2 else ItemMind
        return mind(view, start).decide(ask.legal)


if __name__ == "__main__":
    Greedy("greedy", tables=256, batch=True).run()
