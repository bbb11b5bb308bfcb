"""A bot for every game of the protocol, with pyzmq and json alone.

It wins each trick as cheaply as it can. Its policy is `decide`; all the rest is the protocol.
"""

import json
import os
import re
import sys
from typing import Any

import zmq

Message = dict[str, Any]
Rules = dict[str, Any]

ACE_TEN = "23456789JQKTA"
PLAIN = "23456789TJQKA"
ACE_LOW = "A23456789TJQK"
"""Ranks from low to high."""

is_card = re.compile("[2-9TJQKA][SHDC]").fullmatch

WELCOME_MS = 10_000


def rank_order(view: Message, rules: Rules) -> str:
    """The ranks from low to high in this deal."""
    if view.get("contract") == "sooli" and rules.get("sooli_ace") == "low":
        return ACE_LOW
    if rules.get("rank_order") == "ace_ten" or view["game"] in ("marjapussi", "bondtolva"):
        return ACE_TEN
    return PLAIN


def decide(view: Message, legal: list[str], rules: Rules) -> str:
    """The lowest card that wins the trick as it lies, else the lowest card.

    Where there is no card to play, the first legal action.
    """
    cards = [action for action in legal if is_card(action)]
    if view["phase"] != "play" or not cards:
        return legal[0]
    order = rank_order(view, rules)

    def rank(card: str) -> int:
        return order.index(card[0])

    def beats(card: str, other: str) -> bool:
        if card[1] == other[1]:
            return rank(card) > rank(other)
        return bool(card[1] == view["trump"])

    best = None
    for _, card in view["trick"]:
        if best is None or beats(card, best):
            best = card
    winners = [card for card in cards if best and beats(card, best)]
    return min(winners or cards, key=rank)


class Lowest:
    """What a bot says to the messages of the referee; it keeps the rules of every table."""

    def __init__(self) -> None:
        self._rules: dict[int, Rules] = {}

    def answers(self, message: Message) -> list[Message]:
        """The answers to one message; most need none."""
        match message:
            case {"type": "start", "table": table, "rules": rules}:
                self._rules[table] = rules
            case {"type": "end", "table": table, "over": True}:
                self._rules.pop(table, None)
            case {"type": "ask", "id": ask, "table": table, "view": view, "legal": legal}:
                action = decide(view, legal, self._rules.get(table, {}))
                return [{"type": "act", "id": ask, "action": action}]
            case {"type": "ping", "id": ping}:
                return [{"type": "pong", "id": ping}]
            case {"type": "batch", "messages": parts}:
                return [answer for part in parts for answer in self.answers(part)]
            case {"type": "fault"}:
                print("lowest:", message, file=sys.stderr)
        return []  # also to what a later version may bring


def play(socket: "zmq.Socket[bytes]", token: str) -> None:
    """Speak with the referee until it says bye or is gone."""
    poller = zmq.Poller()
    poller.register(socket, zmq.POLLIN)
    poller.register(0, zmq.POLLIN)  # standard input ends when the referee is gone
    about = {"name": "lowest-python-plain", "version": "1.0.0", "tables": 64, "batch": True}
    socket.send_json({"type": "hello", "protocol": [1], "token": token, **about})
    if not poller.poll(WELCOME_MS):
        sys.exit("lowest: no answer to hello")
    bot = Lowest()
    while socket in dict(poller.poll()):
        data = socket.recv()
        try:
            message = json.loads(data)
            answers = bot.answers(message)
        except (ValueError, TypeError, LookupError) as error:
            print(f"lowest: odd message {data!r}: {error!r}", file=sys.stderr)
            continue
        for answer in answers:
            socket.send_json(answer)
        if isinstance(message, dict) and message.get("type") == "bye":
            break


def main() -> None:
    """Connect and play; exits with a message where no referee started this program."""
    endpoint, token = os.environ.get("REFEREE_ENDPOINT"), os.environ.get("REFEREE_TOKEN")
    if not endpoint or not token:
        sys.exit("lowest: REFEREE_ENDPOINT or REFEREE_TOKEN is not set: a referee starts this bot")
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.setsockopt(zmq.LINGER, 200)
        socket.connect(endpoint)
        play(socket, token)


if __name__ == "__main__":
    main()
