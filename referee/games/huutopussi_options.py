"""Huutopussi: its options, the rulesets that are named, and the checks on a configuration.

Sources: Wikibooks "Card Games/Huutopussi" (the `wikibooks-*` rulesets); the Russian text
"Hutopusi" (`helsinki-ru` word for word, `helsinki` with what its sister texts add, `german`);
pagat's account (`helsinki-pagat`, `erlangen`).
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from referee.games import tricktaking
from referee.games.tricktaking import CLASSIC, SIMPLE, check_dealer, refuse, says


class Rules(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of Huutopussi; the defaults are the ruleset `helsinki`."""

    players: Annotated[Literal[2, 3, 4], says("seats at the table")] = 4
    teams: Annotated[bool, says("partners sit opposite each other and score together")] = True
    rank_order: Annotated[
        Literal["ace_ten", "plain"], says("ace_ten: A T K Q J 9 …; plain: A K Q J T 9 …")
    ] = "ace_ten"
    card_points: tricktaking.CardPoints = "simple"
    last_trick_points: Annotated[
        int, Meta(ge=0, le=100, description="points for winning the last trick")
    ] = 20
    marriage_points: Annotated[
        Literal["hearts_high", "spades_high", "none"],
        says("H D C S count 100 80 60 40; or S H D C do; or marriages make trump only"),
    ] = "hearts_high"
    min_bid: Annotated[int, Meta(ge=5, le=1000, description="the lowest opening bid")] = 50
    max_bid: Annotated[int, Meta(ge=5, le=1000)] | Annotated[
        Literal["auto"], says("the highest bid; auto: all the points that can be had")
    ] = "auto"
    bid_step: Annotated[int, Meta(ge=5, le=100, description="bids are multiples of this")] = 5
    opening_forced: Annotated[bool, says("the forehand must open the bidding")] = True
    all_pass: Annotated[
        Literal["none", "contractless"],
        says("what happens when all pass: it cannot be, or a deal without a contract"),
    ] = "none"
    redeal: Annotated[
        Literal["none", "three_sixes", "three_sixes_or_nothing_above_jack"],
        says("hands that may demand new cards"),
    ] = "three_sixes"
    redeal_window: Annotated[
        Literal["before_bidding", "first_bid_turn"], says("when such a hand may demand them")
    ] = "before_bidding"
    exchange: Annotated[
        Literal["talon", "partner"],
        says("the declarer takes the talon and discards, or exchanges cards with the partner"),
    ] = "partner"
    exchange_count: Annotated[
        Literal[3, 4], says("cards exchanged with the partner each way")
    ] = 3
    talon_public: Annotated[bool, says("all see the talon after the auction")] = True
    discard_rule: Annotated[
        Literal["any", "no_aces_tens"], says("which cards may be discarded")
    ] = "any"
    discards_count: Annotated[
        Literal["none", "declarer", "declarer_if_trick"],
        says("who scores the discards: nobody, the declarer, or the declarer with a trick"),
    ] = "none"
    raise_timing: Annotated[
        Literal["before_return", "after_exchange"],
        says("the contract is named before or after the declarer returns or discards cards"),
    ] = "before_return"
    first_lead: tricktaking.FirstLead = "any"
    ace_shows: Annotated[
        bool, says("who holds the ace of the suit led first must play it")
    ] = False
    must_head: tricktaking.MustHead = True
    head_lapses_when_ruffed: tricktaking.HeadLapses = True
    must_trump: tricktaking.MustTrump = True
    must_overtrump: tricktaking.MustOvertrump = True
    trump_right: Annotated[
        Literal["won", "won_and_led", "first_won_and_led"],
        says(
            "which trick lets its winner make trump: any, one that he led too, or such a one "
            "for the first declaration of the deal and then any"
        ),
    ] = "won"
    zero_card_points_fails: Annotated[
        bool, says("a declaring side without card points or last trick loses its contract")
    ] = True
    first_dealer: Literal["by_set"] | Annotated[
        int, Meta(ge=0, le=3, description="by_set: seat s mod n deals first in set s; or a seat")
    ] = "by_set"
    ask_whole: tricktaking.AskWhole = True
    ask_half: tricktaking.AskHalfOption = "own_half"
    ask_lockout: Annotated[
        Literal["none", "pagat", "illisoft"], says("what an ask forbids for the rest of the deal")
    ] = "none"
    rounding: Annotated[
        Literal["none", "nearest5", "nearest5_before_test"],
        says("which points are rounded to five: none, the others', or all before the test"),
    ] = "none"
    no_trick_penalty: Annotated[
        int, Meta(ge=1, le=10000)
    ] | Annotated[
        Literal["none", "contract", "bid"],
        says("what a side that does not declare loses without a trick"),
    ] = "none"
    declarer_no_trick_multiplier: Annotated[
        Literal[1, 2], says("a contract lost without a trick counts so many times")
    ] = 1
    takes_all_penalty: Annotated[
        Literal["none", "contract", "double_contract"],
        says("what the others lose when the declaring side wins every trick"),
    ] = "none"
    takes_all_requires_made: Annotated[
        bool, says("and only if the contract was made")
    ] = False
    target: Annotated[int, Meta(ge=5, le=100000, description="points that end a game")] = 500
    target_mode: Annotated[
        Literal["at_least", "more_than"], says("the target is reached at it, or above it")
    ] = "at_least"
    tie: Annotated[
        Literal["draw", "extra_deal", "play_on"], says("equal top scores at the target")
    ] = "extra_deal"
    bid_bar: Annotated[
        Literal["none", "below", "at_or_below"], says("a side this low may not bid")
    ] = "below"
    bar_at: Annotated[int, Meta(ge=-100000, le=-5, description="the score that bars")] = -500
    bar_may_open: Annotated[
        bool, says("a barred forehand who must open does so at the minimum")
    ] = True
    bar_may_raise: Annotated[
        bool, says("a barred declarer may name a contract above the bid")
    ] = True
    max_deals: Annotated[
        int, Meta(ge=1, le=100000, description="a game ends here; the higher score wins")
    ] = 200


_HELSINKI = Rules()
_WIKIBOOKS_TEAM = replace(
    _HELSINKI,
    card_points="classic",
    last_trick_points=0,
    redeal="none",
    raise_timing="after_exchange",
    head_lapses_when_ruffed=False,
    must_overtrump=False,
    zero_card_points_fails=False,
    tie="draw",
    bid_bar="none",
)
_WIKIBOOKS = replace(
    _WIKIBOOKS_TEAM, teams=False, exchange="talon", ask_whole=False, ask_half="none"
)
_GERMAN = replace(
    _HELSINKI,
    card_points="classic",
    min_bid=120,
    opening_forced=False,
    all_pass="contractless",
    exchange_count=4,
    rounding="nearest5",
    bar_may_open=False,
)

PRESETS: dict[str, Rules] = {
    "wikibooks-2": replace(_WIKIBOOKS, players=2, min_bid=40),
    "wikibooks-3": replace(_WIKIBOOKS, players=3),
    "wikibooks-4": replace(_WIKIBOOKS, min_bid=60),
    "wikibooks-team": _WIKIBOOKS_TEAM,
    "helsinki": _HELSINKI,
    "helsinki-ru": replace(
        _HELSINKI,
        rank_order="plain",
        must_head=False,
        must_overtrump=False,
    ),
    "helsinki-pagat": replace(
        _HELSINKI,
        redeal="three_sixes_or_nothing_above_jack",
        redeal_window="first_bid_turn",
        trump_right="won_and_led",
        ask_lockout="pagat",
    ),
    "helsinki-classic": replace(_HELSINKI, card_points="classic", last_trick_points=10),
    "german": _GERMAN,
    "erlangen": replace(
        _GERMAN,
        redeal="none",
        raise_timing="after_exchange",
        first_lead="ace_then_spade",
        ace_shows=True,
        zero_card_points_fails=False,
        ask_half="any",
        declarer_no_trick_multiplier=2,
        takes_all_penalty="double_contract",
        takes_all_requires_made=True,
        bid_bar="none",
    ),
}

ABOUT: dict[str, str] = {
    "wikibooks-2": "two players, talon of two (Wikibooks)",
    "wikibooks-3": "three players, talon of three (Wikibooks)",
    "wikibooks-4": "four players on their own, talon of four (Wikibooks)",
    "wikibooks-team": "two pairs by the same text",
    "helsinki": "two pairs, the recommended game",
    "helsinki-ru": "the Russian text at its word: plain ranks, no duty to head or overtrump",
    "helsinki-pagat": "pagat's details: trump by a trick won and led, lockout after asks",
    "helsinki-classic": "helsinki with 11 10 4 3 2 and ten for the last trick",
    "german": "minimum 120, four cards exchanged, deals without a contract",
    "erlangen": "german with an ace led first, free asks and double losses without a trick",
}

MARRIAGE_POINTS: dict[str, tuple[int, int, int, int]] = {
    "hearts_high": (40, 100, 80, 60),
    "spades_high": (100, 80, 60, 40),
    "none": (0, 0, 0, 0),
}
"""By suit, in the order S H D C."""

CARD_POINTS: dict[str, dict[str, int]] = {"classic": CLASSIC, "simple": SIMPLE}


def highest_bid(rules: Rules) -> int:
    """`max_bid` as a number: `auto` is every point of the pack, the last trick and marriages."""
    if rules.max_bid != "auto":
        return rules.max_bid
    total = 4 * sum(CARD_POINTS[rules.card_points].values())
    total += rules.last_trick_points + sum(MARRIAGE_POINTS[rules.marriage_points])
    return total // rules.bid_step * rules.bid_step


def check(rules: Rules) -> None:
    """Refuse options that do not go together.

    Raises ConfigError with the option, its value and the reason.
    """
    refuse(rules, _conflicts(rules))


def _conflicts(rules: Rules) -> list[tuple[str, str]]:
    found = []
    highest = highest_bid(rules)
    if rules.bid_step % 5:
        found.append(("bid_step", "expected a multiple of 5"))
    for option, value in (("min_bid", rules.min_bid), ("max_bid", highest)):
        if value % rules.bid_step:
            found.append((option, f"expected a multiple of bid_step ({rules.bid_step})"))
    if rules.min_bid > highest:
        found.append(("min_bid", f"expected at most the highest bid ({highest})"))
    if not rules.opening_forced and rules.all_pass == "none":
        found.append(("opening_forced", "if all may pass, all_pass must say what follows"))
    if not rules.opening_forced and rules.exchange == "talon":
        found.append(("opening_forced", "with a talon there must be a declarer"))
    if rules.teams and rules.players != 4:
        found.append(("teams", f"partners need 4 players, not {rules.players}"))
    if rules.exchange == "partner" and not rules.teams:
        found.append(("exchange", "needs partners (teams = true)"))
    if rules.exchange == "talon" and rules.teams:
        found.append(("exchange", "partners are dealt all the cards, so there is no talon"))
    if not rules.teams and rules.ask_whole:
        found.append(("ask_whole", "needs partners (teams = true)"))
    if not rules.teams and rules.ask_half != "none":
        found.append(("ask_half", "needs partners (teams = true)"))
    found += check_dealer(rules.first_dealer, rules.players)
    barred = rules.bid_bar != "none"
    if barred and rules.opening_forced and not rules.bar_may_open:
        found.append(("bar_may_open", "a barred forehand who must open could do nothing"))
    penalty = rules.no_trick_penalty
    if isinstance(penalty, int) and penalty % 5 and rules.rounding != "none":
        found.append(("no_trick_penalty", "expected a multiple of 5 where points are rounded"))
    return found
