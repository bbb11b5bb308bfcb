"""Tuppi and Minnesota Whist for tests: deals from text, scripts, random play, the whole hands.

A script is text such as `1:nolo 2:rami 1:6H`: seat and action.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from msgspec import Struct

from referee.games.game import Tally, Unit
from referee.games.rulesets import game_named
from referee.games.tricktaking import PLAY
from referee.games.whist import PACK
from referee.table import Table
from referee.tricks import Trick

ORDERS = {"plain": "23456789TJQKA", "ace_low": "A23456789TJQK"}

ONE_SUIT_EACH = tuple(" ".join(rank + suit for rank in PACK.ranks) for suit in "SHDC")
"""Whoever leads wins all the tricks."""


class Hand(Struct, frozen=True, kw_only=True):
    """A whole hand as it is printed."""

    hands: tuple[str, str, str, str]
    dealer: int
    before: str
    """Script up to the first lead."""
    play: str
    """One trick a line, `1:6H 2:QH 3:JH 0:7H won 2`."""
    points: tuple[int, int]
    tricks: tuple[int, int]
    """By side."""

    def rows(self) -> list[tuple[str, int]]:
        """The tricks as scripts, each with its winner."""
        split = [line.split(" won ") for line in self.play.strip().splitlines()]
        return [(script.strip(), int(winner)) for script, winner in split]

    def script(self) -> str:
        """All actions of the deal."""
        return " ".join([self.before, *(script for script, _ in self.rows())])


T_G1 = Hand(
    hands=(
        "KS JS AH 7H AD QD 3D AC KC QC JC 6C 3C", "AS 6S 4S TH 9H 8H 6H 3H TD 8D 7D 4D 2D",
        "TS 9S 8S 7S 2S KH QH 2H KD JD 6D 8C 5C", "QS 5S 3S JH 5H 4H 9D 5D TC 9C 7C 4C 2C",
    ),
    dealer=0,
    before="1:nolo 2:rami 3:pass 1:pass",
    play="""
        1:6H 2:QH 3:JH 0:7H won 2
        2:2H 3:5H 0:AH 1:8H won 0
        0:JS 1:6S 2:8S 3:3S won 0
        0:3C 1:AS 2:5C 3:TC won 3
        3:5D 0:QD 1:7D 2:JD won 0
        0:QC 1:9H 2:8C 3:2C won 0
        0:JC 1:TH 2:TS 3:7C won 0
        0:KS 1:4S 2:7S 3:QS won 0
        0:6C 1:4D 2:KH 3:4C won 0
        0:AD 1:8D 2:KD 3:9D won 0
        0:KC 1:3H 2:9S 3:9C won 0
        0:AC 1:2D 2:6D 3:4H won 0
        0:3D 1:TD 2:2S 3:5S won 1
    """,
    points=(20, 0),
    tricks=(11, 2),
)  # fmt: skip

T_G2 = Hand(
    hands=(
        "KS QS TS 2S 8H 6H 5H 3H AD 7D KC 3C 2C", "AS KH JH TH 9D 6D 5D 4D AC QC 8C 7C 6C",
        "9S 7S 4S 3S 7H 4H QD JD 3D 2D JC 9C 5C", "JS 8S 6S 5S AH QH 9H 2H KD TD 8D TC 4C",
    ),
    dealer=3,
    before="0:nolo 1:nolo 2:nolo 3:nolo",
    play="""
        0:AD 1:9D 2:QD 3:8D won 0
        0:2S 1:AS 2:3S 3:6S won 1
        1:QC 2:5C 3:4C 0:3C won 1
        1:5D 2:JD 3:KD 0:7D won 3
        3:8S 0:TS 1:4D 2:4S won 0
        0:2C 1:7C 2:9C 3:TC won 3
        3:9H 0:8H 1:KH 2:4H won 1
        1:TH 2:7H 3:AH 0:5H won 3
        3:2H 0:6H 1:JH 2:JC won 1
        1:8C 2:3D 3:QH 0:KC won 0
        0:3H 1:AC 2:9S 3:JS won 0
        0:QS 1:6C 2:7S 3:5S won 0
        0:KS 1:6D 2:2D 3:TD won 0
    """,
    points=(4, 0),
    tricks=(6, 7),
)  # fmt: skip

T_G3 = Hand(
    hands=(
        "QS JS 8S 3S 2S JH 8H 4H 2H 7D JC 6C AC", "KS 9S KH 9H 6H AH KD QD AD QC 7C 4C 2C",
        "TS 7S 6S 5S 4S AS QH 5H TD 6D TC 8C 5C", "TH 7H 3H JD 9D 8D 5D 4D 3D 2D KC 9C 3C",
    ),
    dealer=0,
    before="1:rami 2:pass 0:sooli 2:give:AS 0:give:QS",
    play="""
        1:AH 3:3H 0:2H won 3
        3:2D 1:KD 0:7D won 1
        1:AD 3:3D 0:JC won 3
        3:3C 1:2C 0:AC won 3
        3:4D 1:QD 0:JH won 1
        1:4C 3:9C 0:6C won 3
        3:5D 1:6H 0:JS won 3
        3:7H 1:9H 0:8H won 1
        1:KS 3:8D 0:8S won 1
        1:7C 3:KC 0:4H won 3
        3:9D 1:9S 0:3S won 3
        3:TH 1:KH 0:2S won 1
        1:QC 3:JD 0:AS won 1
    """,
    points=(24, 0),
    tricks=(0, 13),
)  # fmt: skip

T_G4 = Hand(
    hands=(
        "5S AS QH 4H 3H AH 9D 8D 5D AD KC JC 4C", "KS QS 8S 9H KD JD TD 4D TC 8C 7C 5C 2C",
        "JS TS 4S KH JH 2H QD 3D QC 9C 6C 3C AC", "9S 7S 6S 3S 2S TH 8H 7H 6H 5H 7D 6D 2D",
    ),
    dealer=0,
    before="1:rami 2:pass 0:sooli 2:give:AC 0:give:KC",
    play="""
        1:2C 3:2S 0:AC won 1
        1:4D 3:2D 0:AD won 1
        1:5C 3:3S 0:4C won 1
        1:7C 3:6S 0:JC won 0
    """,
    points=(0, 24),
    tricks=(1, 3),
)  # fmt: skip

TUPPI_HANDS = {"T-G1": T_G1, "T-G2": T_G2, "T-G3": T_G3, "T-G4": T_G4}


# ---- deals by hand -------------------------------------------------------------------------


def order_of(game: Any, hands: Sequence[str], dealer: int) -> list[int]:
    """The cards in dealing order; what the hands lack is filled up from the rest of the pack."""
    masks = [PACK.mask(hand.split()) for hand in hands] + [0] * (4 - len(hands))
    rest = iter(PACK.cards(PACK.full & ~sum(masks)))
    for seat in range(4):
        while masks[seat].bit_count() < 13:
            masks[seat] |= 1 << next(rest)
    return list(game.dealing_order(masks, [], dealer))


def dealt(
    game: Any,
    *hands: str,
    dealer: int = 3,
    score: tuple[int, int] = (0, 0),
    unit: Unit = "deal",
    deals: int = 0,
) -> Any:
    """A deal of these hands, by seat; seat 0 bids first unless another dealer is named."""
    tally = Tally(score=score, dealer=dealer, unit=unit, deals=deals)
    return game.deal(order_of(game, hands, dealer), tally)


def tuppi(ruleset: str = "tuppi", **options: Any) -> Any:
    """Tuppi with single options changed."""
    return game_named("tuppi", ruleset, options)


def minnesota(ruleset: str = "minnesota", **options: Any) -> Any:
    """Minnesota Whist with single options changed."""
    return game_named("minnesota", ruleset, options)


def legal(deal: Any) -> list[str]:
    """What the seat to act may do, in the order of the alphabet."""
    return [deal.game.actions[action] for action in deal.legal()]


def play(deal: Any, script: str) -> Any:
    """Play a script; every step must be that seat's turn and legal."""
    for step in script.split():
        seat, _, action = step.partition(":")
        assert deal.to_act == int(seat), f"{step}: seat {deal.to_act} is to act"
        assert action in legal(deal), f"{step}: legal are {legal(deal)}"
        deal.apply(deal.game.index[action])
    return deal


def finish(deal: Any, seed: int = 0) -> Any:
    """Play on at random to the end."""
    random = Random(seed)
    while deal.to_act is not None:
        deal.apply(random.choice(deal.legal()))
    return deal


def actions(deal: Any) -> list[str]:
    """The history as a script, nothing hidden."""
    return [f"{seat}:{deal.game.actions[action]}" for seat, action in deal.history]


def set_hands(deal: Any, *hands: str) -> Any:
    """Put other hands, of any size, into a deal in which a card is wanted."""
    assert deal.phase == PLAY
    deal.hands = [PACK.mask(hand.split()) for hand in hands]
    return deal


def ended(
    game: Any,
    word: str,
    declarer: int | None,
    won: tuple[int, int],
    score: tuple[int, int] = (0, 0),
    deals: int = 0,
) -> Any:
    """A deal that is over, with so many tricks by side; `word` is its contract.

    In a sooli of seat 0 the first number is the soloist's.
    """
    deal = dealt(game, score=score, unit="game", deals=deals)
    deal.tricks = [won[0], won[1], 0, 0]
    deal.declarer = declarer
    deal.contract = word
    if word == "sooli":
        deal.soloist = 0
    deal.hands = [0] * 4
    deal.trick = Trick(deal.trick.rules, 0)
    deal.end()
    return deal


def at_table(game: Any, hand: Hand, script: str) -> Table:
    """A table of one deal, played by a script through its asks."""
    cards = order_of(game, hand.hands, hand.dealer)
    table = Table(game, "deal", set_number=hand.dealer, cards=lambda *_: cards)
    for step in script.split():
        seat, _, action = step.partition(":")
        decision = table.ask()
        assert decision is not None, step
        assert decision.seat == int(seat), step
        table.submit(game.index[action])
    return table


# ---- random play ---------------------------------------------------------------------------


def steps(deal: Any, seed: int) -> Iterator[Any]:
    """A deal played at random, at every decision and once more when it is over."""
    random = Random(seed)
    while deal.to_act is not None:
        yield deal
        deal.apply(random.choice(deal.legal()))
    yield deal


class Finished(Struct, frozen=True, kw_only=True):
    """One finished deal: its hands when dealt, the deal, and the game before and after it."""

    hands: list[int]
    deal: Any
    before: Tally
    after: Tally


def finished_deals(game: Any, most: int, unit: Unit = "game") -> Iterator[Finished]:
    """Deals of random games, so many in all; the last game may not be over."""
    random = Random(game.ruleset)
    tally = game.first(0, unit)
    number = 0
    for _ in range(most):
        deal = game.deal(random.sample(range(52), 52), tally)
        hands = list(deal.hands)
        while deal.to_act is not None:
            deal.apply(random.choice(deal.legal()))
        after = deal.after()
        yield Finished(hands=hands, deal=deal, before=tally, after=after)
        number += bool(after.winners)
        tally = game.first(number, unit) if after.winners or unit == "deal" else after


class Story:
    """A finished deal retold from the hands dealt and the history alone."""

    def __init__(self, finished: Finished) -> None:
        game = finished.deal.game
        self.hands = [set(PACK.texts(hand)) for hand in finished.hands]
        self.bids: list[tuple[int, str]] = []
        self.soloist: int | None = None
        plays: list[tuple[int, str]] = []
        for seat, action in finished.deal.history:
            word, _, card = game.actions[action].partition(":")
            if word in (game.high, game.low):
                self.bids.append((seat, word))
            elif word == "sooli":
                self.soloist = seat
            elif word == "give":
                self.hands[seat].remove(card)
                self.hands[(seat + 2) % 4].add(card)
            elif word in PACK.index:
                plays.append((seat, word))
        self.declarer = next((seat for seat, word in self.bids if word == game.high), None)
        size = 4 if self.soloist is None else 3
        self.tricks = [plays[at : at + size] for at in range(0, len(plays), size)]
        order = ORDERS["plain" if self.soloist is None else "ace_low"]
        self.winners = [winner(trick, order) for trick in self.tricks]
        self.won = [sum(seat % 2 == side for seat in self.winners) for side in (0, 1)]


def winner(trick: Sequence[tuple[int, str]], order: str) -> int:
    """Who won a trick: the highest card of the suit led."""
    led = trick[0][1][1]
    return max((order.index(card[0]), seat) for seat, card in trick if card[1] == led)[1]
