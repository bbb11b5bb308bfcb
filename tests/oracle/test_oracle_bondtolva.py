"""The worked examples of the rules, played through the naive Bondtolva oracle."""

import random
from collections import Counter

import pytest

from . import bondtolva as oracle
from . import marjapussi

RANKS = "6789TJQKA"
PACK = [rank + suit for suit in "SHDC" for rank in RANKS]

OPTION_NAMES = {
    "deck",
    "hand",
    "target",
    "target_mode",
    "overshoot",
    "timing",
    "tie",
    "declare_in_phase2",
    "trump_in_phase1",
    "trump_points",
    "little_points",
    "last_trick_points",
    "mates_points",
    "mates_tie",
    "ten_eyes",
    "first_dealer",
    "next_dealer",
    "max_deals",
}


def preset(**changes: object) -> dict[str, object]:
    assert set(changes) <= OPTION_NAMES
    return {**oracle.PRESETS["bondtolva"], **changes}


class Game:
    """One deal: the arguments of the oracle and what has been done so far."""

    def __init__(
        self,
        options: dict[str, object],
        hands: list[str],
        stock: str = "",
        dealer: int = 1,
        score: list[int] | None = None,
        unit: str = "deal",
    ) -> None:
        self.options = options
        self.hands = [hand.split() for hand in hands]
        self.stock = stock.split()
        self.dealer = dealer
        self.score = [0, 0] if score is None else score
        self.unit = unit
        self.history: list[tuple[int, str]] = []

    def ask(self) -> tuple[int | None, set[str]]:
        return oracle.legal(
            self.options,
            self.hands,
            self.stock,
            self.dealer,
            self.score,
            self.history,
            self.unit,
        )

    def do(self, actions: str) -> "Game":
        """Each word is seat:action."""
        for word in actions.split():
            seat, actions_here = self.ask()
            assert word[1] == ":"
            assert seat == int(word[0]), (word, seat, self.history)
            assert word[2:] in actions_here, (word, sorted(actions_here))
            self.history.append((seat, word[2:]))
        return self

    def points(self) -> list[int]:
        return oracle.points(
            self.options,
            self.hands,
            self.stock,
            self.dealer,
            self.score,
            self.history,
            self.unit,
        )

    def after(self, deals: int = 0) -> tuple[list[int], tuple[int, ...]]:
        return oracle.after(
            self.options,
            self.hands,
            self.stock,
            self.dealer,
            self.score,
            self.history,
            deals,
        )

    def count(self) -> int:
        return oracle.count(
            self.options,
            self.hands,
            self.stock,
            self.dealer,
            self.score,
            self.history,
            self.unit,
        )

    def state(self) -> oracle.Deal:
        deal, _ = oracle.replay(
            self.options,
            self.hands,
            self.stock,
            self.dealer,
            self.score,
            self.history,
            self.unit,
        )
        return deal


def cards(text: str) -> set[str]:
    return set(text.split())


def test_preset() -> None:
    assert list(oracle.PRESETS) == ["bondtolva"]
    assert set(preset()) == OPTION_NAMES


# ------------------------------------------------------------------ B-01 to B-06: cards

# Player 0 makes spades trump after the first trick, and leads AH.
B01_HANDS = ["AS KS QS AH JH 9D", "9S KH JD TC QC KC"]
B01_STOCK = "9H JS TS TH QH TD QD KD AD 9C JC AC"


def test_b01() -> None:
    game = Game(preset(), B01_HANDS, B01_STOCK).do("0:AS 1:9S 0:declare:S 0:AH")
    assert game.ask() == (1, cards("KH JS JD TC QC KC"))
    # Free before any trump, too.
    assert Game(preset(), B01_HANDS, B01_STOCK).do("0:AH").ask() == (1, cards(B01_HANDS[1]))


def test_b02() -> None:
    assert not oracle.reply_wins("9C", "AD", None)
    assert oracle.reply_wins("9C", "AD", "D")
    assert not oracle.reply_wins("9C", "AD", "C")
    assert oracle.reply_wins("KC", "TC", None)
    assert not oracle.reply_wins("KC", "QC", "S")


def test_b02_trump_in_phase_1() -> None:
    hands = ["AS KS QS 9H", "9S 9D 9C JH"]
    stock = "AC JS TC QC"
    start = "0:AS 1:9S 0:declare:S 0:AC 1:JS"
    assert Game(preset(), hands, stock).do(start).ask() == (1, {"pass"})
    game = Game(preset(trump_in_phase1=False), hands, stock).do(start)
    assert game.ask() == (0, {"pass"})
    # The last two cards are drawn after this trick; in the next one trumps win.
    game.do("0:pass 0:9H 1:JH 1:9D 0:KS")
    assert game.ask()[0] == 0
    # A trump led is a suit like any other.
    game = Game(preset(trump_in_phase1=False), hands, stock)
    game.do("0:AS 1:9S 0:declare:S 0:QS 1:JS")
    assert game.ask()[0] == 0


def test_b03() -> None:
    assert oracle.strict_replies(["KH", "9H", "AS"], "QH", "S") == ["KH"]


def test_b04() -> None:
    for trump in (None, "S", "H", "D", "C"):
        assert oracle.strict_replies(["KH", "9H", "AS"], "AH", trump) == ["KH", "9H"]


def test_b05() -> None:
    assert oracle.strict_replies(["9S", "JS", "AD"], "QH", "S") == ["9S", "JS"]


def test_b06() -> None:
    assert oracle.strict_replies(["9S", "JS", "AD"], "QH", None) == ["9S", "JS", "AD"]
    assert oracle.strict_replies(["9S", "JS", "AD"], "QH", "C") == ["9S", "JS", "AD"]


# ------------------------------------------------------------------ B-07 to B-11

B07_HANDS = ["AH AC KS QS KD QD", "9H JC JH QC AS TH"]
B07_STOCK = "9C TC 9S 9D JS JD QH KH TS TD KC AD"
B07_START = "0:AH 1:9H 0:pass 0:AC 1:JC"


def test_b07() -> None:
    game = Game(preset(), B07_HANDS, B07_STOCK).do("0:AH 1:9H")
    assert game.ask() == (0, {"pass", "declare:S", "declare:D"})
    game.do("0:pass 0:AC 1:JC")
    assert game.ask() == (0, {"pass", "declare:S", "declare:D"})
    game.do("0:declare:S")
    assert game.state().trump == "S"
    assert game.state().items == [(0, 2)]
    # One for each trick won: now comes the lead.
    assert game.ask() == (0, cards("KS QS KD QD 9C 9S"))
    game.do("0:KS 1:QC")
    assert game.ask() == (0, {"pass", "declare:D"})
    game.do("0:declare:D")
    assert game.state().trump == "S"
    assert game.state().items == [(0, 2), (0, 1)]


def test_a_played_half_closes_the_suit() -> None:
    game = Game(preset(), B07_HANDS, B07_STOCK).do(B07_START).do("0:pass 0:KS 1:9D")
    assert game.ask() == (0, {"pass", "declare:D"})


def test_b08() -> None:
    game = Game(preset(), G1_HANDS, G1_STOCK).do(G1_PLAY)
    assert [oracle.count_eyes(preset(), pile) for pile in game.state().taken] == [23, 17]
    assert oracle.matador_player(preset(), game.state().taken) == 0
    assert oracle.matador_player(preset(mates_tie="none"), game.state().taken) is None
    equal = [
        ["AS", "AH", "TS", "TH", "KS", "KH", "QS", "QH", "JS", "JH"],
        ["AD", "AC", "TD", "TC", "KD", "KC", "QD", "QC", "JD", "JC"],
    ]
    assert [oracle.count_eyes(preset(), pile) for pile in equal] == [20, 20]
    assert oracle.matador_player(preset(), equal) is None
    tens = [["AS", "KS"], ["TH", "JH"]]
    assert oracle.matador_player(preset(), tens) == 0
    assert oracle.matador_player(preset(ten_eyes=10), tens) == 1
    assert oracle.matador_player(preset(), [["AS", "TS"], ["AH", "KH", "KD"]]) == 0


def test_b09() -> None:
    def declared(**changes: object) -> Game:
        options = preset(**changes)
        game = Game(options, B07_HANDS, B07_STOCK, score=[11, 0], unit="game")
        return game.do(B07_START).do("0:declare:S")

    game = declared()
    assert game.ask() == (0, cards("KS QS KD QD 9C 9S"))
    assert game.state().trump == "S"
    assert game.state().total == [11, 0]
    assert declared(overshoot="no_score").state().total == [11, 0]
    assert declared(overshoot="bounce").state().total == [11, 0]
    assert declared(overshoot="reset").state().total == [0, 0]
    # The next declaration is a tjog, and that one fits.
    game.do("0:KS 1:QC 0:declare:D")
    assert game.ask() == (None, set())
    assert game.points() == [3, 0]
    assert game.after() == ([12, 0], (0,))
    game = declared(target_mode="at_least")
    assert game.ask() == (None, set())
    assert game.after() == ([13, 0], (0,))


def test_b10() -> None:
    hands = ["AS AD 9H", "9S 9D TH"]
    play = "0:AS 1:9S 0:AD 1:9D 0:9H 1:TH"

    def played(unit: str, **changes: object) -> Game:
        return Game(preset(**changes), hands, score=[11, 11], unit=unit).do(play)

    assert played("game").points() == [0, 1]
    assert played("game").after() == ([11, 12], (1,))
    assert played("deal").points() == [1, 1]
    assert played("game", timing="deal_end").points() == [1, 1]
    assert played("game", timing="deal_end").after() == ([12, 12], (1,))
    assert played("game", timing="deal_end", tie="draw").after() == ([12, 12], (0, 1))


def test_b11() -> None:
    game = Game(preset(), B07_HANDS, B07_STOCK, score=[10, 3], unit="game").do(B07_START)
    game.do("0:declare:D")
    assert game.ask() == (None, set())
    assert game.points() == [2, 0]
    assert game.after() == ([12, 3], (0,))
    with pytest.raises(ValueError):
        oracle.legal(
            game.options,
            game.hands,
            game.stock,
            1,
            [10, 3],
            [*game.history, (0, "KS")],
            "game",
        )
    # The same in a rated deal, and with points entered at its end, goes on.
    game = Game(preset(), B07_HANDS, B07_STOCK, score=[10, 3]).do(B07_START).do("0:declare:D")
    assert game.ask()[0] == 0
    options = preset(timing="deal_end")
    game = Game(options, B07_HANDS, B07_STOCK, score=[10, 3], unit="game").do(B07_START)
    assert game.do("0:declare:D").ask()[0] == 0


# ------------------------------------------------------------------ golden deal

G1_HANDS = ["AS 9H AC TC KC 9C", "JH TD KD QD JD JC"]
G1_STOCK = "QH 9S KH AH KS AD QS JS QC 9D TS TH"
G1_PLAY = """
    0:9C 1:TD 0:pass  0:QH 1:JD 0:pass  0:AS 1:9S 0:pass
    0:KH 1:JC 0:pass  0:TC 1:JH 0:declare:S  0:QS 1:QD 0:declare:C
    0:KS 1:JS  0:TS 1:KD  0:9H 1:AH  1:AD 0:QC  1:9D 0:KC  1:TH 0:AC
"""


def test_b_g1() -> None:
    game = Game(preset(), G1_HANDS, G1_STOCK).do(G1_PLAY)
    assert game.ask() == (None, set())
    assert game.points() == [4, 1]
    assert game.state().items == [(0, 2), (0, 1), (1, 1), (0, 1)]
    assert Game(preset(mates_tie="none"), G1_HANDS, G1_STOCK).do(G1_PLAY).points() == [3, 1]


def before(word_at: int) -> Game:
    return Game(preset(), G1_HANDS, G1_STOCK).do(" ".join(G1_PLAY.split()[:word_at]))


def test_b_g1_windows_and_draws() -> None:
    assert before(0).ask() == (0, cards(G1_HANDS[0]))
    assert before(2).ask() == (0, {"pass"})  # nothing to declare, yet asked
    assert before(3).ask() == (0, cards("AS 9H AC TC KC QH"))
    assert before(4).ask() == (1, cards("JH KD QD JD JC 9S"))
    assert before(14).ask() == (0, {"pass", "declare:S"})
    assert before(17).ask() == (0, {"pass", "declare:C"})
    assert before(18).ask() == (0, cards("9H AC KC KS QC TS"))
    # Phase 2: follow and beat.
    assert before(19).ask() == (1, {"JS"})
    assert before(20).ask()[0] == 0
    assert before(24).ask() == (1, cards("AD 9D TH"))


def test_b_g1_in_a_game() -> None:
    def over(score: list[int], **changes: object) -> tuple[list[int], tuple[int, ...]]:
        game = Game(preset(**changes), G1_HANDS, G1_STOCK, score=score, unit="game")
        return game.do(G1_PLAY).after()

    assert over([0, 0]) == ([4, 1], ())
    assert over([8, 0]) == ([12, 1], (0,))
    assert over([7, 11]) == ([10, 12], (1,))  # no mates: the game was over
    assert over([8, 11], timing="deal_end") == ([12, 12], (1,))
    assert over([8, 11], timing="deal_end", tie="draw") == ([12, 12], (0, 1))
    late = {"timing": "deal_end"}
    assert over([9, 0], **late) == ([12, 1], (0,))  # 9 + 2 + 1, then the mates are skipped
    assert over([9, 0], overshoot="no_score", **late) == ([9, 1], ())
    assert over([9, 0], overshoot="bounce", **late) == ([11, 1], ())
    assert over([9, 0], overshoot="reset", **late) == ([0, 1], ())
    assert over([9, 11], target_mode="at_least", **late) == ([13, 12], (0,))
    assert over([11, 0], **late) == ([12, 1], (0,))  # the trumf is skipped, the tjog counts


def test_max_deals() -> None:
    def over(score: list[int], deals: int) -> tuple[int, ...]:
        game = Game(preset(max_deals=2), G1_HANDS, G1_STOCK, score=score, unit="game")
        return game.do(G1_PLAY).after(deals)[1]

    assert over([0, 0], 0) == ()
    assert over([0, 0], 1) == (0,)
    assert over([0, 3], 1) == (0, 1)
    assert over([0, 4], 1) == (1,)


# ------------------------------------------------------------------ phase 2 windows, counting

P2_HANDS = ["AS KS QS", "9S 9D TH"]


def test_declare_in_phase_2() -> None:
    game = Game(preset(), P2_HANDS).do("0:AS 1:9S")
    assert game.ask() == (0, {"KS", "QS"})
    game = Game(preset(declare_in_phase2=True), P2_HANDS).do("0:AS 1:9S")
    assert game.ask() == (0, {"pass", "declare:S"})
    game.do("0:declare:S")
    assert game.ask() == (0, {"KS", "QS"})
    game.do("0:QS 1:9D")
    assert game.ask() == (0, {"pass"})
    game.do("0:pass 0:KS 1:TH")
    assert game.ask() == (None, set())  # none after the last trick
    assert game.points() == [4, 0]


def test_count() -> None:
    # AS: 9S is forced, then KS or QS and 9D or TH. KS: 9S, then AS or QS, and so on.
    assert Game(preset(), P2_HANDS).count() == 3 * 2 * 2
    # With windows: after AS pass or declare; then pass after the second trick.
    assert Game(preset(declare_in_phase2=True), P2_HANDS).count() == 4 * 2 + 4 + 4


def test_count_with_a_stock() -> None:
    # One card each; the window offers only to pass.
    assert Game(preset(), ["AS", "6S"], "KS QS").count() == 1
    # KS QS | 9H 9D, stock JC TC. Seat 0 leads KS or QS, any reply: 4 ways, seat 0 wins, and
    # passes. Then (QS or KS, JC) against (9H or 9D, TC). Leading the spade: 2 replies, then
    # forced, one lead is left. Leading JC: TC must be played and wins: 1 way.
    assert Game(preset(), ["KS QS", "9H 9D"], "JC TC").count() == 4 * (2 + 1)
    # With a third card the marriage may be declared after AH (3 replies).
    hands = ["AH KS QS", "9H 9D 9C"]
    game = Game(preset(), hands, "JC TC").do("0:AH 1:9H")
    assert game.ask() == (0, {"pass", "declare:S"})
    passing = Game(preset(), hands, "JC TC").do("0:AH 1:9H 0:pass").count()
    declaring = Game(preset(), hands, "JC TC").do("0:AH 1:9H 0:declare:S")
    assert game.count() == passing + declaring.count()
    declaring.score = [10, 0]
    declaring.unit = "game"
    assert declaring.count() == 1


@pytest.mark.parametrize(
    "history",
    [
        [(1, "JH")],
        [(0, "AH")],
        [(0, "9C"), (1, "TD"), (0, "AS")],
        [(0, "9C"), (1, "TD"), (0, "declare:S")],
        [(0, "9C"), (1, "TD"), (1, "pass")],
        [(0, "9C"), (1, "TD"), (0, "pass"), (0, "9S")],
    ],
)
def test_impossible_histories(history: list[tuple[int, str]]) -> None:
    hands = [hand.split() for hand in G1_HANDS]
    with pytest.raises(ValueError):
        oracle.legal(preset(), hands, G1_STOCK.split(), 1, [0, 0], history)


def test_unfinished_deals_have_no_points() -> None:
    game = before(5)
    with pytest.raises(ValueError):
        game.points()
    with pytest.raises(ValueError):
        game.after()


# ------------------------------------------------------------------ random deals

TOGGLES: dict[str, list[object]] = {
    "deck": [24, 28, 32, 36],
    "target": [5, 8, 12],
    "target_mode": ["exact", "at_least"],
    "overshoot": ["skip_item", "no_score", "bounce", "reset"],
    "timing": ["immediate", "deal_end"],
    "tie": ["first_there", "draw"],
    "declare_in_phase2": [False, True],
    "trump_in_phase1": [False, True],
    "trump_points": [0, 2, 3],
    "little_points": [0, 1, 2],
    "last_trick_points": [0, 1],
    "mates_points": [0, 1, 2],
    "mates_tie": ["eyes", "none"],
    "ten_eyes": [0, 10],
    "max_deals": [1, 200],
}


def shuffled_deal(options: dict[str, object], rng: random.Random, unit: str) -> Game:
    deck = int(str(options["deck"]))
    pack = [card for card in PACK if card[0] in [*"TJQKA", *"9876"[: deck // 4 - 5]]]
    assert len(pack) == deck
    rng.shuffle(pack)
    hands = [" ".join(pack[:6]), " ".join(pack[6:12])]
    target = int(str(options["target"]))
    score = [rng.randrange(target), rng.randrange(target)] if unit == "game" else [0, 0]
    return Game(options, hands, " ".join(pack[12:]), rng.randrange(2), score, unit)


def play_out(game: Game, rng: random.Random) -> Counter[str]:
    seen: Counter[str] = Counter()
    while True:
        seat, actions = game.ask()
        if seat is None:
            assert not actions
            return seen
        ordered = sorted(actions)
        # Halves are kept with some care, so that marriages happen.
        declarations = [a for a in ordered if a.startswith("declare")]
        small = [a for a in ordered if a[0] not in "KQ"]
        action = rng.choice(declarations or small or ordered)
        if rng.random() < 0.3:
            action = rng.choice(ordered)
        seen[action if action == "pass" else action.split(":")[0][:7]] += 1
        game.history.append((seat, action))


def test_random_deals() -> None:
    """Section 2.7."""
    rng = random.Random(5)
    seen: Counter[str] = Counter()
    for at in range(60):
        game = shuffled_deal(preset(), rng, "game" if at % 2 else "deal")
        seen += play_out(game, rng)
        deal = game.state()
        earned = sum(game.points())
        assert earned <= 7
        marriages = len(deal.declared)
        if deal.game_winner is None:
            assert sorted(deal.taken[0] + deal.taken[1]) == sorted(
                card for cards_here in [*game.hands, game.stock] for card in cards_here
            )
            assert len(deal.seen) == 24
            assert earned - 1 - (marriages + 1 if marriages else 0) in (0, 1)
            piles = deal.taken
            assert sum(oracle.count_eyes(preset(), pile) for pile in piles) == 40
        if game.unit == "game":
            new, winners = game.after()
            assert all(0 <= total <= 12 for total in new)
            assert (12 in new) == bool(winners)
            assert all(old <= total for old, total in zip(game.score, new, strict=True))
    assert seen["declare"] > 20
    assert seen["pass"]


def test_two_player_marjapussi_is_the_same_machine() -> None:
    """The two oracles share no code; with the same options they agree at every step."""
    rng = random.Random(6)
    ended_early = 0
    for _ in range(80):
        options = preset()
        for name, values in TOGGLES.items():
            options[name] = rng.choice(values)
        game = shuffled_deal(options, rng, rng.choice(["deal", "game", "game"]))
        play_out(game, rng)
        same = {**marjapussi.PRESETS["marjapussi-2p"], **options}
        hands, stock, dealer, score = game.hands, game.stock, game.dealer, game.score
        for at in range(len(game.history) + 1):
            history = game.history[:at]
            assert oracle.legal(
                options, hands, stock, dealer, score, history, game.unit
            ) == marjapussi.legal(same, hands, stock, dealer, score, history, game.unit)
        history = game.history
        assert game.points() == marjapussi.points(
            same, hands, stock, dealer, score, history, game.unit
        )
        if game.unit == "game":
            for deals in (0, 199):
                assert game.after(deals) == marjapussi.after(
                    same, hands, stock, dealer, score, history, deals
                )
            ended_early += game.state().game_winner is not None
    assert ended_early > 5
