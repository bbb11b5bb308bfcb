"""PROTOCOL.md taken apart, the tables that are generated, and games to compare it with."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from referee.games.game import Game
from referee.games.huutopussi import Huutopussi
from referee.games.rulesets import KINDS, Kind, game_named, options_of
from tests.test_contract import choose, random_deal

PAGE = Path(__file__).parent.parent / "PROTOCOL.md"

_BLOCK = re.compile(r"^```(\w+)(?: (\w+))?\n(.*?)^```$", re.M | re.S)
_GENERATED = re.compile(r"(<!-- generated: (\w+) (\w+) -->\n)(.*?)(<!-- end -->)", re.S)

CHAPTERS = {name: 18 + place for place, name in enumerate(KINDS)}
"""The number of each game's section; all have the same sub-sections."""
(
    ACTIONS, DEALING, BIDDING, TRICKS, MARRIAGES, SCORING, VIEW, FLOOR, OPTIONS, RULESETS, EXAMPLE,
) = range(1, 12)  # fmt: skip


def blocks(language: str, kind: str | None = None) -> list[str]:
    """The fenced blocks of a language, or those of one kind: ```` ```json bot ````."""
    return [
        text
        for found, what, text in _BLOCK.findall(PAGE.read_text(encoding="utf-8"))
        if found == language and kind in (None, what)
    ]


def kinds(language: str) -> set[str]:
    """The kinds of a language's blocks."""
    text = PAGE.read_text(encoding="utf-8")
    return {what for found, what, _ in _BLOCK.findall(text) if found == language}


def section(heading: str) -> str:
    """The text below a heading, which begins with the given words, up to the next heading."""
    text = _BLOCK.sub("", PAGE.read_text(encoding="utf-8"))
    parts = re.split(r"^(#+ .*)$", text, flags=re.M)
    found = [
        body
        for title, body in zip(parts[1::2], parts[2::2], strict=True)
        if title.lstrip("# ").startswith(heading)
    ]
    assert len(found) == 1, f"{len(found)} headings begin with {heading!r}"
    return found[0]


def chapter(game: str, *parts: int) -> str:
    """The text of some sub-sections of a game's section."""
    return "".join(section(f"{CHAPTERS[game]}.{part} ") for part in parts)


def headings(game: str) -> list[str]:
    """The headings of a game's sub-sections without their numbers."""
    text = _BLOCK.sub("", PAGE.read_text(encoding="utf-8"))
    return re.findall(rf"^### {CHAPTERS[game]}\.\d+ (.*)$", text, flags=re.M)


def rows(text: str) -> list[list[str]]:
    """The rows of all tables in a text, without their heads."""
    found: list[list[str]] = []
    for table in re.findall(r"(?:^\|.*\|\n)+", text, flags=re.M):
        lines = [line.strip("|").split("|") for line in table.splitlines()[2:]]
        found += [[cell.strip() for cell in line] for line in lines]
    return found


def names(cell: str) -> list[str]:
    """The words in `code` of a table's cell."""
    return re.findall(r"`([^`]+)`", cell)


def section_title(name: str) -> str:
    """The title of a game's section as an address."""
    text = PAGE.read_text(encoding="utf-8")
    (title,) = re.findall(rf"^## {CHAPTERS[name]}\. (.*)$", text, flags=re.M)
    return str(title).lower().replace(" ", "-")


def annotated(name: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """A game's annotated deal: its facts by name, and its lines with their remarks."""
    (block,) = blocks("text", f"deal_{name}")
    facts: dict[str, str] = {}
    script = []
    for line in block.splitlines():
        if line[0].isdigit() or line[0] == "(":
            steps, _, remark = line.partition("|")
            script.append((steps.strip(), remark.strip()))
        else:
            fact, _, value = line.partition(": ")
            facts[fact] = value
    return facts, script


def steps_of(line: str) -> list[tuple[int, str, bool]]:
    """The steps of a line of an annotated deal: (seat, action, whether it is dictated)."""
    found = []
    for step in line.split():
        seat, _, action = step.strip("()").partition(":")
        found.append((int(seat), action, step[0] == "("))
    return found


def holds_for(condition: str, rules: Any) -> bool:
    """Whether options meet a condition such as `sooli = true and sooli_exchange != none`."""

    def one(test: str) -> bool:
        option, sign, value = test.split()
        return (written(getattr(rules, option)) == value) == {"=": True, "!=": False}[sign]

    return any(all(map(one, part.split(" and "))) for part in condition.split(" or "))


# ---- games to compare it with -----------------------------------------------------------------

VARIANTS: dict[str, list[tuple[str, dict[str, object]]]] = {
    "huutopussi": [
        ("helsinki", {"redeal_window": "first_bid_turn", "trump_right": "first_won_and_led"}),
        ("helsinki", {"ask_lockout": "pagat"}),
        ("helsinki", {"ask_lockout": "illisoft", "must_overtrump": False}),
    ],
    "marjapussi": [
        ("marjapussi", {"mates_tie": "eyes", "ten_eyes": 10, "ask_half": "any"}),
        ("marjapussi", {"ask_whole": False, "ask_half": "none", "little_points": 4}),
        ("marjapussi-3p", {"deck": 24, "mates_by": "card_points", "card_points": "simple"}),
        ("marjapussi-2p", {"declare_in_phase2": True, "overshoot": "skip_item"}),
        ("marjapussi", {"overshoot": "bounce", "tie": "draw", "first_trick_must_beat": False}),
        ("marjapussi", {"declare_must_lead_marriage": True, "head_lapses_when_ruffed": False}),
        ("marjapussi", {"target_mode": "at_least"}),
    ],
    "bondtolva": [
        ("bondtolva", {"deck": 36, "declare_in_phase2": True, "timing": "deal_end"}),
        ("bondtolva", {"deck": 28, "trump_in_phase1": False, "overshoot": "reset"}),
        ("bondtolva", {"deck": 32, "mates_tie": "none", "overshoot": "bounce"}),
    ],
    "tuppi": [
        ("tuppi", {"bid_cards": "hand_cards", "sooli_stop": False}),
        ("tuppi", {"sooli_exchange": "discard_then_receive", "sooli_points": 90}),
        ("tuppi", {"sooli_exchange": "none", "bid_mode": "sealed"}),
    ],
    "minnesota": [
        ("minnesota", {"bid_cards": "hand_cards", "bid_mode": "sealed"}),
        ("south-dakota", {"grand_lead": "left_of_declarer", "low_points": 3}),
    ],
}
"""Options that are worth a look beside the rulesets."""


def games(name: str) -> list[Game]:
    """A game with all its rulesets and variants."""
    found = [game_named(name, ruleset) for ruleset in KINDS[name].presets]
    return found + [game_named(name, ruleset, options) for ruleset, options in VARIANTS[name]]


def played(game: Game, number: int) -> Iterator[Any]:
    """A deal in random play, at every decision and once more when it is over."""
    deal: Any = game.deal(*random_deal(game, number))
    random = Random(number)
    while deal.to_act is not None:
        yield deal
        deal.apply(choose(game, random, deal.legal()))
    yield deal


def phases(name: str) -> set[tuple[str, str]]:
    """(phase, verb) of all that is asked in many deals of a game."""
    found = set()
    for game in games(name):
        for number in range(60):
            for deal in played(game, number):
                if deal.to_act is not None and not deal.dictated():
                    phase = deal.view(deal.to_act).phase
                    found |= {(phase, verb_of(game, action)) for action in deal.legal()}
    return found


def verb_of(game: Game, action: int) -> str:
    text = game.actions[action]
    return "CARD" if text in game.pack.index else text.partition(":")[0]


# ---- what is generated -----------------------------------------------------------------------


def with_generated() -> str:
    """The page with its generated parts made anew."""
    makers: dict[str, Callable[[Kind], str]] = {"options": _options, "rulesets": _rulesets}
    return _GENERATED.sub(
        lambda found: found[1] + makers[found[2]](KINDS[found[3]]) + found[5],
        PAGE.read_text(encoding="utf-8"),
    )


def generated() -> list[tuple[str, str]]:
    """(what, game) of every generated part, in the order of the page."""
    text = PAGE.read_text(encoding="utf-8")
    return [(found[2], found[3]) for found in _GENERATED.finditer(text)]


def _table(head: list[str], lines: list[list[str]]) -> str:
    rule = ["---"] * len(head)
    return "".join("| " + " | ".join(line) + " |\n" for line in (head, rule, *lines))


def written(value: object) -> str:
    """A value of an option as the page writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _options(kind: Kind) -> str:
    lines = [
        [f"`{option.name}`", option.values, written(option.default), option.meaning]
        for option in options_of(kind)
    ]
    return _table(["option", "values", f"`{kind.default}`", "meaning"], lines)


def _rulesets(kind: Kind) -> str:
    usual = kind.presets[kind.default]
    bids: list[str] = []
    lines = []
    for name, rules in kind.presets.items():
        game = game_named(kind.name, name)
        changed = [
            f"{option}={written(getattr(rules, option))}"
            for option in rules.__struct_fields__
            if getattr(rules, option) != getattr(usual, option)
        ]
        hand = len(game.deal(range(game.pack.size), game.first(0)).view(0).hand)
        left = game.pack.size - hand * game.seats
        if isinstance(game, Huutopussi):
            bids = ["bids"]
        lines.append([
            f"`{name}`", kind.about[name], str(game.seats), str(game.pack.size),
            f"{hand} + {left}" if left else f"{hand}",
            *([f"{game.bids[0]} to {game.bids[-1]}"] if isinstance(game, Huutopussi) else []),
            f"{game.lowest_net():.10g}", f"`{' '.join(changed)}`" if changed else "",
        ])  # fmt: skip
    head = ["ruleset", "about", "seats", "pack", "hand + rest", *bids, "lowest net"]
    return _table([*head, f"differs from `{kind.default}` in"], lines)
