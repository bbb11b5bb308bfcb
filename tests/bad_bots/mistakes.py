"""Bots that each make one mistake in how they talk: `mistakes.py MODE [stdio]`.

Standard library and pyzmq only. But for its mistake each plays `legal[0]`, reads as the protocol
says, and leaves on `bye` and at the end of its standard input. All end by themselves by an alarm.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from random import SystemRandom
from typing import Any

Message = dict[str, Any]

MODE = sys.argv[1] if len(sys.argv) > 1 else ""
ALARM_SECONDS = 60
TWO_TABLES = ("one_at_a_time", "mixes_tables")
BATCHES = ("batch_as_list", "batch_of_strings", "batch_first_only")


class Link:
    """ZeroMQ."""

    def __init__(self) -> None:
        import zmq  # noqa: PLC0415

        self.zmq = zmq
        kind = zmq.REQ if MODE == "req_socket" else zmq.DEALER
        self.socket: Any = zmq.Context.instance().socket(kind)
        self.socket.setsockopt(zmq.LINGER, 300)
        self.socket.connect(os.environ["REFEREE_ENDPOINT"])
        self.poller = zmq.Poller()
        self.poller.register(self.socket, zmq.POLLIN)
        if MODE != "ignores_stdin":
            self.poller.register(0, zmq.POLLIN)

    def raw(self, *frames: bytes) -> None:
        self.socket.send_multipart(frames)

    def messages(self) -> Iterator[Message]:
        while True:
            if 0 in dict(self.poller.poll()):
                return
            yield json.loads(self.socket.recv())

    def waiting(self, seconds: float) -> Iterator[Message]:
        """Those that have come or come soon."""
        time.sleep(seconds)
        while self.socket.poll(0):
            yield json.loads(self.socket.recv())


class Lines:
    """Standard input and output."""

    def __init__(self) -> None:
        size = -1 if MODE == "buffered" else 0
        self.out = os.fdopen(1, "wb", buffering=size)

    def raw(self, *frames: bytes) -> None:
        text = b"".join(frames)
        if MODE == "several_lines":
            text = text.replace(b", ", b",\n").replace(b"{", b"{\n")
        self.out.write(text if MODE == "no_newline" else text + b"\n")

    def messages(self) -> Iterator[Message]:
        for line in sys.stdin:
            yield json.loads(line)


class Bot:
    """The plain bot; a mode's mistake is looked up where it is made."""

    def __init__(self, link: Link | Lines) -> None:
        self.link = link
        self.asks = 0
        self.deals = 0
        self.hand: list[str] = []
        self.children: list[subprocess.Popen[bytes]] = []

    def say(self, **message: object) -> None:
        self.link.raw(json.dumps(message).encode())

    def act(self, ask: Message, **other: object) -> None:
        self.say(**{"type": "act", "id": ask["id"], "action": ask["legal"][0]} | other)

    def hello(self) -> None:
        hello: Message = {
            "type": "hello", "protocol": [1], "token": os.environ["REFEREE_TOKEN"], "name": MODE,
        }  # fmt: skip
        if MODE == "no_token":
            del hello["token"]
        if MODE == "wrong_token":
            hello["token"] = "0" * 32
        if MODE == "protocol_number":
            hello["protocol"] = 1
        if MODE in TWO_TABLES:
            hello["tables"] = 2
        if MODE in BATCHES:
            hello |= {"batch": True, "tables": 2}
        self.say(**hello)

    def run(self) -> None:
        for message in self.link.messages():
            if message["type"] == "bye" and MODE != "ignores_bye":
                for child in self.children:
                    child.terminate()
                return
            if MODE != "never_reads":
                self.take(message)

    def take(self, message: Message) -> None:
        kind = message["type"]
        if kind in ON:
            ON[kind](self, message)
        if kind == "ping" and MODE != "no_pong":
            self.say(type="pong", id=message["id"])
        elif kind == "batch":
            self.batch(message["messages"])
        elif kind == "ask":
            self.asks += 1
            if MODE in ANSWERS:
                ANSWERS[MODE](self, message)
            else:
                self.act(message)

    def batch(self, messages: list[Message]) -> None:
        asks = [each for each in messages if each["type"] == "ask"]
        acts = [{"type": "act", "id": ask["id"], "action": ask["legal"][0]} for ask in asks]
        if not asks:
            return
        if MODE == "batch_as_list":
            self.link.raw(json.dumps(acts).encode())
        elif MODE == "batch_of_strings":
            self.say(type="batch", messages=[act["action"] for act in acts])
        else:
            self.say(type="batch", messages=acts[:1])


Answer = Callable[[Bot, Message], object]


def _raw(text: str) -> Answer:
    """An answer as it stands, with ID and LEGAL put in; `\\xff` stays a byte of its own."""

    def answer(bot: Bot, ask: Message) -> None:
        right = text.replace("ID", str(ask["id"])).replace("LEGAL", ask["legal"][0])
        bot.link.raw(right.encode("latin-1"))

    return answer


def _twice(bot: Bot, ask: Message) -> None:
    bot.act(ask)
    bot.act(ask)


def _first_only(bot: Bot, ask: Message) -> None:
    if bot.asks == 1:
        bot.act(ask)


def _not_the_single(bot: Bot, ask: Message) -> None:
    if len(ask["legal"]) > 1:
        bot.act(ask)


def _slow(bot: Bot, ask: Message) -> None:
    time.sleep(0.35)
    bot.act(ask)


def _keeps_hand(bot: Bot, ask: Message) -> None:
    """From the second deal on it plays the cards that it held in the first."""
    if not bot.deals:
        bot.hand += ask["view"]["hand"]
    if not bot.deals or ask["view"]["phase"] != "play":
        bot.act(ask)
    else:
        old = bot.hand or ask["legal"]
        bot.act(ask, action=next((card for card in old if card in ask["legal"]), old[0]))


def _one_at_a_time(bot: Bot, ask: Message) -> None:
    assert isinstance(bot.link, Link)
    for newer in bot.link.waiting(0.01):
        ask = newer if newer["type"] == "ask" else ask
    bot.act(ask)


def _mixes_tables(bot: Bot, ask: Message) -> None:
    assert isinstance(bot.link, Link)
    asks = [ask, *(each for each in bot.link.waiting(0.01) if each["type"] == "ask")]
    for each in asks:
        bot.act(each, action=asks[-1]["legal"][0])


def _crashes(bot: Bot, ask: Message) -> None:
    raise LookupError("no such card")


def _crashes_in_tuppi(bot: Bot, ask: Message) -> None:
    if ask["view"]["game"] == "tuppi":
        raise LookupError("no such game")
    bot.act(ask)


def _closes(bot: Bot, ask: Message) -> None:
    assert isinstance(bot.link, Link)
    bot.link.socket.close(0)
    time.sleep(ALARM_SECONDS)


def _prints(bot: Bot, ask: Message) -> None:
    bot.link.raw(b"thinking hard")
    bot.act(ask)


ANSWERS: dict[str, Answer] = {
    "bare_action": _raw("LEGAL"),
    "bare_string": _raw('"LEGAL"'),
    "python_repr": _raw("{'type': 'act', 'id': ID, 'action': 'LEGAL'}"),
    "two_objects": _raw('{"type":"act","id":ID,"action":"LEGAL"} {"type":"pong","id":1}'),
    "no_type": _raw('{"id":ID,"action":"LEGAL"}'),
    "type_answer": _raw('{"type":"answer","id":ID,"action":"LEGAL"}'),
    "move_field": _raw('{"type":"act","id":ID,"move":"LEGAL"}'),
    "list_action": _raw('{"type":"act","id":ID,"action":["LEGAL"]}'),
    "number_action": _raw('{"type":"act","id":ID,"action":0}'),
    "string_id": _raw('{"type":"act","id":"ID","action":"LEGAL"}'),
    "no_id": _raw('{"type":"act","action":"LEGAL"}'),
    "not_utf8": _raw('{"type":"act","id":ID,"action":"LEGAL","note":"k\xe4rki"}'),
    "too_long": _raw('{"type":"act","id":ID,"action":"LEGAL","why":"' + "x" * 70_000 + '"}'),
    "wrong_id": lambda bot, ask: bot.act(ask, id=ask["id"] + 1000),
    "counts_ids": lambda bot, ask: bot.act(ask, id=bot.asks),
    "index_as_text": lambda bot, ask: bot.act(ask, action="0"),
    "lower_case": lambda bot, ask: bot.act(ask, action=ask["legal"][0].swapcase()),
    "any_card": lambda bot, ask: bot.act(ask, action="XX"),
    "two_frames": lambda bot, ask: bot.link.raw(b"", b'{"type":"act"}'),
    "second_hello": lambda bot, ask: bot.hello(),
    "unagreed_batch": lambda bot, ask: bot.say(
        type="batch", messages=[{"type": "act", "id": ask["id"], "action": ask["legal"][0]}]
    ),
    "crashes": _crashes,
    "crashes_in_tuppi": _crashes_in_tuppi,
    "closes": _closes,
    "twice": _twice,
    "first_only": _first_only,
    "not_the_single": _not_the_single,
    "slow": _slow,
    "keeps_hand": _keeps_hand,
    "one_at_a_time": _one_at_a_time,
    "mixes_tables": _mixes_tables,
    "prints": _prints,
    "chance": lambda bot, ask: bot.act(ask, action=SystemRandom().choice(ask["legal"])),
}


def _strict(bot: Bot, message: Message) -> None:
    known = {"type", "protocol", "referee", "entrant", "seat", "tables", "batch", "limits"}
    if MODE == "strict_fields" and set(message) - known:
        raise KeyError(sorted(set(message) - known)[0])


def _strict_view(bot: Bot, message: Message) -> None:
    if MODE == "strict_view" and "added_later" in message["view"]:
        raise KeyError("added_later")


def _at_start(bot: Bot, message: Message) -> None:
    if MODE == "answers_start":
        bot.say(type="pong", id=message["table"])


def _at_end(bot: Bot, message: Message) -> None:
    bot.deals += 1
    if MODE == "crashes_on_end":
        print("KeyError: points", file=sys.stderr, flush=True)
        os._exit(7)
    if MODE == "one_deal":
        sys.exit(0)
    if MODE == "trusts_end" and sum(message["points"]) == 0 == message["deal"]:
        raise ValueError("a deal without points")


def _unknown(bot: Bot, message: Message) -> None:
    if MODE == "strict_types":
        raise ValueError(f"unknown message {message['type']}")
    if MODE == "complains":
        bot.say(type="error", message="what is that?")


ON: dict[str, Answer] = {
    "welcome": _strict, "ask": _strict_view, "start": _at_start, "end": _at_end,
    "weather": _unknown, "notice": _unknown,
}  # fmt: skip


def main() -> None:
    signal.alarm(ALARM_SECONDS)
    if MODE == "exits_at_once":
        sys.exit("cannot find my opening book")
    if MODE == "silent":
        time.sleep(ALARM_SECONDS)
    bot = Bot(Lines() if os.environ["REFEREE_ENDPOINT"] == "stdio" else Link())
    if MODE in ("leaves_child", "tidy_child"):
        sleep = f"import time; time.sleep({ALARM_SECONDS})"
        child = subprocess.Popen([sys.executable, "-c", sleep], start_new_session=True)
        bot.children += [child] if MODE == "tidy_child" else []
    if MODE == "greets":
        bot.link.raw(b"mistakes 1.0 is ready")
    if MODE != "no_hello":
        bot.hello()
    bot.run()


if __name__ == "__main__":
    main()
