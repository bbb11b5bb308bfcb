"""The bots of a job: one process for each entrant and seat, started, replaced and ended."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import zmq
from msgspec import Struct
from msgspec.structs import replace

from protocol.messages import End, Limits, Start, batch_of, encode
from referee import __version__
from referee.games.game import named
from referee.job import Job
from referee.rulings import Blame, Kind
from referee.seats.bot import BotCommand, BotSeat
from referee.seats.guard import Guard
from referee.seats.sandbox_kernel import hide_memory
from referee.seats.zeromq import SocketFolder

STOP_GRACE_SECONDS = 2.0
"""How long a bot has between `bye` and the end."""


class OpenAsk(Struct, eq=False):
    """An ask that has no answer yet; a Struct, since one is made for every decision."""

    id: int
    live: Any
    seat: int
    at: int
    legal: Sequence[int]
    """Places in the game's alphabet."""
    allowed_ms: float
    sent: float = 0.0
    """When it was handed to the socket; monotonic seconds."""
    lag: float = 0.0
    """The referee's own worst delay since then, in seconds."""

    @property
    def deadline(self) -> float:
        """When its time has run out."""
        return self.sent + self.allowed_ms / 1000

    @property
    def names(self) -> Sequence[str]:
        """The legal actions as the bot is told."""
        return named(self.live.table.game.actions, self.legal)


class Loss(NamedTuple):
    """Why a bot is finished."""

    kind: Kind
    text: str
    received: bytes | None


class Player:
    """One bot process with the asks and tables it has in hand."""

    __slots__ = (
        "_loss",
        "asks",
        "bot",
        "counted",
        "entrant",
        "live",
        "next_id",
        "next_table",
        "notices",
        "open",
        "past",
        "played",
        "seat",
        "start_by",
        "tables",
        "unexpected",
        "unsent",
    )

    def __init__(self, bot: BotSeat, entrant: int, seat: int, start_by: float) -> None:
        self.bot = bot
        self.entrant = entrant
        self.seat = seat
        self.start_by = start_by
        self.live: dict[tuple[Any, int], None] = {}
        """(table in play, seat) of everything it plays now, in the order of their beginning."""
        self.tables = 0
        """So many tables are in that."""
        self.played = 0
        """Tables begun since its start."""
        self.open: dict[int, OpenAsk] = {}
        self.past: dict[int, float] = {}
        """When recent asks were sent that ran out, so that late answers are known."""
        self.next_id = 1
        self.next_table = 1
        self.notices: list[Start | End] = []
        """What goes out with the next ask, or when nothing else is to be done."""
        self.asks: list[str] = []
        """What it will be asked, encoded, as soon as everything that has come in is dealt with."""
        self.unsent: list[OpenAsk] = []
        """The same asks; the clock of each starts when it is handed over."""
        self._loss: Loss | None = None
        self.counted = False
        """Whether that has been counted as a hard fault of its entrant."""
        self.unexpected = 0
        """Unexpected messages since it was last asked something."""

    def seated(self, live: Any, seats: Sequence[int]) -> None:
        """It plays these seats of a table from now on."""
        self.tables += 1
        for seat in seats:
            self.live[live, seat] = None

    def rises(self, live: Any, seats: Sequence[int]) -> None:
        """The table is over."""
        self.tables -= 1
        for seat in seats:
            del self.live[live, seat]

    def hand_over(self) -> None:
        """Send what is waiting for it: as one message where both sides said `batch`."""
        bot = self.bot
        messages = self.asks
        self.asks = []
        if self.notices:
            messages = [encode(notice).decode() for notice in self.notices] + messages
            self.notices.clear()
        if len(messages) > 1 and bot.batch:
            bot.send_encoded(batch_of(messages).encode())
        else:
            for message in messages:
                bot.send_encoded(message.encode())

    def ask_now(self, now: float) -> None:
        """Hand over its asks, whose clocks start here."""
        self.unexpected = 0
        self.bot.new_turn()
        unsent = self.unsent
        self.unsent = []
        for ask in unsent:
            ask.sent = now
        self.hand_over()

    def hears_alone(self) -> bool:
        """Wait for its answer alone, for a moment, if it owes one: whether there is something."""
        return bool(self.open) and self.bot.link.await_message()

    def drop_asks(self) -> None:
        """It is asked nothing any more."""
        self.open.clear()
        self.asks.clear()
        self.unsent.clear()

    @property
    def loss(self) -> Loss | None:
        """Why it is finished, once it is."""
        return self._loss

    @loss.setter
    def loss(self, loss: Loss) -> None:
        # An end is no plain crash where its keeper has seen which limit it ran into.
        report = self.bot.exit
        if loss.kind == "crashed" and report is not None and report.excess:
            loss = loss._replace(kind="resource")
        self._loss = loss


class Roster:
    """All players of a job; owns their sockets and processes."""

    def __init__(self, job: Job, now: float) -> None:
        self.job = job
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.folder = SocketFolder()
        self.poller = zmq.Poller()
        self.by_socket: dict[Any, Player] = {}
        self.by_process: dict[int, Player] = {}
        self.players: dict[tuple[int, int], Player] = {}
        self.ending: list[BotSeat] = []
        """Processes that have been told to go and are not gone yet."""
        self._starts = 0
        self.hard_faults = [0] * len(job.entrants)
        self.last_loss: list[Loss | None] = [None] * len(job.entrants)
        """How each entrant came by its last hard fault."""
        self._untold = [list(job.failed.get(entrant.entrant, ())) for entrant in job.entrants]
        """Faults of each entrant's processes that came to no table, until they are in the log."""
        if job.sandbox != "basic" and sys.platform == "linux":
            hide_memory()
        seats = {
            (entrant, self._place(seat))
            for plan in job.sets
            for seating in plan.seatings
            for seat, entrant in enumerate(seating)
        }
        for entrant, place in sorted(seats):
            self._start(entrant, place, now)
        self.guard = Guard(self._in_hand)
        self.guard.start()

    def _in_hand(self) -> list[tuple[BotSeat, bool]]:
        """All processes that are not buried, and whether an answer of each is waited for."""
        return [(player.bot, bool(player.open)) for player in list(self.by_process.values())]

    def _place(self, seat: int) -> int:
        return seat if self.job.isolation == "seat" else -1

    def _start(self, entrant: int, place: int, now: float) -> Player:
        job = self.job
        command: BotCommand = job.entrants[entrant]
        self._starts += 1
        seat = place if place >= 0 else "all"
        name = f"{command.entrant}.seat-{seat}.set-{job.sets[0].number}.{self._starts}.txt"
        bot = BotSeat(
            self.context,
            self.folder,
            command,
            seat=place if place >= 0 else None,
            game=job.game,
            tables=job.tables,
            limits=self._limits(command),
            referee=f"referee {__version__}",
            stderr_path=str(Path(job.stderr_folder) / name),
            level=job.sandbox,
            hidden=job.hidden,
        )
        player = Player(bot, entrant, place, now + job.start_ms / 1000)
        self.players[entrant, place] = player
        for source in bot.link.sources:
            self.by_socket[source] = player
        self.by_process[bot.process.fileno()] = player
        bot.link.watch(self.poller)
        self.poller.register(bot.process.fileno(), zmq.POLLIN)
        return player

    def _limits(self, command: BotCommand) -> Limits:
        allowed = command.allowance
        return Limits(
            message_bytes=allowed.message_bytes,
            unexpected_messages=allowed.unexpected_messages or self.job.unexpected_messages,
            soft_faults=self.job.soft_faults,
        )

    def at(self, entrant: int, seat: int) -> Player:
        """The player of an entrant for a seat."""
        return self.players[entrant, self._place(seat)]

    def replace(self, player: Player, now: float) -> None:
        """A fresh process in a dead one's place."""
        self._start(player.entrant, player.seat, now)

    def count_hard_fault(self, player: Player) -> None:
        """Count a finished process against its entrant, once."""
        if not player.counted:
            player.counted = True
            self.hard_faults[player.entrant] += 1
            self.last_loss[player.entrant] = player.loss

    def unseated(self, player: Player, blame: Blame) -> None:
        """Count a process that is finished before its first table; the next one tells of it."""
        self.count_hard_fault(player)
        self._untold[player.entrant].append(blame)

    def untold(self, entrant: int, seat: int, *, all_seats: bool = False) -> list[Blame]:
        """Take what has not been told of an entrant's processes, to be logged with this seat."""
        here = [
            blame
            for blame in self._untold[entrant]
            if all_seats or blame.seat < 0 or blame.seat == seat
        ]
        for blame in here:
            self._untold[entrant].remove(blame)
        return [
            replace(blame, seat=seat, message=f"before this table: {blame.message}")
            for blame in here
        ]

    def cut_off(self, player: Player, *, kill: bool, reason: str = "") -> None:
        """No more is heard from this process; it ends now, or after a polite bye."""
        bot = player.bot
        if bot.state == "gone":
            return
        for source in bot.link.sources:
            del self.by_socket[source]
        bot.link.unwatch(self.poller)
        if kill:
            bot.kill()
        else:
            bot.stop(reason, STOP_GRACE_SECONDS)
        self.ending.append(bot)

    def bury(self, fd: int) -> None:
        """Free what is left of a process once it and all it started are gone."""
        self.poller.unregister(fd)
        player = self.by_process.pop(fd)
        bot = player.bot
        if bot in self.ending:
            self.ending.remove(bot)
        bot.close()

    def active(self) -> Iterator[Player]:
        """Players whose process has not been cut off."""
        return (player for player in self.players.values() if player.bot.state != "gone")

    def close(self, *, kill: bool, seconds: float) -> None:
        """End all processes and wait until they and all they started are gone."""
        self.guard.stop()
        for player in list(self.players.values()):
            self.cut_off(player, kill=kill, reason="the job is done")
        for player in list(self.by_process.values()):
            if not player.bot.process.wait_gone(seconds):
                player.bot.process.kill()
                player.bot.process.wait_gone(seconds)
            player.bot.close()
        self.by_process.clear()
        self.context.destroy(linger=0)
        self.folder.close()
