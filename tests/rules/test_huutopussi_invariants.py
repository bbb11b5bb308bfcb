"""Huutopussi, what holds in every deal: random play of every ruleset (numbers of the rules)."""

from itertools import pairwise, permutations
from random import Random

import pytest

from referee.cards import SUITS
from referee.games.huutopussi import BID, PACK, REDEAL, Huutopussi
from tests.helpers import game
from tests.rules.random_play import DEALS, TABLES, every_ruleset, over, start, steps


@every_ruleset
def test_1_no_card_is_lost_or_doubled(table: Huutopussi) -> None:
    for seed in range(DEALS):
        for deal in steps(table, seed):
            lying = 0 if deal.to_act is None else deal.trick.mask
            places = [*deal.hands, lying, *deal.taken, deal.chosen, deal.discards]
            if deal.declarer is None:
                places += [1 << card for card in deal.talon]
            assert sum(places) == PACK.full, f"seed {seed}"
            assert sum(place.bit_count() for place in places) == 36, f"seed {seed}"


@every_ruleset
def test_2_every_seat_plays_one_card_to_each_trick(table: Huutopussi) -> None:
    for seed, deal, story in over(table):
        assert len(story.tricks) == table.hand_size, f"seed {seed}"
        for trick in story.tricks:
            leader = trick[0][0]
            turn = [(leader + k) % table.seats for k in range(table.seats)]
            assert [seat for seat, _ in trick] == turn, f"seed {seed}"
        assert sum(deal.tricks) == table.hand_size, f"seed {seed}"


@every_ruleset
def test_3_a_card_that_may_be_played_is_in_the_hand(table: Huutopussi) -> None:
    for seed in range(DEALS):
        for deal in steps(table, seed):
            if deal.to_act is None:
                continue
            hand = PACK.texts(deal.hands[deal.to_act])
            actions = [table.actions[action] for action in deal.legal()]
            named = [text.rpartition(":")[2] for text in actions]
            assert {card for card in named if card in PACK.index} <= set(hand), f"seed {seed}"


@every_ruleset
def test_4_suit_is_followed_and_else_a_trump_is_played(table: Huutopussi) -> None:
    for seed, deal, story in over(table):
        hands = story.hands(deal.declarer)
        for number, trick in enumerate(story.tricks):
            led, trump = trick[0][1][1], story.trump(number)
            for seat, card in trick:
                suits = {each[1] for each in hands[seat]}
                if led in suits:
                    assert card[1] == led, f"seed {seed}"
                elif trump in suits:
                    assert card[1] == trump, f"seed {seed}"
                hands[seat].remove(card)


@every_ruleset
def test_5_bids_rise_and_nobody_bids_after_passing(table: Huutopussi) -> None:
    rules = table.rules
    highest = table.bids[-1]
    for seed, deal, story in over(table):
        amounts = [bid for _, bid in story.bids if bid is not None]
        assert all(a < b for a, b in pairwise(amounts)), f"seed {seed}"
        assert all(a % 5 == 0 and rules.min_bid <= a <= highest for a in amounts), f"seed {seed}"
        for seat in range(table.seats):
            own = [bid for bidder, bid in story.bids if bidder == seat]
            assert None not in own[:-1], f"seed {seed}"
        passes = sum(bid is None for _, bid in story.bids)
        if amounts:
            assert passes == table.seats - 1 or amounts[-1] == highest, f"seed {seed}"
            bidder = next(seat for seat, bid in story.bids if bid == amounts[-1])
            assert deal.declarer == bidder, f"seed {seed}"
            assert story.contract is not None, f"seed {seed}"
            assert amounts[-1] <= story.contract <= highest, f"seed {seed}"
            assert story.contract % 5 == 0, f"seed {seed}"
            assert deal.contract == story.contract, f"seed {seed}"
        else:
            assert passes == table.seats, f"seed {seed}"
            assert (deal.declarer, deal.contract) == (None, None), f"seed {seed}"


@every_ruleset
def test_6_a_forced_opening_makes_a_declarer_and_a_barred_side_only_opens(
    table: Huutopussi,
) -> None:
    rules = table.rules
    for seed, deal, story in over(table):
        if rules.opening_forced:
            assert deal.declarer is not None, f"seed {seed}"
            assert story.bids[0][1] is not None, f"seed {seed}"
        for place, (seat, bid) in enumerate(story.bids):
            score = deal.tally.score[table.sides[seat]]
            if rules.bid_bar == "below" and score < rules.bar_at and bid is not None:
                assert (place, bid, rules.opening_forced) == (0, rules.min_bid, True), f"{seed}"


@every_ruleset
def test_7_the_exchange_restores_the_hand_sizes_and_spares_the_opponents(
    table: Huutopussi,
) -> None:
    for seed, deal, story in over(table):
        hands = story.hands(deal.declarer)
        assert {len(hand) for hand in hands} == {table.hand_size}, f"seed {seed}"
        for seat in range(table.seats):
            played = {card for player, card in story.plays if player == seat}
            assert played == hands[seat], f"seed {seed}"
            if deal.declarer is None or table.sides[seat] != table.sides[deal.declarer]:
                assert hands[seat] == story.dealt[seat], f"seed {seed}"


@every_ruleset
def test_8_each_suit_is_made_trump_once_and_only_between_tricks(table: Huutopussi) -> None:
    for seed, deal, story in over(table):
        suits = [suit for _, _, suit in story.made]
        assert len(set(suits)) == len(suits), f"seed {seed}"
        moments = [at for at, _, _ in story.made]
        assert len(set(moments)) == len(moments), f"seed {seed}"
        assert all(at % table.seats == 0 for at in moments), f"seed {seed}"
        assert all(0 < at < len(story.plays) for at in moments), f"seed {seed}"
        assert [(seat, suit) for _, seat, suit in story.made] == deal.view(0).declared
        assert deal.view(0).trump == (suits[-1] if suits else None), f"seed {seed}"


@every_ruleset
def test_9_king_and_queen_are_in_the_hands_of_the_side_that_makes_trump(
    table: Huutopussi,
) -> None:
    for seed, _, story in over(table):
        for at, seat, suit in story.made:
            later = {card: player for player, card in story.plays[at:]}
            for card in ("K" + suit, "Q" + suit):
                assert table.sides[later[card]] == table.sides[seat], f"seed {seed}"
            number = at // table.seats
            assert story.winner(number - 1) == seat, f"seed {seed}"


@every_ruleset
def test_10_all_raw_points_add_up(table: Huutopussi) -> None:
    simple = table.rules.card_points == "simple"
    worth = dict(zip("ATKQJ", (10, 10, 5, 5, 5) if simple else (11, 10, 4, 3, 2), strict=True))
    marriage = {"H": 100, "D": 80, "C": 60, "S": 40}
    for seed, deal, story in over(table):
        raw = [0] * table.side_count
        for number, trick in enumerate(story.tricks):
            side = table.sides[story.winner(number)]
            raw[side] += sum(worth.get(card[0], 0) for _, card in trick)
        raw[table.sides[story.winner(-1 % len(story.tricks))]] += table.rules.last_trick_points
        for _, seat, suit in story.made:
            raw[table.sides[seat]] += marriage[suit]
        assert deal.raw() == tuple(raw), f"seed {seed}"
        pack = 140 if simple else 120
        pack -= sum(worth.get(card[0], 0) for card in story.discards)
        pack += table.rules.last_trick_points + sum(marriage[suit] for *_, suit in story.made)
        assert sum(raw) == pack, f"seed {seed}"
        if simple:
            assert all(each % 5 == 0 for each in raw), f"seed {seed}"


@every_ruleset
def test_11_12_the_declaring_side_wins_or_loses_the_contract(table: Huutopussi) -> None:
    rules = table.rules
    for seed, deal, story in over(table):
        points, raw = deal.points(), deal.raw()
        tricks = [0] * table.side_count
        for number in range(len(story.tricks)):
            tricks[table.sides[story.winner(number)]] += 1
        for side in range(table.side_count):
            if not tricks[side]:
                assert raw[side] == 0, f"seed {seed}"
        if deal.declarer is None or deal.contract is None:
            continue
        side = table.sides[deal.declarer]
        won = raw[side] - sum(
            table.scorer.marriage[suit] for seat, suit in deal.declared if table.sides[seat] == side
        )
        fails = rules.zero_card_points_fails and won == 0
        if raw[side] >= deal.contract and not fails:
            assert points[side] == deal.contract, f"seed {seed}"
        else:
            doubled = rules.declarer_no_trick_multiplier == 2 and not tricks[side]
            assert points[side] == -deal.contract * (2 if doubled else 1), f"seed {seed}"
        if rules.takes_all_penalty == "none":
            assert all(each >= 0 for at, each in enumerate(points) if at != side), f"seed {seed}"


@pytest.mark.parametrize("ruleset", ["german", "erlangen"])
def test_13_rounded_points_of_a_deal_without_contract_add_up(ruleset: str) -> None:
    table = game(ruleset)
    for seed in range(DEALS):
        deal = start(table, seed)
        random = Random(seed)
        while deal.to_act is not None:
            deal.apply(0 if deal.phase == BID else random.choice(deal.legal()))
        if deal.redealer is None:
            assert deal.declarer is None, f"seed {seed}"
            assert sum(deal.points()) == sum(deal.raw()), f"seed {seed}"


@pytest.mark.parametrize(
    "table",
    [
        *(game(ruleset) for ruleset in ("helsinki", "helsinki-ru", "german", "erlangen")),
        game("wikibooks-3", rounding="nearest5", no_trick_penalty=35),
        game("wikibooks-4", rounding="nearest5_before_test"),
    ],
)
def test_14_rounded_and_simple_points_stay_multiples_of_five(table: Huutopussi) -> None:
    for seed, deal, _ in over(table):
        assert all(each % 5 == 0 for each in deal.points()), f"seed {seed}"


@every_ruleset
def test_15_a_game_ends_after_the_first_deal_that_reaches_the_target(table: Huutopussi) -> None:
    for seed in range(8):
        random = Random(seed)
        stage = table.first(seed)
        redeals: tuple[int, ...] = ()
        while not stage.winners:
            top = max(stage.score)
            assert top < 500 or stage.extra, f"seed {seed}"
            deal = table.deal(random.sample(range(36), 36), stage, redeals)
            while deal.to_act is not None:
                legal = deal.legal()
                deal.apply(legal[0] if deal.phase in (BID, REDEAL) else random.choice(legal))
            points = deal.points()
            after = table.after(stage, points)
            assert after.deals == stage.deals + 1, f"seed {seed}"
            assert after.dealer == (stage.dealer + 1) % table.seats, f"seed {seed}"
            stage = after
        top = max(stage.score)
        assert top >= 500 or stage.deals == 200, f"seed {seed}"
        assert stage.winners == tuple(
            side for side, total in enumerate(stage.score) if total == top
        ), f"seed {seed}"


def recoloured(text: str, suits: dict[str, str]) -> str:
    """An action with its suit changed."""
    if text[-1] in suits and (":" in text or text in PACK.index):
        return text[:-1] + suits[text[-1]]
    return text


@pytest.mark.parametrize(
    "table",
    [table for table in TABLES if table.rules.first_lead == "any"],
    ids=lambda table: str(table.ruleset),
)
def test_19_changing_the_suits_changes_neither_legality_nor_winners(table: Huutopussi) -> None:
    others = list(permutations(SUITS))
    for seed in range(DEALS // 3):
        suits = dict(zip(SUITS, others[seed % len(others)], strict=True))
        first = start(table, seed)
        names = [recoloured(PACK.names[card], suits) for card in first.talon]
        hands = [
            PACK.mask(recoloured(card, suits) for card in PACK.texts(hand)) for hand in first.hands
        ]
        talon = [PACK.index[name] for name in names]
        dealer = first.tally.dealer
        other = table.deal(table.dealing_order(hands, talon, dealer), first.tally)
        for deal in steps(table, seed):
            for _, action in deal.history[len(other.history) :]:
                other.apply(table.index[recoloured(table.actions[action], suits)])
            here = {recoloured(table.actions[action], suits) for action in deal.legal()}
            assert {table.actions[action] for action in other.legal()} == here, f"seed {seed}"
            assert (other.to_act, other.tricks) == (deal.to_act, deal.tricks), f"seed {seed}"
