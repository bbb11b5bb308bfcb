"""Judges what bots send and fail to send: answers, stray messages, silence, deaths.

Each fault is ruled on by the table, blamed in the record, and told to the bot. Answers that are
not in question go straight on.
"""

import math
import time
from collections.abc import Callable, Sequence

from protocol.messages import Act, Fault, ToBot
from referee.blaming import blame_of, own_fault
from referee.clock import GRACE_MS, has_banks
from referee.job import Job, Unstartable
from referee.lateness import Processors
from referee.live import LiveTable, legible
from referee.roster import Loss, OpenAsk, Player, Roster
from referee.rulings import Blame, Kind, escaped
from referee.seats.guard import Overrun
from referee.seats.trouble import Trouble
from referee.seats.zeromq import CUT_BYTES

LAG_SECONDS = 0.1
"""A referee later than this within a decision may have spoilt it."""

SUSPICION_SECONDS = 0.05
"""How often a dropped connection is looked at until it is explained."""

_PAST_ASKS = 64
"""Asks that ran out and are remembered, for each bot."""


class Spoilt(Exception):
    """The referee itself spoilt a set."""

    def __init__(self, set_number: int, blame: Blame) -> None:
        super().__init__(blame.message)
        self.set_number = set_number
        self.blame = blame


class CannotStart(Exception):
    """An entrant's bot cannot be started."""

    def __init__(self, entrant: str, blame: Blame) -> None:
        super().__init__(blame.message)
        self.report = Unstartable(entrant=entrant, blame=blame)


class Judge:
    """Rules on everything that one job's bots do; tells the arena which tables go on."""

    def __init__(self, job: Job, roster: Roster, go_on: Callable[[LiveTable], None]) -> None:
        self.job = job
        self.roster = roster
        self._go_on = go_on
        """Asks a table's next decision, or ends it."""
        self.started = set(job.started)
        """Entrants known to be able to start."""
        self.decisions = 0
        self._banks = has_banks(job.time)
        self.earliest = math.inf
        """No open ask runs out before this, though some may later; monotonic seconds."""
        self.processors = Processors()

    def take(self, player: Player) -> None:
        """Take the messages of one bot; never more than its asks and some of its own accord."""
        messages = player.bot.receive(len(player.open) + 16)
        if player.start_by and player.bot.state == "ready":
            player.start_by = 0.0
            self.started.add(player.bot.command.entrant)
            player.bot.welcome(time.monotonic())
            self.processors.look(player, time.monotonic())  # to count from
        if not messages:
            return
        read_at = time.monotonic()
        bot = player.bot
        for message in messages:
            if isinstance(message, Act):
                self._answered(player, message, read_at)
            else:
                self._troubled(player, message, read_at)
            if bot.state == "gone":
                return

    def watch(self, player: Player, now: float) -> None:
        """Look at a bot's start and connection; done now and then."""
        bot = player.bot
        if bot.state == "starting":
            if now >= player.start_by + self._still(player, 0.0):
                text = f"no valid hello within {self.job.start_ms} ms{bot.silence()}"
                self._start_fault(player, "start_timeout", text)
            else:
                bot.tick(now)
                bot.process.ask_stderr()  # a silent bot may say there what it waits for
            return
        bot.tick(now)
        if bot.suspicious:
            self.take(player)  # what it sent before it hung up counts
            if bot.state == "ready" and bot.disconnected(now):
                text = f"its connection is closed (a frame over {CUT_BYTES} bytes is cut off)"
                self._hard_fault(player, "disconnected", text)

    def _answered(self, player: Player, act: Act, now: float) -> None:
        """An act: play it, or rule on it; only its id ties it to a question."""
        ask = player.open.pop(act.id, None)
        if ask is None or not ask.sent:
            if ask is not None:
                player.open[act.id] = ask
            self._stray_answer(player, act, now)
            return
        live: LiveTable = ask.live
        table = live.table
        seat = ask.seat
        took = (now - ask.sent) * 1000
        if self._banks:
            live.clocks[seat].spend(took - ask.lag * 1000)
        live.times.append((seat, ask.at, took))
        if act.note is not None:
            live.noted(ask.at, act.note)
        self.decisions += 1
        place = table.game.index.get(act.action, -1)
        if place not in ask.legal:
            text = table.refusal(act.action[:80])
            self._soft_fault(player, ask, "illegal", text, act.action.encode(), now)
            return
        table.play(place)
        self._go_on(live)

    def _stray_answer(self, player: Player, act: Act, now: float) -> None:
        """An answer to no open ask: late, given twice, or to nothing that was asked."""
        sent = player.past.pop(act.id, None)
        if sent is not None:
            took = (now - sent) * 1000
            text = f"the answer to ask {act.id} came after {took:.0f} ms: too late, not used"
        elif act.id < player.next_id:
            text = f"ask {act.id} has been answered: a second answer is not used"
        else:
            text = f"there is no ask {act.id}"
        self._unexpected(player, "protocol", text, act.action.encode(), act.id)

    def _troubled(self, player: Player, trouble: Trouble, now: float) -> None:
        """Something that is no usable message: a fault where it concerns an open ask."""
        trouble = trouble._replace(message=legible(trouble.message))  # it may quote the bot
        if trouble.kind == "start_failed":
            self._start_fault(player, "start_failed", trouble.message, trouble.received)
        elif trouble.kind == "flood":
            self._hard_fault(player, "flood", trouble.message, received=trouble.received)
        else:
            number = trouble.id
            asked = [ask.id for ask in player.open.values() if ask.sent]
            if number is None and trouble.kind == "malformed" and len(asked) == 1:
                number = asked[0]
            if number is None or number not in asked:
                self._unexpected(player, trouble.kind, trouble.message, trouble.received, number)
                return
            ask = player.open.pop(number)
            live: LiveTable = ask.live
            live.times.append((ask.seat, ask.at, (now - ask.sent) * 1000))
            live.clocks[ask.seat].spend((now - ask.sent - ask.lag) * 1000)
            self._soft_fault(player, ask, trouble.kind, trouble.message, trouble.received, now)

    def _unexpected(
        self, player: Player, kind: Kind, text: str, received: bytes, number: int | None
    ) -> None:
        """A message that changes no deal: counted, and a flood when there are too many."""
        player.unexpected += 1
        limit = player.bot.limits.unexpected_messages
        if player.unexpected >= limit:
            text = f"{limit} unexpected messages in one turn; the last: {text}"
            self._hard_fault(player, "flood", text, received=received)
            return
        for live, seat in player.live:
            live.surprised(seat)
        if player.live:
            live, seat = next(iter(player.live))
            blame = Blame(
                kind=kind, seat=seat, ruling="none", message=text, ask=number,
                received=escaped(received),
            )  # fmt: skip
            live.blamed(blame)
        self._tell(player, Fault(table=None, id=number, kind=kind, message=text, played=None))

    # ---- faults ------------------------------------------------------------------------------

    def _soft_fault(
        self,
        player: Player,
        ask: OpenAsk,
        kind: Kind,
        text: str,
        received: bytes | None,
        now: float,
    ) -> None:
        """Rule on a fault that concerns an open ask, blame it, tell the bot, and go on."""
        live: LiveTable = ask.live
        table = live.table
        played = ask.names[0]
        ruling = table.fault(kind)
        blame = Blame(
            kind=kind,
            seat=ask.seat,
            ruling=ruling,
            message=text,
            at=ask.at,
            ask=ask.id,
            limit_ms=round(ask.allowed_ms, 1),
            took_ms=round((now - ask.sent) * 1000, 1),
            lag_ms=round(ask.lag * 1000, 1),
            received=escaped(received) if received is not None else None,
        )
        live.blamed(blame)
        if ruling == "forfeit":
            text += "; too many faults: the referee plays on for this seat"
        self._tell(
            player,
            Fault(
                table=live.numbers[ask.seat], id=ask.id, kind=kind, message=text, played=played
            ),
        )
        self._go_on(live)

    def expire(self, now: float) -> None:
        """Rule on every ask whose time has run out."""
        late: list[tuple[Player, OpenAsk]] = []
        earliest = math.inf
        for player in self.roster.players.values():
            for ask in player.open.values():
                if not ask.sent:
                    continue
                if ask.deadline > now:
                    earliest = min(earliest, ask.deadline)
                elif (until := ask.deadline + self._still(player, ask.sent)) > now:
                    earliest = min(earliest, until)
                elif self._explained(player, now):
                    # Silence that a dropped connection may explain is looked at again soon.
                    earliest = min(earliest, now + SUSPICION_SECONDS)
                else:
                    late.append((player, ask))
        self.earliest = earliest
        for player, ask in late:
            if player.open.pop(ask.id, None) is None:
                continue
            took = (now - ask.sent) * 1000
            used = self._excused(player, ask, now)
            if used is not None and used < ask.allowed_ms:
                raise Spoilt(ask.live.table.set_number, own_fault(ask, took, used))
            player.past[ask.id] = ask.sent
            if len(player.past) > _PAST_ASKS:
                del player.past[next(iter(player.past))]
            ask.live.clocks[ask.seat].spend(took)
            ask.live.times.append((ask.seat, ask.at, took))
            text = (
                f"no answer to ask {ask.id} within {ask.allowed_ms:.0f} ms "
                f"({GRACE_MS:.0f} ms of grace included){player.bot.silence()}"
            )
            if used is not None:
                text += (
                    f"; the referee was late by {ask.lag * 1000:.0f} ms, but the bot has used "
                    f"{used:.0f} ms of processor time since"
                )
            self._soft_fault(player, ask, "timeout", text, None, now)

    def _still(self, player: Player, since: float) -> float:
        """How long the guard has made a bot stand still, which is not its time; in seconds."""
        return self.roster.guard.stood_still(player.bot, since)

    def _explained(self, player: Player, now: float) -> bool:
        """Whether a bot is silent since its connection has dropped, which is being looked at."""
        bot = player.bot
        bot.tick(now)
        if bot.suspicious:
            bot.disconnected(now)  # clears the suspicion where the probe got through
        return bot.suspicious

    def _excused(self, player: Player, ask: OpenAsk, now: float) -> float | None:
        """Processor time (ms) that a bot had while the referee was late; None where it was not."""
        late = ask.lag > LAG_SECONDS and (now - ask.sent - ask.lag) * 1000 < ask.allowed_ms
        return self.processors.used_ms(player, ask, now) if late else None

    def process_event(self, fd: int) -> None:
        """Something happened to a process: it may have failed to start, ended, or be gone."""
        player = self.roster.by_process.get(fd)
        if player is None:
            return
        bot = player.bot
        bot.process.poll()
        if bot.state != "gone":
            failure = bot.start_failure
            if failure is not None and bot.process.failed_step not in ("exec", "cwd"):
                raise RuntimeError(failure)  # no fault of the bot's: a fresh worker tries again
            if failure is not None:
                self._start_fault(player, "start_failed", failure)
            elif bot.exit is not None:
                # What it sent before it ended counts.
                if player.open:
                    bot.settle()
                self.take(player)
                if bot.state == "starting":
                    text = f"ended before its hello: {bot.exit.describe()}{bot.said_by_others()}"
                    words = last_words(bot.exit.stderr_first, bot.exit.stderr_last)
                    if words:
                        text += f"; its last words: {words}"
                    self._start_fault(player, "start_failed", text)
                elif bot.state == "ready":
                    self._hard_fault(player, "crashed", bot.exit.describe())
        if bot.process.gone and bot.state == "gone":
            self.roster.bury(fd)

    def _start_fault(
        self, player: Player, kind: Kind, text: str, received: bytes | None = None
    ) -> None:
        """A bot that did not start: its sets cannot be played, unless it could start before."""
        entrant = player.bot.command.entrant
        if entrant in self.started:
            self._hard_fault(player, kind, text, received=received)
            return
        if (known := self._known(player)) is not None:
            kind, text = "start_failed", known
        raise CannotStart(
            entrant, blame_of(player, Loss(kind, text, received), player.seat, None, "none")
        )

    def _hard_fault(
        self, player: Player, kind: Kind, text: str, *, received: bytes | None = None
    ) -> None:
        """The bot is finished: its process ends, and it forfeits what it still had to play.

        A bot that is gone owes nothing at a table until it is asked there, so one that has
        played its last card of a deal has played the deal.
        """
        if (known := self._known(player)) is not None:
            kind, text = "flood", known
        player.loss = Loss(kind, text, received)
        owed = {(ask.live, ask.seat): ask for ask in player.open.values()}
        gone = kind in ("crashed", "disconnected")
        if not player.played:
            assert player.loss is not None
            self.roster.unseated(player, blame_of(player, player.loss, player.seat, None, "none"))
        for live, seat in list(player.live):
            if not gone or (live, seat) in owed:
                self._forfeit(player, live, seat, owed.get((live, seat)))
        self.roster.cut_off(player, kill=True)
        player.drop_asks()
        player.notices.clear()
        for live in {live for live, _ in owed}:
            self._go_on(live)

    def _known(self, player: Player) -> str | None:
        """Why the guard has ended a bot, where it has; raises Overrun where that was a mistake."""
        verdict = self.roster.guard.verdict(player.bot)
        if verdict is not None and not verdict.guilty:
            raise Overrun(verdict.text)
        return verdict and verdict.text

    def absent(self, live: LiveTable, seat: int) -> None:
        """A seat is wanted whose bot has gone before."""
        self._forfeit(live.players[seat], live, seat, None)

    def _forfeit(self, player: Player, live: LiveTable, seat: int, ask: OpenAsk | None) -> None:
        """Blame a finished bot at one table, and play on for its seat."""
        loss = player.loss
        assert loss is not None
        self.roster.count_hard_fault(player)
        live.blamed(blame_of(player, loss, seat, ask, "forfeit"))
        table = live.numbers[seat]
        self._tell(
            player, Fault(table=table, id=None, kind=loss.kind, message=loss.text, played=None)
        )
        live.table.forfeit(seat, loss.kind)

    def _tell(self, player: Player, message: ToBot) -> None:
        if player.bot.state == "ready":
            player.bot.send(message)


def last_words(first: Sequence[str], last: Sequence[str]) -> str:
    """The line of standard error that tells most: the last that speaks of an error, or the last.

    >>> last_words([], ["Error: no such module", "    at Error.load (a.js:1)", "Node.js v20"])
    'Error: no such module'
    """
    lines = [*first, *last]
    errors = [
        line for line in lines if "error" in line.lower() and not line.lstrip().startswith("at ")
    ]
    return (errors or lines or [""])[-1]
