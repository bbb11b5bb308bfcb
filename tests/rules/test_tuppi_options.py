"""Tuppi, what each option changes, and the checks on a configuration."""

from typing import Any

import pytest
from msgspec import to_builtins

from referee.errors import ConfigError
from referee.games.rulesets import game_named
from referee.games.tuppi_options import Rules, check
from tests.rules.whist_help import (
    ONE_SUIT_EACH,
    T_G3,
    T_G4,
    Hand,
    dealt,
    ended,
    finish,
    legal,
    play,
    set_hands,
    tuppi,
)


def sooli_deal(hand: Hand = T_G3, **options: Any) -> Any:
    """A deal in which seat 1 has bid rami and seat 0 sooli against it."""
    deal = play(dealt(tuppi(**options), *hand.hands, dealer=0), "1:rami")
    if deal.to_act == 2:
        play(deal, "2:pass")
    return play(deal, "0:sooli")


def test_target_is_what_ends_a_game() -> None:
    for target, winners in ((12, (0,)), (13, ()), (52, ())):
        after = ended(tuppi(target=target), "rami", 0, (9, 4)).after()
        assert (after.score, after.winners) == ((12, 0), winners)


# ---- bids ----------------------------------------------------------------------------------


def test_bid_mode_sealed_asks_all_four_and_shows_a_seat_only_its_own() -> None:
    deal = dealt(tuppi(bid_mode="sealed"), dealer=3)
    script = ["0:nolo", "1:rami", "2:rami", "3:nolo"]
    made: list[tuple[int, str]] = []
    for step in script:
        for seat in range(4):
            view = deal.view(seat)
            own = [bid for bid in made if bid[0] == seat]
            assert (view.bids, view.history) == (own, own)
            assert (view.phase, view.declarer, view.contract) == ("bid", None, None)
        play(deal, step)
        made.append((int(step[0]), step[2:]))
    assert (deal.declarer, deal.to_act) == (1, 2)
    assert legal(deal) == ["pass", "sooli"]


def test_bid_mode_sealed_shows_the_bids_up_to_the_first_rami() -> None:
    deal = play(dealt(tuppi(bid_mode="sealed")), "0:nolo 1:rami 2:rami 3:nolo")
    shown = [(0, "nolo"), (1, "rami")]
    expected = [shown, shown, [*shown, (2, "rami")], [*shown, (3, "nolo")]]
    assert [deal.view(seat).bids for seat in range(4)] == expected
    assert [deal.view(seat).history for seat in range(4)] == expected
    play(deal, "2:pass")
    assert deal.view(0).history == [*shown, (2, "pass")]
    assert deal.view(3).history == [*shown, (3, "nolo"), (2, "pass")]


def test_bid_mode_sealed_shows_four_nolos() -> None:
    deal = play(dealt(tuppi(bid_mode="sealed")), "0:nolo 1:nolo 2:nolo 3:nolo")
    assert deal.contract == "nolo"
    for seat in range(4):
        assert deal.view(seat).bids == [(0, "nolo"), (1, "nolo"), (2, "nolo"), (3, "nolo")]


def test_bid_mode_sealed_ends_like_bids_in_turn() -> None:
    open_deal = play(dealt(tuppi()), "0:nolo 1:rami 2:pass 0:pass")
    sealed = play(dealt(tuppi(bid_mode="sealed")), "0:nolo 1:rami 2:nolo 3:rami 2:pass 0:pass")
    assert sealed.to_act == open_deal.to_act == 0
    assert sealed.declarer == open_deal.declarer
    assert finish(sealed, 3).points() == finish(open_deal, 3).points()


HAND_WITH_CARDS = "2S TS AS 9C QC 2H JH KH AH 3D QD KD 8D"


def test_bid_cards_of_the_hand_bid_by_their_colour_and_stay_in_it() -> None:
    deal = dealt(tuppi(bid_cards="hand_cards"), HAND_WITH_CARDS)
    assert legal(deal) == [
        "nolo:TS", "nolo:AS", "nolo:9C", "rami:AH", "rami:3D", "rami:8D",
    ]  # fmt: skip
    play(deal, "0:rami:AH")
    assert (deal.declarer, deal.contract, deal.to_act) == (0, "rami", 1)
    for seat in range(4):
        assert deal.view(seat).bids == [(0, "rami:AH")]
        assert deal.view(seat).history == [(0, "rami:AH")]
    assert "AH" in deal.view(0).hand
    play(deal, "1:pass 3:pass")
    assert deal.view(0).counts == [13] * 4


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("2S JS QS KS 2C JC QC KC 2H JH QH KH 3D", ["nolo", "rami:3D"]),
        ("2H JH QH KH 2D JD QD KD 3S 4S 5S 6C 7C", [
            "nolo:3S", "nolo:4S", "nolo:5S", "nolo:6C", "nolo:7C", "rami",
        ]),
        ("2S JS QS KS 2C JC QC KC 2H JH QH KH 2D", ["nolo", "rami"]),
    ],
)  # fmt: skip
def test_bid_cards_leave_the_word_to_a_hand_without_a_suitable_card(
    hand: str, expected: list[str]
) -> None:
    assert legal(dealt(tuppi(bid_cards="hand_cards"), hand)) == expected


def test_bid_cards_may_be_sealed_too() -> None:
    deal = dealt(tuppi(bid_cards="hand_cards", bid_mode="sealed"), HAND_WITH_CARDS)
    play(deal, "0:nolo:9C")
    assert deal.view(0).bids == [(0, "nolo:9C")]
    assert deal.view(1).bids == deal.view(1).history == []
    while deal.phase == 3:
        deal.apply(deal.legal()[0])
    assert deal.view(1).bids[0] == (0, "nolo:9C")


# ---- sooli ---------------------------------------------------------------------------------


def test_sooli_is_offered_only_where_it_is_played() -> None:
    assert play(dealt(tuppi()), "0:rami").view(0).phase == "sooli"
    assert play(dealt(tuppi(sooli=False)), "0:rami").view(0).phase == "play"
    assert "sooli" not in tuppi(sooli=False).actions


def test_sooli_order_says_which_opponent_is_asked_first() -> None:
    for order, asked in (("left_first", [1, 3]), ("right_first", [3, 1])):
        deal = play(dealt(tuppi(sooli_order=order)), "0:rami")
        seats = []
        while deal.view(0).phase == "sooli":
            seats.append(deal.to_act)
            play(deal, f"{deal.to_act}:pass")
        assert seats == asked
        assert (deal.contract, deal.to_act) == ("rami", 3)


def test_sooli_exchange_none_goes_straight_to_the_cards() -> None:
    deal = sooli_deal(sooli_exchange="none")
    assert (deal.view(0).phase, deal.to_act, deal.view(0).counts) == ("play", 1, [13] * 4)
    assert not any(action.startswith(("give", "discard")) for action in deal.game.actions)


def test_sooli_exchange_discard_then_receive() -> None:
    deal = sooli_deal(sooli_exchange="discard_then_receive")
    assert (deal.view(0).phase, deal.to_act, len(legal(deal))) == ("discard", 0, 13)
    assert set(legal(deal)) == {f"discard:{card}" for card in T_G3.hands[0].split()}
    play(deal, "0:discard:QS")
    assert (deal.view(2).phase, deal.to_act, len(legal(deal))) == ("give", 2, 13)
    play(deal, "2:give:AS")
    assert (deal.view(0).phase, deal.to_act) == ("play", 1)
    assert deal.view(0).counts == [13, 13, 12, 13]
    soloist, partner, opponent = deal.view(0), deal.view(2), deal.view(1)
    assert (soloist.discarded, soloist.received, soloist.given) == (["QS"], ["AS"], [])
    assert (partner.discarded, partner.received, partner.given) == ([], [], ["AS"])
    assert (opponent.discarded, opponent.received, opponent.given) == ([], [], [])
    assert soloist.history[-2:] == [(0, "discard:QS"), (2, "give:?")]
    assert partner.history[-2:] == [(0, "discard:?"), (2, "give:AS")]
    assert opponent.history[-2:] == [(0, "discard:?"), (2, "give:?")]
    for script, winner in T_G3.rows():
        assert play(deal, script).winner == winner
    assert deal.points() == (24, 0)


def test_sooli_exchange_receive_then_return_has_no_discard() -> None:
    game = tuppi(sooli_exchange="receive_then_return")
    assert sum(action.startswith("give:") for action in game.actions) == 52
    assert not any(action.startswith("discard") for action in game.actions)


@pytest.mark.parametrize(
    ("first", "leader"), [("left_of_soloist", 1), ("right_of_soloist", 3), ("declarer", 3)]
)
def test_sooli_first_lead_against_a_rami_on_the_soloists_right(first: str, leader: int) -> None:
    game = tuppi(sooli_first_lead=first, sooli_exchange="none")
    deal = play(dealt(game, dealer=0), "1:nolo 2:nolo 3:rami 0:sooli")
    assert (deal.to_act, deal.view(0).leader) == (leader, leader)
    deal.apply(deal.legal()[0])
    assert deal.to_act == 4 - leader
    deal.apply(deal.legal()[0])
    assert deal.to_act == 0


def test_sooli_first_lead_against_a_rami_on_the_soloists_left() -> None:
    for first, leader in (("left_of_soloist", 1), ("right_of_soloist", 3), ("declarer", 1)):
        assert sooli_deal(sooli_first_lead=first, sooli_exchange="none").to_act == leader


@pytest.mark.parametrize(("ace", "winner"), [("low", 0), ("high", 3)])
def test_sooli_ace_low_or_high(ace: str, winner: int) -> None:
    deal = sooli_deal(sooli_ace=ace, sooli_exchange="none")
    play(set_hands(deal, "3C 4C", "2C 5S", "9H 9D", "AC 6S"), "1:2C 3:AC 0:3C")
    assert deal.winner == winner


def test_sooli_stop_or_a_lost_sooli_is_played_out_for_the_same_points() -> None:
    deal = play(sooli_deal(T_G4, sooli_stop=False), "2:give:AC 0:give:KC")
    for script, winner in T_G4.rows():
        assert play(deal, script).winner == winner
    assert deal.winner == 0
    assert deal.to_act == 1  # the soloist never leads: the first leader does it for him
    finish(deal)
    assert sum(deal.tricks) == 13
    assert [hand.bit_count() for hand in deal.hands] == [0, 0, 13, 0]
    assert deal.points() == (0, 24)


def test_sooli_stop_off_lets_the_named_first_leader_lead_again() -> None:
    options: dict[str, Any] = {"sooli_stop": False, "sooli_first_lead": "right_of_soloist"}
    deal = play(sooli_deal(T_G4, **options), "2:give:AC 0:give:KC")
    play(deal, "3:2S 1:8S 0:AS")
    assert (deal.winner, deal.to_act) == (1, 1)
    play(set_hands(deal, "QH JC", "2C 4D", "", "6S 7S"), "1:2C 3:6S 0:JC")
    assert (deal.winner, deal.to_act) == (0, 3)


def test_sooli_points_are_what_a_sooli_is_worth() -> None:
    game = tuppi(sooli_points=10)
    assert ended(game, "sooli", 1, (0, 13)).points() == (10, 0)
    assert ended(game, "sooli", 1, (1, 3)).points() == (0, 10)


# ---- points --------------------------------------------------------------------------------


def test_grand_points_are_for_a_rami_that_is_made() -> None:
    game = tuppi(grand_points=5)
    assert ended(game, "rami", 0, (9, 4)).points() == (15, 0)
    assert ended(game, "rami", 1, (9, 4)).points() == (24, 0)


def test_grand_set_points_are_for_a_rami_that_fails() -> None:
    game = tuppi(grand_set_points=5)
    assert ended(game, "rami", 1, (9, 4)).points() == (15, 0)
    assert ended(game, "rami", 0, (9, 4)).points() == (12, 0)


def test_low_points_are_for_a_nolo() -> None:
    assert ended(tuppi(low_points=5), "nolo", None, (9, 4)).points() == (0, 15)


@pytest.mark.parametrize(
    ("mode", "score"), [("both_zero", (0, 0)), ("transfer", (0, 8)), ("off", (36, 8))]
)
def test_reset_mode_says_what_points_against_points_do(
    mode: str, score: tuple[int, int]
) -> None:
    game = tuppi(reset_mode=mode)
    assert ended(game, "rami", 0, (6, 7), score=(36, 0)).after().score == score
    assert ended(game, "rami", 0, (6, 7)).after().score == (0, 8)
    assert ended(game, "rami", 0, (8, 5), score=(36, 0)).after().score == (44, 0)


def test_stop_when_decided_ends_a_rami_that_the_rising_side_has_lost() -> None:
    game = tuppi(stop_when_decided=True)
    lost = dealt(game, *ONE_SUIT_EACH, score=(4, 0), unit="game")
    finish(play(lost, "0:rami 1:pass 3:pass"))
    assert (lost.tricks, lost.after().score) == ([0, 0, 0, 7], (0, 0))
    for deal in (
        dealt(game, *ONE_SUIT_EACH, score=(0, 4), unit="game"),
        dealt(game, *ONE_SUIT_EACH, score=(0, 0), unit="game"),
        dealt(game, *ONE_SUIT_EACH),
        dealt(tuppi(), *ONE_SUIT_EACH, score=(4, 0), unit="game"),
    ):
        finish(play(deal, "0:rami 1:pass 3:pass"))
        assert deal.tricks == [0, 0, 0, 13]


def test_stop_when_decided_ends_a_nolo_in_which_the_rising_side_has_seven() -> None:
    game = tuppi(stop_when_decided=True)
    for score, tricks in (((4, 0), 7), ((0, 4), 13)):
        deal = dealt(game, *ONE_SUIT_EACH, score=score, unit="game")
        finish(play(deal, "0:nolo 1:nolo 2:nolo 3:nolo"))
        assert deal.tricks == [tricks, 0, 0, 0]
        assert deal.points()[1] > 0


@pytest.mark.parametrize(("score", "tricks"), [((4, 0), 4), ((0, 4), 13), ((0, 0), 13)])
def test_stop_when_decided_ends_a_lost_sooli_of_the_rising_side_alone(
    score: tuple[int, int], tricks: int
) -> None:
    game = tuppi(stop_when_decided=True, sooli_stop=False)
    deal = play(dealt(game, *T_G4.hands, dealer=0, score=score, unit="game"), T_G4.script())
    finish(deal)
    assert sum(deal.tricks) == tricks
    assert deal.points() == (0, 24)


def test_grand_lead_says_who_leads_to_a_rami() -> None:
    for lead, seat in (("right_of_declarer", 0), ("left_of_declarer", 2)):
        deal = play(dealt(tuppi(grand_lead=lead)), "0:nolo 1:rami 2:pass 0:pass")
        assert (deal.to_act, deal.view(3).leader) == (seat, seat)


def test_first_dealer_is_the_sets_or_a_seat() -> None:
    assert [tuppi().first(number).dealer for number in range(6)] == [0, 1, 2, 3, 0, 1]
    assert [tuppi(first_dealer=2).first(number, "game").dealer for number in range(3)] == [2] * 3


def test_max_deals_end_a_game_by_its_score() -> None:
    game = tuppi(max_deals=3)
    assert ended(game, "rami", 0, (9, 4), deals=1).after().winners == ()
    after = ended(game, "rami", 0, (9, 4), deals=2).after()
    assert (after.score, after.deals, after.winners) == ((12, 0), 3, (0,))
    assert ended(game, "rami", 0, (6, 7), score=(8, 0), deals=2).after().winners == (0, 1)
    assert tuppi().rules.max_deals == 500


def test_the_next_dealer_is_on_the_left() -> None:
    for dealer in range(4):
        deal = finish(dealt(tuppi(), dealer=dealer, unit="game"))
        assert deal.after().dealer == (dealer + 1) % 4


# ---- checks --------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["transfer", "off"])
def test_check_stop_when_decided_needs_the_reset(mode: str) -> None:
    with pytest.raises(ConfigError) as caught:
        tuppi(stop_when_decided=True, reset_mode=mode)
    assert str(caught.value) == (
        "stop_when_decided = True: needs reset_mode both_zero: elsewhere the points of the deal "
        "matter to the end"
    )


def test_check_a_dealer_whom_the_table_has_not() -> None:
    with pytest.raises(ConfigError) as caught:
        check(Rules(first_dealer=4))
    assert str(caught.value) == "first_dealer = 4: expected by_set or a seat below 4"


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("target", 3, "target = 3: expected a whole number 4 to 500 (points that end a game)"),
        ("bid_mode", "open", "bid_mode = 'open': expected sealed, sequential"),
        ("sooli", "no", "sooli = 'no': expected true, false"),
        ("sooli_exchange", "two", "sooli_exchange = 'two': expected"),
        ("first_dealer", 7, "first_dealer = 7: expected"),
        ("max_deals", 0, "max_deals = 0: expected a whole number 1 to 10000"),
        ("rami_points", 4, "tuppi has no option 'rami_points'"),
    ],
)
def test_a_value_that_an_option_does_not_take_is_refused_by_name(
    option: str, value: object, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        game_named("tuppi", "tuppi", {option: value})
    assert str(caught.value).startswith(message)


def test_the_rulesets_differ_where_they_should() -> None:
    base: dict[str, Any] = to_builtins(tuppi().rules)
    differences = {
        ruleset: {
            name: value
            for name, value in to_builtins(tuppi(ruleset).rules).items()
            if value != base[name]
        }
        for ruleset in ("tuppi", "tuppi-competition", "tuppi-transfer", "tuppi-minnesota-score")
    }
    assert differences == {
        "tuppi": {},
        "tuppi-competition": {"sooli": False},
        "tuppi-transfer": {"reset_mode": "transfer"},
        "tuppi-minnesota-score": {"reset_mode": "off", "sooli": False},
    }


def test_every_option_has_its_test() -> None:
    tests = [name for name in globals() if name.startswith("test_")]
    for option in Rules.__struct_fields__:
        assert any(name.startswith(f"test_{option}_") for name in tests), option
