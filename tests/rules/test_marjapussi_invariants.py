"""Marjapussi, what holds in every deal: random play of every ruleset (numbers of the rules)."""

from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from referee.cards import SUITS
from referee.games.game import Tally
from referee.games.marjapussi import ForTwo, Marjapussi, marjapussi
from referee.games.marjapussi_options import PRESETS
from referee.table import CardSource, Table
from tests.rules.marriage_help import AnyDeal, chosen
from tests.rules.whole_deals import Story, allowed, over, start, steps

DEALS = 120
TABLES = [marjapussi(rules, name) for name, rules in PRESETS.items()]
AnyTable = Marjapussi | ForTwo

CARD_POINTS = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}

every_ruleset = pytest.mark.parametrize("table", TABLES, ids=list(PRESETS))
with_an_ace = pytest.mark.parametrize(
    "table", [table for table in TABLES if table.rules.first_lead != "any"], ids=lambda t: t.ruleset
)


@every_ruleset
def test_1_no_card_is_lost_or_doubled(table: AnyTable) -> None:
    for seed in range(DEALS):
        for deal in steps(table, seed):
            lying = 0 if deal.to_act is None else deal.trick.mask
            places = [*deal.hands, lying, *deal.taken]
            if isinstance(table, ForTwo):
                drawn = len(getattr(deal, "drawn", ()))
                places += [1 << card for card in getattr(deal, "stock", ())[drawn:]]
            assert sum(places) == table.pack.full, f"seed {seed}"
            assert sum(place.bit_count() for place in places) == table.pack.size, f"seed {seed}"
            counts = [hand.bit_count() for hand in deal.hands]
            assert max(counts) - min(counts) <= 1, f"seed {seed}"


@every_ruleset
def test_2_the_cards_that_may_be_played_are_those_of_the_duties(table: AnyTable) -> None:
    followed = 0
    for seed in range(DEALS):
        for deal in steps(table, seed):
            if deal.to_act is None:
                continue
            legal = [table.actions[action] for action in deal.legal()]
            playable = {action for action in legal if action in table.pack.index}
            assert legal, f"seed {seed}"
            assert playable <= set(table.pack.texts(deal.hands[deal.to_act])), f"seed {seed}"
            if deal.trick.plays:
                followed += 1
                assert playable == allowed(table, start(table, seed), deal), f"seed {seed}"
    assert followed > 15 * DEALS


@every_ruleset
def test_3_the_winner_of_a_trick_leads_the_next(table: AnyTable) -> None:
    for seed, deal, story in over(table, DEALS):
        leaders = [trick[0][0] for trick in story.tricks]
        assert leaders[0] == (deal.tally.dealer + 1) % table.seats, f"seed {seed}"
        assert leaders[1:] == story.winners[:-1], f"seed {seed}"
        assert deal.winner == story.winners[-1], f"seed {seed}"
        won = [story.winners.count(seat) for seat in range(table.seats)]
        assert deal.tricks == won, f"seed {seed}"


@with_an_ace
def test_4_an_ace_is_led_first_by_whoever_holds_one(table: AnyTable) -> None:
    aces = 0
    for seed, _, story in over(table, DEALS):
        leader, card = story.tricks[0][0]
        if any(each[0] == "A" for each in story.dealt[leader]):
            aces += 1
            assert card[0] == "A", f"seed {seed}"
        elif table.rules.first_lead == "ace_then_spade" and any(
            each[1] == "S" for each in story.dealt[leader]
        ):
            assert card[1] == "S", f"seed {seed}"
    assert DEALS / 3 < aces < DEALS


@every_ruleset
def test_5_trump_is_made_once_and_only_by_a_declaration(table: AnyTable) -> None:
    changes = 0
    for seed in range(DEALS):
        before: tuple[int, int] | None = None
        for deal in steps(table, seed):
            if before is not None and deal.trump != before[0]:
                changes += 1
                assert before == (-1, 0), f"seed {seed}"
                last = table.actions[deal.history[-1][1]].partition(":")[0]
                assert last in ("declare", "name", "yes"), f"seed {seed}"
            before = (deal.trump, len(deal.declared))
    assert changes > DEALS / 6


@every_ruleset
def test_6_a_marriage_is_made_once_by_the_side_that_holds_it(table: AnyTable) -> None:
    ways = set()
    for seed, deal, story in over(table, DEALS):
        suits = [made.suit for made in story.made]
        assert len(suits) == len(set(suits)), f"seed {seed}"
        assert suits == [SUITS[suit] for _, suit in deal.declared], f"seed {seed}"
        for made in story.made:
            assert len(made.holders) == 2, f"seed {seed}"
            sides = {table.sides[seat] for seat in (made.seat, *made.holders)}
            assert len(sides) == 1, f"seed {seed}"
            ways.add(len({made.seat, *made.holders}) + (made.seat not in made.holders))
    assert ways == ({1, 2, 3} if table.seats == 4 else {1})


@every_ruleset
def test_7_between_two_tricks_the_winner_declares_or_asks_at_most_once(table: AnyTable) -> None:
    for seed, _, story in over(table, DEALS):
        gaps = [after for after, _ in story.events]
        assert all(a < b for a, b in pairwise(gaps)), f"seed {seed}"
        assert not gaps or (gaps[0] > 0 and gaps[-1] < len(story.tricks)), f"seed {seed}"
        assert [seat for _, seat in story.events] == [
            story.winners[after - 1] for after in gaps
        ], f"seed {seed}"


@every_ruleset
def test_8_the_points_are_those_of_the_items(table: AnyTable) -> None:
    for seed, deal, story in over(table, DEALS):
        assert sum(story.mates()) == 8, f"seed {seed}"
        counted = story.mates()
        if table.rules.mates_by == "card_points":
            counted = [
                sum(CARD_POINTS.get(card[0], 0) for card in story.won(side))
                for side in range(table.side_count)
            ]
            assert sum(counted) == 120, f"seed {seed}"
        expected = [0] * table.side_count
        for turn, made in enumerate(story.made):
            expected[table.sides[made.seat]] += 1 if turn else 2
        expected[table.sides[story.winners[-1]]] += 1
        if counted.count(max(counted)) == 1:
            expected[counted.index(max(counted))] += 1
        assert list(deal.points()) == expected, f"seed {seed}"
        assert 1 <= sum(expected) <= 7, f"seed {seed}"


def games(table: AnyTable, count: int, deals: int) -> list[list[Tally]]:
    """Whole games in random play: the stages after every deal of each."""
    short = marjapussi(replace(table.rules, max_deals=deals), table.ruleset)
    found = []
    for seed in range(count):
        random = Random(seed)
        stages = [short.first(seed, "game")]
        while not stages[-1].winners:
            cards = random.sample(range(table.pack.size), table.pack.size)
            deal: AnyDeal = short.deal(cards, stages[-1])
            while deal.to_act is not None:
                deal.apply(chosen(deal, random))
            stages.append(deal.after())
        found.append(stages)
    return found


@every_ruleset
def test_9_and_10_an_exact_target_is_never_passed_and_no_score_falls(table: AnyTable) -> None:
    assert (table.rules.target_mode, table.rules.overshoot) == ("exact", "no_score")
    target = table.rules.target
    ends = set()
    for stages in games(table, 12, 9):
        for before, after in pairwise(stages):
            pairs = zip(before.score, after.score, strict=True)
            assert all(0 <= old <= new <= target for old, new in pairs)
            assert after.dealer == (before.dealer + 1) % table.seats
            assert not before.winners
            met = target in after.score
            assert bool(after.winners) == (met or after.deals == 9)
            if met:
                assert len(after.winners) == 1
                assert after.score[after.winners[0]] == target
            elif after.winners:
                top = max(after.score)
                best = [side for side, total in enumerate(after.score) if total == top]
                assert list(after.winners) == best
            if after.winners:
                ends.add(met)
    assert ends >= {False} if table.seats == 3 else ends == {False, True}


@every_ruleset
def test_11_a_view_names_no_card_of_another_hand(table: AnyTable) -> None:
    for seed in range(DEALS // 4):
        for deal in steps(table, seed):
            story = Story(table, start(table, seed), deal)
            played = {card for trick in story.tricks for _, card in trick}
            for seat in range(table.seats):
                known = played | set(table.pack.texts(deal.hands[seat]))
                named = set(texts(to_builtins(deal.view(seat)))) & set(table.pack.names)
                assert named <= known, f"seed {seed}"


def texts(value: object) -> list[str]:
    """Every text in a message; of a word with an argument both."""
    if isinstance(value, str):
        return [value, value.rpartition(":")[2]]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [text for each in value for text in texts(each)]
    return []


@every_ruleset
def test_12_suits_can_be_swapped(table: AnyTable) -> None:
    turned = {"S": "D", "H": "S", "D": "C", "C": "H"}
    if table.rules.first_lead == "ace_then_spade":
        turned = {"S": "S", "H": "D", "D": "C", "C": "H"}
    pack = table.pack
    cards = [pack.index[name[0] + turned[name[1]]] for name in pack.names]
    acts = []
    for text in table.actions:
        named = text in pack.index or ":" in text
        acts.append(table.index[text[:-1] + turned[text[-1]] if named else text])
    for seed in range(DEALS):
        deal, random = start(table, seed), Random(seed)
        order = Random(f"{table.name} {table.rules.deck} {table.seats} {seed}")
        dealt = order.sample(range(pack.size), pack.size)
        twin = table.deal([cards[card] for card in dealt], deal.tally)
        while deal.to_act is not None:
            assert deal.to_act == twin.to_act, f"seed {seed}"
            assert sorted(acts[each] for each in deal.legal()) == list(twin.legal()), f"seed {seed}"
            action = chosen(deal, random)
            deal.apply(action)
            twin.apply(acts[action])
        assert twin.to_act is None
        assert deal.points() == twin.points(), f"seed {seed}"


@every_ruleset
def test_12_seats_can_be_turned(table: AnyTable) -> None:
    turn = 2 if table.seats == 4 else 1
    for seed in range(DEALS):
        deal, random = start(table, seed), Random(seed)
        order = Random(f"{table.name} {table.rules.deck} {table.seats} {seed}")
        dealt = order.sample(range(table.pack.size), table.pack.size)
        moved = (deal.tally.dealer + turn) % table.seats
        twin = table.deal(dealt, replace(deal.tally, dealer=moved))
        while deal.to_act is not None:
            assert twin.to_act == (deal.to_act + turn) % table.seats, f"seed {seed}"
            assert list(deal.legal()) == list(twin.legal()), f"seed {seed}"
            action = chosen(deal, random)
            deal.apply(action)
            twin.apply(action)
        points = [0] * table.side_count
        for seat in range(table.seats):
            points[table.sides[(seat + turn) % table.seats]] = deal.points()[table.sides[seat]]
        assert list(twin.points()) == points, f"seed {seed}"


@every_ruleset
def test_13_a_discard_never_wins_a_trick(table: AnyTable) -> None:
    discards = 0
    for seed in range(DEALS):
        before: AnyDeal | None = None
        winners: list[int] = []
        for deal in steps(table, seed):
            if before is not None and sum(deal.tricks) > len(winners):
                winners.append(deal.winner)
            before = deal
        assert before is not None
        story = Story(table, start(table, seed), before)
        assert winners == story.winners, f"seed {seed}"
        for number, trick in enumerate(story.tricks):
            suits = {trick[0][1][1], story.trump_in(number)}
            for seat, card in trick:
                if card[1] not in suits:
                    discards += 1
                    assert winners[number] != seat, f"seed {seed}"
    assert discards > DEALS


def same(cards: Sequence[int]) -> CardSource:
    """The same cards for every deal."""
    return lambda deal, redeal: cards


@every_ruleset
def test_14_a_record_played_again_comes_out_the_same(table: AnyTable) -> None:
    for seed in range(DEALS // 4):
        random = Random(seed)
        cards = random.sample(range(table.pack.size), table.pack.size)
        seated, again = (
            Table(table, "deal", set_number=seed, cards=same(cards)) for _ in range(2)
        )
        while decision := seated.ask():
            seated.submit(random.choice(decision.legal))
        [record] = seated.records
        said = record.actions.split()
        while decision := again.ask():
            again.submit(table.index[said[again.at]])
        assert again.records == [record], f"seed {seed}"
