"""`python -m tests.bench.html_replay [DEALS]`: a replay page of many deals, made and opened.

Prints how long the page takes to write, how large it is, and, where Chromium is installed, how
long it takes from the file to the first deal and from there to a deal of another block. The deals
are Huutopussi played at random, with a time for every decision and a note at every tenth.
"""

import sys
import time
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from protocol.messages import Time
from referee.cards import commitment
from referee.games.game import Game
from referee.games.rulesets import game_named
from referee.league.schedule import seatings
from referee.log import (
    FORMAT,
    DecisionTime,
    EntrantRecord,
    Header,
    Line,
    SideRecord,
    deal_line,
    encoded,
    parse,
)
from referee.show.html.replay import replay_html
from referee.table import PlayRecord, Table
from tests.browser.driver import missing, started

NAMES = ("aapo", "bertta")
READY = "document.documentElement.dataset.ready"


def lines(game: Game, sets: int) -> list[Line]:
    """A log of so many sets, of two tables each."""
    header = Header(
        format=FORMAT, referee="bench", game=game.name, ruleset=game.ruleset,
        rules={name: getattr(game.rules, name) for name in game.rules.__struct_fields__},
        unit="deal", time=Time(decision_ms=1000, bank_ms=0, increment_ms=0), soft_faults=3,
        pairing="+".join(NAMES), entrants=[EntrantRecord(id=n, command=[n]) for n in NAMES],
        seating="swap", tables=2, isolation="seat", commitment=commitment("ab" * 32),
    )  # fmt: skip
    found: list[Line] = [header]
    rng = Random(1)
    for number in range(sets):
        cards = list(range(game.pack.size))
        rng.shuffle(cards)
        for place, seating in enumerate(seatings("swap", 4, game.sides, (0, 1))):
            table = Table(
                game, "deal", set_number=number, number=place, cards=lambda *_, dealt=cards: dealt,
                entrants=[NAMES[entrant] for entrant in seating],
            )  # fmt: skip
            found.append(deal_line(*_played(table, rng)))
    return found


def _played(table: Table, rng: Random) -> tuple[PlayRecord, SideRecord]:
    times: list[DecisionTime] = []
    notes: list[tuple[int, object]] = []
    while (decision := table.ask()) is not None:
        times.append(DecisionTime(decision.seat, table.at, rng.lognormvariate(0, 1)))
        if table.at % 10 == 0:
            notes.append((table.at, f"of {len(decision.legal)} I take the best"))
        # Bidding stays low, so that contracts differ.
        place = min(int(rng.expovariate(0.4)), len(decision.legal) - 1)
        table.submit(decision.legal[place])
    side = SideRecord(
        times=times, notes=notes, blame=[], started="", lag_ms=0.0, unexpected=[0] * 4
    )
    return table.records[-1], side


def main() -> None:
    """Print everything."""
    deals = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    game = game_named("huutopussi", "wikibooks-team")
    data = encoded(lines(game, deals // 2))
    log = parse(Path("bench.jsonl"), data)
    before = time.perf_counter(), time.process_time()
    text = replay_html(game, log)
    wall, cpu = time.perf_counter() - before[0], time.process_time() - before[1]
    print(f"{deals:,} deals, a log of {len(data) / 1e6:.1f} MB")
    print(f"  page made in {wall:.1f} s ({cpu:.1f} s of processor), {len(text) / 1e6:.1f} MB")
    why = missing()
    if why is not None:
        print(f"  not opened: {why}")
        return
    with TemporaryDirectory() as folder, started() as browser:
        file = Path(folder) / "replay.html"
        file.write_text(text, encoding="utf-8")
        browser.visit(file.as_uri())
        browser.until(READY)
        first = browser.run("return performance.now()")
        opened = browser.run("return performance.getEntriesByName('first deal')[0].startTime")
        other = browser.wait(
            "const done = arguments[0], before = performance.now();"
            "open(state.rows[state.rows.length - 1]).then(() => done(performance.now() - before))"
        )
        print(f"  first deal shown after {opened:.0f} ms (asked at {first:.0f} ms)")
        print(f"  a deal of another block after {other:.0f} ms")


if __name__ == "__main__":
    main()
