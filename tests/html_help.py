"""Reads a replay page as its script does, and plays its deals again to know what must be there."""

import json
import zlib
from base64 import b64decode
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec

from referee.games.game import Deal
from referee.games.rulesets import game_from
from referee.log import Log
from referee.retelling import Retelling, told

Values = list[Any]


class Page(HTMLParser):
    """A page taken apart: its elements, and the text of each script and style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[dict[str, str | None]] = []
        self.policy = ""
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.data: dict[str, str] = {}
        self._into: str | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append(tag)
        self.attributes.append(found)
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"] or ""
        if tag == "script":
            self._into = found.get("id") or "script"
        elif tag == "style":
            self._into = "style"

    def handle_endtag(self, tag: str) -> None:
        self._into = None

    def handle_data(self, data: str) -> None:
        if self._into == "script":
            self.scripts.append(data)
        elif self._into == "style":
            self.styles.append(data)
        elif self._into is not None:
            self.data[self._into] = data

    def value(self, name: str) -> Any:
        """What is packed in an element."""
        return json.loads(zlib.decompress(b64decode(self.data[name], validate=True)))

    def index(self) -> dict[str, Any]:
        return self.value("index")  # type: ignore[no-any-return]

    def rows(self) -> list[dict[str, Any]]:
        """The lines of the list, by the names of their fields."""
        index = self.index()
        return [dict(zip(index["row"], row, strict=True)) for row in index["rows"]]

    def deals(self) -> list[dict[str, Any]]:
        """All deals, as they were packed."""
        blocks = [name for name in self.data if name.startswith("block-")]
        return [deal for name in blocks for deal in self.value(name)]


def _changed(values: Values, changes: dict[str, list[Any]]) -> Values:
    made = list(values)
    for place, change in changes.items():
        at = int(place)
        made[at] = change[0] if len(change) == 1 else [*values[at][: change[0]], *change[1]]
    return made


def _after(fields: list[str], values: Values, viewer: int, actor: int, action: str) -> Values:
    view = dict(zip(fields, values, strict=True))
    view["history"] = [*view["history"], [actor, action]]
    if len(action) == 2 and action[1] in "SHDC":
        if viewer == actor:
            view["hand"] = [card for card in view["hand"] if card != action]
        view["counts"] = [n - (seat == actor) for seat, n in enumerate(view["counts"])]
        view["trick"] = [*view["trick"], [actor, action]]
        view["leader"] = view["trick"][0][0]
    return list(view.values())


def positions(deal: dict[str, Any], fields: list[str]) -> Iterator[tuple[str, list[Values]]]:
    """Every position of a packed deal: who is to act, and every seat's view."""
    for dealing in deal["dealings"]:
        first, *others = dealing["views"]
        views = [first, *(_changed(first, changes) for changes in others)]
        yield dealing["to_act"][0], views
        for turn, action in enumerate(dealing["actions"]):
            actor = int(dealing["to_act"][turn])
            changes = dealing["changes"].get(str(turn), [{}])
            views = [
                _changed(
                    _after(fields, values, seat, actor, action),
                    changes[seat if len(changes) > 1 else 0],
                )
                for seat, values in enumerate(views)
            ]
            yield dealing["to_act"][turn + 1], views


class Watching(Retelling):
    """Keeps what the engine shows every seat in every position."""

    def dealt(self, deal: Deal, cards: list[str]) -> None:
        if not hasattr(self, "seen"):
            self.seen: list[tuple[str, list[dict[str, Any]]]] = []
        self._look(deal)

    def act(self, deal: Deal, at: int, place: int) -> None:
        super().act(deal, at, place)
        self._look(deal)

    def _look(self, deal: Deal) -> None:
        wanted = "-" if deal.to_act is None else str(deal.to_act)
        views = [json.loads(msgspec.json.encode(deal.view(s))) for s in range(self.game.seats)]
        for view in views:
            del view["game"]
        self.seen.append((wanted, views))


def engine_positions(log: Log) -> list[list[tuple[str, list[dict[str, Any]]]]]:
    """For every deal of a log, every position as the engine shows it."""
    header = log.header
    game = game_from(header.game, header.ruleset, header.rules)
    return [
        player.seen
        for number in sorted(log.sets)
        for player, _ in told(game, header.unit, log.sets[number], Watching)
    ]


def golden(name: str) -> Path:
    """A golden log."""
    return Path(__file__).parent / "golden" / f"{name}.jsonl"
