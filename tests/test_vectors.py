"""The vectors are what the referee says now, and what the client answers.

They are made by make_vectors.py; UPDATE=1 writes them anew.
"""

import base64
import json
import os
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import astuple

from protocol.bot import Bot
from protocol.messages import (
    Act,
    Ask,
    SealedAsk,
    decode_from_bot,
    decode_from_referee,
    decode_sealed,
    encode,
)
from tests.in_memory import replies_of
from tests.make_vectors import FOLDER, vector_files

MADE = vector_files()
CONVERSATIONS = sorted(set(MADE) - {"invalid_from_bot.jsonl", "chance.jsonl"})

every_conversation = pytest.mark.parametrize("name", CONVERSATIONS)


def lines_of(name: str) -> list[dict[str, Any]]:
    """The lines of a vector file as they are published."""
    return [json.loads(line) for line in (FOLDER / name).read_text("utf-8").splitlines()]


def flat(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A message, or those in a batch."""
    yield from message.get("messages", [message])


class Replayed(Bot):
    """Answers as a vector's first line says: the first legal action, but for some asks."""

    def __init__(self, hello: dict[str, Any], answers: dict[str, str], notes: dict[int, Any]):
        super().__init__(hello["name"], tables=hello["tables"], batch=hello["batch"])
        self.answers = answers
        self.notes = notes

    def decide(self, ask: Ask) -> str | Act:
        action = self.answers.get(str(ask.id), ask.legal[0])
        return Act(id=ask.id, action=action, note=self.notes.get(ask.id))


@pytest.mark.parametrize("name", sorted(MADE))
def test_a_vector_is_what_the_referee_says_now(name: str) -> None:
    if os.environ.get("UPDATE"):
        (FOLDER / name).write_text(MADE[name], encoding="utf-8")
    assert (FOLDER / name).read_text("utf-8") == MADE[name], "UPDATE=1 python -m pytest writes it"


def test_no_other_vector_is_published() -> None:
    assert {path.name for path in FOLDER.glob("*.jsonl")} == set(MADE)


@every_conversation
def test_every_message_decodes_and_encodes_to_the_same(name: str) -> None:
    about, *lines = lines_of(name)
    assert about["about"]
    for line in lines:
        data = json.dumps(line["message"]).encode()
        if line.get("later"):
            continue
        decode = decode_from_bot if line["from"] == "bot" else decode_from_referee
        assert json.loads(encode(decode(data))) == line["message"]


@every_conversation
def test_the_client_sees_the_same_of_every_ask(name: str) -> None:
    for line in lines_of(name)[1:]:
        for message in flat(line["message"]):
            if message["type"] == "ask":
                data = json.dumps(message).encode()
                ask, sealed = decode_from_referee(data), decode_sealed(data)
                assert isinstance(ask, Ask)
                assert isinstance(sealed, SealedAsk)
                fields = Ask.__struct_fields__
                assert [getattr(sealed, one) for one in fields] == list(astuple(ask))
                assert sealed.view is sealed.view


def test_what_a_later_version_adds_is_ignored() -> None:
    later = [line["message"] for line in lines_of("later_version.jsonl") if line.get("later")]
    assert {message["type"] for message in later} == {"welcome", "start", "ask", "weather"}
    for message in later:
        data = json.dumps(message).encode()
        if message["type"] == "weather":
            with pytest.raises(msgspec.ValidationError):
                decode_from_referee(data)
        else:
            known = json.loads(encode(decode_from_referee(data)))
            assert set(message) - set(known) == {"mood", "table_of"}
            assert set(message.get("view", {})) - set(known.get("view", {})) <= {"wind"}


@every_conversation
def test_the_client_answers_as_recorded(name: str) -> None:
    about, *lines = lines_of(name)
    bots = [line for line in lines if line["from"] == "bot"]
    hello, *recorded = [line["message"] for line in bots if not line.get("unprompted")]
    notes = {m["id"]: m["note"] for whole in recorded for m in flat(whole) if "note" in m}
    bot = Replayed(hello, about.get("answers", {}), notes)
    said: list[dict[str, Any]] = []
    for line in lines:
        if line["from"] == "referee":
            data = json.dumps(line["message"]).encode()
            said += [json.loads(reply) for reply in replies_of(bot, data)]
    assert said == recorded


def test_conversations_hold_what_they_are_named_for() -> None:
    def seen(name: str, *wanted: str) -> bool:
        return all(word in MADE[name] for word in wanted)

    assert seen("helsinki.jsonl", '"phase": "return"', '"contract": 50', '"over": true')
    assert seen("wikibooks-3.jsonl", '"phase": "discard"', '"type": "bye"')
    assert seen("german.jsonl", '"bid:120"', '"declarer": null', '"phase": "play"')
    assert '"contract:' not in MADE["german.jsonl"]
    assert seen("game.jsonl", '"unit": "game"', '"over": false', '"last": {')
    assert seen("redeal.jsonl", '"redeals": [2]', '"action": "redeal"')
    assert seen("declarations.jsonl", '"phase": "answer"', "name:C", "declare:S", "whole", "half:D")
    assert seen("marjapussi.jsonl", '"phase": "answer"', '["name:H", "name:', '"half:')
    assert seen("bondtolva.jsonl", '"phase": "declare"', '"legal": ["pass"]', '"stock": 12')
    assert seen("tuppi.jsonl", '"phase": "sooli"', '"phase": "return"', '"points": [0, 24]')
    assert seen("tuppi_partner.jsonl", '"phase": "give"', '"discard:?"')
    assert seen("minnesota.jsonl", '"action": "high:', '"contract": "high"')
    assert seen("batch.jsonl", '"type": "batch"', '"tables": 4')
    assert seen("illegal.jsonl", '"kind": "illegal"')
    assert seen("forfeit.jsonl", "the referee plays on for this seat")
    assert seen("late.jsonl", '"kind": "timeout"', "too late, not used")


def messages_of(name: str, kind: str) -> list[dict[str, Any]]:
    return [line["message"] for line in lines_of(name)[1:] if line["message"]["type"] == kind]


def test_conversations_show_a_seats_own_sealed_bid_to_it_alone() -> None:
    bidding, *playing = [ask["view"] for ask in messages_of("tuppi_sealed.jsonl", "ask")]
    assert (bidding["phase"], bidding["bids"], bidding["history"]) == ("bid", [], [])
    own = [bid for seat, bid in playing[0]["bids"] if seat == 0]
    assert own[0].startswith("rami:")
    # The bid of seat 2 stands, and seat 3 after it is never shown.
    assert [seat for seat, _ in playing[0]["bids"]] == [1, 2, 0]
    assert playing[0]["declarer"] == 2


def test_conversations_of_games_show_what_becomes_of_the_score() -> None:
    for name, lost in (("marjapussi_game.jsonl", "side"), ("bondtolva_game.jsonl", "item")):
        score, missing = [0, 0], []
        for end in messages_of(name, "end"):
            due = [old + new for old, new in zip(score, end["points"], strict=True)]
            missing += [a - b for a, b in zip(due, end["score"], strict=True) if a > b]
            score = end["score"]
        assert missing, f"{name}: no {lost} has lost points"
        assert max(score) == 5
    assert messages_of("bondtolva_game.jsonl", "ask")[-1]["view"]["hand"]
    scores = [end["score"] for end in messages_of("tuppi_game.jsonl", "end")]
    assert [0, 0] in scores[1:]
    views = [ask["view"]["score"] for ask in messages_of("tuppi_game.jsonl", "ask")]
    assert any(max(score) > 0 for score in views)
    assert views[-1] == scores[-2]


class TestTextsThatBotsMightSend:
    def test_decode_or_not_as_the_class_says(self) -> None:
        for line in lines_of("invalid_from_bot.jsonl")[1:]:
            text = line["text"].encode() if "text" in line else base64.b64decode(line["base64"])
            try:
                decode_from_bot(text.ljust(line.get("pad_to", 0)))
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                assert line["kind"] in ("malformed", "start_failed", "start_timeout"), line["why"]
            else:
                assert line["kind"] != "malformed", line["why"]

    def test_are_of_every_class(self) -> None:
        found = {(line["kind"], line["ruling"]) for line in lines_of("invalid_from_bot.jsonl")[1:]}
        assert found == {
            (None, None), ("start_failed", "none"), ("start_timeout", "none"),
            ("illegal", "substitute"), ("malformed", "substitute"),
            ("protocol", "substitute"), ("protocol", "none"), ("flood", "forfeit"),
        }  # fmt: skip
