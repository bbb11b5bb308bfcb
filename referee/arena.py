"""The poll loop: many tables, their bots and their clocks. The only place where they meet.

One turn of the loop: send what is due, wait, take everything that has arrived, then look at exits,
and only then at clocks. So a slow referee never punishes a bot whose answer is already here, and
a bot that answers and exits has answered.
"""

import math
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import zmq

from protocol.messages import End, Start, ask_tail, ask_text
from referee.cards import DealKey, seed_for, shuffled
from referee.clock import GRACE_MS, has_banks
from referee.collecting import collecting_rarely
from referee.games.game import Game, named
from referee.games.rulesets import game_from
from referee.job import Job, Played, Progress, Report, SetPlan, Voided
from referee.judge import LAG_SECONDS, SUSPICION_SECONDS, CannotStart, Judge, Spoilt
from referee.live import LiveTable
from referee.log import Line, Unplayed, encoded
from referee.roster import OpenAsk, Player, Roster
from referee.rulings import Blame
from referee.seats.guard import Overrun
from referee.seats.zeromq import ALONE_SECONDS
from referee.table import Table

TICK_SECONDS = 0.25
"""How often exits, connections and progress are looked at when nothing else happens."""

_NOTICED_LAG = 0.005
"""Shorter delays are not worth telling the open asks about."""

_SETTLE_SECONDS = 0.02
"""After a long delay, what bots have sent meanwhile gets so long to come off the wire."""

DRAIN = b"d"
"""What the coordinator writes to have the sets in flight finished and no new ones begun."""


class Aborted(Exception):
    """The coordinator is gone, or wants the job to end at once."""


class Arena:
    """Plays the sets of one job with real bots, and reports each as it is finished."""

    def __init__(
        self, job: Job, report: Callable[[Report], None], control: int | None = None
    ) -> None:
        self.job = job
        self.report = report
        self.control = control
        """A descriptor: DRAIN on it ends the job softly, its end of file at once."""
        self.game: Game = game_from(job.game, job.ruleset, job.rules)
        self.waiting: Iterator[tuple[SetPlan, int]] = (
            (plan, table) for plan in job.sets for table in range(len(plan.seatings))
        )
        self.next_table = next(self.waiting, None)
        self.tables_in = {plan.number: len(plan.seatings) for plan in job.sets}
        self.in_flight: set[LiveTable] = set()
        self.set_lines: dict[int, dict[int, list[Line]]] = {}
        """Lines of the tables that have ended, by set and table, until the set is complete."""
        self.draining = False
        self.worst_lag = 0.0
        self._to_ask: list[Player] = []
        self._asked: Player | None = None
        """Who was asked last."""
        times = job.time
        self._tail = "" if has_banks(times) else ask_tail(times.decision_ms, 0)
        """How all asks end; empty where that depends on a seat's bank."""
        self._least_seconds = (times.decision_ms + GRACE_MS) / 1000
        """No ask runs out sooner."""

    @collecting_rarely()
    def run(self) -> None:
        """Play until all sets are reported, or the job has to stop.

        Raises Aborted when the coordinator is gone; everything that was started is ended first.
        """
        self.roster = Roster(self.job, time.monotonic())
        self.judge = Judge(self.job, self.roster, self._go_on)
        if self.control is not None:
            self.roster.poller.register(self.control, zmq.POLLIN)
        kill = True
        try:
            self._loop()
            kill = False
        except Spoilt as spoilt:
            blame = [spoilt.blame]
            self.report(Voided(set=spoilt.set_number, reason=spoilt.blame.message, blame=blame))
        except Overrun as overrun:
            self._void(str(overrun))
        except CannotStart as failed:
            self.report(failed.report)
        finally:
            self.roster.close(kill=kill, seconds=5.0)

    def _void(self, reason: str) -> None:
        """Give up what has begun, or the next set where nothing has: nobody is to blame."""
        begun = {live.table.set_number for live in self.in_flight} | set(self.set_lines)
        if not begun and self.next_table is not None and not self.draining:
            begun = {self.next_table[0].number}
        for number in sorted(begun):
            self.report(Voided(set=number, reason=reason, blame=[]))

    # ---- the loop ----------------------------------------------------------------------------

    def _loop(self) -> None:
        now = time.monotonic()
        next_tick = now + TICK_SECONDS
        look_round = now
        poll = self.roster.poller.poll
        while True:
            if len(self.in_flight) < self.job.tables:
                self._begin_tables(now)
            if not self.in_flight and self._nothing_to_begin():
                self._tick(now)
                return
            if self._to_ask:
                self._flush()
            before = time.monotonic()
            if before - now > _NOTICED_LAG:
                self._lagged(before - now, before)
            wake = self.judge.earliest
            if next_tick < wake:
                wake = next_tick
            # At one table only one bot has something to say: a moment is for it alone.
            lone = self._asked if len(self.in_flight) == 1 else None
            if lone and before < look_round and before < wake - ALONE_SECONDS:
                heard = lone.hears_alone()
                before = time.monotonic()
                if heard and before < wake:
                    now = before
                    self.judge.take(lone)
                    continue
            events: list[tuple[Any, int]] = poll(max(0, math.ceil((wake - before) * 1000)))
            after = time.monotonic()
            look_round = after + ALONE_SECONDS
            if after - wake > _NOTICED_LAG:
                self._lagged(after - wake, after)
            if after - wake > LAG_SECONDS:
                # The thread that reads the sockets was late as well.
                time.sleep(_SETTLE_SECONDS)
                events += poll(0)
            now = after
            exits = self._take_all(events)
            for fd in exits:
                self.judge.process_event(fd)
            if now >= self.judge.earliest:
                self.judge.expire(now)
            if now >= next_tick:
                next_tick = now + self._tick(now)

    def _nothing_to_begin(self) -> bool:
        """Whether no table is left to begin, or the rest is to stay for another day."""
        return self.next_table is None or (self.draining and not self.next_table[1])

    def _take_all(self, events: "list[tuple[Any, int]]") -> list[int]:
        """Take what has arrived from every bot; the descriptors that had something else."""
        others: list[int] = []
        by_socket = self.roster.by_socket
        for source, _ in events:
            player = by_socket.get(source)
            if player is not None:
                self.judge.take(player)
            elif source == self.control:
                self._obey()
            elif isinstance(source, int):
                others.append(source)
        return others

    def _obey(self) -> None:
        assert self.control is not None
        word = os.read(self.control, 64)
        if not word:
            raise Aborted
        self.draining = True

    def _lagged(self, lag: float, now: float) -> None:
        """The referee itself was late until now: all asks and starts that were open then know."""
        self.worst_lag = max(self.worst_lag, lag)
        for player in self.roster.players.values():
            if player.start_by:
                player.start_by += lag
            for ask in player.open.values():
                ask.lag = max(ask.lag, min(lag, now - ask.sent))
        for live in self.in_flight:
            live.lag_ms = max(live.lag_ms, lag * 1000)

    def _tick(self, now: float) -> float:
        """Look at starts and connections and report progress; seconds until the next time."""
        seconds = TICK_SECONDS
        self.roster.guard.check()
        for player in list(self.roster.active()):
            bot = player.bot
            if player.notices and not player.asks:
                player.hand_over()
            self.judge.watch(player, now)
            self.judge.processors.look(player, now)
            if bot.suspicious:
                seconds = SUSPICION_SECONDS
        self.report(
            Progress(
                decisions=self.judge.decisions,
                tables=len(self.in_flight),
                lag_ms=round(self.worst_lag * 1000, 1),
            )
        )
        self.judge.decisions = 0
        self.worst_lag = 0.0
        return seconds

    # ---- tables ------------------------------------------------------------------------------

    def _begin_tables(self, now: float) -> None:
        """Seat tables in the order of the plan while their bots have room."""
        while self.next_table is not None and len(self.in_flight) < self.job.tables:
            plan, place = self.next_table
            if self.draining and not place:
                return  # a set that has not begun stays for another day
            seating = plan.seatings[place]
            out = [self.roster.hard_faults[entrant] >= self.job.crashes for entrant in seating]
            if any(out):
                self._unplayed(plan, place, out)
            elif self._room(seating, now):
                self._begin(plan, place)
            else:
                return
            self.next_table = next(self.waiting, None)

    def _room(self, seating: list[int], now: float) -> bool:
        """Whether all bots of a seating are ready and play fewer tables than they can."""
        room = True
        for seat, entrant in enumerate(seating):
            player = self.roster.at(entrant, seat)
            bot = player.bot
            if bot.state == "gone":
                self.roster.replace(player, now)
                room = False
            elif bot.hello is None:
                room = False
            else:
                room = room and player.tables < bot.hello.tables
        return room

    def _begin(self, plan: SetPlan, place: int) -> None:
        job = self.job
        seating = plan.seatings[place]
        players = [self.roster.at(entrant, seat) for seat, entrant in enumerate(seating)]
        key = DealKey(job.secret, job.game, job.ruleset, job.pairing, plan.number, 0, 0)
        size = self.game.pack.size

        def cards(deal: int, redeal: int) -> list[int]:
            return shuffled(key._replace(deal=deal, redeal=redeal), size)

        table = Table(
            self.game,
            job.unit,
            set_number=plan.number,
            number=place,
            entrants=[job.entrants[entrant].entrant for entrant in seating],
            cards=cards,
            soft_faults=job.soft_faults,
        )
        numbers = []
        for player in players:
            numbers.append(player.next_table)
            player.next_table += 1
            player.played += 1
        live = LiveTable(table, players, numbers, job.time)
        self.in_flight.add(live)
        for player, seats in live.seats().items():
            player.seated(live, seats)
        for seat, player in enumerate(players):
            for blame in self.roster.untold(player.entrant, seat):
                live.blamed(blame)
            player.notices.append(
                Start(
                    table=numbers[seat], game=job.game, ruleset=job.ruleset, rules=job.rules,
                    seat=seat, sides=list(self.game.sides), unit=job.unit, time=job.time,
                    seed=seed_for(key, place, seat),
                )
            )  # fmt: skip
        self._go_on(live)

    def _go_on(self, live: LiveTable) -> None:
        """Report deals that have ended, then ask for the next decision or end the table."""
        table = live.table
        while True:
            if len(table.records) > len(live.lines):
                self._end_deals(live)
                if table.over:
                    self._end_table(live)
                    return
            deal = table.deal
            seat = deal.to_act
            assert seat is not None
            player: Player = live.players[seat]
            if player.bot.state != "gone":
                break
            self.judge.absent(live, seat)
        legal = deal.legal()
        clock = live.clocks[seat]
        tail = self._tail or ask_tail(clock.time.decision_ms, int(clock.bank_ms))
        number = player.next_id
        player.next_id = number + 1
        ask = OpenAsk(number, live, seat, table.at, legal, clock.allowed_ms)
        player.open[number] = ask
        if not player.asks:
            self._to_ask.append(player)
        player.unsent.append(ask)
        player.asks.append(
            ask_text(
                live.heads[seat], number, deal.view_json(seat),
                named(self.game.actions, legal), tail,
            )
        )  # fmt: skip

    def _flush(self) -> None:
        """Hand over the asks that are due; the clock of each starts here."""
        judge = self.judge
        for player in self._to_ask:
            if player.bot.state == "gone":
                player.drop_asks()
                continue
            self._asked = player
            now = time.monotonic()
            player.ask_now(now)
            if now + self._least_seconds < judge.earliest:
                judge.earliest = now + self._least_seconds
        self._to_ask.clear()

    def _end_deals(self, live: LiveTable) -> None:
        """Close finished deals and tell every seat their points."""
        first = len(live.lines)
        live.close_deals()
        records = live.table.records
        for record in records[first:]:
            over = record.nets is not None
            for player, number in zip(live.players, live.numbers, strict=True):
                end = End(
                    table=number, deal=record.deal, points=record.points, score=record.score,
                    over=over,
                )  # fmt: skip
                player.notices.append(end)

    def _end_table(self, live: LiveTable) -> None:
        self.in_flight.discard(live)
        for player, seats in live.seats().items():
            player.rises(live, seats)
        self._table_done(live.table.set_number, live.table.number, list(live.lines))

    def _table_done(self, set_number: int, place: int, lines: list[Line]) -> None:
        """Keep a table's lines; report the set when it is complete."""
        done = self.set_lines.setdefault(set_number, {})
        done[place] = lines
        if len(done) == self.tables_in[set_number]:
            del self.set_lines[set_number]
            ordered = [line for table in sorted(done) for line in done[table]]
            self.report(Played(set=set_number, lines=encoded(ordered)))

    def _unplayed(self, plan: SetPlan, place: int, out: list[bool]) -> None:
        """A table that entrants forfeit by crashing too often: their floor, no card dealt."""
        seating = plan.seatings[place]
        sides = self.game.sides
        floor = -1.0 if self.job.unit == "game" else self.game.lowest_net()
        nets = [0.0] * (max(sides) + 1)
        blame = []
        for seat, is_out in enumerate(out):
            blame += self.roster.untold(seating[seat], seat, all_seats=is_out)
            if is_out:
                nets[sides[seat]] = floor
                last = self.roster.last_loss[seating[seat]]
                assert last is not None
                text = f"after {self.job.crashes} hard faults in this job; the last: {last.text}"
                blame.append(Blame(kind=last.kind, seat=seat, ruling="forfeit", message=text))
        line = Unplayed(
            set=plan.number,
            table=place,
            reason="forfeited",
            seats=[self.job.entrants[entrant].entrant for entrant in seating],
            nets=nets,
            blame=blame,
        )
        self._table_done(plan.number, place, [line])

