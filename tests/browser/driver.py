"""Headless Chromium through its own driver, spoken to over loopback with nothing but the library.

What a page requests and what its console says comes from Chromium's logs, not from the page.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import pytest
from msgspec import Struct

ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--window-size=1200,900",
)  # fmt: skip
NAMES = {"chromium": ("chromium", "chromium-browser"), "chromedriver": ("chromedriver",)}
AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
SECONDS = 60
KEYS = {"left": "\ue012", "right": "\ue014", "home": "\ue011", "end": "\ue010", "tab": "\ue004"}


def program(name: str) -> str | None:
    """Where a program is; None when it is not installed."""
    return next((found for one in NAMES[name] if (found := shutil.which(one))), None)


def missing() -> str | None:
    """What there is not that the tests need, with how to get it; None when all is there."""
    for name, package in (("chromium", "chromium"), ("chromedriver", "chromium-driver")):
        if program(name) is None:
            return f"{name} is not installed (Debian: apt-get install {package})"
    if not AXE.exists():
        return "axe-core is not installed (npm ci --prefix tests/browser)"
    return None


def without(why: str) -> NoReturn:
    """End a test that cannot be run here: skipped for a user, failed where CI must run it."""
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


class Message(Struct, frozen=True, kw_only=True):
    """A line of the console."""

    level: str
    text: str


class Browser:
    """One window of a browser."""

    def __init__(self, address: str, session: str) -> None:
        self._address = f"{address}/session/{session}"
        self._open = build_opener(ProxyHandler({})).open

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        data = json.dumps(body if body is not None else {}).encode() if method == "POST" else None
        request = Request(self._address + path, data, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with self._open(request, timeout=SECONDS) as answer:
                return json.load(answer)["value"]
        except HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def visit(self, address: str) -> None:
        """Open an address in place of the page before, and wait until that is loaded."""
        self._ask("POST", "/url", {"url": "about:blank"})
        self.requests(), self.console()  # what the page before has left
        self._ask("POST", "/url", {"url": address})

    def run(self, script: str, *arguments: object) -> Any:
        """Run the body of a function in the page; what it returns."""
        body = {"script": script, "args": list(arguments)}
        return self._ask("POST", "/execute/sync", body)

    def wait(self, script: str, *arguments: object) -> Any:
        """The same for a body that calls its last argument when it is done."""
        body = {"script": script, "args": list(arguments)}
        return self._ask("POST", "/execute/async", body)

    def until(self, condition: str) -> None:
        """Wait until an expression of the page is true."""
        script = (
            "const done = arguments[0];"
            f"const look = () => ({condition}) ? done(true) : setTimeout(look, 10); look();"
        )
        self.wait(script)

    def press(self, *keys: str) -> None:
        """Press keys, whoever has the focus: letters, or the names of `KEYS`."""
        actions = [
            {"type": kind, "value": KEYS.get(key, key)}
            for key in keys
            for kind in ("keyDown", "keyUp")
        ]
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "k", "actions": actions}]})

    def click(self, selector: str) -> None:
        """Click where an element is seen."""
        found = self._ask("POST", "/element", {"using": "css selector", "value": selector})
        self._ask("POST", f"/element/{next(iter(found.values()))}/click")

    def write(self, selector: str, text: str) -> None:
        """Type a text into a field."""
        found = self._ask("POST", "/element", {"using": "css selector", "value": selector})
        element = next(iter(found.values()))
        self._ask("POST", f"/element/{element}/clear")
        self._ask("POST", f"/element/{element}/value", {"text": text})

    def command(self, name: str, **parameters: object) -> Any:
        """A command of the DevTools protocol."""
        body = {"cmd": name, "params": parameters}
        return self._ask("POST", "/goog/cdp/execute", body)

    def width(self, pixels: int, height: int = 800) -> None:
        """Show the page on a screen this wide."""
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=pixels, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip

    def scheme(self, name: str) -> None:
        """Prefer `light` or `dark`."""
        feature = {"name": "prefers-color-scheme", "value": name}
        self.command("Emulation.setEmulatedMedia", features=[feature])

    def console(self) -> list[Message]:
        """What the console has said since it was last asked."""
        lines = self._ask("POST", "/se/log", {"type": "browser"})
        return [Message(level=line["level"], text=line["message"]) for line in lines]

    def requests(self) -> list[str]:
        """Addresses that pages have requested since this was last asked."""
        lines = self._ask("POST", "/se/log", {"type": "performance"})
        events = [json.loads(line["message"])["message"] for line in lines]
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def violations(self) -> list[str]:
        """What axe-core finds wrong with the page as it is now."""
        # The page's own policy would refuse a script from outside; the driver is not bound by it.
        script = AXE.read_text(encoding="utf-8")
        world = self.command(
            "Page.createIsolatedWorld", frameId=self._frame(), worldName="axe",
            grantUniveralAccess=True,
        )["executionContextId"]  # fmt: skip
        self._evaluate(world, script + ";true")
        found = self._evaluate(world, "axe.run(document).then((found) => found.violations)")
        return [
            f"{one['id']}: {one['help']}: " + "; ".join(node["html"] for node in one["nodes"][:4])
            for one in found
        ]

    def _frame(self) -> str:
        return str(self.command("Page.getFrameTree")["frameTree"]["frame"]["id"])

    def _evaluate(self, world: int, expression: str) -> Any:
        found = self.command(
            "Runtime.evaluate", contextId=world, expression=expression,
            awaitPromise=True, returnByValue=True,
        )  # fmt: skip
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"]["value"]

    def picture(self) -> bytes:
        """The page as PNG, in base64."""
        return str(self._ask("GET", "/screenshot")).encode("ascii")

    def close(self) -> None:
        """Close the window."""
        self._ask("DELETE", "")


@contextlib.contextmanager
def started() -> Iterator[Browser]:
    """A browser with a profile of its own that is gone afterwards."""
    driver, chromium = program("chromedriver"), program("chromium")
    assert driver is not None
    assert chromium is not None
    process = subprocess.Popen(
        [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        assert process.stdout is not None
        port = None
        for line in process.stdout:
            if found := re.search(r"successfully on port (\d+)", line):
                port = found[1]
                break
        assert port is not None, "chromedriver did not start"
        threading.Thread(target=process.stdout.read, daemon=True).start()
        with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            browser = _session(f"http://127.0.0.1:{port}", chromium, profile)
            try:
                yield browser
            finally:
                browser.close()
    finally:
        process.terminate()
        process.wait(SECONDS)
        if process.stdout is not None:
            process.stdout.close()


def _session(address: str, chromium: str, profile: str) -> Browser:
    options = {"binary": chromium, "args": [*ARGUMENTS, f"--user-data-dir={profile}"]}
    wanted = {
        "goog:chromeOptions": options,
        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
    }
    body = json.dumps({"capabilities": {"alwaysMatch": wanted}}).encode()
    request = Request(f"{address}/session", body, {"Content-Type": "application/json"})
    with build_opener(ProxyHandler({})).open(request, timeout=SECONDS) as answer:
        return Browser(address, json.load(answer)["value"]["sessionId"])
