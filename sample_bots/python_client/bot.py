"""A bot on the Python client: the lowest card that wins the trick, else the lowest."""

from protocol.bot import Bot
from protocol.messages import Ask

TENS_HIGH = "6789JQKTA"
PLAIN = "23456789TJQKA"


class Lowest(Bot):
    """Passes and bids as low as it may, and plays cheaply."""

    def decide(self, ask: Ask) -> str:
        """One of `ask.legal`; `ask.view` has everything that this seat may know."""
        cards = [action for action in ask.legal if len(action) == 2]
        if ask.view.phase != "play" or not cards:
            return ask.legal[0]
        order = self.order(ask)
        cards.sort(key=lambda card: order.index(card[0]))
        winning = [card for card in cards if self.wins(card, ask, order)]
        return (winning or cards)[0]

    def order(self, ask: Ask) -> str:
        """The ranks from low to high in this game."""
        start = self.starts[ask.table]
        if start.game in ("marjapussi", "bondtolva"):
            return TENS_HIGH
        if getattr(ask.view, "contract", None) == "sooli" and start.rules["sooli_ace"] == "low":
            return "A" + PLAIN[:-1]
        return TENS_HIGH if start.rules.get("rank_order") == "ace_ten" else PLAIN

    def wins(self, card: str, ask: Ask, order: str) -> bool:
        """Whether a card would be winning the trick that lies on the table."""
        trick = [played for _, played in ask.view.trick]
        if not trick:
            return False
        best = trick[0]
        for played in [*trick[1:], card]:
            if played[1] == best[1]:
                best = max(best, played, key=lambda one: order.index(one[0]))
            elif played[1] == ask.view.trump:
                best = played
        return best == card


if __name__ == "__main__":
    Lowest("lowest-python", tables=64, batch=True).run()
