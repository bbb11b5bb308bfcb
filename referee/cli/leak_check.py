"""`referee leak-check`: whether any seat was sent something that it could not know."""

import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random

import click
from msgspec.structs import asdict
from rich.console import Console
from rich.progress import Progress

from referee.errors import ConfigError, LogError
from referee.games.rulesets import game_from
from referee.league.folder import the_log
from referee.league.plan import logged_seatings
from referee.leaks import WORLDS, Checked, Leak, check, dealings
from referee.log import Log
from referee.other_worlds import Dealing
from referee.replay import verify
from referee.show.page import count, json_text, printable
from referee.table import PlayRecord

_AROUND = 60
"""Bytes of a message shown before and after the part that differs."""


@click.command(
    "leak-check",
    epilog="\b\nExample: referee leak-check results/logs/a+b.jsonl --set 0",
    short_help="Look for hidden cards in what bots were sent.",
)
@click.argument("log", metavar="LOG")
@click.option("--set", "set_number", type=click.IntRange(0), help="Only this set of the log.")
@click.option(
    "--worlds", type=click.IntRange(1, 10_000), default=WORLDS, show_default=True,
    help="Other worlds compared at each moment.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def leak_check(
    ctx: click.Context, log: str, set_number: int | None, worlds: int, as_json: bool
) -> None:
    """Look in a log for hidden cards in what bots were sent.

    At some moments of every deal, for every seat, cards that the seat has not seen are swapped
    and others' hidden choices are made anew. Where the play stays legal and the seat is told just
    the same, all messages to it must stay the same too, byte for byte. Exit code 1 and the first
    message that differs when one does. With 50 worlds a deal takes up to a second.
    """
    found, folder = the_log(Path(log))
    try:
        data = found.path.read_bytes()
    except OSError as error:
        raise LogError(f"{found.path}: cannot be read: {error.strerror}") from None
    chosen = _chosen(found, set_number)
    verify(chosen, folder.revealed(), logged_seatings)
    seed = sha256(data).hexdigest()
    total = Checked()
    leaky: PlayRecord | None = None
    for play, parts in _shown(chosen, as_json):
        for number, part in enumerate(parts):
            rng = Random(f"{seed} {play.set} {play.table} {play.deal} {number}")
            total.add(check(part, rng, worlds=worlds))
            if total.leak is not None:
                leaky = play
                break
        if leaky is not None:
            break
    if as_json:
        click.echo(json_text(_data(found, total, leaky)))
    else:
        click.echo("\n".join(_lines(found, total, leaky)))
    ctx.exit(0 if leaky is None else 1)


def _chosen(log: Log, number: int | None) -> Log:
    """The log, or the part of it that is one set."""
    if number is None:
        return log
    if number not in log.sets:
        there = f"0 to {max(log.sets)}" if log.sets else "none"
        raise ConfigError(f"{log.path}: set {number} is not in it; sets in it: {there}")
    return Log(
        path=log.path, headers=log.headers, sets={number: log.sets[number]}, voids={},
        unplayable=set(), end=None, good_bytes=0, set_aside=0,
    )  # fmt: skip


def _shown(log: Log, quiet: bool) -> Iterator[tuple[PlayRecord, Sequence[Dealing]]]:
    """Every deal of a log; on a terminal with a bar that says how far it is."""
    header = log.header
    game = game_from(header.game, header.ruleset, header.rules)
    deals = sum(len(list(record.deals())) for record in log.sets.values())
    silent = quiet or not sys.stderr.isatty()
    with Progress(console=Console(stderr=True), transient=True, disable=silent) as progress:
        task = progress.add_task("deals", total=deals)
        for number in sorted(log.sets):
            for play, parts in dealings(game, header.unit, log.sets[number]):
                yield play, parts
                progress.advance(task)


def _lines(log: Log, total: Checked, leaky: PlayRecord | None) -> list[str]:
    """What was compared, for people."""
    name = printable(str(log.path))
    compared = f"{count(total.worlds, 'world')} compared at {count(total.moments, 'moment')}"
    compared += f" of {count(total.deals, 'dealing')}"
    if leaky is not None and total.leak is not None:
        return [*_leak_lines(name, leaky, total.leak), f"  {compared} before it"]
    if not total.deals:
        return [f"{name}: nothing has been played yet"]
    lines = [f"nothing leaks: {name}", f"  {compared}"]
    if total.few:
        lines.append(
            f"  fewer worlds than wanted at {total.few:,} of them, none at {total.alone:,}, where "
            "hardly anything is hidden any more"
        )
    return lines


def _leak_lines(name: str, play: PlayRecord, leak: Leak) -> list[str]:
    """The first difference, with the bytes that differ marked."""
    what = f"message {leak.number} to it" if leak.what == "message" else "its view then"
    played, other = marked(leak.played, leak.other)
    return [
        f"LEAK: {name}",
        f"  set {play.set}, table {play.table}, deal {play.deal}, seat {leak.seat}, "
        f"decision {leak.at}: {what} depends on what the seat cannot know",
        f"  as played: {played}",
        f"  elsewhere: {other}",
        f"  the other world: {' '.join(leak.cards)}",
        f"  played there: {' '.join(leak.actions)}",
    ]


def marked(one: str, other: str) -> tuple[str, str]:
    """Two messages around the part in which they differ, which stands in `>>` and `<<`.

    >>> marked('{"counts":[9,9]}', '{"counts":[9,8]}')
    ('{"counts":[9,>>9<<]}', '{"counts":[9,>>8<<]}')
    """
    if not one or not other:
        return _shortened(one) or "(nothing)", _shortened(other) or "(nothing)"
    most = min(len(one), len(other))
    start = next((at for at in range(most) if one[at] != other[at]), most)
    end = next((at for at in range(most - start) if one[-1 - at] != other[-1 - at]), most - start)
    before = one[:start]
    if len(before) > _AROUND:
        before = "..." + before[-_AROUND:]
    after = one[len(one) - end :]
    if len(after) > _AROUND:
        after = after[:_AROUND] + "..."

    def shown(text: str) -> str:
        return printable(f"{before}>>{text[start : len(text) - end]}<<{after}")

    return shown(one), shown(other)


def _shortened(text: str) -> str:
    return printable(text, limit=4 * _AROUND)


def _data(log: Log, total: Checked, leaky: PlayRecord | None) -> dict[str, object]:
    """What was compared, for programs."""
    leak: dict[str, object] | None = None
    if leaky is not None and total.leak is not None:
        leak = {"set": leaky.set, "table": leaky.table, "deal": leaky.deal, **asdict(total.leak)}
        leak["decision"] = leak.pop("at")
    return {
        "path": str(log.path),
        "ok": leak is None,
        "dealings": total.deals,
        "moments": total.moments,
        "worlds": total.worlds,
        "few": total.few,
        "alone": total.alone,
        "leak": leak,
    }
