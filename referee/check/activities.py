"""What is done with the bot, one activity a step; each returns what was seen, or raises Mistake."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from protocol.messages import PROTOCOL_VERSION, Fault, Hello, Message, Welcome, encode
from referee import __version__
from referee.check.conversation import Conversation, Dress, extended
from referee.check.diagnosis import bad_frames, bad_message, shown
from referee.check.steps import NUMBERS, Mistake, Skip
from referee.check.tables import CheckTable
from referee.check.watch import Watch
from referee.games.game import Game
from referee.games.rulesets import game_named
from referee.seats.bot import BotCommand
from referee.seats.dialogue import Dialogue, NoStart, Parting, ending
from referee.seats.sandbox import Level
from referee.seats.trouble import PRINT_TO_STDERR

MANY_DEALS = 30
MANY_SECONDS = 20.0
"""A slow bot plays fewer deals."""

BYE_SECONDS = 2.0
ORPHAN_SECONDS = 5.0
PING_SECONDS = 2.0
_EXIT_SECONDS = 0.15
"""How long after a message is looked whether the bot has survived it."""

_QUIET_SECONDS = 0.025
"""How long is listened after a message that owes no answer."""

_MOST_TABLES = 4


class Place(Struct, frozen=True):
    """A ruleset, and the seat that the bot takes in it."""

    game: Game
    seat: int

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.game.name} {self.game.ruleset}"


class Activities:
    """Everything that a check does with a bot; a fresh process for each activity."""

    def __init__(
        self, command: BotCommand, watch: Watch, folder: Path, start_seconds: float,
        level: Level = "basic",
    ) -> None:  # fmt: skip
        self.command = command
        self.watch = watch
        self.folder = folder
        self.start_seconds = start_seconds
        self.level = level
        """What the bot is kept in."""
        self.hello: Hello | None = None
        self.place: Place | None = None
        """Where the bot has played a whole deal, and plays all that follows."""
        self.one_deal = False
        """Whether it is known to end after a deal."""

    @contextmanager
    def process(
        self, place: Place | None, *, tables: int = 1, dress: Dress = encode
    ) -> Iterator[Conversation]:
        """A fresh process that has said hello; Mistake where it does not any more."""
        dialogue = Dialogue(
            self.command, game=place.game.name if place else None, seat=place.seat if place else 0,
            tables=tables, start_seconds=self.start_seconds, stderr_folder=str(self.folder),
            welcome=None if dress is encode else dress, level=self.level,
        )  # fmt: skip
        try:
            with dialogue:
                dialogue.begin()
                yield Conversation(dialogue, self.watch, dress=dress)
        except NoStart as error:
            raise Mistake(None, f"it did not start again: {error}", error.received) from None
        finally:
            self._keep_stderr(Path(dialogue.stderr_path))

    def _keep_stderr(self, path: Path) -> None:
        if path.exists():
            self.watch.stderr += path.read_text("utf-8", "replace").splitlines()
            path.unlink()

    # ---- the start ---------------------------------------------------------------------------

    def start(self) -> tuple[Hello, float]:
        """Start it once; its hello, and after how many milliseconds that came.

        Raises Mistake of step `start` or `hello`.
        """
        dialogue = Dialogue(
            self.command, game=None, start_seconds=self.start_seconds,
            stderr_folder=str(self.folder), level=self.level,
        )  # fmt: skip
        try:
            with dialogue:
                try:
                    hello, ms = dialogue.begin()
                except NoStart as error:
                    raise self._no_start(dialogue, error) from None
                for words in dialogue.first_words[:-1]:
                    self._before_hello(words.data)
                self.hello = hello
                return hello, ms
        finally:
            self._keep_stderr(Path(dialogue.stderr_path))

    def _no_start(self, dialogue: Dialogue, error: NoStart) -> Mistake:
        words = dialogue.first_words
        if not words:
            return Mistake("start", str(error))
        first = next((each for each in words if each.data.startswith(b"{")), words[0])
        if first.frames != 1:
            return Mistake("hello", bad_frames(first.frames, first.data), first.data)
        reason = str(error)
        if not first.data.lstrip().startswith(b"{") and self.command.transport == "stdio":
            reason = f"it printed {shown(first.data, 60)!r} and no hello; {PRINT_TO_STDERR}"
            return Mistake("hello", reason, first.data)
        text = bad_message(first.data, "")
        if text.startswith("it sent text"):
            text = "its first message is no JSON object; it is to be a hello"
        if not text and b'"hello"' not in first.data:
            reason = f"{reason}; its first message is to be a hello"
        return Mistake("hello", text or reason, first.data)

    def _before_hello(self, data: bytes) -> None:
        if self.command.transport == "stdio":
            text = f"it printed {shown(data, 60)!r} before its hello; {PRINT_TO_STDERR}"
            self.watch.note("stdout", text, data)
        else:
            text = "it sent something before its hello, which is to be the first message"
            self.watch.note("hello", text, data)

    # ---- deals -------------------------------------------------------------------------------

    def deal(self, place: Place) -> None:
        """One deal of a ruleset in a fresh process."""
        with self.process(place) as talk:
            self._base(talk, place, _QUIET_SECONDS)

    def _base(self, talk: Conversation, place: Place, quiet: float = 0.0) -> CheckTable:
        """The deal that is played again and again, to its end."""
        table = talk.table(place.game, place.seat, "base")
        talk.whole(table, quiet)
        self.watch.played(place.name, table.trace)
        return table

    def _where(self) -> Place:
        if self.place is None:
            raise Skip("no deal could be played to its end")
        return self.place

    def _lasting(self) -> Place:
        place = self._where()
        if self.one_deal:
            raise Skip(f"it ends after a deal, see step {NUMBERS['many']}")
        return place

    def fields(self) -> str:
        """A deal with fields that nobody knows, in every message."""
        place = self._where()
        with self.process(place, dress=extended) as talk, _because(_NEW_FIELDS):
            talk.last = "`welcome`"
            self._survives(talk)
            self._base(talk, place, _EXIT_SECONDS)
            self._survives(talk)
        return "in welcome, start, ask, view and end"

    def unknown(self) -> str:
        """A deal with messages that nobody knows, and with others that owe no answer."""
        place = self._where()
        with self.process(place) as talk, _because(_NEW_MESSAGES):
            hello = talk.dialogue.bot.hello
            assert hello is not None
            talk.aside = _Asides(
                Welcome(
                    protocol=PROTOCOL_VERSION, referee=f"referee {__version__}",
                    entrant=self.command.entrant, seat=place.seat, tables=1, batch=hello.batch,
                    limits=talk.dialogue.bot.limits,
                )
            )  # fmt: skip
            self._base(talk, place)
            self._survives(talk)
        return "before and between asks; a second welcome and a fault besides"

    def _survives(self, talk: Conversation) -> None:
        """Raises Mistake where the bot ends by itself though nobody said bye."""
        talk.quiet(talk.last, _EXIT_SECONDS)
        report = talk.dialogue.bot.exit
        if report is not None and not (self.one_deal and talk.last == "`end`"):
            raise Mistake(None, f"it ended after {talk.last}: {ending(report)}")

    def many(self) -> str:
        """Many deals one after another at new tables, some of them games of several deals."""
        place = self._where()
        game = place.game
        ruleset = game.ruleset
        short = game_named(game.name, ruleset, {"max_deals": 3})
        began = time.monotonic()
        deals = 0
        with self.process(place) as talk:
            while deals < MANY_DEALS and (deals < 4 or time.monotonic() - began < MANY_SECONDS):
                games = deals % 6 == 5
                table = talk.table(
                    short if games else game, place.seat, f"many{deals}",
                    "game" if games else "deal",
                )  # fmt: skip
                try:
                    talk.whole(table)
                    if not deals:
                        self._survives(talk)
                except Mistake as mistake:
                    begun = deals + len(table.table.records)
                    fresh = not table.trace or table.table.over
                    self.one_deal = talk.dialogue.bot.exit is not None and fresh
                    raise _after(mistake, begun) from None
                deals += len(table.table.records)
        return f"{deals} deals, some of them as games of several"

    def again(self) -> str:
        """The same deal twice in one process."""
        place = self._lasting()
        with self.process(place) as talk:
            for _ in range(2):
                self._base(talk, place)
        return "the same cards at a new table"

    def end(self) -> str:
        """Tables that end before a card is asked, and in the middle of a deal."""
        place = self._lasting()
        with self.process(place) as talk:
            unasked = talk.table(place.game, place.seat, "unasked")
            talk.start(unasked)
            talk.end(unasked.broken_off())
            self._survives(talk)
            broken = talk.table(place.game, place.seat, "broken")
            talk.start(broken)
            talk.play(broken, decisions=3)
            talk.end(broken.broken_off())
            self._survives(talk)
            talk.whole(talk.table(place.game, place.seat, "after"))
        return "before the first ask and in mid-deal, then a new table"

    # ---- several at once ---------------------------------------------------------------------

    def tables(self) -> str:
        """Several tables whose asks are open together."""
        place = self._where()
        declared = self.hello.tables if self.hello else 1
        if declared < 2:
            raise Skip("its hello says one table")
        several = min(declared, _MOST_TABLES)
        with self.process(place, tables=several) as talk:
            found = [talk.table(place.game, place.seat, f"side{i}") for i in range(several)]
            for table in found:
                talk.start(table)
            talk.play(*found)
        return f"{several} at once (its hello says {declared:,})"

    def batch(self) -> str:
        """Everything in batches."""
        place = self._where()
        if self.hello is None or not self.hello.batch:
            raise Skip("its hello does not say batch")
        several = min(self.hello.tables, _MOST_TABLES)
        with self.process(place, tables=several) as talk:
            talk.batched = True
            found = [talk.table(place.game, place.seat, f"batch{i}") for i in range(several)]
            for table in found:
                talk.start(table)
            talk.play(*found)
            talk.flush()
            self._survives(talk)
        return f"with {several} {'tables' if several > 1 else 'table'}"

    # ---- leaving -----------------------------------------------------------------------------

    def ping(self) -> str:
        """A ping before anything else, and one after a deal."""
        times = []
        with self.process(self.place) as talk:
            for moment in ("after welcome", "between two deals"):
                took = talk.dialogue.ping(PING_SECONDS)
                if took is None:
                    if (report := talk.dialogue.bot.exit) is not None:
                        raise Mistake(None, f"it ended after a ping: {ending(report)}")
                    raise Mistake(None, f"no pong within {PING_SECONDS:g} s to a ping {moment}")
                times.append(took)
                if self.place is None or self.one_deal:
                    break
                if len(times) == 1:
                    self._base(talk, self.place)
            talk.quiet("its pong", _QUIET_SECONDS)
        return f"while idle, after {max(times):.1f} ms at most"

    def bye(self) -> Parting:
        """A deal where it can play one, then bye."""
        with self.process(self.place) as talk:
            if self.place is not None and not self.one_deal:
                self._base(talk, self.place)
            return talk.dialogue.part("the check is done", BYE_SECONDS)

    def orphan(self) -> str:
        """Its standard input ends without a bye."""
        with self.process(self.place) as talk:
            if self.place is not None:
                table = talk.table(self.place.game, self.place.seat, "orphan")
                talk.start(table)
                talk.play(table, decisions=2)
            began = time.monotonic()
            report = talk.dialogue.vanish(ORPHAN_SECONDS)
            if report is None:
                raise Mistake(
                    None,
                    f"it still runs {ORPHAN_SECONDS:g} s after its standard input has ended, "
                    "which is how it learns that the referee is gone",
                )
            took = (time.monotonic() - began) * 1000
            return f"after {took:,.0f} ms, {report.describe()}"


_NEW_FIELDS = "all messages had fields here that it does not know, and is to ignore"
_NEW_MESSAGES = "it was sent messages here that it does not know, and is to ignore"


@contextmanager
def _because(reason: str) -> Iterator[None]:
    """Say of whatever goes wrong what was unusual."""
    try:
        yield
    except Mistake as mistake:
        mistake.reason += f"; {reason}"
        raise


class _Asides:
    """Messages that a bot is to pass over, in turn."""

    def __init__(self, welcome: Welcome) -> None:
        self._sent = 0
        fault: Message = Fault(
            table=None, id=None, kind="protocol", message="only a test of your reading",
            played=None,
        )  # fmt: skip
        self._known = {"start": encode(welcome), "ask": encode(fault)}
        self._unknown = (
            b'{"type":"weather","table":1,"sky":["clear"]}', b'{"type":"notice","id":1}',
        )  # fmt: skip

    def __call__(self, moment: str) -> list[bytes]:
        self._sent += 1
        found = [self._unknown[self._sent % 2]]
        known = self._known.get(moment)
        if known is not None and self._sent < 6:
            found.append(known)
        return found


def _after(mistake: Mistake, deals: int) -> Mistake:
    """A mistake in a process that has played so many deals."""
    if mistake.step == "once":
        mistake.step = "many"
    if not deals or mistake.step not in (None, "many"):
        return mistake
    times = "the first deal" if deals == 1 else f"{deals} deals"
    reason = f"{mistake.reason}; this was after {times}, and a process plays many"
    return Mistake("many", reason, mistake.received)


Activity = Callable[[], str]
