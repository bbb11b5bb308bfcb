"""What a bot uses, as its keeper sees it, and which limit that is over. Standard library only."""

import os
import signal
from collections.abc import Mapping, Sequence
from typing import Any

from referee.seats.groups import Group
from referee.seats.launch import Launch
from referee.seats.resident import resident_bytes
from referee.seats.steps import RELAY_BYTES, RELAY_FILES

MB = 1 << 20
NEVER = float("inf")
NEARLY = 0.9  # of its memory: a bot that died after that died of it
MOST_FILES = 1000  # looked at in a scratch folder
RELAY_ROOM = f"it has room for {RELAY_BYTES >> 20} MB of messages and {RELAY_FILES} connections"


class Usage:
    """Looks at one bot."""

    def __init__(self, launch: Launch, group: Group | None) -> None:
        self._launch, self._group = launch, group

    def exceeded(self, family: Sequence[int]) -> str:
        """The limit that the processes below the keeper are over; empty where they are not."""
        memory = self._launch.watch.get("memory") or NEVER
        most = self._launch.watch.get("processes") or NEVER
        if self._group is not None and (excess := self._group.exceeded()):
            return excess
        if len(family) - self._launch.overhead > most:
            count = len(family) - self._launch.overhead
            return f"it ran {count} processes at once, the limit is {most:.0f}"
        if (held := resident_bytes(family, memory)) > memory:
            return f"it used {held // MB} MB of memory, the limit is {memory / MB:.0f} MB"
        return ""

    def explained(self, code: int, peak: int, ending: Mapping[str, Any]) -> str:
        """The limit that a bot which ended badly had reached, if it is known to have."""
        if ending.get("overrun"):
            return f"its relay was overrun; {RELAY_ROOM}"
        if self._group is not None and (excess := self._group.exceeded()):
            return excess
        memory = self._launch.watch.get("memory") or 0
        if memory and peak > memory * NEARLY:
            return f"it used {peak // MB} MB of memory, the limit is {memory // MB} MB"
        room = self._launch.limits.get("fsize", 0)
        if code == -signal.SIGXFSZ or ending.get("full") or self._filled(room):
            return f"it wrote more than the {room // MB} MB of disk that it may use"
        return ""

    def _filled(self, room: int) -> bool:
        """Whether a file at the top of the bot's scratch folder is as long as a file may be."""
        try:
            with os.scandir(self._launch.scratch) as found:
                return any(
                    entry.stat(follow_symlinks=False).st_size >= room > 0
                    for _, entry in zip(range(MOST_FILES), found, strict=False)
                )
        except OSError:
            return False
