"""Logged decisions put to a bot again: it sees what that seat saw, and its answer is compared.

A table is told from its first deal on, as it was: the start, every ask of the seat with the view it
had, the end of each deal. Whatever the bot answers, the next view is the logged one.
"""

from collections.abc import Iterator

from msgspec import Raw, Struct, to_builtins

from protocol.messages import EncodedAsk, End, Start
from referee.cards import DealKey, seed_for
from referee.games.game import Deal, Game, Tally
from referee.log import Header, SetRecord, SideRecord
from referee.retelling import Retelling, told
from referee.seats.dialogue import Dialogue
from referee.table import PlayRecord

NO_LIMIT_SECONDS = 600.0


class Asked(Struct, frozen=True, kw_only=True):
    """One decision for which a seat was asked."""

    set: int
    table: int
    deal: int
    at: int
    """Its place in the deal's actions."""
    seat: int
    entrant: str
    view: str
    legal: list[str]
    action: str
    """What was played."""
    ms: float
    """How long that took."""


class Retried(Struct, frozen=True, kw_only=True):
    """The bot's answer beside the logged one."""

    asked: Asked
    action: str | None
    """None where it gave none."""
    ms: float
    problem: str
    """What was wrong with the answer; empty where it was legal and in time."""

    @property
    def changed(self) -> bool:
        """Whether the bot decides otherwise now, or not at all."""
        return self.action != self.asked.action or bool(self.problem)


class _Asks(Retelling):
    """Keeps every decision that somebody was asked for."""

    def __init__(self, game: Game, tally: Tally, play: PlayRecord, side: SideRecord) -> None:
        super().__init__(game, tally, play, side)
        self.asks: list[Asked] = []
        self._times = {(seat, at): ms for seat, at, ms in side.times}

    def act(self, deal: Deal, at: int, place: int) -> None:
        """Keep the position before the action."""
        seat = deal.to_act
        assert seat is not None
        ms = self._times.get((seat, at))
        if ms is not None:
            names = self.game.actions
            self.asks.append(
                Asked(
                    set=self.play.set, table=self.play.table, deal=self.play.deal, at=at,
                    seat=seat, entrant=self.play.seats[seat], view=deal.view_json(seat),
                    legal=[names[action] for action in deal.legal()], action=names[place], ms=ms,
                )
            )  # fmt: skip
        deal.apply(place)


class TableAsks(Struct, frozen=True, kw_only=True):
    """A logged table: its deals, each with what was asked in it."""

    number: int
    deals: list[tuple[PlayRecord, list[Asked]]]


def tables_of(game: Game, record: SetRecord) -> list[TableAsks]:
    """The tables of a set; raises LogMismatch where the rules do not allow what is logged."""
    tables: dict[int, list[tuple[PlayRecord, list[Asked]]]] = {}
    for teller, _ in told(game, record.header.unit, record, _Asks):
        tables.setdefault(teller.play.table, []).append((teller.play, teller.asks))
    return [TableAsks(number=number, deals=deals) for number, deals in sorted(tables.items())]


class Retry:
    """Puts logged tables to one bot process, which plays one seat of them."""

    def __init__(self, dialogue: Dialogue, game: Game, header: Header, secret: str | None) -> None:
        self.dialogue = dialogue
        self.game = game
        self.header = header
        self.secret = secret
        """For the seed that the bot was given; None where it is not revealed, and the seed is 0."""
        self._table = 0
        self._id = 0

    def table(
        self, logged: TableAsks, seat: int, *, deal: int | None = None, at: int | None = None
    ) -> Iterator[Retried]:
        """The answers of the bot in a seat of a table, up to a decision where one is given.

        Ends early when the bot is gone.
        """
        self._table += 1
        self.dialogue.send(self._start(logged, seat))
        for play, asks in logged.deals:
            for asked in asks:
                if asked.seat != seat:
                    continue
                retried = self._put(asked)
                yield retried
                if (asked.deal, asked.at) == (deal, at) or self.dialogue.bot.exit is not None:
                    return
            self.dialogue.send(
                End(
                    table=self._table, deal=play.deal, points=play.points, score=play.score,
                    over=play.nets is not None,
                )
            )  # fmt: skip

    def _start(self, logged: TableAsks, seat: int) -> Start:
        header = self.header
        seed = 0
        if self.secret is not None:
            number = logged.deals[0][0].set
            key = DealKey(
                self.secret, self.game.name, self.game.ruleset, header.pairing, number, 0, 0
            )
            seed = seed_for(key, logged.number, seat)
        return Start(
            table=self._table, game=self.game.name, ruleset=self.game.ruleset,
            rules=to_builtins(self.game.rules), seat=seat, sides=list(self.game.sides),
            unit=header.unit, time=header.time, seed=seed,
        )  # fmt: skip

    def _put(self, asked: Asked) -> Retried:
        """One ask, and what the bot makes of it."""
        self._id += 1
        time = self.header.time
        ask = EncodedAsk(
            table=self._table, id=self._id, view=Raw(asked.view), legal=asked.legal,
            time_ms=time.decision_ms, bank_ms=time.bank_ms,
        )  # fmt: skip
        seconds = min(NO_LIMIT_SECONDS, (time.decision_ms + time.bank_ms) / 1000 + 1.0)
        answer = self.dialogue.ask(ask, seconds)
        problem = ""
        action = None if answer.act is None else answer.act.action
        if action is None:
            problem = f"no answer within {seconds:g} s"
            if answer.exit is not None:
                problem = f"it has ended: {answer.exit.describe()}"
            elif answer.troubles:
                problem = answer.troubles[-1].message
        elif action not in asked.legal:
            problem = f"{action[:80]!r} is not legal"
        return Retried(asked=asked, action=action, ms=answer.took_ms, problem=problem)
