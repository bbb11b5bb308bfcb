"""What is noticed about a bot over all processes of a check."""

from msgspec import Struct

from referee.check.steps import Decisions


class Noted(Struct, kw_only=True):
    """A mistake that does not end what is under way; the first of its kind, and how many."""

    reason: str
    received: bytes
    count: int = 1


class Watch:
    """Times, small mistakes, answers and last words, gathered on the way."""

    def __init__(self, decision_ms: int) -> None:
        self.decision_ms = decision_ms
        self.noted: dict[str, Noted] = {}
        """Mistakes by the key of the step that they break."""
        self.answers = 0
        self.single = 0
        """Answers where one action was legal."""
        self.late = 0
        self.traces: dict[str, list[list[str]]] = {}
        """The bot's actions whenever a deal was played, by the deal's name."""
        self.stderr: list[str] = []
        self._total_ms = 0.0
        self._slowest_ms = 0.0
        self._where = ""

    def note(self, step: str, reason: str, received: bytes = b"") -> None:
        """A mistake after which things go on."""
        if step in self.noted:
            self.noted[step].count += 1
        else:
            self.noted[step] = Noted(reason=reason, received=received)

    def took(self, ms: float, where: str, single: bool) -> None:
        """An answer, after so long."""
        self.answers += 1
        self.single += single
        self._total_ms += ms
        if ms > self._slowest_ms:
            self._slowest_ms, self._where = ms, where

    def played(self, name: str, trace: list[str]) -> None:
        """A deal from its first to its last action, to be compared with itself."""
        self.traces.setdefault(name, []).append(trace)

    def decisions(self) -> Decisions:
        """How long the bot thought."""
        mean = self._total_ms / self.answers if self.answers else 0.0
        return Decisions(
            count=self.answers, mean_ms=round(mean, 3), slowest_ms=round(self._slowest_ms, 3),
            where=self._where,
        )  # fmt: skip
