"""PROTOCOL.md taken apart: its blocks, tables and sections; and the tables that are generated."""

import re
from collections.abc import Callable
from pathlib import Path

from referee.games.game import Option
from referee.games.huutopussi import Huutopussi
from referee.games.huutopussi_options import ABOUT, PRESETS
from referee.games.rulesets import KINDS, options_of

PAGE = Path(__file__).parent.parent / "PROTOCOL.md"

_BLOCK = re.compile(r"^```(\w+)(?: (\w+))?\n(.*?)^```$", re.M | re.S)
_GENERATED = re.compile(r"(<!-- generated: (\w+) -->\n)(.*?)(<!-- end -->)", re.S)


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


# ---- what is generated -----------------------------------------------------------------------


def with_generated() -> str:
    """The page with its generated parts made anew."""
    makers: dict[str, Callable[[], str]] = {"options": _options, "rulesets": _rulesets}
    return _GENERATED.sub(
        lambda found: found[1] + makers[found[2]]() + found[4], PAGE.read_text(encoding="utf-8")
    )


def _table(head: list[str], lines: list[list[str]]) -> str:
    rule = ["---"] * len(head)
    return "".join("| " + " | ".join(line) + " |\n" for line in (head, rule, *lines))


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _options() -> str:
    options: list[Option] = options_of(KINDS["huutopussi"], "helsinki")
    lines = [
        [f"`{option.name}`", option.values, _written(option.default), option.meaning]
        for option in options
    ]
    return _table(["option", "values", "`helsinki`", "meaning"], lines)


def _rulesets() -> str:
    usual = PRESETS["helsinki"]
    lines = []
    for name, rules in PRESETS.items():
        game = Huutopussi(rules, name)
        changed = [
            f"{option}={_written(getattr(rules, option))}"
            for option in rules.__struct_fields__
            if getattr(rules, option) != getattr(usual, option)
        ]
        cards = f"{game.hand_size} + {game.talon_size}" if game.talon_size else f"{game.hand_size}"
        lines.append([
            f"`{name}`", ABOUT[name], cards, f"{game.bids[0]} to {game.bids[-1]}",
            f"{game.lowest_net():.10g}", f"`{' '.join(changed)}`" if changed else "",
        ])  # fmt: skip
    head = ["ruleset", "about", "hand + talon", "bids", "lowest net", "differs from `helsinki` in"]
    return _table(head, lines)
