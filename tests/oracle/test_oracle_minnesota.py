"""The worked examples of the rules, played through the naive Minnesota Whist oracle."""

import random
from collections import Counter

import pytest

from . import minnesota as oracle
from . import tuppi

RANKS = "23456789TJQKA"
PACK = [rank + suit for suit in "SHDC" for rank in RANKS]
ALL = sorted(oracle.PRESETS)

OPTION_NAMES = {
    "target",
    "grand_points",
    "grand_set_points",
    "low_points",
    "high_fail",
    "low_mode",
    "grand_lead",
    "bid_mode",
    "bid_cards",
    "first_dealer",
    "max_deals",
}


def preset(name: str = "minnesota", /, **changes: object) -> dict[str, object]:
    assert set(changes) <= OPTION_NAMES
    return {**oracle.PRESETS[name], **changes}


class Game:
    """One deal: the arguments of the oracle and what has been done so far."""

    def __init__(self, options: dict[str, object], hands: list[str], dealer: int) -> None:
        self.options = options
        self.hands = [hand.split() for hand in hands]
        self.dealer = dealer
        self.history: list[tuple[int, str]] = []

    def ask(self) -> tuple[int | None, set[str]]:
        return oracle.legal(self.options, self.hands, [], self.dealer, [0, 0], self.history)

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
            assert oracle.trick_winners(self.history)[-1] == int(words[-1]), line
        return self

    def over(self) -> bool:
        return self.ask() == (None, set())

    def points(self, unit: str = "deal") -> list[int]:
        return oracle.points(self.options, self.hands, [], self.dealer, [0, 0], self.history, unit)

    def after(
        self, score: tuple[int, int] = (0, 0), deals: int = 0
    ) -> tuple[list[int], tuple[int, ...]]:
        return oracle.after(
            self.options, self.hands, [], self.dealer, list(score), self.history, deals
        )

    def count(self) -> int:
        return oracle.count(self.options, self.hands, [], self.dealer, [0, 0], self.history)


def cards(text: str) -> set[str]:
    return set(text.split())


ANY_HANDS = [" ".join(PACK[seat::4]) for seat in range(4)]


# ------------------------------------------------------------------ presets


def test_presets() -> None:
    assert ALL == ["minnesota", "minnesota-pagat", "south-dakota"]
    for name in ALL:
        assert set(oracle.PRESETS[name]) == OPTION_NAMES
    base = preset()
    assert preset("minnesota-pagat") == {
        **base,
        "grand_set_points": 1,
        "low_mode": "more_lose",
    }
    assert preset("south-dakota") == {
        **base,
        "grand_set_points": 1,
        "high_fail": "bidders_lose",
        "low_mode": "more_lose",
        "target": 11,
    }


# ------------------------------------------------------------------ bids (W-01, W-02)


def test_w01_first_high() -> None:
    game = Game(preset(), ANY_HANDS, dealer=3)
    assert game.ask() == (0, {"low", "high"})
    game.do("0:low 1:high")
    assert game.ask() == (0, set(ANY_HANDS[0].split()))
    game = Game(preset(grand_lead="left_of_declarer"), ANY_HANDS, dealer=3)
    assert game.do("0:low 1:high").seat() == 2

    sealed = preset(bid_mode="sealed")
    game = Game(sealed, ANY_HANDS, dealer=3).do("0:low 1:high")
    assert game.ask() == (2, {"low", "high"})
    assert game.do("2:low 3:high").ask() == (0, set(ANY_HANDS[0].split()))
    game = Game(sealed, ANY_HANDS, dealer=3).do("0:low 1:low 2:low 3:high")
    assert game.seat() == 2


def test_w02_all_low() -> None:
    for mode in ("sequential", "sealed"):
        game = Game(preset(bid_mode=mode), ANY_HANDS, dealer=2)
        game.do("3:low 0:low 1:low 2:low")
        assert game.ask() == (3, set(ANY_HANDS[3].split()))


def test_bid_cards() -> None:
    hands = ["2H JD KS", "2S JS QC", "2D QD KD", "2C AH KH"]
    game = Game(preset(bid_cards="hand_cards"), hands, dealer=3)
    assert game.legal() == {"low:2H", "low:JD", "high:KS"}
    game.do("0:low:JD")
    assert game.legal() == {"low", "high:2S", "high:JS", "high:QC"}
    game.do("1:low")
    assert game.legal() == {"high", "low:2D", "low:QD", "low:KD"}
    game.do("2:low:2D")
    assert game.legal() == {"high:2C", "low:AH", "low:KH"}
    # The cards shown have gone back to the hands.
    assert game.do("3:low:AH").ask() == (0, cards(hands[0]))
    game.history = game.history[:2]
    assert game.do("2:high").ask() == (1, cards(hands[1]))


# ------------------------------------------------------------------ following (W-08)


def test_w08_no_duty_to_win() -> None:
    hands = ["9D 2C 3C", "AD 2D KS", "KH QH JH", "AC 4D 5D"]
    game = Game(preset(), hands, dealer=3).do("low low low low 0:9D")
    assert game.ask() == (1, cards("AD 2D"))
    game.do("1:2D")
    assert game.ask() == (2, cards("KH QH JH"))
    # A card of another suit wins nothing.
    game.do("2:KH 3:4D")
    assert game.ask() == (0, cards("2C 3C"))
    game.do("0:3C 1:KS 2:QH 3:AC")
    assert game.ask() == (3, cards("5D"))


# ------------------------------------------------------------------ scoring (W-03 to W-09)

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


@pytest.mark.parametrize("name", ALL)
def test_w03_t_g1_as_a_high(name: str) -> None:
    game = Game(preset(name), T_G1_HANDS, dealer=0).do("1:low 2:high").tricks(T_G1)
    assert game.over()
    assert Counter(seat % 2 for seat in oracle.trick_winners(game.history)) == {0: 11, 1: 2}
    assert game.points() == [5, 0]
    assert game.points("game") == [5, 0]


def test_w05_t_g2_as_a_low() -> None:
    for name, expected in (
        ("minnesota", [1, 0]),
        ("minnesota-pagat", [0, -1]),
        ("south-dakota", [0, -1]),
    ):
        game = Game(preset(name), T_G2_HANDS, dealer=3).do("low low low low").tricks(T_G2)
        assert game.over()
        assert Counter(seat % 2 for seat in oracle.trick_winners(game.history)) == {0: 6, 1: 7}
        assert game.points() == expected


def ladder_hands(tricks: int) -> list[str]:
    """Seat 0 can take exactly that many tricks if it leads; seat 1 takes the others.

    Seats 2 and 3 hold all diamonds and all clubs.
    """
    spades = [rank + "S" for rank in reversed(RANKS)]
    hearts = [rank + "H" for rank in reversed(RANKS)]
    if tricks == 0:
        own, others = ["2S", *hearts[1:]], [*spades[:12], hearts[0]]
    else:
        own = spades[:tricks] + hearts[tricks:]
        others = spades[tricks:] + hearts[:tricks]
    rest = [" ".join(rank + suit for rank in RANKS) for suit in "DC"]
    return [" ".join(own), " ".join(others), *rest]


def ladder(contract: str, tricks: int, options: dict[str, object] | None = None) -> Game:
    """A deal that seat 0 leads and in which side 0 takes so many tricks.

    contract: "low"; "B", a high of side 1 (seat 1); "A", a high of side 0, led by its partner's
    right or left: there the seats are turned by one, so that seat 1 leads.
    """
    options = options or preset()
    if contract == "A":
        hands = ladder_hands(13 - tricks)
        game = Game(options, [hands[3], *hands[:3]], 1).do("2:high")
        first = 1
    else:
        game = Game(options, ladder_hands(tricks), 0 if contract == "B" else 3)
        game.do("1:high" if contract == "B" else "low low low low")
        first = 0
    assert game.seat() == first
    while not game.over():
        seat, offered = game.ask()
        high = sorted(offered, key=lambda card: RANKS.index(card[0]), reverse=True)
        spades = [card for card in high if card[1] == "S"]
        hearts = [card for card in high if card[1] == "H"]
        plays = oracle.cards_in(game.history)
        if seat == first:
            # Spades from the top, then hearts from the bottom.
            game.do(spades[0] if spades else hearts[-1])
        elif seat == first + 1 and len(plays) % 4 == 0:
            game.do(hearts[0] if hearts else spades[0])
        elif seat == first + 1 and plays[-1][1][1] == "H":
            game.do(hearts[0])
        elif seat == first + 1:
            game.do(spades[-1] if spades else hearts[-1])
        else:
            game.do(high[0])
    winners = [winner % 2 for winner in oracle.trick_winners(game.history)]
    assert winners.count(0) == tricks
    return game


@pytest.mark.parametrize("tricks", range(14))
@pytest.mark.parametrize("name", ALL)
def test_scoring_table(name: str, tricks: int) -> None:
    options = preset(name)
    others = 13 - tricks
    expected = {
        "minnesota": [tricks - 6, 0] if tricks >= 7 else [0, 2 * (others - 6)],
        "minnesota-pagat": [tricks - 6, 0] if tricks >= 7 else [0, others - 6],
        "south-dakota": [tricks - 6, 0] if tricks >= 7 else [tricks - 7, 0],
    }
    assert ladder("A", tricks, options).points() == expected[name]
    expected = {
        "minnesota": [0, others - 6] if others >= 7 else [2 * (tricks - 6), 0],
        "minnesota-pagat": [0, others - 6] if others >= 7 else [tricks - 6, 0],
        "south-dakota": [0, others - 6] if others >= 7 else [0, others - 7],
    }
    assert ladder("B", tricks, options).points() == expected[name]
    if name == "minnesota":
        low = [7 - tricks, 0] if tricks <= 6 else [0, 7 - others]
    else:
        low = [6 - tricks, 0] if tricks >= 7 else [0, 6 - others]
    assert ladder("low", tricks, options).points() == low


def test_w04_failed_high() -> None:
    assert ladder("A", 5).points() == [0, 4]
    assert ladder("A", 5, preset("minnesota-pagat")).points() == [0, 2]
    assert ladder("A", 5, preset("south-dakota")).points() == [-2, 0]
    assert ladder("A", 5, preset("south-dakota", grand_set_points=3)).points() == [-6, 0]


def test_w06_low_without_a_trick() -> None:
    assert ladder("low", 0).points() == [7, 0]
    assert ladder("low", 0, preset("minnesota-pagat")).points() == [0, -7]
    assert ladder("low", 0, preset("minnesota-pagat", low_points=2)).points() == [0, -14]


def test_w07_reaching_the_target() -> None:
    assert ladder("A", 7).after((12, 0)) == ([13, 0], (0,))
    assert ladder("A", 7).after((11, 12)) == ([12, 12], ())
    assert ladder("A", 13).after((12, 0)) == ([19, 0], (0,))
    assert ladder("A", 7, preset("south-dakota")).after((10, 3)) == ([11, 3], (0,))


def test_w09_no_reset() -> None:
    game = ladder("A", 6)
    assert game.points() == [0, 2]
    assert game.after((10, 9)) == ([10, 11], ())


def test_scores_may_be_negative() -> None:
    assert ladder("A", 0, preset("south-dakota")).after((-3, 5)) == ([-10, 5], ())


def test_both_at_the_target() -> None:
    game = ladder("A", 7)
    assert game.after((14, 14)) == ([15, 14], (0,))
    assert game.after((13, 14)) == ([14, 14], ())
    assert game.after((13, 14), deals=199) == ([14, 14], (0, 1))
    assert game.after((12, 14)) == ([13, 14], (1,))


def test_max_deals() -> None:
    game = ladder("A", 7, preset(max_deals=10))
    assert game.after((0, 1), deals=8) == ([1, 1], ())
    assert game.after((0, 1), deals=9) == ([1, 1], (0, 1))
    assert game.after((0, 4), deals=9) == ([1, 4], (1,))
    assert game.after((0, 0), deals=9) == ([1, 0], (0,))


# ------------------------------------------------------------------ impossible histories


def test_impossible_histories() -> None:
    four = [(0, "low"), (1, "low"), (2, "low"), (3, "low")]
    for history in (
        [(1, "low")],
        [(0, "nolo")],
        [(0, "pass")],
        [(0, "high:2S")],
        [(0, "2S")],
        [(0, "high"), (1, "low")],
        [*four, (0, "low")],
        [*four, (0, "3S")],
        [*four, (0, "2S"), (1, "TH")],
        [*four, (0, "2S"), (1, "3S"), (2, "4S"), (3, "5S"), (0, "6S")],
        [*four, (0, "2S"), (1, "3S"), (2, "4S"), (3, "5S"), (3, "5S")],
    ):
        game = Game(preset(), ANY_HANDS, dealer=3)
        game.history = history
        with pytest.raises(ValueError):
            game.ask()
        with pytest.raises(ValueError):
            game.count()
    game = ladder("low", 4)
    game.history.append((0, "low"))
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
        oracle.legal(preset(), [h.split() for h in ANY_HANDS], [], 0, [0, 0], [], "match")


# ------------------------------------------------------------------ counting


def test_count() -> None:
    one = ["2S", "2H", "2D", "2C"]
    assert Game(preset(), one, 0).count() == 5
    assert Game(preset(bid_mode="sealed"), one, 0).count() == 16
    # Nobody can follow: every order of the cards is a play.
    two = ["2S 3S", "2H 3H", "2D 3D", "2C 3C"]
    assert Game(preset(), two, 0).count() == 5 * 2**4
    # With bid cards seats 1 and 2 have two ways to bid low, seats 3 and 0 two to bid high.
    game = Game(preset(bid_cards="hand_cards"), two, 0)
    bids = 1 + 2 * (1 + 2 * (2 + 1 * (2 + 1)))
    assert game.count() == bids * 2**4
    follow = ["2S 3S", "4S 2H", "2D 3D", "2C 3C"]
    assert Game(preset(), follow, 3).do("low low low low").count() == 2 * 1 * 2 * 2
    assert ladder("A", 9).count() == 1


def test_count_agrees_with_tuppi() -> None:
    game = Game(preset(), T_G2_HANDS, dealer=3).do("low low low low")
    game.tricks("\n".join(T_G2.strip().splitlines()[:10]))
    history = [(seat, "nolo" if a == "low" else a) for seat, a in game.history]
    options = tuppi.PRESETS["tuppi-minnesota-score"]
    assert game.count() == tuppi.count(options, game.hands, [], 3, [0, 0], history)


# ------------------------------------------------------------------ random deals

TOGGLES: dict[str, list[object]] = {
    "grand_points": [1, 2],
    "grand_set_points": [1, 2, 3],
    "low_points": [1, 2],
    "high_fail": ["opponents_score", "bidders_lose"],
    "low_mode": ["fewer_gain", "more_lose"],
    "grand_lead": ["right_of_declarer", "left_of_declarer"],
    "bid_mode": ["sequential", "sealed"],
    "bid_cards": ["none", "hand_cards"],
}


def shuffled_hands(rng: random.Random) -> list[str]:
    pack = PACK[:]
    rng.shuffle(pack)
    return [" ".join(pack[seat::4]) for seat in range(4)]


def play_out(game: Game, rng: random.Random) -> None:
    only_low = rng.random() < 0.4
    while True:
        seat, offered = game.ask()
        if seat is None:
            return
        wanted = sorted(a for a in offered if not (only_low and a.startswith("high")))
        game.history.append((seat, rng.choice(wanted)))


def test_random_deals() -> None:
    rng = random.Random(13)
    seen: Counter[str] = Counter()
    for at in range(90):
        options = preset(ALL[at % 3])
        if at >= 30:
            for name, values in TOGGLES.items():
                options[name] = rng.choice(values)
        game = Game(options, shuffled_hands(rng), rng.randrange(4))
        play_out(game, rng)
        played = [card for _, card in oracle.cards_in(game.history)]
        assert sorted(played) == sorted(PACK)
        bids = oracle.bids_in(game.history)
        assert [s for s, _ in bids] == [(game.dealer + 1 + k) % 4 for k in range(len(bids))]
        highs = [seat for seat, action in bids if action.startswith("high")]
        if options["bid_mode"] == "sealed":
            assert len(bids) == 4
        else:
            assert len(highs) == (1 if bids[-1][1].startswith("high") else 0)
        leader = oracle.cards_in(game.history)[0][0]
        points = game.points()
        assert points.count(0) == 1
        value = next(p for p in points if p)
        if highs:
            seen["high"] += 1
            step = 3 if options["grand_lead"] == "right_of_declarer" else 1
            assert leader == (highs[0] + step) % 4
            if points[highs[0] % 2] <= 0:
                seen["failed"] += 1
                assert (value < 0) == (options["high_fail"] == "bidders_lose")
        else:
            seen["low"] += 1
            assert leader == (game.dealer + 1) % 4
            assert (value < 0) == (options["low_mode"] == "more_lose")
    assert min(seen["high"], seen["low"]) >= 20
    assert seen["failed"] >= 5


def test_tuppi_without_sooli_and_reset_is_four_times_this_game() -> None:
    rng = random.Random(4)
    words = {"low": "nolo", "high": "rami"}
    seen: Counter[str] = Counter()
    for _ in range(60):
        mode = rng.choice(["sequential", "sealed"])
        lead = rng.choice(["right_of_declarer", "left_of_declarer"])
        mine = preset(bid_mode=mode, grand_lead=lead)
        theirs = {
            **tuppi.PRESETS["tuppi-minnesota-score"],
            "bid_mode": mode,
            "grand_lead": lead,
            "max_deals": mine["max_deals"],
        }
        assert theirs["target"] == 4 * 13
        game = Game(mine, shuffled_hands(rng), rng.randrange(4))
        only_low = rng.random() < 0.4
        while True:
            history = [(seat, words.get(action, action)) for seat, action in game.history]
            seat, offered = game.ask()
            same = tuppi.legal(theirs, game.hands, [], game.dealer, [0, 0], history)
            assert same == (seat, {words.get(a, a) for a in offered})
            if seat is None:
                break
            wanted = sorted(a for a in offered if not (only_low and a == "high"))
            game.history.append((seat, rng.choice(wanted)))
        earned = tuppi.points(theirs, game.hands, [], game.dealer, [0, 0], history)
        assert earned == [4 * p for p in game.points()]
        seen["low" if oracle.grander(game.history) is None else "high"] += 1

        score = (rng.randrange(13), rng.randrange(13))
        deals = rng.choice([0, 198, 199])
        new, winners = game.after(score, deals)
        four_times = tuppi.after(
            theirs, game.hands, [], game.dealer, [4 * s for s in score], history, deals
        )
        assert four_times == ([4 * total for total in new], winners)
    assert min(seen["low"], seen["high"]) >= 10
