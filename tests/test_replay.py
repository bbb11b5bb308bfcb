"""Table, log and verification in one process: what is written comes out again, or is refused."""

import random
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from protocol.messages import Time
from referee.cards import DealKey, commitment, shuffled
from referee.errors import IllegalAction, LogError, LogMismatch
from referee.games.game import Game
from referee.games.rulesets import KINDS, game_named
from referee.league.plan import logged_seatings, seatings_of
from referee.log import (
    FORMAT,
    DealLine,
    End,
    EntrantRecord,
    Header,
    Log,
    SideRecord,
    canonical,
    deal_line,
    encoded,
    parse,
)
from referee.replay import verify
from referee.table import PlayRecord, Table

SECRET = "0b" * 32
REVEALED = {commitment(SECRET): SECRET}
SIDE = SideRecord(times=[], notes=[], blame=[], started="", lag_ms=0.0, unexpected=[])


def entrants_of(game: Game) -> list[str]:
    return [f"e{side}" for side in range(max(game.sides) + 1)]


def header(game: Game, unit: str = "deal") -> Header:
    names = entrants_of(game)
    two = len(names) == 2
    return Header(
        format=FORMAT, referee="test", game=game.name, ruleset=game.ruleset,
        rules=msgspec.to_builtins(game.rules), unit=unit, soft_faults=3,  # type: ignore[arg-type]
        time=Time(decision_ms=1000, bank_ms=0, increment_ms=0), pairing="+".join(names),
        entrants=[EntrantRecord(id=name, command=[name]) for name in names],
        seating="swap" if two else "rotate", tables=2 if two else len(names), isolation="seat",
        commitment=commitment(SECRET),
    )  # fmt: skip


def played(game: Game, number: int, unit: str = "deal", faults: bool = False) -> list[DealLine]:
    """A set played at random, now and then with a fault."""
    names = entrants_of(game)
    pairing = "+".join(names)
    rng = random.Random(f"{game.ruleset} {number} {unit}")
    lines = []
    seatings = seatings_of(game, game.ruleset, pairing, names, number, SECRET)
    for place, seating in enumerate(seatings):

        def cards(deal: int, redeal: int) -> list[int]:
            key = DealKey(SECRET, game.name, game.ruleset, pairing, number, deal, redeal)
            return shuffled(key, game.pack.size)

        table = Table(
            game, unit, set_number=number, number=place, cards=cards,  # type: ignore[arg-type]
            entrants=[names[entrant] for entrant in seating],
        )  # fmt: skip
        while decision := table.ask():
            chance = rng.random()
            if faults and chance < 0.02:
                table.fault(rng.choice(("illegal", "timeout")))
            elif faults and chance < 0.022:
                table.forfeit(rng.randrange(game.seats), "crashed")
            else:
                table.submit(rng.choice(decision.legal))
        lines += [deal_line(record, SIDE) for record in table.records]
    return lines


def log_of(
    game: Game, sets: int, unit: str = "deal", faults: bool = False, end: bool = True
) -> bytes:
    lines = [line for number in range(sets) for line in played(game, number, unit, faults)]
    data = encoded([header(game, unit), *lines])
    return data + encoded([End(sets=sets, digest=read(data).digest())]) if end else data


def read(data: bytes) -> Log:
    return parse(Path("a.jsonl"), data)


RULESETS = [(kind.name, name) for kind in KINDS.values() for name in kind.presets]


@pytest.mark.parametrize(("game", "ruleset"), RULESETS)
@pytest.mark.parametrize("faults", [False, True], ids=["clean", "faults"])
def test_every_play_comes_out_again_byte_for_byte(game: str, ruleset: str, faults: bool) -> None:
    data = log_of(game_named(game, ruleset), 6, faults=faults)
    for secrets in (REVEALED, {}):
        found = verify(read(data), secrets, logged_seatings)
        assert found.sets == 6
        assert found.from_secret == (found.deals if secrets else 0)


@pytest.mark.parametrize("faults", [False, True], ids=["clean", "faults"])
def test_whole_games_are_verified_too(faults: bool) -> None:
    data = log_of(game_named("huutopussi", "helsinki"), 2, "game", faults)
    assert verify(read(data), REVEALED, logged_seatings).deals > 4


def test_nets_of_a_game_are_one_and_minus_one() -> None:
    game = game_named("huutopussi", "wikibooks-3")
    finals = [
        line for line in read(log_of(game, 1, "game")).sets[0].deals() if line[2].nets is not None
    ]
    for _, _, play in finals:
        assert play.nets is not None
        assert sorted(play.nets) in ([-0.5, -0.5, 1.0], [-0.5, 0.25, 0.25])


def test_a_log_with_any_byte_of_a_play_changed_fails() -> None:
    game = game_named("huutopussi", "helsinki")
    data = log_of(game, 2, faults=True)
    first = data.index(b"\n") + 1
    start = data.index(b'"play":', first) + len(b'"play":')
    end = data.index(b',"side":', start)
    for position in range(start, end):
        changed = bytearray(data)
        changed[position] ^= 1
        with pytest.raises(LogError):
            verify(read(bytes(changed)), {}, logged_seatings)


def rewritten(data: bytes, change: Callable[[dict[str, object]], None]) -> bytes:
    """The log with its first deal changed, and a fitting digest put beside it."""
    lines = data.splitlines()
    line = msgspec.json.decode(lines[1], type=DealLine)
    play = msgspec.json.decode(line.play)
    change(play)
    forged = msgspec.convert(play, type=PlayRecord)
    lines[1] = encoded([deal_line(forged, line.side)]).rstrip()
    return b"\n".join(lines) + b"\n"


@pytest.mark.parametrize(
    ("field", "value", "phrase"),
    [
        ("points", [50, 50], "play.points"),
        ("nets", [1.0, -1.0], "play.nets"),
        ("score", [1, 2], "play.score"),
        ("dealer", 3, "play.dealer"),
        ("seats", ["e1", "e0", "e1", "e0"], "play.seats"),
        ("actions", "bid:50 pass", "play.actions"),
    ],
)
def test_a_forged_play_is_caught_by_the_rules(field: str, value: object, phrase: str) -> None:
    data = log_of(game_named("huutopussi", "helsinki"), 1)
    forged = rewritten(data, lambda play: play.update({field: value}))
    with pytest.raises(LogMismatch, match=phrase) as caught:
        verify(read(forged), REVEALED, logged_seatings)
    assert "line 2" in str(caught.value)


def test_other_cards_than_the_secret_deals_are_caught() -> None:
    data = log_of(game_named("huutopussi", "helsinki"), 1)
    other = "0c" * 32
    moved = data.replace(commitment(SECRET).encode(), commitment(other).encode())
    assert verify(read(moved), {}, logged_seatings).deals == 2
    with pytest.raises(LogMismatch, match=r"play\.(cards|actions)"):
        verify(read(moved), {commitment(other): other}, logged_seatings)


def test_a_secret_that_does_not_match_its_commitment_is_refused() -> None:
    data = log_of(game_named("huutopussi", "helsinki"), 1)
    with pytest.raises(LogMismatch, match="another digest"):
        verify(read(data), {commitment(SECRET): "0d" * 32}, logged_seatings)


def test_an_incomplete_set_at_the_end_is_set_aside_wherever_it_is_cut() -> None:
    game = game_named("huutopussi", "wikibooks-2")
    data = log_of(game, 3, end=False)
    head = data.index(b"\n") + 1
    ends = [0] + [
        sum(len(line) + 1 for line in data.splitlines()[: 1 + 2 * sets]) for sets in (1, 2, 3)
    ]
    for cut in range(head, len(data) + 1):
        log = read(data[:cut])
        complete = sum(cut >= end for end in ends[1:])
        assert len(log.sets) == complete, cut
        assert (log.set_aside > 0) == (cut not in (head, *ends[1:])), cut


def test_a_deal_of_another_set_within_a_set_is_an_error() -> None:
    game = game_named("huutopussi", "wikibooks-2")
    lines = log_of(game, 2).splitlines(keepends=True)
    with pytest.raises(LogError, match="not complete"):
        read(b"".join([lines[0], lines[1], lines[3], lines[4]]))


def test_a_file_without_a_header_is_no_log() -> None:
    data = log_of(game_named("huutopussi", "wikibooks-2"), 1)
    with pytest.raises(LogError, match="header"):
        read(data[data.index(b"\n") + 1 :])


def test_the_digest_does_not_depend_on_the_order_of_sets() -> None:
    game = game_named("huutopussi", "wikibooks-2")
    lines = log_of(game, 3).splitlines(keepends=True)
    turned = b"".join([lines[0], *lines[5:7], *lines[1:3], *lines[3:5]])
    assert read(turned).digest() == read(b"".join(lines)).digest()


def test_an_illegal_action_changes_nothing() -> None:
    game = game_named("huutopussi", "wikibooks-2")
    table = Table(game, "deal", set_number=0, cards=lambda *_: list(range(36)))
    before = table.at
    with pytest.raises(IllegalAction, match="'pass' is not legal"):
        table.submit(game.index["pass"])
    assert table.at == before


def test_the_same_deal_twice_has_the_same_bytes() -> None:
    game = game_named("huutopussi", "german")
    one, other = played(game, 4), played(game, 4)
    assert [bytes(line.play) for line in one] == [bytes(line.play) for line in other]
    record = read(encoded([header(game), *one])).sets[4].entries[0].play
    assert record is not None
    assert canonical(record) == bytes(one[0].play)
