"""Pages made from logs: they fit the width, tell everything in its place, and obey no markup."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import msgspec
import pytest
from rich.console import Console, RenderableType

from referee.cards import DealKey, commitment, shuffled
from referee.errors import ConfigError
from referee.games.rulesets import game_from
from referee.league.config import League, LeagueConfig, TimeConfig, league_of
from referee.league.entrants import EntrantConfig
from referee.league.folder import Folder
from referee.league.plan import header_of, pairings_of, seatings_of
from referee.league.runner import LeagueState
from referee.league.stats import los, mean_interval
from referee.log import DecisionTime, Line, Log, SideRecord, append, deal_line, read
from referee.rulings import Blame, Kind
from referee.show.deal import Scene, deal_page
from referee.show.export import standings_csv, standings_data, standings_markdown
from referee.show.listing import lines_of, list_page
from referee.show.moments import actions_page, moment_lines
from referee.show.page import WIDTH, Look, printable
from referee.show.plan import outlook, plan_data, plan_page
from referee.show.progress import Pace, Scoreboard, live_page, progress_line
from referee.show.standings import sheet_from, standings_page
from referee.show.story import Story, stories
from referee.table import Table

SECRET = "ab" * 32
LOOK = Look(unicode=True)
HOSTILE = "[red]\x1b[2Jboo\nbar[/red]"

Faults = dict[int, Kind]
"""Faults by the place of the decision, for every first deal of a table."""


def league(
    folder: Path,
    entrants: Iterable[str] = ("aapo", "bertta"),
    *,
    game: str = "huutopussi",
    rules: str | None = "helsinki",
    sets: int = 2,
    unit: str = "deal",
) -> League:
    """A league of bots that are never started."""
    config = LeagueConfig(
        name="made",
        game=game,
        rules=rules,
        sets=sets,
        unit="game" if unit == "game" else "deal",
        options={"max_deals": 3} if unit == "game" else {},
        time=TimeConfig(decision_ms=1000),
        results=str(folder),
        entrants=[EntrantConfig(id=name, bot="first_legal") for name in entrants],
    )
    return league_of(config, folder)


def written(made: League, faults: Faults | None = None, note: str = "") -> list[Path]:
    """The logs of a league played at random in this process; the secret is not revealed."""
    folder = Folder(made.folder)
    folder.logs.mkdir(parents=True, exist_ok=True)
    paths = []
    for pairing in pairings_of(made):
        path = folder.log_path(made.games[0].name, made.games[0].ruleset, pairing.id)
        append(path, [header_of(made, pairing, commitment(SECRET), "test")])
        for number in range(made.config.sets):
            seatings = seatings_of(
                made.games[0], made.games[0].ruleset, pairing.id, pairing.entrants, number, SECRET
            )
            for place, seating in enumerate(seatings):
                seats = [pairing.entrants[entrant] for entrant in seating]
                lines = played(made, pairing.id, number, place, seats, faults or {}, note)
                append(path, lines)
        paths.append(path)
    return paths


def played(
    made: League,
    pairing: str,
    number: int,
    place: int,
    seats: Sequence[str],
    faults: Faults,
    note: str,
) -> list[Line]:
    """One table played at random."""
    game = made.games[0]
    rng = Random(f"{pairing} {number} {place}")

    def cards(deal: int, redeal: int) -> list[int]:
        key = DealKey(SECRET, game.name, game.ruleset, pairing, number, deal, redeal)
        return shuffled(key, game.pack.size)

    table = Table(
        game, made.config.unit, set_number=number, number=place, entrants=seats, cards=cards
    )
    lines: list[Line] = []
    times: list[DecisionTime] = []
    notes: list[tuple[int, object]] = []
    blame: list[Blame] = []
    while (decision := table.ask()) is not None:
        at, kind = table.at, None if table.records else faults.get(table.at)
        if kind is None:
            times.append(DecisionTime(decision.seat, at, 700.0 if at == 3 else 0.5))
            if note:
                notes.append((at, note))
            table.submit(rng.choice(decision.legal))
        else:
            ruling = table.fault(kind)
            blame.append(
                Blame(kind=kind, seat=decision.seat, ruling=ruling, message=HOSTILE, at=at)
            )
        while len(lines) < len(table.records):
            side = SideRecord(
                times=times, notes=notes, blame=blame, started="", lag_ms=0.0,
                unexpected=[0] * game.seats,
            )  # fmt: skip
            lines.append(deal_line(table.records[len(lines)], side))
            times, notes, blame = [], [], []
    return lines


def text(page: RenderableType, width: int = WIDTH) -> str:
    """A page as plain text."""
    console = Console(width=width, color_system=None, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(page)
    return captured.get()


def widest(shown: str) -> int:
    return max(map(len, shown.splitlines()))


def told(log: Log, number: int) -> list[Scene]:
    """The deals of a set, ready to be shown."""
    header = log.header
    game = game_from(header.game, header.ruleset, header.rules)
    found: Iterable[Story] = stories(game, header.unit, log.sets[number])
    return [Scene(game=game, header=header, story=story, look=LOOK) for story in found]


def deal_text(scene: Scene) -> str:
    return "\n".join(line.plain for line in deal_page(scene))


RULESETS = ("helsinki", "german", "erlangen", "wikibooks-2", "wikibooks-3", "wikibooks-4")


class TestDeal:
    @pytest.mark.parametrize("rules", RULESETS)
    def test_fits_a_page_and_shows_every_card_dealt_and_played(
        self, tmp_path: Path, rules: str
    ) -> None:
        names = ("aapo", "bertta", "cecilia", "daavid")[: 3 if rules == "wikibooks-3" else 4]
        names = names if rules in ("wikibooks-3", "wikibooks-4") else names[:2]
        (path, *_) = written(league(tmp_path, names, rules=rules, sets=12))
        log = read(path)
        for number in log.sets:
            for scene in told(log, number):
                shown = deal_text(scene)
                assert len(shown.splitlines()) < 60
                assert widest(shown) <= WIDTH
                tricks = sum(line.startswith("trick ") for line in shown.splitlines())
                assert tricks == len(scene.story.dealings[-1].hands[0])

    @pytest.mark.parametrize("game", ["marjapussi", "bondtolva", "tuppi", "minnesota"])
    def test_every_game_fits_a_page(self, tmp_path: Path, game: str) -> None:
        (path,) = written(league(tmp_path, game=game, rules=None, sets=40))
        log = read(path)
        pages = [deal_text(scene) for number in log.sets for scene in told(log, number)]
        assert max(len(page.splitlines()) for page in pages) < 60
        assert max(map(widest, pages)) <= WIDTH
        words = {
            "marjapussi": ("asks for a whole marriage", "trump", "declares"),
            "bondtolva": ("stock", "draws", "declares"),
            "tuppi": ("nolo", "rami made", "rami lost", "sooli", "gives", "beaten by a sooli"),
            "minnesota": ("low", "high made", "high lost"),
        }[game]
        for word in words:
            assert any(word in page for page in pages), word
        for page in pages:
            names = [line.split() for line in page.splitlines() if line.startswith("trick ")]
            assert [int(words[1]) for words in names] == list(range(1, len(names) + 1))

    def test_the_cards_drawn_are_told_after_the_trick(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, game="bondtolva", rules=None, sets=1))
        page = deal_text(told(read(path), 0)[0]).splitlines()
        draws = [line for line in page if line.startswith("draws")]
        (stock,) = (line.split()[1:] for line in page if line.startswith("stock"))
        assert [card for line in draws for card in line.split()[2::2]] == stock
        assert page.index(draws[0]) == page.index(next(p for p in page if "trick 1 " in p)) + 1 or (
            "declares" in page[page.index(draws[0]) - 1]
        )

    def test_names_the_fault_before_the_trick_and_says_what_was_done(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1), {20: "illegal", 22: "timeout", 23: "crashed"})
        shown = deal_text(told(read(path), 0)[0])
        assert "illegal: [red]\\x1b[2Jboo\\nbar[/red]; the first legal action is played" in shown
        assert "timeout:" in shown
        assert "crashed:" in shown
        assert "the referee plays on for the seat" in " ".join(shown.split())
        assert shown.index("illegal") < shown.index("timeout") < shown.index("crashed")

    def test_tells_slow_decisions_and_the_worst_time_of_every_seat(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1))
        shown = deal_text(told(read(path), 0)[0])
        assert "700 ms)" in shown
        assert "worst 700 ms" in shown

    def test_a_game_shows_the_score_before_and_the_totals_after(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1, unit="game"))
        scenes = told(read(path), 0)
        assert len(scenes) == 6
        first, second, third = map(deal_text, scenes[:3])
        assert "score before 0 : 0" in first
        totals = scenes[0].story.play.score
        assert f"score before {totals[0]} : {totals[1]}" in second
        assert "net " not in second
        assert "net " in third

    def test_a_demand_for_new_cards_is_told_with_the_hand(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, rules="helsinki-pagat", sets=60))
        log = read(path)
        scenes = [scene for number in log.sets for scene in told(log, number)]
        redealt = [scene for scene in scenes if len(scene.story.dealings) > 1]
        assert redealt
        assert "demands new cards" in deal_text(redealt[0])
        assert " held " in deal_text(redealt[0])

    def test_ascii_terminals_get_letters(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1))
        scene = told(read(path), 0)[0]
        plain = Scene(
            game=scene.game, header=scene.header, story=scene.story, look=Look(unicode=False)
        )
        assert deal_text(plain).isascii()
        assert all(line.plain.isascii() for line in moment_lines(plain, _moment(plain, 12)))

    def test_a_step_shows_what_the_seat_held_and_might_do(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1), note=HOSTILE)
        scene = told(read(path), 0)[0]
        moment = _moment(scene, 0)
        shown = "\n".join(line.plain for line in moment_lines(scene, moment))
        assert "bid:50 bid:55 … bid:440" in shown
        assert "\\x1b[2Jboo" in shown
        assert moment.action in shown

    def test_actions_have_a_line_each_with_time_and_note(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1), note=HOSTILE)
        scene = told(read(path), 0)[0]
        shown = text(actions_page(scene))
        assert widest(shown) <= WIDTH
        assert "\x1b" not in shown
        assert "[red]\\x1b[2Jboo" in shown
        assert len(shown.splitlines()) == 1 + len(scene.story.play.actions.split(" "))


def _moment(scene: Scene, at: int):  # type: ignore[no-untyped-def]
    return scene.story.dealings[-1].moments[at]


class TestListing:
    def test_has_a_line_for_each_deal_in_the_order_of_the_entrants(self, tmp_path: Path) -> None:
        made = league(tmp_path, sets=3)
        (path,) = written(made, {5: "illegal"})
        log = read(path)
        lines = list(lines_of(made.games[0], log))
        assert [(line.set, line.table, line.deal) for line in lines] == [
            (number, table, 0) for number in range(3) for table in range(2)
        ]
        shown = text(list_page(made.games[0], log))
        assert widest(shown) <= WIDTH
        assert shown.count("1 illegal") == 6
        second = lines[1]
        assert second.points is not None
        assert f"{second.points[1]} : {second.points[0]}" in shown


LONG = tuple(f"{letter}-very-long-identifier-of-forty-letters"[:40] for letter in "abcdefghijkl")


class TestStandings:
    def test_fit_the_page_with_twelve_entrants_of_long_names(self, tmp_path: Path) -> None:
        paths = written(league(tmp_path, LONG, sets=3), {4: "illegal", 9: "malformed"})
        sheet = sheet_from([read(path) for path in paths])
        shown = text(standings_page(sheet, LOOK))
        assert widest(shown) <= WIDTH
        for name in LONG:
            assert name[:12] in shown
        assert "12." in shown
        assert len(sheet.table.cells) == 132
        assert "against" in shown
        assert "w-d-l" in shown
        assert "fewer than 10 sets told the entrants apart" in " ".join(shown.split())

    @pytest.mark.parametrize(("rules", "entrants"), [("helsinki", 2), ("wikibooks-3", 3)])
    def test_one_pairing_has_no_crosstable(self, tmp_path: Path, rules: str, entrants: int) -> None:
        paths = written(league(tmp_path, LONG[:entrants], rules=rules, sets=3))
        sheet = sheet_from([read(path) for path in paths])
        assert "against" not in text(standings_page(sheet, LOOK))
        assert "against" not in standings_markdown(sheet, LOOK)

    def test_json_has_everything_and_no_infinities(self, tmp_path: Path) -> None:
        paths = written(league(tmp_path, ("a", "b", "c"), sets=1))
        sheet = sheet_from([read(path) for path in paths])
        data = json.loads(
            msgspec.json.encode(standings_data(sheet)),
            parse_constant=lambda name: pytest.fail(name),
        )
        first = data["entrants"][0]
        assert first["rank"] == 1
        assert {"mean", "half_width", "se", "df", "n"} <= set(first["net"])
        assert len(data["crosstable"]) == 6
        assert data["logs"][0]["digest"] == read(paths[0]).digest()
        assert data["logs"][0]["commitments"] == [commitment(SECRET)]

    @pytest.mark.parametrize(
        ("nets", "said"),
        [
            # statistics.md, value 29: mean 2, sd 3.887301, LOS .930908.
            (
                (4, 0, -2, 6, 0, 2, 8, -4, 0, 6),
                "Likelihood of superiority: 93.1 % that a is better than b. If the true edge is "
                "as large as this one, 32 sets show it four times out of five.",
            ),
            (
                (-4, 0, 2, -6, 0, -2, -8, 4, 0, -6),
                "Likelihood of superiority: 93.1 % that b is better than a. If",
            ),
            (
                (8, 9, 10, 8, 9, 10, 8, 9, 10),
                "Likelihood of superiority: more than 99.9 % that a is better than b.",
            ),
            (
                (1000, -1000) * 5 + (0.01,),
                "If the true edge is as large as this one, more than a million sets show it",
            ),
            ((3, -3), None),
            ((0.1, 0.2, -0.3), None),  # rounding leaves some 1e-17
            ((3,), None),
        ],
    )
    def test_two_alone_are_told_how_sure_the_better_one_is(
        self, tmp_path: Path, nets: Sequence[float], said: str | None
    ) -> None:
        paths = written(league(tmp_path, ("a", "b"), sets=3))
        sheet = sheet_from([read(path) for path in paths])
        pairing = replace(sheet.table.pairings[0], difference=mean_interval(nets))
        table = replace(sheet.table, pairings=(pairing,))
        sheet = msgspec.structs.replace(sheet, table=table)
        shown = " ".join(text(standings_page(sheet, LOOK)).split())
        if said is None:
            assert "superiority" not in shown
        else:
            assert said in shown
            assert ("If the true edge" in shown) == ("If" in said)
        data = standings_data(sheet)["pairings"][0]
        assert data["likelihood_of_superiority"] == los(mean_interval(nets))

    def test_several_pairings_are_not_told_who_of_two_is_better(self, tmp_path: Path) -> None:
        paths = written(league(tmp_path, ("a", "b", "c"), sets=2))
        sheet = sheet_from([read(path) for path in paths])
        assert "superiority" not in text(standings_page(sheet, LOOK))

    def test_csv_has_a_line_for_each_entrant(self, tmp_path: Path) -> None:
        paths = written(league(tmp_path, ("a", "b", "c"), sets=2), {4: "illegal"})
        rows = list(csv.DictReader(io.StringIO(standings_csv(sheet_from(list(map(read, paths)))))))
        assert [row["rank"] for row in rows] == ["1", "2", "3"]
        assert sum(int(row["illegal"]) for row in rows) == 12
        assert float(rows[0]["net"]) >= float(rows[1]["net"])

    def test_markdown_tables_have_even_rows(self, tmp_path: Path) -> None:
        paths = written(league(tmp_path, ("a", "b_c", "d"), sets=2))
        shown = standings_markdown(sheet_from(list(map(read, paths))), LOOK)
        tables = [part for part in shown.split("\n\n") if part.startswith("|")]
        assert len(tables) == 2
        for table in tables:
            assert len({line.replace("\\|", "").count("|") for line in table.splitlines()}) == 1
        assert "b\\_c" in shown

    def test_games_show_totals_beside_the_nets(self, tmp_path: Path) -> None:
        paths = written(league(tmp_path, sets=2, unit="game"))
        sheet = sheet_from([read(path) for path in paths])
        shown = text(standings_page(sheet, LOOK))
        assert "points" in shown
        assert "net per game" in shown
        notes = sheet.results.notes["aapo"]
        assert f"{notes.points / 4:.0f} : {notes.points_against / 4:.0f}" in shown

    def test_logs_of_different_rules_are_refused(self, tmp_path: Path) -> None:
        one = written(league(tmp_path, sets=1))
        other = written(league(tmp_path, sets=1, rules="german"))
        with pytest.raises(ConfigError, match="different leagues"):
            sheet_from([read(path) for path in one + other])

    def test_the_same_set_from_two_folders_is_refused(self, tmp_path: Path) -> None:
        one = written(league(tmp_path / "one", sets=1))
        other = written(league(tmp_path / "two", sets=1))
        with pytest.raises(ConfigError, match=r"set 0 of aapo\+bertta is in"):
            sheet_from([read(path) for path in one + other])

    def test_a_log_named_twice_counts_once(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=2))
        assert sheet_from([read(path), read(path)]).table.rows[0].sets == 2


class TestProgress:
    def board(self, tmp_path: Path, done: int) -> Scoreboard:
        made = league(tmp_path, LONG, sets=3)
        results = sheet_from([read(path) for path in written(made)]).results
        state = LeagueState(
            results=[results], planned=198, done=done, before=0, began=100.0, decisions=5000,
            tables=4, lag_ms=3.2, unstartable={},
        )  # fmt: skip
        pace = Pace()
        for second in range(10):
            state.decisions = 500 * second
            pace.saw(100.0 + second, state)
        return Scoreboard(state=state, tables=[results.table()], unit="deal", pace=pace, now=110.0)

    def test_the_live_page_has_the_ranking_and_the_time_left(self, tmp_path: Path) -> None:
        shown = text(live_page(self.board(tmp_path, 99), LOOK, 5))
        assert widest(shown) <= WIDTH
        assert "99/198 sets" in shown
        assert "about 10 s left" in shown
        assert "500 decisions a second" in shown
        assert "and 7 more entrants" in shown

    def test_until_something_is_played_bots_are_starting(self, tmp_path: Path) -> None:
        board = self.board(tmp_path, 0)
        board.state.decisions = board.state.tables = 0
        line = progress_line(board)
        assert "starting bots, waiting for their hello for 10 s" in line
        assert "decisions a second" not in line

    def test_a_plain_line_is_one_line(self, tmp_path: Path) -> None:
        line = progress_line(self.board(tmp_path, 99))
        assert line.startswith("99/198 sets (50 %)")
        assert "\n" not in line


class TestPlan:
    @pytest.mark.parametrize(
        ("rules", "entrants", "processes"),
        [("wikibooks-2", 2, 4), ("helsinki", 2, 8), ("wikibooks-3", 3, 9), ("wikibooks-4", 4, 16)],
    )
    def test_counts_the_processes_of_a_worker(
        self, tmp_path: Path, rules: str, entrants: int, processes: int
    ) -> None:
        view = outlook(league(tmp_path, LONG[:entrants], rules=rules), 3, retry=False)
        data = plan_data(view)
        assert data["processes_a_worker"] == processes
        assert data["jobs"] == data["workers"] == 1
        assert str(processes) in text(plan_page(view))

    def test_what_is_in_the_logs_is_not_left_to_play(self, tmp_path: Path) -> None:
        made = league(tmp_path, ("a", "b", "c"), sets=2)
        written(made)
        more = league(tmp_path, ("a", "b", "c"), sets=5)
        data = plan_data(outlook(more, 2, retry=False))
        assert data["sets_left"] == 9
        assert [pairing["left"] for pairing in data["pairings"]] == [3, 3, 3]


class TestForeignText:
    def test_cannot_steer_the_terminal(self) -> None:
        assert printable(HOSTILE) == "[red]\\x1b[2Jboo\\nbar[/red]"
        assert printable("\u202eevil\ud800") == "\\u202eevil\\ud800"
        assert printable("Väinö ♠") == "Väinö ♠"
