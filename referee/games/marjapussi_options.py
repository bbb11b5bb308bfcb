"""Marjapussi: its options, the rulesets that are named, and the checks on a configuration.

Sources: Wikipedia "Marjapussi" (an older revision; trump, duties, the exact target), the Russian
text "Hutopusi" (the three ways to declare), korttipeli.org, vint.ee and pagat.com for variants.
What passing twelve means is said by none of them: `overshoot` is an option with our default.
"""

from typing import Annotated, Literal

from msgspec.structs import replace

from referee.games import tricktaking
from referee.games.items import ItemRules
from referee.games.tricktaking import Conflicts, check_dealer, refuse, says


class Rules(ItemRules, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of Marjapussi; the defaults are the ruleset `marjapussi`."""

    players: Annotated[
        Literal[2, 3, 4], says("4: two pairs; 3: each alone; 2: with a stock, like Bondtolva")
    ] = 4
    deck: Annotated[
        Literal[24, 28, 32, 36], says("cards in the pack, from the ace down")
    ] = 36
    hand: Annotated[Literal[6], says("cards in hand while there is a stock (2 players)")] = 6
    first_lead: tricktaking.FirstLead = "ace"
    must_head: tricktaking.MustHead = True
    head_lapses_when_ruffed: tricktaking.HeadLapses = True
    must_trump: tricktaking.MustTrump = True
    must_overtrump: tricktaking.MustOvertrump = True
    spare_partner: Annotated[
        bool, says("no duty to head or overtrump while the partner is winning")
    ] = False
    first_trick_must_beat: Annotated[
        bool, says("the duties to head and overtrump hold in the first trick too")
    ] = True
    ask_whole: tricktaking.AskWhole = True
    ask_half: tricktaking.AskHalfOption = "own_half"
    ask_only_without_own: Annotated[
        bool, says("asking is for those who hold no marriage that they could declare")
    ] = False
    declare_must_lead_marriage: Annotated[
        bool, says("after a declaration the king or queen must be led, if one is held")
    ] = False
    mates_by: Annotated[
        Literal["count", "card_points"],
        says("most mates: by the number of aces and tens, or by the card points won"),
    ] = "count"
    card_points: tricktaking.CardPoints = "classic"


_DEFAULT = Rules()
_ALONE = replace(_DEFAULT, ask_whole=False, ask_half="none")

PRESETS: dict[str, Rules] = {
    "marjapussi": _DEFAULT,
    "marjapussi-32": replace(_DEFAULT, deck=32),
    "marjapussi-28": replace(_DEFAULT, deck=28),
    "marjapussi-24": replace(_DEFAULT, deck=24),
    "marjapussi-korttipeli": replace(
        _DEFAULT,
        deck=32,
        first_lead="ace_then_spade",
        must_head=False,
        must_overtrump=False,
        ask_only_without_own=True,
    ),
    "marjapussi-pagat10": replace(
        _DEFAULT, target=10, first_lead="any", mates_by="card_points"
    ),
    "marjapussi-friendly": replace(_DEFAULT, spare_partner=True),
    "marjapussi-3p": replace(_ALONE, players=3),
    "marjapussi-2p": replace(_ALONE, players=2, first_lead="any"),
}

ABOUT: dict[str, str] = {
    "marjapussi": "two pairs, 36 cards, exactly twelve points",
    "marjapussi-32": "the same with 32 cards",
    "marjapussi-28": "the same with 28 cards",
    "marjapussi-24": "the same with 24 cards",
    "marjapussi-korttipeli": "korttipeli.org: an ace or a spade led first, nothing need be beaten",
    "marjapussi-pagat10": "experimental: exactly ten points, card points in place of mates (pagat)",
    "marjapussi-friendly": "a partner who is winning need not be beaten (vint.ee)",
    "marjapussi-3p": "three players, each alone",
    "marjapussi-2p": "two players with a stock, like Bondtolva",
}


def check(rules: Rules) -> None:
    """Refuse options that do not go together: ConfigError with option, value and reason."""
    refuse(rules, _conflicts(rules))


def _conflicts(rules: Rules) -> Conflicts:
    found: list[tuple[str, str]] = []
    if rules.players == 3 and rules.deck % 3:
        found.append(("deck", "does not divide by 3 players; expected 24 or 36"))
    if rules.players != 4:
        partners = f"needs partners (players = 4, not {rules.players})"
        found += [
            (option, partners)
            for option in ("ask_whole", "spare_partner", "ask_only_without_own")
            if getattr(rules, option)
        ]
        if rules.ask_half != "none":
            found.append(("ask_half", partners))
    elif rules.ask_only_without_own and not rules.ask_whole and rules.ask_half == "none":
        found.append(("ask_only_without_own", "nothing may be asked, so nothing is left to bar"))
    if rules.players == 2:
        if rules.first_lead != "any":
            found.append(("first_lead", "with a stock any card may be led; expected any"))
        if rules.declare_must_lead_marriage:
            found.append(("declare_must_lead_marriage", "with a stock any card may be led"))
        if not rules.first_trick_must_beat:
            found.append(("first_trick_must_beat", "with a stock the first trick has no duties"))
    else:
        stock = f"needs a stock (players = 2, not {rules.players})"
        if rules.declare_in_phase2:
            found.append(("declare_in_phase2", stock))
        if not rules.trump_in_phase1:
            found.append(("trump_in_phase1", stock))
    found += check_dealer(rules.first_dealer, rules.players)
    return found


