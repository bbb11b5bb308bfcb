"""Playing a deal to its end by a quick policy that sees all hands: what all games share.

It is no bot: it stands in for every seat of the worlds that the sampler imagines. It is cheap,
since it plays some hundred deals for one decision, and just sensible enough for the points at the
end to tell good actions from bad ones. rollout_marriages.py and rollout_whist.py have the
policies.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from protocol.messages import AnyView
from referee.cards import SUITS, Pack, runs_of
from referee.games.game import net
from referee.games.tricktaking import TrickDeal, TrickGame
from referee.tricks import TrickRules

GameKind = TypeVar("GameKind", bound=TrickGame)
DealKind = TypeVar("DealKind", bound=TrickDeal)

BIDS = ("rami", "nolo", "high", "low")
"""Bids that may be shown with a card."""


def rank_masks(pack: Pack, groups: Iterable[str]) -> tuple[int, ...]:
    """The cards of each rank, or of each group of ranks, as far as the pack has them."""
    return tuple(
        pack.mask(rank + suit for rank in group if rank in pack.ranks for suit in SUITS)
        for group in groups
    )


def above_all(rules: TrickRules) -> dict[int, int]:
    """The cards that beat every card of a mask within one suit; for the empty mask, all cards."""
    pack = rules.pack
    found = {0: pack.full}
    for suit, run in enumerate(runs_of(pack.width, 0)):
        for subset in range(1, len(run)):
            first = run[subset][0]
            mask = subset << pack.width * suit
            found[mask] = found[mask & (mask - 1)] & rules.above[first] & pack.suits[suit]
    return found


class Rollout(Generic[GameKind, DealKind]):
    """A policy, with its tables for one game."""

    royals = False
    """Whether kings and queens make marriages."""
    times: Mapping[str, int] = {"give": 3, "return": 3, "discard": 3, "bid": 2}
    """So many times as many samples in these phases: few decisions that weigh much."""

    def __init__(self, game: GameKind, rules: TrickRules) -> None:
        self.game = game
        self.rules = rules
        self.first = game.first_card
        """The action that plays the first card of the pack."""
        self.above_all = above_all(rules)
        sides, seats = game.sides, range(game.seats)
        self.foes = [[s for s in seats if sides[s] != sides[seat]] for seat in seats]
        self.partner = [
            next((s for s in seats if s != seat and sides[s] == sides[seat]), None)
            for seat in seats
        ]
        self.later_foes = [
            [
                [s for s in ((seat + turn) % game.seats for turn in range(1, left + 1))
                 if sides[s] != sides[seat]]
                for left in seats
            ]
            for seat in seats
        ]  # fmt: skip
        """Foes among the seats that follow each seat, by how many those are."""

    def pick(self, cards: int, order: Sequence[int]) -> int:
        """The first card of a mask by this order of ranks, as an action."""
        for rank in order:
            found = cards & rank
            if found:
                break
        return self.first - 1 + (found & -found).bit_length()

    def finish(self, deal: DealKind) -> None:
        """Play a deal to its end."""
        raise NotImplementedError

    # ---- the search with it ------------------------------------------------------------------

    def value(self, deal: DealKind, side: int) -> float:
        """What a finished deal is worth to a side: its net, and whatever settles between equals."""
        return net(deal.points(), side)

    def measure(self, _view: AnyView) -> Callable[[DealKind, int], float]:
        """The value of finished deals for a decision in this view."""
        return self.value

    def worth(self, card: int) -> int:
        """What a card counts for whoever wins it."""
        raise NotImplementedError

    def above(self, _view: AnyView) -> Sequence[int]:
        """For each card those of its suit that beat it, as the deal is played."""
        return self.rules.above

    def candidates(self, view: AnyView, legal: Sequence[str]) -> list[str]:
        """The legal actions without those that come to the same as an earlier one.

        Cards do when they are of one suit, count the same and no card that others hold, or that
        lies in the trick, ranks between them; a king or queen that may be declared is of its own
        kind. Bids do that say the same with different cards.
        """
        pack = self.game.pack
        played = pack.mask(action for _, action in view.history if action in pack.index)
        aside = [*getattr(view, "chosen", ()), *getattr(view, "discarded", ())]
        own = pack.mask([*view.hand, *aside])
        others = pack.full & ~(own | played) | pack.mask(card for _, card in view.trick)
        declared = [suit for _, suit in getattr(view, "declared", ())]
        above = self.above(view)
        kept: dict[tuple[object, ...], str] = {}
        for action in legal:
            verb, _, argument = action.rpartition(":")
            card = pack.index.get(argument)
            if card is None or verb in BIDS:
                kept.setdefault((verb or action, card is None and argument), action)
                continue
            rank, suit = pack.names[card][0], pack.names[card][1]
            royal = self.royals and rank in "KQ" and suit not in declared
            kind = (suit, self.worth(card), royal, above[card] & others)
            kept.setdefault(kind, action)
        return list(kept.values())
