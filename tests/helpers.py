"""Deals from card texts, and scripts of actions to play them by.

A script is text such as `0:bid:50 1:pass` or `0:TC 1:AC 2:7C 3:KC`: seat and action. Answers that
the rules dictate are submitted like at a table, so scripts leave them out.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from referee.cards import SUITS
from referee.games.game import Tally
from referee.games.huutopussi import BID, NAMING, PACK, Deal, Huutopussi
from referee.games.huutopussi_options import PRESETS
from referee.games.tricktaking import PLAY
from referee.tricks import Trick

WIKIBOOKS = ("wikibooks-2", "wikibooks-3", "wikibooks-4")
HEADING = ("helsinki", "helsinki-pagat", "helsinki-classic", "german", "erlangen")
"""Rulesets in which a trick must be headed and overtrumped."""


def mask(cards: str) -> int:
    """The mask of cards as text, `AH KH 7D`; `H*` is all hearts."""
    found = 0
    for card in cards.split():
        if card[1] == "*":
            found |= PACK.suits[SUITS.index(card[0])]
        else:
            found |= PACK.mask([card])
    return found


def game(ruleset: str = "helsinki", **options: object) -> Huutopussi:
    """A ruleset with single options changed."""
    return Huutopussi(replace(PRESETS[ruleset], **options), ruleset)


def tally(table: Huutopussi, *, forehand: int = 0, score: Sequence[int] = ()) -> Tally:
    """The stage of a game at which `forehand` is first to speak."""
    return Tally(score=tuple(score) or (0,) * table.side_count, dealer=(forehand - 1) % table.seats)


def dealt(
    table: Huutopussi,
    *hands: str,
    talon: str = "",
    forehand: int = 0,
    score: Sequence[int] = (),
) -> Deal:
    """A deal in which each seat gets the hand given as text; without hands, any cards.

    What remains of the pack fills up the hands that are short, from seat 0 on.
    """
    masks = [mask(hand) for hand in hands] + [0] * (table.seats - len(hands))
    laid = [PACK.index[card] for card in talon.split()]
    rest = iter(PACK.cards(PACK.full & ~(sum(masks) | sum(1 << card for card in laid))))
    for seat in range(table.seats):
        while masks[seat].bit_count() < table.hand_size:
            masks[seat] |= 1 << next(rest)
    stage = tally(table, forehand=forehand, score=score)
    return table.deal(table.dealing_order(masks, [*laid, *rest], stage.dealer), stage)


def legal(deal: Deal) -> list[str]:
    """What the seat to act may do, in the order of the alphabet."""
    return [deal.game.actions[action] for action in deal.legal()]


def cards(deal: Deal) -> str:
    """The cards among that, as text in pack order."""
    return " ".join(action for action in legal(deal) if action in PACK.index)


def options(deal: Deal) -> list[str]:
    """What else the winner of a trick may do instead of leading at once."""
    return [action for action in legal(deal) if action not in PACK.index]


def play(deal: Deal, script: str | Iterable[str]) -> Deal:
    """Play a script; every step must be that seat's turn and legal."""
    steps = script.split() if isinstance(script, str) else script
    for step in steps:
        seat, _, action = step.partition(":")
        assert deal.to_act == int(seat), f"{step}: seat {deal.to_act} is to act"
        assert action in legal(deal), f"{step}: legal are {legal(deal)}"
        deal.apply(deal.game.index[action])
        answer(deal)
    return deal


def answer(deal: Deal) -> None:
    """Submit the answer that the rules dictate, if one is wanted."""
    if deal.dictated():
        deal.apply(deal.legal()[0])


def actions(deal: Deal) -> list[str]:
    """The history as a script, nothing hidden."""
    return [f"{seat}:{deal.game.actions[action]}" for seat, action in deal.history]


def trick(deal: Deal, script: str) -> tuple[int, int]:
    """Play one trick; its winner and its points, those for the last trick included."""
    before = deal.raw()
    play(deal, script)
    return deal.winner, sum(deal.raw()) - sum(before)


def trump(deal: Deal) -> str | None:
    """The trump suit."""
    return SUITS[deal.trump] if deal.trump >= 0 else None


def at_trick(
    table: Huutopussi,
    *hands: str,
    lead: str = "",
    declared: str = "",
    first: bool = False,
    window: bool = False,
) -> Deal:
    """A position in the play: seat 0 is to act with the first hand, after the cards of `lead`.

    The suits of `declared` were made trump by seat 1, the last of them is trump. `first` is the
    first trick of the deal; `window` lets seat 0 declare or ask.
    """
    deal = dealt(table)
    deal.hands = [mask(hand) for hand in hands] + [0] * (table.seats - len(hands))
    deal.phase = PLAY
    deal.winner = -1 if first else 0
    deal.window = window
    for suit in declared.split():
        deal.trump = SUITS.index(suit)
        deal.declared.append((1, deal.trump))
        deal.open_royals &= ~table.marriages.kings_queens[deal.trump]
    deal.trick = Trick(table.trick_rules, PACK.suits[deal.trump] if declared else 0)
    for turn, card in enumerate(lead.split()):
        put = deal.trick.follow if turn else deal.trick.lead
        put((turn + 1) % table.seats, PACK.index[card])
        for pair in table.marriages.kings_queens:
            if mask(card) & pair:
                deal.open_royals &= ~pair
    deal.to_act = 0
    return deal


def finished(
    table: Huutopussi,
    *won: str,
    contract: int | None,
    tricks: Sequence[int],
    declared: str = "",
    last: int = 0,
    bid: int | None = None,
    discards: str = "",
) -> Deal:
    """A deal that is over: the cards won by each side, tricks by seat, marriages as `0:H 1:C`.

    Seat 0 is the declarer, unless there is no contract; `last` won the last trick.
    """
    deal = dealt(table)
    deal.hands = [0] * table.seats
    deal.taken = [mask(cards) for cards in won]
    deal.tricks = list(tricks)
    deal.winner = last
    deal.discards = mask(discards)
    if contract is not None:
        deal.declarer = 0
        deal.contract = contract
        deal.high = table.bids.index(contract if bid is None else bid)
    for step in declared.split():
        seat, _, suit = step.partition(":")
        deal.declared.append((int(seat), SUITS.index(suit)))
    deal.to_act = None
    return deal


def auction(deal: Deal, amount: int) -> Deal:
    """Seat to act bids, everybody else passes."""
    play(deal, [f"{deal.to_act}:bid:{amount}"])
    while deal.phase == BID:
        play(deal, [f"{deal.to_act}:pass"])
    return deal


def to_first_lead(deal: Deal, contract: int | None = None) -> Deal:
    """From the auction's end to the first lead, with the first cards that may be given away."""
    while deal.phase != PLAY:
        action = f"contract:{contract}" if contract else legal(deal)[0]
        play(deal, [f"{deal.to_act}:{action if deal.phase == NAMING else legal(deal)[0]}"])
    return deal
