"""Tuppi, what holds in every deal (3.8), in random play under every ruleset."""

from itertools import permutations
from typing import Any

import pytest
from msgspec import to_builtins

from referee.cards import SUITS
from referee.games.game import Tally
from referee.games.tuppi_options import PRESETS
from referee.games.whist import PACK
from tests.rules.whist_help import Finished, Story, finished_deals, steps, tuppi

TABLES = [tuppi(ruleset) for ruleset in PRESETS]
DEALS = 400
RECORDED: dict[str, list[tuple[Finished, Story]]] = {}

every_ruleset = pytest.mark.parametrize("table", TABLES, ids=list(PRESETS))


def over(table: Any) -> list[tuple[Finished, Story]]:
    """Random finished deals of whole games, each with its story."""
    if table.ruleset not in RECORDED:
        RECORDED[table.ruleset] = [
            (each, Story(each)) for each in finished_deals(table, DEALS)
        ]
    return RECORDED[table.ruleset]


def value(story: Story) -> tuple[int, int]:
    """Who earns a deal, and how much, told by its story."""
    if story.soloist is not None:
        lost = story.soloist in story.winners
        return (story.soloist + lost) % 2, 24
    more = 0 if story.won[0] >= 7 else 1
    if story.declarer is None:
        return 1 - more, 4 * (7 - story.won[1 - more])
    return more, (4 if story.declarer % 2 == more else 8) * (story.won[more] - 6)


@every_ruleset
def test_1_only_one_side_has_points_and_fifty_two_end_a_game(table: Any) -> None:
    for each, _ in over(table):
        score = each.after.score
        assert all(total % 4 == 0 for total in score)
        assert bool(each.after.winners) == (max(score) >= 52)
        if table.rules.reset_mode != "off":
            assert min(score) == 0
    assert any(each.after.winners for each, _ in over(table))


@every_ruleset
def test_2_one_side_grows_by_the_value_of_the_deal_or_the_scores_are_reset(table: Any) -> None:
    resets = 0
    for each, story in over(table):
        earner, gain = value(story)
        before, after = each.before.score, each.after.score
        assert after != before
        grown = before[earner] + gain
        if before[1 - earner] == 0 or table.rules.reset_mode == "off":
            assert (after[earner], after[1 - earner]) == (grown, before[1 - earner])
            continue
        resets += 1
        transfer = table.rules.reset_mode == "transfer"
        assert (after[earner], after[1 - earner]) == (grown if transfer else 0, 0)
    assert (resets == 0) == (table.rules.reset_mode == "off")


@every_ruleset
def test_3_the_values_of_deals_are_those_of_the_contracts(table: Any) -> None:
    for each, story in over(table):
        earner, gain = value(story)
        points = each.deal.points()
        assert (points[earner], points[1 - earner]) == (gain, 0)
        if story.soloist is not None:
            assert gain == 24
        elif story.declarer is not None and story.declarer % 2 != earner:
            assert gain in range(8, 57, 8)
        else:
            assert gain in range(4, 29, 4)


@every_ruleset
def test_4_every_card_is_played_once_but_for_those_of_a_sitting_partner(table: Any) -> None:
    soolis = 0
    for _, story in over(table):
        cards = [card for trick in story.tricks for _, card in trick]
        assert len(cards) == len(set(cards))
        for seat in range(4):
            played = {card for trick in story.tricks for player, card in trick if player == seat}
            assert played <= story.hands[seat]
        if story.soloist is None:
            assert [len(trick) for trick in story.tricks] == [4] * 13
            assert len(cards) == 52
            continue
        soolis += 1
        partner = (story.soloist + 2) % 4
        assert len(story.hands[partner]) == 13
        assert 1 <= len(story.tricks) <= 13
        assert not set(cards) & story.hands[partner]
        assert {len(trick) for trick in story.tricks} == {3}
        lost = [number for number, seat in enumerate(story.winners) if seat == story.soloist]
        assert lost in ([], [len(story.tricks) - 1])
        assert lost or len(story.tricks) == 13
    assert bool(soolis) == table.rules.sooli


@every_ruleset
def test_5_the_soloist_is_third_in_every_trick_and_never_leads(table: Any) -> None:
    for _, story in over(table):
        if story.soloist is None:
            continue
        for trick in story.tricks:
            seats = [seat for seat, _ in trick]
            assert seats[2] == story.soloist
            assert {seats[0], seats[1]} == {(story.soloist + 1) % 4, (story.soloist + 3) % 4}


@every_ruleset
def test_6_nobody_bids_after_the_first_rami(table: Any) -> None:
    for each, story in over(table):
        words = [word for _, word in story.bids]
        assert "rami" not in words[:-1]
        assert len(words) == 4 or words[-1] == "rami"
        seats = [(each.before.dealer + 1 + turn) % 4 for turn in range(len(words))]
        assert [seat for seat, _ in story.bids] == seats
        assert each.deal.declarer == story.declarer


@every_ruleset
def test_7_who_leads_follows_from_the_contract(table: Any) -> None:
    contracts = set()
    for each, story in over(table):
        leaders = [trick[0][0] for trick in story.tricks]
        if story.soloist is not None:
            assert leaders[0] == (story.soloist + 1) % 4
        elif story.declarer is not None:
            assert leaders[0] == (story.declarer + 3) % 4
        else:
            assert leaders[0] == (each.before.dealer + 1) % 4
        assert leaders[1:] == story.winners[:-1]
        contracts.add(each.deal.contract)
    assert contracts == ({"rami", "nolo", "sooli"} if table.rules.sooli else {"rami", "nolo"})


@every_ruleset
def test_8_a_card_of_another_suit_never_wins(table: Any) -> None:
    for each, story in over(table):
        assert each.deal.tricks == [story.winners.count(seat) for seat in range(4)]
        for trick, winner in zip(story.tricks, story.winners, strict=True):
            assert dict(trick)[winner][1] == trick[0][1][1]


def recoloured(text: str, suits: dict[str, str]) -> str:
    """An action with its suit changed."""
    return text[:-1] + suits[text[-1]] if text[-2:] in PACK.index else text


@every_ruleset
def test_9_changing_the_suits_changes_neither_legality_nor_results(table: Any) -> None:
    others = list(permutations(SUITS))
    for seed, (each, _) in enumerate(over(table)[:60]):
        suits = dict(zip(SUITS, others[seed % len(others)], strict=True))
        hands = [PACK.mask(recoloured(c, suits) for c in PACK.texts(h)) for h in each.hands]
        dealer = each.before.dealer
        other = table.deal(table.dealing_order(hands, [], dealer), each.before)
        deal = table.deal(table.dealing_order(each.hands, [], dealer), each.before)
        for seat, action in each.deal.history:
            here = {recoloured(table.actions[each], suits) for each in deal.legal()}
            assert {table.actions[each] for each in other.legal()} == here
            assert other.to_act == seat
            deal.apply(action)
            other.apply(table.index[recoloured(table.actions[action], suits)])
        assert other.to_act is None
        assert other.after() == each.after


@every_ruleset
@pytest.mark.parametrize("times", [2, 3])
def test_9_points_and_target_times_k_are_scores_times_k(table: Any, times: int) -> None:
    names = ("target", "grand_points", "grand_set_points", "low_points", "sooli_points")
    options = {name: times * to_builtins(table.rules)[name] for name in names}
    other = tuppi(table.ruleset, **options)
    assert other.actions == table.actions
    for each, _ in over(table):
        before = Tally(
            score=tuple(times * total for total in each.before.score),
            dealer=each.before.dealer, unit="game", deals=each.before.deals,
        )  # fmt: skip
        deal = other.deal(other.dealing_order(each.hands, [], before.dealer), before)
        for _, action in each.deal.history:
            deal.apply(action)
        assert deal.points() == tuple(times * points for points in each.deal.points())
        after = deal.after()
        assert after.score == tuple(times * total for total in each.after.score)
        assert after.winners == each.after.winners


@every_ruleset
def test_10_turning_the_table_by_one_seat_swaps_the_results(table: Any) -> None:
    for each, _ in over(table):
        tally = Tally(
            score=(each.before.score[1], each.before.score[0]),
            dealer=(each.before.dealer + 1) % 4, unit="game", deals=each.before.deals,
        )  # fmt: skip
        hands = [each.hands[3], *each.hands[:3]]
        deal = table.deal(table.dealing_order(hands, [], tally.dealer), tally)
        for seat, action in each.deal.history:
            assert deal.to_act == (seat + 1) % 4
            deal.apply(action)
        assert deal.points() == each.deal.points()[::-1]
        assert deal.after().score == each.after.score[::-1]
        assert deal.after().winners == tuple(1 - side for side in each.after.winners)


@every_ruleset
def test_no_view_tells_what_a_seat_may_not_know(table: Any) -> None:
    for seed, (each, _) in enumerate(over(table)[:60]):
        deal = table.deal(table.dealing_order(each.hands, [], each.before.dealer), each.before)
        for now in steps(deal, seed):
            played = {
                table.actions[action]
                for _, action in now.history
                if table.actions[action] in PACK.index
            }
            for seat in range(4):
                view = now.view(seat)
                own = set(PACK.texts(now.hands[seat]))
                known = {text[-2:] for _, text in view.history if text[-2:] in PACK.index}
                known |= set(view.hand) | {card for _, card in view.trick}
                known |= set(view.given) | set(view.received) | set(view.discarded)
                exchanged = set(view.given) | set(view.received)
                assert known <= own | played | exchanged
                if now.soloist is None or (seat - now.soloist) % 2:
                    assert not exchanged
