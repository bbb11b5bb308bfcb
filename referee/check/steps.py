"""The steps of a check in their order, and what comes of each."""

from typing import Literal, NamedTuple

from msgspec import Struct

Outcome = Literal["passed", "failed", "skipped"]


class Step(NamedTuple):
    """One thing that a bot has to do."""

    key: str
    name: str


STEPS = (
    Step("start", "starts in time"),
    Step("hello", "says a valid hello"),
    Step("deals", "plays a deal of every ruleset"),
    Step("messages", "sends valid messages"),
    Step("ids", "answers with the id of the ask"),
    Step("once", "answers every ask once, and nothing else"),
    Step("legal", "plays only legal actions"),
    Step("limit", "answers within the limit"),
    Step("single", "answers also where one action is legal"),
    Step("many", "plays many deals in one process"),
    Step("again", "plays a deal again"),
    Step("fields", "ignores unknown fields"),
    Step("unknown", "ignores unknown messages"),
    Step("end", "takes an end without warning"),
    Step("tables", "plays several tables at once"),
    Step("batch", "takes and sends batches"),
    Step("ping", "answers a ping"),
    Step("bye", "exits on bye"),
    Step("processes", "leaves no process behind"),
    Step("orphan", "exits when its standard input ends"),
    Step("stdout", "keeps standard output to messages"),
    Step("stderr", "standard error"),
    Step("same", "decides the same again"),
)
"""The last two only inform."""

NUMBERS = {step.key: number for number, step in enumerate(STEPS, 1)}


class Mistake(Exception):
    """Something that the bot did wrong; `step` says what it broke, `None` the step under way."""

    def __init__(self, step: str | None, reason: str, received: bytes = b"") -> None:
        super().__init__(reason)
        self.step = step
        self.reason = reason
        self.received = received


class Skip(Exception):
    """A step that means nothing for this bot; says why."""


class Result(Struct, frozen=True, kw_only=True):
    """What came of one step."""

    number: int
    key: str
    name: str
    outcome: Outcome
    detail: str
    """What was seen, why it failed, or why it was skipped: one sentence."""
    received: str = ""
    """The message that was wrong, escaped and shortened."""


class Decisions(Struct, frozen=True, kw_only=True):
    """How long the bot thought."""

    count: int
    mean_ms: float
    slowest_ms: float
    where: str
    """Where the slowest was, in words."""


class Report(Struct, frozen=True, kw_only=True):
    """A whole check."""

    bot: str
    name: str
    """What the bot calls itself, with its version."""
    results: list[Result]
    rulesets: list[str]
    """Those that it has played, as `game ruleset`."""
    decisions: Decisions
    deterministic: bool | None
    """None where that was not found out."""
    seconds: float

    @property
    def failed(self) -> int:
        """Steps that failed."""
        return sum(result.outcome == "failed" for result in self.results)
