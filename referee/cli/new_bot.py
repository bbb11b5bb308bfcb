"""`referee new-bot`: a working bot project to start from."""

import fnmatch
import re
import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import click

from referee.errors import ConfigError
from referee.games.rulesets import nearest
from referee.league.manifest import FILE, read_manifest

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")

_FOLDERS = {"python": "python_client"}
"""Languages whose sample stands in a folder of another name."""

_NEVER = ("__pycache__", "*.pyc", "node_modules", "target")
"""What a build leaves, whatever a folder's .gitignore says."""

_VECTORS = "../../protocol/vectors"
"""Where the samples' own tests find the recorded conversations."""


def samples() -> dict[str, Path]:
    """The sample of each language."""
    spec = find_spec("sample_bots")
    assert spec is not None
    assert spec.submodule_search_locations
    root = Path(next(iter(spec.submodule_search_locations)))
    folders = {path.parent.name: path.parent for path in sorted(root.glob(f"*/{FILE}"))}
    renamed = {folder: name for name, folder in _FOLDERS.items()}
    return dict(sorted((renamed.get(name, name), path) for name, path in folders.items()))


@click.command(
    epilog="\b\nExample: referee new-bot mybot --language rust",
    short_help="Start a bot of your own.",
)
@click.argument("name")
@click.option("--language", default="python", show_default=True, help="What it is written in.")
@click.option("--list", "listed", is_flag=True, is_eager=True, help="List the languages.",
              expose_value=False, callback=lambda ctx, _, wanted: _list(ctx, wanted))  # fmt: skip
def new_bot(name: str, language: str) -> None:
    """Make a folder NAME with a small working bot in a language of your choice.

    It plays every game; its README says what to install and where to change what it plays.
    """
    known = samples()
    if language not in known:
        raise ConfigError(f"--language {language!r}: no sample{nearest(language, known)}")
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{name!r}: expected a name of a-z, 0-9, _ and -, such as mybot")
    folder = Path(name)
    if folder.exists():
        raise ConfigError(f"{folder}: is there already; choose another name")
    copy_sample(known[language], folder, name)
    manifest = read_manifest(folder)
    click.echo(f"{folder}: a bot in {language}; its README says more. Next:")
    where = shlex.quote(str(folder))
    if manifest.build:
        click.echo(f"  (cd {where} && {manifest.build})")
    click.echo(f"  referee check {where}")
    click.echo(f"  referee match {where} greedy --sets 20")


def _list(ctx: click.Context, wanted: bool) -> None:
    if wanted:
        for language, folder in samples().items():
            manifest = read_manifest(folder)
            click.echo(f"{language:14} {manifest.install or 'nothing to install'}")
        ctx.exit()


def copy_sample(sample: Path, folder: Path, name: str) -> None:
    """Copy what belongs to a sample, without what its build has left, under a new name."""
    old = read_manifest(sample).name
    uses_vectors = False
    for path in _files(sample):
        target = folder / path.relative_to(sample)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8").replace(old, name)
        uses_vectors = uses_vectors or _VECTORS in text
        target.write_text(text.replace(_VECTORS, "vectors"), encoding="utf-8")
        # An installed wheel does not keep which files can be run.
        target.chmod(0o755 if text.startswith("#!") else path.stat().st_mode & 0o777)
    if uses_vectors:
        _copy_vectors(folder / "vectors")


def _files(sample: Path) -> Iterator[Path]:
    ignore = sample / ".gitignore"
    lines = ignore.read_text(encoding="utf-8").split() if ignore.exists() else []
    patterns = [*_NEVER, *(line.strip("/") for line in lines)]
    for path in sorted(sample.rglob("*")):
        parts = path.relative_to(sample).parts
        left = any(fnmatch.fnmatch(part, pattern) for part in parts for pattern in patterns)
        if path.is_file() and not left:
            yield path


def _copy_vectors(folder: Path) -> None:
    """The recorded conversations, for the bot's own tests."""
    spec = find_spec("protocol.vectors")
    assert spec is not None
    assert spec.submodule_search_locations
    folder.mkdir()
    for path in sorted(Path(next(iter(spec.submodule_search_locations))).glob("*.jsonl")):
        (folder / path.name).write_bytes(path.read_bytes())
