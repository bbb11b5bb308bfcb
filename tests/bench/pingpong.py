"""What ZeroMQ itself costs: one ask and one act, back and forth between two processes."""

import os
import subprocess
import sys
import tempfile
import time

import zmq

from protocol.messages import Act, Ask, decode_from_bot, decode_from_referee, encode
from referee.cards import DealKey, shuffled
from referee.games.rulesets import game_named


def typical_ask() -> Ask:
    """An ask from the middle of a deal of `helsinki`, where every player takes legal[0]."""
    game = game_named("huutopussi", "helsinki")
    cards = shuffled(DealKey("00", "huutopussi", "helsinki", "a+b", 0, 0, 0), game.pack.size)
    deal = game.deal(cards, game.first(0))
    for _ in range(28):
        deal.apply(deal.legal()[0])
    seat = deal.to_act
    assert seat is not None
    legal = [game.actions[action] for action in deal.legal()]
    return Ask(
        table=1, id=1, view=deal.view(seat), legal=legal, time_ms=600_000, bank_ms=0
    )


def bot() -> None:
    """The other end: decodes every ask in full and answers it."""
    context = zmq.Context()
    socket = context.socket(zmq.DEALER)
    socket.setsockopt(zmq.LINGER, 0)
    socket.connect(os.environ["PINGPONG_ENDPOINT"])
    socket.send(encode(Act(id=1, action="hello")))
    while True:
        message = decode_from_referee(socket.recv())
        if not isinstance(message, Ask):
            break
        socket.send(encode(Act(id=message.id, action=message.legal[0])))
    socket.close()
    context.term()


def rounds_a_second(seconds: float) -> float:
    """Round trips a second over a ROUTER-DEALER pair on a Unix socket."""
    context = zmq.Context()
    router = context.socket(zmq.ROUTER)
    router.setsockopt(zmq.LINGER, 0)
    with tempfile.TemporaryDirectory(prefix="rf", dir="/tmp") as folder:
        router.bind(f"ipc://{folder}/1")
        process = subprocess.Popen(
            [sys.executable, "-c", "from tests.bench.pingpong import bot; bot()"],
            env=os.environ | {"PINGPONG_ENDPOINT": f"ipc://{folder}/1"},
        )
        try:
            peer = router.recv()
            router.recv()
            ask = typical_ask()
            count = 0
            began = time.perf_counter()
            while (now := time.perf_counter()) - began < seconds:
                for _ in range(100):
                    router.send(peer, zmq.SNDMORE)
                    router.send(encode(ask))
                    router.recv()
                    decode_from_bot(router.recv())
                count += 100
            router.send(peer, zmq.SNDMORE)
            router.send(b'{"type":"bye","reason":"done"}')
            return count / (now - began)
        finally:
            process.wait(10)
            router.close()
            context.term()
