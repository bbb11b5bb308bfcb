"""Huutopussi, what the seats are told in random play (16 and 18 of the rules' invariants)."""

import json
import random
import re
from typing import Any

import msgspec
import pytest

from protocol.messages import HuutopussiView, encode
from referee.games.game import Tally
from referee.games.huutopussi import BID, PACK, REDEAL, Deal, Huutopussi
from referee.games.huutopussi_options import PRESETS
from referee.games.rulesets import game_named
from referee.games.tricktaking import PLAY
from tests.rules.random_play import DEALS, every_ruleset, start, steps

CARD = re.compile(r"[6-9TJQKA][SHDC]")


def known(table: Huutopussi, dealt: Deal, deal: Deal, seat: int) -> set[str]:
    """The cards that a seat can know, from the rules of what is shown to whom."""
    cards = set(PACK.texts(dealt.hands[seat]))
    auction_over = False
    gives: dict[int, list[str]] = {}
    for who, action in deal.history:
        word, _, what = table.actions[action].partition(":")
        auction_over |= word in ("give", "discard", "contract")
        if word in PACK.index:
            cards.add(word)
        elif word == "give":
            gives.setdefault(who, []).append(what)
    if auction_over or (deal.declarer is not None):
        cards |= {PACK.names[card] for card in deal.talon}
    given = gives.get((seat + 2) % 4, [])
    if len(given) == table.rules.exchange_count:
        cards |= set(given)
    return cards


@every_ruleset
def test_16_a_view_names_no_card_that_its_seat_cannot_know(table: Huutopussi) -> None:
    for seed in range(DEALS // 3):
        dealt = start(table, seed)
        for deal in steps(table, seed):
            for seat in range(table.seats):
                named = set(CARD.findall(encode(deal.view(seat)).decode()))
                assert named <= known(table, dealt, deal, seat), f"seed {seed}"


@every_ruleset
def test_16_a_view_has_all_that_its_seat_knows(table: Huutopussi) -> None:
    for seed in range(DEALS // 3):
        dealt = start(table, seed)
        for deal in steps(table, seed):
            for seat in range(table.seats):
                named = set(CARD.findall(encode(deal.view(seat)).decode()))
                assert named == known(table, dealt, deal, seat), f"seed {seed}"


@every_ruleset
def test_16_nobody_learns_that_another_seat_could_demand_a_redeal(table: Huutopussi) -> None:
    for seed in range(DEALS):
        for deal in steps(table, seed):
            if deal.phase not in (REDEAL, BID):
                break
            for seat in range(table.seats):
                view = deal.view(seat)
                assert "keep" not in [what for who, what in view.history if who != seat]
                assert view.phase == ("redeal" if deal.phase == REDEAL and seat == deal.to_act
                                      else "bid"), f"seed {seed}"  # fmt: skip


@every_ruleset
def test_the_view_tells_what_has_happened(table: Huutopussi) -> None:
    for seed in range(DEALS // 5):
        for deal in steps(table, seed):
            for seat in range(table.seats):
                view = deal.view(seat)
                assert view.hand == PACK.texts(deal.hands[seat]), f"seed {seed}"
                assert view.counts == [hand.bit_count() for hand in deal.hands], f"seed {seed}"
                assert (view.seat, view.dealer) == (seat, deal.tally.dealer), f"seed {seed}"
                assert view.score == list(deal.tally.score), f"seed {seed}"
                assert view.trick == [(who, PACK.names[card]) for who, card in deal.trick.plays], (
                    f"seed {seed}"
                )
                if deal.phase == PLAY:
                    assert view.leader == (view.trick[0][0] if view.trick else deal.to_act)
                assert msgspec.json.decode(encode(view), type=HuutopussiView) == view


def turned(view: dict[str, Any], table: Huutopussi) -> dict[str, Any]:
    """A view as it reads when every seat has moved one place on."""
    seats = table.seats

    def on(seat: int | None) -> int | None:
        return None if seat is None else (seat + 1) % seats

    def each(rows: list[list[Any]]) -> list[list[Any]]:
        return [[on(row[0]), *row[1:]] for row in rows]

    def shifted(values: list[int]) -> list[int]:
        return [*values[-1:], *values[:-1]]

    moved = dict(view)
    for name in ("seat", "dealer", "leader", "declarer"):
        moved[name] = on(view[name])
    for name in ("trick", "history", "bids", "declared", "asked"):
        moved[name] = each(view[name])
    for name in ("counts", "tricks", "score"):
        moved[name] = shifted(view[name])
    return moved


@every_ruleset
def test_18_turning_the_table_turns_legal_actions_views_and_result(table: Huutopussi) -> None:
    for seed in range(DEALS // 5):
        first = start(table, seed)
        stage = first.tally
        cards = table.dealing_order(first.hands, first.talon, stage.dealer)
        score = (*stage.score[-1:], *stage.score[:-1])
        other = table.deal(cards, Tally(score=score, dealer=(stage.dealer + 1) % table.seats))
        for deal in steps(table, seed):
            for _, action in deal.history[len(other.history) :]:
                other.apply(action)
            assert list(other.legal()) == list(deal.legal()), f"seed {seed}"
            for seat in range(table.seats):
                here = json.loads(encode(deal.view(seat)))
                there = json.loads(encode(other.view((seat + 1) % table.seats)))
                assert turned(here, table) == there, f"seed {seed}"
        if deal.redealer is None:
            points = other.points()
            assert (*points[1:], points[0]) == deal.points(), f"seed {seed}"


@pytest.mark.parametrize("ruleset", PRESETS)
def test_a_view_is_written_as_its_struct_would_be(ruleset: str) -> None:
    game = game_named("huutopussi", ruleset)
    for seed in range(25):
        rng = random.Random(f"{ruleset} {seed}")
        cards = list(range(36))
        rng.shuffle(cards)
        deal = game.deal(cards, game.first(seed))
        while deal.to_act is not None:
            # Not every seat every time, so that histories are caught up with in leaps.
            for seat in range(game.seats):
                if rng.random() < 0.5:
                    assert deal.view_json(seat) == encode(deal.view(seat)).decode(), (seed, seat)
            twin = deal.copy()
            assert twin.view_json(deal.to_act) == encode(deal.view(deal.to_act)).decode()
            deal.apply(rng.choice(deal.legal()))
        for seat in range(game.seats):
            assert deal.view_json(seat) == encode(deal.view(seat)).decode(), (seed, seat)
