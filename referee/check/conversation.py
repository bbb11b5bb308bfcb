"""Tables played with one bot process, every message of which is judged."""

import time
from collections.abc import Callable, Iterable

import msgspec
from msgspec import Struct

from protocol.messages import Act, End, Message, Start, encode
from referee.check.diagnosis import bad_form, described, example, shown
from referee.check.steps import Mistake
from referee.check.tables import CheckTable
from referee.check.watch import Watch
from referee.clock import GRACE_MS
from referee.games.game import Game, Unit
from referee.seats.dialogue import Dialogue, ending
from referee.seats.trouble import Trouble

Dress = Callable[[Message], bytes]
"""How a message is written."""

_STRAY_SECONDS = 0.3
"""How long the right answer may follow a wrong one."""

_PONG_SECONDS = 0.5
_MOST_LATE = 3
_LATE_SECONDS = 3.0
"""How long after the limit an answer counts as late; after that as missing."""


class Open(Struct, kw_only=True):
    """An ask without an answer."""

    number: int
    table: CheckTable
    legal: list[str]
    phase: str
    sent: float


class Conversation:
    """One bot process, and the tables that it plays."""

    def __init__(self, dialogue: Dialogue, watch: Watch, *, dress: Dress = encode) -> None:
        self.dialogue = dialogue
        self.watch = watch
        self.batched = False
        """Whether messages are gathered and sent as one."""
        self.aside: Callable[[str], Iterable[bytes]] | None = None
        """What is sent besides, at a moment: `start`, `ask` (before one) or `asked` (after)."""
        self.last = "hello"
        """What was sent last, in words."""
        self._dress = dress
        self._tables = 0
        self._id = 0
        self._answered: set[int] = set()
        self._several = False
        """Whether an ask with several legal actions has been answered."""
        self._before: set[str] = set()
        """Cards that it held in the deal that was over last."""
        self._gathered: list[bytes] = []
        self._odd: Mistake | None = None
        """An answer that fits nothing, while the right one may still come."""

    # ---- sending -----------------------------------------------------------------------------

    def table(self, game: Game, seat: int, cards: str, unit: Unit = "deal") -> CheckTable:
        """A new table; nothing is sent yet."""
        self._tables += 1
        return CheckTable(game, seat, cards, number=self._tables, unit=unit)

    def start(self, table: CheckTable) -> None:
        """Tell that a table begins."""
        self._put(table.start(self.watch.decision_ms), "start")
        self._say_aside("start")

    def end(self, end: End) -> None:
        """Tell that a deal is over."""
        self._put(end, "end")

    def _put(self, message: Message, what: str) -> None:
        self.last = f"`{what}`"
        data = self._dress(message)
        if self.batched:
            self._gathered.append(data)
        else:
            self.dialogue.send_raw(data)

    def _say_aside(self, moment: str) -> None:
        for data in self.aside(moment) if self.aside is not None else ():
            self.last = f"the message {shown(data, 70)}"
            self.dialogue.send_raw(data)

    def flush(self) -> None:
        """Send what was gathered."""
        if self._gathered:
            self.dialogue.send_raw(
                b'{"type":"batch","messages":[' + b",".join(self._gathered) + b"]}"
            )
            self.last = f"a batch of {len(self._gathered)}"
            self._gathered.clear()

    # ---- playing -----------------------------------------------------------------------------

    def play(self, *tables: CheckTable, decisions: int | None = None) -> None:
        """Play tables at once, to their end or to so many decisions; raises Mistake.

        Every table's `start` has been told. The asks of a round are open together.
        """
        running = list(tables)
        while running:
            asked: dict[int, Open] = {}
            for table in list(running):
                wanted = table.decision()
                for end in table.ends():
                    self.end(end)
                if wanted is None or (decisions is not None and len(table.trace) >= decisions):
                    running.remove(table)
                    self._before = table.hands
                    continue
                self._ask(table, asked)
            self.flush()
            if asked:
                self._hear(asked)

    def _ask(self, table: CheckTable, asked: dict[int, Open]) -> None:
        wanted = table.decision()
        assert wanted is not None
        self._id += 1 + self._id % 3  # ids rise, and may leave gaps
        ask = table.ask(self._id, wanted, self.watch.decision_ms)
        self.dialogue.bot.new_turn()
        self._say_aside("ask")
        asked[self._id] = Open(
            number=self._id, table=table, legal=ask.legal, phase=table.phase,
            sent=time.monotonic(),
        )  # fmt: skip
        self._put(ask, "ask")
        self._say_aside("asked")

    def whole(self, table: CheckTable, quiet: float = 0.0) -> None:
        """Tell of a table and play it to its end.

        With `quiet` the bot is listened to for so many seconds where it owes nothing.
        """
        self.start(table)
        if quiet:
            self.quiet("`start`", quiet)
        self.play(table)
        if quiet:
            self.quiet("`end`", quiet)

    def quiet(self, after: str, seconds: float) -> None:
        """Listen where nothing is to be answered; raises Mistake when something is."""
        deadline = time.monotonic() + seconds
        while (found := self.dialogue.hear(deadline - time.monotonic())) is not None:
            if isinstance(found, Act):
                if found.id in self._answered:
                    self._again(found)
                    continue
                data = encode(found)
            elif self._printed(found):
                continue
            else:
                data = found.received
            raise Mistake("once", f"it sent a message after {after}, which owes no answer", data)

    # ---- listening ---------------------------------------------------------------------------

    def _hear(self, asked: dict[int, Open]) -> None:
        """Take answers until no ask is open."""
        round_of = len(asked)
        self._odd = None
        patience = self.watch.decision_ms / 1000
        patience += min(max(patience, 0.5), _LATE_SECONDS)
        until = min(each.sent for each in asked.values()) + patience
        while asked:
            found = self.dialogue.hear(until - time.monotonic())
            if found is None:
                raise self._silence(asked, round_of, patience)
            if isinstance(found, Trouble):
                self._trouble(found, asked)
            elif found.id in asked:
                self._take(found, asked.pop(found.id), asked)
                until = max(until, time.monotonic() + patience / 2)
            elif found.id in self._answered:
                self._again(found)
            else:
                self._odd = self._stranger(found, asked)
                until = min(until, time.monotonic() + _STRAY_SECONDS)
        if self._odd is not None:
            self.watch.note(self._odd.step or "ids", self._odd.reason, self._odd.received)

    def _take(self, act: Act, ask: Open, others: dict[int, Open]) -> None:
        """An answer to an open ask."""
        ms = (time.monotonic() - ask.sent) * 1000
        self._answered.add(ask.number)
        game = ask.table.game
        single = len(ask.legal) == 1
        where = f"{game.name} {game.ruleset}, {ask.phase}, {len(ask.legal)} legal"
        self.watch.took(ms, where, single)
        self._several = self._several or not single
        if act.action not in ask.legal:
            raise self._illegal(act, ask, others)
        ask.table.play(act.action)
        limit = self.watch.decision_ms
        if ms > limit + GRACE_MS:
            reason = f"it took {ms:,.0f} ms for a decision ({where}); the limit is {limit:,} ms"
            self.watch.late += 1
            if self.watch.late >= _MOST_LATE:
                raise Mistake("limit", reason)
            self.watch.note("limit", reason)

    def _again(self, act: Act) -> None:
        self.watch.note("once", f"it answered the ask with id {act.id} twice", encode(act))

    def _stranger(self, act: Act, asked: dict[int, Open]) -> Mistake:
        numbers = " and ".join(str(number) for number in asked)
        hint = ""
        if any(act.id == each.table.number for each in asked.values()):
            hint = ", which is the number of the table"
        elif act.id > self._id:
            hint = ", which was never asked"
        text = f"it answered with id {act.id}{hint}; the open ask has id {numbers}"
        return Mistake("ids", text, encode(act))

    def _printed(self, trouble: Trouble) -> bool:
        """Take note of a stray print on standard output."""
        stray = trouble.kind == "protocol" and trouble.message.startswith("on standard output")
        if stray:
            text = f"it printed {shown(trouble.received, 60)!r} there; print to standard error"
            self.watch.note("stdout", text, trouble.received)
        return stray

    def _trouble(self, trouble: Trouble, asked: dict[int, Open]) -> None:
        """Something else than an answer, while asks are open."""
        ask = next(iter(asked.values()))
        answer = example(ask.number, ask.legal[0])
        text = described(trouble, answer, ask.legal)
        if trouble.message.startswith("on standard output"):
            text = described(trouble._replace(kind="malformed", message=""), answer, ask.legal)
            if not _meant(trouble.received, ask.legal):
                self._printed(trouble)
                return
        raise Mistake("messages", text, trouble.received)

    def _silence(self, asked: dict[int, Open], round_of: int, patience: float) -> Mistake:
        """Why an answer is missing."""
        bot = self.dialogue.bot
        if bot.exit is not None:
            return Mistake(None, f"it ended after {self.last}: {ending(bot.exit)}")
        if self._odd is not None:
            return self._odd
        if self.dialogue.disconnected():
            return Mistake(None, f"it closed its connection after {self.last}, and still runs")
        ask = next(iter(asked.values()))
        text = f"no answer to the ask with id {ask.number} within {patience:g} s"
        if round_of > 1 and len(asked) < round_of:
            return Mistake(
                "tables",
                f"it answered only {round_of - len(asked)} of {round_of} asks that were open at "
                f"once: {text}",
            )
        if len(ask.legal) == 1 and (self._several or self._takes_choices(ask, patience)):
            text = f"it does not answer where one action is legal: {text}; every ask is answered"
            return Mistake("single", text)
        if not self._answered:
            text = f"it said hello, and never answered an ask: {text}"
        else:
            text = f"it answered {len(self._answered)}, then no more: {text}"
        pong = self.dialogue.ping(_PONG_SECONDS) is not None
        if bot.exit is not None:
            return Mistake(None, f"it ended after {self.last}: {ending(bot.exit)}")
        text += "; a ping it answered" if pong else ", nor to a ping: it is busy or does not read"
        return Mistake("once", text + bot.silence())

    def _takes_choices(self, ask: Open, patience: float) -> bool:
        """Whether it answers further on at this table, where several actions are legal."""
        table = ask.table
        table.play(ask.legal[0])
        while (wanted := table.decision()) is not None:
            if len(wanted.legal) > 1:
                asked: dict[int, Open] = {}
                self._ask(table, asked)
                self.flush()
                found = self.dialogue.hear(patience)
                return isinstance(found, Act) and found.id in asked
            table.play(table.game.actions[wanted.legal[0]])
        return False

    # ---- illegal answers ---------------------------------------------------------------------

    def _illegal(self, act: Act, ask: Open, others: dict[int, Open]) -> Mistake:
        """What is wrong with an action that is not legal."""
        action = act.action
        legal = ", ".join(ask.legal[:8]) + (", …" if len(ask.legal) > 8 else "")
        hand = ask.table.hand()
        step = "legal"
        if form := bad_form(action, ask.legal):
            text = form
        elif (other := next((o for o in others.values() if action in o.legal), None)) is not None:
            step = "tables"
            text = (
                f"it mixes up tables: it answered the ask of table {ask.table.number} by "
                f"{action!r}, which is legal at table {other.table.number} only"
            )
        elif action in hand:
            text = f"it played {action!r}, which it holds but may not play here; legal: {legal}"
        elif action in ask.table.hands:
            text = f"it played {action!r}, which has left its hand in this deal; legal: {legal}"
        elif action in self._before | ask.table.before:
            step = "many"
            text = (
                f"it played {action!r}, which was in its hand in a deal before, not in this one: "
                f"it keeps what is over; legal: {legal}"
            )
        else:
            text = f"it answered {shown(action.encode(), 70)!r}, which is not legal: {legal}"
        return Mistake(step, text, encode(act))


def _meant(data: bytes, legal: list[str]) -> bool:
    """Whether a line that is no object was meant as an answer."""
    text = data.decode("utf-8", "replace").strip().strip("\"'")
    if text in legal or text[:1] == "[":
        return True
    try:
        msgspec.json.decode(data)
    except msgspec.DecodeError:
        return False
    return text.isdecimal()


def extended(message: Message) -> bytes:
    """A message as a later version may write it: with fields that nobody knows yet."""
    more = b'"added_later":{"weather":["fair",-3.5,null,{"wind":true}]},"a note":"for 2031"'
    data = encode(message)
    if b'"view":{' in data:
        data = data.replace(b'"view":{', b'"view":{' + more + b",", 1)
    if isinstance(message, Start):
        data = data.replace(b'"time":{', b'"time":{' + more + b",", 1)
    return data[:-1] + b"," + more + b"}"
