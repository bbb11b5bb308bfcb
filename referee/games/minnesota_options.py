"""Minnesota Whist: its options, the rulesets that are named, and the checks on a configuration.

Sources: Wikipedia on Minnesota Whist and programs after it (`minnesota`), pagat.com's text
(`minnesota-pagat`, `south-dakota`). Norwegian Whist is left out: its spoken bidding does not come
out exactly with these options.
"""

from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import replace

from referee.games.tricktaking import check_dealer, refuse, says
from referee.games.whist import WhistRules


class Rules(WhistRules, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of Minnesota Whist; the defaults are the ruleset `minnesota`."""

    target: Annotated[int, Meta(ge=1, le=500, description="points that end a game")] = 13
    grand_points: Annotated[
        int, Meta(ge=1, le=100, description="high: points for each trick over six of its side")
    ] = 1
    grand_set_points: Annotated[
        int, Meta(ge=1, le=100, description="high: points for each trick over six of the others")
    ] = 2
    low_points: Annotated[
        int, Meta(ge=1, le=100, description="low: points for each trick under seven (or over six)")
    ] = 1
    high_fail: Annotated[
        Literal["opponents_score", "bidders_lose"],
        says("a failed high: the others score, or its side loses as much"),
    ] = "opponents_score"
    low_mode: Annotated[
        Literal["fewer_gain", "more_lose"],
        says("low: the side with fewer tricks gains, or the one with more loses as much"),
    ] = "fewer_gain"
    max_deals: Annotated[
        int, Meta(ge=1, le=10000, description="a game ends here; the higher score wins")
    ] = 200


_MINNESOTA = Rules()
_PAGAT = replace(_MINNESOTA, grand_set_points=1, low_mode="more_lose")

PRESETS: dict[str, Rules] = {
    "minnesota": _MINNESOTA,
    "minnesota-pagat": _PAGAT,
    "south-dakota": replace(_PAGAT, high_fail="bidders_lose", target=11),
}

ABOUT: dict[str, str] = {
    "minnesota": "high 1, failed high 2, low 1 a trick; to 13 (Norwegian Whist is not offered)",
    "minnesota-pagat": "1 a trick everywhere, low costs the side with more tricks",
    "south-dakota": "a failed high costs its own side; to 11",
}


def check(rules: Rules) -> None:
    """Refuse options that do not go together: ConfigError with option, value and reason."""
    refuse(rules, check_dealer(rules.first_dealer, 4))
