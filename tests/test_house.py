"""The house rules: imports point down, files stay readable, only log stamps read the wall clock."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("protocol", "referee", "sample_bots")

LAYERS = [
    {"protocol"},
    {"referee", "referee.errors", "referee.collecting", "referee.cards", "referee.tricks"},
    {"referee.games"},
    {
        "referee.table", "referee.clock", "referee.rulings", "referee.pieces", "referee.log",
        "referee.seats",
    },
    {
        "referee.job", "referee.live", "referee.roster", "referee.lateness", "referee.blaming",
        "referee.judge", "referee.arena",
    },
    {
        "referee.replay", "referee.retelling", "referee.retry", "referee.check",
        "referee.told", "referee.other_worlds", "referee.leaks",
    },
    {"referee.league"},
    {"referee.show"},
    {"referee.cli"},
]
"""Rooms from the bottom up; a module may import from its own layer and from those below."""

SEATS_MAY_USE = {"protocol", "referee.errors", "referee.seats"}

LONG_FILES = {
    "referee/games/huutopussi.py": "a game is one module that reads like its rule text",
    "referee/league/runner.py": "one class, the life of a run from its logs to its last line",
}

LONG_FUNCTIONS = {
    "referee/games/huutopussi.py: __init__": "every attribute of a deal, each with its meaning",
}


def modules() -> Iterator[tuple[str, Path]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if "node_modules" in path.parts:
                continue
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer(module: str) -> int | None:
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        for height, rooms in enumerate(LAYERS):
            if name in rooms and (length > 1 or name != "referee" or module == "referee"):
                return height
    return None


def test_every_module_has_a_room() -> None:
    homeless = [m for m, _ in modules() if not m.startswith("sample_bots") and layer(m) is None]
    assert not homeless


def test_imports_point_down() -> None:
    wrong = []
    known = {name for name, _ in modules()}
    for user, path in modules():
        if user.startswith("sample_bots"):
            continue
        for used in imports(path):
            height, own = layer(used), layer(user)
            if used in known and height is not None and own is not None and height > own:
                wrong.append(f"{user} imports {used}")
    assert not wrong


def test_there_is_no_cycle_between_modules() -> None:
    known = dict(modules())
    edges = {user: {used for used in imports(path) if used in known} for user, path in modules()}
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join((*path, module))
        if module not in done:
            for used in edges[module] - {module}:
                visit(used, (*path, module))
            done.add(module)

    for module in known:
        visit(module, ())


def test_seats_know_only_the_protocol_and_errors() -> None:
    known = {name for name, _ in modules()}
    for user, path in modules():
        if user.startswith("referee.seats"):
            for used in imports(path):
                if used in known and used != "referee":
                    assert any(used.startswith(room) for room in SEATS_MAY_USE), (user, used)


def test_games_touch_no_socket_clock_file_or_random_generator() -> None:
    forbidden = {"socket", "zmq", "time", "datetime", "os", "pathlib", "io", "secrets"}
    for user, path in modules():
        if user.startswith(("referee.games", "referee.cards", "referee.tricks", "referee.table")):
            assert not forbidden & set(imports(path)), user


TIMERS = {
    "time.monotonic", "time.monotonic_ns", "time.perf_counter", "time.perf_counter_ns",
    "time.process_time", "time.process_time_ns", "time.thread_time", "time.sleep",
}  # fmt: skip
"""What may be used of the module `time`: everything else there is or shows the wall clock."""

WALL_CLOCK_METHODS = {"now", "utcnow", "today", "fromtimestamp"}
"""Of `datetime` and `date`, under whatever name."""


def wall_clock_uses(source: str) -> list[str]:
    """What in a module reads the wall clock, however it was imported or renamed."""
    tree = ast.parse(source)
    aliases: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            aliases |= {a.asname or a.name.split(".")[0]: a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            aliases |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "time":
            names = {f"time.{a.name}" for a in node.names}
            found += sorted(names - TIMERS)
        elif isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value).split(".")
            if owner[0] not in aliases:
                continue
            owner[0] = aliases[owner[0]]
            name = ".".join([*owner, node.attr])
            stamps = owner[0].split(".")[0] == "datetime" and node.attr in WALL_CLOCK_METHODS
            if stamps or (owner == ["time"] and name not in TIMERS):
                found.append(name)
        elif isinstance(node, ast.Constant) and node.value in ("CLOCK_REALTIME", "time_ns"):
            found.append(f"a string that says {node.value}")
    return found


def test_only_the_log_stamp_reads_the_wall_clock() -> None:
    readers = {
        user: found
        for user, path in modules()
        if (found := wall_clock_uses(path.read_text(encoding="utf-8")))
    }
    stamp = ["datetime.datetime.now"]
    assert readers == {"referee.cli.match": stamp, "referee.live": stamp}


@pytest.mark.parametrize(
    "source",
    [
        "import time\ntime.time()",
        "import time as t\nt.time_ns()",
        "import time\nnow = time.time\nnow()",
        "import time\ntime.clock_gettime(time.CLOCK_REALTIME)",
        "import time\ntime.localtime()",
        "import time\ntime.strftime('%H')",
        "from time import time",
        "from time import time as now",
        "from time import monotonic, time_ns",
        "from time import *",
        "import time\ngetattr(time, 'time_ns')()",
        "from datetime import datetime\ndatetime.now()",
        "from datetime import datetime as clock\nclock.utcnow()",
        "from datetime import date\ndate.today()",
        "from datetime import datetime\ndatetime.today()",
        "import datetime\ndatetime.datetime.now(datetime.UTC)",
        "import datetime as dt\ndt.date.today()",
    ],
)
def test_the_wall_clock_is_recognised_under_every_name(source: str) -> None:
    assert wall_clock_uses(source)


@pytest.mark.parametrize(
    "source",
    [
        "import time\ntime.monotonic()\ntime.sleep(1)",
        "from time import perf_counter as clock\nclock()",
        "from datetime import timedelta\ntimedelta(1)",
        "job.time.decision_ms",
        "time = job.time\ntime.bank_ms",
        "from referee import job\njob.time.start_ms",
    ],
)
def test_what_merely_looks_like_it_is_not_taken_for_the_wall_clock(source: str) -> None:
    assert wall_clock_uses(source) == []


def test_files_and_functions_stay_readable() -> None:
    for _, path in modules():
        name = str(path.relative_to(ROOT))
        text = path.read_text(encoding="utf-8")
        if name not in LONG_FILES:
            assert len(text.splitlines()) <= 400, f"{name} is longer than 400 lines"
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno is not None
                length = node.end_lineno - node.lineno + 1
                reason = LONG_FUNCTIONS.get(f"{name}: {node.name}")
                assert length <= 50 or reason, f"{name}: {node.name} is {length} lines long"


def test_no_room_is_called_after_nothing() -> None:
    vague = {"utils", "util", "common", "base", "manager", "helpers", "misc"}
    assert not [name for name, _ in modules() if vague & set(name.split("."))]
