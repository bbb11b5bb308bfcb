"""What misbehaving bots send in place of an answer: contents that are wrong, odd or allowed."""

import json
from collections.abc import Callable

from tests.bad_bots.client import Ask, Dealer, Zoo

Deed = Callable[[Zoo, Ask], object]

TEMPLATES: dict[str, bytes] = {
    "not_json": b"TH please",
    "null": b"null",
    "array": b"[]",
    "scalar": b"7",
    "empty": b"",
    "empty_object": b"{}",
    "bad_utf8": b'{"type":"act","id":ID,"action":"\xff\xfe"}',
    "huge_number": b'{"type":"act","id":1e400,"action":"pass"}',
    "string_id": b'{"type":"act","id":"ID","action":"pass"}',
    "true_id": b'{"type":"act","id":true,"action":"pass"}',
    "float_id": b'{"type":"act","id":ID.5,"action":"pass"}',
    "negative_id": b'{"type":"act","id":-ID,"action":"pass"}',
    "zero_id": b'{"type":"act","id":0,"action":"pass"}',
    "id_2_63": b'{"type":"act","id":9223372036854775808,"action":"pass"}',
    "id_2_70": b'{"type":"act","id":1180591620717411303424,"action":"pass"}',
    "digits": b'{"type":"act","id":ID,"action":"LEGAL","note":{"n":' + b"9" * 5000 + b"}}",
    "nan": b'{"type":"act","id":ID,"action":"LEGAL","note":{"n":NaN}}',
    "deep": b"[" * 30_000,
    "deep_unknown": b'{"type":"act","id":ID,"action":"LEGAL","x":' + b"[" * 30_000,
    "null_action": b'{"type":"act","id":ID,"action":null}',
    "array_action": b'{"type":"act","id":ID,"action":["LEGAL"]}',
    "no_action": b'{"type":"act","id":ID}',
    "no_id": b'{"type":"act","action":"LEGAL"}',
    "no_type": b'{"id":ID,"action":"LEGAL"}',
    "unknown_type": b'{"type":"resign","id":ID}',
    "steering_type": b'{"type":"\\u001b[2J\\u009b2J\\u202e<b>","id":ID}',
    "oversize": b'{"type":"act","id":ID,"action":"' + b"x" * 70_000 + b'"}',
    "long_action": b'{"type":"act","id":ID,"action":"' + b"x" * 65 + b'"}',
    "two_documents": b'{"type":"act","id":ID,"action":"LEGAL"}{"type":"act"}',
    "trailing_comma": b'{"type":"act","id":ID,"action":"LEGAL",}',
    "bom": b'\xef\xbb\xbf{"type":"act","id":ID,"action":"LEGAL"}',
    "nul": b'{"type":"act","id":ID,"action":"LEGAL"}\x00',
    "surrogate": b'{"type":"act","id":ID,"action":"\\ud800"}',
    "utf16": '{"type":"act","id":1,"action":"pass"}'.encode("utf-16"),
    "wrong_case": b'{"type":"act","id":ID,"action":"PASS"}',
    "empty_action": b'{"type":"act","id":ID,"action":""}',
    "look_alike": '{"type":"act","id":ID,"action":"\u0410H"}'.encode(),
    "spaced": b'{"type":"act","id":ID,"action":" LEGAL"}',
    "sql": b"""{"type":"act","id":ID,"action":"'); DROP TABLE deals;--"}""",
    "format_text": b'{"type":"act","id":ID,"action":"{0.__class__} %s ${7*7}"}',
    "steering_action": b'{"type":"act","id":ID,"action":"\\u001b[2J\\u202e\\u0007<script>"}',
    "crlf": b'{"type":"act","id":ID,"action":"LEGAL"}\r\n',
    "extra_field": b'{"type":"act","id":ID,"action":"LEGAL","mood":"good"}',
    "twice_the_key": b'{"type":"act","id":999,"id":ID,"action":"x","action":"LEGAL"}',
    "note": b'{"type":"act","id":ID,"action":"LEGAL","note":{"made":0.5,"why":"hearts"}}',
    "long_note": b'{"type":"act","id":ID,"action":"LEGAL","note":{"text":"' + b"x" * 9000 + b'"}}',
    "steering_note": b'{"type":"act","id":ID,"action":"LEGAL","note":"\\u001b]52\\u202e\\u009b"}',
    "deep_note": b'{"type":"act","id":ID,"action":"LEGAL","note":'
    + b'{"a":' * 985 + b"1" + b"}" * 985 + b"}",
}  # fmt: skip


def _filled(template: bytes) -> Deed:
    def do(bot: Zoo, ask: Ask) -> None:
        text = template.replace(b"ID", str(ask["id"]).encode())
        bot.link.send(text.replace(b"LEGAL", ask["legal"][0].encode()))

    return do


def _already_played(bot: Zoo, ask: Ask) -> None:
    seat = ask["view"]["seat"]
    mine = [action for who, action in ask["view"]["history"] if who == seat and len(action) == 2]
    bot.act(ask, mine[-1])


def _not_held(bot: Zoo, ask: Ask) -> None:
    pack = [rank + suit for suit in "SHDC" for rank in "6789TJQKA"]
    bot.act(ask, next(card for card in pack if card not in ask["view"]["hand"]))


def _twice(bot: Zoo, ask: Ask) -> None:
    bot.act(ask)
    bot.act(ask, "pass")


def _flood(bot: Zoo, ask: Ask) -> None:
    for number in range(20):
        bot.send(type="act", id=1_000_000 + number, action="pass")
    bot.act(ask)


def _large_flood(bot: Zoo, ask: Ask) -> None:
    for number in range(50_000):
        bot.send(type="pong", id=1 + number)
    bot.act(ask)


def _two_frames(bot: Zoo, ask: Ask) -> None:
    assert isinstance(bot.link, Dealer)
    bot.link.socket.send_multipart([b'{"type":"act"', b"}"])


def _hundred_frames(bot: Zoo, ask: Ask) -> None:
    assert isinstance(bot.link, Dealer)
    bot.link.socket.send_multipart([b""] * 100)


def _answer_in_frames(bot: Zoo, ask: Ask) -> None:
    assert isinstance(bot.link, Dealer)
    act = {"type": "act", "id": ask["id"], "action": ask["legal"][0]}
    bot.link.socket.send_multipart([b"", json.dumps(act).encode()])


def _second_hello(bot: Zoo, ask: Ask) -> None:
    bot.send(type="hello", protocol=[1], token="", name="me again")
    bot.act(ask)


def _unknown_id(bot: Zoo, ask: Ask) -> None:
    bot.send(type="act", id=999, action="pass")
    bot.act(ask)


def _early(bot: Zoo, ask: Ask) -> None:
    """The answers to the next asks, before they are asked."""
    bot.send(type="act", id=ask["id"] + 1, action="pass")
    bot.send(type="act", id=ask["id"] + 2, action="pass")
    bot.act(ask)


def _pings(bot: Zoo, ask: Ask) -> None:
    for number in range(1, 13):
        bot.send(type="ping", id=number)
    bot.act(ask)


def _few_pings(bot: Zoo, ask: Ask) -> None:
    for number in range(1, 6):
        bot.send(type="ping", id=number)
    bot.act(ask)


def _guesses_next_id(bot: Zoo, ask: Ask) -> None:
    bot.act(ask)
    bot.send(type="act", id=ask["id"] + 1, action=None)


def _referee_message(bot: Zoo, ask: Ask) -> None:
    bot.send(type="end", table=1, deal=0, points=[200, 0], score=[200, 0], over=True, id=ask["id"])


def _hello_in_place(bot: Zoo, ask: Ask) -> None:
    bot.send(type="hello", id=ask["id"], protocol=[1], token="another seat's", name="partner")
    bot.act(ask)


DEEDS: dict[str, Deed] = {name: _filled(template) for name, template in TEMPLATES.items()} | {
    "illegal_once": lambda bot, ask: bot.act(ask, "2S"),
    "already_played": _already_played,
    "not_held": _not_held,
    "twice": _twice,
    "flood": _flood,
    "large_flood": _large_flood,
    "cut_off": lambda bot, ask: bot.link.send(b"x" * 3_000_000),
    "two_frames": _two_frames,
    "hundred_frames": _hundred_frames,
    "answer_in_frames": _answer_in_frames,
    "second_hello": _second_hello,
    "hello_in_place": _hello_in_place,
    "unknown_id": _unknown_id,
    "early": _early,
    "referee_message": _referee_message,
    "unasked_batch": lambda bot, ask: bot.send(
        type="batch", messages=[{"type": "act", "id": ask["id"], "action": ask["legal"][0]}]
    ),
    "guesses_next_id": _guesses_next_id,
    "pings": _pings,
    "few_pings": _few_pings,
}
