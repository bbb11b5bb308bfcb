"""Scenarios that need no process: S3, S10, and S12's plan, log and standings.

The bots are played in memory, so that all times are exact and every run is the same.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from protocol.messages import Ask
from referee.log import canonical, decode_play
from referee.seats.bot import BotCommand
from tests.arena_help import Outcome, job
from tests.in_memory import Player, Reply, World, first


class Scripted(Player):
    """Sends so many more messages after its answers to certain asks; `ID` is the ask's."""

    def __init__(self, **more: Any) -> None:
        super().__init__(more.pop("answer", first))
        self.more: Mapping[int, list[tuple[float, bytes]]] = more.pop("more", {})
        self.late = more.pop("late", {})
        self.instead = more.pop("instead", {})
        assert not more

    def take(self, data: bytes) -> list[Reply]:
        replies = super().take(data)
        message = json.loads(data)
        asked = message["id"] if message["type"] == "ask" else 0
        return replies + list(self.more.get(asked, []))


def duel(folder: Path, make: Callable[[], Player], **options: Any) -> Outcome:
    """A set between `bad`, made so, and `good`, which answers `legal[0]`."""
    entrants = [BotCommand(entrant=name, argv=[name]) for name in ("bad", "good")]
    return World({"bad": make, "good": Player}).play(job(folder, entrants, **options))


def act(number: int, action: str) -> bytes:
    return b'{"type":"act","id":%d,"action":"%s"}' % (number, action.encode())


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The same set without any fault."""
    return canon(duel(tmp_path_factory.mktemp("calm"), Player))


def canon(outcome: Outcome) -> list[bytes]:
    return [canonical(play) for play in outcome.plays]


# ---- S3: a late answer meets the next question --------------------------------------------------


def last_at_seven(ask: Ask) -> str:
    return ask.legal[-1 if ask.id == 7 else 0]


def test_s03_a_late_answer_is_told_from_the_next_one(tmp_path: Path, calm: list[bytes]) -> None:
    """Its text differs from what is played instead, so that using it would be seen."""
    outcome = duel(
        tmp_path, lambda: Scripted(answer=last_at_seven, late={7: 0.45}), decision_ms=200
    )
    assert [play.actions for play in outcome.plays] == [
        decode_play(msgspec.Raw(play)).actions for play in calm
    ]
    for line, play in zip(outcome.lines, outcome.plays, strict=True):
        timeout, stale = line.side.blame
        assert (timeout.kind, timeout.ruling, timeout.ask) == ("timeout", "substitute", 7)
        assert timeout.took_ms == pytest.approx(250, abs=2)
        assert (stale.kind, stale.ruling, stale.ask) == ("protocol", "none", 7)
        assert "the answer to ask 7 came after 45" in stale.message
        assert "too late, not used" in stale.message
        bad = play.seats.index("bad")
        assert line.side.unexpected == [int(seat == bad) for seat in range(2)]
        assert [ruling.kind for ruling in play.rulings] == ["timeout"]
        times = {at: ms for seat, at, ms in line.side.times if seat == bad}
        assert len(times) == sum(seat == bad for seat, _, _ in line.side.times)
        assert max(times.values()) == pytest.approx(250, abs=2)


@pytest.mark.parametrize(
    ("message", "phrase"),
    [
        (act(7, "pass"), "ask 7 has been answered: a second answer is not used"),
        (act(700, "pass"), "there is no ask 700"),
        (act(2, "pass"), "ask 2 has been answered: a second answer is not used"),
        (b'{"type":"pong","id":3}', "pong 3 answers no ping"),
    ],
    ids=["twice", "never asked", "long ago", "pong"],
)
def test_s03_what_answers_no_open_ask_changes_no_deal(
    message: bytes, phrase: str, tmp_path: Path, calm: list[bytes]
) -> None:
    outcome = duel(tmp_path, lambda: Scripted(more={7: [(0.0, message)]}))
    assert canon(outcome) == calm
    for line in outcome.lines:
        (blame,) = line.side.blame
        assert (blame.kind, blame.ruling) == ("protocol", "none")
        assert phrase in blame.message
        assert sum(line.side.unexpected) == 1


# ---- S10: every wrong answer --------------------------------------------------------------------


class Wrong(NamedTuple):
    name: str
    data: bytes
    kind: str | None
    """None where it is accepted."""
    phrase: str = ""


def played_already(ask: Ask) -> bool:
    return bool(ask.view.history)


WRONG = [
    Wrong("a card not held", b'{"type":"act","id":ID,"action":"ELSEWHERE"}', "illegal", "legal"),
    Wrong("a card already played", b'{"type":"act","id":ID,"action":"PLAYED"}', "illegal", "'"),
    Wrong("a bid among tricks", b'{"type":"act","id":ID,"action":"bid:50"}', "illegal", "bid"),
    Wrong("no action", b'{"type":"act","id":ID,"action":""}', "illegal", "not legal"),
    Wrong("wrong case", b'{"type":"act","id":ID,"action":"LOWER"}', "illegal", "not legal"),
    Wrong("null", b"null", "malformed", "null"),
    Wrong("empty object", b"{}", "malformed", "type"),
    Wrong("array", b"[]", "malformed", "array"),
    Wrong("a null action", b'{"type":"act","id":ID,"action":null}', "malformed", "null"),
    Wrong("1e400", b'{"type":"act","id":1e400,"action":"LEGAL"}', "malformed", "range"),
    Wrong("NaN", b'{"type":"act","id":NaN,"action":"LEGAL"}', "malformed", "JSON"),
    Wrong("a lone surrogate", b'{"type":"act","id":ID,"action":"\\ud800"}', "malformed", "valid"),
    Wrong("a byte order mark", b'\xef\xbb\xbf{"type":"act","id":ID,"action":"LEGAL"}', "malformed",
          "JSON"),
    Wrong("nested 30,000 deep", b"[" * 30_000, "malformed", "valid"),
    Wrong("CRLF", b'{"type":"act","id":ID,"action":"LEGAL"}\r\n', None),
    Wrong("an unknown field", b'{"type":"act","id":ID,"action":"LEGAL","mood":"good"}', None),
    Wrong("duplicate keys", b'{"type":"act","id":9,"id":ID,"action":"LEGAL"}', None),
    Wrong("spaces", b' { "type" : "act" , "id" : ID , "action" : "LEGAL" } ', None),
]  # fmt: skip

PLACE = 9
"""The ask that is answered wrongly: a card is to be played there."""


class Wronging(Player):
    """Answers one ask with the given bytes."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.data = data
        self.heard: list[dict[str, Any]] = []

    def take(self, data: bytes) -> list[Reply]:
        message = json.loads(data)
        self.heard.append(message)
        if message["type"] != "ask" or message["id"] != PLACE:
            return super().take(data)
        view = message["view"]
        cards = {action for _, action in view["history"] if len(action) == 2}
        assert cards, "no card has been played: the case would test nothing"
        held = {*view["hand"]}
        elsewhere = min({"AS", "AH", "AD", "AC", "6S", "6H", "6D", "6C"} - held - cards)
        words = {
            b"ID": str(PLACE), b"LEGAL": message["legal"][0], b"LOWER": message["legal"][0].lower(),
            b"PLAYED": min(cards), b"ELSEWHERE": elsewhere,
        }  # fmt: skip
        sent = self.data
        for word, text in words.items():
            sent = sent.replace(word, text.encode())
        return [(0.0, sent)]


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.name)
def test_s10_every_wrong_answer_has_its_class_and_spoils_nothing(
    case: Wrong, tmp_path: Path, calm: list[bytes]
) -> None:
    bots: list[Wronging] = []

    def make() -> Wronging:
        bots.append(Wronging(case.data))
        return bots[-1]

    outcome = duel(tmp_path, make)
    if case.kind is None:
        assert canon(outcome) == calm
        assert outcome.blame("bad") == []
        return
    assert [play.actions for play in outcome.plays] == [
        decode_play(msgspec.Raw(play)).actions for play in calm
    ]
    for line, play in zip(outcome.lines, outcome.plays, strict=True):
        (blame,) = line.side.blame
        assert (blame.kind, blame.ruling) == (case.kind, "substitute")
        assert case.phrase in blame.message
        assert blame.received is not None
        assert blame.received.removesuffix("…").isascii()
        assert blame.received.isprintable()
        assert [ruling.kind for ruling in play.rulings] == [case.kind]
    for player in bots:
        (fault,) = [message for message in player.heard if message["type"] == "fault"]
        assert (fault["kind"], fault["id"]) == (case.kind, PLACE)
        assert fault["message"] in {blame.message for blame in outcome.blame("bad")}
        (ask,) = [m for m in player.heard if m["type"] == "ask" and m["id"] == PLACE]
        assert fault["played"] == ask["legal"][0]
