"""The rules alone: random play-outs and verified deals, in iterations of an empty loop."""

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from msgspec import to_builtins

from protocol.messages import Time
from referee.cards import DealKey, commitment, shuffled
from referee.games.rulesets import game_named
from referee.league.plan import logged_seatings, seatings_of
from referee.log import FORMAT, End, EntrantRecord, Header, SideRecord, deal_line, encoded, parse
from referee.replay import verify
from referee.table import Table

SECRET = "5e" * 32


class Cost(NamedTuple):
    """What one unit of work costs."""

    seconds: float
    loops: float
    """The same in iterations of an empty loop measured just before."""


def _empty_loop(count: int) -> float:
    began = time.perf_counter()
    for _ in range(count):
        pass
    return (time.perf_counter() - began) / count


def _cost(work: Callable[[], int]) -> Cost:
    """The cost of a unit of work; `work` returns how many it did."""
    loop = _empty_loop(2_000_000)
    began = time.perf_counter()
    count = work()
    seconds = (time.perf_counter() - began) / count
    return Cost(seconds, seconds / loop)


def playout_decision(ruleset: str, deals: int) -> Cost:
    """A decision of a random play-out: shuffling, dealing, legal actions, play and points."""
    game = game_named("huutopussi", ruleset)
    chance = random.Random(1).random

    def work() -> int:
        count = 0
        for number in range(deals):
            key = DealKey(SECRET, game.name, ruleset, "a+b", number, 0, 0)
            deal = game.deal(shuffled(key, 36), game.first(number))
            while deal.to_act is not None:
                legal = deal.legal()
                deal.apply(legal[int(chance() * len(legal))])
                count += 1
            if deal.redealer is None:
                deal.points()
        return count

    return _cost(work)


def _log(ruleset: str, sets: int) -> bytes:
    game = game_named("huutopussi", ruleset)
    rng = random.Random(2)
    names = [f"e{side}" for side in range(max(game.sides) + 1)]
    pairing = "+".join(names)
    side = SideRecord(times=[], notes=[], blame=[], started="", lag_ms=0.0, unexpected=[])
    header = Header(
        format=FORMAT, referee="bench", game=game.name, ruleset=ruleset,
        rules=to_builtins(game.rules), unit="deal", soft_faults=3,
        time=Time(decision_ms=1000, bank_ms=0, increment_ms=0), pairing=pairing,
        entrants=[EntrantRecord(id=name, command=[name]) for name in names], seating="swap",
        tables=2, isolation="seat", commitment=commitment(SECRET),
    )  # fmt: skip
    lines = []
    for number in range(sets):
        seatings = seatings_of(game, ruleset, pairing, names, number, SECRET)
        for place, seating in enumerate(seatings):
            key = DealKey(SECRET, game.name, ruleset, pairing, number, 0, 0)
            table = Table(
                game, "deal", set_number=number, number=place,
                entrants=[names[entrant] for entrant in seating],
                cards=lambda deal, redeal, key=key: shuffled(  # type: ignore[misc]
                    key._replace(deal=deal, redeal=redeal), 36
                ),
            )  # fmt: skip
            while decision := table.ask():
                table.submit(rng.choice(decision.legal))
            lines += [deal_line(record, side) for record in table.records]
    done = parse(Path("bench"), encoded([header, *lines]))
    return encoded([header, *lines, End(sets=sets, digest=done.digest())])


def verified_deal(ruleset: str, sets: int) -> Cost:
    """A deal of a log read and verified, its cards dealt again from the secret."""
    data = _log(ruleset, sets)
    secrets = {commitment(SECRET): SECRET}
    return _cost(lambda: verify(parse(Path("bench"), data), secrets, logged_seatings).deals)
