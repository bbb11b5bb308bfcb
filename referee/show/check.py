"""A check as a table for people, as JSON and as JUnit XML for a bot's own tests."""

import re
from typing import Any
from xml.etree import ElementTree

from msgspec import to_builtins
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from referee.check.steps import Outcome, Report, Result
from referee.show.page import Look, printable, stacked

_MARKS: dict[Outcome, tuple[str, str, str]] = {
    "passed": ("✓", "ok", "green"),
    "failed": ("✗", "FAIL", "red"),
    "skipped": ("\N{EN DASH}", "-", "dim"),
}
"""With all letters, in ASCII, and the colour."""

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def check_page(report: Report, look: Look) -> RenderableType:
    """Every step with what came of it, and the verdict."""
    table = Table(
        box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False, show_edge=False
    )
    table.add_column()
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold", max_width=40)
    table.add_column(overflow="fold")
    for result in report.results:
        letter, ascii_mark, colour = _MARKS[result.outcome]
        table.add_row(
            Text(letter if look.unicode else ascii_mark, colour),
            Text(str(result.number)),
            Text(result.name, "bold" if result.outcome == "failed" else ""),
            _detail(result, look),
        )
    return stacked([table, verdict(report)])


def _detail(result: Result, look: Look) -> Text:
    style = {"failed": "red", "skipped": "dim"}.get(result.outcome, "")
    text = Text(_plain(result.detail, look), style)
    if result.received:
        text.append(f"\nreceived: {_plain(result.received, look)}", "")
    return text


def _plain(text: str, look: Look) -> str:
    """Text as the terminal at hand can show it."""
    text = printable(text)
    return text if look.unicode else text.replace("…", look.ellipsis)


def verdict(report: Report) -> Text:
    """The last line."""
    tried = sum(result.outcome != "skipped" for result in report.results)
    if report.failed:
        return Text(f"failed: {report.failed} of {tried} steps", "red")
    return Text("passed", "green")


def check_json(report: Report) -> dict[str, Any]:
    """The same as data."""
    data: dict[str, Any] = to_builtins(report)
    steps = data.pop("results")
    return {"passed": not report.failed, "failed": report.failed, **data, "steps": steps}


def check_junit(report: Report) -> bytes:
    """The same as JUnit XML: a test case for each step."""
    suite = ElementTree.Element(
        "testsuite",
        name=_xml(f"referee check {report.bot}"),
        tests=str(len(report.results)),
        failures=str(report.failed),
        errors="0",
        skipped=str(sum(result.outcome == "skipped" for result in report.results)),
        time=f"{report.seconds:.3f}",
    )
    for result in report.results:
        case = ElementTree.SubElement(
            suite, "testcase", classname="referee.check",
            name=f"{result.number:02} {result.name}", time="0",
        )  # fmt: skip
        detail = _xml(result.detail)
        if result.outcome == "failed":
            failure = ElementTree.SubElement(case, "failure", message=detail)
            failure.text = _xml(f"received: {result.received}") if result.received else detail
        elif result.outcome == "skipped":
            ElementTree.SubElement(case, "skipped", message=detail)
        elif detail:
            ElementTree.SubElement(case, "system-out").text = detail
    ElementTree.indent(suite)
    text: bytes = ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _xml(text: str) -> str:
    """Text without what XML cannot hold."""
    return _NO_XML.sub("?", text)
