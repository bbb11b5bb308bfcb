"""`referee report`: its numbers are those of standings and replay, and nobody's text is markup."""

import json
import re
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from referee.cli.main import commands
from referee.games.rulesets import game_named
from referee.league.rows import Contract
from referee.log import Unplayed, append, read
from referee.rulings import Blame
from referee.show.page import half_width, milliseconds, signed
from referee.show.report import svg
from referee.show.report.data import Contracts, Tried, facts_of
from referee.show.report.deals import LISTED
from referee.show.standings import sheet_from
from referee.table import PlayRecord
from tests.test_show import HOSTILE, league, written

NAMES = ("aapo", "bertta", "cilla")
SCRIPT = '<img src=x onerror=alert(1)>"\'&{};--></style><script>alert(1)</script>'


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        """Cells by caption; of equal captions the last."""
        self._caption: list[str] | None = None
        self._cell: list[str] | None = None
        self._rows: list[list[str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag == "caption":
            self._caption = []
        elif tag == "table":
            self._rows = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._cell = []

    def handle_data(self, data: str) -> None:
        for taking in (self._caption, self._cell):
            if taking is not None:
                taking.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "caption" and self._caption is not None:
            self.tables["".join(self._caption)] = self._rows
            self._caption = None
        elif tag in ("td", "th") and self._cell is not None:
            self._rows[-1].append("".join(self._cell))
            self._cell = None

    def table(self, caption: str) -> list[list[str]]:
        """The one table whose caption begins so."""
        (found,) = [rows for name, rows in self.tables.items() if name.startswith(caption)]
        return found

    def links(self) -> list[str]:
        return [attrs["href"] for tag, attrs in self.elements if tag == "a"]


def run(*words: str | Path) -> Result:
    result = CliRunner().invoke(commands, list(map(str, words)))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def asked(*words: str | Path) -> Any:
    """What a command says as JSON."""
    return json.loads(run(*words, "--json").output)


def page_of(folder: Path) -> Page:
    assert run("report", folder).exit_code == 0
    return Page((folder / "report.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league with faults, the same every time."""
    made = league(tmp_path_factory.mktemp("league"), NAMES, sets=8)
    written(made, {2: "timeout", 20: "crashed"}, note="n")
    return made.folder


@pytest.fixture(scope="module")
def page(folder: Path) -> Page:
    return page_of(folder)


# ---- numbers agree -------------------------------------------------------------------------------


def test_the_standings_are_those_of_the_standings(folder: Path, page: Page) -> None:
    data = asked("standings", folder)
    expected = []
    for row in data["entrants"]:
        faults = ", ".join(f"{number} {kind}" for kind, number in row["faults"].items())
        ranks = sorted({row["rank_low"], row["rank_high"]})
        expected.append([
            f"{row['rank']}. {row['entrant']}",
            "-".join(map(str, ranks)),
            str(row["sets"]),
            f"{signed(row['net']['mean'], 1)} ± {half_width(row['net']['half_width'], 1)}",
            "-".join(map(str, row["pairings"])),
            faults,
            milliseconds(row["mean_ms"]),
            milliseconds(row["worst_ms"]),
        ])  # fmt: skip
    assert page.table("Standings")[1:] == expected
    gain = data["duplicate_gain"]
    assert f"Measured duplicate gain: {gain:.2f} " in page.text
    picture = page.text[page.text.index("<svg") :].partition("</svg>")
    drawn = ElementTree.fromstring(picture[0] + picture[1])
    words = [element.text for element in drawn.iter() if element.tag.endswith("}text")]
    for row in expected:
        assert row[0] in words
        assert row[3] in words


def test_the_crosstable_is_that_of_the_standings(folder: Path, page: Page) -> None:
    data = asked("standings", folder)
    order = [row["entrant"] for row in data["entrants"]]
    cells = {
        (cell["entrant"], cell["against"]): (
            f"{signed(cell['net']['mean'], 1)} ± {half_width(cell['net']['half_width'], 1)} "
            f"{cell['significance']}"
        ).strip()
        for cell in data["crosstable"]
    }
    expected = [
        [f"{place + 1}. {one}", *(cells.get((one, other), "") for other in order)]
        for place, one in enumerate(order)
    ]
    assert page.table("Rows against columns")[1:] == expected


def test_pairings_are_those_of_the_standings(folder: Path, page: Page) -> None:
    data = asked("standings", folder)
    expected = []
    for pairing in data["pairings"]:
        gap, gain = pairing["difference"], pairing["duplicate_gain"]
        expected.append([
            " : ".join(pairing["entrants"]),
            str(pairing["sets"]),
            str(pairing["informative_sets"]),
            f"{signed(gap['mean'], 1)} ± {half_width(gap['half_width'], 1)}",
            f"{pairing['sets_won']}-{pairing['sets_lost']}",
            f"{pairing['sign_test']:.3f}",
            "" if gain is None else f"{gain:.2f}",
            "; ".join(pairing["notes"]),
        ])  # fmt: skip
    assert page.table("Informative")[1:] == expected


def test_nets_of_sets_are_those_of_the_replay(folder: Path, page: Page) -> None:
    for path in sorted((folder / "logs").glob("*.jsonl")):
        data = asked("replay", path)
        names = str(data["pairing"]).split("+")
        sets: dict[int, list[list[float]]] = {}
        for deal in data["deals"]:
            own = [deal["nets"][deal["seats"].index(name)] for name in names]
            sets.setdefault(deal["set"], []).append(own)
        expected = [
            [str(number)]
            + [" : ".join(signed(net, 1) for net in nets) for nets in tables]
            + [" : ".join(signed(sum(nets) / 2, 1) for nets in zip(*tables, strict=True))]
            for number, tables in sets.items()
        ]
        assert page.table(f"Nets of {' : '.join(names)}")[1:] == expected
        assert len(expected) == 8


def test_contracts_are_those_of_the_replay(folder: Path, page: Page) -> None:
    tries: Counter[str] = Counter()
    made: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    points: Counter[str] = Counter()
    for path in (folder / "logs").glob("*.jsonl"):
        for deal in asked("replay", path)["deals"]:
            if deal["contract"] is None:
                continue
            who = deal["seats"][deal["declarer"]]
            tries[who] += 1
            sizes[str(deal["contract"])] += 1
            points[who] += deal["contract"]
            made[who] += deal["points"][deal["declarer"] % 2] == deal["contract"]
    shown = {row[0]: row[1:] for row in page.table("Contracts by declarer")[1:]}
    assert shown == {
        who: [
            str(number), str(made[who]), str(number - made[who]),
            f"{100 * made[who] / number:.1f}", f"{points[who] / number:.1f}",
        ]
        for who, number in tries.items()
    }  # fmt: skip
    assert {row[0]: int(row[1]) for row in page.table("Contracts by size")[1:]} == sizes


def test_faults_and_times_are_those_of_the_logs(folder: Path, page: Page) -> None:
    entrants = asked("standings", folder)["entrants"]
    rows = page.table("Faults by kind")
    kinds = rows[0][1:]
    assert {"timeout", "crashed"} <= set(kinds)
    assert {row[0]: row[1:] for row in rows[1:]} == {
        row["entrant"]: [str(row["faults"].get(kind, "")) for kind in kinds]
        for row in entrants
        if row["faults"]
    }
    times = {row[0]: row for row in page.table("Milliseconds")[1:]}
    for row in entrants:
        shown = times[row["entrant"]]
        assert shown[1] == f"{row['decisions']:,}"
        assert shown[2] == milliseconds(row["mean_ms"])
        assert shown[-1] == milliseconds(row["worst_ms"])


def test_progress_ends_at_the_standings(folder: Path) -> None:
    sheet = sheet_from([read(path) for path in sorted((folder / "logs").glob("*.jsonl"))])
    facts = facts_of(sheet)
    for row in sheet.table.rows:
        points = facts.progress[row.entrant]
        assert [point.sets for point in points] == [1, 2, 3, 4, 5, 6, 7, 8]
        assert points[-1].net == row.net
        assert points[3].net.n == 8  # four sets of each of two pairings
        assert points[3].net.mean != row.net.mean


def test_seats_of_a_deal_add_up_to_nothing_and_to_the_net(tmp_path: Path) -> None:
    written(league(tmp_path, sets=4))
    row, page = asked("standings", tmp_path)["entrants"][0], page_of(tmp_path)
    everybody, *own = page.table("Mean net of a deal by seat")[1:]
    assert float(everybody[1]) == -float(everybody[2])
    best = [float(cell) for cell in own[0][1:]]
    assert own[0][0] == row["entrant"]
    assert sum(best) / 4 == pytest.approx(row["net"]["mean"], abs=0.06)


def test_quantiles_and_bins_of_times_are_counted(tmp_path: Path) -> None:
    written(league(tmp_path, sets=2))
    facts = facts_of(sheet_from([read(path) for path in (tmp_path / "logs").iterdir()]))
    for spent in facts.spent.values():
        assert sum(spent.bins) == spent.decisions
        # Everything takes half a millisecond, but the fourth decision of each deal 700.
        assert (spent.median, spent.p95, spent.worst) == (0.5, 0.5, 700.0)
        slow = sum(spent.bins[15:])
        assert 0 < slow <= 4
        assert spent.mean == pytest.approx(
            (700 * slow + 0.5 * (spent.decisions - slow)) / spent.decisions
        )


# ---- games with words ----------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "words"), [("tuppi", "rami"), ("minnesota", "high")])
def test_words_are_counted_by_who_played_them(game: str, words: str, tmp_path: Path) -> None:
    written(league(tmp_path, game=game, rules=None, sets=12))
    page = page_of(tmp_path)
    rows = page.table(f"{words}: by the entrant that bid it")
    (path,) = (tmp_path / "logs").glob("*.jsonl")
    found: Counter[str] = Counter()
    lows = 0
    for deal in asked("replay", path)["deals"]:
        if deal["contract"] == words:
            found[deal["seats"][deal["declarer"]]] += 1
        lows += deal["declarer"] is None
    own = rows[0].index(f"{words} won-lost")
    shown = {row[0]: sum(map(int, row[own].split("-"))) for row in rows[1:] if row[own]}
    assert shown == dict(found)
    low = next(place for place in range(1, len(rows[0])) if place not in (own, own + 1))
    games = {row[low] for row in rows[1:] if row[low]}
    assert {sum(map(int, text.split("-"))) for text in games} == ({lows} if lows else set())


@pytest.mark.parametrize(
    ("contract", "net", "expected"),
    [
        (Contract(declarer=1, contract="rami", soloist=None, made=True), (-4, 4),
         {("b", "rami"): (1, 0)}),
        (Contract(declarer=1, contract="rami", soloist=None, made=False), (8, -8),
         {("b", "rami"): (0, 1)}),
        (Contract(declarer=1, contract="sooli", soloist=2, made=True), (24, -24),
         {("a", "sooli"): (1, 0)}),
        (Contract(declarer=None, contract="nolo", soloist=None, made=None), (-4, 4),
         {("a", "nolo"): (0, 1), ("b", "nolo"): (1, 0)}),
    ],
)  # fmt: skip
def test_an_outcome_counts_for_who_played_it(
    contract: Contract, net: tuple[float, float], expected: dict[tuple[str, str], tuple[int, int]]
) -> None:
    play = PlayRecord(
        set=0, table=0, deal=0, seats=["a", "b", "a", "b"], dealer=0, cards=[], actions="",
        rulings=[], points=[], score=[], nets=None,
    )  # fmt: skip
    found = Contracts()
    found.add(game_named("tuppi"), play, contract, net)
    assert {key: (tried.made, tried.failed) for key, tried in found.words.items()} == expected


def test_many_sizes_of_contracts_are_shown_in_groups() -> None:
    few = Contracts(points={size: Tried(made=1, failed=2) for size in (50, 55, 60)})
    assert [name for name, _ in few.levels()] == ["50", "55", "60"]
    many = Contracts(points={size: Tried(made=1, failed=2) for size in range(50, 250, 5)})
    levels = many.levels()
    assert [name for name, _ in levels][:3] == ["40-59", "60-79", "80-99"]
    assert [tried.made for _, tried in levels][:3] == [2, 4, 4]
    assert sum(tried.failed for _, tried in levels) == 80


# ---- several games, individuals, what was not played ---------------------------------------------


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three games in a folder, one of them with individuals at the tables."""
    root = tmp_path_factory.mktemp("tour")
    games = (("huutopussi", "helsinki"), ("huutopussi", "wikibooks-3"), ("bondtolva", None))
    for game, rules in games:
        written(league(root, (*NAMES, "dora"), game=game, rules=rules, sets=3))
    return root


def test_several_games_have_a_table_over_all(tour: Path) -> None:
    page = page_of(tour)
    rows = page.table("Score: the mean over the games")
    data = asked("standings", tour)
    assert len(data["games"]) == 3
    assert [row[0] for row in rows[1:]] == [
        f"{row['rank']}. {row['entrant']}" for row in data["overall"]
    ]
    assert rows[1][1] == "{} ± {}".format(
        signed(data["overall"][0]["score"], 2), half_width(data["overall"][0]["half_width"], 2)
    )
    names = [attrs["id"] for tag, attrs in page.elements if tag == "h2"]
    assert names == ["overall", "g0", "g1", "g2"]


def test_every_link_in_a_page_leads_somewhere_and_no_name_is_given_twice(
    tour: Path, page: Page
) -> None:
    for one in (page, page_of(tour)):
        ids = Counter(attrs["id"] for _, attrs in one.elements if "id" in attrs)
        assert [name for name, number in ids.items() if number > 1] == []
        assert [href for href in one.links() if href.removeprefix("#") not in ids] == []
        cells = [href for href in one.links() if re.fullmatch(r"#g\d+-[pm]\d+", href)]
        assert len(cells) >= 6
        labels = [attrs.get("aria-labelledby", "").split() for _, attrs in one.elements]
        assert {word for words in labels for word in words} <= set(ids)


def test_two_individuals_meet_in_several_pairings(tour: Path) -> None:
    page = page_of(tour)
    groups = [part for part in page.text.split("<h4 ") if re.match(r'id="g\d-m', part)]
    assert len(groups) == 6
    assert {len(re.findall(r"<a href", part)) for part in groups[:5]} == {2}


def test_an_entrant_without_a_set_is_listed_unrated(tmp_path: Path) -> None:
    written(league(tmp_path, sets=2))
    (path,) = written(league(tmp_path, ("aapo", "zorro"), sets=0))
    blame = Blame(kind="start_failed", seat=1, ruling="none", message="no such file")
    append(path, [
        Unplayed(set=0, table=table, reason="not_playable", seats=["aapo", "zorro"] * 2,
                 nets=None, blame=[blame])
        for table in (0, 1)
    ])  # fmt: skip
    rows = page_of(tmp_path).table("Standings")
    assert rows[-1][0] == "zorro"
    assert rows[-1][3] == "unrated"


def test_a_league_without_a_finished_set_has_no_report(tmp_path: Path) -> None:
    written(league(tmp_path, sets=0))
    result = run("report", tmp_path)
    assert result.exit_code == 2
    assert "no set is finished yet" in result.output
    assert not (tmp_path / "report.html").exists()


def test_of_very_many_sets_the_widest_are_listed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert LISTED > 100
    monkeypatch.setattr("referee.show.report.deals.LISTED", 6)
    monkeypatch.setattr("referee.show.report.deals._FEWEST", 2)
    file = tmp_path / "few.html"
    assert run("report", folder, "-o", file).exit_code == 0
    page = Page(file.read_text(encoding="utf-8"))
    full = {
        row[0]: abs(float(row[-1].split(" : ")[0]))
        for row in page_of(folder).table("Nets of aapo : bertta")[1:]
    }
    shown = [row[0] for row in page.table("Nets of aapo : bertta")[1:]]
    widest = sorted(full, key=lambda number: -full[number])[:2]
    assert sorted(shown) == sorted(widest)
    assert "The 2 of 8 sets in which the entrants are farthest apart." in page.text


# ---- replays beside it ---------------------------------------------------------------------------


def test_deals_link_to_a_replay_that_lies_beside_the_page(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "replay-aapo+bertta.html").touch()
    (tmp_path / "replay-huutopussi.helsinki.aapo+cilla.html").touch()
    file = tmp_path / "page.html"
    assert run("report", folder, "-o", file).exit_code == 0
    links = [href for href in Page(file.read_text(encoding="utf-8")).links() if "replay" in href]
    files = Counter(unquote(href.partition("#")[0]) for href in links)
    assert set(files) == {
        "replay-aapo+bertta.html", "replay-huutopussi.helsinki.aapo+cilla.html",
    }  # fmt: skip
    places = {href.partition("#")[2] for href in links if "bertta" in href}
    assert {f"{number}.{table}" for number in range(8) for table in (0, 1)} <= places


def test_without_a_replay_nothing_links_out_of_the_page(page: Page) -> None:
    assert [href for href in page.links() if not href.startswith("#")] == []


# ---- safety --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league in which somebody wrote markup where names, notes and messages stand."""
    made = league(tmp_path_factory.mktemp("forged"), sets=3)
    (path,) = written(made, {2: "illegal"}, note=SCRIPT)
    text = path.read_text(encoding="utf-8")
    bad = json.dumps(SCRIPT)
    text = text.replace('"aapo"', bad).replace(json.dumps(HOSTILE), bad)
    text = text.replace('"aapo+bertta"', json.dumps("../../" + SCRIPT))
    path.write_text(text, encoding="utf-8")
    return made.folder


def test_nobodys_text_becomes_markup(forged: Path, page: Page) -> None:
    bad = page_of(forged)
    assert SCRIPT not in bad.text
    assert "&lt;img src=x onerror=alert(1)&gt;" in bad.text
    allowed = {tag for tag, _ in page.elements} | {"li"}
    assert {tag for tag, _ in bad.elements} <= allowed
    for tag, attrs in bad.elements:
        assert tag not in ("script", "img", "iframe", "object", "base", "form")
        assert not [name for name in attrs if name.startswith("on") or name == "style"]
    assert all(href.startswith("#") for href in bad.links())


def test_the_page_lets_nothing_run_and_asks_for_nothing(page: Page) -> None:
    (policy,) = [a["content"] for t, a in page.elements if a.get("http-equiv")]
    (style,) = re.findall(r"<style>(.*?)</style>", page.text, re.DOTALL)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'")
    assert "script-src" not in policy
    assert "url(" not in style
    assert "@import" not in style
    assert not [attrs for _, attrs in page.elements if "src" in attrs]
    without = page.text.replace("http://www.w3.org/2000/svg", "")
    assert "http:" not in without
    assert "https:" not in without


def test_markup_in_markdown_stays_text(forged: Path) -> None:
    shown = run("report", forged, "--markdown").output
    assert "\\<img src=x" in shown
    assert re.search(r"(?<!\\)<(img|script)", shown) is None


# ---- pictures, Markdown, the command -------------------------------------------------------------


def test_pictures_are_whole_and_told_in_words(page: Page) -> None:
    found = re.findall(r"<svg.*?</svg>", page.text, re.DOTALL)
    assert len(found) == 1 + 3 + 1 + 3  # standings, progress, contracts, times
    for text in found:
        drawn = ElementTree.fromstring(text)
        inside = {element.tag.partition("}")[2]: element.text for element in drawn.iter()}
        assert inside["title"]
        assert inside["desc"]
        numbers = re.findall(r' (?:x|y|x1|x2|cx|cy|width|height)="([^"]*)"', text)
        assert numbers
        assert all(-1 <= float(number) <= 2000 for number in numbers)


def test_the_picture_stands_alone(folder: Path, tour: Path, tmp_path: Path) -> None:
    for source, title in ((folder, "Standings: huutopussi helsinki"), (tour, "over all games")):
        file = tmp_path / "standings.svg"
        result = run("report", source, "--svg", file)
        assert result.output == f"{file}: the standings\n"
        drawn = ElementTree.parse(file).getroot()
        assert drawn.tag == "{http://www.w3.org/2000/svg}svg"
        text = file.read_text(encoding="utf-8")
        assert title in text
        assert "prefers-color-scheme: dark" in text
        assert "<script" not in text


def test_an_interval_that_is_not_known_is_drawn_dashed() -> None:
    bars = [
        svg.Bar(name="a", value="+1.0 ± ?", mean=1.0, half_width=float("inf")),
        svg.Bar(name="b", value="-1.0 ± 2.0", mean=-1.0, half_width=2.0),
    ]
    drawn = svg.intervals("k", "title", bars, "net")
    assert drawn.count('class="bar unsure"') == 1
    assert drawn.count('class="bar"') == 3
    assert "inf" not in drawn


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (-350, 900, [-200, 0, 200, 400, 600, 800]),
        (5, 6.9, [5, 5.5, 6, 6.5]),
    ],
)
def test_ticks_are_round(low: float, high: float, expected: list[float]) -> None:
    assert svg.ticks(low, high) == expected


def test_markdown_has_the_standings_and_the_tables(folder: Path, page: Page) -> None:
    shown = run("report", folder, "--markdown").output
    assert shown.startswith(run("standings", folder, "--markdown").output.rstrip())
    for title in ("Contracts by declarer", "Contracts by size", "Decision times", "Mean net of a"):
        assert f"**{title}" in shown
    for row in page.table("Contracts by declarer")[1:]:
        assert f"| {' | '.join(row)} |" in shown


def test_a_report_is_the_same_every_time(folder: Path, tmp_path: Path) -> None:
    texts = set()
    for name in ("a.html", "b.html"):
        run("report", folder, "-o", tmp_path / name)
        texts.add((tmp_path / name).read_bytes())
    assert len(texts) == 1


@pytest.mark.parametrize("option", ["-o", "--svg"])
def test_a_log_is_never_overwritten(option: str, tmp_path: Path) -> None:
    (path,) = written(league(tmp_path, sets=1))
    before = path.read_bytes()
    result = run("report", tmp_path, option, path)
    assert result.exit_code == 2
    assert "that is a log itself" in result.output
    assert path.read_bytes() == before


def test_a_single_log_needs_a_place_for_its_page(tmp_path: Path) -> None:
    (path,) = written(league(tmp_path, sets=1))
    result = run("report", path)
    assert result.exit_code == 2
    assert "needs -o FILE" in result.output
    assert run("report", path, "-o", tmp_path / "it.html").exit_code == 0
    assert run("report", path, "-o", tmp_path / "no" / "it.html").exit_code == 2
