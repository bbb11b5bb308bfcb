"""The engine plays endings out in as many ways as the slow second implementations counted."""

from collections import Counter
from typing import Any

import msgspec
import pytest

from referee.games.game import Tally
from referee.games.rulesets import KINDS, game_from
from tests.make_playout_counts import FILE, Ending, count

DATA: dict[str, Any] = msgspec.json.decode(FILE.read_bytes())
ENDINGS = msgspec.convert(DATA["endings"], list[Ending])


def position(ending: Ending) -> Any:
    """The deal at an ending, every action of its history checked."""
    game = game_from(ending.game, ending.ruleset, DATA["rulesets"][ending.game][ending.ruleset])
    tally = Tally(score=tuple(ending.score), dealer=ending.dealer, unit=ending.unit)
    deal = game.deal([game.pack.index[card] for card in ending.cards.split()], tally)
    for step in ending.history.split():
        seat, _, action = step.partition(":")
        assert deal.to_act == int(seat), step
        assert game.index[action] in deal.legal(), step
        deal.apply(game.index[action])
    return deal


@pytest.mark.parametrize(
    "ending", ENDINGS, ids=[f"{each.ruleset}-{each.scene}" for each in ENDINGS]
)
def test_an_ending_can_be_played_out_in_as_many_ways_as_counted(ending: Ending) -> None:
    deal = position(ending)
    assert count(deal) == ending.continuations
    assert deal.history == position(ending).history


def test_every_ruleset_has_two_endings_of_a_good_size() -> None:
    have = Counter((ending.game, ending.ruleset) for ending in ENDINGS)
    wanted = {(kind.name, ruleset) for kind in KINDS.values() for ruleset in kind.presets}
    assert set(have) == wanted
    assert min(have.values()) >= 2
    assert all(1000 <= ending.continuations <= 50_000 for ending in ENDINGS)


def test_the_endings_have_what_changes_how_a_deal_goes_on() -> None:
    shown = Counter(ending.scene for ending in ENDINGS)
    for scene in (
        "ask open", "marriage open", "last of the stock", "stock gone, trump made", "sooli",
    ):  # fmt: skip
        assert shown[scene] >= 2, scene


def test_the_file_says_which_options_were_counted_with() -> None:
    ours = {
        kind.name: {ruleset: msgspec.to_builtins(rules) for ruleset, rules in kind.presets.items()}
        for kind in KINDS.values()
    }
    assert DATA["rulesets"] == ours
