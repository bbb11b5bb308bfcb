"""`referee serve`: the report of a running league, set by set, for browsers of this machine."""

import http.client
import importlib
import importlib.util
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.cli import serve as serving
from referee.league.folder import Folder
from referee.log import Log, read
from referee.show.newest import SECONDS, Newest, Watched
from tests.browser.driver import Browser, missing, started, without
from tests.test_cli import referee, refused
from tests.test_show import league, written

NAMES = ("aapo", "bertta")
TABLES = 2
"""Lines of a set in these logs: a deal at each table."""


class Growing:
    """A folder whose one log grows from a finished league's lines."""

    def __init__(self, root: Path, sets: int = 3) -> None:
        (whole,) = written(league(root / "whole", NAMES, sets=sets), {5: "illegal"})
        self.lines = whole.read_bytes().splitlines(keepends=True)
        self.folder = Folder(root / "growing")
        self.folder.logs.mkdir(parents=True)
        self.path = self.folder.logs / whole.name
        self.there = 0

    def grow(self, lines: int) -> None:
        """So many lines more."""
        with self.path.open("ab") as file:
            file.write(b"".join(self.lines[self.there : self.there + lines]))
        self.there += lines


@pytest.fixture
def growing(tmp_path: Path) -> Growing:
    return Growing(tmp_path)


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


# ---- what is shown, and when ---------------------------------------------------------------------


def test_a_set_is_withheld_until_its_last_table_is_there(growing: Growing) -> None:
    def page() -> str:
        return Watched(growing.folder).newest().html

    assert "No set is finished yet." in page()
    growing.grow(1)
    assert "No set is finished yet." in page()
    growing.grow(1)  # one table of the first set
    assert "No set is finished yet." in page()
    growing.grow(1)
    one = page()
    assert "Who against whom" in one
    growing.grow(1)  # one table of the second
    assert page() == one
    half = growing.lines[growing.there]
    with growing.path.open("ab") as file:
        file.write(half[: len(half) // 2])
    assert page() == one
    with growing.path.open("ab") as file:
        file.write(half[len(half) // 2 :])
    assert page() != one


def test_it_is_the_page_that_report_writes(growing: Growing) -> None:
    growing.grow(1 + 2 * TABLES)
    assert referee("report", growing.folder.path).exit_code == 0
    page = growing.folder.path / "report.html"
    assert Watched(growing.folder).newest().html == page.read_text(encoding="utf-8")


def test_logs_are_read_only_when_they_have_changed_and_not_too_often(
    growing: Growing, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []

    def counted(path: Path) -> Log:
        reads.append(path)
        return read(path)

    monkeypatch.setattr("referee.show.newest.read", counted)
    clock = Clock()
    watched = Watched(growing.folder, clock)
    growing.grow(1 + TABLES)
    first = watched.newest()
    clock.now += 10 * SECONDS
    assert watched.newest() is first
    assert len(reads) == 1
    growing.grow(TABLES)
    second = watched.newest()
    assert second is first  # it has looked just now
    clock.now += SECONDS / 2
    assert watched.newest() is first
    clock.now += SECONDS
    assert watched.newest().version != first.version
    assert len(reads) == 2


def test_after_a_report_that_took_long_there_is_a_long_rest(
    growing: Growing, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()

    def slow(path: Path) -> Log:
        clock.now += 100
        return read(path)

    monkeypatch.setattr("referee.show.newest.read", slow)
    watched = Watched(growing.folder, clock)
    growing.grow(1 + TABLES)
    first = watched.newest()
    growing.grow(TABLES)
    clock.now += 300
    assert watched.newest() is first
    clock.now += 200
    assert watched.newest() is not first


def test_who_asks_while_a_report_is_made_gets_the_one_before(
    growing: Growing, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, go_on = threading.Event(), threading.Event()
    clock = Clock()
    watched = Watched(growing.folder, clock)
    growing.grow(1 + TABLES)
    first = watched.newest()

    def stopped(path: Path) -> Log:
        started.set()
        assert go_on.wait(20)
        return read(path)

    monkeypatch.setattr("referee.show.newest.read", stopped)
    growing.grow(TABLES)
    clock.now += 2 * SECONDS
    found: list[Newest] = []
    maker = threading.Thread(target=lambda: found.append(watched.newest()))
    maker.start()
    assert started.wait(20)
    assert watched.newest() is first
    go_on.set()
    maker.join(20)
    assert watched.newest() is found[0]
    assert found[0].version != first.version


def test_a_log_that_breaks_leaves_the_last_report_and_says_so(growing: Growing) -> None:
    clock = Clock()
    watched = Watched(growing.folder, clock)
    growing.grow(1 + TABLES)
    first = watched.newest()
    with growing.path.open("ab") as file:
        file.write(b"<script>\x1b[2J\n")
    clock.now += 2 * SECONDS
    second = watched.newest()
    assert second.html == first.html
    assert second.version == first.version
    assert f"line {2 + TABLES}: not a line of a log" in second.trouble
    assert first.trouble == ""


def test_a_folder_that_is_broken_from_the_start_says_so_on_its_page(growing: Growing) -> None:
    growing.path.write_bytes(b"<script>alert(1)</script>\n")
    found = Watched(growing.folder).newest()
    assert "<script>" not in found.html
    assert "not a line of a log" in found.html


# ---- over HTTP -----------------------------------------------------------------------------------


@pytest.fixture
def web() -> None:
    """The extra [web]: without it tests are skipped, but on CI they fail."""
    for name in ("starlette", "uvicorn"):
        if importlib.util.find_spec(name) is None:
            why = f"{name} is not installed: pip install -e '.[web]'"
            if os.environ.get("CI"):
                pytest.fail(why)
            pytest.skip(why)


class Server:
    """`referee serve` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "referee.cli.main", "serve", str(folder), "--port", "0"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()
        found = re.match(r"http://127\.0\.0\.1:(\d+)/ ", self.said)
        assert found, self.said
        self.port = int(found[1])

    def ask(
        self, path: str, method: str = "GET", **headers: str
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers with small names, and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, headers=named)
            answer = connection.getresponse()
            body = answer.read().decode("utf-8")
            return answer.status, {n.lower(): v for n, v in answer.getheaders()}, body
        finally:
            connection.close()


@contextmanager
def served(folder: Path) -> Iterator[Server]:
    server = Server(folder)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()
        assert server.process.stdout is not None
        server.process.stdout.close()


def test_a_served_report_grows_and_only_a_new_one_is_sent(web: None, growing: Growing) -> None:
    growing.grow(1 + TABLES)
    with served(growing.folder.path) as server:
        status, headers, page = server.ask("/report")
        assert status == 200
        assert "Who against whom" in page
        tag = headers["etag"]
        said = json.loads(server.ask("/version")[2])
        assert said == {"version": tag.strip('"'), "trouble": ""}
        assert server.ask("/report", If_None_Match=tag)[::2] == (304, "")
        assert server.ask("/report", If_None_Match=f'"x", W/{tag}')[0] == 304
        growing.grow(TABLES)
        for _ in range(100):
            if json.loads(server.ask("/version")[2]) != said:
                break
            threading.Event().wait(0.2)
        status, headers, newer = server.ask("/report", If_None_Match=tag)
        assert status == 200
        assert headers["etag"] != tag
        assert newer != page


def test_only_get_only_its_pages_and_only_by_a_name_of_loopback(
    web: None, growing: Growing
) -> None:
    growing.grow(1 + TABLES)
    with served(growing.folder.path) as server:
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
            assert server.ask("/report", method)[0] == 405, method
        for path in ("/logs", f"/logs/{growing.path.name}", "/../secret", "/%2e%2e/secret", "/x"):
            assert server.ask(path)[0] == 404, path
        for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1.evil.example", ""):
            for path in ("/", "/report", "/version"):
                status, _, body = server.ask(path, Host=host)
                assert status == 400, (host, path)
                assert "aapo" not in body
        for host in (f"localhost:{server.port}", f"127.0.0.1:{server.port}", "LOCALHOST"):
            assert server.ask("/version", Host=host)[0] == 200, host
        _, headers, page = server.ask("/")
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "access-control-allow-origin" not in headers
        assert "uvicorn" not in str(headers).lower()
        assert "script-src &#x27;sha256-" in page
        assert "unsafe" not in page


def test_it_listens_on_loopback_alone(web: None, growing: Growing) -> None:
    with served(growing.folder.path) as server:
        state = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
        listening = [line.split()[1] for line in state if line.split()[3] == "0A"]
        ours = [one for one in listening if one.endswith(f":{server.port:04X}")]
        assert ours == [f"0100007F:{server.port:04X}"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_without_a_traceback(
    web: None, growing: Growing, number: signal.Signals, code: int
) -> None:
    with served(growing.folder.path) as server:
        server.ask("/version")
        server.process.send_signal(number)
        assert server.process.wait(20) == code
        assert server.process.stdout is not None
        assert server.process.stdout.read() == ""


# ---- in a browser --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    why = missing()
    if why is not None:
        without(why)
    with started() as window:
        yield window


def test_new_results_appear_without_a_reload_and_the_reader_keeps_the_place(
    web: None, browser: Browser, growing: Growing
) -> None:
    growing.grow(1)
    browser.width(1200)
    with served(growing.folder.path) as server:
        address = f"http://127.0.0.1:{server.port}/"
        browser.visit(address)
        browser.until("document.body.textContent.includes('No set is finished yet.')")
        growing.grow(2 * TABLES)
        browser.until("document.querySelector('#g0-sets')")
        assert browser.run("return document.title") == "Report: huutopussi helsinki"
        browser.run(
            "window.sameWindow = true;"
            "for (const one of document.querySelectorAll('#report details')) one.open = true;"
            "document.querySelector('a[href=\"#g0-times\"]').focus();"
            "window.scrollTo(0, 700)"
        )
        text = "document.querySelector('#report').textContent"
        before = browser.run(f"return {text}")
        growing.grow(TABLES)
        browser.until(f"{text} !== {json.dumps(before)}")
        assert browser.run(
            "const folds = [...document.querySelectorAll('#report details')];"
            "return [window.sameWindow, window.scrollY, folds.length > 0,"
            " folds.every((one) => one.open), document.activeElement.getAttribute('href')]"
        ) == [True, 700, True, True, "#g0-times"]
        shown = browser.run("return document.querySelector('#report').innerHTML")
        browser.run(
            "const made = new DOMParser().parseFromString(arguments[0], 'text/html');"
            "for (const one of made.querySelectorAll('details')) one.open = true;"
            "window.expected = made.querySelector('main').innerHTML",
            server.ask("/report")[2],
        )
        assert shown == browser.run("return window.expected")
        assert browser.console() == []
        asked = {one for one in browser.requests() if not one.startswith("data:")}
        assert asked == {address, f"{address}version", f"{address}report"}


def test_axe_finds_nothing(web: None, browser: Browser, tmp_path: Path) -> None:
    for game, rules in (("huutopussi", "helsinki"), ("tuppi", None)):
        written(league(tmp_path, NAMES, game=game, rules=rules), {5: "illegal"})
    with served(tmp_path) as server:
        browser.visit(f"http://127.0.0.1:{server.port}/")
        browser.until("document.querySelector('#g1-sets')")
        for width in (360, 1200):
            browser.width(width)
            for scheme in ("light", "dark"):
                browser.scheme(scheme)
                assert browser.violations() == []


def test_a_browser_says_when_the_server_has_gone_and_when_logs_are_broken(
    web: None, browser: Browser, growing: Growing
) -> None:
    growing.grow(1 + TABLES)
    with served(growing.folder.path) as server:
        browser.visit(f"http://127.0.0.1:{server.port}/#g0-faults")
        browser.until("document.querySelector(':target')")
        live = "document.getElementById('live').textContent"
        assert browser.run(f"return {live}").startswith("Live: ")
        with growing.path.open("ab") as file:
            file.write(b"<b>\n")
        browser.until(f"{live}.startsWith('The newest logs cannot be read: ')")
        assert browser.run("return document.querySelector('#g0-faults') !== null")
    browser.until(f"{live}.includes('does not answer')")
    browser.console()


# ---- mistakes ------------------------------------------------------------------------------------


def test_without_the_extra_it_says_how_to_get_it(
    growing: Growing, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(name: str) -> object:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(serving, "import_module", gone)
    assert "pip install -e '.[web]'" in refused("serve", growing.folder.path)


def test_what_is_no_results_folder_is_refused(tmp_path: Path) -> None:
    assert "no such results folder" in refused("serve", tmp_path / "nowhere")
    assert "no logs in it" in refused("serve", tmp_path)


def test_a_port_that_is_taken_is_named(web: None, growing: Growing) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = refused("serve", growing.folder.path, "--port", str(port))
    assert f"--port {port}: cannot listen there: Address already in use" in said
