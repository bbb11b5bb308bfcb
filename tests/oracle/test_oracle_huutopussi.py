"""The worked examples of the rules, played through the naive Huutopussi oracle."""

import random
from collections import Counter
from math import comb, perm

import pytest

from . import huutopussi as oracle

RANKS = "6789TJQKA"
PACK = [rank + suit for suit in "SHDC" for rank in RANKS]
ALL = sorted(oracle.PRESETS)

OPTION_NAMES = [
    "players",
    "teams",
    "rank_order",
    "card_points",
    "last_trick_points",
    "marriage_points",
    "min_bid",
    "max_bid",
    "bid_step",
    "opening_forced",
    "all_pass",
    "redeal",
    "redeal_window",
    "exchange",
    "exchange_count",
    "talon_public",
    "discard_rule",
    "discards_count",
    "raise_timing",
    "first_lead",
    "ace_shows",
    "must_head",
    "head_lapses_when_ruffed",
    "must_trump",
    "must_overtrump",
    "trump_right",
    "zero_card_points_fails",
    "first_dealer",
    "ask_whole",
    "ask_half",
    "ask_lockout",
    "rounding",
    "no_trick_penalty",
    "declarer_no_trick_multiplier",
    "takes_all_penalty",
    "takes_all_requires_made",
    "target",
    "target_mode",
    "tie",
    "bid_bar",
    "bar_at",
    "bar_may_open",
    "bar_may_raise",
    "max_deals",
]


def preset(name: str, **changes: object) -> dict[str, object]:
    assert set(changes) <= set(OPTION_NAMES)
    return {**oracle.PRESETS[name], **changes}


class Game:
    """One deal: the arguments of the oracle and what has been done so far."""

    def __init__(
        self,
        options: dict[str, object],
        hands: list[str],
        talon: str = "",
        dealer: int | None = None,
        score: list[int] | None = None,
    ) -> None:
        self.options = options
        self.hands = [hand.split() for hand in hands]
        self.talon = talon.split()
        # Forehand is seat 0 unless told otherwise.
        self.dealer = len(hands) - 1 if dealer is None else dealer
        sides = 2 if options["teams"] else len(hands)
        self.score = [0] * sides if score is None else score
        self.history: list[tuple[int, str]] = []

    def ask(self) -> tuple[int | None, frozenset[str]]:
        return oracle.legal(
            self.options, self.hands, self.talon, self.dealer, self.score, self.history
        )

    def seat(self) -> int | None:
        return self.ask()[0]

    def legal(self) -> set[str]:
        return set(self.ask()[1])

    def do(self, actions: str) -> "Game":
        """Each word is an action, or seat:action (a digit in front)."""
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
            self.options, self.hands, self.talon, self.dealer, self.score, self.history
        )

    def raw(self) -> list[int]:
        return oracle.raw_points(
            self.options, self.hands, self.talon, self.dealer, self.score, self.history
        )

    def playouts(self) -> int:
        return oracle.playouts(
            self.options, self.hands, self.talon, self.dealer, self.score, self.history
        )

    def finish(self) -> "Game":
        """The first action of the alphabet of cards, to the end."""
        while self.seat() is not None:
            self.do(sorted(a for a in self.legal() if ":" not in a or len(self.legal()) == 1)[0])
        return self


def cards(text: str) -> set[str]:
    return set(text.split())


def bids(lowest: int, highest: int, kind: str = "bid") -> set[str]:
    return {f"{kind}:{n}" for n in range(lowest, highest + 1, 5)}


def deal_rest(first_hands: list[str], size: int, players: int, talon: str = "") -> list[str]:
    """Complete hands: the given ones, then the rest of the pack with the sixes apart."""
    taken = " ".join([*first_hands, talon]).split()
    rest = [rank + suit for rank in RANKS for suit in "SHDC"]
    rest = [card for card in rest if card not in taken]
    missing = players - len(first_hands)
    assert len(rest) == missing * size
    return [*first_hands, *(" ".join(rest[k::missing]) for k in range(missing))]


# ------------------------------------------------------------------ presets


def test_presets_are_complete() -> None:
    assert set(ALL) == {
        "wikibooks-2",
        "wikibooks-3",
        "wikibooks-4",
        "wikibooks-team",
        "helsinki",
        "helsinki-ru",
        "helsinki-pagat",
        "helsinki-classic",
        "german",
        "erlangen",
    }
    for name in ALL:
        assert set(oracle.PRESETS[name]) == set(OPTION_NAMES), name


@pytest.mark.parametrize(
    ("options", "cap"),
    [
        (preset("wikibooks-2"), 400),
        (preset("wikibooks-3"), 400),
        (preset("wikibooks-4"), 400),
        (preset("wikibooks-team"), 400),
        (preset("helsinki"), 440),
        (preset("helsinki-ru"), 440),
        (preset("helsinki-pagat"), 440),
        (preset("helsinki-classic"), 410),
        (preset("german"), 420),
        (preset("erlangen"), 420),
        (preset("helsinki-classic", marriage_points="none"), 130),
        (preset("helsinki", marriage_points="none"), 160),
        (preset("helsinki", last_trick_points=10), 430),
        (preset("helsinki", max_bid=300), 300),
    ],
)
def test_cap(options: dict[str, object], cap: int) -> None:
    assert oracle.cap(options) == cap


# ------------------------------------------------------------------ 5.1 legal cards

WIKI, HEAD, PLAIN = "wikibooks-team", "helsinki", "helsinki-ru"
L_ROWS = [
    ("L1", None, "8H", "7H JC", "7H", "7H", "7H"),
    ("L2", None, "8H JH", "9H QH JC", "QH", "QH", "9H QH"),
    ("L3", "D", "JS", "7H KD JC", "KD", "KD", "KD"),
    ("L4", "S", "8H 7S", "7H AH 9S", "AH", "7H AH", "7H AH"),
    ("L5", "S", "8H 9S", "7S JS AC", "7S JS", "JS", "7S JS"),
    ("L6", "S", "8H TS", "7S KS AC", "7S KS", "7S KS", "7S KS"),
    ("L7", None, "KH", "TH QH 6C", "TH", "TH", "TH QH"),
    ("L8", "S", "9S", "8S QS AH", "QS", "QS", "8S QS"),
    ("L9", None, "8H", "AC 6D", "AC 6D", "AC 6D", "AC 6D"),
    ("L10", "S", "8H", "AC 6D", "AC 6D", "AC 6D", "AC 6D"),
    ("L11", None, "AH KH", "TH 6H 9C", "TH 6H", "TH 6H", "TH 6H"),
    ("L12", "D", "", "7H KD", "7H KD", "7H KD", "7H KD"),
]


@pytest.mark.parametrize("row", L_ROWS, ids=[row[0] for row in L_ROWS])
def test_legal_cards(row: tuple[str, str | None, str, str, str, str, str]) -> None:
    _, trump, trick, hand, wiki, head, plain = row
    columns = {
        "wikibooks-2": wiki,
        "wikibooks-3": wiki,
        "wikibooks-4": wiki,
        "wikibooks-team": wiki,
        "helsinki": head,
        "helsinki-pagat": head,
        "german": head,
        "erlangen": head,
        "helsinki-ru": plain,
    }
    for name, expected in columns.items():
        found = oracle.legal_cards(preset(name), hand.split(), trick.split(), trump, False)
        assert set(found) == cards(expected), name


# In L3, L6 and L8 the follower himself holds a half of the trump that was declared.
BUILT_ROWS = [row for row in L_ROWS if row[0] not in ("L3", "L6", "L8")]


@pytest.mark.parametrize("row", BUILT_ROWS, ids=[row[0] for row in BUILT_ROWS])
@pytest.mark.parametrize("column", [0, 1, 2])
def test_legal_cards_in_a_deal(
    row: tuple[str, str | None, str, str, str, str, str], column: int
) -> None:
    """The same rows with seat 0 winning a first trick and declaring the trump."""
    _, trump, trick, hand, *columns = row
    options = preset((WIKI, HEAD, PLAIN)[column], exchange_count=0)
    taken = f"{trick} {hand}".split()
    in_trick = trick.split()
    actor = len(in_trick)
    # A suit nobody in the example needs, or at least cards that are free.
    suit = next(
        s
        for s in "CDHS"
        if s != trump and "A" + s not in taken and not any(c[1] == s for c in in_trick)
    )
    low = [r + suit for r in "6789JQKT" if r + suit not in taken]
    hands = [["A" + suit], [low[0]], [low[1]], [low[2]]]
    for seat, card in enumerate(in_trick):
        hands[seat].append(card)
    hands[actor] += hand.split()
    if trump is not None and actor > 0:
        assert "K" + trump not in taken
        assert "Q" + trump not in taken
        hands[0] += ["K" + trump, "Q" + trump]
    game = Game(options, [" ".join(h) for h in hands])
    game.do("0:bid:50 1:pass 2:pass 3:pass 0:contract:50")
    for seat in range(4):
        game.do(f"{seat}:{hands[seat][0]}")
    assert game.seat() == 0
    if trump is not None and actor > 0:
        game.do(f"declare:{trump}")
    for card in in_trick:
        game.do(card)
    assert game.seat() == actor
    assert {a for a in game.legal() if len(a) == 2} == cards(columns[column])


@pytest.mark.parametrize(
    ("hand", "trick", "erlangen", "german"),
    [
        ("AC 9S KD", "", "AC", "AC 9S KD"),
        ("9S KD", "", "9S", "9S KD"),
        ("KD 7C", "", "KD 7C", "KD 7C"),
        ("AS TS 7S", "9S", "AS", "AS TS"),
        ("AS 7S", "TS", "AS", "AS"),
        ("TS 7S AC", "9S", "TS", "TS"),
        ("AC 7D", "9S", "AC 7D", "AC 7D"),
    ],
)
def test_first_trick(hand: str, trick: str, erlangen: str, german: str) -> None:
    """L13-L16."""
    for name, expected in (("erlangen", erlangen), ("german", german)):
        found = oracle.legal_cards(preset(name), hand.split(), trick.split(), None, True)
        assert set(found) == cards(expected)
    for name in ("erlangen", "german"):
        later = oracle.legal_cards(preset(name), hand.split(), trick.split(), None, False)
        assert set(later) == cards(german)


def test_first_lead_ace() -> None:
    options = preset("german", first_lead="ace")
    for hand, expected in (("AC 9S KD", "AC"), ("9S KD", "9S KD")):
        assert set(oracle.legal_cards(options, hand.split(), [], None, True)) == cards(expected)
        assert set(oracle.legal_cards(options, hand.split(), [], None, False)) == cards(hand)


def test_must_trump_off() -> None:
    options = preset("helsinki", must_trump=False)
    found = oracle.legal_cards(options, ["7H", "KD", "JC"], ["JS"], "D", False)
    assert set(found) == cards("7H KD JC")


def test_source_list_word_for_word() -> None:
    """Source 000: four priorities, each only if the one before is impossible."""
    rng = random.Random(1)
    order = "6789JQKTA"
    for _ in range(3000):
        drawn = rng.sample(PACK, rng.randint(2, 11))
        trick, hand = drawn[: rng.randint(1, min(3, len(drawn) - 1))], []
        hand = drawn[len(trick) :]
        trump = rng.choice(["S", "H", "D", "C", None])
        led = trick[0][1]
        best = max(order.index(c[0]) for c in trick if c[1] == led)
        wanted = [c for c in hand if c[1] == led and order.index(c[0]) > best]
        wanted = wanted or [c for c in hand if c[1] == led]
        wanted = wanted or [c for c in hand if c[1] == trump]
        wanted = wanted or hand
        found = oracle.legal_cards(preset("wikibooks-4"), hand, trick, trump, False)
        assert sorted(found) == sorted(wanted)


# ------------------------------------------------------------------ 5.2 winners


def test_trick_winners() -> None:
    helsinki, plain = preset("helsinki"), preset("helsinki-ru")
    trick = ["8H", "AC", "KH", "6S"]
    for trump, winner in ((None, "KH"), ("S", "6S"), ("C", "AC"), ("D", "KH"), ("H", "KH")):
        assert oracle.winning_card(helsinki, trick, trump) == winner
    assert oracle.winning_card(helsinki, ["KH", "TH"], None) == "TH"
    assert oracle.winning_card(plain, ["KH", "TH"], None) == "KH"


# ------------------------------------------------------------------ 5.3 bidding

D2_HANDS = [
    "KH JH 9H JD 9D 6D KC 6C TS 8S 7S",
    "QH AD TD KD QD JC 8C 7C AS KS QS",
    "AH TH 7H 6H 8D 7D AC TC QC 9C JS",
]
D2_TALON = "9S 6S 8H"
D1_HANDS = [
    "8H AD 9D 7D TC JC 9C 8C TS",
    "TH JH 6H QD AC 6C AS QS JS",
    "AH 7H TD KD 8D 6D QC 7C 8S",
    "KH QH 9H JD KC KS 9S 7S 6S",
]
D3_HANDS = [
    "KH QH JH QD AC 7C AS KS QS",
    "7H 6H KD JD 7D TC KC 8S 6S",
    "TH 8H 9D 8D 6D QC JC 9C 7S",
    "AH 9H AD TD 8C 6C TS JS 9S",
]


def test_b1_b2() -> None:
    game = Game(preset("wikibooks-3"), D2_HANDS, D2_TALON)
    assert game.ask() == (0, frozenset(bids(50, 400)))
    game.do("0:bid:50 1:bid:55 2:pass")
    assert game.ask() == (0, frozenset(bids(60, 400) | {"pass"}))
    game.do("0:bid:60 1:pass")
    hand = D2_HANDS[0].split() + D2_TALON.split()
    assert game.ask() == (0, frozenset(f"discard:{card}" for card in hand))


def test_b3_cap_ends_the_auction() -> None:
    game = Game(preset("helsinki"), D1_HANDS)
    game.do("0:bid:440 2:give:7C 2:give:8D")
    assert game.legal() == {f"give:{c}" for c in D1_HANDS[2].split()} - {"give:7C", "give:8D"}
    game.do("2:give:QC")
    assert game.ask() == (0, frozenset({"contract:440"}))
    game = Game(preset("wikibooks-4"), deal_rest([], 8, 4, "AS AH AD AC"), "AS AH AD AC")
    game.do("0:bid:60 1:bid:400")
    assert game.seat() == 1
    assert all(action.startswith("discard:") for action in game.legal())


@pytest.mark.parametrize("name", ["helsinki", "helsinki-ru", "helsinki-pagat"])
def test_b4_b5_barred(name: str) -> None:
    game = Game(preset(name), D1_HANDS, score=[-505, 0])
    assert game.ask() == (0, frozenset({"bid:50"}))
    game.do("0:bid:50")
    assert game.ask() == (1, frozenset({"pass"} | bids(55, 440)))
    game.do("1:bid:55")
    assert game.ask() == (2, frozenset({"pass"}))
    game.do("2:pass 3:pass")
    assert game.ask() == (0, frozenset({"pass"}))
    game = Game(preset(name), D1_HANDS, score=[-500, 0])
    assert game.ask() == (0, frozenset(bids(50, 440)))
    game = Game(preset(name, bid_bar="at_or_below"), D1_HANDS, score=[-500, 0])
    assert game.legal() == {"bid:50"}


def test_b6_barred_declarer_may_raise() -> None:
    script = "0:bid:50 1:pass 2:pass 3:pass 2:give:7C 2:give:8D 2:give:QC"
    game = Game(preset("helsinki"), D1_HANDS, score=[-600, -505]).do(script)
    assert game.ask() == (0, frozenset(bids(50, 440, "contract")))
    game = Game(preset("helsinki", bar_may_raise=False), D1_HANDS, score=[-600, -505]).do(script)
    assert game.ask() == (0, frozenset({"contract:50"}))


@pytest.mark.parametrize("name", ["german", "erlangen"])
def test_b7_b8_four_passes(name: str) -> None:
    game = Game(preset(name), D3_HANDS)
    assert game.ask() == (0, frozenset({"pass"} | bids(120, 420)))
    game.do("0:pass 1:pass 2:pass")
    assert game.ask() == (3, frozenset({"pass"} | bids(120, 420)))
    contractless = Game(preset(name), D3_HANDS).do("pass pass pass 3:pass")
    leads = "AC AS" if name == "erlangen" else D3_HANDS[0]
    assert contractless.ask() == (0, frozenset(cards(leads)))
    game.do("3:bid:120")
    assert game.ask() == (1, frozenset(f"give:{c}" for c in D3_HANDS[1].split()))


def test_german_barred_side_only_passes() -> None:
    game = Game(preset("german"), D3_HANDS, score=[-505, 0])
    assert game.ask() == (0, frozenset({"pass"}))
    game.do("0:pass")
    assert game.legal() == {"pass"} | bids(120, 420)
    game.do("1:pass")
    assert game.legal() == {"pass"}
    assert Game(preset("erlangen"), D3_HANDS, score=[-505, 0]).legal() == (
        {"pass"} | bids(120, 420)
    )


def test_two_passes_then_a_bid_goes_round() -> None:
    game = Game(preset("german"), D3_HANDS)
    game.do("0:pass 1:pass 2:bid:120 3:bid:125 2:bid:150")
    assert game.ask() == (3, frozenset({"pass"} | bids(155, 420)))
    game.do("3:pass")
    assert game.seat() == 0
    assert game.legal() == {f"give:{c}" for c in D3_HANDS[0].split()}


SIXES = "6H 6D 6C 7S 8S 9S JH QD AC"
LOW = "6H 6D 7H 7D 8C 8S 9H JC JS"


def test_r1_redeal() -> None:
    hands = deal_rest([SIXES], 9, 4)
    for dealer in range(4):
        game = Game(preset("helsinki"), hands, dealer=dealer)
        assert game.ask() == (0, frozenset({"redeal", "keep"}))
        demanded = Game(preset("helsinki"), hands, dealer=dealer).do("redeal")
        assert demanded.ask() == (None, frozenset())
        with pytest.raises(ValueError):
            demanded.points()
        game.do("keep")
        assert game.ask() == ((dealer + 1) % 4, frozenset(bids(50, 440)))


def test_r1_two_eligible_seats_are_asked_from_forehand() -> None:
    options = preset("helsinki", redeal="three_sixes_or_nothing_above_jack")
    low = "7H 8H 9H 7D 8D 9D 7C 8C 9C"
    others = "TS JS QS KS AS TH QH KH AH", "6S JD KD AD TD TC JC QC KC"
    hands = [SIXES, others[0], low, others[1]]
    game = Game(options, hands, dealer=1)
    assert game.ask() == (2, frozenset({"redeal", "keep"}))
    game.do("keep")
    assert game.ask() == (0, frozenset({"redeal", "keep"}))
    game.do("keep")
    assert game.ask() == (2, frozenset(bids(50, 440)))
    assert Game(options, hands, dealer=3).do("0:keep 2:redeal").ask() == (None, frozenset())


def test_r2_nothing_above_a_jack() -> None:
    hands = deal_rest([LOW], 9, 4)
    sixes = [h.split() for h in hands]
    assert max(sum(c[0] == "6" for c in hand) for hand in sixes) < 3
    game = Game(preset("helsinki"), hands)
    assert game.ask() == (0, frozenset(bids(50, 440)))
    game = Game(preset("helsinki-pagat"), hands)
    assert game.ask() == (0, frozenset(bids(50, 440) | {"redeal"}))
    game = Game(preset("helsinki-pagat"), hands, score=[-505, 0])
    assert game.ask() == (0, frozenset({"bid:50", "redeal"}))
    game = Game(preset("helsinki-pagat"), hands, dealer=2)
    game.do("3:bid:50")
    assert game.ask() == (0, frozenset(bids(55, 440) | {"pass", "redeal"}))
    game.do("0:bid:60 1:pass 2:pass 3:bid:65")
    assert game.ask() == (0, frozenset(bids(70, 440) | {"pass"}))
    game = Game(preset("helsinki-pagat"), hands, dealer=2)
    assert game.do("3:bid:50 0:redeal").ask() == (None, frozenset())


def test_r3_four_sixes_and_never_in_wikibooks() -> None:
    hand = "6H 6D 6C 6S 8S 9S JH QD AC"
    hands = deal_rest([hand], 9, 4)
    assert Game(preset("helsinki"), hands).legal() == {"redeal", "keep"}
    assert Game(preset("wikibooks-team"), hands).legal() == bids(50, 400)
    assert Game(preset("erlangen"), hands).legal() == bids(120, 420) | {"pass"}
    three = deal_rest(["6H 6D 6C 6S 8S 9S JH QD AC KC KD"], 11, 3, "AH AS AD")
    assert Game(preset("wikibooks-3"), three, "AH AS AD").legal() == bids(50, 400)


def test_x1_order_of_the_exchange() -> None:
    start = "0:bid:50 1:pass 2:pass 3:pass 2:give:7C 2:give:8D 2:give:QC"
    game = Game(preset("helsinki"), D1_HANDS).do(start)
    assert game.legal() == bids(50, 440, "contract")
    game.do("contract:60")
    own = cards(D1_HANDS[0]) | cards("7C 8D QC")
    assert game.ask() == (0, frozenset(f"give:{c}" for c in own))
    game.do("0:give:7C 0:give:8C 0:give:8D")
    assert game.ask() == (0, frozenset(own - cards("7C 8C 8D")))
    game.do("0:TC 1:AC")
    assert game.ask() == (2, frozenset({"7C", "8C"}))

    game = Game(preset("wikibooks-team"), D1_HANDS).do(start)
    game.do("0:give:7C 0:give:8C 0:give:8D")
    assert game.ask() == (0, frozenset(bids(50, 400, "contract")))
    game.do("0:contract:60")
    assert game.legal() == own - cards("7C 8C 8D")


def test_x2_discards() -> None:
    game = Game(preset("wikibooks-3"), D2_HANDS, D2_TALON)
    game.do("0:bid:50 1:pass 2:bid:55 0:pass")
    own = cards(D2_HANDS[2]) | cards(D2_TALON)
    assert game.ask() == (2, frozenset(f"discard:{c}" for c in own))
    game.do("discard:AH discard:TH")
    assert game.legal() == {f"discard:{c}" for c in own - cards("AH TH")}
    game.do("discard:6H")
    assert game.ask() == (2, frozenset(bids(55, 400, "contract")))
    game.do("contract:55")
    assert game.legal() == own - cards("AH TH 6H")
    game.finish()
    assert sum(game.raw()) == 120 - 21
    strict = Game(preset("wikibooks-3", discard_rule="no_aces_tens"), D2_HANDS, D2_TALON)
    strict.do("0:bid:50 1:pass 2:pass")
    assert "discard:TS" not in strict.legal()
    assert len(strict.legal()) == 13


def test_x2_discards_count() -> None:
    def played(**changes: object) -> list[int]:
        game = Game(preset("wikibooks-3", **changes), D2_HANDS, D2_TALON)
        game.do("bid:50 pass pass discard:TS discard:KH discard:7S contract:50").finish()
        return game.raw()

    plain = played()
    assert sum(plain) == 106
    assert played(discards_count="declarer") == [plain[0] + 14, plain[1], plain[2]]
    has_trick = plain[0] > 0
    assert has_trick
    assert played(discards_count="declarer_if_trick") == [plain[0] + 14, plain[1], plain[2]]


# ------------------------------------------------------------------ 5.4 declarations


def m1(right: str, second: bool) -> Game:
    options = preset("wikibooks-3", trump_right=right)
    if second:
        hands = ["7H AS KD QD", "AH KC QC 7S", "6H 8S 9S 9D"]
    else:
        hands = ["AH KD QD", "7H 6C 7C", "6H 8C 9C"]
    game = Game(options, hands)
    game.do("0:bid:50 1:bid:55 2:pass 0:pass 1:contract:55")
    if second:
        game.do("1:AH 2:6H 0:7H 1:declare:C 1:7S 2:8S 0:AS")
    else:
        game.do("1:7H 2:6H 0:AH")
    assert game.seat() == 0
    return game


def test_m1() -> None:
    assert m1("won", False).legal() == {"KD", "QD", "declare:D"}
    assert m1("won_and_led", False).legal() == {"KD", "QD"}
    assert m1("first_won_and_led", False).legal() == {"KD", "QD"}
    assert m1("won", True).legal() == {"KD", "QD", "declare:D"}
    assert m1("won_and_led", True).legal() == {"KD", "QD"}
    assert m1("first_won_and_led", True).legal() == {"KD", "QD", "declare:D"}


def test_m1_two_players() -> None:
    game = Game(preset("wikibooks-2"), ["7H 6C 7C", "AH KD QD"])
    game.do("0:bid:40 1:pass 0:contract:40 0:7H 1:AH")
    assert game.ask() == (1, frozenset({"KD", "QD", "declare:D"}))
    game.do("declare:D")
    assert game.ask() == (1, frozenset({"KD", "QD"}))


START = "0:bid:50 1:pass 2:pass 3:pass 0:contract:50 "


def helsinki(hands: list[str], name: str = "helsinki", **changes: object) -> Game:
    """A short deal without redeal and exchange, seat 0 declares."""
    return Game(preset(name, exchange_count=0, redeal="none", **changes), hands).do(START)


def test_m2_declared_once() -> None:
    hands = ["AC AS KD 7D 7H", "7C 7S 8D 9D 8H", "6C 6S QD 6D 6H", "8C 8S JD TD 9H"]
    game = helsinki(hands).do("AC 7C 6C 8C half:D 2:yes AS 7S 6S 8S")
    assert game.ask() == (0, frozenset({"KD", "7D", "7H", "whole"}))
    # In a two-handed game: declared, kept, and not declarable again.
    game = Game(preset("wikibooks-2"), ["AC AS KD QD 6H", "7C 7S 8D 9D 8H"])
    game.do("bid:40 pass contract:40 AC 7C declare:D AS 7S")
    assert game.ask() == (0, frozenset({"KD", "QD", "6H"}))


def test_m3_one_suit_per_window() -> None:
    hands = ["AC KH QH KS QS AS", "6C 7C 8C 9C 6S 7S"]
    game = Game(preset("wikibooks-2"), hands).do("bid:40 pass contract:40 AC 9C")
    assert game.legal() == cards("KH QH KS QS AS declare:H declare:S")
    game.do("declare:H")
    assert game.legal() == cards("KH QH KS QS AS")
    other = Game(preset("wikibooks-2"), hands)
    other.history = list(game.history)
    other.do("AS 7S")
    assert other.legal() == cards("KH QH KS QS declare:S")
    game.do("QS 6S")
    assert game.seat() == 0
    assert game.legal() == cards("KH QH KS AS")


M4_HANDS = ["AC KD 7D", "7C 8D 9D", "6C QD 6D", "8C JD 9C"]


def test_m4_half_succeeds() -> None:
    game = helsinki(M4_HANDS).do("AC 7C 6C 8C")
    assert game.ask() == (0, frozenset({"KD", "7D", "half:D", "whole"}))
    game.do("half:D")
    assert game.ask() == (2, frozenset({"yes"}))
    game.do("yes")
    assert game.ask() == (0, frozenset({"KD", "7D"}))
    game.finish()
    assert sum(game.raw()) == 10 + 5 + 5 + 5 + 20 + 80
    assert game.raw()[0] >= 80
    with pytest.raises(ValueError):
        helsinki(M4_HANDS).do("AC").points()


def test_m5_half_fails() -> None:
    hands = ["AC KD 7D KH 7H", "7C 8D 9D 8H QD", "6C 8S 6D 7S 6H", "8C JD 9C 9H JH"]
    game = helsinki(hands).do("AC 7C 6C 8C half:D")
    assert game.ask() == (2, frozenset({"no"}))
    game.do("no")
    assert game.ask() == (0, frozenset(cards("KD 7D KH 7H")))
    # Next won trick: another half may be asked, D too while it is open.
    game.do("KH 8H 6H JH")
    assert game.seat() == 0
    assert game.legal() == cards("KD 7D 7H half:D whole")
    # The queen is played: D is closed (decision 1).
    hands = ["AC AD KD 7H", "7C QD 8C 8H", "6C 6D 6H 7S", "9C JD 9H JH"]
    game = helsinki(hands).do("AC 8C 6C 9C")
    assert game.legal() == cards("AD KD 7H half:D whole")
    game.do("AD QD 6D JD")
    assert game.legal() == cards("KD 7H whole")


def test_m6_who_may_ask() -> None:
    hands = ["AC KD QD 7H", "7C 8D 9D 8H", "6C KS 6D 6H", "8C JD 9C 9H"]
    game = helsinki(hands).do("AC 7C 6C 8C")
    assert game.legal() == cards("KD QD 7H declare:D whole")
    open_to_all = helsinki(hands, ask_half="any").do("AC 7C 6C 8C")
    assert open_to_all.legal() == cards("KD QD 7H declare:D whole half:H half:S half:C")
    open_to_all.do("half:S")
    assert open_to_all.ask() == (2, frozenset({"yes"}))
    open_to_all.do("yes")
    assert open_to_all.legal() == cards("KD QD 7H")
    open_to_all.finish()
    # Nothing was declared.
    assert sum(open_to_all.raw()) == 10 + 5 * 4 + 20


def test_m6_any_half_with_one_half_and_partner_with_whole() -> None:
    hands = ["AC 7D 7H", "7C 8D 9D", "6C KD QD", "8C JD 9C"]
    game = helsinki(hands, ask_half="any").do("AC 7C 6C 8C")
    game.do("half:D 2:yes 7D 8D KD JD")
    game.finish()
    assert sum(game.raw()) == 10 + 15 + 20
    game = helsinki(hands, ask_half="any").do("AC 7C 6C 8C")
    game.do("half:H 2:no 7D 8D KD JD")


def test_m6_erlangen_preset() -> None:
    hands = deal_rest(["AC 6D 7D 6H 7H 8H 9H 6S 7S", "6C JD TD AD 9D 8D JH TH AH"], 9, 4)
    game = Game(preset("erlangen"), hands).do("0:bid:120 1:pass 2:pass 3:pass")
    for card in hands[2].split()[:4]:
        game.do(f"2:give:{card}")
    for card in hands[2].split()[:4]:
        game.do(f"0:give:{card}")
    game.do("0:contract:120")
    assert game.legal() == {"AC"}
    game.do("0:AC 1:6C")
    while len([a for _, a in game.history if len(a) == 2]) < 4:
        # No king or queen of clubs if it can be helped.
        game.do(sorted(game.legal(), key=lambda c: ("6789TJQKA".index(c[0]), c))[0])
    closed = {a[1] for _, a in game.history if len(a) == 2 and a[0] in "KQ"}
    asks = {f"half:{suit}" for suit in "SHDC" if suit not in closed}
    assert {a for a in game.legal() if a.startswith("half:")} == asks
    assert asks >= {"half:S", "half:H", "half:D"}


def test_m7_whole() -> None:
    hands = ["AD AH 7S", "6D 7H 8S", "7D KC QC", "8D 8H 9S"]
    game = helsinki(hands).do("AD 6D 7D 8D whole")
    assert game.ask() == (2, frozenset({"name:C"}))
    game.do("name:C")
    assert game.ask() == (0, frozenset({"AH", "7S"}))
    game.finish()
    assert sum(game.raw()) == 10 + 10 + 5 + 5 + 20 + 60
    # Two marriages: the partner chooses and may not refuse.
    hands = ["AD AH 7S 8C 9H", "6D 7H 8S 7C JH", "7D KC QC KS QS", "8D 8H 9S 6C 6H"]
    game = helsinki(hands).do("AD 6D 7D 8D whole")
    assert game.ask() == (2, frozenset({"name:C", "name:S"}))
    game.do("name:S AH JH")
    # Spades are trump at once, and hearts are led.
    assert game.ask() == (2, frozenset({"KS", "QS"}))
    # S already declared: C is the only one.
    hands = ["AD AH 7S 8C 9H", "6D 7H 8S 7C JH", "7D KC QC KS QS", "8D 8H 9S 6C 6H"]
    hands = [h + x for h, x in zip(hands, (" AS", " 9C", " 6S", " 9D"), strict=True)]
    game = helsinki(hands).do("AD 6D 7D 8D whole name:S AS 8S 6S 9S whole")
    assert game.ask() == (2, frozenset({"name:C"}))


def test_m7_a_failed_whole() -> None:
    game = helsinki(M4_HANDS).do("AC 7C 6C 8C whole")
    assert game.ask() == (2, frozenset({"no"}))
    game.do("no")
    assert game.ask() == (0, frozenset({"KD", "7D"}))


def test_m8_one_card_left() -> None:
    hands = ["AD KS", "6D 7H", "7D QS", "8D 8H"]
    game = helsinki(hands).do("AD 6D 7D 8D")
    assert game.legal() == {"KS", "half:S"}
    assert game.playouts() == 2
    game.do("half:S yes KS 7H QS 8H")
    assert game.ask() == (None, frozenset())
    assert game.raw() == [10 + 10 + 20 + 40, 0]
    assert game.points() == [50, 0]
    game = helsinki(hands, marriage_points="spades_high")
    game.do("AD 6D 7D 8D half:S yes KS 7H QS 8H")
    assert game.raw() == [10 + 10 + 20 + 100, 0]


def test_m9_other_values() -> None:
    def raw(value: str) -> int:
        game = helsinki(M4_HANDS, marriage_points=value)
        return sum(game.do("AC 7C 6C 8C half:D yes KD 8D QD JD").finish().raw())

    assert raw("hearts_high") - raw("none") == 80
    assert raw("spades_high") - raw("none") == 60
    game = helsinki(M4_HANDS, marriage_points="none")
    game.do("AC 7C 6C 8C half:D yes 7D 9D QD JD")
    assert game.seat() == 2


def test_lockouts() -> None:
    # pagat: who has asked whole may not declare; his partner may not ask him for a whole.
    hands = ["AC AS KD QD 7H", "7C 7S 8D 9D 8H", "6C 6S 6D AH 9S", "8C 8S JD TD 9H"]
    free = helsinki(hands).do("AC 7C 6C 8C whole no AS 7S 6S 8S")
    assert free.legal() == cards("KD QD 7H declare:D whole")
    pagat = helsinki(hands, ask_lockout="pagat").do("AC 7C 6C 8C whole no AS 7S 6S 8S")
    assert pagat.legal() == cards("KD QD 7H whole")
    pagat.do("7H 8H AH 9H")
    assert pagat.ask() == (2, frozenset(cards("6D 9S")))
    free.do("7H 8H AH 9H")
    assert free.ask() == (2, frozenset(cards("6D 9S whole")))
    ill = helsinki(hands, ask_lockout="illisoft").do("AC 7C 6C 8C whole no AS 7S 6S 8S")
    assert ill.legal() == cards("KD QD 7H whole")
    # illisoft: after a half neither partner may declare or ask for a whole.
    hands = ["AC KS KH 7H 7D", "7C 7S 8D 9D 8H", "6C 6S AH KD QD", "8C 8S JD TD 9H"]
    ill = helsinki(hands, ask_lockout="illisoft").do("AC 7C 6C 8C")
    assert ill.legal() == cards("KS KH 7H 7D half:H half:S whole")
    ill.do("half:S no 7H 8H AH 9H")
    assert ill.ask() == (2, frozenset(cards("6S KD QD")))
    free = helsinki(hands).do("AC 7C 6C 8C half:S no 7H 8H AH 9H")
    assert free.ask() == (2, frozenset(cards("6S KD QD declare:D whole")))


# ------------------------------------------------------------------ 5.5 scoring


@pytest.mark.parametrize(
    ("x", "r5"), [(112, 110), (113, 115), (137, 135), (138, 140), (2, 0), (3, 5), (0, 0)]
)
def test_rounding(x: int, r5: int) -> None:
    assert oracle.rounded(x) == r5


N5 = {"rounding": "nearest5"}
TAKES = {"takes_all_penalty": "contract"}
NO_TRICK = {"no_trick_penalty": "contract"}
BEFORE = {"rounding": "nearest5_before_test"}

S_ROWS: list[
    tuple[str, str, dict[str, object], int | None, int, list[int], list[int], list[int]]
] = [
    ("S1", "wikibooks-3", {}, 0, 100, [122, 30, 28], [5, 3, 3], [100, 30, 28]),
    ("S2", "wikibooks-3", {**N5}, 0, 100, [122, 30, 28], [5, 3, 3], [100, 30, 30]),
    ("S3", "wikibooks-4", {}, 0, 150, [150, 20, 20, 10], [3, 2, 2, 1], [150, 20, 20, 10]),
    ("S4", "wikibooks-4", {**N5}, 0, 150, [148, 20, 20, 12], [3, 2, 2, 1], [-150, 20, 20, 10]),
    ("S4b", "wikibooks-4", {**BEFORE}, 0, 150, [148, 9, 9, 1], [3, 2, 2, 1], [150, 10, 10, 0]),
    ("S5", "wikibooks-3", {**TAKES}, 0, 150, [180, 0, 0], [11, 0, 0], [150, -150, -150]),
    (
        "S6",
        "wikibooks-3",
        {**TAKES, **NO_TRICK},
        0,
        150,
        [180, 0, 0],
        [11, 0, 0],
        [150, -150, -150],
    ),
    ("S7", "wikibooks-3", {**TAKES}, 0, 150, [120, 0, 0], [11, 0, 0], [-150, -150, -150]),
    ("S8", "wikibooks-3", {**NO_TRICK}, 0, 90, [95, 25, 0], [8, 3, 0], [90, 25, -90]),
    ("S9", "helsinki", {}, 0, 120, [135, 65], [5, 4], [120, 65]),
    ("S10", "helsinki", {}, 0, 100, [0, 160], [0, 9], [-100, 160]),
    ("S11", "helsinki", {}, 0, 200, [240, 0], [9, 0], [200, 0]),
    ("S12", "german", {}, 0, 150, [88, 112], [5, 4], [-150, 110]),
    ("S13", "german", {}, 0, 120, [187, 113], [5, 4], [120, 115]),
    ("S14", "german", {}, 0, 205, [204, 56], [5, 4], [-205, 55]),
    ("S14b", "german", {**BEFORE}, 0, 205, [204, 56], [5, 4], [205, 55]),
    ("S15", "german", {}, None, 0, [174, 66], [5, 4], [175, 65]),
    ("S15b", "german", {**NO_TRICK}, None, 0, [240, 0], [9, 0], [240, 0]),
    ("S16", "erlangen", {}, 0, 200, [220, 0], [9, 0], [200, -400]),
    ("S17", "erlangen", {}, 0, 250, [240, 0], [9, 0], [-250, 0]),
    ("S18", "erlangen", {}, 0, 150, [0, 140], [0, 9], [-300, 140]),
]


@pytest.mark.parametrize("row", S_ROWS, ids=[row[0] for row in S_ROWS])
def test_scoring(
    row: tuple[str, str, dict[str, object], int | None, int, list[int], list[int], list[int]],
) -> None:
    _, name, changes, declaring, contract, raw, won, expected = row
    bid = contract
    assert (
        oracle.deltas(preset(name, **changes), declaring, bid, contract, raw, won, raw) == expected
    )


def test_penalty_sizes() -> None:
    def score(**changes: object) -> list[int]:
        options = preset("wikibooks-3", **changes)
        return oracle.deltas(options, 0, 60, 90, [120, 0, 0], [11, 0, 0], [120, 0, 0])

    assert score() == [90, 0, 0]
    assert score(no_trick_penalty="bid") == [90, -60, -60]
    assert score(no_trick_penalty=25) == [90, -25, -25]
    assert score(no_trick_penalty=25, takes_all_penalty="contract") == [90, -90, -90]
    assert score(no_trick_penalty=200, takes_all_penalty="contract") == [90, -200, -200]
    assert score(takes_all_penalty="double_contract") == [90, -180, -180]


S19_HANDS = [
    "KH KD 9D 8D 7D 9S 6H 9C 7C",
    "TH AD TD QD 6D JS TS TC KC",
    "QH 9H 8H 7H JD 8S 7S 6S 6C",
    "AH JH AS KS QS AC QC JC 8C",
]
S19_PLAY = """
    0:KD 1:AD 2:JD 3:JC   1:TD 2:8H 3:JH 0:7D   1:QD 2:7H 3:KS 0:8D   1:JS 2:8S 3:AS 0:9S
    3:QC 0:7C 1:TC 2:6C   1:KC 2:9H 3:AC 0:9C   3:QS 0:6H 1:TS 2:6S   1:6D 2:7S 3:8C 0:9D
"""


def s19(**changes: object) -> Game:
    # The hands are those after the exchange: the same three cards go there and back.
    game = Game(preset("helsinki", **changes), S19_HANDS)
    game.do("0:bid:60 1:pass 2:pass 3:pass 2:give:6C 2:give:6S 2:give:7S 0:contract:60")
    game.do("0:give:6C 0:give:6S 0:give:7S").do(S19_PLAY)
    return game


def test_s19() -> None:
    game = s19()
    assert game.ask() == (0, frozenset({"KH", "half:H"}))
    assert game.playouts() == 2
    game.do("0:half:H 2:yes 0:KH 1:TH 2:QH 3:AH")
    assert game.seat() is None
    assert game.raw() == [100, 160]
    assert game.points() == [-60, 160]
    off = s19(zero_card_points_fails=False).do("half:H yes KH TH QH AH")
    assert off.raw() == [100, 160]
    assert off.points() == [60, 160]


def test_last_trick_bonus_is_enough_against_the_zero_rule() -> None:
    options = preset("helsinki")
    assert oracle.deltas(options, 0, 60, 60, [120, 140], [1, 8], [20, 140]) == [60, 140]
    assert oracle.deltas(options, 0, 60, 60, [100, 160], [1, 8], [0, 160]) == [-60, 160]
    multiplied = preset("helsinki", declarer_no_trick_multiplier=2)
    assert oracle.deltas(multiplied, 0, 60, 60, [100, 160], [1, 8], [0, 160]) == [-60, 160]


# ------------------------------------------------------------------ 5.7 complete deals

D1_START = """
    0:bid:50 1:pass 2:pass 3:pass 2:give:7C 2:give:8D 2:give:QC 0:contract:60
    0:give:7C 0:give:8C 0:give:8D
"""
# Decision 1: no ask after tricks 4 and 7.
D1_PLAY = """
    0:TC 1:AC 2:7C 3:KC  1:half:D 3:no
    1:6C 2:8C 3:9H 0:JC
    0:AD 1:QD 2:KD 3:JD  0:whole 2:no
    0:9C 1:JS 2:6D 3:9S
    0:TS 1:AS 2:8S 3:7S  1:half:S 3:yes
    1:QS 2:TD 3:KS 0:QC  3:declare:H
    3:KH 0:8H 1:TH 2:AH
    2:7H 3:QH 0:9D 1:6H
    3:6S 0:7D 1:JH 2:8D
"""


def after(game: Game, script: str, count: int) -> Game:
    """The game with the first actions of the script only."""
    return game.do(" ".join(script.split()[:count]))


def test_d1() -> None:
    game = Game(preset("helsinki"), D1_HANDS).do(D1_START).do(D1_PLAY)
    assert game.ask() == (None, frozenset())
    assert game.raw() == [60, 240]
    assert game.points() == [60, 240]


def test_d1_forced_plays() -> None:
    words = D1_PLAY.split()

    def before(card: str) -> set[str]:
        game = Game(preset("helsinki"), D1_HANDS).do(D1_START)
        return after(game, D1_PLAY, words.index(card)).legal()

    assert before("1:AC") == {"AC"}
    assert before("1:AS") == {"AS"}
    assert before("3:KS") == {"KS"}
    assert before("1:TH") == {"TH"}
    assert before("2:AH") == {"AH"}
    assert before("1:6H") == {"JH", "6H"}
    assert before("1:JH") == {"JH"}
    # The asks of D1 that decision 1 took away.
    assert before("0:9C") == cards("8H 9C TS 9D 7D QC")
    assert before("2:7H") == cards("7H 8D")
    assert before("1:half:D") == cards("TH JH 6H QD 6C AS QS JS half:D half:S whole")
    assert before("3:declare:H") == cards("KH QH 6S declare:H whole")


def test_d1_won_and_led() -> None:
    options = preset("helsinki", trump_right="won_and_led")
    game = Game(options, D1_HANDS).do(D1_START).do("0:TC 1:AC 2:7C 3:KC")
    assert game.legal() == cards("TH JH 6H QD 6C AS QS JS")
    game.do("1:6C 2:8C 3:9H 0:JC 0:AD 1:QD 2:KD 3:JD")
    assert game.legal() == cards("8H 9D 7D QC 9C TS whole")
    game.do("0:9C 1:JS 2:6D 3:9S 0:TS 1:AS 2:8S 3:7S")
    assert game.legal() == cards("TH JH 6H QS")
    game.do("1:QS 2:TD 3:KS 0:QC")
    assert game.seat() == 3
    assert "declare:H" not in game.legal()


D2_START = "0:bid:50 1:pass 2:pass 0:discard:7S 0:discard:8S 0:discard:KH 0:contract:60"
D2_PLAY = """
    0:6C 1:7C 2:AC  2:9C 0:KC 1:8C  0:TS 1:AS 2:JS  1:declare:S
    1:JC 2:TC 0:6S  0:9H 1:QH 2:AH  2:8D 0:JD 1:AD  1:declare:D
    1:KS 2:7D 0:9S  2:6H 0:8H 1:QD  1:KD 2:QC 0:9D  1:TD 2:7H 0:6D  1:QS 2:TH 0:JH
"""


def test_d2() -> None:
    game = Game(preset("wikibooks-3"), D2_HANDS, D2_TALON).do(D2_START).do(D2_PLAY)
    assert game.seat() is None
    assert game.raw() == [16, 191, 29]
    assert game.points() == [-60, 191, 29]
    rounding = preset("wikibooks-3", rounding="nearest5")
    game = Game(rounding, D2_HANDS, D2_TALON).do(D2_START).do(D2_PLAY)
    assert game.raw() == [16, 191, 29]
    assert game.points() == [-60, 190, 30]


def test_d2_forced_plays() -> None:
    words = D2_PLAY.split()

    def before(card: str, right: str = "won") -> set[str]:
        options = preset("wikibooks-3", trump_right=right)
        game = Game(options, D2_HANDS, D2_TALON).do(D2_START)
        return after(game, D2_PLAY, words.index(card)).legal()

    assert before("0:6S") == {"9S", "6S"}
    assert before("2:7D") == {"7D"}
    assert before("0:9S") == {"9S"}
    assert "declare:S" in before("1:declare:S")
    for right in ("won_and_led", "first_won_and_led"):
        assert before("1:declare:S", right) == cards("QH AD TD KD QD JC KS QS")


D3_PLAY = """
    0:KS 1:6S 2:7S 3:TS  3:whole 1:no
    3:6C 0:AC 1:KC 2:9C  0:declare:H
    0:7C 1:TC 2:QC 3:8C  1:whole 3:no
    1:7H 2:TH 3:AH 0:QH  3:JS 0:AS 1:8S 2:8H  2:9D 3:TD 0:QD 1:JD
    3:9H 0:KH 1:6H 2:8D  0:JH 1:KD 2:6D 3:AD  0:QS 1:7D 2:JC 3:9S
"""


def test_d3() -> None:
    game = Game(preset("german"), D3_HANDS).do("0:pass 1:pass 2:pass 3:pass").do(D3_PLAY)
    assert game.seat() is None
    assert game.raw() == [174, 66]
    assert game.points() == [175, 65]
    unrounded = Game(preset("german", rounding="none"), D3_HANDS)
    assert unrounded.do("pass pass pass pass").do(D3_PLAY).points() == [174, 66]
    # No ask after tricks 7 and 8 (decision 1).
    words = D3_PLAY.split()
    game = Game(preset("german"), D3_HANDS).do("pass pass pass pass")
    after(game, D3_PLAY, words.index("0:JH"))
    assert game.legal() == cards("JH QS")


# ------------------------------------------------------------------ counting


def test_playouts_of_the_exchange() -> None:
    # Two tricks; everything up to the cards is counted by hand.
    hands = ["AD KS", "6D 7H", "7D QS", "8D 8H"]
    options = preset("helsinki", exchange_count=0, max_bid=55)
    game = Game(options, hands).do("0:bid:50 1:pass 2:pass 3:pass 0:contract:50 0:AD 1:6D")
    assert game.do("7D 8D").playouts() == 2
    game = Game(options, hands).do("0:bid:55 0:contract:55")
    # KS first: 6D/7H, 7D no: QS follows, 8D/8H; AD first: all follow, then half:S or KS.
    # KS, QS: the ask is about nothing any more; but whole is not legal with one card.
    ks = 2 * 2  # two free cards at seats 1 and 3, then the last trick is forced
    assert game.playouts() == ks + 2
    # bid:50 and bid:55; after 50 each of the three others may pass or bid 55.
    alone = 2 * (ks + 2)  # contract 50 or 55
    start = Game(options, hands)
    taken = start.playouts()
    by_others = 0
    for seat in (1, 2, 3):
        passes = "".join(" pass" for _ in range(seat - 1))
        other = Game(options, hands).do(f"bid:50{passes} bid:55")
        by_others += other.playouts()
    assert taken == (ks + 2) + alone + by_others


def test_playouts_of_discards_and_redeal() -> None:
    options = preset("wikibooks-2", max_bid=40)
    game = Game(options, ["6H 7H 8H", "6S 7S 8S"], "9S 9H").do("bid:40")
    # 5 * 4 ordered discards, one contract; one question at a time.
    assert game.playouts() == sum(
        Game(options, ["6H 7H 8H", "6S 7S 8S"], "9S 9H")
        .do(f"bid:40 discard:{a} discard:{b}")
        .playouts()
        for a in ["6H", "7H", "8H", "9S", "9H"]
        for b in ["6H", "7H", "8H", "9S", "9H"]
        if a != b
    )
    sixes = ["6H 6D 6C", "7H 7D 7C", "8H 8D 8C", "9H 9D 9C"]
    options = preset("helsinki", max_bid=50, exchange_count=0)
    keep = Game(options, sixes).do("keep").playouts()
    assert Game(options, sixes).playouts() == keep + 1


def test_numbers_of_sets() -> None:
    """Sections 2.A to 2.E name the sets; the asks come in every order."""
    game = Game(preset("wikibooks-3"), D2_HANDS, D2_TALON).do("bid:50 pass pass")
    count = 1
    for card in ["7S", "8S", "KH"]:
        count *= len(game.legal())
        game.do(f"discard:{card}")
    assert count == perm(14, 3) == comb(14, 3) * 6
    game = Game(preset("german"), D3_HANDS).do("bid:120 pass pass pass")
    count = 1
    for card in D3_HANDS[2].split()[:4]:
        count *= len(game.legal())
        game.do(f"give:{card}")
    assert count == perm(9, 4)
    game.do("contract:120")
    assert len(game.legal()) == 13


# ------------------------------------------------------------------ wrong histories


@pytest.mark.parametrize(
    "history",
    [
        [(0, "pass")],
        [(0, "bid:45")],
        [(0, "bid:57")],
        [(0, "bid:445")],
        [(1, "bid:50")],
        [(0, "bid:50"), (1, "bid:50")],
        [(0, "keep")],
    ],
)
def test_impossible_histories(history: list[tuple[int, str]]) -> None:
    hands = [hand.split() for hand in D1_HANDS]
    with pytest.raises(ValueError):
        oracle.legal(preset("helsinki"), hands, [], 3, [0, 0], history)


# ------------------------------------------------------------------ fuzz

SIZES = {2: 17, 3: 11, 4: 8}


def shuffled_deal(options: dict[str, object], rng: random.Random) -> Game:
    players = int(str(options["players"]))
    pack = list(PACK)
    rng.shuffle(pack)
    size = 9 if options["exchange"] == "partner" else SIZES[players]
    dealer = rng.randrange(players)
    hands: list[list[str]] = [[] for _ in range(players)]
    for k in range(size * players):
        hands[(dealer + 1 + k) % players].append(pack[k])
    sides = 2 if options["teams"] else players
    score = [rng.choice([0, 0, 120, 480, -500, -505, -700]) for _ in range(sides)]
    talon = " ".join(pack[size * players :])
    return Game(options, [" ".join(hand) for hand in hands], talon, dealer, score)


def pick(rng: random.Random, actions: frozenset[str]) -> str:
    """Random, with bids kept low enough for a varied deal and asks not too rare."""
    ordered = sorted(actions)
    if "pass" in actions and rng.random() < 0.5:
        return "pass"
    asks = [a for a in ordered if a.startswith(("declare", "half", "whole"))]
    if asks and rng.random() < 0.5:
        return rng.choice(asks)
    numbers = [a for a in ordered if a.startswith(("bid", "contract"))]
    if numbers and rng.random() < 0.9:
        return min(numbers, key=lambda a: int(a.split(":")[1]))
    return rng.choice(ordered)


def play_out(game: Game, rng: random.Random) -> Counter[str]:
    """Plays to the end and checks on the way what section 6 demands."""
    seen: Counter[str] = Counter()
    last_seat: int | None = None
    while True:
        seat, actions = game.ask()
        if seat is None:
            assert not actions
            return seen
        assert actions
        action = pick(rng, actions)
        if last_seat == seat:
            seen["again"] += 1
        last_seat = seat
        seen[action.split(":")[0] if len(action) != 2 or action == "no" else "card"] += 1
        game.history.append((seat, action))


def check_end(game: Game) -> None:
    options = game.options
    played = [a for _, a in game.history if len(a) == 2 and a != "no"]
    discarded = [a[8:] for _, a in game.history if a.startswith("discard:")]
    pack = sorted(played + discarded)
    players = int(str(options["players"]))
    size = len(game.hands[0])
    if any(a.startswith("contract") for _, a in game.history):
        assert pack == sorted(PACK)
    assert len(played) == players * size
    assert len(discarded) == len(game.talon)

    values = oracle.CARD_POINTS[str(options["card_points"])]
    total = sum(values[card[0]] for card in played)
    if options["discards_count"] == "declarer":
        total += sum(values[card[0]] for card in discarded)
    total += int(str(options["last_trick_points"]))
    declared: list[str] = []
    for at, (seat, action) in enumerate(game.history):
        kind, _, suit = action.partition(":")
        if kind in ("declare", "name"):
            declared.append(suit)
        if kind == "yes":
            asker, question = game.history[at - 1]
            suit = question.split(":")[1]
            # Success iff king and queen lie apart: seen from the cards played later.
            owner = {a: s for s, a in game.history[at:] if len(a) == 2}
            halves = {owner["K" + suit], owner["Q" + suit]}
            if halves == {asker, seat}:
                declared.append(suit)
    assert len(declared) == len(set(declared))
    table = oracle.MARRIAGE_POINTS[str(options["marriage_points"])]
    total += sum(table[suit] for suit in declared)
    assert sum(game.raw()) == total

    points = game.points()
    contracts = [(s, a) for s, a in game.history if a.startswith("contract")]
    side = {s: s % 2 if options["teams"] else s for s in range(players)}
    if contracts:
        seat, action = contracts[0]
        contract = int(action.split(":")[1])
        multiple = int(str(options["declarer_no_trick_multiplier"]))
        assert points[side[seat]] in (contract, -contract, -contract * multiple)
    else:
        assert options["all_pass"] == "contractless"


@pytest.mark.parametrize("name", ALL)
def test_random_deals(name: str) -> None:
    rng = random.Random(name)
    seen: Counter[str] = Counter()
    finished = 0
    for _ in range(40):
        game = shuffled_deal(preset(name), rng)
        seen += play_out(game, rng)
        if game.history[-1][1] == "redeal":
            with pytest.raises(ValueError):
                game.points()
            continue
        check_end(game)
        finished += 1
    assert finished >= 20
    if name.startswith("wikibooks") and name != "wikibooks-team":
        assert seen["discard"]
        assert not seen["give"]
        assert not seen["whole"]
    else:
        assert seen["whole"]
        assert seen["half"]
        assert seen["give"]
        assert seen["yes"]
        assert seen["name"]


TOGGLES: dict[str, list[object]] = {
    "rank_order": ["ace_ten", "plain"],
    "card_points": ["classic", "simple"],
    "last_trick_points": [0, 10, 20],
    "marriage_points": ["hearts_high", "spades_high", "none"],
    "redeal": ["none", "three_sixes", "three_sixes_or_nothing_above_jack"],
    "redeal_window": ["before_bidding", "first_bid_turn"],
    "discard_rule": ["any", "no_aces_tens"],
    "discards_count": ["none", "declarer"],
    "raise_timing": ["before_return", "after_exchange"],
    "first_lead": ["any", "ace", "ace_then_spade"],
    "ace_shows": [False, True],
    "must_head": [False, True],
    "head_lapses_when_ruffed": [False, True],
    "must_trump": [False, True],
    "must_overtrump": [False, True],
    "trump_right": ["won", "won_and_led", "first_won_and_led"],
    "zero_card_points_fails": [False, True],
    "rounding": ["none", "nearest5", "nearest5_before_test"],
    "no_trick_penalty": ["none", "contract", "bid", 50],
    "declarer_no_trick_multiplier": [1, 2],
    "takes_all_penalty": ["none", "contract", "double_contract"],
    "takes_all_requires_made": [False, True],
    "bid_bar": ["none", "below", "at_or_below"],
    "bar_at": [-500, -250],
    "bar_may_raise": [False, True],
}
TEAM_TOGGLES: dict[str, list[object]] = {
    "ask_whole": [False, True],
    "ask_half": ["none", "own_half", "any"],
    "ask_lockout": ["none", "pagat", "illisoft"],
    "exchange_count": [3, 4],
}


def test_random_options() -> None:
    rng = random.Random(7)
    for _ in range(250):
        options = preset(rng.choice(ALL))
        for name, values in TOGGLES.items():
            options[name] = rng.choice(values)
        if options["teams"]:
            for name, values in TEAM_TOGGLES.items():
                options[name] = rng.choice(values)
        min_bid = int(str(options["min_bid"]))
        if oracle.cap(options) < min_bid:
            continue
        game = shuffled_deal(options, rng)
        play_out(game, rng)
        if game.history[-1][1] != "redeal":
            check_end(game)
