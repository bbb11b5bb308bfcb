"""The worked examples of the rules, played through the naive Marjapussi oracle."""

import random
from collections import Counter

import pytest

from . import marjapussi as oracle

RANKS = "6789TJQKA"
PACK = [rank + suit for suit in "SHDC" for rank in RANKS]
ALL = sorted(oracle.PRESETS)

OPTION_NAMES = {
    "players",
    "deck",
    "hand",
    "target",
    "target_mode",
    "overshoot",
    "timing",
    "tie",
    "first_lead",
    "must_trump",
    "must_head",
    "head_lapses_when_ruffed",
    "must_overtrump",
    "spare_partner",
    "first_trick_must_beat",
    "ask_whole",
    "ask_half",
    "ask_only_without_own",
    "declare_must_lead_marriage",
    "declare_in_phase2",
    "trump_in_phase1",
    "trump_points",
    "little_points",
    "last_trick_points",
    "mates_points",
    "mates_by",
    "card_points",
    "mates_tie",
    "ten_eyes",
    "first_dealer",
    "max_deals",
}


def preset(name: str = "marjapussi", /, **changes: object) -> dict[str, object]:
    assert set(changes) <= OPTION_NAMES
    return {**oracle.PRESETS[name], **changes}


class Game:
    """One deal: the arguments of the oracle and what has been done so far."""

    def __init__(
        self,
        options: dict[str, object],
        hands: list[str],
        stock: str = "",
        dealer: int | None = None,
        score: list[int] | None = None,
        unit: str = "deal",
    ) -> None:
        self.options = options
        self.hands = [hand.split() for hand in hands]
        self.stock = stock.split()
        # Forehand is seat 0 unless told otherwise.
        self.dealer = len(hands) - 1 if dealer is None else dealer
        self.score = [0] * oracle.number_of_sides(options) if score is None else score
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

    def seat(self) -> int | None:
        return self.ask()[0]

    def legal(self) -> set[str]:
        return self.ask()[1]

    def do(self, actions: str) -> "Game":
        """Each word is an action, or seat:action (a digit and a colon in front)."""
        for word in actions.split():
            seat, actions_here = self.ask()
            assert seat is not None, word
            action = word
            if word[0].isdigit() and word[1] == ":":
                assert seat == int(word[0]), (word, seat, self.history)
                action = word[2:]
            assert action in actions_here, (word, seat, sorted(actions_here))
            self.history.append((seat, action))
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

    def trump(self) -> str | None:
        deal, _ = oracle.replay(
            self.options,
            self.hands,
            self.stock,
            self.dealer,
            self.score,
            self.history,
            self.unit,
        )
        return deal.trump

    def items(self) -> list[tuple[str, int, int]]:
        deal, _ = oracle.replay(
            self.options,
            self.hands,
            self.stock,
            self.dealer,
            self.score,
            self.history,
            self.unit,
        )
        return deal.items


def cards(text: str) -> set[str]:
    return set(text.split())


def with_hand(hand: str) -> list[str]:
    """Seat 0 has this hand, the others the rest of the pack."""
    rest = [card for card in PACK if card not in hand.split()]
    return [hand, " ".join(rest[:9]), " ".join(rest[9:18]), " ".join(rest[18:])]


def follow(
    hand: str,
    trick: str,
    trump: str | None = None,
    first_trick: bool = False,
    partner_winning: bool = False,
    **changes: object,
) -> set[str]:
    options = preset(**changes)
    result = oracle.legal_follow(
        options, hand.split(), trick.split(), trump, first_trick, partner_winning
    )
    assert len(result) == len(set(result))
    return set(result)


# ------------------------------------------------------------------ presets


@pytest.mark.parametrize("name", ALL)
def test_every_option_is_present(name: str) -> None:
    assert set(oracle.PRESETS[name]) == OPTION_NAMES


def test_presets() -> None:
    assert len(ALL) == 9
    default = preset()
    changed = {
        name: {k: v for k, v in oracle.PRESETS[name].items() if default[k] != v} for name in ALL
    }
    assert changed["marjapussi-32"] == {"deck": 32}
    assert changed["marjapussi-28"] == {"deck": 28}
    assert changed["marjapussi-24"] == {"deck": 24}
    assert changed["marjapussi-friendly"] == {"spare_partner": True}
    assert changed["marjapussi-pagat10"] == {
        "target": 10,
        "first_lead": "any",
        "mates_by": "card_points",
    }
    assert changed["marjapussi-korttipeli"] == {
        "deck": 32,
        "first_lead": "ace_then_spade",
        "must_head": False,
        "must_overtrump": False,
        "ask_only_without_own": True,
    }
    asks = {"ask_whole": False, "ask_half": "none"}
    assert changed["marjapussi-3p"] == {"players": 3, **asks}
    assert changed["marjapussi-2p"] == {"players": 2, "first_lead": "any", **asks}


# ------------------------------------------------------------------ M-01 to M-12: cards


def test_m01_first_lead_with_aces() -> None:
    hand = "AS AD KH QH 7H 9C 8C 6C 6D"
    assert Game(preset(), with_hand(hand)).ask() == (0, {"AS", "AD"})
    assert Game(preset(first_lead="any"), with_hand(hand)).legal() == cards(hand)
    assert Game(preset(first_lead="ace_then_spade"), with_hand(hand)).legal() == {"AS", "AD"}


def test_m02_first_lead_without_aces() -> None:
    hand = "TS 9S KH QH 7H 9C 8C 6C 6D"
    assert Game(preset(), with_hand(hand)).legal() == cards(hand)
    assert Game(preset(first_lead="ace_then_spade"), with_hand(hand)).legal() == {"TS", "9S"}
    no_spade = "TD 9D KH QH 7H 9C 8C 6C 6D"
    game = Game(preset(first_lead="ace_then_spade"), with_hand(no_spade))
    assert game.legal() == cards(no_spade)


def test_the_dealers_left_leads() -> None:
    for dealer in range(4):
        game = Game(preset(), with_hand("AS AD KH QH 7H 9C 8C 6C 6D"), dealer=dealer)
        assert game.seat() == (dealer + 1) % 4


def test_m03() -> None:
    assert follow("AH TH QH 6H AS", "9H KH") == {"AH", "TH"}


def test_m04() -> None:
    assert follow("TH KH 6H 9S", "AH") == {"TH", "KH", "6H"}


def test_m05() -> None:
    assert follow("JS 7S AH TC", "9D", "S") == {"JS", "7S"}
    assert follow("JS 7S AH TC", "9D", "S", must_trump=False) == cards("JS 7S AH TC")


def test_m06() -> None:
    assert follow("KS TS 8S AH", "9D QS", "S") == {"KS", "TS"}
    assert follow("KS TS 8S AH", "9D QS", "S", must_overtrump=False) == {"KS", "TS", "8S"}
    assert follow("KS TS 8S AH", "9D QS", "S", must_trump=False) == cards("KS TS 8S AH")


def test_m07() -> None:
    assert follow("JS 7S AH TC", "9D QS", "S") == {"JS", "7S"}


def test_m08() -> None:
    assert follow("AD 6D KS", "9D QS", "S") == {"AD", "6D"}
    assert follow("AD 6D KS", "9D QS", "S", head_lapses_when_ruffed=False) == {"AD"}


def test_m09() -> None:
    assert follow("AS KS QH 6C", "9D TD") == cards("AS KS QH 6C")


def test_m10() -> None:
    assert follow("KH QH 6C", "9D", "S") == cards("KH QH 6C")


def test_trumps_led_are_headed() -> None:
    assert follow("AS 6S KH", "9S", "S") == {"AS"}
    assert follow("AS 6S KH", "9S", "S", must_head=False) == {"AS", "6S"}
    assert follow("AS 6S KH", "9S", "S", must_overtrump=False) == {"AS"}


M11_HANDS = ["KH 6D", "7H 7D", "AH 8H", "9H 8D"]


def test_m11() -> None:
    for name, expected in [
        ("marjapussi", {"AH"}),
        ("marjapussi-friendly", {"AH", "8H"}),
        ("marjapussi-korttipeli", {"AH", "8H"}),
    ]:
        game = Game(preset(name), M11_HANDS).do("0:KH 1:7H")
        assert game.ask() == (2, expected)
    game = Game(preset(first_trick_must_beat=False), M11_HANDS).do("0:KH 1:7H")
    assert game.ask() == (2, {"AH", "8H"})


def test_first_trick_must_beat_ends_with_the_first_trick() -> None:
    options = preset(first_trick_must_beat=False, first_lead="any")
    game = Game(options, ["KH 6D", "7H TD", "8H 7D", "9H JD"])
    game.do("0:KH 1:7H 2:8H 3:9H 0:6D 1:TD 2:7D 3:JD")
    assert game.seat() is None
    hands = ["KH 6D 7D", "7H TD 8D", "AH 9D QC", "9H JD KC"]
    game = Game(options, hands).do("0:KH 1:7H 2:AH 3:9H 2:9D")
    assert game.ask() == (3, {"JD"})
    game = Game(options, ["6H 6D", "7H TD", "8H QD", "9H KD"]).do("0:6D")
    assert game.legal() == {"TD"}
    game.do("1:TD")
    assert game.legal() == {"QD"}


def test_spare_partner_only_when_the_partner_wins() -> None:
    # Seat 1 has beaten the partner's lead: seat 2 must beat.
    game = Game(preset("marjapussi-friendly"), ["KH 6D", "TH 7D", "AH 8H", "9H 8D"])
    assert game.do("0:KH 1:TH").legal() == {"AH"}
    # Still must trump, but need not overtrump, when the partner is winning.
    assert follow("KS 8S AH", "9D QS", "S", spare_partner=True, partner_winning=True) == {
        "KS",
        "8S",
    }
    assert follow("KS 8S AH", "9D QS", "S", spare_partner=True) == {"KS"}
    assert follow("KS 8S AH", "9D QS", "S", partner_winning=True) == {"KS"}


def test_m12() -> None:
    trick = ["7C", "TC", "KH", "AC"]
    assert oracle.winning_place(trick, None) == 3  # seats 2, 3, 0, 1
    assert oracle.winning_place(trick, "H") == 2
    game = Game(preset(), ["KH 6H", "AC 7H", "7C 8H", "TC 9H"], dealer=1)
    assert game.do("2:7C 3:TC 0:KH 1:AC").seat() == 1


# ------------------------------------------------------------------ M-13 to M-19: declarations

M13_HANDS = [
    "AH AD AC KS QS KD 9H TC 6C",
    "6H 6D 7C AS TS JS TH JH TD",
    "7H 7D 8C KH QH QD 9S 8S 7S",
    "8H 8D 9C 6S JD 9D KC QC JC",
]
M13_START = "0:AH 1:6H 2:7H 3:8H 0:AD 1:6D 2:7D 3:8D 0:AC 1:7C 2:8C 3:9C"
M13_CARDS = cards("KS QS KD 9H TC 6C")
M14_START = "0:AD 1:6D 2:QD 3:8D 0:AH 1:6H 2:7H 3:8H 0:AC 1:7C 2:8C 3:9C"


def after_trick_3(start: str = M13_START, **changes: object) -> Game:
    # Nobody has to beat here, so that the low cards may be played.
    options = preset(must_head=False, **changes)
    return Game(options, M13_HANDS).do(start)


def test_m13() -> None:
    game = after_trick_3()
    assert game.ask() == (0, M13_CARDS | cards("declare:S half:D whole"))
    assert after_trick_3(ask_half="any").legal() == M13_CARDS | cards(
        "declare:S half:D half:H half:C whole"
    )
    assert after_trick_3(ask_half="none").legal() == M13_CARDS | cards("declare:S whole")
    assert after_trick_3(ask_whole=False).legal() == M13_CARDS | cards("declare:S half:D")
    assert after_trick_3(ask_only_without_own=True).legal() == M13_CARDS | {"declare:S"}


def test_m13_ask_only_without_own_after_the_own_one_is_declared() -> None:
    game = after_trick_3(ask_only_without_own=True).do("0:declare:S 0:KS")
    assert game.trump() == "S"
    game.do("1:AS 2:7S 3:6S")
    # Seat 1 holds no marriage; hearts, diamonds and clubs are open.
    assert game.ask() == (1, cards("TS JS TH JH TD whole"))


def test_m14() -> None:
    assert after_trick_3(M14_START).legal() == M13_CARDS | cards("declare:S whole")
    assert after_trick_3(M14_START, ask_half="any").legal() == M13_CARDS | cards(
        "declare:S half:H half:C whole"
    )


def test_m15() -> None:
    hands = list(M13_HANDS)
    hands[1] = hands[1].replace("TD", "QD")
    hands[2] = hands[2].replace("QD", "TD")
    game = Game(preset(must_head=False), hands).do(M13_START).do("0:half:D")
    assert game.ask() == (2, {"no"})
    assert game.do("2:no").ask() == (0, M13_CARDS)
    # Another trick won, another chance; the same ask again.
    game.do("0:9H 1:TH 2:KH 3:KC")
    assert game.seat() == 1
    game = Game(preset(must_head=False), hands).do(M13_START).do("0:half:D 2:no 0:TC 1:JS")
    game.do("2:9S 3:JC")
    assert game.ask() == (0, cards("KS QS KD 9H 6C declare:S half:D whole"))


def test_half_that_succeeds() -> None:
    game = after_trick_3().do("0:half:D")
    assert game.ask() == (2, {"yes"})
    assert game.do("2:yes").ask() == (0, M13_CARDS)
    assert game.trump() == "D"
    assert game.items() == [("trump", 0, 2)]
    game = after_trick_3(declare_must_lead_marriage=True).do("0:half:D 2:yes")
    assert game.legal() == {"KD"}
    assert after_trick_3(declare_must_lead_marriage=True).do("declare:S").legal() == {"KS", "QS"}
    # Not after `whole`: the marriage lies with the partner; not after a no.
    game = after_trick_3(declare_must_lead_marriage=True).do("0:whole 2:name:H")
    assert game.legal() == M13_CARDS
    game = after_trick_3(M14_START, declare_must_lead_marriage=True, ask_half="any")
    assert game.do("0:half:C 2:no").legal() == M13_CARDS


def test_ask_half_any() -> None:
    # The partner holds the pair: yes, but nothing is declared; the suit stays open.
    game = after_trick_3(ask_half="any").do("0:half:H")
    assert game.ask() == (2, {"yes"})
    assert game.do("yes").legal() == M13_CARDS
    assert game.trump() is None
    assert game.items() == []
    # Nobody on this side holds a club: no.
    assert after_trick_3(ask_half="any").do("0:half:C").ask() == (2, {"no"})


M16_HANDS = ["AC 6S 6H", "6C JS 8H", "7C KS QS", "8C 7S 7H"]


def test_m16() -> None:
    hands = [
        "AC 6S 6H 6D 7D",
        "6C JS 8H 8D 9D",
        "7C KS QS KH QH",
        "8C 7S 7H JD TD",
    ]
    game = Game(preset(), hands).do("0:AC 1:6C 2:7C 3:8C")
    assert game.ask() == (0, cards("6S 6H 6D 7D whole"))
    game.do("0:whole")
    assert game.ask() == (2, {"name:S", "name:H"})
    game.do("2:name:H")
    assert game.trump() == "H"
    assert game.items() == [("trump", 0, 2)]
    assert game.ask() == (0, cards("6S 6H 6D 7D"))
    # The other one stays open: asked for after the next trick won.
    game.do("0:6D 1:9D")
    assert game.ask() == (2, {"KH", "QH"})  # void: must trump
    game.do("2:KH 3:TD")
    assert game.ask() == (2, cards("KS QS QH declare:S whole"))
    game.do("2:declare:S")
    assert game.trump() == "H"
    assert game.items() == [("trump", 0, 2), ("little", 0, 1)]


def test_whole_with_one_name_and_with_none() -> None:
    game = after_trick_3().do("0:whole")
    assert game.ask() == (2, {"name:H"})
    game = Game(preset(), M16_HANDS).do("0:AC 1:6C 2:7C 3:8C 0:whole")
    assert game.ask() == (2, {"name:S"})
    game = Game(preset(), ["AC 6S 6H", "6C KS QS", "7C JS 8H", "8C 7S 7H"])
    assert game.do("0:AC 1:6C 2:7C 3:8C 0:whole").ask() == (2, {"no"})


def test_m17() -> None:
    hands = ["AC KS QS KH QH", "6C 6S 6H 6D 7D", "7C 7S 7H 9H 8D", "8C 8S 8H 9D JD"]
    game = Game(preset(), hands).do("0:AC 1:6C 2:7C 3:8C 0:declare:S 0:KS 1:6S 2:7S 3:8S")
    assert game.ask() == (0, cards("QS KH QH declare:H whole"))
    game.do("0:declare:H")
    assert game.trump() == "S"
    assert game.items() == [("trump", 0, 2), ("little", 0, 1)]
    assert game.legal() == cards("QS KH QH")


M18_HANDS = ["AS KD", "6S 6D", "7S QD", "8S 7D"]


def test_m18() -> None:
    game = Game(preset(), M18_HANDS).do("0:AS 1:6S 2:7S 3:8S")
    assert game.ask() == (0, {"KD", "half:D"})
    game.do("0:half:D 2:yes")
    assert game.ask() == (0, {"KD"})
    assert game.trump() == "D"
    game.do("0:KD 1:6D 2:QD 3:7D")
    assert game.ask() == (None, set())
    assert game.items() == [("trump", 0, 2), ("last_trick", 0, 1), ("mates", 0, 1)]
    assert game.points() == [4, 0]


# ------------------------------------------------------------------ golden deals

G1_HANDS = [
    "KS JH 9H 6H 6D AC TC KC 8C",
    "AS JS 6S 7H KD QD 8D 7C 6C",
    "TS QS 9S 7S AH TD JD JC 9C",
    "8S TH KH QH 8H AD 9D 7D QC",
]
G1_START = "0:AC 1:6C 2:9C 3:QC  0:half:S 2:yes"
G1_REST = """
    0:8C 1:7C 2:JC 3:8S  3:declare:H
    3:QH 0:6H 1:7H 2:AH  2:whole 0:no
    2:9S 3:7D 0:KS 1:AS
    1:6S 2:TS 3:KH 0:KC  2:whole 0:no
    2:TD 3:AD 0:6D 1:8D  3:whole 1:name:D
    3:8H 0:9H 1:JS 2:QS
    2:7S 3:9D 0:TC 1:QD
    2:JD 3:TH 0:JH 1:KD
"""


def g1(score: list[int] | None = None, unit: str = "deal", **changes: object) -> Game:
    return Game(preset(**changes), G1_HANDS, score=score, unit=unit)


def test_m_g1() -> None:
    game = g1().do(G1_START)
    assert game.trump() == "S"
    game.do(G1_REST)
    assert game.ask() == (None, set())
    assert game.items() == [
        ("trump", 0, 2),
        ("little", 1, 1),
        ("little", 1, 1),
        ("last_trick", 1, 1),
    ]
    assert game.points() == [2, 3]
    assert game.trump() == "S"
    # Mates 4-4. Eyes of A in tricks 1, 3, 5, 7, 8: 6 + 9 + 3 + 3 + 2 = 23 of 40.
    with_eyes = g1(mates_tie="eyes").do(G1_START).do(G1_REST)
    assert with_eyes.points() == [3, 3]


def test_m_g1_ends_of_games() -> None:
    def over(score: list[int], **changes: object) -> tuple[list[int], tuple[int, ...]]:
        return g1(score, "game", **changes).do(G1_START).do(G1_REST).after()

    assert over([0, 0]) == ([2, 3], ())
    assert over([10, 0]) == ([12, 3], (0,))
    assert over([0, 9]) == ([2, 12], (1,))
    assert over([10, 9]) == ([12, 12], (0,))  # trump came first
    assert over([10, 9], tie="draw") == ([12, 12], (0, 1))
    assert over([10, 10]) == ([12, 10], (0,))
    assert over([11, 10]) == ([11, 10], ())
    assert over([11, 10], overshoot="bounce") == ([11, 11], ())
    assert over([11, 10], overshoot="reset") == ([0, 0], ())
    assert over([11, 10], overshoot="skip_item") == ([11, 12], (1,))
    assert over([11, 10], target_mode="at_least") == ([13, 13], (0,))
    assert over([11, 10], target_mode="at_least", tie="draw") == ([13, 13], (0, 1))
    assert over([9, 11], target_mode="at_least") == ([11, 14], (1,))


def test_m_g1_immediate() -> None:
    game = g1([10, 0], "game", timing="immediate").do(G1_START)
    assert game.ask() == (None, set())
    assert game.points() == [2, 0]
    assert game.after() == ([12, 0], (0,))
    with pytest.raises(ValueError):
        oracle.legal(game.options, game.hands, [], 3, [10, 0], [*game.history, (0, "8C")], "game")
    # The rated deal is played to its end.
    game = g1(timing="immediate").do(G1_START).do(G1_REST)
    assert game.points() == [2, 3]
    # Nor does the game end when the trump marriage is not credited; it still makes trump.
    game = g1([11, 9], "game", timing="immediate").do(G1_START)
    assert game.trump() == "S"
    game.do(G1_REST)
    assert game.points() == [2, 3]
    assert game.after() == ([11, 12], (1,))
    # B reaches 12 with a little one named by the partner: over after the name.
    game = g1([0, 10], "game", timing="immediate").do(G1_START)
    words = G1_REST.split()
    game.do(" ".join(words[: words.index("1:name:D") + 1]))
    assert game.ask() == (None, set())
    assert game.points() == [2, 2]
    assert game.after() == ([2, 12], (1,))
    # bounce and reset item by item: 11 + 2 -> 11 or 0.
    game = g1([11, 0], "game", timing="immediate", overshoot="bounce").do(G1_START).do(G1_REST)
    assert game.after() == ([11, 3], ())
    game = g1([11, 0], "game", timing="immediate", overshoot="reset").do(G1_START).do(G1_REST)
    assert game.after() == ([0, 3], ())
    game = g1([11, 0], "game", timing="immediate", target_mode="at_least").do(G1_START)
    assert game.seat() is None
    assert game.after() == ([13, 0], (0,))


def test_last_trick_goes_before_the_mates() -> None:
    hands = ["AS AD 9H", "9S 9D TH", "7S 7D 7H", "6S 6D 6H"]
    play = "0:AS 1:9S 2:7S 3:6S 0:AD 1:9D 2:7D 3:6D 0:9H 1:TH 2:7H 3:6H"
    game = Game(preset(timing="immediate"), hands, score=[11, 11], unit="game").do(play)
    assert game.points() == [0, 1]
    assert game.after() == ([11, 12], (1,))
    game = Game(preset(), hands, score=[11, 11], unit="game").do(play)
    assert game.points() == [1, 1]
    assert game.after() == ([12, 12], (1,))


def test_max_deals() -> None:
    options = preset(max_deals=3)

    def at(score: list[int], deals: int) -> tuple[list[int], tuple[int, ...]]:
        game = Game(options, G1_HANDS, score=score, unit="game").do(G1_START).do(G1_REST)
        return game.after(deals)

    assert at([0, 0], 0) == ([2, 3], ())
    assert at([0, 0], 1) == ([2, 3], ())
    assert at([0, 0], 2) == ([2, 3], (1,))
    assert at([1, 0], 2) == ([3, 3], (0, 1))
    assert at([10, 0], 2) == ([12, 3], (0,))


G2_HANDS = [
    "TH KH QH 9H 8H JD AC TC 6C",
    "KS JS 8S AD 7D KC QC 9C 7C",
    "TS JH 7H 6H TD KD QD 8D 8C",
    "AS QS 9S 7S 6S AH 9D 6D JC",
]
G2_TO_TRICK_7 = """
    0:AC 1:7C 2:8C 3:JC  0:declare:H
    0:TC 1:9C 2:7H 3:AH  3:half:S 1:yes
    3:7S 0:QH 1:8S 2:TS  0:whole 2:name:D
    0:TH 1:JS 2:6H 3:9D  0:whole 2:no
    0:JD 1:AD 2:8D 3:6D  1:declare:C
    1:KS 2:JH 3:6S 0:KH
"""
G2_REST = """
    0:6C 1:QC 2:TD 3:AS
    1:7D 2:KD 3:9S 0:9H
    0:8H 1:KC 2:QD 3:QS
"""


def test_m_g2_and_m19() -> None:
    game = Game(preset(), G2_HANDS).do(G2_TO_TRICK_7)
    assert game.ask() == (0, cards("9H 8H 6C"))  # M-19: cards only
    assert game.trump() == "H"
    game.do(G2_REST)
    assert game.ask() == (None, set())
    assert game.items() == [
        ("trump", 0, 2),
        ("little", 1, 1),
        ("little", 0, 1),
        ("little", 1, 1),
        ("last_trick", 0, 1),
        ("mates", 1, 1),
    ]
    assert game.points() == [4, 3]


def test_m_g2_with_card_points() -> None:
    # Side A in tricks 1, 3, 4, 6, 8, 9: 13 + 13 + 12 + 10 + 4 + 10 = 62 of 120;
    # with simple values 15 + 15 + 15 + 15 + 5 + 15 = 80 of 140.
    for name, expected in (("classic", [62, 58]), ("simple", [80, 60])):
        options = preset(mates_by="card_points", card_points=name)
        game = Game(options, G2_HANDS).do(G2_TO_TRICK_7).do(G2_REST)
        deal, _ = oracle.replay(options, game.hands, [], 3, [0, 0], game.history, "deal")
        table = oracle.CARD_POINTS[name]
        assert [sum(table.get(card[0], 0) for card in pile) for pile in deal.piles] == expected
        assert game.items()[-1] == ("mates", 0, 1)
        assert game.points() == [5, 2]


# ------------------------------------------------------------------ M-20 to M-26: scores

Items = list[tuple[str, int, int]]
A, B = 0, 1


def items(text: str) -> Items:
    worth = {"trump": 2, "little": 1, "last": 1, "mates": 1}
    result = []
    for word in text.split():
        kind, side = word.split("-")
        result.append((kind, "AB".index(side), worth[kind]))
    return result


def entered(score: list[int], text: str, **changes: object) -> tuple[list[int], tuple[int, ...]]:
    return oracle.deal_end_result(preset(**changes), score, items(text))


def test_m20() -> None:
    assert entered([0, 0], "trump-A little-B little-B last-B") == ([2, 3], ())


def test_m21() -> None:
    assert entered([0, 0], "last-A mates-B") == ([1, 1], ())


def test_m22() -> None:
    assert entered([10, 9], "trump-A last-B mates-B") == ([12, 11], (A,))


def test_m23() -> None:
    hand = "trump-A last-A mates-B"
    assert entered([10, 0], hand) == ([10, 1], ())
    assert entered([10, 0], hand, overshoot="bounce") == ([11, 1], ())
    assert entered([10, 0], hand, overshoot="reset") == ([0, 1], ())
    assert entered([10, 0], hand, overshoot="skip_item") == ([12, 1], (A,))
    assert entered([10, 0], hand, target_mode="at_least") == ([13, 1], (A,))


def test_m24() -> None:
    assert entered([9, 11], "trump-A little-B last-A") == ([12, 12], (B,))
    assert entered([9, 11], "trump-A little-B last-A", tie="draw") == ([12, 12], (A, B))


def test_m25() -> None:
    assert entered([11, 11], "trump-A last-B mates-A") == ([11, 12], (B,))
    # The skipped trump does not count as getting there.
    skipping = entered([11, 11], "trump-A last-B mates-A", overshoot="skip_item")
    assert skipping == ([12, 12], (B,))


def test_m26() -> None:
    hand = "trump-A little-A little-A little-A last-A mates-A"
    assert entered([5, 5], hand) == ([12, 5], (A,))


def test_bounce_never_below_nought() -> None:
    options = preset(target=5, overshoot="bounce", trump_points=10)
    assert oracle.entered(options, 4, 10) == 0
    assert oracle.entered(options, 4, 2) == 4


def piles(*texts: str) -> list[list[str]]:
    return [text.split() for text in texts]


def test_mates() -> None:
    assert oracle.mates_side(preset(), piles("AS TS AH", "TH AD")) == 0
    tied = piles("AS TS QH", "TH AD KC")
    assert oracle.mates_side(preset(), tied) is None
    assert oracle.mates_side(preset(mates_tie="eyes"), tied) == 1
    equal = piles("AS TS QH", "TH AD QC")
    assert oracle.mates_side(preset(mates_tie="eyes"), equal) is None
    tens = piles("AS KS", "TH JD")
    assert oracle.mates_side(preset(mates_tie="eyes"), tens) == 0
    assert oracle.mates_side(preset(mates_tie="eyes", ten_eyes=10), tens) == 1


def test_mates_of_three() -> None:
    three = preset("marjapussi-3p")
    assert oracle.mates_side(three, piles("AS TS AH", "TH AD", "TD AC TC")) is None
    assert oracle.mates_side(three, piles("AS TS AH TD", "TH AD", "AC TC")) == 0
    eyes = preset("marjapussi-3p", mates_tie="eyes")
    # Seat 1 has the most eyes, but is not among those with most mates.
    assert oracle.mates_side(eyes, piles("AS TS AH", "KH KD QH QD KC KS", "TD AC TC")) == 0


def test_mates_by_card_points() -> None:
    taken = piles("AS TS", "KH KD QH QD JC JH")  # 21 and 18; 20 and 30
    assert oracle.mates_side(preset("marjapussi-pagat10"), taken) == 0
    assert oracle.mates_side(preset("marjapussi-pagat10", card_points="simple"), taken) == 1


# ------------------------------------------------------------------ three players


def test_three_players() -> None:
    hands = ["AC KS QS", "6C 6S KD", "7C AS QD"]
    game = Game(preset("marjapussi-3p", ask_whole=True, ask_half="any"), hands)
    game.do("0:AC 1:6C 2:7C")
    assert game.ask() == (0, cards("KS QS declare:S"))  # no asks without partners
    game.do("0:declare:S 0:QS 1:6S 2:AS")
    assert game.ask() == (2, {"QD"})
    game.do("2:QD 0:KS 1:KD")
    assert game.items() == [("trump", 0, 2), ("last_trick", 0, 1)]
    assert game.points() == [3, 0, 0]
    game = Game(game.options, hands, score=[9, 1, 0], unit="game")
    game.do("0:AC 1:6C 2:7C 0:declare:S 0:QS 1:6S 2:AS 2:QD 0:KS 1:KD")
    assert game.after() == ([12, 1, 0], (0,))
    assert Game(game.options, hands, dealer=1).seat() == 2


# ------------------------------------------------------------------ two players


def test_two_players() -> None:
    hands = ["AH AC KS QS KD QD", "9H 8C 7D 8D 9S JH"]
    stock = "9C 8S 6S 6H 7S 7H"
    game = Game(preset("marjapussi-2p"), hands, stock)
    assert game.ask() == (0, cards(hands[0]))
    game.do("0:AH")
    assert game.ask() == (1, cards(hands[1]))
    game.do("1:9H")
    assert game.ask() == (0, {"pass", "declare:S", "declare:D"})
    game.do("0:pass")
    assert game.ask() == (0, cards("AC KS QS KD QD 9C"))
    game.do("0:AC 1:8C 0:declare:D 0:KD")
    assert game.trump() == "D"
    assert game.ask() == (1, cards("7D 8D 9S JH 8S 6H"))
    game.do("1:9S")
    # The window after which the last two cards are drawn.
    assert game.ask() == (0, {"pass", "declare:S"})
    game.do("0:declare:S")
    assert game.items() == [("trump", 0, 2), ("little", 0, 1)]
    assert game.ask() == (0, cards("KS QS QD 9C 6S 7S"))
    game.do("0:QD")
    assert game.ask() == (1, {"7D", "8D"})
    game.do("1:7D 0:KS 1:8S")
    assert game.ask() == (0, cards("QS 9C 6S 7S"))  # no window in phase 2


def test_two_players_must_lead_the_marriage() -> None:
    hands = ["AH KS QS", "9H 8C 7D"]
    options = preset("marjapussi-2p", declare_must_lead_marriage=True)
    game = Game(options, hands, "9C 8S").do("0:AH 1:9H 0:declare:S")
    assert game.ask() == (0, {"KS", "QS"})
    game = Game(options, hands, "9C 8S").do("0:AH 1:9H 0:pass")
    assert game.ask() == (0, {"KS", "QS", "9C"})


# ------------------------------------------------------------------ counting


def test_count() -> None:
    hands = ["AS AH", "6S 6H", "7S 7H", "8S 8H"]
    assert Game(preset(), hands).count() == 2
    # One card is left: four suits to ask a half of, or no ask.
    assert Game(preset(ask_half="any"), hands).count() == 10


def test_count_by_hand() -> None:
    hands = ["AS QH JD", "6S 6D 6C", "7S KH 7C", "8S 8D 8C"]
    start = Game(preset(), hands).do("0:AS 1:6S 2:7S 3:8S")
    assert start.legal() == {"QH", "JD", "half:H", "whole"}
    # QH without trump: 2 discards on either side of KH, then nothing is free.
    assert Game(preset(), hands).do("AS 6S 7S 8S QH").count() == 4
    # JD without trump: KH discarded, or 7C and then QH with or without half:H.
    assert Game(preset(), hands).do("AS 6S 7S 8S JD").count() == 3
    assert Game(preset(), hands).do("AS 6S 7S 8S whole no").count() == 7
    # With trump H seat 2 must ruff the jack.
    assert Game(preset(), hands).do("AS 6S 7S 8S half:H yes").count() == 4 + 1
    assert start.count() == 7 + 7 + 5
    assert Game(preset(), hands).count() == 19


def test_count_of_a_game_that_ends_early() -> None:
    hands = ["AS QH JD", "6S 6D 6C", "7S KH 7C", "8S 8D 8C"]
    options = preset(timing="immediate")
    start = "0:AS 1:6S 2:7S 3:8S"
    game = Game(options, hands, score=[10, 0], unit="game").do(start)
    # half:H and yes end the game; so does half:H before the last trick.
    assert game.count() == 7 + 7 + 1
    assert Game(options, hands).do(start).count() == 19


def test_count_two_players() -> None:
    game = Game(preset("marjapussi-2p"), ["AS", "6S"], "KS QS")
    assert game.count() == 1
    game.do("0:AS 1:6S 0:pass 0:KS 1:QS")
    assert game.seat() is None
    assert game.points() == [2, 0]


# ------------------------------------------------------------------ wrong histories


@pytest.mark.parametrize(
    "history",
    [
        [(0, "KS")],
        [(1, "AS")],
        [(0, "AC"), (1, "6C"), (2, "TS")],
        [(0, "AC"), (1, "6C"), (2, "9C"), (3, "QC"), (0, "declare:S")],
        [(0, "AC"), (1, "6C"), (2, "9C"), (3, "QC"), (0, "half:S"), (2, "no")],
        [(0, "AC"), (1, "6C"), (2, "9C"), (3, "QC"), (0, "pass")],
    ],
)
def test_impossible_histories(history: list[tuple[int, str]]) -> None:
    hands = [hand.split() for hand in G1_HANDS]
    with pytest.raises(ValueError):
        oracle.legal(preset(), hands, [], 3, [0, 0], history)


def test_unfinished_deals_have_no_points() -> None:
    game = g1()
    with pytest.raises(ValueError):
        game.points()
    with pytest.raises(ValueError):
        game.after()


# ------------------------------------------------------------------ random deals


def shuffled_deal(options: dict[str, object], rng: random.Random, unit: str) -> Game:
    players = int(str(options["players"]))
    deck = int(str(options["deck"]))
    pack = [card for card in PACK if card[0] in RANKS[9 - deck // 4 :]]
    rng.shuffle(pack)
    size = int(str(options["hand"])) if players == 2 else deck // players
    hands = [" ".join(pack[s * size : (s + 1) * size]) for s in range(players)]
    stock = " ".join(pack[players * size :])
    target = int(str(options["target"]))
    sides = oracle.number_of_sides(options)
    score = [rng.randrange(target) if unit == "game" else 0 for _ in range(sides)]
    return Game(options, hands, stock, rng.randrange(players), score, unit)


def pick(rng: random.Random, actions: set[str]) -> str:
    ordered = sorted(actions)
    asks = [a for a in ordered if a.startswith(("declare", "half", "whole"))]
    if asks and rng.random() < 0.6:
        return rng.choice(asks)
    return rng.choice(ordered)


def is_card(action: str) -> bool:
    return len(action) == 2 and action != "no"


def play_out(game: Game, rng: random.Random) -> Counter[str]:
    seen: Counter[str] = Counter()
    while True:
        seat, actions = game.ask()
        if seat is None:
            assert not actions
            return seen
        assert actions
        action = pick(rng, actions)
        seen[action if action in ("yes", "no", "pass") else action.split(":")[0][:7]] += 1
        game.history.append((seat, action))


def check_end(game: Game) -> None:
    """Section 1.10."""
    options = game.options
    played = [action for _, action in game.history if is_card(action)]
    whole_pack = sorted(card for hand in [*game.hands, game.stock] for card in hand)
    deal, _ = oracle.replay(
        options, game.hands, game.stock, game.dealer, game.score, game.history, game.unit
    )
    if deal.won_by is None:
        assert sorted(played) == whole_pack
        assert sum(card[0] in "AT" for pile in deal.piles for card in pile) == 8
    assert len(deal.declared) == len(set(deal.declared))

    earned = game.points()
    kinds = [kind for kind, _, _ in deal.items]
    if len(deal.declared):
        assert kinds[0] == "trump"
    assert kinds.count("little") == max(0, len(deal.declared) - 1)
    assert sum(earned) <= 7
    if deal.won_by is None:
        assert sum(earned) == (
            2 * kinds.count("trump") + kinds.count("little") + 1 + kinds.count("mates")
        )
    if game.unit == "game":
        new, winners = game.after()
        if options["target_mode"] == "exact":
            assert all(0 <= total <= int(str(options["target"])) for total in new)
            assert (int(str(options["target"])) in new) == bool(winners)
            if options["overshoot"] == "no_score":
                assert all(a >= b for a, b in zip(new, game.score, strict=True))
        assert len(winners) <= 1 or options["tie"] == "draw"
        for side in winners:
            assert oracle.has_reached(options, new[side])
        # At the cap there is always a winner or a draw.
        assert game.after(int(str(options["max_deals"])) - 1)[1]


@pytest.mark.parametrize("name", ALL)
def test_random_deals(name: str) -> None:
    rng = random.Random(name)
    seen: Counter[str] = Counter()
    for at in range(16):
        unit = "game" if at % 2 else "deal"
        game = shuffled_deal(preset(name), rng, unit)
        seen += play_out(game, rng)
        check_end(game)
    assert seen["declare"]
    if name.endswith(("2p", "3p")):
        assert not seen["whole"]
        assert not seen["half"]
    else:
        assert seen["whole"]
        assert seen["half"]
        assert seen["name"]


TOGGLES: dict[str, list[object]] = {
    "target": [5, 10, 12],
    "target_mode": ["exact", "at_least"],
    "overshoot": ["no_score", "skip_item", "bounce", "reset"],
    "timing": ["deal_end", "immediate"],
    "tie": ["first_there", "draw"],
    "first_lead": ["any", "ace", "ace_then_spade"],
    "must_trump": [False, True],
    "must_head": [False, True],
    "head_lapses_when_ruffed": [False, True],
    "must_overtrump": [False, True],
    "spare_partner": [False, True],
    "first_trick_must_beat": [False, True],
    "ask_whole": [False, True],
    "ask_half": ["none", "own_half", "any"],
    "ask_only_without_own": [False, True],
    "declare_must_lead_marriage": [False, True],
    "declare_in_phase2": [False, True],
    "trump_in_phase1": [False, True],
    "mates_by": ["count", "card_points"],
    "card_points": ["classic", "simple"],
    "mates_tie": ["none", "eyes"],
    "ten_eyes": [0, 10],
}


def test_random_options() -> None:
    rng = random.Random(11)
    for _ in range(120):
        options = preset(rng.choice(ALL))
        for name, values in TOGGLES.items():
            options[name] = rng.choice(values)
        game = shuffled_deal(options, rng, rng.choice(["deal", "game"]))
        play_out(game, rng)
        check_end(game)


def recolour(text: str, colours: dict[str, str]) -> str:
    """The same action or card in other suits."""
    if text in ("yes", "no", "pass", "whole"):
        return text
    return text[:-1] + colours[text[-1]]


@pytest.mark.parametrize("name", ["marjapussi", "marjapussi-3p", "marjapussi-2p"])
def test_suits_are_alike(name: str) -> None:
    rng = random.Random(3)
    for _ in range(5):
        game = shuffled_deal(preset(name), rng, "deal")
        play_out(game, rng)
        colours = dict(zip("SHDC", rng.sample("SHDC", 4), strict=True))
        hands = [" ".join(recolour(card, colours) for card in hand) for hand in game.hands]
        stock = " ".join(recolour(card, colours) for card in game.stock)
        other = Game(game.options, hands, stock, game.dealer)
        again = Game(game.options, [" ".join(hand) for hand in game.hands], "", game.dealer)
        again.stock = game.stock
        for seat, action in game.history:
            expected = {recolour(a, colours) for a in again.legal()}
            assert other.ask() == (seat, expected)
            other.do(recolour(action, colours))
            again.do(action)
        assert other.points() == game.points()


def test_seats_are_alike() -> None:
    rng = random.Random(4)
    for turn in (1, 2):
        game = shuffled_deal(preset(), rng, "deal")
        play_out(game, rng)
        hands = [" ".join(game.hands[(seat - turn) % 4]) for seat in range(4)]
        other = Game(game.options, hands, dealer=(game.dealer + turn) % 4)
        for seat, action in game.history:
            assert other.seat() == (seat + turn) % 4
            other.do(action)
        expected = game.points()
        assert other.points() == (expected if turn == 2 else expected[::-1])
