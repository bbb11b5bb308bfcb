"""Marjapussi and Bondtolva: deals from card texts, scripts to play them by, positions in the play.

A script is text such as `0:declare:S 0:KS 1:9S`: seat and action. Answers that the rules dictate
are submitted like at a table, so scripts leave them out.
"""

from collections.abc import Iterable, Sequence
from random import Random

from msgspec.structs import replace

from referee.cards import SUITS
from referee.games import bondtolva_options, marjapussi_options
from referee.games.bondtolva import Bondtolva
from referee.games.bondtolva import Deal as BondtolvaDeal
from referee.games.game import Tally, Unit
from referee.games.marjapussi import Deal as MarjapussiDeal
from referee.games.marjapussi import DealForTwo, ForTwo, Marjapussi

AnyGame = Marjapussi | ForTwo | Bondtolva
AnyDeal = MarjapussiDeal | DealForTwo | BondtolvaDeal


# ---- games -------------------------------------------------------------------------------------


def marja(ruleset: str = "marjapussi", /, **options: object) -> Marjapussi:
    """A ruleset for three or four players with single options changed."""
    return Marjapussi(replace(marjapussi_options.PRESETS[ruleset], **options), ruleset)


def for_two(**options: object) -> ForTwo:
    """`marjapussi-2p` with single options changed."""
    return ForTwo(replace(marjapussi_options.PRESETS["marjapussi-2p"], **options), "marjapussi-2p")


def bond(**options: object) -> Bondtolva:
    """`bondtolva` with single options changed."""
    return Bondtolva(replace(bondtolva_options.PRESETS["bondtolva"], **options), "bondtolva")


# ---- deals -------------------------------------------------------------------------------------


def mask(table: AnyGame, cards: str) -> int:
    """The mask of cards as text, `AH KH 7D`."""
    return table.pack.mask(cards.split())


def stage(
    table: AnyGame, *, leader: int = 0, score: Sequence[int] = (), unit: Unit = "deal"
) -> Tally:
    """The stage of a game at which `leader` leads to the first trick."""
    total = tuple(score) or (0,) * table.side_count
    return Tally(score=total, dealer=(leader - 1) % table.seats, unit=unit)


def order(table: AnyGame, *hands: str, stock: str = "", leader: int = 0) -> list[int]:
    """The cards in dealing order that give each seat its hand and lay out this stock.

    What remains of the pack fills up the hands that are short, from seat 0 on, then the stock.
    """
    masks = [mask(table, hand) for hand in hands] + [0] * (table.seats - len(hands))
    laid = [table.pack.index[card] for card in stock.split()]
    rest = iter(table.pack.cards(table.pack.full & ~(sum(masks) | mask(table, stock))))
    for seat in range(table.seats):
        while masks[seat].bit_count() < table.hand_size:
            masks[seat] |= 1 << next(rest)
    return table.dealing_order(masks, [*laid, *rest], (leader - 1) % table.seats)


def dealt(
    table: AnyGame,
    *hands: str,
    stock: str = "",
    leader: int = 0,
    score: Sequence[int] = (),
    unit: Unit = "deal",
) -> AnyDeal:
    """A deal of these hands (see `order`) in which `leader` leads to the first trick."""
    cards = order(table, *hands, stock=stock, leader=leader)
    return table.deal(cards, stage(table, leader=leader, score=score, unit=unit))


def legal(deal: AnyDeal) -> list[str]:
    """What the seat to act may do, in the order of the alphabet."""
    return [deal.game.actions[action] for action in deal.legal()]


def cards(deal: AnyDeal) -> set[str]:
    """The cards among that."""
    return {action for action in legal(deal) if action in deal.game.pack.index}


def options(deal: AnyDeal) -> list[str]:
    """What else the winner of a trick may do instead of leading at once."""
    return [action for action in legal(deal) if action not in deal.game.pack.index]


def trump(deal: AnyDeal) -> str | None:
    """The trump suit."""
    return SUITS[deal.trump] if deal.trump >= 0 else None


def actions(deal: AnyDeal) -> list[str]:
    """The history as a script, nothing hidden."""
    return [f"{seat}:{deal.game.actions[action]}" for seat, action in deal.history]


# ---- play --------------------------------------------------------------------------------------


def play(deal: AnyDeal, script: str | Iterable[str]) -> AnyDeal:
    """Play a script; every step must be that seat's turn and legal."""
    for step in script.split() if isinstance(script, str) else script:
        seat, _, action = step.partition(":")
        assert deal.to_act == int(seat), f"{step}: seat {deal.to_act} is to act"
        assert action in legal(deal), f"{step}: legal are {legal(deal)}"
        deal.apply(deal.game.index[action])
        if deal.dictated():
            deal.apply(deal.legal()[0])
    return deal


def chosen(deal: AnyDeal, random: Random, eager: float = 0.6) -> int:
    """A random legal action; a marriage is declared or asked for `eager` of the time."""
    able = deal.legal()
    rare = [each for each in able if each >= deal.game.declare]
    return random.choice(rare if rare and random.random() < eager else able)


def at_trick(
    table: AnyGame,
    hand: str,
    lead: str = "",
    *,
    trump: str = "",
    leader: int = 0,
    stock_gone: bool = False,
    first: bool = False,
) -> AnyDeal:
    """A position in the play: `lead` was played from seat `leader` on; the next one has `hand`.

    `trump` was declared by the leader before. For two players the stock lasts unless it is
    `stock_gone`. `first` is the first trick of the deal.
    """
    deal = dealt(table)
    actor = (leader + len(lead.split())) % table.seats
    deal.hands = [0] * table.seats
    deal.hands[actor] = mask(table, hand)
    if isinstance(deal, MarjapussiDeal):
        deal.trick = type(deal.trick)(deal.game.trick_rules, 0)
    elif stock_gone:
        deal.drawn = [(turn % 2, card) for turn, card in enumerate(deal.stock)]
    if trump:
        deal.trump = SUITS.index(trump)
        deal.declared = [(leader, deal.trump)]
        deal.open_royals &= ~table.marriages.kings_queens[deal.trump]
    if first:
        assert isinstance(deal, MarjapussiDeal)
        deal.trick = type(deal.trick)(deal.game.first_trick_rules, 0)
    else:
        deal.winner = leader
        deal.lead_by(leader)
    for turn, card in enumerate(lead.split()):
        put = deal.trick.follow if turn else deal.trick.lead
        put((leader + turn) % table.seats, table.pack.index[card])
    deal.to_act = actor
    return deal


def winner_at(table: AnyGame, *hands: str, won: Sequence[str] = (), trump: str = "") -> AnyDeal:
    """A position late in a deal: seat 0 has just won a trick and may declare, if anybody may.

    `hands` are all the cards left, `won` those that each side has won; `trump` was declared by
    the last seat.
    """
    deal = dealt(table)
    deal.hands = [mask(table, hand) for hand in hands]
    deal.taken = [mask(table, taken) for taken in won] or [0] * table.side_count
    if not isinstance(deal, MarjapussiDeal):
        deal.drawn = [(turn % 2, card) for turn, card in enumerate(deal.stock)]
    if trump:
        deal.trump = SUITS.index(trump)
        deal.declared = [(table.seats - 1, deal.trump)]
        deal.open_royals &= ~table.marriages.kings_queens[deal.trump]
    deal.winner = 0
    deal.trick_is_over()
    return deal


def finished(
    table: AnyGame, *won: str, last: int = 0, score: Sequence[int] = (), unit: Unit = "game"
) -> AnyDeal:
    """A deal that is over without a marriage: the cards won by each side; `last` won the last."""
    deal = dealt(table, score=score, unit=unit)
    deal.hands = [0] * table.seats
    deal.taken = [mask(table, cards) for cards in won]
    deal.winner = last
    deal.to_act = None
    return deal
