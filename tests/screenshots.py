"""Write tests/pictures/*.png, which the README shows: python -m tests.screenshots

Plays a small league from a fixed secret into a folder that is gone afterwards, then looks at it in
a terminal and in headless Chromium. The cards are the same every time; decision times are not.
"""

import io
import subprocess
import sys
from base64 import b64decode
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console, Group

from referee.cli.stepping import Reel
from referee.games.rulesets import game_from
from referee.league.folder import Folder, of_log
from referee.log import read
from referee.show.page import Look
from referee.show.terminal.stepper import Place, Stepper
from tests.browser.driver import Browser, started

PICTURES = Path(__file__).parent / "pictures"
SECRET = "c0ffee" * 10 + "c0de"
LEAGUE = """\
name = "pictures"
sets = 24
results = "results"

[[games]]
game = "huutopussi"
rules = "helsinki"

[[games]]
game = "tuppi"

[[entrants]]
id = "greedy"

[[entrants]]
id = "sampler"
bot = "sampler --samples 2"

[[entrants]]
id = "first_legal"
"""

MOST_BYTES = 200_000
WIDTH = 1200
"""Pixels of pages."""
SCREEN = (100, 24)
"""Columns and lines of the terminal."""
DEAL = Place(5, 0, 0)
ACTION = 29
"""The action of the deal before which it is shown: trump is known, two cards lie on the table."""

# Rich's own format fetches a font from elsewhere.
SCREEN_SVG = """\
<svg viewBox="0 0 {width} {height}" width="{width}" xmlns="http://www.w3.org/2000/svg"><style>
.{unique_id}-matrix {{ font-family: "DejaVu Sans Mono", monospace; font-size: {char_height}px;
line-height: {line_height}px; }}
.{unique_id}-title {{ font: bold 18px sans-serif; }}
{styles}</style><defs><clipPath id="{unique_id}-clip-terminal">
<rect width="{terminal_width}" height="{terminal_height}"/></clipPath>{lines}</defs>{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g></svg>
"""


def referee(*words: str | Path) -> None:
    """Run a command; CalledProcessError when it fails."""
    argv = [sys.executable, "-m", "referee.cli.main", *map(str, words)]
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)


def played(root: Path) -> Folder:
    """The league, played to its end."""
    league, secret = root / "pictures.toml", root / "secret.txt"
    league.write_text(LEAGUE, encoding="utf-8")
    secret.write_text(SECRET + "\n", encoding="ascii")
    referee("run", league, "--secret-file", secret)
    return Folder(root / "results")


def stepper_on(path: Path) -> Stepper:
    """The terminal replay of a log, at the position that is shown."""
    log = read(path)
    reel = Reel(game_from(log.header.game, log.header.ruleset, log.header.rules), log, of_log(path))
    stepper = Stepper(reel, [DEAL], Look())
    stepper.at = ACTION
    return stepper


def terminal(stepper: Stepper, title: str) -> str:
    """The terminal's screen as SVG."""
    width, height = SCREEN
    console = Console(
        record=True, file=io.StringIO(), width=width, height=height, force_terminal=True,
        color_system="truecolor", markup=False, emoji=False, highlight=False, _environ={},
    )  # fmt: skip
    console.print(Group(*stepper.lines(width, height)))
    return console.export_svg(title=title, code_format=SCREEN_SVG, unique_id="terminal")


def take(browser: Browser, page: Path, name: str, height: int, place: str = "") -> None:
    """Write the top of a page as a picture."""
    browser.width(WIDTH, height)
    browser.visit(page.as_uri() + place)
    browser.until("document.readyState === 'complete'")
    if place:
        browser.until("document.documentElement.dataset.ready")
    browser.run("document.documentElement.style.overflow = 'hidden'")
    data = b64decode(browser.picture())
    if len(data) > MOST_BYTES:
        raise SystemExit(f"{name}: {len(data):,} bytes are more than {MOST_BYTES:,}")
    (PICTURES / name).write_bytes(data)
    print(f"{PICTURES.name}/{name}: {len(data):,} bytes")


def main() -> None:
    """Write all pictures."""
    PICTURES.mkdir(exist_ok=True)
    with TemporaryDirectory() as root, started() as browser:
        folder = played(Path(root))
        (log,) = folder.logs.glob("huutopussi.helsinki.greedy+sampler.jsonl")
        screen = Path(root) / "terminal.html"
        drawn = terminal(stepper_on(log), f"referee replay {log.name}")
        style = "body { margin: 0 } svg { display: block; width: 100%; height: auto }"
        screen.write_text(
            f'<!doctype html><meta charset="utf-8"><style>{style}</style>{drawn}', encoding="utf-8"
        )
        take(browser, screen, "replay-terminal.png", 620)
        page = folder.path / f"replay-{log.stem}.html"
        referee("replay", log, "--html", page)
        take(browser, page, "replay-browser.png", 900, f"#{DEAL}.{ACTION}")
        referee("report", folder.path)
        take(browser, folder.path / "report.html", "report.png", 1300)


if __name__ == "__main__":
    main()
