"""Huutopussi, the table of options and rulesets and the checks on a configuration."""

from typing import Literal, get_args, get_origin, get_type_hints

import pytest
from msgspec.structs import asdict, fields, replace

from referee.errors import ConfigError
from referee.games.huutopussi import Huutopussi
from referee.games.huutopussi_options import PRESETS, Rules, check
from tests.helpers import game

# Columns: wikibooks-2/3/4, wikibooks-team, helsinki, -ru, -pagat, german, erlangen. A dot repeats
# helsinki, a dash leaves the value open: nothing depends on it there.
COLUMNS = (
    ("wikibooks-2", "wikibooks-3", "wikibooks-4"), ("wikibooks-team",), ("helsinki",),
    ("helsinki-ru",), ("helsinki-pagat",), ("german",), ("erlangen",),
)  # fmt: skip
TABLE = """
players                      2/3/4          4          4           .        .           .         .
teams                        no             yes        yes         .        .           .         .
rank_order                   ace_ten        ace_ten    ace_ten     plain    .           .         .
card_points                  classic        classic    simple      .        .           classic   classic
last_trick_points            0              0          20          .        .           .         .
marriage_points              hearts_high    hearts_high hearts_high .       .           .         .
min_bid                      40/50/60       50         50          .        .           120       120
max_bid                      auto           auto       auto        .        .           .         .
bid_step                     5              5          5           .        .           .         .
opening_forced               yes            yes        yes         .        .           no        no
all_pass                     none           none       none        .        .           contractless contractless
redeal                       none           none       three_sixes .        three_sixes_or_nothing_above_jack . none
redeal_window                -              -          before_bidding .     first_bid_turn .      -
exchange                     talon          partner    partner     .        .           .         .
exchange_count               -              3          3           .        .           4         4
talon_public                 yes            -          -           -        -           -         -
discard_rule                 any            -          -           -        -           -         -
discards_count               none           -          -           -        -           -         -
raise_timing                 after_exchange after_exchange before_return .  .           .         after_exchange
first_lead                   any            any        any         .        .           .         ace_then_spade
ace_shows                    no             no         no          .        .           .         yes
must_head                    yes            yes        yes         no       .           .         .
head_lapses_when_ruffed      no             no         yes         -        .           .         .
must_trump                   yes            yes        yes         .        .           .         .
must_overtrump               no             no         yes         no       .           .         .
trump_right                  won            won        won         .        won_and_led .         .
zero_card_points_fails       no             no         yes         .        .           yes       no
first_dealer                 by_set         by_set     by_set      .        .           .         .
ask_whole                    no             yes        yes         .        .           .         .
ask_half                     none           own_half   own_half    .        .           .         any
ask_lockout                  -              none       none        .        pagat       .         .
rounding                     none           none       none        .        .           nearest5  nearest5
no_trick_penalty             none           none       none        .        .           .         .
declarer_no_trick_multiplier 1              1          1           .        .           .         2
takes_all_penalty            none           none       none        .        .           .         double_contract
takes_all_requires_made      no             no         no          .        .           .         yes
target                       500            500        500         .        .           .         .
target_mode                  at_least       at_least   at_least    .        .           .         .
tie                          draw           draw       extra_deal  .        .           .         .
bid_bar                      none           none       below       .        .           .         none
bar_at                       -              -          -500        .        .           .         -
bar_may_open                 -              -          yes         .        .           no        -
bar_may_raise                -              -          yes         .        .           -         -
max_deals                    200            200        200         .        .           .         .
"""  # noqa: E501
ROWS = [line.split() for line in TABLE.strip().splitlines()]


def value(text: str) -> object:
    """A cell of the table."""
    if text in ("yes", "no"):
        return text == "yes"
    return int(text) if text.lstrip("-").isdigit() else text


def test_the_table_has_every_option_and_every_ruleset() -> None:
    assert [row[0] for row in ROWS] == [field.name for field in fields(Rules)]
    named = {ruleset for column in COLUMNS for ruleset in column}
    assert named | {"helsinki-classic"} == set(PRESETS)


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_every_ruleset_has_the_value_that_the_table_prints(row: list[str]) -> None:
    option, *cells = row
    for rulesets, cell in zip(COLUMNS, cells, strict=True):
        printed = cells[2] if cell == "." else cell
        if printed == "-":
            continue
        each = printed.split("/") if "/" in printed else [printed] * len(rulesets)
        for ruleset, text in zip(rulesets, each, strict=True):
            assert getattr(PRESETS[ruleset], option) == value(text), ruleset


def test_helsinki_classic_differs_in_card_points_and_the_last_trick_only() -> None:
    expected = asdict(PRESETS["helsinki"]) | {"card_points": "classic", "last_trick_points": 10}
    assert asdict(PRESETS["helsinki-classic"]) == expected


@pytest.mark.parametrize("ruleset", PRESETS)
def test_every_ruleset_passes_the_checks(ruleset: str) -> None:
    assert Huutopussi(PRESETS[ruleset], ruleset).rules == PRESETS[ruleset]


@pytest.mark.parametrize(
    ("ruleset", "changed", "highest"),
    [
        ("wikibooks-3", {}, 400),
        ("helsinki", {}, 440),
        ("german", {}, 420),
        ("helsinki-classic", {}, 410),
        ("helsinki-classic", {"marriage_points": "none"}, 130),
        ("helsinki", {"marriage_points": "none"}, 160),
        ("helsinki", {"last_trick_points": 10}, 430),
        ("helsinki", {"last_trick_points": 7}, 425),
        ("helsinki", {"max_bid": 300}, 300),
        ("helsinki", {"bid_step": 25, "min_bid": 50}, 425),
    ],
)
def test_the_highest_bid_is_all_that_can_be_had_unless_it_is_set(
    ruleset: str, changed: dict[str, object], highest: int
) -> None:
    assert game(ruleset, **changed).bids[-1] == highest


# ---- checks --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ruleset", "changed", "option", "shown", "reason"),
    [
        ("helsinki", {"bid_step": 7, "min_bid": 49}, "bid_step", "7", "multiple of 5"),
        ("helsinki", {"bid_step": 20}, "min_bid", "50", "multiple of bid_step (20)"),
        ("helsinki", {"min_bid": 52}, "min_bid", "52", "multiple of bid_step (5)"),
        ("helsinki", {"max_bid": 301}, "max_bid", "301", "multiple of bid_step (5)"),
        ("helsinki", {"min_bid": 300, "max_bid": 200}, "min_bid", "300", "highest bid (200)"),
        ("helsinki", {"min_bid": 445}, "min_bid", "445", "highest bid (440)"),
        ("helsinki", {"opening_forced": False}, "opening_forced", "False", "all_pass"),
        (
            "wikibooks-3",
            {"opening_forced": False, "all_pass": "contractless"},
            "opening_forced",
            "False",
            "talon",
        ),
        ("wikibooks-3", {"teams": True}, "teams", "True", "4 players"),
        ("helsinki", {"players": 3}, "teams", "True", "4 players"),
        ("helsinki", {"players": 2}, "teams", "True", "4 players"),
        ("wikibooks-4", {"teams": True}, "exchange", "'talon'", "no talon"),
        ("helsinki", {"exchange": "talon"}, "exchange", "'talon'", "no talon"),
        ("wikibooks-4", {"exchange": "partner"}, "exchange", "'partner'", "teams"),
        ("wikibooks-4", {"ask_whole": True}, "ask_whole", "True", "partners"),
        ("wikibooks-4", {"ask_half": "own_half"}, "ask_half", "'own_half'", "partners"),
        ("wikibooks-3", {"ask_half": "any"}, "ask_half", "'any'", "partners"),
        ("wikibooks-3", {"first_dealer": 3}, "first_dealer", "3", "below 3"),
        ("helsinki", {"bar_may_open": False}, "bar_may_open", "False", "barred forehand"),
        ("german", {"no_trick_penalty": 52}, "no_trick_penalty", "52", "multiple of 5"),
    ],
)
def test_options_that_do_not_go_together_are_refused_by_name_value_and_reason(
    ruleset: str, changed: dict[str, object], option: str, shown: str, reason: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        game(ruleset, **changed)
    message = str(caught.value)
    assert message.startswith(f"{option} = {shown}: ")
    assert reason in message


def test_an_integer_penalty_need_be_no_multiple_of_five_without_rounding() -> None:
    assert game("wikibooks-3", no_trick_penalty=52).rules.no_trick_penalty == 52
    assert game("german", no_trick_penalty=50).rules.no_trick_penalty == 50


# ---- one option at a time ------------------------------------------------------------------

NUMBERS: dict[str, tuple[int, ...]] = {
    "last_trick_points": (0, 10, 20),
    "min_bid": (40, 60, 120),
    "max_bid": (300,),
    "bid_step": (10, 25),
    "first_dealer": (0, 1),
    "no_trick_penalty": (50,),
    "target": (300, 1000),
    "bar_at": (-250, 0),
    "max_deals": (1, 7),
}
COUPLED: dict[tuple[str, object], tuple[str, ...]] = {
    ("players", 2): ("wikibooks-3",),
    ("players", 3): ("wikibooks-4",),
    ("players", 4): ("wikibooks-3",),
    ("opening_forced", False): ("german",),
    ("talon_public", False): ("wikibooks-3",),
    ("bar_may_open", False): ("wikibooks-3", "german"),
}
"""Where a value is set if not on helsinki."""
TOGETHER = {"teams": False, "exchange": "talon", "ask_whole": False, "ask_half": "none"}
"""Options that only go together: partners, their exchange and their asks."""


def values(option: str) -> list[object]:
    """Every value of an option that has few, some of one that has many."""
    found: list[object] = list(NUMBERS.get(option, ()))
    hint = get_type_hints(Rules)[option]
    for part in (hint, *get_args(hint)):
        if part is bool:
            found += [True, False]
        elif get_origin(part) is Literal:
            found += get_args(part)
    return found


@pytest.mark.parametrize("option", [field.name for field in fields(Rules)])
def test_every_value_of_an_option_can_be_set_on_its_own(option: str) -> None:
    assert len(values(option)) > 1
    for each in values(option):
        if option in TOGETHER and each == TOGETHER[option] and option in ("teams", "exchange"):
            game("helsinki", **TOGETHER)
            continue
        for ruleset in COUPLED.get((option, each), ("helsinki",)):
            rules = replace(PRESETS[ruleset], **{option: each})
            check(rules)
            assert getattr(Huutopussi(rules).rules, option) == each


def test_partners_can_be_made_of_the_four_player_game() -> None:
    rules = game("wikibooks-4", teams=True, exchange="partner").rules
    assert not rules.ask_whole
    assert game("helsinki", **TOGETHER).side_count == 4
