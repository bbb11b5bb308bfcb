"""At an endpoint anybody may speak: whose a message is, and that strangers hold nobody up."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import zmq

from protocol.messages import Limits
from referee.seats.bot import BotSeat
from referee.seats.family import descendants
from referee.seats.peers import connections, keeper_above, owners
from referee.seats.trouble import NoHellos
from referee.seats.zeromq import ZeroMQLink

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other kernels do not tell")

PATIENCE_MS = 10_000  # a safety limit, never a measure

SPEAKER = """
import subprocess, sys, time, zmq
if sys.argv[2:]:
    sys.exit(subprocess.call([sys.executable, "-c", sys.argv[2], sys.argv[1]]))
socket = zmq.Context().socket(zmq.DEALER)
socket.connect(sys.argv[1])
socket.send(b"anything")
time.sleep(20)
"""


@pytest.fixture(params=["ipc", "tcp"])
def link(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ZeroMQLink]:
    context = zmq.Context[zmq.Socket[bytes]]()
    endpoints = {"ipc": f"ipc://{tmp_path}/a", "tcp": "tcp://127.0.0.1:*"}
    made = ZeroMQLink(context, endpoints[request.param])
    yield made
    made.close()
    context.term()


@pytest.fixture
def speaker(link: ZeroMQLink, request: pytest.FixtureRequest) -> Iterator[int]:
    """A process that has spoken at the link, or one whose child has."""
    deeper = [SPEAKER] if getattr(request, "param", False) else []
    with subprocess.Popen([sys.executable, "-c", SPEAKER, link.endpoint, *deeper]) as process:
        try:
            yield process.pid
        finally:
            for child in descendants(process.pid):
                os.kill(child, signal.SIGKILL)
            process.kill()


@pytest.mark.parametrize("speaker", [False, True], indirect=True, ids=["itself", "its child"])
def test_a_message_is_known_to_be_of_a_process_or_its_children(
    link: ZeroMQLink, speaker: int
) -> None:
    assert link.socket.poll(PATIENCE_MS)
    (received,) = link.receive(5)
    assert received.data == b"anything"
    assert link.is_from(speaker)
    assert link.is_from(os.getpid())
    with subprocess.Popen(["sleep", "20"]) as other:
        assert not link.is_from(other.pid)
        other.kill()


@pytest.mark.parametrize("speaker", [False, True], indirect=True, ids=["itself", "its child"])
def test_a_connection_is_known_to_be_of_a_process_or_its_children(
    link: ZeroMQLink, speaker: int
) -> None:
    assert link.socket.poll(PATIENCE_MS)
    link.receive(5)
    link.accept()
    (one,) = connections({link.endpoint})
    with one.end:
        assert (one.endpoint, one.number) == (link.endpoint, link.descriptor)
        assert owners([one], {speaker}) == [speaker]
        assert owners([one], {1 << 30}) == [None]
    assert connections({"ipc:///elsewhere"}) == []


def test_what_came_without_a_handshake_is_nobodys(link: ZeroMQLink) -> None:
    assert not link.is_from(os.getpid())
    assert keeper_above(os.getpid(), {os.getppid()}) == os.getppid()
    assert keeper_above(1 << 30, {os.getpid()}) is None


def test_strangers_are_counted_and_taken_in_turn_with_the_bot(link: ZeroMQLink) -> None:
    context = zmq.Context[zmq.Socket[bytes]]()
    known, stranger = context.socket(zmq.DEALER), context.socket(zmq.DEALER)
    for one in (known, stranger):
        one.connect(link.endpoint)
    known.send(b"hello")
    assert link.socket.poll(PATIENCE_MS)
    assert [received.data for received in link.receive(5)] == [b"hello"]
    link.accept()
    for number in range(1000):
        stranger.send(b"%d" % number)
    assert link.socket.poll(PATIENCE_MS)
    known.send(b"act")
    found: list[bytes] = []
    turns = 0
    while not found and turns < 1000:
        assert link.socket.poll(PATIENCE_MS)
        found += [received.data for received in link.receive(5)]
        turns += 1
    assert found == [b"act"]
    for one in (known, stranger):
        one.close(0)
    context.term()
    if link.endpoint.startswith("ipc:"):
        (pid,) = link.strays
        assert pid == os.getpid()
        assert link.strays[pid] > 0


@pytest.mark.parametrize("link", ["tcp"], indirect=True)
def test_what_a_stranger_has_left_behind_is_not_the_bots_who_gets_its_descriptor(
    link: ZeroMQLink,
) -> None:
    code = SPEAKER.replace("time.sleep(20)", "socket.close(2000)")
    subprocess.run([sys.executable, "-c", code, link.endpoint], check=True, timeout=60)
    link.await_drop(PATIENCE_MS / 1000)
    code = SPEAKER.replace("time.sleep(20)", "sys.stdin.readline(); socket.send(b'again')") + "\n"
    code += "sys.stdin.readline()"
    with subprocess.Popen(
        [sys.executable, "-c", code, link.endpoint], stdin=subprocess.PIPE, bufsize=0
    ) as process:
        try:
            deadline = time.monotonic() + PATIENCE_MS / 1000
            while not connections_of(link) and time.monotonic() < deadline:
                time.sleep(0.01)
            link.connection_dropped()  # as each tick does
            assert link.receive(5)
            left = link._origin
            assert not link.is_from(process.pid)
            assert link.socket.poll(PATIENCE_MS)
            assert link.receive(5)  # here it cannot be told whose it is
            assert process.stdin is not None
            process.stdin.write(b"\n")
            assert link.socket.poll(PATIENCE_MS)
            (last,) = link.receive(5)
            assert last.data == b"again"
            assert link._origin == left, "it has got another descriptor: this shows nothing"
            assert link.is_from(process.pid), "nothing has been closed since all was read"
        finally:
            process.kill()


@pytest.mark.parametrize("link", ["tcp"], indirect=True)
def test_a_connection_that_said_nothing_leaves_no_doubt(
    link: ZeroMQLink, request: pytest.FixtureRequest
) -> None:
    host, port = link.endpoint.removeprefix("tcp://").split(":")
    with socket.create_connection((host, int(port))):
        pass
    link.await_drop(PATIENCE_MS / 1000)
    assert link.connection_dropped()
    speaker = request.getfixturevalue("speaker")
    assert link.socket.poll(PATIENCE_MS)
    assert link.receive(5)
    assert link.is_from(speaker)


def connections_of(link: ZeroMQLink) -> int:
    found = connections({link.endpoint})
    for one in found:
        one.end.close()
    return len(found)


@pytest.mark.parametrize("link", ["ipc"], indirect=True)
def test_what_comes_from_others_before_hello_is_counted(link: ZeroMQLink) -> None:
    seat = BotSeat.__new__(BotSeat)
    seat.link, seat.state, seat._prints = link, "starting", False
    seat._no_hellos = NoHellos()
    seat.limits = Limits(message_bytes=65_536, unexpected_messages=8, soft_faults=3)
    context = zmq.Context[zmq.Socket[bytes]]()
    stranger = context.socket(zmq.DEALER)
    stranger.connect(link.endpoint)
    with subprocess.Popen(["sleep", "20"]) as other:
        seat.process = SimpleNamespace(keeper_pid=other.pid)  # type: ignore[assignment]
        for _ in range(3):
            stranger.send(b"{junk")
            assert link.socket.poll(PATIENCE_MS)
            assert seat.receive(5) == []
        other.kill()
    assert link.take_strays() == {os.getpid(): 3}
    assert link.take_strays() == {}
    stranger.close(0)
    context.term()
