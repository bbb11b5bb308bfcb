"""What a seat of Marjapussi can tell from its view, with two pairs or three single players."""

from collections.abc import Sequence
from random import Random

from protocol.messages import MarjapussiView
from referee.games.game import Deal, Unit
from referee.games.marjapussi import Marjapussi
from referee.games.worlds_marriages import MarriageKnowledge
from referee.tricks import Trick


class MarjapussiKnowledge(MarriageKnowledge):
    """What a seat of Marjapussi can tell from its view: every action is public."""

    game: Marjapussi
    view: MarjapussiView

    def __init__(self, game: Marjapussi, view: MarjapussiView, unit: Unit) -> None:
        super().__init__(game, view, unit, game.rules.first_lead)
        self.watch_play(game.first_trick_rules)

    def unmet(self, trick: Trick, first: bool, seat: int, card: int) -> int:
        """Cards that a seat cannot hold which follows with this one."""
        if not self.game.rules.spare_partner or (seat - trick.winner) % 4 != 2:
            return super().unmet(trick, first, seat, card)
        bit = 1 << card
        if bit & trick.led:
            return 0
        return trick.led if bit & trick.ruff else trick.led | trick.ruff

    def unmet_lead(self, first: bool, made: int, bit: int) -> int:
        """Cards that a seat cannot hold which leads this one."""
        if made and self.game.rules.declare_must_lead_marriage and not bit & made:
            return made
        return super().unmet_lead(first, made, bit)

    def world(self, laid: Sequence[int], _rng: Random) -> Deal | None:
        """The deal in which the unseen cards lie so, at the view's moment; None if it cannot be."""
        hands = self.hands(laid)
        return self.replayed(hands) if self.wholes_are_ruled_out(hands) else None
