"""Logs that somebody has forged, with every digest put right again: verification finds it."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from referee.cards import commitment
from referee.errors import LogMismatch
from referee.games.rulesets import game_named
from referee.league.plan import logged_seatings
from referee.log import (
    DealLine,
    End,
    Unplayed,
    Void,
    deal_line,
    decode_play,
    encoded,
    parse,
)
from referee.replay import Verified, verify
from referee.rulings import Blame, Substitution
from tests.test_replay import REVEALED, SIDE, header, played

TWO = game_named("huutopussi", "wikibooks-2")
THREE = game_named("huutopussi", "wikibooks-3")


def checked(lines: list[Any], secrets: dict[str, str] | None = None) -> Verified:
    log = parse(Path("a.jsonl"), encoded(lines))
    return verify(log, REVEALED if secrets is None else secrets, logged_seatings)


def ended(lines: list[Any]) -> list[Any]:
    """Lines with a fitting end line behind them, as a forger would write it."""
    log = parse(Path("a.jsonl"), encoded(lines))
    return [*lines, End(sets=len(log.sets), digest=log.digest())]


def good(sets: int = 2) -> list[Any]:
    return [header(TWO), *(line for number in range(sets) for line in played(TWO, number))]


def changed(line: DealLine, **fields: object) -> DealLine:
    return deal_line(structs.replace(decode_play(line.play), **fields), SIDE)


def forfeited(number: int, table: int, nets: list[float] | None, **more: Any) -> Unplayed:
    seats = [["e0", "e1"], ["e1", "e0"]][table]
    blame = [Blame(kind="crashed", seat=0, ruling="forfeit", message="three hard faults")]
    fields = {"reason": "forfeited", "seats": seats, "blame": blame} | more
    return Unplayed(set=number, table=table, nets=nets, **fields)


LOW = TWO.lowest_net()


def test_an_honest_log_is_verified() -> None:
    assert checked(ended(good())).sets == 2
    lines = [*good(1), forfeited(1, 0, [LOW, 0.0]), forfeited(1, 1, [LOW, 0.0])]
    assert checked(ended(lines)).unplayed == 2


@pytest.mark.parametrize(
    "line",
    [
        forfeited(1, 0, [0.0, 0.0]),
        forfeited(1, 0, [0.0, LOW]),
        forfeited(1, 0, [-1.0, 0.0]),
        forfeited(1, 0, [LOW]),
        forfeited(1, 0, []),
        forfeited(1, 0, None),
        forfeited(1, 0, [LOW, 0.0], blame=[]),
        forfeited(1, 0, [LOW, 0.0], reason="not_playable"),
        forfeited(1, 0, [LOW, 0.0], seats=["e1", "e0"]),
        forfeited(1, 0, [LOW, 0.0], seats=["e0"]),
    ],
)
def test_a_forged_unplayed_line_is_caught(line: Unplayed) -> None:
    with pytest.raises(LogMismatch, match="line 4"):
        checked(ended([*good(1), line, forfeited(1, 1, [LOW, 0.0])]))


def test_an_unplayed_line_beside_the_deal_of_the_same_table_is_caught() -> None:
    lines = good(1)
    for forged in (
        [lines[0], lines[1], forfeited(0, 0, [LOW, 0.0]), lines[2]],
        [lines[0], forfeited(0, 0, [LOW, 0.0]), lines[1], lines[2]],
    ):
        with pytest.raises(LogMismatch, match="table 0"):
            checked(ended(forged))


def test_a_set_is_not_playable_as_a_whole_or_not_at_all() -> None:
    line = forfeited(0, 1, None, reason="not_playable", blame=[])
    with pytest.raises(LogMismatch, match="not playable"):
        checked(ended([*good(1)[:2], line]))


@pytest.mark.parametrize("table", [-1, 2, 5])
def test_tables_that_no_set_has_are_caught(table: int) -> None:
    lines = good(1)
    forged = [lines[0], lines[1], changed(lines[2], table=table)]
    with pytest.raises(LogMismatch, match="line 3"):
        checked(ended(forged))
    with pytest.raises(LogMismatch, match="line 3"):
        checked([*lines[:2], structs.replace(forfeited(0, 1, [LOW, 0.0]), table=table)])


def test_a_deal_after_the_last_one_of_its_table_is_caught() -> None:
    lines = good(1)
    for extra in (lines[1], changed(lines[1], deal=1)):
        with pytest.raises(LogMismatch, match="line 3"):
            checked(ended([lines[0], lines[1], extra, lines[2]]))


@pytest.mark.parametrize(
    "ruling",
    [
        Substitution(at=0, seat=0, kind="infrastructure", ruling="forfeit"),
        Substitution(at=0, seat=0, kind="start_failed", ruling="forfeit"),
        Substitution(at=0, seat=7, kind="crashed", ruling="forfeit"),
        Substitution(at=0, seat=-1, kind="crashed", ruling="forfeit"),
    ],
)
def test_a_ruling_that_no_referee_gives_is_caught(ruling: Substitution) -> None:
    lines = good(1)
    with pytest.raises(LogMismatch, match=r"line 2.*rulings"):
        checked(ended([lines[0], changed(lines[1], rulings=[ruling]), lines[2]]))


def test_a_set_that_is_there_twice_is_caught() -> None:
    lines = good(2)
    with pytest.raises(LogMismatch, match="set 0"):
        checked(ended([*lines, *lines[1:3]]))
    unplayable = [
        forfeited(0, table, None, reason="not_playable", blame=[]) for table in (0, 1)
    ]
    assert checked(ended([lines[0], *unplayable, *lines[1:]])).sets == 2  # played on a retry


def test_a_missing_set_is_caught_where_all_should_be_there() -> None:
    lines = good(3)
    gap = [*lines[:3], *lines[5:]]
    with pytest.raises(LogMismatch, match="set 1"):
        checked(ended(gap))
    void = [Void(set=1, attempt=attempt, reason="late") for attempt in (1, 2, 3)]
    assert checked(ended([*lines[:3], *void, *lines[5:]])).sets == 2


def test_an_end_line_must_fit_and_be_there_once_the_secret_is_out() -> None:
    lines = ended(good(2))
    end = lines[-1]
    with pytest.raises(LogMismatch, match="end line: sets"):
        checked([*lines[:-1], End(sets=3, digest=end.digest)])
    with pytest.raises(LogMismatch, match="end line: digest"):
        checked([*lines[:-1], End(sets=2, digest="0" * 64)])
    with pytest.raises(LogMismatch, match="no end line"):
        checked(lines[:-1])
    assert checked(lines[:-1], {}).sets == 2


@pytest.mark.parametrize(
    ("fields", "phrase"),
    [
        ({"tables": 1}, "tables"),
        ({"seating": "rotate"}, "seating"),
        ({"pairing": "e0+e2"}, "pairing"),
        ({"ruleset": "nowhere"}, "ruleset"),
        ({"ruleset": "wikibooks-2[bid_step=10]"}, "rules"),
        ({"rules": {}}, "rules"),
    ],
)
def test_an_edited_header_is_caught(fields: dict[str, Any], phrase: str) -> None:
    first, *rest = good(2)
    if fields.get("rules") == {}:
        fields = {"rules": dict(first.rules) | {"max_bid": 100}}
    with pytest.raises(LogMismatch, match=phrase):
        checked([structs.replace(first, **fields), *rest], {})


def test_another_commitment_does_not_hide_the_cards() -> None:
    """With no secret to a header its cards are taken as logged: only while the league goes on."""
    first, *rest = good(2)
    other = structs.replace(first, commitment=commitment("0f" * 32))
    assert checked([other, *rest]).from_secret == 0
    with pytest.raises(LogMismatch, match="commitment"):
        checked(ended([other, *rest]))


def test_entrants_turned_around_with_all_their_seats_are_caught() -> None:
    first, *rest = good(2)
    turned = structs.replace(first, entrants=first.entrants[::-1])
    swapped = [
        changed(line, seats=["e1", "e0"] if place % 2 == 0 else ["e0", "e1"])
        for place, line in enumerate(rest)
    ]
    with pytest.raises(LogMismatch, match="entrants"):
        checked(ended([turned, *swapped]))


def test_a_second_header_of_another_league_is_caught() -> None:
    lines = good(2)
    other = structs.replace(lines[0], soft_faults=9, commitment=commitment("0f" * 32))
    with pytest.raises(LogMismatch, match="soft_faults"):
        checked([*lines[:3], other, *lines[3:]], {})


@pytest.mark.parametrize("seats", [["e0", "e0", "e0"], ["x", "y", "z"], ["e1", "e0"]])
def test_seats_of_individuals_are_checked_before_the_secret_is_out(seats: list[str]) -> None:
    lines: list[Any] = [header(THREE), *played(THREE, 0)]
    assert checked(lines, {}).deals == 3
    for place in (1, 2, 3):
        forged = [*lines[:place], changed(lines[place], seats=seats), *lines[place + 1 :]]
        with pytest.raises(LogMismatch, match="seats"):
            checked(forged, {})
    turned = [*lines[:2], changed(lines[2], seats=_seats(lines[1])), lines[3]]
    with pytest.raises(LogMismatch, match="seats"):
        checked(turned, {})


def _seats(line: DealLine) -> list[str]:
    return decode_play(line.play).seats
