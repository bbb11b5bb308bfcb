"""What every game promises, whatever its rules: random play of every ruleset.

A failing loop names its seed; `random_deal(game, seed)` makes that deal again.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations
from random import Random

import pytest
from msgspec import Raw, Struct, to_builtins
from msgspec.structs import replace

from protocol.messages import (
    EncodedAsk,
    RefereeBatch,
    ask_head,
    ask_tail,
    ask_text,
    batch_of,
    decode_from_referee,
    encode,
)
from referee.cards import SUITS
from referee.games.game import Deal, Game, Tally, Unit, game_nets, named, nets
from referee.games.rulesets import KINDS, game_from, game_named

GAMES = [game_named(kind.name, name) for kind in KINDS.values() for name in kind.presets]
VARIANTS = [
    game_named(name, None, options)
    for name, options in (
        ("marjapussi", {"ask_half": "any", "declare_must_lead_marriage": True}),
        ("marjapussi", {"timing": "immediate", "overshoot": "bounce", "target": 5}),
        ("bondtolva", {"declare_in_phase2": True, "trump_in_phase1": False, "deck": 36}),
        ("tuppi", {"bid_cards": "hand_cards", "bid_mode": "sealed"}),
        ("tuppi", {"sooli_exchange": "discard_then_receive", "sooli_ace": "high"}),
        ("tuppi", {"sooli_stop": False, "sooli_order": "right_first", "stop_when_decided": True}),
        ("minnesota", {"bid_cards": "hand_cards", "bid_mode": "sealed"}),
    )
]
"""Options that no ruleset has and that change what is asked or told."""

every_game = pytest.mark.parametrize(
    "game",
    [*GAMES, *VARIANTS],
    ids=[f"{game.name}/{game.ruleset}" for game in (*GAMES, *VARIANTS)],
)


def random_deal(game: Game, seed: int) -> tuple[list[int], Tally]:
    """Cards in dealing order, and a stage of a game: dealer and score, low ones too."""
    random = Random(f"{game.name} {game.ruleset} {seed}")
    cards = random.sample(range(game.pack.size), game.pack.size)
    sides = max(game.sides) + 1
    dealer = random.randrange(game.seats)
    if game.name == "huutopussi":
        score = tuple(5 * random.randint(-140, 99) for _ in range(sides))
        return cards, Tally(score=score, dealer=dealer, deals=seed)
    unit: Unit = "game" if seed % 2 else "deal"
    score = (0,) * sides
    if unit == "game" and seed % 4 == 1:
        score = (random.randrange(4),) + (0,) * (sides - 1)
    return cards, Tally(score=score, dealer=dealer, deals=seed, unit=unit)


def choose(game: Game, random: Random, legal: Sequence[int]) -> int:
    """A random action; half of the time the auction goes on slowly, declarations are frequent."""
    rare = [action for action in legal if game.actions[action].partition(":")[0] in FREQUENT]
    if rare and random.random() < 0.5:
        return random.choice(rare)
    if len(legal) > 2 and random.random() < 0.3:
        return random.choice(legal[:3])
    return random.choice(legal)


FREQUENT = ("pass", "keep", "declare", "half", "whole", "name", "sooli")


def decisions(game: Game, seed: int) -> Iterator[tuple[Deal, Random]]:
    """A deal in random play, at every decision and once more when it is over.

    Where it is not over, it goes on from wherever the caller has left it.
    """
    deal = game.deal(*random_deal(game, seed))
    random = Random(seed)
    while deal.to_act is not None:
        yield deal, random
        deal.apply(choose(game, random, deal.legal()))
    yield deal, random


def finish(game: Game, deal: Deal, random: Random) -> Deal:
    """Play a deal on at random."""
    while deal.to_act is not None:
        deal.apply(choose(game, random, deal.legal()))
    return deal


def views(game: Game, deal: Deal) -> list[bytes]:
    """What every seat sees, as it would be sent."""
    return [encode(deal.view(seat)) for seat in range(game.seats)]


@every_game
def test_the_alphabet_names_every_action_once(game: Game) -> None:
    assert len(set(game.actions)) == len(game.actions)
    assert dict(game.index) == {action: place for place, action in enumerate(game.actions)}
    assert all(0 < len(action) <= 64 and action.isascii() for action in game.actions)


@every_game
def test_harmless_actions_come_first_in_the_alphabet(game: Game) -> None:
    groups = (
        "pass keep no", " ".join(game.pack.names), "give discard", "contract", "bid",
        "declare", "name", "half", "whole", "yes rami high sooli redeal",
    )  # fmt: skip
    order = {word: place for place, words in enumerate(groups) for word in words.split()}
    order |= {"nolo": 0, "low": 0}
    places = [order[action.partition(":")[0]] for action in game.actions]
    assert places == sorted(places)
    cards = [action for action in game.actions if action in game.pack.index]
    assert tuple(cards) == game.pack.names


@every_game
def test_legal_is_rising_within_the_alphabet_and_never_empty(game: Game) -> None:
    for seed in range(150):
        for deal, _ in decisions(game, seed):
            legal = list(deal.legal())
            assert (legal == []) == (deal.to_act is None), f"seed {seed}"
            assert legal == sorted(set(legal)), f"seed {seed}"
            assert all(0 <= action < len(game.actions) for action in legal), f"seed {seed}"
            assert deal.to_act is None or deal.to_act in range(game.seats), f"seed {seed}"


@every_game
def test_asking_twice_changes_nothing(game: Game) -> None:
    for seed in range(20):
        for deal, _ in decisions(game, seed):
            before = list(deal.legal()), deal.dictated(), views(game, deal)
            deal.copy()
            for side in set(game.sides):
                deal.floor(side)
            assert (list(deal.legal()), deal.dictated(), views(game, deal)) == before, f"{seed}"


@every_game
def test_cards_and_history_rebuild_the_state(game: Game) -> None:
    for seed in range(25):
        for deal, _ in decisions(game, seed):
            again = game.deal(*random_deal(game, seed))
            for seat, action in deal.history:
                assert again.to_act == seat, f"seed {seed}"
                again.apply(action)
            assert again.to_act == deal.to_act, f"seed {seed}"
            assert list(again.legal()) == list(deal.legal()), f"seed {seed}"
            assert views(game, again) == views(game, deal), f"seed {seed}"


@every_game
def test_the_history_says_who_did_what(game: Game) -> None:
    for seed in range(80):
        deal = game.deal(*random_deal(game, seed))
        random = Random(seed)
        made: list[tuple[int, int]] = []
        while deal.to_act is not None:
            action = choose(game, random, deal.legal())
            made.append((deal.to_act, action))
            deal.apply(action)
        assert deal.history == made, f"seed {seed}"


@every_game
def test_a_copy_is_independent(game: Game) -> None:
    for seed in range(25):
        for deal, random in decisions(game, seed):
            before = views(game, deal)
            legal = list(deal.legal())
            twin = deal.copy()
            assert (views(game, twin), list(twin.legal())) == (before, legal), f"seed {seed}"
            for _ in range(random.randrange(12)):
                if twin.to_act is not None:
                    twin.apply(choose(game, random, twin.legal()))
                    views(game, twin)
            ended = finish(game, twin, Random(random.random()))
            assert (views(game, deal), list(deal.legal())) == (before, legal), f"seed {seed}"
            assert deal.history == ended.history[: len(deal.history)], f"seed {seed}"


@every_game
def test_a_copy_is_not_changed_by_its_original(game: Game) -> None:
    for seed in range(25):
        copies = []
        for deal, _ in decisions(game, seed):
            copies.append((deal.copy(), views(game, deal), list(deal.legal())))
        for twin, seen, legal in copies:
            assert (views(game, twin), list(twin.legal())) == (seen, legal), f"seed {seed}"


@every_game
def test_a_view_that_is_kept_does_not_change(game: Game) -> None:
    for seed in range(20):
        kept = []
        for deal, _ in decisions(game, seed):
            for seat in range(game.seats):
                view = deal.view(seat)
                kept.append((view, encode(view)))
        assert all(encode(view) == told for view, told in kept), f"seed {seed}"


@every_game
def test_the_same_inputs_give_the_same_bytes(game: Game) -> None:
    def told(seed: int) -> list[list[bytes]]:
        return [views(game, deal) for deal, _ in decisions(game, seed)]

    for seed in range(20):
        assert told(seed) == told(seed), f"seed {seed}"


@every_game
def test_answers_are_dictated_where_one_yes_no_or_name_is_legal(game: Game) -> None:
    for seed in range(150):
        for deal, _ in decisions(game, seed):
            texts = [game.actions[action] for action in deal.legal()]
            words = {text.partition(":")[0] for text in texts}
            single = len(texts) == 1 and words <= {"yes", "no", "name"}
            assert deal.dictated() == single, f"seed {seed}: {texts}"


@every_game
def test_a_deal_ends_with_points_for_every_side_or_with_a_redeal(game: Game) -> None:
    for seed in range(150):
        *_, (deal, _) = decisions(game, seed)
        demanded = game.actions[deal.history[-1][1]] == "redeal"
        assert (deal.redealer is not None) == demanded, f"seed {seed}"
        if demanded:
            assert deal.redealer == deal.history[-1][0], f"seed {seed}"
            floors = [deal.floor(side) for side in game.sides]
            assert max(floors) <= game.lowest_net(), f"seed {seed}"
            continue
        points = deal.points()
        assert len(points) == max(game.sides) + 1, f"seed {seed}"
        assert all(type(each) is int for each in points), f"seed {seed}"
        assert abs(sum(nets(points))) < 1e-6, f"seed {seed}"
        assert [deal.floor(side) for side in range(len(points))] == nets(points), f"seed {seed}"
        assert deal.summary().points == list(points), f"seed {seed}"


@every_game
def test_no_continuation_falls_below_the_floor(game: Game) -> None:
    lowest = game.lowest_net()
    for seed in range(100):
        floors = []
        for deal, random in decisions(game, seed):
            now = [deal.floor(side) for side in range(max(game.sides) + 1)]
            assert min(now) >= lowest, f"seed {seed}"
            ended = finish(game, deal.copy(), Random(random.random()))
            floors.append(now)
            if ended.redealer is None:
                ends = nets(ended.points())
                assert all(a <= b for a, b in zip(now, ends, strict=True)), (
                    f"seed {seed}: floor {now}, net {ends}, {ended.history}"
                )
        if deal.redealer is None:
            ends = nets(deal.points())
            for now in floors:
                assert all(a <= b for a, b in zip(now, ends, strict=True)), f"seed {seed}"


@every_game
def test_the_first_legal_action_always_ends_the_deal_and_declares_nothing(game: Game) -> None:
    for seed in range(80):
        deal = game.deal(*random_deal(game, seed))
        for _ in range(2000):
            if deal.to_act is None:
                break
            deal.apply(deal.legal()[0])
        assert deal.to_act is None, f"seed {seed}"
        words = {game.actions[action].partition(":")[0] for _, action in deal.history}
        assert not words & {"declare", "half", "whole", "redeal"}, f"seed {seed}"


@every_game
def test_an_ask_is_written_as_its_struct_would_be(game: Game) -> None:
    for number, (deal, _) in enumerate(decisions(game, 3), 1):
        if deal.to_act is None:
            continue
        view = deal.view_json(deal.to_act)
        legal = [game.actions[action] for action in deal.legal()]
        assert [*named(game.actions, deal.legal())] == legal
        ask = EncodedAsk(
            table=7, id=number, view=Raw(view), legal=legal, time_ms=1000, bank_ms=number
        )
        text = ask_text(ask_head(7), number, view, legal, ask_tail(1000, number))
        assert text.encode() == encode(ask)
        batch = decode_from_referee(batch_of([text, text]).encode())
        assert isinstance(batch, RefereeBatch)
        assert [*batch.messages] == [decode_from_referee(encode(ask))] * 2


@every_game
def test_turning_the_table_turns_the_deal(game: Game) -> None:
    sides = max(game.sides) + 1
    turned = {game.sides[seat]: game.sides[(seat + 1) % game.seats] for seat in range(game.seats)}
    for seed in range(80):
        cards, stage = random_deal(game, seed)
        score = [0] * sides
        for side, other in turned.items():
            score[other] = stage.score[side]
        moved = Tally(
            score=tuple(score), dealer=(stage.dealer + 1) % game.seats, deals=stage.deals,
            unit=stage.unit,
        )  # fmt: skip
        other_deal = game.deal(cards, moved)
        for deal, _ in decisions(game, seed):
            for _, action in deal.history[len(other_deal.history) :]:
                other_deal.apply(action)
            assert list(other_deal.legal()) == list(deal.legal()), f"seed {seed}"
            if deal.to_act is not None:
                assert other_deal.to_act == (deal.to_act + 1) % game.seats, f"seed {seed}"
        if deal.redealer is None:
            points = other_deal.points()
            assert [points[turned[side]] for side in range(sides)] == list(deal.points()), (
                f"seed {seed}"
            )


@every_game
def test_every_card_is_in_one_place(game: Game) -> None:
    for seed in range(60):
        places = set(range(game.pack.size))
        for deal, _ in decisions(game, seed):
            texts = [game.actions[action] for _, action in deal.history]
            played = [text for text in texts if text in game.pack.index]
            shown = [deal.view(seat) for seat in range(game.seats)]
            held = [card for view in shown for card in view.hand]
            assert len({*held, *played}) == len(held) + len(played), f"seed {seed}"
            aside = places - {game.pack.index[card] for card in (*held, *played)}
            kept = getattr(deal, "talon", ()) or getattr(deal, "stock", ())
            assert len(aside) <= len(kept) + 4, f"seed {seed}"
            for view in shown:
                assert view.counts == [len(other.hand) for other in shown], f"seed {seed}"


@every_game
def test_a_rated_deal_knows_no_target(game: Game) -> None:
    rules = to_builtins(replace(game.rules, target=LOW[game.name]))
    low = game_from(game.name, game.ruleset, rules)
    for seed in range(40):
        random = Random(seed)
        cards = random.sample(range(low.pack.size), low.pack.size)
        deal = finish(low, low.deal(cards, low.first(seed)), random)
        if deal.redealer is None:
            assert deal.after().score == deal.points(), f"seed {seed}"


LOW = {"huutopussi": 5, "marjapussi": 5, "bondtolva": 5, "tuppi": 4, "minnesota": 1}
"""The lowest targets that the options allow."""


@every_game
def test_games_end_and_say_who_has_won(game: Game) -> None:
    short = game_from(game.name, game.ruleset, to_builtins(replace_deals(game, 9)))
    for seed in range(12):
        random = Random(seed)
        stage = short.first(seed, "game")
        played = 0
        while not stage.winners:
            assert (stage.deals, stage.unit) == (played, "game"), f"seed {seed}"
            cards = random.sample(range(short.pack.size), short.pack.size)
            deal = finish(short, short.deal(cards, stage), random)
            if deal.redealer is None:
                before, stage = stage, deal.after()
                played += 1
                assert stage.dealer in range(short.seats), f"seed {seed}"
                assert not before.winners, f"seed {seed}"
        assert played <= 9, f"seed {seed}"
        top = max(stage.score)
        if played == 9 and len(stage.winners) > 1:
            assert all(stage.score[side] == top for side in stage.winners), f"seed {seed}"


def replace_deals(game: Game, most: int) -> Struct:
    """The options of a game with another `max_deals`."""
    return replace(game.rules, max_deals=most)


def of_suits(game: Game) -> bool:
    """Whether all suits are alike for what may be done."""
    rules = game.rules
    spade_led = getattr(rules, "first_lead", "") == "ace_then_spade"
    return not spade_led and getattr(rules, "bid_cards", "none") == "none"


@pytest.mark.parametrize(
    "game",
    [game for game in (*GAMES, *VARIANTS) if of_suits(game)],
    ids=[f"{game.name}/{game.ruleset}" for game in (*GAMES, *VARIANTS) if of_suits(game)],
)
def test_other_suits_change_nothing_but_their_names(game: Game) -> None:
    worth_alike = getattr(game.rules, "marriage_points", "none") == "none"
    for seed, order in enumerate(permutations(SUITS)):
        names = {card: card[0] + order[SUITS.index(card[1])] for card in game.pack.names}
        names |= dict(zip(SUITS, order, strict=True))
        cards, stage = random_deal(game, seed)
        other = game.deal(
            [game.pack.index[names[game.pack.names[card]]] for card in cards], stage
        )
        for deal, _ in decisions(game, seed):
            for _, action in deal.history[len(other.history) :]:
                other.apply(renamed(game, action, names))
            assert other.to_act == deal.to_act, f"seed {seed}"
            legal = sorted(renamed(game, action, names) for action in deal.legal())
            assert list(other.legal()) == legal, f"seed {seed}"
        if deal.redealer is None and worth_alike:
            assert other.points() == deal.points(), f"seed {seed}"
            assert other.after() == deal.after(), f"seed {seed}"


def renamed(game: Game, action: int, names: dict[str, str]) -> int:
    """An action with its card or suit renamed; -1 where there is no such action."""
    text = game.actions[action]
    head, colon, card = text.rpartition(":")
    return game.index.get(f"{head}{colon}{names.get(card, card)}", -1)


def replayed(
    game: Game, cards: Sequence[int], stage: Tally, history: Sequence[tuple[int, int]]
) -> Deal | None:
    """The deal after this history, or None where that could not have happened."""
    deal = game.deal(cards, stage)
    for seat, action in history:
        if deal.to_act != seat or action not in deal.legal():
            return None
        deal.apply(action)
    return deal


@every_game
def test_a_view_does_not_depend_on_cards_that_its_seat_has_not_seen(game: Game) -> None:
    compared = 0
    for seed in range(100):
        cards, stage = random_deal(game, seed)
        for deal, _ in decisions(game, seed):
            random = Random(seed * 1000 + len(deal.history))
            viewer = random.randrange(game.seats)
            seen = encode(deal.view(viewer)).decode()
            hidden = [name for name in game.pack.names if f'"{name}"' not in seen]
            hidden = [name for name in hidden if f":{name}" not in seen]
            if len(hidden) < 2:
                continue
            one, two = random.sample(hidden, 2)
            names = {one: two, two: one}
            swapped = [game.pack.index[names.get(name, name)] for name in
                       (game.pack.names[card] for card in cards)]  # fmt: skip
            history = [(seat, renamed(game, action, names)) for seat, action in deal.history]
            other = replayed(game, swapped, stage, history)
            if other is None or other.to_act != deal.to_act:
                continue
            made = [getattr(each.view(viewer), "declared", None) for each in (deal, other)]
            if made[0] != made[1]:
                continue  # Whether an ask made trump is seen by all, though no action says it.
            compared += 1
            assert encode(other.view(viewer)).decode() == seen, f"seed {seed}: {one} {two}"
    assert compared > 100


def test_the_net_of_two_sides_is_their_difference() -> None:
    assert nets((60, 240)) == [-180, 180]


def test_the_net_of_single_players_is_their_distance_from_the_mean() -> None:
    assert nets((-60, 191, 29)) == pytest.approx([-340 / 3, 413 / 3, -73 / 3])


def test_a_game_is_worth_one_to_its_winner_and_costs_the_others_together_as_much() -> None:
    assert game_nets((1,), 2) == [-1, 1]
    assert game_nets((0,), 4) == pytest.approx([1, -1 / 3, -1 / 3, -1 / 3])
    assert game_nets((0, 1), 2) == pytest.approx([0, 0])
    assert game_nets((0, 2), 3) == pytest.approx([1 / 4, -1 / 2, 1 / 4])
