"""Worlds consistent with a view: whole deals that look exactly the same to its seat.

A seat knows its own cards and what it gave, received, drew and laid away; it sees every play. It
also knows what others cannot hold: they would have had to follow, head or trump, they answered an
ask, they declared a marriage or showed a card with a bid. What remains open is dealt out at
random, each way as likely as another, and the history is played again on the result.

    for deal in islice(worlds(game, ask.view, rng), 20):
        ...  # deal.view(ask.view.seat) == ask.view

Nothing but the view is read, so whatever can be found out from these worlds the seat may know.
The modules `worlds_*.py` have what is particular to each game.
"""

from collections.abc import Iterator
from itertools import accumulate
from random import Random
from typing import overload

from protocol.messages import (
    AnyView,
    BondtolvaView,
    HuutopussiView,
    MarjapussiView,
    MinnesotaView,
    TuppiView,
)
from referee.games import huutopussi
from referee.games.bondtolva import Bondtolva
from referee.games.game import Deal, Game, Unit
from referee.games.marjapussi import ForTwo, Marjapussi
from referee.games.minnesota import Minnesota
from referee.games.tuppi import Tuppi
from referee.games.worlds_huutopussi import HuutopussiKnowledge
from referee.games.worlds_knowledge import Knowledge
from referee.games.worlds_marjapussi import MarjapussiKnowledge
from referee.games.worlds_stock import StockKnowledge
from referee.games.worlds_tuppi import TuppiKnowledge
from referee.games.worlds_whist import WhistKnowledge

ATTEMPTS = 200
"""Deals that are tried for one world before the search is given up."""


@overload
def worlds(
    game: huutopussi.Huutopussi,
    view: HuutopussiView,
    rng: Random,
    unit: Unit = "deal",
    attempts: int = ATTEMPTS,
) -> Iterator[huutopussi.Deal]: ...


@overload
def worlds(
    game: Game, view: AnyView, rng: Random, unit: Unit = "deal", attempts: int = ATTEMPTS
) -> Iterator[Deal]: ...


def worlds(
    game: Game, view: AnyView, rng: Random, unit: Unit = "deal", attempts: int = ATTEMPTS
) -> Iterator[Deal]:
    """Deals at the moment of the view that give its seat this very view; endlessly many.

    Each is a new deal with its whole history, free to be played on; `unit` is that of the table.
    The iterator ends when so many attempts in a row have failed, and at once when the view
    contradicts itself. Raises TypeError when the view is not one of this game.

    A view that a seat has while others act need not say who acts. Where they may be asked about a
    redeal, nobody is unless the seat itself must still be asked after them; where bids are
    sealed, the seat itself is to bid, or whoever follows it when it has.
    """
    return _found(knowledge_of(game, view, unit), rng, attempts)


def _found(knowledge: Knowledge, rng: Random, attempts: int) -> Iterator[Deal]:
    layouts = [layout for layout in knowledge.layouts() if layout.ways]
    weights = list(accumulate(layout.ways for layout in layouts))
    failed = 0 if layouts else attempts
    while failed < attempts:
        layout = layouts[0]
        if len(layouts) > 1:
            layout = rng.choices(layouts, cum_weights=weights)[0]
        deal = knowledge.world(layout.deal_out(rng), rng)
        if deal is None:
            failed += 1
        else:
            failed = 0
            yield deal


def knowledge_of(game: Game, view: AnyView, unit: Unit = "deal") -> Knowledge:
    """What the seat of a view can tell from it; TypeError when it is no view of this game."""
    match game, view:
        case huutopussi.Huutopussi(), HuutopussiView():
            return HuutopussiKnowledge(game, view, unit)
        case Marjapussi(), MarjapussiView():
            return MarjapussiKnowledge(game, view, unit)
        case ForTwo(), MarjapussiView():
            return StockKnowledge(game, view, unit)
        case Bondtolva(), BondtolvaView():
            return StockKnowledge(game, view, unit)
        case Tuppi(), TuppiView():
            return TuppiKnowledge(game, view, unit)
        case Minnesota(), MinnesotaView():
            return WhistKnowledge(game, view, unit)
    raise TypeError(f"{type(view).__name__} is no view of {game.name}")
