"""Nothing leaks: what a seat is sent must not change with what it cannot know.

For a moment of a deal other worlds are sought that the seat cannot tell from the true one: cards
it has not seen lie elsewhere, others' hidden choices are made anew, and everything that it was
told (told.py) is the same and legal. Arena and judge then play the true deal and the other one,
and every message to the seat is compared byte for byte: number, order, ids, legal lists, views.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from random import Random
from typing import Any, Literal, NamedTuple

from msgspec import Struct, to_builtins

from protocol.messages import Act, LastDeal, Time, ToBot, encode
from referee.arena import Arena
from referee.errors import LogMismatch
from referee.games.game import Deal, Game, Tally, Unit
from referee.job import Job
from referee.judge import Judge
from referee.live import LiveTable
from referee.log import SetRecord
from referee.other_worlds import Dealing, Memory, Replay, Search
from referee.roster import Player
from referee.table import PlayRecord, Table

WORLDS = 50
"""Worlds compared at a moment, or all that are found where there are fewer."""

MOMENTS = 2
"""Decisions of each seat that are looked at in a dealing, besides its start and end."""

_TIME = Time(decision_ms=600_000, bank_ms=0, increment_ms=0)
"""A clock on which no answer leaves a trace."""


class Leak(Struct, frozen=True, kw_only=True):
    """The first difference between what a seat was sent and what it would be sent elsewhere."""

    seat: int
    at: int
    """How many actions of the deal had been played."""
    what: Literal["message", "view"]
    number: int
    """Which message to the seat in this dealing, from 1; 0 for a view that nobody was sent."""
    played: str
    """As sent in the true deal; empty where nothing was sent."""
    other: str
    cards: list[str]
    """The other world's cards in dealing order, and its actions up to here."""
    actions: list[str]


# ---- what is sent --------------------------------------------------------------------------------


class _LaidTable(Table):
    """A table that begins at a dealing in mid-game; what is dealt after it is always the same."""

    def __init__(self, dealing: Dealing, cards: Sequence[int]) -> None:
        self._begin_at: Dealing | None = dealing
        place = (dealing.tally.deals, len(dealing.redeals))
        rest = range(dealing.game.pack.size)

        def source(deal: int, redeal: int) -> Sequence[int]:
            return cards if (deal, redeal) == place else rest

        super().__init__(dealing.game, dealing.tally.unit, set_number=0, cards=source)

    def _deal_cards(self) -> None:
        start, self._begin_at = self._begin_at, None
        if start is not None:
            self.tally, self.last, self.redeals = start.tally, start.last, start.redeals
        super()._deal_cards()


class _Ear:
    """In place of a bot's process and socket: keeps what it is sent, says what it is given."""

    state = "ready"
    batch = False

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.answers: list[Act] = []

    def send(self, message: ToBot) -> bool:
        """Keep a message as the bytes that a socket would take."""
        return self.send_encoded(encode(message))

    def send_encoded(self, data: bytes) -> bool:
        """The same for one that is encoded already."""
        self.sent.append(data)
        return True

    def receive(self, _most: int) -> list[Act]:
        """The answers that were put here."""
        answers, self.answers = self.answers, []
        return answers

    def new_turn(self) -> None:
        """Nothing is counted here."""


class Conversation(Arena):
    """The arena with ears in place of bots: one table at a time, driven by a script."""

    def __init__(self, dealing: Dealing) -> None:
        game = dealing.game
        job = Job(
            game=game.name, ruleset=game.ruleset, rules=to_builtins(game.rules),
            unit=dealing.tally.unit, time=_TIME, pairing="", entrants=[], secret="",
            sets=[], stderr_folder="",
        )  # fmt: skip
        super().__init__(job, lambda _: None)
        self.game = game
        self.dealing = dealing
        nobody: Any = None
        self.judge = Judge(job, nobody, self._go_on)

    def play(self, cards: Sequence[int], script: Sequence[int]) -> Iterator[int]:
        """Play a script on these cards; at each rest, how much of it has been played.

        The table rests where somebody is asked, and after the last action.
        """
        self.table = table = _LaidTable(self.dealing, cards)
        self.ears = [_Ear() for _ in range(self.game.seats)]
        bots: list[Any] = list(self.ears)
        players = [Player(bot, 0, seat, 0.0) for seat, bot in enumerate(bots)]
        live = LiveTable(table, players, [1] * len(players), _TIME)
        self.in_flight = {live}
        self.tables_in = {0: 1}
        for seat, player in enumerate(players):
            player.seated(live, [seat])
        deal = table.deal
        self._go_on(live)
        self._deliver(players)
        yield len(deal.history)
        while deal.to_act is not None and len(deal.history) < len(script):
            player = players[deal.to_act]
            (number,) = player.open
            action = self.game.actions[script[len(deal.history)]]
            self.ears[deal.to_act].answers.append(Act(id=number, action=action))
            self.judge.take(player)
            self._deliver(players)
            yield len(deal.history)

    def _deliver(self, players: Sequence[Player]) -> None:
        """Send what is due, as a turn of the loop and its next tick do."""
        self._flush()
        for player in players:
            if player.notices and not player.asks:
                player.hand_over()

    def view(self, seat: int) -> bytes:
        """What a seat may see now, whether or not it is asked."""
        return self.table.deal.copy().view_json(seat).encode()


class _Heard(NamedTuple):
    messages: int
    """Messages sent to the seat so far."""
    view: bytes
    at: int
    """Actions played."""


class Truth:
    """A dealing as it was played, and what every seat was sent of it."""

    def __init__(self, dealing: Dealing) -> None:
        self.dealing = dealing
        seats = range(dealing.game.seats)
        self.memories = [Memory(dealing, seat) for seat in seats]
        self.heard: list[dict[int, _Heard]] = [{} for _ in seats]
        """By seat and the number of facts it knows: what it had been sent at the last rest."""
        self.asked: list[list[int]] = [[] for _ in seats]
        """By seat, the facts known whenever it was asked."""
        self.conversation = conversation = Conversation(dealing)
        for at in conversation.play(dealing.cards, dealing.actions):
            for seat, ear in enumerate(conversation.ears):
                known = self.memories[seat].known[at]
                if conversation.table.deal.to_act == seat and at < len(dealing.actions):
                    self.asked[seat].append(known)
                self.heard[seat][known] = _Heard(len(ear.sent), conversation.view(seat), at)
        self.sent = [ear.sent for ear in conversation.ears]

    def moments(self, seat: int, rng: Random, wanted: int) -> list[int]:
        """The start, some moments at which a seat was asked all over the dealing, and its end."""
        asked = self.asked[seat]
        count = min(wanted, len(asked))
        chosen = {
            asked[rng.randrange(len(asked) * part // count, len(asked) * (part + 1) // count)]
            for part in range(count)
        }
        memory = self.memories[seat]
        return sorted({memory.known[0], *chosen, memory.known[-1]})

    def difference(self, seat: int, replay: Replay) -> Leak | None:
        """Play another world as far as it goes and compare what the seat is sent."""
        conversation = self.conversation
        for _ in conversation.play(replay.world.cards, replay.script):
            pass
        heard = self.heard[seat][max(n for n in self.heard[seat] if n <= replay.known)]
        played = self.sent[seat][: heard.messages]
        other = conversation.ears[seat].sent
        view = conversation.view(seat)
        if played == other and view == heard.view:
            return None
        what: Literal["message", "view"] = "view"
        number, pair = 0, (heard.view, view)
        if played != other:
            what = "message"
            pairs = list(zip_longest(played, other, fillvalue=b""))
            number = next(n for n, (one, two) in enumerate(pairs, 1) if one != two)
            pair = pairs[number - 1]
        actions, names = self.dealing.game.actions, self.dealing.game.pack.names
        return Leak(
            seat=seat,
            at=self.dealing.before + heard.at,
            what=what,
            number=number,
            played=pair[0].decode(),
            other=pair[1].decode(),
            cards=[names[card] for card in replay.world.cards],
            actions=[actions[action] for action in replay.script],
        )


# ---- checks --------------------------------------------------------------------------------------


class Checked(Struct, kw_only=True):
    """How much has been compared, and what came of it."""

    deals: int = 0
    """Dealings."""
    moments: int = 0
    worlds: int = 0
    few: int = 0
    """Moments with fewer worlds than were wanted."""
    alone: int = 0
    """Moments of them at which none was found: mostly nothing is hidden any more."""
    leak: Leak | None = None

    def add(self, more: "Checked") -> None:
        """Add what else was compared; its leak, where it has one, becomes this one's."""
        self.deals += more.deals
        self.moments += more.moments
        self.worlds += more.worlds
        self.few += more.few
        self.alone += more.alone
        self.leak = more.leak or self.leak


def check(
    dealing: Dealing, rng: Random, *, worlds: int = WORLDS, moments: int = MOMENTS
) -> Checked:
    """Compare what every seat was sent with other worlds, at some moments; ends at a leak."""
    checked = Checked(deals=1)
    truth = Truth(dealing)
    for seat, memory in enumerate(truth.memories):
        for until in truth.moments(seat, rng, moments):
            checked.moments += 1
            found = 0
            for replay in Search(memory, until, rng).worlds(worlds):
                found += 1
                checked.leak = truth.difference(seat, replay)
                if checked.leak is not None:
                    checked.worlds += found
                    return checked
            checked.worlds += found
            checked.few += found < worlds
            checked.alone += not found
    return checked


def dealings(
    game: Game, unit: Unit, record: SetRecord
) -> Iterator[tuple[PlayRecord, list[Dealing]]]:
    """The deals of a logged set by table and deal, each with its dealings.

    What was played for a faulty bot counts as its answer. Raises LogMismatch where the rules do
    not allow a deal.
    """
    tables: dict[int, list[PlayRecord]] = {}
    for _, _, play in record.deals():
        tables.setdefault(play.table, []).append(play)
    for table in sorted(tables):
        tally, last = game.first(record.set, unit), None
        for play in tables[table]:
            found, deal = _dealings(game, play, tally, last)
            yield play, found
            tally, last = deal.after(), deal.summary()


def _dealings(
    game: Game, play: PlayRecord, tally: Tally, last: LastDeal | None
) -> tuple[list[Dealing], Deal]:
    """The dealings of one deal, and the deal once it is over."""
    where = f"set {play.set}, table {play.table}, deal {play.deal}: "
    actions = play.actions.split(" ")
    redeals: tuple[int, ...] = ()
    found: list[Dealing] = []
    at = 0
    for texts in play.cards:
        try:
            cards = [game.pack.index[name] for name in texts.split(" ")]
        except KeyError as error:
            raise LogMismatch(f"{where}play.cards: {error} is no card of the pack") from None
        deal = game.deal(cards, tally, redeals, last)
        before = at
        while deal.to_act is not None:
            action = game.index.get(actions[at] if at < len(actions) else "")
            if action is None or action not in deal.legal():
                raise LogMismatch(f"{where}play.actions[{at}] is not legal")
            deal.apply(action)
            at += 1
        script = [action for _, action in deal.history]
        found.append(
            Dealing(
                game=game, tally=tally, cards=cards, actions=script, redeals=redeals, last=last,
                before=before,
            )
        )  # fmt: skip
        if deal.redealer is None:
            return found, deal
        redeals = (*redeals, deal.redealer)
    raise LogMismatch(f"{where}it ends with a demand for new cards")
