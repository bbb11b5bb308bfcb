"""Logged deals played again for whoever wants to look: a story, a retry of single decisions."""

from collections.abc import Iterator
from typing import TypeVar

from protocol.messages import LastDeal
from referee.errors import LogMismatch
from referee.games.game import Deal, Game, Tally, Unit
from referee.log import DealLine, SetRecord, SideRecord, decode_play
from referee.table import PlayRecord


class Retelling:
    """Plays one deal of a log again."""

    def __init__(self, game: Game, tally: Tally, play: PlayRecord, side: SideRecord) -> None:
        self.game = game
        self.tally = tally
        self.play = play
        self.side = side

    def played(self, last: LastDeal | None) -> Deal:
        """Play all dealings; the deal that was played out."""
        game = self.game
        actions = self.play.actions.split(" ")
        redeals: tuple[int, ...] = ()
        at = 0
        for texts in self.play.cards:
            names = texts.split(" ")
            cards = [game.pack.index[name] for name in names]
            deal = game.deal(cards, self.tally, redeals, last)
            self.dealt(deal, names)
            while deal.to_act is not None:
                action = actions[at] if at < len(actions) else ""
                place = game.index.get(action)
                if place is None or place not in deal.legal():
                    raise LogMismatch(
                        f"play.actions[{at}]: {action!r} is not legal for seat {deal.to_act}"
                    )
                self.act(deal, at, place)
                at += 1
            if deal.redealer is None:
                return deal
            redeals = (*redeals, deal.redealer)
        raise LogMismatch(f"deal {self.play.deal} ends with a demand for new cards")

    def dealt(self, deal: Deal, cards: list[str]) -> None:
        """Cards have been dealt."""

    def act(self, deal: Deal, at: int, place: int) -> None:
        """Play one action."""
        del at
        deal.apply(place)


R = TypeVar("R", bound=Retelling)


def told(
    game: Game, unit: Unit, record: SetRecord, how: type[R]
) -> Iterator[tuple[R, Deal]]:
    """Every deal of a set, played out, by table and deal.

    Raises LogMismatch where the rules do not allow what is logged.
    """
    tables: dict[int, list[DealLine]] = {}
    for _, line, play in record.deals():
        tables.setdefault(play.table, []).append(line)
    for number in sorted(tables):
        tally = game.first(record.set, unit)
        last = None
        for line in tables[number]:
            player = how(game, tally, decode_play(line.play), line.side)
            deal = player.played(last)
            yield player, deal
            tally, last = deal.after(), deal.summary()
