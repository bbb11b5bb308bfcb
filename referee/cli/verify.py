"""`referee verify`: every play of a log again; it must come out byte for byte."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from referee.errors import ConfigError, LogError
from referee.league.folder import Folder, of_log
from referee.league.plan import logged_seatings
from referee.log import read
from referee.replay import Verified
from referee.replay import verify as play_again
from referee.show.page import count, json_text, printable


@click.command(
    epilog="\b\nExample: referee verify results/quickstart",
    short_help="Play logs again and compare.",
)
@click.argument("paths", metavar="LOG|FOLDER...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def verify(ctx: click.Context, paths: Sequence[str], as_json: bool) -> None:
    """Play every deal of logs again and compare it byte for byte.

    Cards come from the secret once it is revealed (and must match the commitment in the log's
    header), from the log before. Exit code 1 and the first line and field that differ when a log
    is not what the rules make of it.
    """
    found: list[dict[str, object]] = []
    ok = True
    for path, folder in list(_logs(map(Path, paths))):
        try:
            checked = play_again(read(path), folder.revealed(), logged_seatings)
        except LogError as error:
            ok = False
            found.append({"path": str(path), "ok": False, "error": str(error)})
            if not as_json:
                click.echo(f"NOT VERIFIED: {printable(str(error))}")
            continue
        found.append(_data(checked))
        if not as_json:
            click.echo("\n".join(_lines(checked)))
    if as_json:
        click.echo(json_text({"ok": ok, "logs": found}))
    elif len(found) > 1:
        bad = sum(not log["ok"] for log in found)
        if bad:
            click.echo(f"{bad} of {len(found)} logs not verified")
        else:
            played = any(log["sets"] for log in found)
            click.echo("all logs verified" if played else "nothing has been played yet")
    ctx.exit(0 if ok else 1)


def _logs(paths: Iterator[Path]) -> Iterator[tuple[Path, Folder]]:
    """Log files with the folders that hold their secrets."""
    for path in paths:
        if path.is_dir():
            folder = Folder(path)
            files = sorted(folder.logs.glob("*.jsonl"))
            if not files:
                raise ConfigError(f"{path}: no logs in it; expected a results folder")
            yield from ((file, folder) for file in files)
        elif path.exists():
            yield path, of_log(path)
        else:
            raise ConfigError(f"{path}: there is no such log or folder")


def _lines(checked: Verified) -> list[str]:
    """What was checked in one log, for people."""
    logged = checked.deals - checked.from_secret
    if not checked.deals:
        cards = ""
    elif not logged:
        cards = ", cards from the revealed secret"
    elif not checked.from_secret:
        cards = ", cards as logged (their secret is not revealed yet)"
    else:
        cards = f", cards of {logged:,} as logged (their secret is not revealed yet)"
    text = f"  {count(checked.sets, 'set')}, {count(checked.deals, 'deal')}{cards}"
    if checked.unplayed:
        text += f", {count(checked.unplayed, 'table')} not played"
    name = printable(str(checked.path))
    if checked.sets:
        lines = [f"verified: {name}", text, f"  digest {checked.digest}"]
    else:
        lines = [f"{name}: nothing has been played yet"]
    if checked.set_aside:
        lines.append(
            f"  {count(checked.set_aside, 'line')} of an incomplete set at the end set aside"
        )
    return lines


def _data(checked: Verified) -> dict[str, object]:
    return {
        "path": str(checked.path),
        "ok": True,
        "sets": checked.sets,
        "deals": checked.deals,
        "from_secret": checked.from_secret,
        "unplayed": checked.unplayed,
        "set_aside": checked.set_aside,
        "digest": checked.digest,
    }
