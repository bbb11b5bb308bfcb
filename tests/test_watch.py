"""`referee watch`: reads logs as they grow, shows what the standings will, writes nothing."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from referee.cli.watch import Following, Tail
from referee.league.folder import Folder
from referee.log import End, Unplayed, Void, append, read
from referee.show.page import Look
from referee.show.tour import tour_data, tour_from, tour_page
from tests.test_cli import referee, refused, sheet
from tests.test_replay_terminal import terminal, without_escapes
from tests.test_show import league, text, written

NAMES = ("aapo", "bertta", "cecilia")


def grown(folder: Path) -> tuple[list[tuple[Path, list[bytes]]], Path]:
    """A finished league's logs by their lines, and an empty folder to let them grow in."""
    paths = written(league(folder / "whole", NAMES, sets=4), {5: "illegal"})
    empty = folder / "growing"
    (empty / "logs").mkdir(parents=True)
    return [
        (empty / "logs" / path.name, path.read_bytes().splitlines(keepends=True)) for path in paths
    ], empty


def write(path: Path, *lines: bytes) -> None:
    with path.open("ab") as file:
        file.write(b"".join(lines))


def test_at_every_moment_it_says_what_the_logs_say(tmp_path: Path) -> None:
    """Line by line, also cut in the middle of one: equal to the standings read from scratch."""
    logs, folder = grown(tmp_path)
    following = Following(Folder(folder))
    following.poll(0.0)
    assert following.line(0.0) == f"{folder}: no logs yet"
    for path, lines in logs:
        for number, line in enumerate(lines):
            write(path, line[:40])
            following.poll(1.0)
            write(path, line[40:])
            following.poll(1.0)
            if number % 3 == 2:
                there = [read(one) for one, _ in logs if one.exists()]
                assert following.sets == sum(len(log.sets) for log in there)
                # What a tail has read is not kept: only the places of the logs differ.
                expected, found = tour_data(tour_from(there)), tour_data(following.tour())
                assert expected.pop("logs") != found.pop("logs")
                for data in (expected, found):
                    for entrant in data["entrants"]:
                        entrant.pop("first_fault")
                assert found == expected
    assert following.sets == 12
    assert not following.complete
    for path, _ in logs:
        log = read(path)
        append(path, [End(sets=len(log.sets), digest=log.digest())])
    following.poll(2.0)
    assert following.complete
    assert "3 of 3 logs complete" in following.line(2.0)
    whole = text(tour_page(tour_from([read(path) for path, _ in logs]), Look())).splitlines()
    ranking = [line for line in whole if re.match(r"\d  1-3 ", line)]
    assert len(ranking) == len(NAMES)
    assert set(ranking) < set(text(following.page(Look(), 2.0)).splitlines())


def test_a_tail_reads_each_set_once_and_under_the_header_it_stands_under(tmp_path: Path) -> None:
    logs, _ = grown(tmp_path)
    path, lines = logs[0]
    tail = Tail(path)
    seen = []
    for line in [*lines, lines[0]]:
        write(path, line)
        log = tail.news()
        seen += sorted(log.sets) if log is not None else []
        assert tail.header is not None
    assert seen == [0, 1, 2, 3]
    assert tail.news() is None
    write(path, b'{"kind":"end","sets":4,"digest":"' + b"0" * 64 + b'"}\n')
    assert tail.news() is not None
    assert tail.ended
    write(path, lines[0])
    tail.news()
    assert not tail.ended  # sets that were added later are still to come


def test_sets_played_after_all_and_voids_are_counted_as_in_the_standings(tmp_path: Path) -> None:
    (path,) = written(league(tmp_path, sets=2))
    following = Following(Folder(tmp_path))
    following.poll(0.0)
    seats = ["aapo", "bertta", "aapo", "bertta"]
    append(path, [Void(set=2, attempt=1, reason="late")])
    following.poll(1.0)
    append(path, [Void(set=2, attempt=2, reason="late")])
    append(path, [
        Unplayed(set=2, table=table, reason="not_playable", seats=seats, nets=None)
        for table in range(2)
    ])  # fmt: skip
    following.poll(2.0)
    assert "2 voids" in following.line(2.0)
    again = tmp_path / "again"
    (other,) = written(league(again, sets=3))
    append(path, [])
    write(path, *other.read_bytes().splitlines(keepends=True)[5:])
    shutil.rmtree(again)
    following.poll(3.0)
    expected = tour_data(tour_from([read(path)]))
    assert following.sets == 3
    assert tour_data(following.tour())["entrants"] == expected["entrants"]
    assert tour_data(following.tour())["voids"] == expected["voids"] == 2


def test_several_games_are_shown_as_one_league(tmp_path: Path) -> None:
    for game, rules in (("tuppi", None), ("huutopussi", "helsinki")):
        written(league(tmp_path, NAMES, game=game, rules=rules, sets=3))
    following = Following(Folder(tmp_path))
    following.poll(0.0)
    found = tour_data(following.tour())
    expected = tour_data(tour_from(Folder(tmp_path).read_logs()))
    assert found["overall"] == expected["overall"]
    assert "18 sets, 0 of 6 logs complete; first: " in following.line(0.0)


def test_rates_and_time_left_come_from_what_has_been_seen_to_grow(tmp_path: Path) -> None:
    logs, folder = grown(tmp_path)
    following = Following(Folder(folder), planned=12)
    path, lines = logs[0]
    write(path, *lines[:3])
    following.poll(100.0)
    assert "a second" not in following.line(100.0)
    write(path, *lines[3:5])
    following.poll(110.0)
    assert following.line(115.0).startswith("2/12 sets (16 %), ")
    assert "last set 5 s ago, about 1 min 40 s left" in following.line(115.0)
    assert re.search(r", [1-9]\d* decisions a second", following.line(115.0))


class TestOnTheCommandLine:
    def test_of_a_complete_league_it_shows_the_standings_and_ends(self, tmp_path: Path) -> None:
        paths = written(league(tmp_path, NAMES, sets=2))
        for path in paths:
            log = read(path)
            append(path, [End(sets=len(log.sets), digest=log.digest())])
        before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
        found = referee("watch", tmp_path)
        assert found.exit_code == 0
        assert found.stdout.startswith("6 sets, 3 of 3 logs complete; first: ")
        assert referee("standings", tmp_path).stdout in found.stdout
        assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before

    def test_a_league_file_says_how_many_sets_there_will_be(self, tmp_path: Path) -> None:
        made = league(tmp_path / "r", sets=3)
        (path,) = written(made)
        append(path, [End(sets=3, digest=read(path).digest())])
        entrants = "".join(f'[[entrants]]\nid = "{name}"\nbot = "first_legal"\n' for name in NAMES)
        file = sheet(tmp_path, f'name = "x"\nresults = "r"\nsets = 4\n{entrants}')
        assert referee("watch", file).stdout.startswith("3/12 sets (25 %), 1 of 1 log complete")

    def test_what_is_not_there_is_refused(self, tmp_path: Path) -> None:
        said = refused("watch", tmp_path / "none")
        assert "there is no such results folder or league file" in said

    def test_on_a_pipe_a_line_comes_every_while_until_the_league_is_complete(
        self, tmp_path: Path
    ) -> None:
        logs, folder = grown(tmp_path)
        words = [sys.executable, "-m", "referee.cli.main", "watch", str(folder), "--every", "0.1"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline().endswith("no logs yet\n")
            for path, lines in logs:
                write(path, *lines)
                log = read(path)
                append(path, [End(sets=len(log.sets), digest=log.digest())])
            rest = process.stdout.read()
            assert process.wait() == 0
        assert "12 sets, 3 of 3 logs complete" in rest
        assert "\x1b" not in rest
        assert "against" in rest  # the standings with their crosstable

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_on_a_terminal_the_table_grows_and_the_cursor_comes_back(
        self, tmp_path: Path, number: signal.Signals
    ) -> None:
        logs, folder = grown(tmp_path)
        with terminal("watch", folder, size=(24, 100)) as tty:
            tty.until("no logs")
            for path, lines in logs:
                write(path, *lines)
            page = without_escapes(tty.until("12 sets, 0 of 3 logs complete"))
            for name in NAMES:
                assert name in page
            os.kill(tty.process.pid, number)
            assert tty.ended() == 128 + number
            assert tty.restored()


def test_it_can_be_read_while_it_is_being_written(tmp_path: Path) -> None:
    """Reading takes no lock: the referee that writes there may begin at any time."""
    (path,) = written(league(tmp_path, sets=2))
    following = Following(Folder(tmp_path))
    following.poll(time.monotonic())
    writer = Folder(tmp_path)
    writer.open_for_writing()
    following.poll(time.monotonic())
    writer.close()
    assert following.sets == len(read(path).sets)
