"""Carries a bot that speaks lines on its standard input and output to a ZeroMQ endpoint.

    python -m protocol.relay ./bot.sh --level 3

It connects to REFEREE_ENDPOINT like any bot and starts the command with REFEREE_ENDPOINT=stdio:
every line that this writes becomes a message, every message becomes a line. Such a bot can so be
run where only a ZeroMQ endpoint can be reached, on another machine too.
"""

import os
import subprocess
import sys

import zmq

from protocol.messages import ENDPOINT_VARIABLE, STDIO

LINE_BYTES = 1 << 20
"""A longer line is cut, so that a bot without end of line does not fill this program."""

_CHUNK = 1 << 16
_GRACE_SECONDS = 2.0


def relay(endpoint: str, command: list[str]) -> int:
    """Carry messages until either side ends; the bot's exit code."""
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.setsockopt(zmq.LINGER, 200)
        socket.connect(endpoint)
        bot = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=os.environ | {ENDPOINT_VARIABLE: STDIO},
        )  # fmt: skip
        try:
            _carry(socket, bot)
        except BrokenPipeError:
            pass  # it has ended; its exit code says how
        finally:
            code = _end(bot)
    return code


def _carry(socket: "zmq.Socket[bytes]", bot: "subprocess.Popen[bytes]") -> None:
    assert bot.stdin is not None
    assert bot.stdout is not None
    poller = zmq.Poller()
    poller.register(socket, zmq.POLLIN)
    poller.register(bot.stdout.fileno(), zmq.POLLIN)
    poller.register(0, zmq.POLLIN)
    line = b""
    while True:
        ready = dict(poller.poll())
        if 0 in ready and not os.read(0, _CHUNK):
            return  # the referee holds our standard input open for as long as it lives
        if socket in ready:
            bot.stdin.write(socket.recv() + b"\n")
            bot.stdin.flush()
        if bot.stdout.fileno() in ready:
            chunk = os.read(bot.stdout.fileno(), _CHUNK)
            if not chunk:
                return
            *lines, line = (line + chunk).split(b"\n")
            for whole in lines:
                if whole.strip():
                    socket.send(whole)
            line = line[:LINE_BYTES]


def _end(bot: "subprocess.Popen[bytes]") -> int:
    """Let the bot end by itself, then make it."""
    assert bot.stdin is not None
    try:
        bot.stdin.close()
    except BrokenPipeError:
        pass
    try:
        return bot.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        bot.kill()
        return bot.wait()


def main() -> None:
    """Read the command line and carry."""
    endpoint = os.environ.get(ENDPOINT_VARIABLE)
    if not endpoint:
        sys.exit(f"{ENDPOINT_VARIABLE} is not set: this is started by a referee")
    if len(sys.argv) < 2:
        sys.exit("expected the command of a bot: python -m protocol.relay ./bot.sh")
    sys.exit(relay(endpoint, sys.argv[1:]))


if __name__ == "__main__":
    main()
