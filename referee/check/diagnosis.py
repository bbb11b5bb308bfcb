"""What is wrong with a message or an answer, in one sentence for the bot's author."""

import json
import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from referee.seats.trouble import Trouble

_TYPES = ("hello", "act", "ping", "pong", "batch")
_MOST_ID = 2**53 - 1
_ANSWERED = frozenset(("action", "answer", "move", "play", "card", "bid", "response", "decision"))
"""What some call an `act`, or the field with the action."""


def shown(data: bytes, most: int = 160) -> str:
    """Bytes on one line, escaped, and cut after so many letters.

    >>> shown(b'{"a":1}\\r\\n\\xff')
    '{"a":1}\\\\r\\\\n\\\\xff'
    """
    text = data[: 4 * most].decode("utf-8", "backslashreplace")
    text = "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )
    if len(text) <= most and len(data) <= 4 * most:
        return text
    return f"{text[:most]}… ({len(data):,} bytes)"


def example(number: int, action: str) -> str:
    """An answer as it is to look."""
    return json.dumps({"type": "act", "id": number, "action": action})


# ---- messages --------------------------------------------------------------------------------


def bad_message(data: bytes, otherwise: str, answer: str = "", legal: Sequence[str] = ()) -> str:
    """Why bytes are no valid message; `otherwise` where none of the usual mistakes is found.

    `answer` is what would have been right there.
    """
    like = f"; an answer looks like {answer}" if answer else ""
    if not data:
        return "it sent an empty message"
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return f"it sent bytes that are not UTF-8 (at byte {error.start})"
    if text.startswith("\ufeff"):
        return "its message begins with a byte order mark; send UTF-8 without one"
    if text.strip() in ("{", "["):
        return "its message is spread over several lines; one message is one line"
    bare = text.strip().strip("\"'")
    if bare in legal:
        return f"it sent the bare action {bare!r} without a JSON object around it{like}"
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        return _no_json(text, error, like)
    except RecursionError:
        return otherwise
    if isinstance(value, dict):
        return _bad_object(value, legal) or otherwise
    what = _kind(value)
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        return (
            'it sent a bare list of messages; a batch is {"type": "batch", "messages": [...]}, '
            "and only where hello said batch"
        )
    return f"it sent {what} where a message is a JSON object{like}"


def _no_json(text: str, error: json.JSONDecodeError, like: str) -> str:
    if error.msg.startswith("Extra data"):
        return "it sent more than one JSON value in one message; each message is one object"
    if re.match(r"\{\s*'", text):
        return "it sent single quotes where JSON wants double quotes: encode it by a JSON library"
    if not text.lstrip().startswith("{"):
        return f"it sent text that is not a JSON object{like}"
    return f"it sent invalid JSON: {error.msg} at character {error.pos}"


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the value {str(value).lower()}"
    if isinstance(value, int | float):
        return f"the number {value!r:.40}"
    if isinstance(value, str):
        return f"the string {value[:40]!r}"
    return "a list" if isinstance(value, list) else "an object"


def _bad_object(value: dict[str, Any], legal: Sequence[str]) -> str:
    kind = value.get("type")
    if kind is None:
        said = "its message has no field `type`"
        return said + ('; an answer has "type": "act"' if _ANSWERED & set(value) else "")
    if kind not in _TYPES:
        close = "act" if kind in _ANSWERED else next(
            iter(get_close_matches(str(kind).lower(), _TYPES, 1)), ""
        )  # fmt: skip
        hint = f"; did you mean {close!r}?" if close else ""
        return f"its message has the unknown type {kind!r:.60}; {_known()}{hint}"
    if kind == "act":
        return _bad_id(value, "act") or _bad_action(value, legal)
    if kind in ("ping", "pong"):
        return _bad_id(value, str(kind))
    if kind == "hello":
        return bad_hello(value)
    return _bad_batch(value, legal)


def _known() -> str:
    return f"a bot sends {', '.join(_TYPES[:-1])} or {_TYPES[-1]}"


def _bad_id(value: dict[str, Any], kind: str) -> str:
    if "id" not in value:
        return f"its {kind} has no field `id`; copy it from the message that it answers"
    number = value["id"]
    if isinstance(number, str):
        return f"its {kind}.id is the string {number[:40]!r}; an id is a JSON number"
    if not isinstance(number, int) or isinstance(number, bool):
        return f"its {kind}.id is {_kind(number)}; an id is a whole JSON number"
    if not 1 <= number <= _MOST_ID:
        return f"its {kind}.id is {number}; ids run from 1 to {_MOST_ID}"
    return ""


def _bad_action(value: dict[str, Any], legal: Sequence[str]) -> str:
    if "action" not in value:
        others = [name for name in value if name not in ("type", "id", "note")]
        close = [name for name in others if name.lower() in _ANSWERED] or others
        instead = f", not `{close[0][:40]}`" if close else ""
        return f"its act has no field `action`: the field is called `action`{instead}"
    action = value["action"]
    such = f", such as {legal[0]!r}" if legal else ""
    if isinstance(action, int) and not isinstance(action, bool):
        return (
            f"its act.action is the number {action}; it is one of the strings in `legal`, "
            f"not an index{such}"
        )
    if not isinstance(action, str):
        return f"its act.action is {_kind(action)}; it is one string out of `legal`{such}"
    if len(action) > 64:
        return f"its act.action has {len(action):,} characters; 64 are allowed"
    note = value.get("note")
    if isinstance(note, str) and len(note) > 2000:
        return f"its act.note has {len(note):,} characters; 2,000 are allowed in a string"
    if note is not None and not isinstance(note, str | dict):
        return f"its act.note is {_kind(note)}; a note is a string or an object"
    return ""


def bad_hello(value: dict[str, Any]) -> str:
    """What is wrong with the fields of a hello; empty where nothing usual is."""
    if "token" not in value:
        return "its hello has no `token`; send back the value of REFEREE_TOKEN"
    if not isinstance(value["token"], str):
        return f"its hello.token is {_kind(value['token'])}; it is the string in REFEREE_TOKEN"
    versions = value.get("protocol")
    if versions is None:
        return 'its hello has no `protocol`; say "protocol": [1]'
    if not isinstance(versions, list) or not versions:
        return f'its hello.protocol is {_kind(versions)}; it is a list of numbers: "protocol": [1]'
    for name, wanted in (("games", list), ("name", str), ("version", str), ("batch", bool)):
        if name in value and not isinstance(value[name], wanted):
            what = {"games": "a list of strings", "batch": "true or false"}.get(name, "a string")
            return f"its hello.{name} is {_kind(value[name])}; it is {what}"
    tables = value.get("tables", 1)
    if not isinstance(tables, int) or isinstance(tables, bool) or not 1 <= tables <= 4096:
        return f"its hello.tables is {_kind(tables)}; it is a whole number from 1 to 4096"
    return ""


def _bad_batch(value: dict[str, Any], legal: Sequence[str]) -> str:
    messages = value.get("messages")
    if not isinstance(messages, list):
        return "its batch has no list `messages`"
    if not messages:
        return "its batch is empty; send nothing where there is nothing to answer"
    for place, each in enumerate(messages):
        where = f"its batch.messages[{place}]"
        if not isinstance(each, dict):
            return f"{where} is {_kind(each)}; each is a whole message with its `type`"
        kind = each.get("type")
        if kind in ("batch", "hello"):
            return f"{where} is a {kind}, which may not stand in a batch"
        if found := _bad_object(each, legal):
            return f"{where} is wrong: {found}"
    return ""


def bad_frames(frames: int, data: bytes) -> str:
    """Why a message of several frames is none."""
    hint = ""
    if not data:
        hint = "; the first one is empty, as a REQ socket sends it: use a DEALER"
    return f"it sent a message of {frames} frames; each message is one frame{hint}"


def described(trouble: Trouble, answer: str = "", legal: Sequence[str] = ()) -> str:
    """A trouble as a sentence on its cause."""
    if frames := re.match(r"a message of (\d+) frames", trouble.message):
        return bad_frames(int(frames[1]), trouble.received)
    if trouble.kind == "malformed":
        return bad_message(trouble.received, trouble.message, answer, legal)
    return f"it sent {trouble.message}" if trouble.message.startswith("a ") else trouble.message


# ---- answers ---------------------------------------------------------------------------------


def bad_form(action: str, legal: Sequence[str]) -> str:
    """Why an action that is not in `legal` is written wrongly; empty where it is not that."""
    if action.strip().isdecimal() and int(action) < 2 * len(legal):
        return (
            f"it answered {action!r}, which looks like an index; send the string in `legal` "
            f"itself, such as {legal[0]!r}"
        )
    folded = _folded(action)
    for right in legal:
        if _folded(right) == folded or _folded(right) == folded[::-1]:
            return f"it wrote {action!r} where `legal` has {right!r}; send it exactly as it stands"
        if right.endswith(f":{action}"):
            return f"it wrote {action!r} where `legal` has {right!r}; send the whole string"
    return ""


def _folded(action: str) -> str:
    text = action.strip().strip("\"'").casefold().replace("10", "t").replace(" ", "")
    for symbol, letter in zip("♠♥♦♣", "shdc", strict=True):
        text = text.replace(symbol, letter)
    return text
