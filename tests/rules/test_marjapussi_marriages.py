"""Marjapussi: declaring, asking and answering (M-13 to M-18; M-19 is in the whole deals)."""

from protocol.messages import MarjapussiView
from tests.rules.marriage_help import (
    AnyDeal,
    actions,
    cards,
    dealt,
    legal,
    marja,
    options,
    play,
    trump,
    winner_at,
)

WINNER = "AS AH AD KS QS KD 9H TC 6C"
THREE_TRICKS = "0:AS 1:6S 2:7S 3:8S 0:AH 1:6H 2:7H 3:8H 0:AD 1:6D 2:7D 3:8D"
SMALL = ("6S 6H 6D", "7S 7H 7D", "8S 8H 8D")


def after_three(*others: str, **changed: object) -> AnyDeal:
    """Seat 0 has won the first three tricks; `others` are more cards of the seats 1 to 3."""
    more = [*others, "", "", ""]
    hands = [f"{small} {extra}" for small, extra in zip(SMALL, more, strict=False)]
    return play(dealt(marja(**changed), WINNER, *hands), THREE_TRICKS)


def test_M_13_the_winner_of_a_trick_has_cards_declarations_and_asks() -> None:
    leads = "QS KS 9H KD 6C TC"
    assert legal(after_three()) == f"{leads} declare:S half:D whole".split()
    bluff = after_three(ask_half="any")
    assert legal(bluff) == f"{leads} declare:S half:H half:D half:C whole".split()


def test_M_13_nothing_is_declared_before_the_first_trick() -> None:
    deal = dealt(marja(), "KS QS KD 9H TC 6C 9S 8S 7S")
    assert options(deal) == []


def test_M_14_a_half_that_was_played_closes_its_suit() -> None:
    deal = dealt(marja(), WINNER, "QD 6S 6H", *SMALL[1:])
    play(deal, "0:AD 1:QD 2:7D 3:8D 0:AS 1:6S 2:7S 3:8S 0:AH 1:6H 2:7H 3:8H")
    assert legal(deal) == ["QS", "KS", "9H", "KD", "6C", "TC", "declare:S", "whole"]


def test_M_15_after_a_no_the_asker_leads_and_asks_after_the_next_trick_won() -> None:
    hands = ("AS AH AD KS QS KD 9H AC 6C", "6S 6H 6D QD 7C", "7S 7H 7D 8C", "8S 8H 8D 9C")
    deal = play(dealt(marja(), *hands), f"{THREE_TRICKS} 0:half:D")
    assert actions(deal)[-2:] == ["0:half:D", "2:no"]
    assert (deal.to_act, trump(deal)) == (0, None)
    assert legal(deal) == ["QS", "KS", "9H", "KD", "6C", "AC"]
    view = deal.view(3)
    assert isinstance(view, MarjapussiView)
    assert view.asked == [(0, "half:D", "no")]
    play(deal, "0:AC 1:7C 2:8C 3:9C")
    assert legal(deal) == ["QS", "KS", "9H", "KD", "6C", "declare:S", "half:D", "whole"]


def test_M_16_the_partner_chooses_which_marriage_to_name() -> None:
    hands = ("AS AH AD AC 9H TC 6C 8C 9D", SMALL[0], "7S JD KS QS KH QH", SMALL[2])
    deal = play(dealt(marja(), *hands), "0:AS 1:6S 2:7S 3:8S 0:whole")
    assert deal.to_act == 2
    assert not deal.dictated()
    assert legal(deal) == ["name:S", "name:H"]
    play(deal, "2:name:H")
    assert (deal.to_act, trump(deal), deal.points()) == (0, "H", (2, 0))
    assert options(deal) == []
    play(deal, "0:AD 1:6D 2:JD 3:8D 0:whole")
    assert actions(deal)[-1] == "2:name:S"
    assert (trump(deal), deal.points()) == ("H", (3, 0))


def test_M_16_nobody_can_tell_that_the_partner_had_a_choice() -> None:
    own = "AS AH AD AC 9H TC 6C 8C 9D"
    left = "6S 6H 6D 7D 9S JS 7C 9C JC"
    two = ["7S", "QS", "KS", "QH", "KH", "7H", "JH", "TD", "8D"]
    one = ["7S", "8S", "TS", "QH", "KH", "7H", "JH", "TD", "8D"]
    told = []
    for partner in (two, one):
        deal = dealt(marja(), own, left, " ".join(partner))
        play(deal, ["0:AD", "1:6D", "2:8D", "3:JD", "0:whole"])
        if legal(deal)[0].startswith("name"):
            assert partner is two
            play(deal, "2:name:H")
        assert actions(deal)[-1] == "2:name:H"
        told.append([deal.view(seat) for seat in (0, 1)])
    assert told[0] == told[1]


def test_M_17_a_later_marriage_is_a_little_one_and_trump_stays() -> None:
    hands = ("AS AD KS QS KH QH TC 6C 7C", *SMALL)
    deal = play(dealt(marja(), *hands), "0:AS 1:6S 2:7S 3:8S 0:declare:S")
    assert (trump(deal), deal.points()) == ("S", (2, 0))
    assert options(deal) == []
    play(deal, "0:AD 1:6D 2:7D 3:8D")
    assert "declare:H" in options(deal)
    assert "declare:S" not in options(deal)
    play(deal, "0:declare:H")
    assert (trump(deal), deal.points()) == ("S", (3, 0))


def test_M_18_before_the_last_trick_a_half_may_be_asked_for_but_no_whole() -> None:
    table = marja()
    two_left = winner_at(table, "KD 6C", "JS 7C", "QD 8C", "9C JC")
    assert legal(two_left) == ["KD", "6C", "half:D", "whole"]
    deal = winner_at(table, "KD", "JS", "QD", "9C")
    assert legal(deal) == ["KD", "half:D"]
    play(deal, "0:half:D")
    assert (trump(deal), deal.points(), legal(deal)) == ("D", (2, 0), ["KD"])
    play(deal, "0:KD 1:JS 2:QD 3:9C")
    assert deal.to_act is None
    assert deal.winner == 0


def test_a_half_that_the_partner_holds_is_declared_by_both() -> None:
    deal = play(after_three("", "QD"), "0:half:D")
    assert actions(deal)[-2:] == ["0:half:D", "2:yes"]
    assert (trump(deal), deal.points(), deal.to_act) == ("D", (2, 0), 0)
    view = deal.view(1)
    assert isinstance(view, MarjapussiView)
    assert (view.declared, view.asked) == ([(0, "D")], [(0, "half:D", "yes")])


def test_a_yes_without_a_half_of_ones_own_declares_nothing() -> None:
    both = play(after_three("", "KC QC", ask_half="any"), "0:half:C")
    assert actions(both)[-1] == "2:yes"
    assert (trump(both), both.points()) == (None, (0, 0))
    assert "half:C" not in options(both)
    one = play(after_three("KC", "QC", ask_half="any"), "0:half:C")
    assert actions(one)[-1] == "2:yes"
    assert trump(one) is None


def test_a_whole_that_the_partner_lacks_is_answered_no() -> None:
    deal = play(after_three("KH QH", "KC", "QC"), "0:whole")
    assert actions(deal)[-1] == "2:no"
    assert trump(deal) is None
    assert cards(deal) == set(legal(deal))


def test_the_new_trump_wins_from_the_next_trick_on() -> None:
    hands = ("AH AD KS QS 9H TC 6C 7C 8C", "6S 7S AS 6H JC QC KC 9C AC", "7H TD 8S", "8H")
    deal = play(dealt(marja(), *hands), "0:AH 1:6H 2:7H 3:8H 0:declare:S 0:AD")
    assert legal(deal) == ["6S", "7S", "AS"]
    play(deal, "1:6S")
    for _ in range(2):
        low = next(card for card in legal(deal) if card[1] != "S")
        play(deal, [f"{deal.to_act}:{low}"])
    assert deal.winner == 1
