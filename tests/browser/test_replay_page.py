"""The replay page in a real browser: what it shows, hides, obeys, and never does."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.games.rulesets import game_from
from referee.log import Log, parse, read
from referee.show.filters import parsed
from referee.show.html.replay import replay_html
from referee.show.listing import lines_of
from tests.browser.driver import Browser
from tests.html_help import engine_positions, golden
from tests.test_html_replay import GOLDEN, RULESETS, three_sided
from tests.test_show import HOSTILE, league, written

READY = "document.documentElement.dataset.ready"
SUITS = "SHDC"


def show(browser: Browser, log: Log, folder: Path, place: str = "") -> None:
    """Open the page of a log."""
    header = log.header
    file = folder / "replay.html"
    game = game_from(header.game, header.ruleset, header.rules)
    file.write_text(replay_html(game, log), encoding="utf-8")
    browser.visit(file.as_uri() + place)
    browser.until(READY)


def hand(browser: Browser, seat: int) -> list[str]:
    """The cards that are shown in a seat's hand."""
    found = browser.run(
        "return [...document.querySelectorAll(`[data-seat='${arguments[0]}'] .cards [data-card]`)]"
        ".map((card) => card.dataset.card)",
        seat,
    )
    return list(found)


def trick(browser: Browser) -> list[tuple[int, str]]:
    """Who has played what into the trick in the middle."""
    found = browser.run(
        "return [...document.querySelectorAll('#trick li')].map("
        "(item) => [item.textContent[0], item.querySelector('[data-card]').dataset.card])"
    )
    return [(int(seat), card) for seat, card in found]


def fact(browser: Browser, name: str) -> str | None:
    """What stands beside a word of the position."""
    found = browser.run(
        "const it = document.querySelector(`[data-fact='${arguments[0]}']`);"
        "return it && it.textContent",
        name,
    )
    return None if found is None else str(found)


def text(browser: Browser, selector: str) -> str:
    return str(
        browser.run("return document.querySelector(arguments[0]).textContent", selector)
    )


def look_as(browser: Browser, seat: int | None) -> None:
    """Choose whose view is shown."""
    browser.run(
        "const list = document.getElementById('viewer'); list.value = arguments[0];"
        "list.dispatchEvent(new Event('change'))",
        "" if seat is None else str(seat),
    )


@pytest.fixture
def tuppi(browser: Browser, tmp_path: Path) -> Browser:
    """The page of a golden deal of Tuppi."""
    show(browser, read(golden("tuppi-T-G1")), tmp_path)
    return browser


def dealt() -> list[set[str]]:
    """The hands of that deal: its cards one at a time from the left of seat 0, who deals."""
    line = json.loads(golden("tuppi-T-G1").read_text(encoding="utf-8").splitlines()[1])
    cards = line["play"]["cards"][0].split(" ")
    return [set(cards[(seat - 1) % 4 :: 4]) for seat in range(4)]


class TestStepping:
    def test_the_hands_are_shown_as_they_were_dealt(self, tuppi: Browser) -> None:
        assert text(tuppi, "#deal-title") == "Set 0, table 0, deal 0"
        assert [set(hand(tuppi, seat)) for seat in range(4)] == dealt()
        assert " ".join(hand(tuppi, 1)) == "AS 6S 4S TH 9H 8H 6H 3H TD 8D 7D 4D 2D"

    def test_by_key_through_the_auction_and_the_first_trick(self, tuppi: Browser) -> None:
        assert fact(tuppi, "to act") == "1"
        tuppi.press("right")
        assert text(tuppi, "#status") == "Action 1 of 56. 1 e1 bids nolo."
        tuppi.press("right", "right", "right")
        assert fact(tuppi, "bids") == "1: nolo, 2: rami"
        assert fact(tuppi, "contract") == "rami"
        assert fact(tuppi, "declarer") == "2"
        assert trick(tuppi) == []
        tuppi.press("right", "right", "right")
        assert trick(tuppi) == [(1, "6H"), (2, "QH"), (3, "JH")]
        assert set(hand(tuppi, 2)) == dealt()[2] - {"QH"}
        tuppi.press("right")
        assert trick(tuppi) == [(1, "6H"), (2, "QH"), (3, "JH"), (0, "7H")]
        assert text(tuppi, "#won") == "won by 2"
        tuppi.press("left")
        assert trick(tuppi) == [(1, "6H"), (2, "QH"), (3, "JH")]

    def test_home_and_end_slider_and_buttons(self, tuppi: Browser) -> None:
        tuppi.press("end")
        assert "The deal is over." in text(tuppi, "#status")
        assert [hand(tuppi, seat) for seat in range(4)] == [[]] * 4
        assert "scores 20, net +20.0; rami made" in text(tuppi, "#result [data-side='0']")
        assert text(tuppi, "#result [data-side='1']").endswith("scores 0, net -20.0")
        tuppi.press("home")
        assert text(tuppi, "#status").startswith("Action 0 of 56.")
        tuppi.click("#forward")
        tuppi.click("#forward")
        tuppi.click("#back")
        assert text(tuppi, "#status").startswith("Action 1 of 56.")
        tuppi.run("document.getElementById('slider').focus()")
        tuppi.press("right", "right")
        assert text(tuppi, "#status").startswith("Action 3 of 56.")

    def test_space_plays_and_pauses(self, tuppi: Browser) -> None:
        tuppi.run("document.getElementById('pace').value = '300'")
        tuppi.press(" ")
        assert text(tuppi, "#play") == "Pause"
        tuppi.until("document.getElementById('slider').value >= 2")
        tuppi.press(" ")
        assert text(tuppi, "#play") == "Play"
        stopped = text(tuppi, "#status")
        tuppi.wait("setTimeout(arguments[0], 700)")
        assert text(tuppi, "#status") == stopped

    def test_playing_stops_at_the_end(self, tuppi: Browser) -> None:
        tuppi.run("document.getElementById('pace').value = '300'")
        tuppi.press("end", "left", " ")
        tuppi.until("document.getElementById('play').textContent === 'Play'")
        assert "The deal is over." in text(tuppi, "#status")

    def test_n_and_p_change_the_deal(self, tuppi: Browser) -> None:
        tuppi.press("n")
        tuppi.until("document.getElementById('deal-title').textContent.includes('table 1')")
        assert text(tuppi, "[data-seat='0'] h3").startswith("0 e1")
        tuppi.press("p")
        tuppi.until("document.getElementById('deal-title').textContent.includes('table 0')")

    def test_letters_go_into_the_filter_and_can_be_switched_off(self, tuppi: Browser) -> None:
        tuppi.write("#filter", "table=1 n")
        assert "table 0" in text(tuppi, "#deal-title")
        tuppi.write("#filter", " ")
        tuppi.click("#letters")
        tuppi.press("n")
        tuppi.wait("setTimeout(arguments[0], 200)")
        assert "table 0" in text(tuppi, "#deal-title")

    def test_the_address_names_the_position(self, browser: Browser, tmp_path: Path) -> None:
        show(browser, read(golden("tuppi-T-G1")), tmp_path, "#0.1.0.7")
        assert text(browser, "#deal-title") == "Set 0, table 1, deal 0"
        assert text(browser, "#status").startswith("Action 7 of 56.")
        browser.press("right")
        browser.until("location.hash === '#0.1.0.8'")

    def test_an_action_of_the_list_leads_to_its_position(self, tuppi: Browser) -> None:
        tuppi.click("#log [data-at='4'] button")
        assert trick(tuppi) == [(1, "6H")]
        assert tuppi.run("return document.activeElement.parentElement.dataset.at") == "4"

    def test_every_step_can_be_reached_by_keys_alone(self, tuppi: Browser) -> None:
        seen = []
        for _ in range(16):
            tuppi.press("tab")
            seen.append(tuppi.run("return document.activeElement.id"))
        assert {"play", "forward", "slider", "viewer", "log-box"} <= set(seen)
        tuppi.run("document.getElementById('forward').focus()")
        tuppi.press(" ", " ")
        assert text(tuppi, "#status").startswith("Action 2 of 56.")
        outline = "return getComputedStyle(document.activeElement).outlineStyle"
        assert tuppi.run(outline) == "solid"


class TestPositions:
    """The script's own reading of the data against the engine."""

    @staticmethod
    def check(browser: Browser, log: Log) -> None:
        expected = engine_positions(log)
        for place, seen in enumerate(expected):
            found = browser.wait(
                "const [place, done] = arguments; dealAt(place).then((deal) => done(JSON.stringify("
                "positionsOf(deal, state.index.fields).map((p) => [p.toAct, p.views]))))",
                place,
            )
            assert json.loads(found) == [
                [None if wanted == "-" else int(wanted), views] for wanted, views in seen
            ]

    @pytest.mark.parametrize("name", GOLDEN)
    def test_of_golden_deals(self, browser: Browser, tmp_path: Path, name: str) -> None:
        log = read(golden(name))
        show(browser, log, tmp_path)
        self.check(browser, log)

    @pytest.mark.parametrize(("game", "rules"), RULESETS)
    def test_of_random_deals(
        self, browser: Browser, tmp_path: Path, game: str, rules: str
    ) -> None:
        made = league(tmp_path, three_sided(rules), game=game, rules=rules, sets=2)
        log = read(written(made)[0])
        show(browser, log, tmp_path)
        self.check(browser, log)


class TestSeats:
    def test_a_seat_sees_its_own_hand_and_counts(self, tuppi: Browser) -> None:
        look_as(tuppi, 2)
        assert set(hand(tuppi, 2)) == dealt()[2]
        assert [hand(tuppi, seat) for seat in (0, 1, 3)] == [[], [], []]
        assert "13 cards" in text(tuppi, "[data-seat='3']")

    @pytest.mark.parametrize("name", ["tuppi-T-G1", "tuppi-T-G3", "huutopussi-D1", "huutopussi-D2",
                                      "bondtolva-B-G1"])  # fmt: skip
    def test_nothing_in_the_page_shows_a_card_that_the_seat_did_not_know(
        self, browser: Browser, tmp_path: Path, name: str
    ) -> None:
        log = read(golden(name))
        show(browser, log, tmp_path)
        for seat in range(len(engine_positions(log)[0][0][1])):
            look_as(browser, seat)
            views = list(distinct(log, seat))
            steps = browser.run(
                "return state.steps.map((_, step) => { show(step);"
                " const all = (where) => [...document.querySelectorAll(where)]"
                ".map((card) => card.dataset.card);"
                " return [all('#deal [data-card]'), all('.cards [data-card]')]; })"
            )
            assert len(steps) == len(views)
            assert len(set(steps[0][0])) == len(views[0]["hand"])
            for view, (shown, own) in zip(views, steps, strict=True):
                assert set(shown) <= set(_cards(view))
                assert sorted(own) == sorted(view["hand"])
            assert "The deal is over." in text(browser, "#status")

    def test_what_is_hidden_from_a_seat_makes_no_step(
        self, browser: Browser, tmp_path: Path
    ) -> None:
        (path,) = written(league(tmp_path, sets=15))
        log = read(path)
        plays = [play for number in log.sets for _, _, play in log.sets[number].deals()]
        place, play = next(
            (n, play) for n, play in enumerate(plays) if play.actions.startswith("keep bid")
        )
        asked, then = (int(wanted) for wanted, _ in engine_positions(log)[place][:2])
        show(browser, log, tmp_path, f"#{play.set}.{play.table}.0")
        for seat in range(4):
            look_as(browser, seat)
            # Who bids next learns that by being asked.
            assert browser.run("return state.steps.includes(1)") is (seat in (asked, then))
            browser.press("end")
            assert ("keeps the hand" in text(browser, "#log")) is (seat == asked)

    def test_notes_faults_and_times_are_those_of_the_seat(
        self, browser: Browser, tmp_path: Path
    ) -> None:
        (path,) = written(league(tmp_path, sets=1), {5: "illegal"}, note="a thought")
        log = read(path)
        show(browser, log, tmp_path, "#0.0.0.6")
        guilty = log.sets[0].entries[0].play
        assert guilty is not None
        seat = guilty.rulings[0].seat
        assert "illegal" in text(browser, "#said")
        look_as(browser, (seat + 1) % 4)
        assert "illegal" not in text(browser, "#deal")
        look_as(browser, seat)
        assert "illegal" in text(browser, "#said")
        browser.press("end")
        own = browser.run("return document.querySelectorAll('#chart rect').length")
        look_as(browser, None)
        assert 0 < own < browser.run("return document.querySelectorAll('#chart rect').length")


def distinct(log: Log, seat: int) -> Iterator[dict]:  # type: ignore[type-arg]
    """The views of a seat in the first deal that it can tell apart."""
    before = None
    for wanted, views in engine_positions(log)[0]:
        seen = (views[seat], wanted == str(seat))
        if seen != before:
            yield views[seat]
        before = seen


def _cards(value: object) -> Iterator[str]:
    """Every card named anywhere in a view."""
    if isinstance(value, str):
        word = value.rpartition(":")[2]
        if len(word) == 2 and word[1] in SUITS:
            yield word
    elif isinstance(value, dict):
        for inside in value.values():
            yield from _cards(inside)
    elif isinstance(value, list | tuple):
        for inside in value:
            yield from _cards(inside)


class TestHostile:
    NAME = "<img/src=x/onerror=hacked()>"
    NOTE = "</script><script>hacked()</script><svg onload=hacked()>\u202e"

    def log(self, tmp_path: Path) -> Log:
        """A log with an entrant of that name."""
        (path,) = written(league(tmp_path, sets=2), {5: "illegal"}, note=self.NOTE)
        data = path.read_bytes().replace(b'"aapo"', json.dumps(self.NAME).encode())
        return parse(path, data.replace(b"aapo+bertta", f"{self.NAME}+bertta".encode()))

    def test_a_name_and_a_note_are_text_and_nothing_else(
        self, browser: Browser, tmp_path: Path
    ) -> None:
        show(browser, self.log(tmp_path), tmp_path)
        browser.run("window.hacked = () => { window.wasHacked = true; }")
        for place in range(8):
            look_as(browser, None if place % 2 else place % 4)
            browser.press("right", "right", "n")
            browser.wait("setTimeout(arguments[0], 50)")
        browser.press("p")
        look_as(browser, None)
        browser.press("home", "right")
        assert self.NAME in text(browser, "#deal-facts")
        assert self.NOTE in text(browser, "#note")
        browser.press("f")
        browser.until("document.querySelector('#said .fault')")
        assert HOSTILE in text(browser, "#said .fault")
        assert self.NAME in text(browser, "#title")
        assert self.NAME in text(browser, "#viewer")
        assert browser.run("return document.querySelectorAll('img, svg[onload]').length") == 0
        assert browser.run("return window.wasHacked === undefined")

    def test_the_page_refuses_to_make_markup_or_script_of_text(
        self, browser: Browser, tmp_path: Path
    ) -> None:
        show(browser, self.log(tmp_path), tmp_path)
        ways = (
            "document.body.innerHTML = '<b>in</b>'",
            "document.createElement('script').textContent = 'hacked()'",
            "document.body.setAttribute('onclick', 'hacked()')",
            "setTimeout('hacked()', 0)",
        )
        for way in ways:
            refused = browser.run(f"try {{ {way}; return ''; }} catch (e) {{ return e.name; }}")
            assert refused in ("TypeError", "EvalError"), way
        assert all("requires 'Trusted" in line.text for line in browser.console())

    def test_what_is_put_into_the_file_neither_runs_nor_requests(
        self, browser: Browser, tmp_path: Path
    ) -> None:
        show(browser, self.log(tmp_path), tmp_path)
        file = tmp_path / "replay.html"
        listener = socket.create_server(("127.0.0.1", 0))
        there = f"http://127.0.0.1:{listener.getsockname()[1]}"
        foreign = (
            "<script>window.wasHacked = true</script>"
            f"<img src='{there}/x.png' onerror='window.wasHacked = true'>"
            f"<link rel='stylesheet' href='{there}/x.css'>"
        )
        told = file.read_text(encoding="utf-8").replace("</main>", foreign + "</main>")
        file.write_text(told, encoding="utf-8")
        browser.visit(file.as_uri())
        browser.until(READY)
        assert browser.run("return window.wasHacked === undefined")
        said = [line.text for line in browser.console()]
        assert len(said) >= 3
        assert all("Content Security Policy" in line for line in said)
        listener.settimeout(0.3)
        with listener, pytest.raises(TimeoutError):
            listener.accept()
        browser.requests()  # it wanted to make two, but was not let


class TestList:
    def test_filters_pick_lines(self, browser: Browser, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=60), {5: "malformed"})
        log = read(path)
        show(browser, log, tmp_path)
        lines = "document.querySelectorAll('#list tr').length"
        assert browser.run(f"return {lines}") == 100
        browser.click("#list-after")
        assert browser.run(f"return {lines}") == 20
        for words, number in (("set=3-9 table=1", 7), ("fault=timeout", 0), ("31.1.0", 1)):
            browser.write("#filter", words)
            assert text(browser, "#filter-said").split()[0] == str(number)
            assert browser.run(f"return {lines}") == number
        browser.run(
            "const field = document.getElementById('filter'); field.value = 'made=perhaps';"
            "field.dispatchEvent(new Event('input'))"
        )
        assert text(browser, "#filter-said") == "made=perhaps: expected yes, no"
        assert browser.run(f"return {lines}") == 1

    @pytest.mark.parametrize(("game", "rules", "filters"), [
        ("huutopussi", "helsinki", (
            "made=yes", "made=no seat=2", "seat=aapo made=no", "entrant=bertta points<0", "set>100",
            "set=3-7,9", "table=1 deal=0", "dealer=1", "dealer=bertta", "contract=400-440",
            "contract>=430", "contract=none", "seat=0,1 contract=any", "declared=any",
            "declared=s,H", "declared=none", "entrant=aapo declared=none", "fault=malformed",
            "fault=any seat=1", "fault=none", "net<-500.5", "net>=0 contract=any", "ms>600",
            "seat=3 ms>600", "",
        )),
        ("tuppi", "tuppi", (
            "contract=rami", "contract=sooli,nolo", "made=yes contract=sooli", "points>0",
            "contract=none", "declared=any",
        )),
        ("huutopussi", "wikibooks-3", ("seat=celia made=yes", "net>0", "points=0", "made=no")),
    ])  # fmt: skip
    def test_conditions_mean_what_they_mean_to_the_command(
        self, browser: Browser, tmp_path: Path, game: str, rules: str, filters: tuple[str, ...]
    ) -> None:
        made = league(tmp_path, three_sided(rules), game=game, rules=rules, sets=20)
        log = read(written(made, {5: "malformed"})[0])
        header = log.header
        its_game = game_from(header.game, header.ruleset, header.rules)
        show(browser, log, tmp_path)
        for words in filters:
            lines = lines_of(its_game, log, parsed(words, its_game, header))
            found = browser.run(
                "return filtered(state.index, state.rows, arguments[0])"
                ".map((row) => [row.set, row.table, row.deal])",
                words,
            )
            assert found == [[line.set, line.table, line.deal] for line in lines], words

    def test_conditions_that_mean_nothing_are_refused_by_both(
        self, browser: Browser, tmp_path: Path
    ) -> None:
        (path,) = written(league(tmp_path, sets=1))
        log = read(path)
        header = log.header
        show(browser, log, tmp_path)
        for words in (
            "colour=red", "made=", "made<yes", "set=x", "set=7<9", "points<3-7", "fault=tired",
            "seat=9", "entrant=2", "contract=grand", "declared=T", "=3",
        ):  # fmt: skip
            with pytest.raises(ConfigError):
                parsed(words, game_from(header.game, header.ruleset, header.rules), header)
            refused = browser.run(
                "try { filtered(state.index, state.rows, arguments[0]); return ''; }"
                "catch (error) { return error.constructor.name; }",
                words,
            )
            assert refused == "WrongCondition", words

    def test_n_stays_within_the_filter(self, browser: Browser, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=3))
        show(browser, read(path), tmp_path)
        browser.write("#filter", "table=1")
        browser.click("#deal-after")
        browser.until("document.getElementById('deal-title').textContent.includes('table 1')")
        browser.click("#deal-after")
        browser.until("document.getElementById('deal-title').textContent.includes('Set 1')")
        assert text(browser, "#deal-title") == "Set 1, table 1, deal 0"

    def test_a_line_opens_its_deal(self, browser: Browser, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=3))
        show(browser, read(path), tmp_path)
        browser.click("#list tr:nth-child(5) button")
        browser.until("document.getElementById('deal-title').textContent.includes('Set 2')")
        assert browser.run("return document.activeElement.id") == "deal-title"
        assert text(browser, "#list tr[aria-current] button") == "2.0.0"

    def test_f_finds_faults_across_deals(self, browser: Browser, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=2), {5: "illegal", 9: "malformed"})
        show(browser, read(path), tmp_path)
        found = []
        place = "[state.row.set, state.row.table, state.positions[state.steps[state.step]].at]"
        for _ in range(3):
            before = browser.run(f"return {place}.join()")
            browser.press("f")
            browser.until(f"{place}.join() !== '{before}' && document.querySelector('#said p')")
            found.append(browser.run(f"return {place}"))
        assert found == [[0, 0, 6], [0, 0, 10], [0, 1, 6]]


class TestEverybody:
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    @pytest.mark.parametrize("width", [1200, 360])
    def test_axe_finds_nothing(
        self, browser: Browser, tmp_path: Path, scheme: str, width: int
    ) -> None:
        (path,) = written(league(tmp_path, sets=3), {5: "illegal"}, note="because")
        browser.width(width)
        browser.scheme(scheme)
        show(browser, read(path), tmp_path, "#0.0.0.6")
        assert browser.violations() == []
        look_as(browser, 1)
        assert browser.violations() == []
        look_as(browser, None)
        browser.press("end")
        assert browser.violations() == []

    def test_axe_would_find_something(self, browser: Browser, tmp_path: Path) -> None:
        show(browser, read(golden("tuppi-T-G1")), tmp_path)
        browser.run("document.getElementById('back').removeAttribute('aria-label');"
                    "document.getElementById('back').removeAttribute('title');"
                    "document.getElementById('back').textContent = ''")  # fmt: skip
        assert [one.split(":")[0] for one in browser.violations()] == ["button-name"]

    @pytest.mark.parametrize("name", ["tuppi-T-G1", "huutopussi-D1", "huutopussi-D2",
                                      "bondtolva-B-G1", "hostile"])  # fmt: skip
    def test_nothing_scrolls_sideways_on_a_narrow_screen(
        self, browser: Browser, tmp_path: Path, name: str
    ) -> None:
        browser.width(360)
        log = TestHostile().log(tmp_path) if name == "hostile" else read(golden(name))
        show(browser, log, tmp_path)
        for seat in (None, 1):
            look_as(browser, seat)
            for keys in (("home",), ("right",) * 9, ("end",)):
                browser.press(*keys)
                wide = browser.run("return document.documentElement.scrollWidth")
                assert wide <= 360
                over = browser.run(
                    "return [...document.querySelectorAll('#deal *:not(.hidden)')].filter((it) =>"
                    " it.getBoundingClientRect().right > innerWidth).map((it) => it.outerHTML)"
                )
                assert over == []

    def test_suits_can_be_told_without_colour(self, tuppi: Browser) -> None:
        shown = tuppi.run(
            "return [...document.querySelectorAll('.cards .card')].map((card) =>"
            " [card.dataset.card, card.firstChild.textContent, card.textContent])"
        )
        symbols = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
        assert len(shown) == 52
        for card, symbol, whole in shown:
            assert symbol == card[0] + symbols[card[1]]
            assert " of " in whole
