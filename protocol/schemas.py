"""JSON Schema of every message, made from the types in messages.py.

    python -m protocol.schemas            writes protocol/schema/*.json
    python -m protocol.schemas --check    says which of them are stale; exit code 1 if any is
"""

import ast
import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from protocol import messages

FOLDER = Path(__file__).parent / "schema"

FILES: dict[str, tuple[Any, str]] = {
    "from_bot.json": (messages.FromBot, "a message from a bot to the referee"),
    "from_referee.json": (messages.FromReferee, "a message from the referee to a bot"),
    "view.json": (messages.AnyView, "the view in an ask: all that one seat may know"),
}


def schemas() -> dict[str, str]:
    """The text of every schema file by its name."""
    described = _described()
    return {name: _text(kind, about, described) for name, (kind, about) in FILES.items()}


def stale(folder: Path = FOLDER) -> list[str]:
    """The schema files that are not what the types say."""
    return [name for name, text in schemas().items() if _read(folder / name) != text]


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def _text(kind: Any, about: str, described: dict[str, dict[str, str]]) -> str:
    schema = msgspec.json.schema(kind)
    for name, definition in schema["$defs"].items():
        for field, text in described[name].items():
            if field in definition["properties"]:
                definition["properties"][field]["description"] = text
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Protocol version {messages.PROTOCOL_VERSION}: {about}",
    }
    return json.dumps(head | schema, indent=2) + "\n"


def _described() -> dict[str, dict[str, str]]:
    """What the source says below each field, by class and field; inherited ones too."""
    source = Path(messages.__file__).read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            own: dict[str, str] = {}
            for base in node.bases:
                if isinstance(base, ast.Name):
                    own |= found.get(base.id, {})
            found[node.name] = own | _fields(node)
    return found


def _fields(node: ast.ClassDef) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line in node.body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            name = line.target.id
        elif isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and name:
            found[name] = " ".join(str(line.value.value).split())
            name = ""
    return found


def main(arguments: list[str]) -> int:
    """Write the schemas, or with `--check` only compare them."""
    if arguments not in ([], ["--check"]):
        print("usage: python -m protocol.schemas [--check]", file=sys.stderr)
        return 2
    found = stale()
    for name in found:
        if arguments:
            print(f"{FOLDER / name} is stale; run python -m protocol.schemas", file=sys.stderr)
        else:
            (FOLDER / name).write_text(schemas()[name], encoding="utf-8")
            print(f"wrote {FOLDER / name}")
    return 1 if arguments and found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
