"""Names from elsewhere: they steer no terminal, leave no folder, and break no document."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.cli.match import bot_ids
from referee.log import Header, Line, append, deal_line, read
from referee.rulings import escaped
from referee.show.export import cell
from tests.bad_bots.harm import steering
from tests.test_cli import referee
from tests.test_show import league, written

NAMES = {
    "escapes": "\x1b[2J\x1b]52;c;ZXZpbA==\x07\x08\r",
    "c1": "\x9b31mred\x85next",
    "bidi": "\u202eevil\u2066\u200b\ufeff",
    "combining": "a" + "\u0301" * 40,
    "separators": "one\u2028two\u2029three\x0bfour\x1cfive",
    "newline": "one\ntwo",
    "nul": "nul\x00",
    "html": "<script>alert(1)</script>\"><img src=x onerror='x'>",
    "markdown": "[x](javascript:alert(1))|*b*`c`_d_\\",
    "rich": "[red]boo[/red][link=http://evil]",
    "formula": "=HYPERLINK(\"http://evil\",\"x\")",
    "plus": "+1+1",
    "minus": "-2+3|cmd",
    "at": "@SUM(A1)",
    "tab": "\t=1",
    "sql": "'); DROP TABLE deals;--",
    "template": "{0.__class__}%s%n${7*7}",
    "up": "../../../etc/passwd",
    "absolute": "/etc/passwd",
    "pattern": "**",
    "brackets": "[a-z]*?",
    "device": "CON",
    "dot": ".",
    "empty": "",
    "option": "--help",
    "long": "x" * 300,
}


@pytest.fixture(params=list(NAMES.values()), ids=list(NAMES))
def name(request: pytest.FixtureRequest) -> str:
    """One of them."""
    found: str = request.param
    return found


def foreign_log(folder: Path, name: str) -> Path:
    """A log from elsewhere that verifies, in which an entrant, its command and its notes are so
    called; it has faults, and its folder has files of standard error."""
    made = league(folder / "made", sets=2)
    (path,) = written(made, {5: "illegal", 24: "crashed"}, note=name)
    log = read(path)
    ids = sorted([name, "a" if name > "a" else "zz"])
    new = dict(zip(("aapo", "bertta"), ids, strict=True))
    entrants = [
        replace(one, id=new[one.id], command=[name, name], version=name)
        for one in log.header.entrants
    ]
    header: Header = replace(log.header, entrants=entrants, pairing="+".join(ids))
    lines: list[Line] = [header]
    for record in log.sets.values():
        for _, line, play in record.deals():
            blame = [replace(one, message=name, stderr_last=(name,)) for one in line.side.blame]
            side = replace(line.side, blame=blame)
            lines.append(deal_line(replace(play, seats=[new[one] for one in play.seats]), side))
    logs = folder / "foreign" / "logs"
    logs.mkdir(parents=True)
    append(logs / "log.jsonl", lines)
    stderr = folder / "foreign" / "stderr" / "log"
    stderr.mkdir(parents=True)
    (stderr / "a.seat-0.set-0.1.txt").write_text("oh\n", encoding="utf-8")
    return logs / "log.jsonl"


@pytest.mark.slow
def test_no_page_made_of_a_foreign_log_steers_a_terminal(name: str, tmp_path: Path) -> None:
    path = foreign_log(tmp_path, name)
    for words in (
        ("verify", path),
        ("standings", path),
        ("standings", path.parent.parent),
        ("replay", path),
        ("replay", path, "--set", "0"),
        ("replay", path, "--set", "0", "--actions"),
        ("replay", path, "--set", "0", "--decisions"),
        ("replay", path, "--set", "1", "--table", "0", "--step"),
    ):
        found = referee(*words, stdin="\n" * 200)
        assert found.exit_code == 0, found.output
        assert steering(found.output) == set(), words
        assert max(map(len, found.stdout.splitlines()), default=0) < 2500


def test_documents_made_of_a_foreign_log_are_whole(name: str, tmp_path: Path) -> None:
    path = foreign_log(tmp_path, name)

    text = referee("standings", path, "--csv").stdout
    head, *rows = csv.reader(io.StringIO(text))
    assert len(rows) == 2
    assert {len(row) for row in rows} == {len(head)}
    assert steering(text) == set()
    (entrants,) = {tuple(sorted(row[head.index("entrant")] for row in rows))}
    assert cell(name) in entrants
    for value in (value for row in rows for value in row):
        assert not value.startswith(("=", "+", "-", "@", "\t")) or float(value) < 0, value

    text = referee("standings", path, "--markdown").stdout
    assert steering(text) == set()
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert len(tables) == 4
    assert len({len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in tables}) == 1
    assert not re.search(r"(?<!\\)(?:\\\\)*[<\[`]", text)

    data = json.loads(referee("standings", path, "--json").stdout)
    assert name in [one["entrant"] for one in data["entrants"]]
    listed = json.loads(referee("replay", path, "--json").stdout)
    told = json.loads(referee("replay", path, "--set", "0", "--json").stdout)
    assert name in listed["deals"][0]["seats"]
    assert name in told["deals"][0]["play"]["seats"]
    assert name in [blame["message"] for blame in told["deals"][0]["side"]["blame"]]
    assert json.loads(referee("verify", path, "--json").stdout)["ok"] is True


def test_a_ruleset_from_elsewhere_harms_no_page_either(name: str, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for ruleset in (name, "other"):
        (path,) = written(league(tmp_path / f"made-{len(ruleset)}", sets=1))
        log = read(path)
        lines: list[Line] = [replace(log.header, ruleset=ruleset)]
        lines += [line for _, line, _ in log.sets[0].deals()]
        append(logs / f"{len(ruleset)}.jsonl", lines)
    for form in ((), ("--csv",), ("--markdown",)):
        found = referee("standings", tmp_path, *form)
        assert found.exit_code == 0, found.output
        assert steering(found.output) == set()
    text = referee("standings", tmp_path, "--csv").stdout
    head, *rows = csv.reader(io.StringIO(text))
    assert {row[head.index("ruleset")] for row in rows} == {cell(name), "other"}
    assert {len(row) for row in rows} == {len(head)}
    data = json.loads(referee("standings", tmp_path, "--json").stdout)
    assert {sheet["ruleset"] for sheet in data["games"]} == {name, "other"}


def test_a_league_takes_no_such_name_for_an_entrant(name: str, tmp_path: Path) -> None:
    entry = "[[entrants]]\nid = {}\nbot = \"first_legal\"\n"
    path = tmp_path / "league.toml"
    ids = (json.dumps(name), '"b"')
    path.write_text('name = "x"\nsets = 1\n' + "".join(map(entry.format, ids)), encoding="utf-8")
    found = referee("run", path, "--dry-run")
    assert found.exit_code == 2, found.output
    assert found.stdout == ""
    assert "entrants" in found.stderr
    assert steering(found.stderr) == set()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["league.toml"]
    path.write_text(path.read_text(encoding="utf-8").replace(ids[0], '"a"'), encoding="utf-8")
    assert referee("run", path, "--dry-run").exit_code == 0


def test_the_id_of_a_bot_in_a_match_is_plain_whatever_its_file_is_called(name: str) -> None:
    (found,) = bot_ids([f"./{name}.py"])
    assert re.fullmatch(r"[a-z0-9][a-z0-9_.-]{0,39}", found)
    assert "/" not in found


def test_what_a_bot_sent_is_kept_as_ascii_of_a_bounded_length(name: str) -> None:
    for data in (name, name.encode(), name.encode("utf-16")):
        kept = escaped(data)
        assert kept.removesuffix("…").isascii()
        assert kept.isprintable()
        assert len(kept) <= 301
