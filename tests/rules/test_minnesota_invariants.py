"""Minnesota Whist, what holds in every deal (4.7), and Tuppi as four times the same game."""

from random import Random
from typing import Any

import pytest

from referee.games.minnesota_options import PRESETS
from referee.games.whist import PACK
from referee.table import Table
from tests.rules.whist_help import (
    Finished,
    Story,
    finished_deals,
    minnesota,
    steps,
    tuppi,
)

TABLES = [minnesota(ruleset) for ruleset in PRESETS]
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


@every_ruleset
def test_thirteen_tricks_of_four_cards_whose_winners_lead(table: Any) -> None:
    for each, story in over(table):
        assert sum(story.won) == 13
        assert [len(trick) for trick in story.tricks] == [4] * 13
        assert len({card for trick in story.tricks for _, card in trick}) == 52
        assert each.deal.tricks == [story.winners.count(seat) for seat in range(4)]
        leaders = [trick[0][0] for trick in story.tricks]
        assert leaders[1:] == story.winners[:-1]
        dealer = each.before.dealer
        first = (dealer + 1) % 4 if story.declarer is None else (story.declarer + 3) % 4
        assert leaders[0] == first
        assert each.after.dealer == (dealer + 1) % 4


@every_ruleset
def test_the_value_of_a_deal_is_that_of_its_contract_and_one_side_alone_has_it(
    table: Any,
) -> None:
    rules = table.rules
    kinds = set()
    for each, story in over(table):
        points = each.deal.points()
        more = 0 if story.won[0] > story.won[1] else 1
        size = story.won[more] - 6
        assert 1 <= size <= 7
        if story.declarer is None:
            kind = "low"
            gains = rules.low_mode == "fewer_gain"
            expected = (1 - more, size) if gains else (more, -size)
        elif story.declarer % 2 == more:
            kind = "made"
            expected = (more, size)
        else:
            kind = "failed"
            size *= rules.grand_set_points
            lose = rules.high_fail == "bidders_lose"
            expected = (1 - more, -size) if lose else (more, size)
        kinds.add(kind)
        side, change = expected
        assert (points[side], points[1 - side]) == (change, 0)
        score = [a + b for a, b in zip(each.before.score, points, strict=True)]
        assert list(each.after.score) == score
    assert kinds == {"low", "made", "failed"}


def test_in_minnesota_scores_never_fall_and_one_side_gains_in_each_deal() -> None:
    for each, _ in over(TABLES[0]):
        changes = [b - a for a, b in zip(each.before.score, each.after.score, strict=True)]
        assert sorted(map(bool, changes)) == [False, True]
        assert min(changes) == 0
        assert max(changes) in range(1, 15)


@every_ruleset
def test_a_game_goes_on_to_its_target(table: Any) -> None:
    ended = 0
    for each, _ in over(table):
        top = max(each.after.score)
        if each.after.winners:
            ended += 1
            assert top >= table.rules.target or each.after.deals == table.rules.max_deals
            best = tuple(side for side in (0, 1) if each.after.score[side] == top)
            assert each.after.winners == best
        else:
            assert top < table.rules.target or len(set(each.after.score)) == 1
    assert ended


@every_ruleset
def test_no_view_tells_what_a_seat_may_not_know(table: Any) -> None:
    for seed, (each, _) in enumerate(over(table)[:30]):
        deal = table.deal(table.dealing_order(each.hands, [], each.before.dealer), each.before)
        for now in steps(deal, seed):
            played = {table.actions[action] for _, action in now.history}
            for seat in range(4):
                view = now.view(seat)
                known = {text for _, text in view.history if text in PACK.index}
                known |= set(view.hand) | {card for _, card in view.trick}
                assert known <= set(PACK.texts(now.hands[seat])) | played


# ---- four times the same game --------------------------------------------------------------


def in_tuppi(action: str) -> str:
    """The same action in Tuppi."""
    word, colon, card = action.partition(":")
    return {"low": "nolo", "high": "rami"}.get(word, word) + colon + card


@pytest.mark.parametrize("seed", range(12))
def test_tuppi_without_sooli_and_reset_is_four_times_minnesota(seed: int) -> None:
    one, four = minnesota(), tuppi("tuppi-minnesota-score")

    def cards(deal: int, redeal: int) -> list[int]:
        return Random(f"{seed} {deal} {redeal}").sample(range(52), 52)

    table = Table(one, "game", set_number=seed, cards=cards)
    other = Table(four, "game", set_number=seed, cards=cards)
    random = Random(seed)
    while decision := table.ask():
        asked = other.ask()
        assert asked is not None
        assert asked.seat == decision.seat
        same = {in_tuppi(one.actions[action]) for action in decision.legal}
        assert {four.actions[action] for action in asked.legal} == same
        action = random.choice(decision.legal)
        table.submit(action)
        other.submit(four.index[in_tuppi(one.actions[action])])
    assert other.over
    assert len(table.records) == len(other.records) > 1
    for here, there in zip(table.records, other.records, strict=True):
        assert there.points == [4 * points for points in here.points]
        assert there.score == [4 * total for total in here.score]
        assert (there.dealer, there.nets) == (here.dealer, here.nets)


def test_the_options_of_both_games_are_four_to_one() -> None:
    one, four = minnesota().rules, tuppi("tuppi-minnesota-score").rules
    for option in ("target", "grand_points", "grand_set_points", "low_points"):
        assert getattr(four, option) == 4 * getattr(one, option)
