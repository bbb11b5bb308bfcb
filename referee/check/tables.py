"""A table of a check: the bot in one seat, the others played by chance from a fixed seed."""

import random
from collections.abc import Sequence

from msgspec import Raw, to_builtins

from protocol.messages import EncodedAsk, End, Start, Time
from referee.cards import DealKey, seed_for, shuffled
from referee.games.game import Game, Unit
from referee.table import Decision, Table

_SECRET = "c4ec" * 16
"""Cards of a check are no secret: the same for everybody, every time."""

_WILD = 0.4
"""How often the other seats choose by chance."""


class CheckTable:
    """One table from its start to its end."""

    def __init__(
        self, game: Game, seat: int, cards: str, *, number: int, unit: Unit = "deal"
    ) -> None:
        """`cards` names the deals: the same name, the same cards and the same other players."""
        self.game = game
        self.seat = seat
        self.number = number
        self.unit = unit
        self.trace: list[str] = []
        """The bot's actions so far."""
        self.hands: set[str] = set()
        """Every card that the bot has held in the deal now played."""
        self.before: set[str] = set()
        """The same of the deal before."""
        self._name = cards
        self._told = 0
        self._deal = 0
        self.table = Table(game, unit, set_number=0, cards=self._cards)

    def _key(self, deal: int, redeal: int) -> DealKey:
        name = self._name
        return DealKey(_SECRET, self.game.name, self.game.ruleset, name, 0, deal, redeal)

    def _cards(self, deal: int, redeal: int) -> Sequence[int]:
        return shuffled(self._key(deal, redeal), self.game.pack.size)

    # ---- playing -----------------------------------------------------------------------------

    def decision(self) -> Decision | None:
        """Play for the others up to what the bot is to decide; None when the table is over."""
        table = self.table
        while (wanted := table.ask()) is not None and wanted.seat != self.seat:
            chance = random.Random(
                f"{self._name} {table.tally.deals} {len(table.redeals)} {table.at} {wanted.seat}"
            )
            # Mostly what binds least: else others would outbid the bot before it is asked.
            wild = chance.random() < _WILD
            table.play(chance.choice(list(wanted.legal)) if wild else wanted.legal[0])
        if table.tally.deals != self._deal:
            self._deal = table.tally.deals
            self.before, self.hands = self.hands, set()
        if wanted is not None:
            self.hands |= set(self.hand())
        return wanted

    def play(self, action: str) -> None:
        """The bot's action, which is legal."""
        self.trace.append(action)
        self.table.play(self.game.index[action])

    def hand(self) -> list[str]:
        """The cards in the bot's hand now."""
        return list(self.table.deal.view(self.seat).hand)

    @property
    def phase(self) -> str:
        """What is wanted, as the views have it."""
        return self.table.deal.view(self.seat).phase

    # ---- messages ----------------------------------------------------------------------------

    def start(self, decision_ms: int) -> Start:
        """The first message of the table."""
        game = self.game
        return Start(
            table=self.number, game=game.name, rules=to_builtins(game.rules),
            ruleset=game.ruleset, seat=self.seat, sides=list(game.sides), unit=self.unit,
            time=Time(decision_ms=decision_ms, bank_ms=0, increment_ms=0),
            seed=seed_for(self._key(0, 0), 0, self.seat),
        )  # fmt: skip

    def ask(self, number: int, decision: Decision, decision_ms: int) -> EncodedAsk:
        """The decision as a message."""
        return EncodedAsk(
            table=self.number, id=number, view=Raw(self.table.deal.view_json(self.seat)),
            legal=[self.game.actions[action] for action in decision.legal],
            time_ms=decision_ms, bank_ms=0,
        )  # fmt: skip

    def ends(self) -> list[End]:
        """What is to be said of deals that have ended since the last call."""
        records = self.table.records[self._told :]
        self._told += len(records)
        return [
            End(
                table=self.number, deal=record.deal, points=record.points, score=record.score,
                over=record.nets is not None,
            )
            for record in records
        ]  # fmt: skip

    def broken_off(self) -> End:
        """The end of a table in the middle of a deal."""
        nought = [0] * (max(self.game.sides) + 1)
        deal = self.table.tally.deals
        return End(table=self.number, deal=deal, points=nought, score=nought, over=True)
