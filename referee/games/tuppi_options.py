"""Tuppi: its options, the rulesets that are named, and the checks on a configuration.

Sources: a game site's text on Tuppi (bids, sooli, scores, the reset); Wikipedia and tuppiliitto.com
(order of bidding, bids by cards, no sooli in competitions). Who leads first in sooli is said by
none of them: `sooli_first_lead` is an option with our default.
"""

from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import replace

from referee.games.tricktaking import Conflicts, check_dealer, refuse, says
from referee.games.whist import WhistRules


class Rules(WhistRules, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of Tuppi; the defaults are the ruleset `tuppi`."""

    target: Annotated[int, Meta(ge=4, le=500, description="points that end a game")] = 52
    grand_points: Annotated[
        int, Meta(ge=1, le=100, description="rami: points for each trick over six of its side")
    ] = 4
    grand_set_points: Annotated[
        int, Meta(ge=1, le=100, description="rami: points for each trick over six of the others")
    ] = 8
    low_points: Annotated[
        int, Meta(ge=1, le=100, description="nolo: points for each trick under seven")
    ] = 4
    sooli: Annotated[
        bool, says("an opponent of the rami may play alone and try to win no trick")
    ] = True
    sooli_order: Annotated[
        Literal["left_first", "right_first"],
        says("which opponent is asked first, seen from the declarer"),
    ] = "left_first"
    sooli_exchange: Annotated[
        Literal["receive_then_return", "discard_then_receive", "none"],
        says(
            "the soloist gets a card from the partner and returns one, or lays one away face down "
            "and then gets one, or neither"
        ),
    ] = "receive_then_return"
    sooli_first_lead: Annotated[
        Literal["left_of_soloist", "right_of_soloist", "declarer"], says("who leads first in sooli")
    ] = "left_of_soloist"
    sooli_ace: Annotated[
        Literal["low", "high"], says("whether an ace is the lowest or the highest card in sooli")
    ] = "low"
    sooli_stop: Annotated[
        bool, says("a sooli ends when the soloist wins a trick; else it is played out")
    ] = True
    sooli_points: Annotated[
        int, Meta(ge=1, le=500, description="points for a sooli, to whoever wins it")
    ] = 24
    reset_mode: Annotated[
        Literal["both_zero", "transfer", "off"],
        says(
            "points earned while the others have some: both sides fall to nought, only the others "
            "do, or nobody does"
        ),
    ] = "both_zero"
    stop_when_decided: Annotated[
        bool, says("a deal ends as soon as the side that has points must lose it")
    ] = False
    max_deals: Annotated[
        int, Meta(ge=1, le=10000, description="a game ends here; the higher score wins")
    ] = 500


_TUPPI = Rules()

PRESETS: dict[str, Rules] = {
    "tuppi": _TUPPI,
    "tuppi-competition": replace(_TUPPI, sooli=False),
    "tuppi-transfer": replace(_TUPPI, reset_mode="transfer"),
    "tuppi-minnesota-score": replace(_TUPPI, reset_mode="off", sooli=False),
}

ABOUT: dict[str, str] = {
    "tuppi": "only one side has points at a time; to 52",
    "tuppi-competition": "without sooli, as the Finnish association plays",
    "tuppi-transfer": "the opponents' points are wiped, one's own still count",
    "tuppi-minnesota-score": "no reset, no sooli: Minnesota Whist times four",
}


def check(rules: Rules) -> None:
    """Refuse options that do not go together: ConfigError with option, value and reason."""
    refuse(rules, _conflicts(rules))


def _conflicts(rules: Rules) -> Conflicts:
    found: list[tuple[str, str]] = []
    if rules.stop_when_decided and rules.reset_mode != "both_zero":
        reason = "needs reset_mode both_zero: elsewhere the points of the deal matter to the end"
        found.append(("stop_when_decided", reason))
    found += check_dealer(rules.first_dealer, 4)
    return found
