"""Bondtolva: its options, its ruleset, and the checks on a configuration.

Sources: the Swedish pages kortspelsregler.com and casinon.nu on Bondtolva and one by R. Holmberg,
which has the eyes. Whether twelve must be met exactly and what passing it means is open there:
both are options.
"""

from typing import Annotated, Literal

from referee.games.items import ItemRules
from referee.games.tricktaking import check_dealer, refuse, says


class Rules(ItemRules, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of Bondtolva; the defaults are the ruleset `bondtolva`."""

    deck: Annotated[
        Literal[24, 28, 32, 36], says("cards in the pack, from the ace down")
    ] = 24
    hand: Annotated[Literal[6], says("cards in hand while there is a stock")] = 6
    overshoot: Annotated[
        Literal["skip_item", "no_score", "bounce", "reset"],
        says(
            "what passing an exact target does: only the items that pass it are lost, all the "
            "deal's points are, the surplus is taken back, or the score is nought"
        ),
    ] = "skip_item"
    timing: Annotated[
        Literal["immediate", "deal_end"],
        says("items are entered at once and the target ends the game, or after the deal"),
    ] = "immediate"
    mates_tie: Annotated[
        Literal["eyes", "none"],
        says("equal mates: whoever has more eyes (A K Q J count 4 3 2 1), or nobody scores"),
    ] = "eyes"
    next_dealer: Annotated[
        Literal["alternate", "winner", "loser"],
        says("who deals next: the other player, or who won or lost the deal (equal: the other)"),
    ] = "alternate"


PRESETS: dict[str, Rules] = {"bondtolva": Rules()}

ABOUT: dict[str, str] = {"bondtolva": "two players, 24 cards, exactly twelve points"}


def check(rules: Rules) -> None:
    """Refuse options that do not go together: ConfigError with option, value and reason."""
    refuse(rules, check_dealer(rules.first_dealer, 2))
