"""Misbehaving bots: `zoo.py MODE` does one thing wrong and is otherwise `first_legal`.

Every mode ends by itself through an alarm. With ZOO_SEAT only the process that plays that seat
misbehaves; with ZOO_MARK a child is left behind whose number stands in that file. What is expected
of the referee stands in table.py.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bad_bots import deeds, messages
from tests.bad_bots.client import GREETING, Ask, Dealer, Lines, Link, Wire, Zoo

MODE = sys.argv[1]
ALARM_SECONDS = deeds.ALARM_SECONDS
DEEDS = messages.DEEDS | deeds.DEEDS

WHEN = {"already_played": 12}
"""At which ask it happens, where that is not the third."""

CHILD = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.setsid()
open(os.environ["ZOO_MARK"], "w").write(str(os.getpid()))
time.sleep(60)
"""

NAMES = {
    "name_escapes": "\x1b[2J\x1b]52;c;ZXZpbA==\x07\r\b",
    "name_bidi": "\u202e\u2066evil\u200b\u0301\u0301\u0301\x9b31m",
    "name_html": "<script>alert(1)</script>\"><img src=x>=HYPERLINK('x')",
    "name_path": "../../etc/passwd\x00/.",
    "name_device": "CON",
    "name_300": "x" * 300,
    "name_of_other": "good",
}
"""Names that a hello gives, by mode; its version is the same."""

HELLOS: dict[str, dict[str, object]] = {
    "bad_version": {"protocol": [99]},
    "no_version": {"protocol": []},
    "bad_token": {"token": "wrong"},
    "no_token": {"token": None},
    "other_game": {"games": ["chess"]},
    "many_tables": {"tables": 10**9},
    "words_for_numbers": {"tables": "all"},
    "large_hello": {"games": ["x" * 200] * 64, "extra": "x" * 60_000},
}
"""What is different in a hello, by mode."""


def answer_and_exit(bot: Zoo, ask: Ask) -> None:
    """Answer the last ask of the deal and go."""
    bot.act(ask)
    bot.link.close()
    os._exit(0)


def always(bot: Zoo, ask: Ask) -> bool:
    """Misbehave at every ask, where the mode is of that kind."""
    if MODE == "always_illegal":
        bot.act(ask, "AS AS")
    elif MODE == "always_slow":
        time.sleep(deeds.LATE_SECONDS)
        bot.act(ask)
    elif MODE == "answer_and_exit" and ask["view"]["counts"][ask["view"]["seat"]] == 1:
        answer_and_exit(bot, ask)
    else:
        return False
    return True


def misbehave(bot: Zoo, ask: Ask) -> bool:
    """What the mode does at an ask; False where it does nothing special."""
    if str(bot.seat) != os.environ.get("ZOO_SEAT", str(bot.seat)):
        return False
    if always(bot, ask):
        return True
    if bot.asks != WHEN.get(MODE, 3) or MODE not in DEEDS:
        return False
    DEEDS[MODE](bot, ask)
    return True


def link() -> Link:
    """How this mode talks."""
    if os.environ["REFEREE_ENDPOINT"] == "stdio":
        return Lines()
    return Wire() if MODE in deeds.ON_THE_WIRE else Dealer()


def hello(bot: Zoo) -> None:
    """The first message."""
    name = NAMES.get(MODE, MODE)
    fields: dict[str, object] = {
        "protocol": [1], "token": os.environ["REFEREE_TOKEN"], "name": name, "version": name[:200],
        "games": [], "tables": 1, "batch": False, "favourite_colour": "blue",
    }  # fmt: skip
    bot.send(type="hello", **(fields | HELLOS.get(MODE, {})))


# ---- at the start --------------------------------------------------------------------------------


def _sleep() -> None:
    time.sleep(ALARM_SECONDS)


def _exit_at_start() -> None:
    print("cannot find my opening book", file=sys.stderr, flush=True)
    sys.exit(5)


def _silent_start() -> None:
    print("waiting for a licence server", file=sys.stderr, flush=True)
    _sleep()


def _junk_hello() -> None:
    dealer = Dealer()
    for _ in range(5):
        dealer.send(b"hello?")
    _sleep()


def _early_act() -> None:
    Dealer().send(b'{"type":"act","id":1,"action":"pass"}')
    _sleep()


def _not_zmtp(data: bytes) -> Callable[[], None]:
    def do() -> None:
        wire = Wire(greet=False)
        wire.socket.sendall(data)
        _sleep()

    return do


def _connect_only() -> None:
    deeds.HELD.append(Wire())
    _sleep()


def _half_hello() -> None:
    wire = Wire()
    wire.socket.sendall(bytes((0, 50)) + b'{"type":"h')
    os._exit(4)


def _endless_hello() -> None:
    """A message without an end in place of hello; up to 300 MB of it."""
    deeds.fill(Wire(), 300)
    _sleep()


def _hello_in_two_frames() -> None:
    Dealer().socket.send_multipart([b'{"type":"hello"', b"}"])
    _sleep()


def _printed_hello() -> None:
    os.write(1, b"Welcome to MyBot 2.0!\n" * 8)
    _sleep()


def _unseat_others() -> None:
    """Say nonsense to every endpoint in the folder, before the others have said hello."""
    own = os.environ["REFEREE_ENDPOINT"].removeprefix("ipc://")
    end = time.monotonic() + 0.3
    seen = {own}
    while time.monotonic() < end:
        for path in Path(own).parent.iterdir():
            if path.name.isdecimal() and str(path) not in seen:
                seen.add(str(path))
                other = Wire(str(path))
                for text in (b"{}", b"hello?", b'{"type":"hello","protocol":[1],"token":"?"}') * 20:
                    other.send(text)
                deeds.HELD.append(other)


STARTS: dict[str, Callable[[], object]] = {
    "exit_at_start": _exit_at_start,
    "segfault_at_start": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "silent_start": _silent_start,
    "junk_hello": _junk_hello,
    "early_act": _early_act,
    "http": _not_zmtp(b"GET / HTTP/1.1\r\nHost: referee\r\n\r\n"),
    "zeros": _not_zmtp(b"\0" * 5000),
    "greeting_only": _not_zmtp(GREETING),
    "other_mechanism": _not_zmtp(GREETING.replace(b"NULL", b"EVIL")),
    "connect_only": _connect_only,
    "half_hello": _half_hello,
    "endless_hello": _endless_hello,
    "hello_in_two_frames": _hello_in_two_frames,
    "printed_hello": _printed_hello,
    "unseat_others": _unseat_others,
    "slow_start": lambda: time.sleep(1.5),
}
"""What is done before hello, or in its place."""


def main() -> None:
    signal.alarm(ALARM_SECONDS)
    if "ZOO_MARK" in os.environ and not os.path.exists(os.environ["ZOO_MARK"]):
        subprocess.Popen([sys.executable, "-c", CHILD])
    STARTS.get(MODE, lambda: None)()
    bot = Zoo(link(), misbehave)
    if MODE == "crash_on_end":
        bot.at_end = lambda: os._exit(7)
    hello(bot)
    bot.run()


if __name__ == "__main__":
    main()
