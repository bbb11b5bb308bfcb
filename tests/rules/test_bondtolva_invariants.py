"""Two players with a stock, what holds in every deal: Bondtolva and Marjapussi for two."""

from itertools import pairwise
from random import Random

import pytest

from referee.games.bondtolva import Bondtolva
from referee.games.marjapussi import ForTwo
from tests.rules.marriage_help import bond, chosen, for_two
from tests.rules.whole_deals import Story, allowed, over, start, steps

DEALS = 100
TABLES: list[Bondtolva | ForTwo] = [
    *(bond(deck=deck) for deck in (24, 28, 32, 36)),
    bond(declare_in_phase2=True),
    bond(trump_in_phase1=False),
    *(for_two(deck=deck) for deck in (24, 28, 32, 36)),
]

every_table = pytest.mark.parametrize(
    "table",
    TABLES,
    ids=[
        f"{table.ruleset}-{table.rules.deck}"
        + "-phase2" * table.rules.declare_in_phase2
        + "-untrumped" * (not table.rules.trump_in_phase1)
        for table in TABLES
    ],
)


def stock_tricks(table: Bondtolva | ForTwo) -> int:
    """Tricks of the first phase."""
    return (table.pack.size - 12) // 2


@every_table
def test_both_hold_six_cards_before_every_trick_while_the_stock_lasts(
    table: Bondtolva | ForTwo,
) -> None:
    for seed, _, story in over(table, DEALS):
        sizes = [[len(hand) for hand in hands] for hands in story.to_hands]
        first = stock_tricks(table)
        left = [[6 - number] * 2 for number in range(6)]
        assert sizes == [[6, 6]] * first + left, f"seed {seed}"


@every_table
def test_the_engine_has_the_hands_of_the_history_at_every_step(
    table: Bondtolva | ForTwo,
) -> None:
    for seed in range(DEALS // 4):
        for deal in steps(table, seed):
            story = Story(table, start(table, seed), deal)
            assert [set(table.pack.texts(hand)) for hand in deal.hands] == story.hands, seed


@every_table
def test_every_deal_has_all_its_tricks(table: Bondtolva | ForTwo) -> None:
    for seed, deal, story in over(table, DEALS):
        assert len(story.tricks) == table.pack.size // 2, f"seed {seed}"
        assert deal.tricks == [story.winners.count(seat) for seat in (0, 1)], f"seed {seed}"
        assert deal.winner == story.winners[-1], f"seed {seed}"


@every_table
def test_matadors_sum_to_eight_and_eyes_to_forty(table: Bondtolva | ForTwo) -> None:
    for seed, deal, story in over(table, DEALS):
        assert (sum(story.mates()), sum(story.eyes())) == (8, 40), f"seed {seed}"
        for side in (0, 1):
            assert set(story.won(side)) == set(table.pack.texts(deal.taken[side])), f"seed {seed}"


@every_table
def test_declarations_are_few_distinct_and_by_the_winner_of_the_trick_before(
    table: Bondtolva | ForTwo,
) -> None:
    late = 0
    for seed, _, story in over(table, DEALS):
        suits = [made.suit for made in story.made]
        assert len(suits) == len(set(suits)) <= 4, f"seed {seed}"
        places = [made.after for made in story.made]
        assert all(a < b for a, b in pairwise(places)), f"seed {seed}"
        for made in story.made:
            assert made.seat == story.winners[made.after - 1], f"seed {seed}"
            assert made.holders == (made.seat, made.seat), f"seed {seed}"
            late += made.after > stock_tricks(table)
    assert (late > 0) == table.rules.declare_in_phase2


@every_table
def test_points_are_trumf_tjogs_last_trick_and_matadors(table: Bondtolva | ForTwo) -> None:
    totals = set()
    for seed, deal, story in over(table, 3 * DEALS):
        expected = [0, 0]
        for turn, made in enumerate(story.made):
            expected[made.seat] += 1 if turn else 2
        expected[story.winners[-1]] += 1
        mates, eyes = story.mates(), story.eyes()
        if table.rules.mates_tie == "none":
            eyes = [0, 0]
        if (mates[0], eyes[0]) != (mates[1], eyes[1]):
            expected[(mates[1], eyes[1]) > (mates[0], eyes[0])] += 1
        assert list(deal.points()) == expected, f"seed {seed}"
        totals.add(sum(expected))
    assert {2, 4} <= totals <= set(range(1, 8))


@every_table
def test_replies_are_free_while_the_stock_lasts_and_then_strict(
    table: Bondtolva | ForTwo,
) -> None:
    strict = 0
    for seed in range(DEALS):
        dealt = start(table, seed)
        for deal in steps(table, seed):
            if deal.to_act is None or not deal.trick.plays:
                continue
            playable = {table.actions[action] for action in deal.legal()}
            assert playable == allowed(table, dealt, deal), f"seed {seed}"
            strict += len(playable) < deal.hands[deal.to_act].bit_count()
    assert strict > DEALS


@every_table
def test_in_games_scores_stay_within_the_target(table: Bondtolva | ForTwo) -> None:
    passed = 0
    for seed in range(120):
        random = Random(seed)
        stage = table.first(seed, "game")
        while not stage.winners:
            cards = random.sample(range(table.pack.size), table.pack.size)
            deal = table.deal(cards, stage)
            while deal.to_act is not None:
                deal.apply(chosen(deal, random))
            before, stage = stage, deal.after()
            gained = [old + gain for old, gain in zip(before.score, deal.points(), strict=True)]
            passed += max(gained) > 12
            assert all(0 <= each <= 12 for each in stage.score), f"seed {seed}"
            assert (12 in stage.score) == bool(stage.winners), f"seed {seed}"
            if table.rules.timing == "immediate" and any(deal.hands):
                assert stage.winners, f"seed {seed}"
            assert stage.dealer == 1 - before.dealer, f"seed {seed}"
        assert [stage.score[side] == 12 for side in stage.winners] == [True], f"seed {seed}"
    assert passed > 0


@every_table
def test_draws_go_winner_loser_from_the_top_and_empty_the_stock(
    table: Bondtolva | ForTwo,
) -> None:
    names = table.pack.names
    for seed, deal, story in over(table, DEALS):
        drawers = [seat for seat, _ in story.drawn]
        first = stock_tricks(table)
        expected = [seat for won in story.winners[:first] for seat in (won, 1 - won)]
        assert drawers == expected, f"seed {seed}"
        assert [card for _, card in story.drawn] == story.stock, f"seed {seed}"
        drawn = [(seat, names[card]) for seat, card in getattr(deal, "drawn", ())]
        assert drawn == story.drawn, f"seed {seed}"
