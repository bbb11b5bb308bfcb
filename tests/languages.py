"""`python -m tests.languages`: build, lint, test and check the sample bot of every language.

    python -m tests.languages [--build] [--only LANGUAGE...]

With --build nothing but the builds. Where a tool is missing the bot is left out with the reason;
with the environment variable CI set that is a failure. Exit code 1 when anything fails.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from referee.cli.new_bot import samples
from referee.league.manifest import Manifest, MissingTool, read_manifest, run_command
from tests.protocol_page import blocks

LIMIT_SECONDS = 900
"""For one step of one bot, downloads included."""


def step(name: str, what: str, command: str, folder: Path) -> bool:
    """One shell line in a bot's folder; its output where it fails."""
    began = time.monotonic()
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, text=True, timeout=LIMIT_SECONDS,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    state = "ok" if done.returncode == 0 else f"FAILED ({done.returncode}): {command}"
    print(f"{name:14} {what:6} {time.monotonic() - began:6.1f} s  {state}", flush=True)
    if done.returncode:
        print("\n".join("    " + line for line in done.stdout.splitlines()[-40:]), flush=True)
    return done.returncode == 0


def page_bot(language: str, sample: Path, folder: Path) -> str | None:
    """Lay out the bot of PROTOCOL.md in a language, with what its sample has installed.

    Returns the shell line that builds it and plays a match, None where the page has no such bot.
    """
    if language not in ("javascript", "rust"):
        return None
    (code,) = blocks(language)
    match = f"{sys.executable} -m referee.cli.main match"
    ends = 'first_legal --sets 5 --json | grep -q \'"faults":{},"first_fault":null.*"faults":{}\''
    if language == "javascript":
        (folder / "small.mjs").write_text(code, encoding="utf-8")
        (folder / "node_modules").symlink_to(sample / "node_modules")
        return f'{match} "node small.mjs" {ends}'
    (folder / "src").mkdir()
    (folder / "src" / "main.rs").write_text(code, encoding="utf-8")
    manifest = (sample / "Cargo.toml").read_text(encoding="utf-8").replace('"rt"', '"rt", "macros"')
    (folder / "Cargo.toml").write_text(manifest, encoding="utf-8")
    return f"cargo build -q --release && {match} target/release/lowest {ends}"


def steps_of(folder: Path, manifest: Manifest) -> list[tuple[str, str]]:
    """(name, shell line) of everything to be done with a bot."""
    check = f"{sys.executable} -m referee.cli.main check ."
    return [
        (what, command)
        for what, command in (
            ("build", manifest.build),
            ("lint", manifest.lint),
            ("test", manifest.test),
            ("check", check),
        )
        if command
    ]


def main() -> None:
    """Everything, or what the command line asks for."""
    only = sys.argv[sys.argv.index("--only") + 1 :] if "--only" in sys.argv else []
    failed = False
    for name, folder in samples().items():
        if only and name not in only:
            continue
        manifest = read_manifest(folder)
        try:
            if not manifest.build:
                run_command(manifest, folder)
            elif manifest.needs:
                run_command(Manifest(name=name, run="true", needs=manifest.needs,
                                     install=manifest.install), folder)  # fmt: skip
        except MissingTool as error:
            print(f"{name:14} left out: {error}", flush=True)
            failed = failed or bool(os.environ.get("CI"))
            continue
        for what, command in steps_of(folder, manifest):
            if "--build" in sys.argv and what != "build":
                continue
            if not step(name, what, command, folder):
                failed = True
                break
        with tempfile.TemporaryDirectory() as place:
            line = None if "--build" in sys.argv else page_bot(name, folder, Path(place))
            if line is not None and not step(name, "page", line, Path(place)):
                failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
