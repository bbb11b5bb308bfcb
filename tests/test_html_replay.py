"""The replay page without a browser: its data are the engine's, its numbers the terminal's."""

import json
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.cli.main import commands
from referee.games.rulesets import game_from
from referee.log import DealLine, Log, Unplayed, append, encoded, read
from referee.rulings import Blame
from referee.show.deal import Scene, deal_page
from referee.show.html.document import document, packed
from referee.show.html.frames import changes
from referee.show.html.replay import BLOCK, replay_html
from referee.show.listing import list_data
from referee.show.page import Look, milliseconds, signed
from referee.show.story import stories
from tests.browser.driver import missing, without
from tests.html_help import Page, engine_positions, golden, positions
from tests.test_show import HOSTILE, league, text, written

GOLDEN = sorted(path.stem for path in golden("").parent.glob("*.jsonl"))

RULESETS = [
    ("huutopussi", "helsinki"), ("huutopussi", "helsinki-pagat"), ("huutopussi", "wikibooks-3"),
    ("huutopussi", "wikibooks-2"), ("marjapussi", "marjapussi"), ("marjapussi", "marjapussi-32"),
    ("bondtolva", "bondtolva"), ("tuppi", "tuppi"), ("minnesota", "minnesota"),
]  # fmt: skip


def page_of(path: Path) -> Page:
    return Page(html_of(path))


def html_of(path: Path) -> str:
    log = read(path)
    header = log.header
    return replay_html(game_from(header.game, header.ruleset, header.rules), log)


def referee(*words: object) -> Result:
    return CliRunner().invoke(commands, [str(word) for word in words])


def three_sided(rules: str) -> tuple[str, ...]:
    return ("aapo", "bertta", "celia") if rules == "wikibooks-3" else ("aapo", "bertta")


def check_positions(path: Path) -> None:
    """Every view of the page is the engine's."""
    page = page_of(path)
    fields = page.index()["fields"]
    expected = engine_positions(read(path))
    deals = page.deals()
    assert len(deals) == len(expected) > 0
    for deal, seen in zip(deals, expected, strict=True):
        found = [
            (wanted, [dict(zip(fields, values, strict=True)) for values in views])
            for wanted, views in positions(deal, fields)
        ]
        assert found == seen


class TestPositions:
    @pytest.mark.parametrize("name", GOLDEN)
    def test_of_a_golden_deal_are_what_the_engine_shows_each_seat(self, name: str) -> None:
        check_positions(golden(name))

    @pytest.mark.parametrize(("game", "rules"), RULESETS)
    def test_of_random_deals_are_what_the_engine_shows_each_seat(
        self, tmp_path: Path, game: str, rules: str
    ) -> None:
        entrants = three_sided(rules)
        (path,) = written(league(tmp_path, entrants, game=game, rules=rules, sets=12))
        check_positions(path)

    def test_of_whole_games_are_too(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, game="huutopussi", unit="game", sets=2))
        check_positions(path)

    def test_a_demand_for_new_cards_has_the_positions_of_both_dealings(
        self, tmp_path: Path
    ) -> None:
        (path,) = written(league(tmp_path, sets=15))
        check_positions(path)
        twice = [deal for deal in page_of(path).deals() if len(deal["dealings"]) > 1]
        assert twice
        assert twice[0]["dealings"][0]["actions"][-1] == "redeal"

    def test_only_what_is_not_expected_is_written_down(self) -> None:
        before = [1, ["TH", "9S"], None]
        assert changes(before, before) == {}
        assert changes(before, [1, ["TH", "8S"], 2]) == {1: [1, ["8S"]], 2: [2]}
        assert changes(before, [1, ["TH"], None]) == {1: [1, []]}
        assert changes([None], [["TH"]]) == {0: [["TH"]]}


class TestNumbers:
    @pytest.mark.parametrize(("game", "rules"), RULESETS)
    def test_of_the_list_are_those_of_the_json(
        self, tmp_path: Path, game: str, rules: str
    ) -> None:
        made = league(tmp_path, three_sided(rules), game=game, rules=rules, sets=5)
        (path,) = written(made, {5: "malformed"})
        shown = referee("replay", path, "--json")
        lines = json.loads(shown.stdout)["deals"]
        rows = page_of(path).rows()
        assert len(rows) == len(lines)
        for row, line in zip(rows, lines, strict=True):
            for field in ("set", "table", "deal", "seats", "dealer", "declarer", "contract"):
                assert row[field] == line[field]
            assert row["points"] == line["points"]
            assert row["nets"] == line["nets"]
            assert row["nets_shown"] == [signed(net, 1) for net in line["nets"]]
            assert len(row["faults"]) == sum(line["faults"].values())

    def test_nets_add_up_to_the_standings(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, game="tuppi", rules="tuppi", sets=8))
        page = page_of(path)
        sides = page.index()["sides"]
        nets: dict[str, list[float]] = {}
        for row in page.rows():
            for seat, name in enumerate(row["seats"][: len(row["nets"])]):
                nets.setdefault(name, []).append(row["nets"][sides[seat]])
        entrants = json.loads(referee("standings", path, "--json").stdout)["entrants"]
        for entrant in entrants:
            own = nets[entrant["entrant"]]
            assert sum(own) / len(own) == pytest.approx(entrant["net"]["mean"])

    @pytest.mark.parametrize("unit", ["deal", "game"])
    def test_of_a_deal_are_those_of_its_story(self, tmp_path: Path, unit: str) -> None:
        (path,) = written(league(tmp_path, sets=2, unit=unit), {5: "illegal"}, note="because")
        log = read(path)
        header = log.header
        game = game_from(header.game, header.ruleset, header.rules)
        found = [story for n in log.sets for story in stories(game, header.unit, log.sets[n])]
        page = page_of(path)
        for story, row, deal in zip(found, page.rows(), page.deals(), strict=True):
            moments = [moment for dealing in story.dealings for moment in dealing.moments]
            assert [a for d in deal["dealings"] for a in d["actions"]] == [
                moment.action for moment in moments
            ]
            assert deal["ms"] == [
                None if m.ms is None else float(milliseconds(m.ms)) for m in moments
            ]
            assert deal.get("notes", {}) == {
                str(m.at): m.note for m in moments if m.note is not None
            }
            assert {
                at: [one["message"] for one in blame] for at, blame in deal.get("blame", {}).items()
            } == {str(m.at): [one.message for one in m.blame] for m in moments if m.blame}
            assert [tuple(trick) for trick in deal["tricks"]] == [
                (m.at, m.trick.winner, m.trick.points) for m in moments if m.trick is not None
            ]
            assert deal["raw"] == list(story.raw or ())
            assert deal["before"] == list(story.before)
            assert row["score"] == story.play.score

    @pytest.mark.parametrize(("game", "rules"), RULESETS)
    def test_a_contract_is_made_where_the_terminal_says_so(
        self, tmp_path: Path, game: str, rules: str
    ) -> None:
        made = league(tmp_path, three_sided(rules), game=game, rules=rules, sets=20)
        (path,) = written(made)
        log = read(path)
        header = log.header
        its_game = game_from(header.game, header.ruleset, header.rules)
        told = [story for n in log.sets for story in stories(its_game, header.unit, log.sets[n])]
        for story, row in zip(told, page_of(path).rows(), strict=True):
            scene = Scene(game=its_game, header=header, story=story, look=Look())
            shown = "\n".join(line.plain for line in deal_page(scene))
            good = (" made\n" in shown + "\n") or "beaten by a sooli" in shown
            bad = (" lost\n" in shown + "\n") or "the sooli against it failed" in shown
            assert row["made"] is (True if good else False if bad else None)

    def test_faults_without_an_action_stand_beside_the_deal(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1))
        stray = Blame(kind="protocol", seat=2, ruling="none", message="stray")
        log = with_blame(path, tmp_path / "stray.jsonl", stray)
        (deal, *_) = page_of(log).deals()
        assert deal["loose"] == [
            {"kind": "protocol", "seat": 2, "ruling": "none", "message": "stray"}
        ]
        assert page_of(log).rows()[0]["faults"] == []

    def test_tables_that_were_not_played_are_lines_with_the_reason(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1))
        header, first, _ = (entry for entry in all_lines(path))
        blame = Blame(kind="crashed", seat=1, ruling="forfeit", message="gone again")
        second = Unplayed(
            set=0, table=1, reason="forfeited", seats=["bertta", "aapo"] * 2,
            nets=[0.0, -840.0], blame=[blame],
        )  # fmt: skip
        log = tmp_path / "unplayed.jsonl"
        log.write_bytes(encoded([header, first, second]))
        rows = page_of(log).rows()
        assert [row["deal"] for row in rows] == [0, None]
        assert "aapo: crashed: gone again" in rows[1]["unplayed"]
        assert rows[1]["nets_shown"] == ["0.0", "-840.0"]
        assert rows[1]["faults"] == [["crashed", 1]]
        data = list_data(*opened(log))
        assert [line["unplayed"] for line in data["deals"]] == [None, "forfeited"]


def opened(path: Path) -> tuple:  # type: ignore[type-arg]
    log = read(path)
    return game_from(log.header.game, log.header.ruleset, log.header.rules), log


def all_lines(path: Path) -> list:  # type: ignore[type-arg]
    log: Log = read(path)
    return [log.header, *(entry.line for n in log.sets for entry in log.sets[n].entries)]


def with_blame(path: Path, to: Path, blame: Blame) -> Path:
    """The log with a fault more in its first deal."""
    header, first, *others = all_lines(path)
    assert isinstance(first, DealLine)
    side = first.side.__class__(
        **{f: getattr(first.side, f) for f in first.side.__struct_fields__ if f != "blame"},
        blame=[blame],
    )
    changed = DealLine(play=first.play, side=side, sha256=first.sha256)
    append(to, [header, changed, *others])
    return to


class TestFile:
    def test_lets_its_own_script_and_style_run_and_nothing_else(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1))
        page = page_of(path)
        (script,), (style,) = page.scripts, page.styles
        for kind, inside in (("script", script), ("style", style)):
            digest = b64encode(sha256(inside.encode()).digest()).decode()
            assert f"{kind}-src 'sha256-{digest}'" in page.policy.split("; ")
        assert page.policy.startswith("default-src 'none'; ")
        assert "unsafe" not in page.policy

    def test_names_no_other_file(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1))
        page = page_of(path)
        found = [a[name] for a in page.attributes for name in ("src", "href") if name in a]
        assert found == ["data:,", "#deals"]
        assert not any(name.startswith("on") for a in page.attributes for name in a)
        assert not {"iframe", "img", "object", "embed"} & set(page.tags)

    def test_nothing_of_a_log_stands_in_it_as_text(self, tmp_path: Path) -> None:
        note = "</script><script>alert(1)</script>"
        (path,) = written(league(tmp_path, sets=1), {5: "illegal"}, note=note)
        shown = html_of(path)
        assert "alert(1)" not in shown
        assert HOSTILE not in shown
        (deal, *_) = Page(shown).deals()
        assert deal["notes"]["0"] == note
        assert deal["blame"]["5"][0]["message"] == HOSTILE

    def test_the_title_is_text(self) -> None:
        made = document("<b>&amp;", "<p>body</p>", "p{}", "1;", [("index", packed([1]))])
        assert "<title>&lt;b&gt;&amp;amp;</title>" in made
        assert Page(made).value("index") == [1]

    @pytest.mark.parametrize("script", ["'</script>'", "'</SCRIPT>'", "'<!--'"])
    def test_a_script_that_would_end_itself_is_refused(self, script: str) -> None:
        with pytest.raises(ValueError, match="end of its element"):
            document("title", "", "", script, [])

    def test_deals_are_packed_in_blocks(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, game="bondtolva", rules="bondtolva", sets=BLOCK))
        page = page_of(path)
        assert [name for name in page.data if name != "index"] == ["block-0", "block-1"]
        assert [len(page.value(f"block-{n}")) for n in (0, 1)] == [BLOCK, BLOCK]
        assert len(page.rows()) == 2 * BLOCK

    def test_a_deal_takes_well_under_a_kilobyte(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=50))
        page = page_of(path)
        size = sum(map(len, page.data.values()))
        assert size / len(page.rows()) < 800


class TestCommand:
    def test_writes_the_page_of_a_log(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=3))
        shown = referee("replay", path, "--html", tmp_path / "out.html")
        assert shown.exit_code == 0
        assert "6 deals of 3 sets" in shown.stdout
        assert (tmp_path / "out.html").read_text(encoding="utf-8") == html_of(path)

    def test_of_one_set_or_the_first_sets(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=3))
        out = tmp_path / "out.html"
        for words, sets in ((("--set", "1"), [1, 1]), (("--sets", "2"), [0, 0, 1, 1])):
            assert referee("replay", path, "--html", out, *words).exit_code == 0
            rows = Page(out.read_text(encoding="utf-8")).rows()
            assert [row["set"] for row in rows] == sets

    def test_a_log_that_breaks_the_rules_is_refused(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=2))
        path.write_bytes(path.read_bytes().replace(b'"dealer":0', b'"dealer":1'))
        shown = referee("replay", path, "--html", tmp_path / "out.html")
        assert shown.exit_code == 2
        assert "line 2: sha256" in shown.stderr
        assert not (tmp_path / "out.html").exists()

    def test_never_overwrites_the_log(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1))
        before = path.read_bytes()
        shown = referee("replay", path, "--html", path)
        assert shown.exit_code == 2
        assert "that is the log itself" in shown.stderr
        assert path.read_bytes() == before

    def test_says_what_cannot_be(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1))
        out = tmp_path / "out.html"
        assert referee("replay", path, "--sets", "1").exit_code == 2
        assert referee("replay", path, "--html", out, "--json").exit_code == 2
        missing = referee("replay", path, "--html", out, "--set", "9")
        assert "set 9 is not in it" in missing.stderr
        unwritable = referee("replay", path, "--html", tmp_path / "none" / "out.html")
        assert "cannot be written" in unwritable.stderr
        path.write_bytes(path.read_bytes().split(b"\n")[0] + b"\n")
        assert "nothing has been played yet" in referee("replay", path, "--html", out).stderr


def test_the_title_of_the_list_is_the_terminals(tmp_path: Path) -> None:
    (path,) = written(league(tmp_path, sets=1))
    first = referee("replay", path).stdout.splitlines()[0]
    assert page_of(path).index()["title"] == text(first).strip()


class TestWithoutABrowser:
    def test_what_is_missing_is_said(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        assert missing() == "chromium is not installed (Debian: apt-get install chromium)"

    def test_a_user_skips_the_tests_and_ci_fails(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("CI", raising=False)
        with pytest.raises(pytest.skip.Exception, match="no browser"):
            without("no browser")
        monkeypatch.setenv("CI", "true")
        with pytest.raises(pytest.fail.Exception, match="no browser"):
            without("no browser")
