"""The smallest bot: always the first legal action, which is always a harmless one."""

from protocol.bot import Bot
from protocol.messages import Ask


class FirstLegal(Bot):
    """Passes where it may, bids the least where it must, plays its first legal card."""

    def decide(self, ask: Ask) -> str:
        """The first legal action."""
        return ask.legal[0]


if __name__ == "__main__":
    FirstLegal("first_legal", tables=256, batch=True).run()
