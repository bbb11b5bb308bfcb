"""Write tests/golden/*.jsonl: the whole hands of the rule texts as logs, one each.

    python -m tests.make_golden

Each log has one set of one deal: the same cards and the same actions at every table of the set.
No secret is revealed for them, so whoever verifies a log takes its cards as they stand there.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from protocol.messages import Time
from referee.cards import commitment
from referee.games.game import Game
from referee.games.rulesets import game_named
from referee.league.schedule import seatings
from referee.log import (
    FORMAT,
    End,
    EntrantRecord,
    Header,
    Line,
    SideRecord,
    deal_line,
    encoded,
    parse,
)
from referee.table import Table
from tests.rules import test_huutopussi_deals as huutopussi
from tests.rules.whist_help import TUPPI_HANDS

FOLDER = Path(__file__).parent / "golden"
SIDE = SideRecord(times=[], notes=[], blame=[], started="", lag_ms=0.0, unexpected=[])


class Golden(Struct, frozen=True, kw_only=True):
    """A whole hand: its game, cards and actions, and the points that the rules print."""

    name: str
    game: str
    ruleset: str
    dealer: int
    hands: Sequence[str]
    rest: str = ""
    """Talon or stock, top first."""
    script: str
    """`seat:action` of all that is asked; dictated answers are left out."""
    points: tuple[int, ...]
    """By side."""

    def table_game(self) -> Game:
        """The game in which this dealer is the first."""
        options = {"first_dealer": self.dealer} if self.dealer else None
        return game_named(self.game, self.ruleset, options)


M_G1 = Golden(
    name="marjapussi-M-G1", game="marjapussi", ruleset="marjapussi", dealer=3,
    hands=(
        "KS JH 9H 6H 6D AC TC KC 8C", "AS JS 6S 7H KD QD 8D 7C 6C",
        "TS QS 9S 7S AH TD JD JC 9C", "8S TH KH QH 8H AD 9D 7D QC",
    ),
    script="""
        0:AC 1:6C 2:9C 3:QC
        0:half:S 0:8C 1:7C 2:JC 3:8S
        3:declare:H 3:QH 0:6H 1:7H 2:AH
        2:whole 2:9S 3:7D 0:KS 1:AS
        1:6S 2:TS 3:KH 0:KC
        2:whole 2:TD 3:AD 0:6D 1:8D
        3:whole 3:8H 0:9H 1:JS 2:QS
        2:7S 3:9D 0:TC 1:QD
        2:JD 3:TH 0:JH 1:KD
    """,
    points=(2, 3),
)  # fmt: skip

M_G2 = Golden(
    name="marjapussi-M-G2", game="marjapussi", ruleset="marjapussi", dealer=3,
    hands=(
        "TH KH QH 9H 8H JD AC TC 6C", "KS JS 8S AD 7D KC QC 9C 7C",
        "TS JH 7H 6H TD KD QD 8D 8C", "AS QS 9S 7S 6S AH 9D 6D JC",
    ),
    script="""
        0:AC 1:7C 2:8C 3:JC
        0:declare:H 0:TC 1:9C 2:7H 3:AH
        3:half:S 3:7S 0:QH 1:8S 2:TS
        0:whole 0:TH 1:JS 2:6H 3:9D
        0:whole 0:JD 1:AD 2:8D 3:6D
        1:declare:C 1:KS 2:JH 3:6S 0:KH
        0:6C 1:QC 2:TD 3:AS
        1:7D 2:KD 3:9S 0:9H
        0:8H 1:KC 2:QD 3:QS
    """,
    points=(4, 3),
)  # fmt: skip

B_G1 = Golden(
    name="bondtolva-B-G1", game="bondtolva", ruleset="bondtolva", dealer=1,
    hands=("AS 9H AC TC KC 9C", "JH TD KD QD JD JC"),
    rest="QH 9S KH AH KS AD QS JS QC 9D TS TH",
    script="""
        0:9C 1:TD 0:pass
        0:QH 1:JD 0:pass
        0:AS 1:9S 0:pass
        0:KH 1:JC 0:pass
        0:TC 1:JH 0:declare:S
        0:QS 1:QD 0:declare:C
        0:KS 1:JS
        0:TS 1:KD
        0:9H 1:AH
        1:AD 0:QC
        1:9D 0:KC
        1:TH 0:AC
    """,
    points=(4, 1),
)


def huutopussi_script(before: str, rows: Sequence[huutopussi.Row]) -> str:
    """A printed deal as a script: its tricks, each with what its winner says afterwards."""
    steps = [before]
    for played, _, winner, _, action, _ in rows:
        steps += [played, f"{winner}:{action}" if action else ""]
    return " ".join(steps)


GOLDEN = (
    Golden(
        name="huutopussi-D1", game="huutopussi", ruleset="helsinki", dealer=3,
        hands=huutopussi.D1_HANDS, points=(60, 240),
        script=huutopussi_script(huutopussi.D1_BEFORE, huutopussi.D1),
    ),
    Golden(
        name="huutopussi-D2", game="huutopussi", ruleset="wikibooks-3", dealer=2,
        hands=huutopussi.D2_HANDS, rest="9S 6S 8H", points=(-60, 191, 29),
        script=huutopussi_script(
            "0:bid:50 1:pass 2:pass 0:discard:7S 0:discard:8S 0:discard:KH 0:contract:60",
            huutopussi.D2,
        ),
    ),
    Golden(
        name="huutopussi-D3", game="huutopussi", ruleset="german", dealer=3,
        hands=huutopussi.D3_HANDS, points=(175, 65),
        script=huutopussi_script("0:pass 1:pass 2:pass 3:pass", huutopussi.D3),
    ),
    M_G1, M_G2, B_G1,
    *(
        Golden(
            name=f"tuppi-{name}", game="tuppi", ruleset="tuppi", dealer=hand.dealer,
            hands=hand.hands, points=hand.points, script=hand.script(),
        )
        for name, hand in TUPPI_HANDS.items()
    ),
)  # fmt: skip


def header(game: Game, entrants: Sequence[str]) -> Header:
    """The header of a log of one set between these entrants."""
    swap = len(entrants) == 2
    return Header(
        format=FORMAT, referee="golden", game=game.name, ruleset=game.ruleset,
        rules=to_builtins(game.rules), unit="deal",
        time=Time(decision_ms=1000, bank_ms=0, increment_ms=0), soft_faults=3,
        pairing="+".join(entrants),
        entrants=[EntrantRecord(id=name, command=[name]) for name in entrants],
        seating="swap" if swap else "rotate", tables=len(entrants), isolation="seat",
        commitment=commitment("never revealed"),
    )  # fmt: skip


def played(golden: Golden, game: Any, number: int, seats: Sequence[str]) -> Table:
    """One table of the set, played by the script to its end."""
    index = game.pack.index
    masks = [game.pack.mask(hand.split()) for hand in golden.hands]
    rest = [index[card] for card in golden.rest.split()]
    cards = game.dealing_order(masks, rest, golden.dealer)
    table = Table(
        game, "deal", set_number=0, number=number, entrants=seats, cards=lambda *_: cards
    )
    for step in golden.script.split():
        seat, _, action = step.partition(":")
        decision = table.ask()
        if decision is None or decision.seat != int(seat):
            raise ValueError(f"{golden.name}: {step}: {table.refusal(action)}")
        table.submit(game.index[action])
    if not table.over:
        raise ValueError(f"{golden.name}: the deal goes on after its script")
    return table


def lines_of(golden: Golden) -> list[Line]:
    """The log of a whole hand: header, a deal for each table of the set, end."""
    game = golden.table_game()
    sides = max(game.sides) + 1
    entrants = [f"e{side}" for side in range(sides)]
    tables = seatings(
        "swap" if sides == 2 else "rotate", game.seats, game.sides, tuple(range(sides))
    )
    lines: list[Line] = [header(game, entrants)]
    for number, places in enumerate(tables):
        table = played(golden, game, number, [entrants[place] for place in places])
        lines += [deal_line(record, SIDE) for record in table.records]
    return [*lines, End(sets=1, digest=parse(FOLDER, encoded(lines)).digest())]


def main() -> None:
    """Write all the logs."""
    FOLDER.mkdir(exist_ok=True)
    for golden in GOLDEN:
        (FOLDER / f"{golden.name}.jsonl").write_bytes(encoded(lines_of(golden)))


if __name__ == "__main__":
    main()
