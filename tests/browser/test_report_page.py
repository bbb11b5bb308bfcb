"""The report in a real browser: it fits a telephone, can be read by all, and its links lead on."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.cli.main import commands
from tests.browser.driver import Browser
from tests.test_show import league, written

NAMES = ("aapo", "bertta", "cilla", "a-bot-with-a-name-of-forty-letters-x-1.0")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of three games, one of them with individuals at the tables."""
    root = tmp_path_factory.mktemp("tour")
    for game, rules, faults in (
        ("huutopussi", "helsinki", True), ("huutopussi", "wikibooks-3", False),
        ("tuppi", None, False),
    ):  # fmt: skip
        made = league(root, NAMES, game=game, rules=rules, sets=6)
        written(made, {2: "timeout", 9: "crashed"} if faults else {}, note="n")
    result = CliRunner().invoke(commands, ["report", str(root)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return root / "report.html"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_axe_finds_nothing(browser: Browser, page: Path, width: int, scheme: str) -> None:
    browser.width(width)
    browser.scheme(scheme)
    browser.visit(page.as_uri())
    browser.run("for (const one of document.querySelectorAll('details')) one.open = true")
    assert browser.violations() == []


@pytest.mark.parametrize("width", [360, 500, 720, 1200])
def test_nothing_has_to_be_scrolled_sideways(browser: Browser, page: Path, width: int) -> None:
    browser.width(width)
    browser.visit(page.as_uri())
    browser.run("for (const one of document.querySelectorAll('details')) one.open = true")
    out = browser.run(
        "return [...document.querySelectorAll('main *')].filter((one) => "
        "one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('.across, thead'))"
        ".map((one) => one.outerHTML.slice(0, 80))"
    )
    assert out == []
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")


def test_letters_of_pictures_stay_readable_on_a_telephone(browser: Browser, page: Path) -> None:
    browser.width(360)
    browser.visit(page.as_uri())
    smallest = browser.run(
        "return Math.min(...[...document.querySelectorAll('svg text')].map((one) => "
        "parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a))"
    )
    assert smallest >= 9


def test_a_cell_of_the_crosstable_leads_to_its_sets(browser: Browser, page: Path) -> None:
    browser.visit(page.as_uri())
    browser.click('td[data-of="against bertta"] a')
    target = browser.run("return document.querySelector(':target').textContent")
    assert "bertta" in target
    assert browser.run(
        "const box = document.querySelector(':target').getBoundingClientRect();"
        "return box.top >= 0 && box.bottom <= innerHeight"
    )


def test_the_page_follows_the_colours_that_are_preferred(browser: Browser, page: Path) -> None:
    browser.visit(page.as_uri())
    grounds = []
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        grounds.append(browser.run("return getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(255, 255, 255)", "rgb(20, 23, 26)"]
