"""The whole hands of the rule texts as committed logs: each is verified, none can be altered."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec import structs

from referee.cli.main import commands
from referee.errors import LogMismatch
from referee.league.plan import logged_seatings
from referee.log import DealLine, End, Line, deal_line, decode_play, encoded, lines_of, parse
from referee.replay import Verified, verify
from referee.table import PlayRecord
from tests import make_golden
from tests.make_golden import FOLDER, GOLDEN, Golden

every_log = pytest.mark.parametrize("golden", GOLDEN, ids=[golden.name for golden in GOLDEN])


def file_of(golden: Golden) -> Path:
    return FOLDER / f"{golden.name}.jsonl"


def logged(golden: Golden) -> list[PlayRecord]:
    """The plays of a committed log, one for each table."""
    lines = lines_of(file_of(golden).read_bytes())
    return [decode_play(line.play) for line in lines if isinstance(line, DealLine)]


def with_first_play(golden: Golden, **changed: Any) -> Verified:
    """Verify a log whose first deal was altered, with every digest put right again."""
    lines: list[Line] = list(lines_of(file_of(golden).read_bytes()))
    first = lines[1]
    assert isinstance(first, DealLine)
    lines[1] = deal_line(structs.replace(decode_play(first.play), **changed), first.side)
    digest = parse(Path("a.jsonl"), encoded(lines[:-1])).digest()
    lines[-1] = End(sets=1, digest=digest)
    return verify(parse(Path("a.jsonl"), encoded(lines)), {}, logged_seatings)


def test_each_whole_hand_has_its_log_and_no_other_log_is_there() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(
        f"{golden.name}.jsonl" for golden in GOLDEN
    )


@every_log
def test_the_referee_verifies_the_log(golden: Golden) -> None:
    found = CliRunner().invoke(commands, ["verify", str(file_of(golden))])
    assert found.exit_code == 0, found.output
    assert found.output.startswith("verified: ")


@every_log
def test_the_points_are_those_that_the_rules_print(golden: Golden) -> None:
    plays = logged(golden)
    assert len(plays) == len(golden.points)
    for play in plays:
        assert tuple(play.points) == golden.points
        assert play.dealer == golden.dealer
        assert play.actions == plays[0].actions
        assert play.cards == plays[0].cards
    assert len({tuple(play.seats) for play in plays}) == len(plays)


@every_log
def test_the_log_is_what_its_script_makes(golden: Golden) -> None:
    committed = lines_of(file_of(golden).read_bytes())[1:]
    assert encoded(committed) == encoded(make_golden.lines_of(golden)[1:])


def swaps(golden: Golden) -> Iterator[str]:
    """The cards as dealt, with two exchanged that different seats played one after the other."""
    cards = logged(golden)[0].cards[0].split()
    steps = [step.split(":") for step in golden.script.split() if step[2:] in cards]
    for (seat, card), (other, follower) in pairwise(steps):
        if seat != other:
            exchanged = {card: follower, follower: card}
            yield " ".join(exchanged.get(each, each) for each in cards)


@every_log
def test_a_log_with_two_cards_exchanged_is_refused(golden: Golden) -> None:
    assert with_first_play(golden).deals == len(golden.points)
    changes = list(swaps(golden))
    assert len(changes) >= 10
    for cards in changes:
        with pytest.raises(LogMismatch, match=r"line 2: play\.actions\["):
            with_first_play(golden, cards=[cards])


@every_log
def test_a_log_with_a_card_twice_is_refused(golden: Golden) -> None:
    cards = logged(golden)[0].cards[0].split()
    with pytest.raises(LogMismatch, match=r"line 2: play\.cards: not the whole pack"):
        with_first_play(golden, cards=[" ".join([cards[1], *cards[1:]])])


@every_log
def test_a_log_with_any_action_changed_is_refused(golden: Golden) -> None:
    actions = logged(golden)[0].actions.split()
    for at, action in enumerate(actions):
        later = [other for other in [*actions[at:], *actions[:at]] if other != action]
        changed = [*actions[:at], later[0], *actions[at + 1 :]]
        with pytest.raises(LogMismatch, match=r"line 2: play\.actions\["):
            with_first_play(golden, actions=" ".join(changed))


@every_log
def test_a_log_with_an_action_left_out_is_refused(golden: Golden) -> None:
    actions = logged(golden)[0].actions.split()
    for at in range(len(actions)):
        with pytest.raises(LogMismatch, match=r"line 2: play\.(actions|points)"):
            with_first_play(golden, actions=" ".join(actions[:at] + actions[at + 1 :]))


@every_log
def test_a_log_with_other_points_is_refused(golden: Golden) -> None:
    points = list(golden.points)
    with pytest.raises(LogMismatch, match=r"line 2: play\.points"):
        with_first_play(golden, points=[points[0] + 5, *points[1:]])


@every_log
def test_the_referee_refuses_a_file_with_one_byte_of_a_play_changed(
    golden: Golden, tmp_path: Path
) -> None:
    data = file_of(golden).read_bytes()
    card = golden.hands[0].split()[0].encode()
    at = data.index(card, data.index(b'"cards":'))
    changed = tmp_path / "logs" / "changed.jsonl"
    changed.parent.mkdir()
    changed.write_bytes(data[:at] + (b"9S" if card != b"9S" else b"TS") + data[at + 2 :])
    found = CliRunner().invoke(commands, ["verify", str(changed)])
    assert found.exit_code == 1
    assert found.output.startswith("NOT VERIFIED: ")
    assert "line 2" in found.output
