"""Where each entrant went wrong first, and where to read more about it."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from textwrap import wrap

from msgspec import Struct

from referee.judge import last_words
from referee.league.folder import of_log
from referee.league.results import EntrantNotes, FirstFault
from referee.league.schedule import pairing_id
from referee.log import Log
from referee.rulings import KINDS
from referee.show.page import WIDTH, printable

_FILE = re.compile(r"\.seat-(\d+|all)\.set-(\d+)\.(\d+)\.txt")


class Whereabouts(Struct, frozen=True, kw_only=True):
    """Where the logs lie that standings were made of."""

    logs: tuple[Log, ...] = ()
    paths: Mapping[str, Path] = {}
    """Logs by pairing, where they have not been read."""

    def log_of(self, first: FirstFault) -> Path | None:
        """The log in which a fault stands."""
        pairing = pairing_id(first.pairing)
        for log in self.logs:
            if log.header.pairing == pairing and first.set in log.sets:
                return log.path
        return self.paths.get(pairing)


def faults_text(notes: EntrantNotes) -> str:
    """Faults by kind, in the order of the list of kinds; tables that went unplayed for them."""
    parts = [f"{notes.faults[kind]} {kind}" for kind in KINDS if notes.faults[kind]]
    if notes.unplayed:
        parts.append(f"unplayed {notes.unplayed}")
    return ", ".join(parts)


def first_fault_text(entrant: str, notes: EntrantNotes) -> str:
    """What an entrant did wrong first, in one line."""
    first = notes.first
    assert first is not None
    blame = first.blame
    place = f"set {first.set} table {first.table}"
    if first.deal:
        place += f" deal {first.deal}"
    place += f" seat {blame.seat}" if first.deal is not None else ", not played"
    words = last_words(blame.stderr_first, blame.stderr_last)
    text = printable(blame.message.partition("; legal: ")[0], 160)
    if words and words not in blame.message:
        text += f"; its last words: {printable(words, 120)}"
    kind = "" if len(+notes.faults) == 1 and not notes.unplayed else f"{blame.kind}: "
    return f"{printable(entrant)}: {faults_text(notes)}; first in {place}: {kind}{text}"


def fault_lines(notes: Mapping[str, EntrantNotes], where: Whereabouts) -> list[str]:
    """For each entrant with faults: the first of them, how to read it, and its standard error.

    Commands and paths stay on one line, however long, to be copied.
    """
    lines: list[str] = []
    for entrant, its in sorted(notes.items()):
        first = its.first
        if first is None:
            continue
        lines += wrap(first_fault_text(entrant, its), WIDTH, subsequent_indent="  ")
        path = where.log_of(first)
        if path is None:
            continue
        lines.append(f"  see: {printable(shlex.join(replay_command(path, first)))}")
        if found := stderr_of(path, entrant, first):
            lines.append(f"  its stderr: {printable(found)}")
    return lines


def replay_command(path: Path, first: FirstFault) -> list[str]:
    """The command that shows a fault."""
    command = ["referee", "replay", str(path), "--set", str(first.set), "--table", str(first.table)]
    return [*command, "--deal", str(first.deal)] if first.deal else command


def stderr_of(log: Path, entrant: str, first: FirstFault) -> str | None:
    """What the faulty bot wrote to standard error: the file, or all that it may be in.

    Files are called `ENTRANT.seat-S.set-N.K.txt`, where N is the first set of a job and K counts
    its processes; so the job is the last one that began at the set or before.
    """
    root = log.parent.parent if log.parent.name == "logs" else of_log(log).path
    files = _written(root / "stderr" / log.stem, entrant)
    if not files and first.deal is None:
        # It was tried once, for any of its pairings.
        files = [path for one in sorted(root.glob("stderr/*")) for path in _written(one, entrant)]
        return str(files[0]) if files else None
    found: list[tuple[int, int, str]] = []
    for path in files:
        parts = _FILE.fullmatch(path.name.removeprefix(entrant))
        if parts is None or parts[1] not in (str(first.blame.seat), "all"):
            continue
        if int(parts[2]) <= first.set:
            found.append((-int(parts[2]), int(parts[3]), str(path)))
    if found:
        return min(found)[2]
    return f"{files[0].parent}/{entrant}.*" if files else None


def _written(folder: Path, entrant: str) -> list[Path]:
    """Files of an entrant's standard error that hold something."""
    # Compared, not searched for: in a log from elsewhere a name may be a pattern or a path.
    return sorted(
        path
        for path in folder.glob("*.txt")
        if path.name.startswith(f"{entrant}.seat-") and path.stat().st_size
    )
