"""Replays the recorded conversations of the protocol, and checks the policy."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import lowest  # type: ignore[import-not-found]  # found where the tests are run
import pytest

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"
GAMES = {"huutopussi", "marjapussi", "bondtolva", "tuppi", "minnesota"}

Message = dict[str, Any]


def read_lines(path: Path) -> list[Message]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


VECTOR_LINES = {path.stem: read_lines(path) for path in sorted(VECTORS.glob("*.jsonl"))}
CONVERSATIONS = {
    name: lines
    for name, lines in VECTOR_LINES.items()
    if any(line.get("from") == "referee" for line in lines)
}


def parts(message: Message) -> list[Message]:
    """A message, or the messages of a batch."""
    return list(message["messages"]) if message["type"] == "batch" else [message]


def said(lines: list[Message], by: str) -> list[Message]:
    return [line["message"] for line in lines[1:] if line["from"] == by]


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_answers_the_conversation(name: str) -> None:
    lines = CONVERSATIONS[name]
    acts = [part for message in said(lines, "bot") for part in parts(message)]
    recorded = {act["id"]: act["action"] for act in acts if act["type"] == "act"}
    otherwise = lines[0].get("answers", {})
    bot = lowest.Lowest()
    for message in said(lines, "referee"):
        given = bot.answers(message)
        for part in parts(message):
            if part["type"] == "ping":
                assert given.pop(0) == {"type": "pong", "id": part["id"]}
            elif part["type"] == "ask":
                act = given.pop(0)
                assert (act["type"], act["id"]) == ("act", part["id"])
                assert act["action"] in part["legal"]
                if part["view"]["phase"] != "play" and str(part["id"]) not in otherwise:
                    assert act["action"] == recorded[part["id"]]
        assert given == [], "an answer that nobody asked for"


def test_the_conversations_ask_about_every_game() -> None:
    told = [part for lines in CONVERSATIONS.values() for part in said(lines, "referee")]
    asks = [ask for message in told for ask in parts(message) if ask["type"] == "ask"]
    assert {ask["view"]["game"] for ask in asks} == GAMES


@pytest.mark.parametrize("odd", [None, 3, [], {}, {"type": 3}, {"type": "ask", "legal": ["KS"]}])
def test_odd_messages_are_passed_over(odd: object) -> None:
    assert lowest.Lowest().answers(odd) == []


def choice(trick: str, legal: str, rules: Message | None = None, **other: Any) -> object:
    """What is played: the trick and the legal actions as text, and what differs in the view."""
    plays = [[seat, card] for seat, card in enumerate(trick.split())]
    view = {"game": "minnesota", "phase": "play", "trump": None, "trick": plays, **other}
    return lowest.decide(view, legal.split(), rules or {})


def test_takes_the_first_legal_action_where_no_card_is_to_be_played() -> None:
    assert choice("", "pass bid:50", phase="bid") == "pass"
    assert choice("", "give:KS give:6H", phase="give") == "give:KS"


def test_leads_low_and_declares_nothing() -> None:
    assert choice("", "KS 7H whole declare:S") == "7H"


def test_wins_cheaply_or_plays_low() -> None:
    assert choice("TS", "2S JS AS") == "JS"
    assert choice("AS", "QS 9S") == "9S"
    assert choice("AS 5H KS", "4H 8H 9H", trump="H") == "8H"


def test_knows_the_order_of_the_ranks() -> None:
    assert choice("KS", "JS TS", game="marjapussi") == "TS"
    assert choice("TS", "7S KS", {"rank_order": "ace_ten"}) == "7S"
    assert choice("TS", "7S KS", {"rank_order": "plain"}) == "KS"
    sooli = {"game": "tuppi", "contract": "sooli"}
    assert choice("", "2S AS", {"sooli_ace": "low"}, **sooli) == "AS"
    assert choice("KS", "4S AS", {"sooli_ace": "high"}, **sooli) == "AS"


def test_says_what_is_missing_where_no_referee_started_it() -> None:
    program = [sys.executable, str(lowest.__file__)]
    done = subprocess.run(program, env={}, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "REFEREE_ENDPOINT" in done.stderr
