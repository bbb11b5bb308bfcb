"""Bots over standard input and output, over TCP, and through the relay."""

import sys
from pathlib import Path

import pytest
import zmq

from referee.seats.bot import BotCommand
from referee.seats.stdio import UNREAD_BYTES, StdioLink
from referee.seats.zeromq import MESSAGE_BYTES
from tests.arena_help import Outcome, bot, job, play

START = """
import json, os, sys, time
def say(**message):
    print(json.dumps(message), flush=True)
hello = dict(type="hello", protocol=[1], token=os.environ["REFEREE_TOKEN"], tables=16)
"""

LOOP = """
say(**hello)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "ask":
        asked(message)
    elif message["type"] == "bye":
        break
"""


def program(folder: Path, text: str, *, start: str = START, loop: str = LOOP) -> BotCommand:
    """A bot over stdio: what it does when asked, between the usual beginning and loop."""
    path = folder / "bot.py"
    path.write_text(start + text + loop, encoding="utf-8")
    return BotCommand(entrant="mine", argv=[sys.executable, str(path)], transport="stdio")


PLAIN = """
def asked(ask):
    say(type="act", id=ask["id"], action=ask["legal"][0])
"""


def played(folder: Path, mine: BotCommand, **options: int) -> Outcome:
    """A set of it against a sample bot."""
    return play(job(folder, [bot("other", "first_legal"), mine], sets=2, **options))  # type: ignore[arg-type]


def test_a_program_that_reads_and_writes_lines_is_a_bot(tmp_path: Path) -> None:
    outcome = played(tmp_path, program(tmp_path, PLAIN))
    assert len(outcome.plays) == 4
    assert outcome.blame("mine") == []


def test_carriage_returns_and_empty_lines_do_no_harm(tmp_path: Path) -> None:
    text = PLAIN.replace("say(", "print('\\r\\n\\n', end=''); say(")
    assert played(tmp_path, program(tmp_path, text)).blame("mine") == []


def test_several_lines_in_one_write_are_all_taken(tmp_path: Path) -> None:
    text = PLAIN + "hello['tables'] = 1\n"
    ping = 'say(type="ping", id=7); ' * 5
    outcome = played(tmp_path, program(tmp_path, text.replace("    say(", f"    {ping}say(")))
    assert outcome.blame("mine") == []


def test_a_stray_print_changes_no_deal_and_is_shown_with_the_hint(tmp_path: Path) -> None:
    stray = "    global n; n += 1\n    if n == 3: print('thinking hard', flush=True)\n"
    text = "n = 0\n" + PLAIN.replace("    say(", stray + "    say(")
    found = played(tmp_path, program(tmp_path, text)).blame("mine")
    assert len(found) == 2  # a process for each seat
    for blame in found:
        assert (blame.kind, blame.ruling) == ("protocol", "none")
        assert "printed 'thinking hard'" in blame.message
        assert "print to standard error" in blame.message


def test_a_bot_that_prints_at_every_turn_is_a_flood_at_last(tmp_path: Path) -> None:
    text = PLAIN.replace("    say(", "    for _ in range(9): print('debug', flush=True)\n    say(")
    kinds = {blame.kind for blame in played(tmp_path, program(tmp_path, text)).blame("mine")}
    assert "flood" in kinds


def test_prints_before_hello_are_borne_for_a_while(tmp_path: Path) -> None:
    text = PLAIN + "for _ in range(3): print('loading', flush=True)\n"
    assert played(tmp_path, program(tmp_path, text)).blame("mine") == []


def test_a_program_that_only_prints_has_not_started(tmp_path: Path) -> None:
    text = "while True: print('loading', flush=True); time.sleep(0.01)\n"
    outcome = played(tmp_path, program(tmp_path, text, loop=""))
    (report,) = outcome.unstartable
    assert report.blame.kind == "start_failed"
    assert "printed 'loading'; standard output is for messages alone" in report.blame.message


BUFFERED = """
import json, os, sys
out = open(1, "w", buffering=1 << 20, closefd=False)
print(json.dumps(dict(type="hello", protocol=[1], token=os.environ["REFEREE_TOKEN"])), file=out)
for line in sys.stdin: pass
"""


def test_a_buffered_hello_is_named_as_such(tmp_path: Path) -> None:
    mine = program(tmp_path, BUFFERED, start="", loop="")
    (report,) = played(tmp_path, mine, start_ms=700).unstartable
    assert report.blame.kind == "start_timeout"
    assert "its output is buffered; flush it after every line" in report.blame.message


def test_a_buffered_answer_is_named_as_such(tmp_path: Path) -> None:
    text = (
        "kept = open(1, 'w', buffering=1 << 20, closefd=False)\n"
        "def asked(ask):\n"
        "    act = dict(type='act', id=ask['id'], action=ask['legal'][0])\n"
        "    print(json.dumps(act), file=kept)\n"
    )
    outcome = played(tmp_path, program(tmp_path, text))
    assert outcome.blame("mine")[0].kind == "timeout"
    assert "its output is buffered" in outcome.blame("mine")[0].message


def test_a_line_without_its_end_is_named_as_such(tmp_path: Path) -> None:
    endless = "[0])), end='', flush=True)"
    text = PLAIN.replace("say(", "print(json.dumps(dict(").replace("[0])", endless)
    blame = played(tmp_path, program(tmp_path, text)).blame("mine")[0]
    assert blame.kind == "timeout"
    assert "bytes of standard output have no end of line" in blame.message


def test_a_line_over_the_limit_is_a_flood(tmp_path: Path) -> None:
    text = f"def asked(ask): print('{{' * {MESSAGE_BYTES + 10}, flush=True); time.sleep(9)\n"
    blame = played(tmp_path, program(tmp_path, text)).blame("mine")[0]
    assert blame.kind == "flood"
    assert str(MESSAGE_BYTES) in blame.message


def test_a_line_without_end_is_a_flood_before_it_ends(tmp_path: Path) -> None:
    text = "def asked(ask):\n    while True: os.write(1, b'{' * 9999)\n"
    assert played(tmp_path, program(tmp_path, text)).blame("mine")[0].kind == "flood"


def test_a_bot_that_closes_its_output_is_disconnected(tmp_path: Path) -> None:
    text = "def asked(ask): os.close(1); time.sleep(30)\n"
    blame = played(tmp_path, program(tmp_path, text)).blame("mine")[0]
    assert (blame.kind, blame.ruling) == ("disconnected", "forfeit")


def test_a_bot_that_dies_crashed_with_its_last_words(tmp_path: Path) -> None:
    text = "def asked(ask): raise ValueError('no such card')\n"
    blame = played(tmp_path, program(tmp_path, text)).blame("mine")[0]
    assert (blame.kind, blame.exit_code) == ("crashed", 1)
    assert any("no such card" in line for line in blame.stderr_last + blame.stderr_first)


def test_an_answer_written_just_before_the_end_counts(tmp_path: Path) -> None:
    text = PLAIN + "hello['tables'] = 1\n"
    loop = LOOP.replace(
        "asked(message)",
        "asked(message); n = len(message['view']['hand'])\n"
        "        if n == 1 and message['view']['phase'] == 'play': sys.exit(0)",
    )
    mine = program(tmp_path, text, loop=loop)
    outcome = play(job(tmp_path, [bot("other", "first_legal"), mine], sets=1))
    assert [blame for blame in outcome.blame("mine") if blame.ruling == "forfeit"] == []


def test_a_malformed_object_is_a_soft_fault_of_the_open_ask(tmp_path: Path) -> None:
    text = "hello['tables'] = 1\ndef asked(ask): print('{\"type\": \"act\"', flush=True)\n"
    blame = played(tmp_path, program(tmp_path, text)).blame("mine")[0]
    assert (blame.kind, blame.ruling) == ("malformed", "substitute")


def test_a_bot_that_does_not_read_is_not_waited_for(tmp_path: Path) -> None:
    text = "say(**hello)\ntime.sleep(60)\n"
    outcome = played(tmp_path, program(tmp_path, text, loop=""))
    assert {blame.kind for blame in outcome.blame("mine")} <= {"timeout", "disconnected"}
    assert len(outcome.plays) == 4


# ---- the link alone --------------------------------------------------------------------------


@pytest.fixture
def link() -> StdioLink:
    return StdioLink()


def test_what_is_left_unread_is_limited(link: StdioLink) -> None:
    line = b"x" * 50_000
    sent = 0
    while link.send(line):
        sent += len(line)
        assert sent < 2 * UNREAD_BYTES
    assert sent > UNREAD_BYTES // 2
    assert link.connection_dropped()
    assert not link.connection_dropped()
    link.close()


def test_lines_that_wait_call_the_poller_again(link: StdioLink) -> None:
    assert link.bot_ends is not None
    poller = zmq.Poller()
    link.watch(poller)
    with open(link.bot_ends[1], "wb", closefd=False) as output:
        output.write(b"".join(b"line %d\n" % n for n in range(10)))
    assert dict(poller.poll(1000)) == {link.sources[0]: zmq.POLLIN}
    found = []
    while ready := dict(poller.poll(0)):
        assert set(ready) <= set(link.sources)
        found += [received.data for received in link.receive(3)]
    assert found == [b"line %d" % n for n in range(10)]
    link.close()


# ---- other ways to connect -------------------------------------------------------------------


def test_the_python_client_speaks_lines_too_and_may_print(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from protocol.bot import Bot\n"
        "class Mine(Bot):\n"
        "    def decide(self, ask):\n"
        "        print('thinking')\n"
        "        return ask.legal[0]\n"
        "Mine('mine', tables=8, batch=True).run()\n",
        encoding="utf-8",
    )
    argv = [sys.executable, str(path)]
    mine = BotCommand(entrant="mine", argv=argv, transport="stdio", cwd=str(Path.cwd()))
    assert played(tmp_path, mine).blame("mine") == []


def test_zeromq_over_tcp_on_this_machine(tmp_path: Path) -> None:
    other = bot("mine", "first_legal")
    mine = BotCommand(entrant="mine", argv=other.argv, transport="tcp", cwd=str(Path.cwd()))
    outcome = played(tmp_path, mine)
    assert (len(outcome.plays), outcome.blame("mine")) == (4, [])


def test_the_relay_carries_a_bot_of_lines_to_zeromq(tmp_path: Path) -> None:
    lines = program(tmp_path, PLAIN)
    argv = [sys.executable, "-m", "protocol.relay", *lines.argv]
    mine = BotCommand(entrant="mine", argv=argv, cwd=str(Path.cwd()))
    outcome = played(tmp_path, mine)
    assert (len(outcome.plays), outcome.blame("mine")) == (4, [])


def test_a_bot_that_dies_behind_the_relay_takes_it_along(tmp_path: Path) -> None:
    lines = program(tmp_path, "def asked(ask): sys.exit(3)\n")
    argv = [sys.executable, "-m", "protocol.relay", *lines.argv]
    mine = BotCommand(entrant="mine", argv=argv, cwd=str(Path.cwd()))
    blame = played(tmp_path, mine).blame("mine")[0]
    assert (blame.kind, blame.exit_code) == ("crashed", 3)
