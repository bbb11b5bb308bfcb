"""The worked examples of the rules, played through the naive Tuppi oracle."""

import random
from collections import Counter

import pytest

from . import tuppi as oracle

RANKS = "23456789TJQKA"
PACK = [rank + suit for suit in "SHDC" for rank in RANKS]
ALL = sorted(oracle.PRESETS)

OPTION_NAMES = {
    "target",
    "bid_mode",
    "bid_cards",
    "sooli",
    "sooli_order",
    "sooli_exchange",
    "sooli_first_lead",
    "sooli_ace",
    "sooli_stop",
    "sooli_points",
    "grand_points",
    "grand_set_points",
    "low_points",
    "reset_mode",
    "stop_when_decided",
    "grand_lead",
    "first_dealer",
    "max_deals",
}


def preset(name: str = "tuppi", /, **changes: object) -> dict[str, object]:
    assert set(changes) <= OPTION_NAMES
    return {**oracle.PRESETS[name], **changes}


class Game:
    """One deal: the arguments of the oracle and what has been done so far."""

    def __init__(
        self,
        options: dict[str, object],
        hands: list[str],
        dealer: int,
        score: tuple[int, int] = (0, 0),
        unit: str = "deal",
    ) -> None:
        self.options = options
        self.hands = [hand.split() for hand in hands]
        self.dealer = dealer
        self.score = list(score)
        self.unit = unit
        self.history: list[tuple[int, str]] = []

    def ask(self) -> tuple[int | None, set[str]]:
        return oracle.legal(
            self.options, self.hands, [], self.dealer, self.score, self.history, self.unit
        )

    def seat(self) -> int | None:
        return self.ask()[0]

    def legal(self) -> set[str]:
        return self.ask()[1]

    def do(self, actions: str) -> "Game":
        """Each word is an action, or seat:action (a digit in front)."""
        for word in actions.split():
            seat, offered = self.ask()
            assert seat is not None, word
            action = word
            if len(word) > 1 and word[1] == ":":
                assert seat == int(word[0]), (word, seat, self.history)
                action = word[2:]
            assert action in offered, (word, seat, sorted(offered))
            self.history.append((seat, action))
        return self

    def tricks(self, lines: str) -> "Game":
        """Lines of a golden deal: "t1 1:6H 2:QH 3:JH 0:7H won 2"."""
        for line in lines.strip().splitlines():
            words = line.split()
            self.do(" ".join(word for word in words if ":" in word))
            assert self.deal().winners[-1] == int(words[-1]), line
        return self

    def deal(self) -> oracle.Deal:
        return oracle.replay(
            self.options, self.hands, [], self.dealer, self.score, self.history, self.unit
        )[0]

    def over(self) -> bool:
        return self.ask() == (None, set())

    def points(self) -> list[int]:
        return oracle.points(
            self.options, self.hands, [], self.dealer, self.score, self.history, self.unit
        )

    def after(self, deals: int = 0) -> tuple[list[int], tuple[int, ...]]:
        assert self.unit == "game"
        return oracle.after(
            self.options, self.hands, [], self.dealer, self.score, self.history, deals
        )

    def count(self) -> int:
        return oracle.count(
            self.options, self.hands, [], self.dealer, self.score, self.history, self.unit
        )


def cards(text: str) -> set[str]:
    return set(text.split())


ANY_HANDS = [" ".join(PACK[seat::4]) for seat in range(4)]


# ------------------------------------------------------------------ presets


def test_presets() -> None:
    assert ALL == ["tuppi", "tuppi-competition", "tuppi-minnesota-score", "tuppi-transfer"]
    for name in ALL:
        assert set(oracle.PRESETS[name]) == OPTION_NAMES
    base = preset()
    assert preset("tuppi-competition") == {**base, "sooli": False}
    assert preset("tuppi-transfer") == {**base, "reset_mode": "transfer"}
    assert preset("tuppi-minnesota-score") == {**base, "reset_mode": "off", "sooli": False}


# ------------------------------------------------------------------ bids (T-01 to T-04, T-20)


def test_t01_bidding_order() -> None:
    game = Game(preset(), ANY_HANDS, dealer=2)
    assert game.legal() == {"nolo", "rami"}
    game.do("3:nolo 0:nolo 1:nolo 2:nolo")


def test_t02_first_rami_ends_the_bidding() -> None:
    game = Game(preset(), ANY_HANDS, dealer=3).do("0:nolo 1:rami")
    assert game.ask() == (2, {"pass", "sooli"})
    game.do("2:pass")
    assert game.ask() == (0, {"pass", "sooli"})
    game.do("0:pass")
    assert game.ask() == (0, set(ANY_HANDS[0].split()))

    other = Game(preset(sooli_order="right_first"), ANY_HANDS, dealer=3)
    other.do("0:nolo 1:rami 0:pass 2:pass")
    assert other.seat() == 0
    other = Game(preset(grand_lead="left_of_declarer"), ANY_HANDS, dealer=3)
    other.do("0:nolo 1:rami 2:pass 0:pass")
    assert other.seat() == 2


def test_t03_four_nolos() -> None:
    game = Game(preset(), ANY_HANDS, dealer=1).do("2:nolo 3:nolo 0:nolo 1:nolo")
    assert game.ask() == (2, set(ANY_HANDS[2].split()))


def test_t04_the_dealer_declares() -> None:
    game = Game(preset(), ANY_HANDS, dealer=0).do("1:nolo 2:nolo 3:nolo 0:rami")
    game.do("1:pass 3:pass")
    assert game.ask() == (3, set(ANY_HANDS[3].split()))


def test_t20_competition_has_no_sooli() -> None:
    game = Game(preset("tuppi-competition"), ANY_HANDS, dealer=0).do("1:rami")
    assert game.ask() == (0, set(ANY_HANDS[0].split()))


def test_a_sooli_ends_the_questions() -> None:
    game = Game(preset(), ANY_HANDS, dealer=3).do("0:rami 1:sooli")
    assert game.seat() == 3
    assert game.legal() == {"give:" + card for card in ANY_HANDS[3].split()}


def test_sealed_bids() -> None:
    options = preset(bid_mode="sealed")
    game = Game(options, ANY_HANDS, dealer=3).do("0:nolo 1:rami 2:nolo 3:rami")
    assert game.ask() == (2, {"pass", "sooli"})
    game.do("2:pass 0:pass")
    assert game.seat() == 0
    game = Game(options, ANY_HANDS, dealer=2).do("3:nolo 0:nolo 1:nolo 2:nolo")
    assert game.seat() == 3
    game = Game(options, ANY_HANDS, dealer=2).do("3:nolo 0:nolo 1:nolo 2:rami 3:pass 1:pass")
    assert game.seat() == 1


def test_bid_cards() -> None:
    hands = ["TH 2H JD AD 9S KS", "2S JS QC KC 3H 4D", "9C 8C 2D QD KD JH", "2C JC QS KH QH 7S"]
    options = preset(bid_cards="hand_cards")
    game = Game(options, hands, dealer=3)
    assert game.legal() == {"rami:TH", "rami:AD", "nolo:9S"}
    game.do("0:nolo:9S")
    assert game.legal() == {"rami:3H", "rami:4D", "nolo"}
    game.do("1:nolo")
    assert game.legal() == {"rami", "nolo:9C", "nolo:8C"}
    game.do("2:nolo:8C")
    assert game.legal() == {"rami", "nolo:7S"}
    game.do("3:nolo:7S")
    # The cards shown have gone back to the hands.
    assert game.ask() == (0, cards(hands[0]))
    game = Game(options, hands, dealer=3).do("0:nolo:9S 1:rami:3H 2:pass 0:pass")
    assert game.seat() == 0
    game = Game(preset(bid_cards="hand_cards", bid_mode="sealed"), hands, dealer=3)
    game.do("0:nolo:9S 1:rami:3H 2:rami 3:nolo:7S")
    assert game.ask() == (2, {"pass", "sooli"})


def test_bid_cards_with_a_hand_that_has_neither_colour() -> None:
    hands = ["2H JS", "AH AS", "TH TS", "9H 9S"]
    game = Game(preset(bid_cards="hand_cards"), hands, dealer=3)
    assert game.legal() == {"rami", "nolo"}
    game.do("nolo")
    assert game.legal() == {"rami:AH", "nolo:AS"}


# ------------------------------------------------------------------ following (T-05 to T-09)


def test_t05_t06_must_follow() -> None:
    hands = ["5H 2C 3C", "KH 3H AS", "KS 3D AD", "4C 6C 7C"]
    game = Game(preset(), hands, dealer=3).do("nolo nolo nolo nolo 0:5H")
    assert game.ask() == (1, cards("KH 3H"))
    game.do("1:3H")
    assert game.ask() == (2, cards("KS 3D AD"))


def test_t07_highest_of_the_led_suit() -> None:
    hands = ["KS 2D", "7C 3D", "AH 4D", "QC 5D"]
    game = Game(preset(), hands, dealer=0).do("nolo nolo nolo nolo")
    game.do("1:7C 2:AH 3:QC 0:KS")
    assert game.seat() == 3


def sooli_by_0(hands: list[str], dealer: int = 0, **changes: object) -> Game:
    """Seat 1 declares, seat 0 plays a sooli without an exchange."""
    options = preset(sooli_exchange="none", **changes)
    game = Game(options, hands, dealer=dealer)
    while game.seat() != 1:
        game.do("nolo")
    return game.do("1:rami 2:pass 0:sooli")


def test_t08_the_soloist_takes_a_trick() -> None:
    hands = ["3C 4D", "2C 5D", "TS 9S", "AC 6D"]
    game = sooli_by_0(hands).do("1:2C 3:AC 0:3C")
    assert game.over()
    assert game.points() == [0, 24]
    # With aces high seat 3 takes the trick.
    game = sooli_by_0(hands, sooli_ace="high").do("1:2C 3:AC 0:3C")
    assert game.seat() == 3


def test_t09_aces_are_low() -> None:
    hands = ["AC 4D", "5C 5D", "TS 9S", "KC 6D"]
    game = sooli_by_0(hands).do("1:5C 3:KC 0:AC")
    assert game.seat() == 3
    game = sooli_by_0(hands, sooli_ace="high").do("1:5C 3:KC 0:AC")
    assert game.over()


def test_t18_the_soloist_is_always_last() -> None:
    hands = ["2C 2D 2H", "5C 5D 5H", "TS 9S 8S", "KC 6D 6H"]
    game = sooli_by_0(hands).do("1:5C 3:KC 0:2C 3:6D 1:5D 0:2D")
    assert game.seat() == 3
    assert game.legal() == {"6H"}
    game.do("3:6H 1:5H 0:2H")
    assert game.over()
    assert game.points() == [24, 0]
    # An off-suit card of the soloist takes nothing.
    hands = ["KS 2D", "5C 5D", "TS 9S", "4C 6D"]
    assert sooli_by_0(hands).do("1:5C 3:4C 0:KS").seat() == 1


def test_first_lead_in_a_sooli() -> None:
    hands = ["2C 2D", "5C 5D", "TS 9S", "KC 6D"]
    assert sooli_by_0(hands).seat() == 1
    game = sooli_by_0(hands, sooli_first_lead="right_of_soloist")
    game.do("3:KC 1:5C 0:2C 3:6D")
    assert sooli_by_0(hands, sooli_first_lead="declarer").seat() == 1
    options = preset(sooli_exchange="none", sooli_first_lead="declarer")
    assert Game(options, hands, dealer=2).do("3:rami 0:sooli").seat() == 3
    options = preset(sooli_exchange="none")
    assert Game(options, hands, dealer=2).do("3:rami 0:sooli").seat() == 1
    # A sooli by seat 2, the other opponent of seat 3.
    game = Game(options, hands, dealer=2).do("3:rami 0:pass 2:sooli")
    game.do("3:KC 1:5C 2:TS 3:6D 1:5D 2:9S")
    assert game.points() == [24, 0]


def test_sooli_is_played_out_without_sooli_stop() -> None:
    hands = ["AC KD 2H", "5C 4D 5H", "TS 9S 8S", "2C 6D 6H"]
    for lead, first, others in (
        ("left_of_soloist", 1, ("1:4D 3:6D 0:KD", "1:5H 3:6H 0:2H")),
        ("right_of_soloist", 3, ("3:6D 1:4D 0:KD", "3:6H 1:5H 0:2H")),
    ):
        game = sooli_by_0(hands, sooli_stop=False, sooli_first_lead=lead)
        assert game.seat() == first
        game.do(others[0])
        # The seat that led first leads again after the soloist's trick.
        game.do(others[1])
        assert game.seat() == 3  # took the hearts
        game.do("3:2C 1:5C 0:AC")
        assert game.over()
        assert game.points() == [0, 24]


# ------------------------------------------------------------------ exchange (T-19)


def test_t19_receive_then_return() -> None:
    game = Game(preset(), ANY_HANDS, dealer=3).do("0:nolo 1:rami 2:pass 0:sooli")
    mine, partners = ANY_HANDS[0].split(), ANY_HANDS[2].split()
    assert game.ask() == (2, {"give:" + card for card in partners})
    game.do("2:give:" + partners[3])
    assert game.ask() == (0, {"give:" + card for card in [*mine, partners[3]]})
    assert len(game.legal()) == 14
    game.do("0:give:" + mine[5])
    deal = game.deal()
    assert [len(hand) for hand in deal.hands] == [13, 13, 13, 13]
    assert set(deal.hands[0]) == {*mine, partners[3]} - {mine[5]}
    assert set(deal.hands[2]) == {*partners, mine[5]} - {partners[3]}
    assert game.ask() == (1, set(ANY_HANDS[1].split()))


def test_the_received_card_may_be_returned() -> None:
    game = Game(preset(), ANY_HANDS, dealer=3).do("0:nolo 1:rami 2:pass 0:sooli")
    card = ANY_HANDS[2].split()[0]
    game.do(f"2:give:{card} 0:give:{card}")
    assert [set(hand) for hand in game.deal().hands] == [set(h.split()) for h in ANY_HANDS]


def test_discard_then_receive() -> None:
    options = preset(sooli_exchange="discard_then_receive")
    game = Game(options, ANY_HANDS, dealer=3).do("0:nolo 1:rami 2:pass 0:sooli")
    mine, partners = ANY_HANDS[0].split(), ANY_HANDS[2].split()
    assert game.ask() == (0, {"discard:" + card for card in mine})
    game.do("0:discard:" + mine[0])
    assert game.ask() == (2, {"give:" + card for card in partners})
    game.do("2:give:" + partners[0])
    assert game.ask() == (1, set(ANY_HANDS[1].split()))
    deal = game.deal()
    assert [len(hand) for hand in deal.hands] == [13, 13, 12, 13]
    assert deal.laid_aside == [mine[0]]
    assert set(deal.hands[0]) == {*mine, partners[0]} - {mine[0]}


def test_no_exchange() -> None:
    options = preset(sooli_exchange="none")
    game = Game(options, ANY_HANDS, dealer=3).do("0:nolo 1:rami 2:pass 0:sooli")
    assert game.ask() == (1, set(ANY_HANDS[1].split()))


# ------------------------------------------------------------------ scoring (T-10 to T-17)


def split_hands(leader: int, tricks: int) -> list[str]:
    """Hands with which the leader can take that many tricks, and left(leader) the rest."""
    spades = [rank + "S" for rank in reversed(RANKS)]
    hearts = [rank + "H" for rank in reversed(RANKS)]
    if tricks == 0:
        own, left = ["2S", *hearts[1:]], [*spades[:-1], hearts[0]]
    else:
        own = spades[:tricks] + hearts[tricks:]
        left = spades[tricks:] + hearts[:tricks]
    rest = [[rank + suit for rank in RANKS] for suit in "DC"]
    hands = ["", "", "", ""]
    for seat, hand in enumerate([own, left, *rest]):
        hands[(leader + seat) % 4] = " ".join(hand)
    return hands


def play_split(game: Game, leader: int) -> None:
    """Play such hands so that exactly those tricks are taken."""
    while not game.over():
        seat, offered = game.ask()
        high = sorted(offered, key=lambda card: RANKS.index(card[0]), reverse=True)
        spades = [card for card in high if card[1] == "S"]
        hearts = [card for card in high if card[1] == "H"]
        plays = [action for _, action in game.history if len(action) == 2]
        if seat == leader:
            # Spades from the top, then hearts from the bottom.
            game.do(spades[0] if spades else hearts[-1])
        elif seat == (leader + 1) % 4 and len(plays) % 4 == 0:
            game.do(hearts[0] if hearts else spades[0])
        elif seat == (leader + 1) % 4 and plays[-1][1] == "H":
            game.do(hearts[0])
        elif seat == (leader + 1) % 4:
            game.do(spades[-1] if spades else hearts[-1])
        else:
            game.do(high[0])


def split_game(
    contract: str,
    tricks: tuple[int, int],
    options: dict[str, object] | None = None,
    score: tuple[int, int] = (0, 0),
    unit: str = "game",
) -> Game:
    """A deal in which side 0 and side 1 take so many tricks.

    contract: "A" or "B" for a rami of that side, "nolo".
    """
    options = options or preset()
    if contract == "nolo":
        leader, dealer, bids = 0, 3, "nolo nolo nolo nolo"
    elif contract == "A":
        leader, dealer, bids = 1, 1, "2:rami"
    else:
        leader, dealer, bids = 0, 0, "1:rami"
    game = Game(options, split_hands(leader, tricks[leader % 2]), dealer, score, unit)
    game.do(bids)
    if contract != "nolo" and options["sooli"]:
        game.do("pass pass")
    assert game.seat() == leader
    play_split(game, leader)
    return game


@pytest.mark.parametrize("tricks", range(14))
@pytest.mark.parametrize("contract", ["A", "B", "nolo"])
def test_scoring_table(contract: str, tricks: int) -> None:
    game = split_game(contract, (tricks, 13 - tricks), unit="deal")
    deal = game.deal()
    assert [deal.tricks_of_side(0), deal.tricks_of_side(1)] == [tricks, 13 - tricks]
    others = 13 - tricks
    if contract == "nolo":
        expected = [4 * (7 - tricks), 0] if tricks <= 6 else [0, 4 * (7 - others)]
    elif contract == "A":
        expected = [4 * (tricks - 6), 0] if tricks >= 7 else [0, 8 * (others - 6)]
    else:
        expected = [0, 4 * (others - 6)] if others >= 7 else [8 * (tricks - 6), 0]
    assert game.points() == expected


def test_t10_t11_t12_rami() -> None:
    game = split_game("A", (9, 4))
    assert game.points() == [12, 0]
    assert game.after() == ([12, 0], ())
    game = split_game("A", (6, 7))
    assert game.points() == [0, 8]
    assert game.after() == ([0, 8], ())
    game = split_game("A", (0, 13))
    assert game.points() == [0, 56]
    assert game.after() == ([0, 56], (1,))


def test_t13_nolo() -> None:
    assert split_game("nolo", (4, 9)).points() == [12, 0]
    assert split_game("nolo", (0, 13)).points() == [28, 0]
    assert split_game("nolo", (6, 7)).points() == [4, 0]
    assert split_game("nolo", (7, 6)).points() == [0, 4]


def test_t14_reset() -> None:
    game = split_game("A", (6, 7), score=(36, 0))
    assert game.points() == [0, 8]
    assert game.after() == ([0, 0], ())


def test_t15_reaching_the_target() -> None:
    assert split_game("A", (9, 4), score=(40, 0)).after() == ([52, 0], (0,))
    assert split_game("A", (8, 5), score=(40, 0)).after() == ([48, 0], ())


def test_t16_a_big_deal_that_only_resets() -> None:
    game = split_game("A", (0, 13), score=(4, 0))
    assert game.points() == [0, 56]
    assert game.after() == ([0, 0], ())
    game = split_game("A", (0, 13), preset("tuppi-transfer"), score=(4, 0))
    assert game.after() == ([0, 56], (1,))
    game = split_game("A", (6, 7), preset("tuppi-transfer"), score=(4, 0))
    assert game.after() == ([0, 8], ())
    game = split_game("A", (6, 7), preset("tuppi-minnesota-score"), score=(4, 44))
    assert game.after() == ([4, 52], (1,))


def test_t17_a_sooli_at_28() -> None:
    spades = " ".join(card for card in PACK if card[1] == "S")
    hearts = " ".join(card for card in PACK if card[1] == "H")
    diamonds = " ".join(card for card in PACK if card[1] == "D")
    clubs = " ".join(card for card in PACK if card[1] == "C")
    game = Game(preset(), [spades, hearts, diamonds, clubs], 0, (28, 0), "game")
    game.do("1:rami 2:pass 0:sooli 2:give:2D 0:give:AS")
    while not game.over():
        game.do(sorted(game.legal())[0])
    assert len(game.deal().tricks) == 13
    assert game.points() == [24, 0]
    assert game.after() == ([52, 0], (0,))

    hearts = hearts.replace("2H", "2S")
    spades = spades.replace("2S", "2H")
    game = Game(preset(), [spades, hearts, diamonds, clubs], 0, (28, 0), "game")
    game.do("1:rami 2:pass 0:sooli 2:give:2D 0:give:2D 1:2S 3:2C 0:3S")
    assert game.over()
    assert game.points() == [0, 24]
    assert game.after() == ([0, 0], ())
    game.score = [0, 28]
    assert game.after() == ([0, 52], (1,))


def test_max_deals() -> None:
    game = split_game("A", (9, 4), preset(max_deals=10))
    assert game.after(8) == ([12, 0], ())
    assert game.after(9) == ([12, 0], (0,))
    game = split_game("A", (6, 7), preset(max_deals=10), score=(36, 0))
    assert game.after(8) == ([0, 0], ())
    assert game.after(9) == ([0, 0], (0, 1))
    game = split_game("A", (6, 7), preset(max_deals=10), score=(0, 44))
    assert game.after(9) == ([0, 52], (1,))
    game = split_game("nolo", (7, 6), preset("tuppi-minnesota-score", max_deals=1), score=(8, 4))
    assert game.after(0) == ([8, 8], (0, 1))


# ------------------------------------------------------------------ early ends


def tricks_played(game: Game) -> int:
    return len(game.deal().tricks)


STOP: dict[str, object] = {"stop_when_decided": True}


def test_stop_when_decided_rami() -> None:
    # The rising side declares and loses: over at the others' seventh trick.
    game = split_game("A", (0, 13), preset(**STOP), score=(4, 0))
    assert tricks_played(game) == 7
    assert game.points() == [0, 8]
    assert game.after() == ([0, 0], ())
    # The others declare and make it.
    game = split_game("B", (4, 9), preset(**STOP), score=(4, 0))
    assert tricks_played(game) == 11
    assert game.points() == [0, 4]
    assert game.after() == ([0, 0], ())
    # The rising side wins: played out.
    game = split_game("A", (9, 4), preset(**STOP), score=(4, 0))
    assert tricks_played(game) == 13
    assert game.points() == [12, 0]
    game = split_game("B", (13, 0), preset(**STOP), score=(4, 0))
    assert tricks_played(game) == 13
    assert game.after() == ([60, 0], (0,))


def test_stop_when_decided_nolo() -> None:
    game = split_game("nolo", (13, 0), preset(**STOP), score=(4, 0))
    assert tricks_played(game) == 7
    assert game.points() == [0, 28]
    assert game.after() == ([0, 0], ())
    game = split_game("nolo", (9, 4), preset(**STOP), score=(4, 0))
    assert tricks_played(game) == 7
    assert game.points() == [0, 28]
    game = split_game("nolo", (6, 7), preset(**STOP), score=(0, 4))
    assert tricks_played(game) == 13
    assert game.after() == ([0, 0], ())
    game = split_game("nolo", (6, 7), preset(**STOP), score=(4, 0))
    assert tricks_played(game) == 13
    assert game.after() == ([8, 0], ())


def test_stop_when_decided_needs_a_rising_side_in_a_game_with_resets() -> None:
    assert tricks_played(split_game("A", (0, 13), preset(**STOP))) == 13
    assert tricks_played(split_game("A", (0, 13), preset(), score=(4, 0))) == 13
    unrated = split_game("A", (0, 13), preset(**STOP), score=(4, 0), unit="deal")
    assert tricks_played(unrated) == 13
    for name in ("tuppi-transfer", "tuppi-minnesota-score"):
        game = split_game("A", (0, 13), preset(name, **STOP), score=(4, 0))
        assert tricks_played(game) == 13


def test_stop_when_decided_sooli() -> None:
    hands = ["AC KD 2H", "5C 4D 5H", "TS 9S 8S", "2C 6D 6H"]
    for score, unit, over in (
        ((4, 0), "game", True),
        ((0, 4), "game", False),
        ((0, 0), "game", False),
        ((4, 0), "deal", False),
    ):
        options = preset(sooli_exchange="none", sooli_stop=False, stop_when_decided=True)
        game = Game(options, hands, 0, score, unit).do("1:rami 2:pass 0:sooli")
        game.do("1:4D 3:6D 0:KD")
        assert game.over() is over
    game = Game(preset(sooli_exchange="none"), hands, 0).do("1:rami 2:pass 0:sooli")
    assert game.do("1:4D 3:6D 0:KD").over()


# ------------------------------------------------------------------ golden deals

T_G1_HANDS = [
    "KS JS AH 7H AD QD 3D AC KC QC JC 6C 3C",
    "AS 6S 4S TH 9H 8H 6H 3H TD 8D 7D 4D 2D",
    "TS 9S 8S 7S 2S KH QH 2H KD JD 6D 8C 5C",
    "QS 5S 3S JH 5H 4H 9D 5D TC 9C 7C 4C 2C",
]
T_G1 = """
t1  1:6H 2:QH 3:JH 0:7H won 2
t2  2:2H 3:5H 0:AH 1:8H won 0
t3  0:JS 1:6S 2:8S 3:3S won 0
t4  0:3C 1:AS 2:5C 3:TC won 3
t5  3:5D 0:QD 1:7D 2:JD won 0
t6  0:QC 1:9H 2:8C 3:2C won 0
t7  0:JC 1:TH 2:TS 3:7C won 0
t8  0:KS 1:4S 2:7S 3:QS won 0
t9  0:6C 1:4D 2:KH 3:4C won 0
t10 0:AD 1:8D 2:KD 3:9D won 0
t11 0:KC 1:3H 2:9S 3:9C won 0
t12 0:AC 1:2D 2:6D 3:4H won 0
t13 0:3D 1:TD 2:2S 3:5S won 1
"""
T_G2_HANDS = [
    "KS QS TS 2S 8H 6H 5H 3H AD 7D KC 3C 2C",
    "AS KH JH TH 9D 6D 5D 4D AC QC 8C 7C 6C",
    "9S 7S 4S 3S 7H 4H QD JD 3D 2D JC 9C 5C",
    "JS 8S 6S 5S AH QH 9H 2H KD TD 8D TC 4C",
]
T_G2 = """
t1  0:AD 1:9D 2:QD 3:8D won 0
t2  0:2S 1:AS 2:3S 3:6S won 1
t3  1:QC 2:5C 3:4C 0:3C won 1
t4  1:5D 2:JD 3:KD 0:7D won 3
t5  3:8S 0:TS 1:4D 2:4S won 0
t6  0:2C 1:7C 2:9C 3:TC won 3
t7  3:9H 0:8H 1:KH 2:4H won 1
t8  1:TH 2:7H 3:AH 0:5H won 3
t9  3:2H 0:6H 1:JH 2:JC won 1
t10 1:8C 2:3D 3:QH 0:KC won 0
t11 0:3H 1:AC 2:9S 3:JS won 0
t12 0:QS 1:6C 2:7S 3:5S won 0
t13 0:KS 1:6D 2:2D 3:TD won 0
"""


def test_t_g1() -> None:
    game = Game(preset(), T_G1_HANDS, dealer=0).do("1:nolo 2:rami 3:pass 1:pass")
    game.tricks(T_G1)
    assert game.over()
    assert Counter(seat % 2 for seat in game.deal().winners) == {0: 11, 1: 2}
    assert game.points() == [20, 0]


@pytest.mark.parametrize("dealer", range(4))
def test_t_g1_from_any_dealer(dealer: int) -> None:
    game = Game(preset(), T_G1_HANDS, dealer, unit="game")
    while game.seat() != 2:
        game.do("nolo")
    game.do("2:rami 3:pass 1:pass").tricks(T_G1)
    assert game.after() == ([20, 0], ())


def test_t_g2() -> None:
    game = Game(preset(), T_G2_HANDS, dealer=3).do("nolo nolo nolo nolo")
    game.tricks(T_G2)
    assert game.over()
    assert Counter(seat % 2 for seat in game.deal().winners) == {0: 6, 1: 7}
    assert game.points() == [4, 0]


T_G3_HANDS = [
    "QS JS 8S 3S 2S JH 8H 4H 2H 7D JC 6C AC",
    "KS 9S KH 9H 6H AH KD QD AD QC 7C 4C 2C",
    "TS 7S 6S 5S 4S AS QH 5H TD 6D TC 8C 5C",
    "TH 7H 3H JD 9D 8D 5D 4D 3D 2D KC 9C 3C",
]


@pytest.mark.parametrize("declarer", [1, 3])
def test_t_g3(declarer: int) -> None:
    game = Game(preset(), T_G3_HANDS, dealer=(declarer + 3) % 4).do(f"{declarer}:rami")
    if declarer == 1:
        game.do("2:pass")
    game.do("0:sooli 2:give:AS 0:give:QS")
    game.tricks(
        """
        t1  1:AH 3:3H 0:2H won 3
        t2  3:2D 1:KD 0:7D won 1
        t3  1:AD 3:3D 0:JC won 3
        t4  3:3C 1:2C 0:AC won 3
        t5  3:4D 1:QD 0:JH won 1
        t6  1:4C 3:9C 0:6C won 3
        t7  3:5D 1:6H 0:JS won 3
        t8  3:7H 1:9H 0:8H won 1
        t9  1:KS 3:8D 0:8S won 1
        t10 1:7C 3:KC 0:4H won 3
        t11 3:9D 1:9S 0:3S won 3
        t12 3:TH 1:KH 0:2S won 1
        t13 1:QC 3:JD 0:AS won 1
        """
    )
    assert game.over()
    assert game.points() == [24, 0]


def test_t_g4() -> None:
    hands = [
        "5S AS QH 4H 3H AH 9D 8D 5D AD KC JC 4C",
        "KS QS 8S 9H KD JD TD 4D TC 8C 7C 5C 2C",
        "JS TS 4S KH JH 2H QD 3D QC 9C 6C 3C AC",
        "9S 7S 6S 3S 2S TH 8H 7H 6H 5H 7D 6D 2D",
    ]
    for stop in (True, False):
        game = Game(preset(sooli_stop=stop), hands, dealer=0)
        game.do("1:rami 2:pass 0:sooli 2:give:AC 0:give:KC")
        game.tricks(
            """
            t1 1:2C 3:2S 0:AC won 1
            t2 1:4D 3:2D 0:AD won 1
            t3 1:5C 3:3S 0:4C won 1
            t4 1:7C 3:6S 0:JC won 0
            """
        )
        assert game.over() is stop
        if stop:
            assert game.points() == [0, 24]
        else:
            with pytest.raises(ValueError):
                game.points()


# ------------------------------------------------------------------ impossible histories


def test_impossible_histories() -> None:
    hands = ANY_HANDS
    for history in (
        [(1, "nolo")],
        [(0, "low")],
        [(0, "pass")],
        [(0, "rami:TH")],
        [(0, "rami"), (1, "nolo")],
        [(0, "rami"), (3, "pass")],
        [(0, "rami"), (1, "sooli"), (1, "give:3S")],
        [(0, "rami"), (1, "sooli"), (3, "give:2S")],
        [(0, "nolo"), (1, "nolo"), (2, "nolo"), (3, "nolo"), (0, "3S")],
    ):
        game = Game(preset(), hands, dealer=3)
        game.history = history
        with pytest.raises(ValueError):
            game.ask()
    game = split_game("A", (9, 4), unit="deal")
    game.history.append((0, "nolo"))
    with pytest.raises(ValueError):
        game.ask()
    game.history = game.history[:-2]
    with pytest.raises(ValueError):
        game.points()
    with pytest.raises(ValueError):
        oracle.legal(preset(), [["2S"]] * 4, [], 0, [0, 0], [])
    with pytest.raises(ValueError):
        oracle.legal(preset(), [["2S"], ["3S"], ["4S"], ["5S", "6S"]], [], 0, [0, 0], [])
    with pytest.raises(ValueError):
        oracle.legal(preset(), [["2S"], ["3S"], ["4S"], ["5S"]], ["6S"], 0, [0, 0], [])
    with pytest.raises(ValueError):
        Game(preset(), hands, 0, unit="match").ask()


# ------------------------------------------------------------------ counting


def test_count() -> None:
    one = ["2S", "2H", "2D", "2C"]
    assert Game(preset(sooli=False), one, 0).count() == 5
    assert Game(preset(sooli=False, bid_mode="sealed"), one, 0).count() == 16
    assert Game(preset(sooli_exchange="none"), one, 0).count() == 1 + 4 * 3
    # Two cards to return: the own one and the received one.
    assert Game(preset(), one, 0).count() == 1 + 4 * (1 + 2 + 2)
    options = preset(sooli_exchange="discard_then_receive")
    assert Game(options, one, 0).count() == 1 + 4 * 3

    # Nobody can follow: every order of the cards is a play.
    two = ["2S 3S", "2H 3H", "2D 3D", "2C 3C"]
    assert Game(preset(sooli=False), two, 0).count() == 5 * 2**4
    game = Game(preset(sooli_exchange="none"), two, 0).do("1:rami")
    assert game.count() == 2**4 + 2 * 2**3
    game = Game(preset(sooli_exchange="none"), two, 0).do("1:rami 2:sooli 3:2C")
    assert game.count() == 2 * 2

    # A hand that must follow once.
    follow = ["2S 3S", "4S 2H", "2D 3D", "2C 3C"]
    game = Game(preset(), follow, 3).do("nolo nolo nolo nolo")
    assert game.count() == 2 * 1 * 2 * 2

    # The deal stops at the soloist's trick.
    lost = ["4S 2H", "3S 5H", "2D 3D", "2C 3C"]
    game = Game(preset(sooli_exchange="none"), lost, 0).do("1:rami 2:pass 0:sooli")
    # 3S led: 4S takes it, two cards of seat 3; 5H led: 2H, and two tricks in full.
    assert game.count() == 2 + 2
    options = preset(sooli_exchange="none", sooli_stop=False)
    assert Game(options, lost, 0).do("1:rami 2:pass 0:sooli").count() == 4

    game = split_game("A", (9, 4))
    assert game.count() == 1


def test_count_near_the_end_of_a_golden_deal() -> None:
    game = Game(preset(), T_G2_HANDS, dealer=3).do("nolo nolo nolo nolo")
    game.tricks("\n".join(T_G2.strip().splitlines()[:10]))
    # Three cards each; a plain enumeration of all orders gives the same number.
    assert game.count() == enumerate_plays(game)


def enumerate_plays(game: Game) -> int:
    """Written apart from the oracle: four hands, one after another, no bids left."""
    hands = game.deal().hands

    def plays(left: list[list[str]], trick: list[tuple[int, str]], turn: int) -> int:
        if not any(left):
            return 1
        total = 0
        for card in left[turn]:
            if trick:
                suit = trick[0][1][1]
                if card[1] != suit and any(other[1] == suit for other in left[turn]):
                    continue
            rest = [[c for c in hand if c != card] for hand in left]
            now = [*trick, (turn, card)]
            if len(now) == 4:
                same = [(RANKS.index(c[0]), s) for s, c in now if c[1] == now[0][1][1]]
                total += plays(rest, [], max(same)[1])
            else:
                total += plays(rest, now, (turn + 1) % 4)
        return total

    seat = game.seat()
    assert seat is not None
    return plays(hands, [], seat)


# ------------------------------------------------------------------ random deals (section 3.8)

TOGGLES: dict[str, list[object]] = {
    "bid_mode": ["sequential", "sealed"],
    "bid_cards": ["none", "hand_cards"],
    "sooli": [True, True, False],
    "sooli_order": ["left_first", "right_first"],
    "sooli_exchange": ["receive_then_return", "discard_then_receive", "none"],
    "sooli_first_lead": ["left_of_soloist", "right_of_soloist", "declarer"],
    "sooli_ace": ["low", "high"],
    "sooli_stop": [True, False],
    "reset_mode": ["both_zero", "transfer", "off"],
    "stop_when_decided": [False, True],
    "grand_lead": ["right_of_declarer", "left_of_declarer"],
}


def shuffled_hands(rng: random.Random) -> list[str]:
    pack = PACK[:]
    rng.shuffle(pack)
    return [" ".join(pack[seat::4]) for seat in range(4)]


def play_out(game: Game, rng: random.Random) -> None:
    while True:
        seat, offered = game.ask()
        if seat is None:
            return
        game.history.append((seat, rng.choice(sorted(offered))))


def check_end(game: Game) -> str:
    """What must hold of any finished deal, read from the history alone."""
    options = game.options
    kinds = [(seat, action.partition(":")[0]) for seat, action in game.history]
    bids = [(seat, kind) for seat, kind in kinds if kind in ("rami", "nolo")]
    ramis = [seat for seat, kind in bids if kind == "rami"]
    soolis = [seat for seat, kind in kinds if kind == "sooli"]
    plays = [(seat, action) for seat, action in game.history if len(action) == 2]
    assert [seat for seat, _ in bids] == [(game.dealer + 1 + k) % 4 for k in range(len(bids))]
    if options["bid_mode"] == "sealed" or not ramis:
        assert len(bids) == 4
    else:
        assert bids[-1][1] == "rami"
        assert len(ramis) == 1

    points = game.points()
    assert min(points) == 0
    gain = max(points)
    side = points.index(gain)
    assert len({card for _, card in plays}) == len(plays)
    winners = game.deal().winners
    tricks = [sum(seat % 2 == s for seat in winners) for s in (0, 1)]

    if soolis:
        soloist = soolis[0]
        assert soloist % 2 != ramis[0] % 2
        assert all(seat == soloist for seat, _ in plays[2::3])
        assert not any(seat in (soloist, (soloist + 2) % 4) for seat, _ in plays[0::3])
        assert gain == 24
        assert (side == soloist % 2) == (soloist not in winners)
        if soloist not in winners:
            assert len(plays) == 39
        elif options["sooli_stop"]:
            assert winners.index(soloist) == len(winners) - 1
        return "sooli"
    if ramis:
        lead = -1 if options["grand_lead"] == "right_of_declarer" else 1
        assert plays[0][0] == (ramis[0] + lead) % 4
        if side == ramis[0] % 2:
            assert gain in range(4, 29, 4)
        else:
            assert gain in range(8, 57, 8)
    else:
        assert plays[0][0] == (game.dealer + 1) % 4
        assert gain in range(4, 29, 4)
    if sum(tricks) < 13:
        # Only when the rising side loses.
        assert options["stop_when_decided"]
        assert options["reset_mode"] == "both_zero"
        assert game.unit == "game"
        assert game.score[1 - side] > 0
        assert game.after() == ([0, 0], ())
    else:
        assert len(plays) == 52
        more = tricks.index(max(tricks))
        assert side == (more if ramis else 1 - more)
    return "rami" if ramis else "nolo"


def test_random_deals() -> None:
    rng = random.Random(52)
    seen: Counter[str] = Counter()
    for at in range(200):
        options = preset(ALL[at % 4])
        if at >= 40:
            for name, values in TOGGLES.items():
                options[name] = rng.choice(values)
        score = rng.choice([(0, 0), (8, 0), (0, 40)])
        unit = rng.choice(["deal", "game"])
        game = Game(options, shuffled_hands(rng), rng.randrange(4), score, unit)
        # Half of them without a rami, where that can be said.
        if rng.random() < 0.3:
            while any(action.startswith("nolo") for action in game.legal()):
                game.do(min(a for a in game.legal() if a.startswith("nolo")))
        play_out(game, rng)
        seen[check_end(game)] += 1
        if unit == "game":
            new, winners = game.after()
            if options["reset_mode"] == "both_zero":
                assert min(new) == 0
            assert all(total % 4 == 0 for total in new)
            assert bool(winners) == (max(new) >= 52)
    assert min(seen["sooli"], seen["rami"], seen["nolo"]) >= 20


def test_suits_and_seats_are_alike() -> None:
    """Invariants 9 and 10: permuted suits, seats moved on by one."""
    rng = random.Random(9)
    for _ in range(25):
        options = preset()
        for name, values in TOGGLES.items():
            if name != "bid_cards":
                options[name] = rng.choice(values)
        score = rng.choice([(0, 0), (8, 0), (0, 40)])
        game = Game(options, shuffled_hands(rng), rng.randrange(4), score, "game")
        play_out(game, rng)

        to = dict(zip("SHDC", rng.sample("SHDC", 4), strict=True))

        def moved(action: str, to: dict[str, str] = to) -> str:
            kind, colon, card = action.rpartition(":")
            if len(card) != 2:
                return action
            return kind + colon + card[0] + to[card[1]]

        hands = [" ".join(moved(card) for card in game.hands[s - 1]) for s in range(4)]
        other = Game(options, hands, (game.dealer + 1) % 4, (score[1], score[0]), "game")
        for seat, action in game.history:
            other.do(f"{(seat + 1) % 4}:{moved(action)}")
        assert other.over()
        assert other.points() == game.points()[::-1]
        new, winners = game.after()
        turned, others = other.after()
        assert turned == new[::-1]
        assert sorted(others) == sorted(1 - side for side in winners)


def test_points_and_target_scale_together() -> None:
    rng = random.Random(10)
    for _ in range(20):
        plain = Game(preset(), shuffled_hands(rng), rng.randrange(4), (0, 36), "game")
        play_out(plain, rng)
        times_3 = preset(
            target=156,
            sooli_points=72,
            grand_points=12,
            grand_set_points=24,
            low_points=12,
        )
        big = Game(times_3, [" ".join(h) for h in plain.hands], plain.dealer, (0, 108), "game")
        big.history = plain.history
        assert big.points() == [3 * p for p in plain.points()]
        assert big.after() == ([3 * p for p in plain.after()[0]], plain.after()[1])
