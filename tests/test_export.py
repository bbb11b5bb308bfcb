"""`referee export`: rows say what the logs say, in every form, and the worked queries answer."""

import csv
import sqlite3
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from referee.cli.main import commands
from referee.errors import ConfigError, LogError
from referee.games.rulesets import game_named
from referee.league.rows import DEALS, DECISIONS, SetRows, contract_of, rows_of, sets_of
from referee.log import Log, Unplayed, append, parse, read
from referee.rulings import Blame, Kind
from referee.show import export_rows
from referee.show.export import standings_data
from referee.show.export_rows import export
from referee.show.queries import QUERIES
from referee.show.standings import sheet_from
from tests.test_show import Faults, league, written

NAMES = ("aapo", "bertta", "cilla")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A small league, the same every time."""
    made = league(tmp_path_factory.mktemp("league"), NAMES, sets=3)
    return written(made, faults={2: "timeout"}, note='=cmd\n"quoted", and more')


@pytest.fixture(scope="module")
def database(
    logs: list[Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[sqlite3.Connection]:
    """The league as SQLite."""
    to = tmp_path_factory.mktemp("db") / "results.sqlite"
    export(rows_of(logs), to)
    with closing(sqlite3.connect(to)) as connection:
        yield connection


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(commands, ["export", *map(str, words)])


def deals_in(logs: list[Path]) -> Iterator[tuple[Log, Any, Any]]:
    """(log, line, play) of every deal."""
    for path in logs:
        log = read(path)
        for number in sorted(log.sets):
            for _, line, play in log.sets[number].deals():
                yield log, line, play


def dicts(database: sqlite3.Connection, table: str) -> list[dict[str, Any]]:
    found = database.execute(f"SELECT * FROM {table}")
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found]


def test_there_is_a_row_for_each_deal_with_what_its_log_says(
    logs: list[Path], database: sqlite3.Connection
) -> None:
    rows = {
        (row["pairing"], row["set_no"], row["table_no"], row["deal_no"]): row
        for row in dicts(database, "deals")
    }
    found = list(deals_in(logs))
    assert len(rows) == len(found) == 3 * 3 * 2
    for log, line, play in found:
        row = rows[log.header.pairing, play.set, play.table, play.deal]
        assert row["log"] == log.path.name
        assert (row["game"], row["ruleset"], row["unit"]) == ("huutopussi", "helsinki", "deal")
        assert [row["entrant_0"], row["entrant_1"]] == play.seats[:2]
        assert [row["points_0"], row["points_1"]] == play.points
        assert [row["net_0"], row["net_1"]] == play.nets
        assert [row[f"{what}_{side}"] for what in ("points", "score", "net", "entrant")
                for side in (2, 3)] == [None] * 8  # fmt: skip
        assert row["decisions"] == len(line.side.times)
        assert row["ms"] == sum(ms for _, _, ms in line.side.times)
        assert row["faults"] == len(line.side.blame)
        assert row["redeals"] == len(play.cards) - 1


def test_there_is_a_row_for_each_action_with_who_played_it(
    logs: list[Path], database: sqlite3.Connection
) -> None:
    by_deal = defaultdict(list)
    for row in dicts(database, "decisions"):
        by_deal[row["pairing"], row["set_no"], row["table_no"], row["deal_no"]].append(row)
    faults = 0
    for log, line, play in deals_in(logs):
        rows = by_deal.pop((log.header.pairing, play.set, play.table, play.deal))
        assert " ".join(row["action"] for row in rows) == play.actions
        assert [row["action_no"] for row in rows] == list(range(len(rows)))
        assert all(play.seats[row["seat"]] == row["entrant"] for row in rows)
        asked = {at: (seat, ms) for seat, at, ms in line.side.times}
        assert {
            row["action_no"]: (row["seat"], row["ms"]) for row in rows if row["played_by"] == "bot"
        } == asked
        for row in rows:
            assert row["note"] == ('"=cmd\\n\\"quoted\\", and more"' if row["ms"] else None)
            if row["fault"]:
                assert (row["action_no"], row["fault"], row["ruling"], row["played_by"]) == (
                    2, "timeout", "substitute", "referee",
                )  # fmt: skip
                faults += 1
            elif row["played_by"] == "rules":
                assert row["legal"] == 1
    assert not by_deal
    assert faults == len(list(deals_in(logs)))


@pytest.mark.parametrize("kind", ["crashed", "flood"])
def test_a_forfeited_seat_is_played_by_the_referee_from_there_on(
    kind: Kind, tmp_path: Path
) -> None:
    faults: Faults = {5: kind}
    paths = written(league(tmp_path, sets=1), faults=faults)
    for rows in rows_of(paths):
        names = [column.name for column in DECISIONS]
        found = [dict(zip(names, row, strict=True)) for row in rows.decisions]
        for table in (0, 1):
            moves = [row for row in found if row["table_no"] == table]
            seat = next(row["seat"] for row in moves if row["fault"])
            assert [r["action_no"] for r in moves if r["ruling"]] == [5]
            for row in moves:
                forfeited = row["seat"] == seat and row["action_no"] >= 5  # type: ignore[operator]
                assert (row["played_by"] == "referee") == forfeited


def test_a_table_that_was_not_played_is_a_row_without_a_deal(tmp_path: Path) -> None:
    (path,) = written(league(tmp_path, sets=1))
    blame = Blame(kind="crashed", seat=0, ruling="forfeit", message="gone")
    append(path, [
        Unplayed(set=1, table=table, reason="forfeited", seats=["aapo", "bertta"] * 2,
                 nets=[-500.0, 0.0], blame=[blame])
        for table in (0, 1)
    ])  # fmt: skip
    last = list(rows_of([path]))[-1]
    assert not last.decisions
    names = [column.name for column in DEALS]
    for table, row in enumerate(last.deals):
        known = {n: v for n, v in zip(names, row, strict=True) if v is not None}
        assert known == {
            "log": path.name, "game": "huutopussi", "ruleset": "helsinki", "faults": 0,
            "pairing": "aapo+bertta", "set_no": 1, "table_no": table, "unit": "deal",
            "unplayed": "forfeited", "entrant_0": "aapo", "entrant_1": "bertta",
            "net_0": -500.0, "net_1": 0.0,
        }  # fmt: skip


# ---- contracts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "declarer", "contract", "made"),
    [
        ((120, 30), 2, 120, True),
        ((-120, 240), 0, 120, False),
        ((30, 90), 3, 90, True),
        ((60, 60), None, None, None),
        ((0, 4), 1, "rami", True),
        ((8, 0), 1, "rami", False),
        ((0, 12), None, "nolo", None),
    ],
)
def test_a_contract_is_made_when_its_side_scores_it(
    points: tuple[int, int], declarer: int | None, contract: int | str | None, made: bool | None
) -> None:
    assert contract_of(_GAME, _Over(declarer, contract), points).made is made  # type: ignore[arg-type]


@pytest.mark.parametrize(("points", "made"), [((0, 24), True), ((24, 0), False)])
def test_a_sooli_is_made_by_the_soloist_not_by_who_bid(
    points: tuple[int, int], made: bool
) -> None:
    found = contract_of(_GAME, _Alone(0, "sooli", 3), points)  # type: ignore[arg-type]
    assert (found.declarer, found.soloist, found.made) == (0, 3, made)


_GAME = game_named("tuppi")


class _Over:
    """A deal of which nothing but its end is known."""

    def __init__(self, declarer: int | None, contract: int | str | None) -> None:
        self.declarer = declarer
        self.contract = contract

    def summary(self) -> "_Over":
        return self


class _Alone(_Over):
    def __init__(self, declarer: int, contract: str, soloist: int) -> None:
        super().__init__(declarer, contract)
        self.soloist = soloist


# ---- reading in pieces ---------------------------------------------------------------------------


@pytest.fixture
def messy(tmp_path: Path) -> Path:
    """A log with a set that was not playable at first, a second header and a broken end."""
    (path,) = written(league(tmp_path, sets=3))
    lines = path.read_bytes().splitlines(keepends=True)
    header, sets = lines[0], [lines[1:3], lines[3:5], lines[5:7]]
    path.write_bytes(header)
    blame = Blame(kind="start_failed", seat=0, ruling="none", message="no")
    append(path, [
        Unplayed(set=1, table=table, reason="not_playable", seats=["aapo", "bertta"] * 2,
                 nets=None, blame=[blame])
        for table in (0, 1)
    ])  # fmt: skip
    with path.open("ab") as file:
        file.write(b"".join([*sets[0], *sets[2], header, *sets[1], sets[0][0], sets[0][1][:40]]))
    return path


def test_reading_set_by_set_finds_what_reading_at_once_finds(messy: Path) -> None:
    whole = parse(messy, messy.read_bytes())
    found = {record.set: record for record in sets_of(messy)}
    assert sorted(found) == sorted(whole.sets) == [0, 1, 2]
    for number, record in whole.sets.items():
        assert found[number].header == record.header
        assert found[number].entries == record.entries
    assert [record.set for record in sets_of(messy)] == [0, 2, 1]


@pytest.mark.parametrize("line", [0, 4])
def test_a_broken_log_is_refused_with_the_line_that_is_wrong(messy: Path, line: int) -> None:
    lines = messy.read_bytes().splitlines(keepends=True)
    lines[line] = b'{"kind":"nothing"}\n'
    messy.write_bytes(b"".join(lines))
    with pytest.raises(LogError, match=f"line {line + 1}: "):
        list(sets_of(messy))


# ---- forms ---------------------------------------------------------------------------------------


def test_csv_and_sqlite_say_the_same(
    logs: list[Path], database: sqlite3.Connection, tmp_path: Path
) -> None:
    files = export(rows_of(logs), tmp_path / "results.csv").files
    assert [path.name for path in files] == ["results.deals.csv", "results.decisions.csv"]
    for table, path in zip(("deals", "decisions"), files, strict=True):
        with path.open(encoding="utf-8", newline="") as file:
            found = list(csv.DictReader(file))
        expected = [
            {name: "" if value is None else str(value) for name, value in row.items()}
            for row in dicts(database, table)
        ]
        assert found == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(p.name for p in files)


def test_parquet_says_the_same(
    logs: list[Path], database: sqlite3.Connection, tmp_path: Path
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    files = export(rows_of(logs), tmp_path / "results.parquet").files
    for table, path in zip(("deals", "decisions"), files, strict=True):
        assert parquet.read_table(path).to_pylist() == dicts(database, table)


def test_duckdb_says_the_same(
    logs: list[Path], database: sqlite3.Connection, tmp_path: Path
) -> None:
    duckdb = pytest.importorskip("duckdb")
    (path,) = export(rows_of(logs), tmp_path / "results.duckdb").files
    with duckdb.connect(str(path), read_only=True) as duck:
        for table in ("deals", "decisions"):
            rows = duck.execute(f"SELECT * FROM {table}").fetchall()
            assert rows == database.execute(f"SELECT * FROM {table}").fetchall()
        for query in QUERIES:
            assert duck.execute(query.sql).fetchall() == database.execute(query.sql).fetchall()


@pytest.mark.parametrize(("ending", "library"), [("parquet", "pyarrow"), ("duckdb", "duckdb")])
def test_an_extra_that_is_missing_is_named(
    ending: str, library: str, logs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(name: str) -> Any:
        assert name.startswith(library)
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(export_rows, "import_module", gone)
    result = run(*logs, "--to", tmp_path / f"results.{ending}")
    assert result.exit_code == 2
    message = result.output
    assert f"needs {library}" in message
    assert f"pip install 'card-referee[{ending}]'" in message
    assert not list(tmp_path.iterdir())


def test_a_failed_export_leaves_what_was_there(logs: list[Path], tmp_path: Path) -> None:
    def broken() -> Iterator[SetRows]:
        yield from list(rows_of(logs))[:1]
        raise LogError("the end")

    for name in ("results.sqlite", "results.csv"):
        for path in export_rows.targets_of(tmp_path / name):
            path.write_text("before", encoding="utf-8")
        with pytest.raises(LogError, match="the end"):
            export(broken(), tmp_path / name)
        for path in export_rows.targets_of(tmp_path / name):
            assert path.read_text(encoding="utf-8") == "before"
    assert len(list(tmp_path.iterdir())) == 3


def test_more_rows_than_a_batch_are_all_written(
    logs: list[Path], database: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_rows, "BATCH", 7)
    written_ = export(rows_of(logs), tmp_path / "r.sqlite")
    with closing(sqlite3.connect(tmp_path / "r.sqlite")) as again:
        for table, number in (("deals", written_.deals), ("decisions", written_.decisions)):
            assert dicts(again, table) == dicts(database, table)
            assert len(dicts(again, table)) == number


# ---- the command ---------------------------------------------------------------------------------


def test_the_command_takes_a_folder_and_names_what_it_wrote(
    logs: list[Path], tmp_path: Path
) -> None:
    to = tmp_path / "all.sqlite"
    result = run(logs[0].parent.parent, logs[0], "--to", to)
    assert result.exit_code == 0
    assert result.output.startswith(f"{to}: 18 rows of deals, ")
    assert to.is_file()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("results.xlsx", "expected a name that ends in .csv, .sqlite, .parquet, .duckdb"),
        ("missing/results.csv", "cannot be written: No such file"),
    ],
)
def test_a_name_that_cannot_be_written_is_refused(
    name: str, message: str, logs: list[Path], tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=message):
        export(rows_of(logs), tmp_path / name)


@pytest.mark.parametrize(
    ("ending", "room"),
    [
        ("csv", 1_000), ("csv", 20_000), ("sqlite", 1_000), ("sqlite", 20_000),
        ("parquet", 2_000), ("duckdb", 2_000), ("duckdb", 20_000),
    ],
)
def test_a_disk_that_is_full_is_said_and_leaves_nothing_behind(
    ending: str, room: int, logs: list[Path], tmp_path: Path
) -> None:
    library = {"parquet": "pyarrow", "duckdb": "duckdb"}.get(ending)
    if library:
        pytest.importorskip(library)
    code = (
        "import resource; from referee.cli.main import main; "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room})); main()"
    )
    words = ["export", *map(str, logs), "--to", str(tmp_path / f"full.{ending}")]
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", code, *words],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be written: " in done.stderr
    assert len(done.stderr.splitlines()) == 1, "a file that stayed open says more"
    assert not list(tmp_path.iterdir())


def test_a_log_is_never_overwritten(logs: list[Path], tmp_path: Path) -> None:
    log = tmp_path / "log.deals.csv"
    log.write_bytes(logs[0].read_bytes())
    result = run(log, "--to", tmp_path / "log.csv")
    assert result.exit_code == 2
    assert log.read_bytes() == logs[0].read_bytes()
    assert not (tmp_path / "log.decisions.csv").exists()


def test_help_explains_every_column() -> None:
    shown = run("--help").output
    for column in (*DEALS, *DECISIONS):
        assert f"  {column.name:<12} {column.meaning}\n" in shown


# ---- the worked queries --------------------------------------------------------------------------


def test_the_queries_are_printed(database: sqlite3.Connection) -> None:
    shown = run("--queries").output
    assert len(QUERIES) == 3
    for query in QUERIES:
        assert f"-- {query.question}\n{query.sql}" in shown
    database.executescript(shown)


def test_the_first_query_gives_the_nets_of_the_standings(
    logs: list[Path], database: sqlite3.Connection
) -> None:
    data = standings_data(sheet_from([read(path) for path in logs]))
    expected = [
        ("huutopussi", "helsinki", row["entrant"], round(row["net"]["mean"], 1))
        for row in data["entrants"]
    ]
    assert database.execute(QUERIES[0].sql).fetchall() == expected


def test_the_second_query_counts_contracts(
    logs: list[Path], database: sqlite3.Connection
) -> None:
    deals: Counter[tuple[str, str]] = Counter()
    made: Counter[tuple[str, str]] = Counter()
    for _, _, play in deals_in(logs):
        named = [a for a in play.actions.split(" ") if a.startswith("contract:")]
        if not named:
            continue
        contract = named[-1].partition(":")[2]
        # Whoever made a contract scored exactly that; whoever lost one, its negative.
        (side,) = {s for s, p in enumerate(play.points) if abs(p) == int(contract)}
        key = play.seats[side], contract
        deals[key] += 1
        made[key] += play.points[side] > 0
    assert sum(deals.values()) > 10
    expected = sorted(
        (
            ("huutopussi", *key, number, round(100.0 * made[key] / number, 1))
            for key, number in deals.items()
        ),
        key=lambda row: (row[1], -row[3], row[2]),
    )[:20]
    assert database.execute(QUERIES[1].sql).fetchall() == expected


def test_the_third_query_adds_up_times(logs: list[Path], database: sqlite3.Connection) -> None:
    found = database.execute(QUERIES[2].sql).fetchall()
    assert {row[0] for row in found} == set(NAMES)
    assert {row[1] for row in found} <= {"bid", "give", "return", "discard", "contract", "play"}
    asked = sum(len(line.side.times) for _, line, _ in deals_in(logs))
    forced = database.execute(
        "SELECT count(*) FROM decisions WHERE played_by = 'bot' AND legal = 1"
    ).fetchone()[0]
    assert sum(row[2] for row in found) == asked - forced
    assert max(row[4] for row in found) == 700.0
