"""The browser that all tests of pages share."""

from collections.abc import Iterator

import pytest

from tests.browser.driver import Browser, missing, started, without


@pytest.fixture(scope="session")
def window() -> Iterator[Browser]:
    """A window; without Chromium tests are skipped, but on CI they fail."""
    why = missing()
    if why is not None:
        without(why)
    with started() as browser:
        yield browser


@pytest.fixture
def browser(window: Browser) -> Iterator[Browser]:
    """The window as a test wants to find it; afterwards no console line and no stray request."""
    window.width(1200)
    window.scheme("light")
    yield window
    said, requested = window.console(), window.requests()
    assert said == []
    assert [one for one in requested if not one.startswith(("file:", "data:"))] == []
    assert len([one for one in requested if one.startswith("file:")]) <= 1
