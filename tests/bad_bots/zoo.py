"""Misbehaving bots: `zoo.py MODE` does one thing wrong and is otherwise `first_legal`.

Standard library and pyzmq only, without the project's client: some of what is done here it would
not allow. Every mode ends by itself through an alarm.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import zmq

Ask = dict[str, Any]

MODE = sys.argv[1]
ALARM_SECONDS = 60

CHILD = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.setsid()
open(os.environ["ZOO_MARK"], "w").write(str(os.getpid()))
time.sleep(60)
"""


class Zoo:
    """A raw bot: one DEALER, JSON by hand."""

    def __init__(self) -> None:
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.setsockopt(zmq.LINGER, 500)
        self.socket.connect(os.environ["REFEREE_ENDPOINT"])
        self.asks = 0

    def send(self, **message: object) -> None:
        self.socket.send(json.dumps(message).encode())

    def act(self, ask: Ask, action: object = None) -> None:
        self.send(type="act", id=ask["id"], action=action or ask["legal"][0])

    def hello(self) -> None:
        token = "wrong" if MODE == "bad_token" else os.environ["REFEREE_TOKEN"]
        versions = [99] if MODE == "bad_version" else [1]
        games = ["chess"] if MODE == "other_game" else []
        self.send(
            type="hello", protocol=versions, token=token, name=MODE, version="1", games=games,
            tables=1, batch=False, favourite_colour="blue",
        )  # fmt: skip

    def run(self) -> None:
        while True:
            message = json.loads(self.socket.recv())
            kind = message["type"]
            if kind == "bye":
                return
            if kind == "ping":
                self.send(type="pong", id=message["id"])
            if kind == "end" and MODE == "crash_on_end":
                os._exit(7)
            if kind == "ask":
                self.asks += 1
                self.answer(message)

    def answer(self, ask: Ask) -> None:
        first = self.asks == 3
        mode = MODE
        if mode == "always_illegal":
            self.act(ask, "AS AS")
        elif mode == "always_slow":
            time.sleep(0.6)
            self.act(ask)
        elif mode == "answer_and_exit" and ask["view"]["counts"][ask["view"]["seat"]] == 1:
            self.act(ask)
            self.socket.close()
            self.context.term()
            os._exit(0)
        elif not first:
            self.act(ask)
        elif mode in ONCE:
            ONCE[mode](self, ask)
        else:
            self.act(ask)


Fault = Callable[[Zoo, Ask], object]


def _exit(code: int) -> Fault:
    def do(bot: Zoo, ask: Ask) -> None:
        print("last words on stderr", file=sys.stderr, flush=True)
        os._exit(code)

    return do


def _late(bot: Zoo, ask: Ask) -> None:
    time.sleep(0.6)
    bot.act(ask)


def _twice(bot: Zoo, ask: Ask) -> None:
    bot.act(ask)
    bot.act(ask, "pass")


def _flood(bot: Zoo, ask: Ask) -> None:
    for number in range(20):
        bot.send(type="act", id=1_000_000 + number, action="pass")
    bot.act(ask)


def _close(bot: Zoo, ask: Ask) -> None:
    bot.socket.close(0)
    bot.context.term()
    time.sleep(ALARM_SECONDS)


def _raw(data: bytes) -> Fault:
    def do(bot: Zoo, ask: Ask) -> None:
        text = data.replace(b"ID", str(ask["id"]).encode())
        bot.socket.send(text.replace(b"LEGAL", ask["legal"][0].encode()))

    return do


def _two_frames(bot: Zoo, ask: Ask) -> None:
    bot.socket.send_multipart([b'{"type":"act"', b"}"])


def _second_hello(bot: Zoo, ask: Ask) -> None:
    bot.hello()
    bot.act(ask)


def _unknown_id(bot: Zoo, ask: Ask) -> None:
    bot.send(type="act", id=999, action="pass")
    bot.act(ask)


def _pings(bot: Zoo, ask: Ask) -> None:
    for number in range(1, 13):
        bot.send(type="ping", id=number)
    bot.act(ask)


def _deep_note(bot: Zoo, ask: Ask) -> None:
    note = b'{"a":' * 985 + b"1" + b"}" * 985
    action = json.dumps(ask["legal"][0]).encode()
    text = b'{"type":"act","id":%d,"action":%s,"note":%s}' % (ask["id"], action, note)
    bot.socket.send(text)


def _guesses_next_id(bot: Zoo, ask: Ask) -> None:
    bot.act(ask)
    bot.send(type="act", id=ask["id"] + 1, action=None)


ONCE: dict[str, Fault] = {
    "illegal_once": lambda bot, ask: bot.act(ask, "2S"),
    "crash": _exit(3),
    "exit_zero": _exit(0),
    "kill_self": lambda bot, ask: os.kill(os.getpid(), signal.SIGKILL),
    "segfault": lambda bot, ask: os.kill(os.getpid(), signal.SIGSEGV),
    "silent": lambda bot, ask: None,
    "late_once": _late,
    "twice": _twice,
    "flood": _flood,
    "close": _close,
    "not_json": _raw(b"TH please"),
    "null": _raw(b"null"),
    "array": _raw(b"[]"),
    "empty": _raw(b""),
    "bad_utf8": _raw(b'{"type":"act","id":ID,"action":"\xff\xfe"}'),
    "huge_number": _raw(b'{"type":"act","id":1e400,"action":"pass"}'),
    "string_id": _raw(b'{"type":"act","id":"ID","action":"pass"}'),
    "deep": _raw(b"[" * 30_000),
    "null_action": _raw(b'{"type":"act","id":ID,"action":null}'),
    "unknown_type": _raw(b'{"type":"resign","id":ID}'),
    "second_hello": _second_hello,
    "oversize": _raw(b'{"type":"act","id":ID,"action":"' + b"x" * 70_000 + b'"}'),
    "cut_off": _raw(b"x" * 3_000_000),
    "two_frames": _two_frames,
    "unknown_id": _unknown_id,
    "unasked_batch": lambda bot, ask: bot.send(
        type="batch", messages=[{"type": "act", "id": ask["id"], "action": ask["legal"][0]}]
    ),
    "crlf": _raw(b'{"type":"act","id":ID,"action":"LEGAL"}\r\n'),
    "deep_note": _deep_note,
    "note": _raw(
        b'{"type":"act","id":ID,"action":"LEGAL","note":{"made":0.5,"why":"hearts"}}'
    ),
    "long_note": _raw(
        b'{"type":"act","id":ID,"action":"LEGAL","note":{"text":"' + b"x" * 9000 + b'"}}'
    ),
    "guesses_next_id": _guesses_next_id,
    "extra_field": _raw(b'{"type":"act","id":ID,"action":"LEGAL","mood":"good"}'),
    "wrong_case": _raw(b'{"type":"act","id":ID,"action":"PASS"}'),
    "pings": _pings,
}


def main() -> None:
    signal.alarm(ALARM_SECONDS)
    if "ZOO_MARK" in os.environ and not os.path.exists(os.environ["ZOO_MARK"]):
        subprocess.Popen([sys.executable, "-c", CHILD])
    if MODE == "exit_at_start":
        print("cannot find my opening book", file=sys.stderr, flush=True)
        sys.exit(5)
    if MODE == "silent_start":
        print("waiting for a licence server", file=sys.stderr, flush=True)
        time.sleep(ALARM_SECONDS)
    bot = Zoo()
    if MODE == "junk_hello":
        for _ in range(5):
            bot.socket.send(b"hello?")
        time.sleep(ALARM_SECONDS)
    if MODE == "slow_start":
        time.sleep(1.5)
    bot.hello()
    bot.run()


if __name__ == "__main__":
    main()
