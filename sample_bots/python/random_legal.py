"""A bot that plays any legal action, each as likely as another."""

from protocol.bot import Bot
from protocol.messages import Ask


class RandomLegal(Bot):
    """Chooses at random, but always the same when the same table is played again."""

    def decide(self, ask: Ask) -> str:
        """Any legal action."""
        return self.random(ask).choice(ask.legal)


if __name__ == "__main__":
    RandomLegal("random_legal", tables=256, batch=True).run()
