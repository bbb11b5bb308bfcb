"""The house rules: imports point down, files stay readable, only log stamps read the wall clock."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("protocol", "referee", "sample_bots")

LAYERS = [
    {"protocol"},
    {"referee", "referee.errors", "referee.cards", "referee.tricks"},
    {"referee.games"},
    {"referee.table", "referee.clock", "referee.rulings", "referee.log", "referee.seats"},
    {"referee.job", "referee.live", "referee.roster", "referee.judge", "referee.arena"},
    {
        "referee.replay", "referee.retelling", "referee.retry",
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


def test_only_the_log_stamp_reads_the_wall_clock() -> None:
    readers = []
    for user, path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                call = f"{node.value.id}.{node.attr}"
                if call in {"time.time", "datetime.now", "datetime.utcnow", "time.localtime"}:
                    readers.append(f"{user}: {call}")
    assert readers == ["referee.cli.match: datetime.now", "referee.live: datetime.now"], readers


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
