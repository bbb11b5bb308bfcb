"""The terminal replay: stepping, jumping, seeing as a seat sees; the terminal is left as it was."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from protocol.messages import AnyView
from referee.cli.keys import split
from referee.cli.stepping import Reel
from referee.games.rulesets import game_from
from referee.league.folder import of_log
from referee.log import read
from referee.show.page import Look
from referee.show.seen import seen
from referee.show.terminal.films import films
from referee.show.terminal.stepper import HINT, Stepper
from tests.test_cli import referee, refused
from tests.test_show import HOSTILE, league, written

GAMES = [
    ("huutopussi", "helsinki"), ("huutopussi", "helsinki-pagat"), ("huutopussi", "wikibooks-2"),
    ("huutopussi", "wikibooks-3"), ("huutopussi", "wikibooks-4"), ("marjapussi", None),
    ("bondtolva", None), ("tuppi", None), ("minnesota", None),
]  # fmt: skip


SUIT = r"[♠♥♦♣] (?:-|[AKQJT2-9](?: [AKQJT2-9])*)(?=\s|$)"
"""What a hand holds of a suit."""


def a_log(
    folder: Path, game: str = "huutopussi", rules: str | None = "helsinki", sets: int = 3
) -> Path:
    """A log with faults and notes in every deal."""
    names = ("aapo", "bertta", "cecilia", "daavid")
    number = {"wikibooks-3": 3, "wikibooks-4": 4}.get(rules or "", 2)
    made = league(folder, names[:number], game=game, rules=rules, sets=sets)
    return written(made, {5: "illegal", 20: "timeout"}, note=HOSTILE)[0]


def stepper_on(path: Path, viewer: int | None = None, *, unicode: bool = True) -> Stepper:
    """At the first position of a log."""
    log = read(path)
    game = game_from(log.header.game, log.header.ruleset, log.header.rules)
    reel = Reel(game, log, of_log(path))
    places = reel.places(sorted(log.sets))
    return Stepper(reel, places, Look(unicode=unicode), viewer)


def shown(stepper: Stepper, width: int = 80, height: int = 24) -> str:
    """The screen as text."""
    return "\n".join(line.plain for line in stepper.lines(width, height))


def press(stepper: Stepper, *keys: str) -> str:
    for key in keys:
        stepper.press(key)
    return shown(stepper)


# ---- what the keys do ----------------------------------------------------------------------------


class TestKeys:
    def test_steps_show_every_decision_of_every_deal_and_back(self, tmp_path: Path) -> None:
        path = a_log(tmp_path, sets=1)
        stepper = stepper_on(path)
        told = []
        for _, _, play in read(path).sets[0].deals():
            for at, action in enumerate(play.actions.split(" ")):
                page = shown(stepper)
                assert f"decision {at} " in page
                assert f"\n  plays   {action} " in page
                told.append((stepper.number, stepper.at))
                stepper.press("right")
            assert "\nresult    " in shown(stepper)
            told.append((stepper.number, stepper.at))
            stepper.press("n")
        assert "that was the last deal" in shown(stepper)
        back = []
        for _ in told:
            back.append((stepper.number, stepper.at))
            stepper.press("p")
        assert back == told[::-1]
        assert "that was the first deal" in shown(stepper)

    def test_jumps_to_deals_decisions_and_ends(self, tmp_path: Path) -> None:
        stepper = stepper_on(a_log(tmp_path))
        assert "deal: 2.1_" in press(stepper, "g", "2", ".", "1")
        assert "set 2, table 1, deal 0" in press(stepper, "enter")
        assert "decision: 12_" in press(stepper, "1", "2")
        assert "decision 12 " in press(stepper, "enter")
        assert "\nresult " in press(stepper, "end")
        assert "decision 0 " in press(stepper, "home")
        assert "set 1, table 1" in press(stepper, "[", "[")
        assert "set 2, table 0" in press(stepper, "down")
        assert "deal 7 is not here; from 0.0.0 to 2.1.0" in press(stepper, "g", "7", "enter")
        assert "the deal has decisions 0 to " in press(stepper, "9", "9", "9", "enter")
        assert "decision 0 " in press(stepper, "5", "escape")
        assert "decision 3 " in press(stepper, "7", "backspace", "3", "enter")

    def test_f_goes_from_fault_to_fault_over_all_deals(self, tmp_path: Path) -> None:
        stepper = stepper_on(a_log(tmp_path))
        found = []
        for _ in range(12):
            page = press(stepper, "f")
            assert ("illegal: " if stepper.at == 5 else "timeout: ") in page
            assert "[red]\\x1b[2Jboo" in " ".join(page.split())
            found.append((stepper.number, stepper.at))
        assert found == [(deal, at) for deal in range(6) for at in (5, 20)]
        assert "no fault after this" in press(stepper, "f")
        assert (stepper.number, stepper.at) == (5, 20)
        press(stepper, "F", "F")
        assert (stepper.number, stepper.at) == (4, 20)

    def test_help_lists_the_keys_and_any_key_leaves_it(self, tmp_path: Path) -> None:
        stepper = stepper_on(a_log(tmp_path, sets=1))
        assert "the next position" in press(stepper, "?")
        assert "decision 0 " in press(stepper, "n")
        assert not stepper.over
        press(stepper, "?", "q")
        assert stepper.over

    def test_the_hint_fits_a_small_terminal(self) -> None:
        assert len(HINT) < 80


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (b"n", ["n"]), (b" q", [" ", "q"]), (b"\x1b[C\x1b[D", ["right", "left"]),
        (b"\x1bOA\x1b[B", ["up", "down"]), (b"\x1b[5~\x1b[6~", ["page up", "page down"]),
        (b"\x1b[H\x1b[4~", ["home", "end"]), (b"\x1b", ["escape"]),
        (b"\r\x7f", ["enter", "backspace"]),
        (b"\x1b[1;5Cn", ["", "n"]), ("ä".encode(), ["ä"]), (b"\xff\xfen", ["", "", "n"]),
    ],
)  # fmt: skip
def test_what_terminals_send_is_read_as_keys(data: bytes, keys: list[str]) -> None:
    found = []
    while data:
        key, data = split(data)
        found.append(key)
    assert found == keys


@pytest.mark.parametrize(("game", "rules"), GAMES)
@pytest.mark.parametrize(("width", "height"), [(80, 24), (40, 10), (132, 50)])
def test_every_position_fits_the_terminal(
    tmp_path: Path, game: str, rules: str | None, width: int, height: int
) -> None:
    stepper = stepper_on(a_log(tmp_path, game, rules, sets=1), unicode=False)
    stepper.press("f")
    for number in range(70):
        if number == 35:
            stepper.press("v")
        lines = stepper.lines(width, height)
        assert len(lines) == height
        assert all(line.cell_len <= width for line in lines)
        assert all(line.plain.isascii() for line in lines)
        stepper.press("n")


def test_the_table_has_the_hands_and_the_trick_of_the_position(tmp_path: Path) -> None:
    path = a_log(tmp_path, "minnesota", None, sets=2)
    log = read(path)
    game = game_from(log.header.game, log.header.ruleset, log.header.rules)
    film = next(films(game, "deal", log.sets[0]))
    stepper = stepper_on(path)
    with_trick = 0
    for position in film.positions[:-1]:
        page = shown(stepper)
        assert len(re.findall(SUIT, page)) == 16
        for seat, card in position.views[0].trick:
            assert card[0] + dict(zip("SHDC", "♠♥♦♣", strict=True))[card[1]] in page
            with_trick += seat >= 0
        assert len(film.positions) > stepper.at
        stepper.press("n")
    assert with_trick > 60


# ---- as a seat sees it ---------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "rules"), GAMES)
def test_a_seat_sees_nothing_but_its_view(tmp_path: Path, game: str, rules: str | None) -> None:
    """The page of a position is the same whatever the other seats hold and do not show."""
    path = a_log(tmp_path, game, rules, sets=2)
    log = read(path)
    kind = game_from(log.header.game, log.header.ruleset, log.header.rules)
    for viewer in range(kind.seats):
        stepper = stepper_on(path, viewer)
        film = next(films(kind, "deal", log.sets[0]))
        while stepper.number == 0 and stepper.at < len(film.positions) - 1:
            view = film.positions[stepper.at].views[viewer]
            page = shown(stepper, 100, 60)
            may = known_cards(view)
            if film.positions[stepper.at].to_act != viewer:
                assert "\ndecision " not in page
            else:
                may |= set(kind.pack.names)  # legal actions name other cards
            for card in kind.pack.names:
                symbol = card[0] + dict(zip("SHDC", "♠♥♦♣", strict=True))[card[1]]
                if card not in may:
                    assert symbol not in page, (card, page)
            assert len(re.findall(SUIT, page)) == len("SHDC")
            stepper.press("n")


def known_cards(view: AnyView) -> set[str]:
    """Cards that a view has anywhere."""
    text = view.__class__.__name__ + repr(view)
    return set(re.findall(r"\b([AKQJT2-9][SHDC])\b", text))


def test_others_secret_decisions_are_no_steps(tmp_path: Path) -> None:
    """Keeping a hand is a secret: who looks on from elsewhere does not see a step there."""
    path = a_log(tmp_path, "huutopussi", "helsinki", sets=30)
    log = read(path)
    game = game_from(log.header.game, log.header.ruleset, log.header.rules)
    found = 0
    for number in log.sets:
        for film in films(game, "deal", log.sets[number]):
            for moment in film.moments():
                if moment.action == "keep":
                    found += 1
                    assert moment.at in film.stops(moment.seat)
                    assert moment.at + 1 in film.stops(None)
                    acting = (moment.seat, film.positions[moment.at + 1].to_act)
                    for other in set(range(game.seats)) - set(acting):
                        assert moment.at + 1 not in film.stops(other)
    assert found


@pytest.mark.parametrize(("game", "rules"), GAMES)
def test_a_seats_story_is_its_last_view(tmp_path: Path, game: str, rules: str | None) -> None:
    path = a_log(tmp_path, game, rules, sets=4)
    log = read(path)
    kind = game_from(log.header.game, log.header.ruleset, log.header.rules)
    for number in log.sets:
        filmed = list(films(kind, "deal", log.sets[number]))
        for seat in range(kind.seats):
            for film, story in zip(
                filmed, seen(kind, "deal", log.sets[number], seat), strict=True
            ):
                view = film.positions[-1].views[seat]
                told = [(m.seat, m.action) for m in story.dealings[-1].moments]
                assert told == view.history
                own = [m for m in film.story.dealings[-1].moments if m.seat == seat]
                mine = [m for m in story.dealings[-1].moments if m.seat == seat]
                assert [(m.at, m.action, m.hand, m.legal, m.note) for m in mine] == [
                    (m.at, m.action, m.hand, m.legal, m.note) for m in own
                ]
                assert [m.trick.number for m in story.dealings[-1].moments if m.trick] == list(
                    range(1, sum(view.tricks) + 1)
                )
                assert story.dealings[-1].hands[seat]
                assert not any(
                    hand for at, hand in enumerate(story.dealings[-1].hands) if at != seat
                )
                assert story.play.cards == []


class TestPlain:
    def test_as_seat_shows_one_hand_and_its_own_faults(self, tmp_path: Path) -> None:
        path = a_log(tmp_path, sets=1)
        words = ("replay", path, "--set", "0", "--table", "0")
        (whole,) = (json.loads(referee(*words, "--json").stdout)["deals"],)
        cards = whole[0]["dealings"][0]["hands"]
        for seat in range(4):
            page = referee(*words, "--as-seat", str(seat)).stdout
            (line,) = [each for each in page.splitlines() if each.startswith("hands")]
            assert line.split()[1] == str(seat)
            assert len(re.findall(r"[AKQJT6-9]", line)) == len(cards[seat]) == 9
            own = [b for d in whole for b in d["side"]["blame"] if b["seat"] == seat]
            assert page.count("\n  fault ") == len(own)
            assert "net" not in page
            assert len(page.splitlines()) < 60

    def test_as_seat_as_json_has_no_other_hand_and_no_secret_action(self, tmp_path: Path) -> None:
        path = a_log(tmp_path, sets=1)
        words = ("replay", path, "--set", "0", "--json", "--as-seat", "2")
        for deal in json.loads(referee(*words).stdout)["deals"]:
            (dealing,) = deal["dealings"]
            assert [bool(hand) for hand in dealing["hands"]] == [False, False, True, False]
            given = [
                m["action"] for m in dealing["moments"]
                if m["action"].startswith("give:") and m["seat"] != 2
            ]  # fmt: skip
            assert set(given) <= {"give:?"}
            assert "give:?" in deal["play"]["actions"] or not given
            assert deal["play"]["cards"] == []
            assert {seat for seat, *_ in deal["side"]["times"]} == {2}

    def test_actions_have_a_line_for_each_deal(self, tmp_path: Path) -> None:
        path = a_log(tmp_path, sets=2)
        lines = referee("replay", path, "--actions").stdout.splitlines()
        plays = [play for record in read(path).sets.values() for _, _, play in record.deals()]
        assert lines == [
            f"{play.set}.{play.table}.{play.deal} {','.join(play.seats)} "
            f"{':'.join(map(str, play.points))} {play.actions}"
            for play in plays
        ]

    def test_decisions_have_their_times_and_notes(self, tmp_path: Path) -> None:
        path = a_log(tmp_path, sets=1)
        page = referee("replay", path, "--set", "0", "--table", "0", "--decisions").stdout
        (play, _) = [play for _, _, play in read(path).sets[0].deals()]
        assert len(page.splitlines()) == 1 + len(play.actions.split(" "))
        assert "boo" in page
        assert "700" in page

    def test_a_step_as_a_seat_shows_its_own_decisions(self, tmp_path: Path) -> None:
        path = a_log(tmp_path, sets=1)
        words = ("replay", path, "--set", "0", "--table", "0", "--step", "--as-seat", "1")
        page = referee(*words, stdin="\n" * 99).stdout
        heads = re.findall(r"^ *\d+  (\d) \w+, ", page, re.MULTILINE)
        assert heads
        assert set(heads) == {"1"}

    def test_flags_that_do_not_go_together_are_refused(self, tmp_path: Path) -> None:
        path = a_log(tmp_path, sets=1)
        for words in (
            ("--as-seat", "4", "--set", "0"), ("--as-seat", "1"), ("--decisions",), ("--step",),
            ("--set", "0", "--step", "--actions"), ("--set", "0", "--actions", "--decisions"),
            ("--html", str(tmp_path / "x.html"), "--where", "set=0"),
            ("--html", str(tmp_path / "x.html"), "--as-seat", "0"),
        ):  # fmt: skip
            assert referee("replay", path, *words).exit_code == 2, words
        assert not (tmp_path / "x.html").exists()
        assert "no such deal" in refused("replay", path, "--set", "0", "--where", "table=7")


# ---- on a terminal -------------------------------------------------------------------------------


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, words: list[str], size: tuple[int, int], **environment: str) -> None:
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        plain = {
            name: value for name, value in os.environ.items()
            if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE")
        }  # fmt: skip
        self.process = subprocess.Popen(
            [sys.executable, "-m", "referee.cli.main", *words],
            stdin=self.slave, stdout=self.slave, stderr=self.slave, start_new_session=True,
            env={**plain, "TERM": "xterm-256color", "PYTHONUTF8": "1", **environment},
        )  # fmt: skip
        self.output = ""

    def until(self, text: str, seconds: float = 40) -> str:
        """Read until something is on the screen; all that came since the last time."""
        end = time.monotonic() + seconds
        came = b""
        while text not in without_escapes(came.decode("utf-8", "ignore")):
            assert time.monotonic() < end, (text, came.decode("utf-8", "replace")[-3000:])
            if select.select([self.master], [], [], 0.05)[0]:
                came += os.read(self.master, 65536)
        self.output += came.decode("utf-8", "ignore")
        return came.decode("utf-8", "ignore")

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def ended(self, seconds: float = 20) -> int:
        """The exit code; reads on, so that the command can write."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end
            if select.select([self.master], [], [], 0.05)[0]:
                self.output += os.read(self.master, 65536).decode("utf-8", "ignore")
        while select.select([self.master], [], [], 0.05)[0]:
            self.output += os.read(self.master, 65536).decode("utf-8", "ignore")
        return self.process.returncode

    def restored(self) -> bool:
        """Whether modes are as before, the cursor is there and the first screen too."""
        hidden = self.output.rfind("\x1b[?25l") > self.output.rfind("\x1b[?25h")
        other = self.output.rfind("\x1b[?1049h") > self.output.rfind("\x1b[?1049l")
        return termios.tcgetattr(self.slave) == self.before and not hidden and not other


def without_escapes(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)


@contextmanager
def terminal(
    *words: str | Path, size: tuple[int, int] = (24, 80), **environment: str
) -> Iterator[Terminal]:
    """A command on a terminal, ended with the test."""
    found = Terminal(list(map(str, words)), size, **environment)
    try:
        yield found
    finally:
        if found.process.poll() is None:
            found.process.kill()
        found.process.wait()
        os.close(found.master)
        os.close(found.slave)


def test_keys_step_and_jump_and_quit_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    path = a_log(tmp_path)
    with terminal("replay", path) as tty:
        first = tty.until("? keys")
        assert "\x1b[31m♥" in first
        assert "\x1b[?1049h" in first
        assert termios.tcgetattr(tty.slave) != tty.before
        tty.type("n")
        tty.until("decision 1 ")
        tty.type("\x1b[C ")
        tty.until("decision 3 ")
        tty.type("\x1b[D")
        tty.until("decision 2 ")
        tty.type("f")
        tty.until("illegal: ")
        tty.type("g2.1\r")
        tty.until("set 2, table 1, deal 0")
        tty.type("17\r")
        tty.until("decision 17 ")
        tty.type("vv")
        tty.until("as seat 1")
        fcntl.ioctl(tty.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        tty.until(" " * 25 + "6/6 as seat 1")
        tty.type("q")
        assert tty.ended() == 0
        assert tty.restored()


def test_no_color_is_respected(tmp_path: Path) -> None:
    with terminal("replay", a_log(tmp_path, sets=1), NO_COLOR="1") as tty:
        first = tty.until("? keys")
        colours = re.findall(r"\x1b\[[0-9;]*m", first)
        assert colours
        assert not any(
            re.search(r"(?<![0-9])(3[0-7]|9[0-7]|38;|4[0-7])(?![0-9])", each) for each in colours
        )
        tty.type("q")
        assert tty.ended() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_leave_the_terminal_as_it_was(tmp_path: Path, number: signal.Signals) -> None:
    with terminal("replay", a_log(tmp_path, sets=1)) as tty:
        tty.until("? keys")
        tty.process.send_signal(number)
        assert tty.ended() == 128 + number
        assert tty.restored()


def test_a_set_that_does_not_verify_is_refused_and_the_terminal_restored(tmp_path: Path) -> None:
    path = a_log(tmp_path)
    lines = path.read_bytes().split(b"\n")
    lines[3] = lines[3].replace(b'"dealer":1', b'"dealer":2')
    path.write_bytes(b"\n".join(lines))
    with terminal("replay", path) as tty:
        tty.until("? keys")
        tty.type("]]")
        assert tty.ended() == 2
        assert "error: " in tty.output
        assert "Traceback" not in tty.output
        assert tty.restored()


def test_as_seat_and_where_hold_on_a_terminal(tmp_path: Path) -> None:
    words = ("--as-seat", "2", "--where", "set=1-2 table=0")
    with terminal("replay", a_log(tmp_path), *words) as tty:
        page = without_escapes(tty.until("? keys"))
        assert "set 1, table 0, deal 0" in page
        assert "1/2 as seat 2" in page
        assert page.count("9 cards") == 3
        tty.type("q")
        assert tty.ended() == 0


@pytest.mark.parametrize("words", [("--plain",), ("--actions",), ("--json",)])
def test_text_is_text_on_a_terminal_too(tmp_path: Path, words: tuple[str, ...]) -> None:
    with terminal("replay", a_log(tmp_path, sets=1), *words) as tty:
        assert tty.ended() == 0
        assert "\x1b[?1049h" not in tty.output
        assert tty.restored()


def test_a_terminal_that_cannot_be_drawn_on_gets_text(tmp_path: Path) -> None:
    with terminal("replay", a_log(tmp_path, sets=1), TERM="dumb") as tty:
        assert tty.ended() == 0
        assert "\x1b" not in tty.output
        assert "0.1.0" in tty.output
