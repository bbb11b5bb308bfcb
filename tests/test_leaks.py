"""Nothing leaks: whatever a seat cannot know changes nothing of what it is sent.

First the promise for every ruleset and every seat, then games and an arena that break it, each
of which must be found out, then the search for other worlds itself.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from protocol.bot import Bot
from protocol.messages import Ask, LastDeal, Pong, encode
from referee import arena, leaks
from referee.games import bondtolva, huutopussi, marjapussi, minnesota, tuppi
from referee.games.game import Game, Tally
from referee.games.rulesets import KINDS, game_named
from referee.games.tricktaking import ANSWER, PLAY
from referee.leaks import Checked, Conversation, Truth, check
from referee.live import LiveTable
from referee.other_worlds import Dealing, Memory, Replay, Search
from referee.table import Table
from tests import arena_help, in_memory

Options = dict[str, Any]

CARDS_SEALED: Options = {"bid_mode": "sealed", "bid_cards": "hand_cards"}
CLOSED: Options = {"talon_public": False}

TABLES: dict[str, tuple[str, str, Options]] = {
    **{ruleset: (name, ruleset, {}) for name, kind in KINDS.items() for ruleset in kind.presets},
    "closed talon": ("huutopussi", "wikibooks-3", {**CLOSED, "discards_count": "declarer"}),
    "closed talon, four": ("huutopussi", "wikibooks-4", {**CLOSED, "discard_rule": "no_aces_tens"}),
    "redeal before": (
        "huutopussi", "helsinki",
        {"redeal": "three_sixes_or_nothing_above_jack", "ask_half": "any"},
    ),
    "counted discards": ("huutopussi", "wikibooks-2", {"discards_count": "declarer_if_trick"}),
    "tuppi sealed": ("tuppi", "tuppi", {"bid_mode": "sealed"}),
    "tuppi cards": ("tuppi", "tuppi", {"bid_cards": "hand_cards"}),
    "tuppi discard": (
        "tuppi", "tuppi", {"sooli_exchange": "discard_then_receive", **CARDS_SEALED}
    ),
    "minnesota sealed": ("minnesota", "minnesota", {"bid_mode": "sealed"}),
    "minnesota cards": ("minnesota", "minnesota", CARDS_SEALED),
    "bondtolva late": ("bondtolva", "bondtolva", {"declare_in_phase2": True}),
}  # fmt: skip
"""Every ruleset, and options with secrets that none of them has."""


def choice(game: Game, rng: Random, legal: Sequence[int]) -> int:
    """Any action; auctions that end, marriages, asks and sooli more often than by pure chance."""
    words = [game.actions[action].partition(":")[0] for action in legal]
    rare = [
        action
        for action, word in zip(legal, words, strict=True)
        if word in ("declare", "half", "whole", "sooli")
    ]
    if rare and rng.random() < 0.6:
        return rng.choice(rare)
    return legal[0] if words[0] == "pass" and rng.random() < 0.5 else rng.choice(legal)


def shuffled(game: Game, rng: Random) -> list[int]:
    """Cards in dealing order; in Huutopussi every other time some hand has three sixes."""
    cards = rng.sample(range(game.pack.size), game.pack.size)
    if game.name == "huutopussi" and rng.random() < 0.5:
        first = rng.randrange(game.seats)
        for turn, six in enumerate(("6S", "6D", "6C")):
            at, to = cards.index(game.pack.index[six]), first + turn * game.seats
            cards[at], cards[to] = cards[to], cards[at]
    return cards


def stage(game: Game, seed: int, rng: Random) -> Tally:
    """A deal by itself, or one in the middle of a game."""
    if seed % 2 == 0:
        return game.first(seed)
    score = [0] * len(set(game.sides))
    score[rng.randrange(len(score))] = rng.randrange(1, 9)
    return Tally(score=tuple(score), dealer=seed % game.seats, unit="game", deals=3)


def dealings(game: Game, seed: int) -> Iterator[Dealing]:
    """A deal played at random, with its redeals."""
    rng = Random(f"{game.ruleset} {seed}")
    tally = stage(game, seed, rng)
    last = LastDeal(points=[0] * len(tally.score), declarer=None, contract=None)
    last_deal = last if tally.deals else None
    redeals: tuple[int, ...] = ()
    for _ in range(4):
        cards = shuffled(game, rng)
        deal = game.deal(cards, tally, redeals, last_deal)
        while deal.to_act is not None:
            deal.apply(choice(game, rng, deal.legal()))
        actions = [action for _, action in deal.history]
        yield Dealing(
            game=game, tally=tally, cards=cards, actions=actions, redeals=redeals, last=last_deal
        )
        if deal.redealer is None:
            return
        redeals = (*redeals, deal.redealer)


def compared(game: Game, seeds: Sequence[int], worlds: int = 50) -> Checked:
    """Random deals of a game compared with other worlds, up to the first leak."""
    total = Checked()
    for seed in seeds:
        for dealing in dealings(game, seed):
            total.add(check(dealing, Random(seed), worlds=worlds))
            if total.leak is not None:
                return total
    return total


@pytest.mark.parametrize("table", TABLES)
def test_no_seat_is_sent_what_it_cannot_know(table: str) -> None:
    name, ruleset, options = TABLES[table]
    found = compared(game_named(name, ruleset, options), range(2))
    assert found.leak is None
    assert found.worlds >= 100


# ---- what must be found out ----------------------------------------------------------------------


def broken(name: str, ruleset: str, kind: type, **options: Any) -> Game:
    """A game whose deals are of another kind."""
    game: Any = game_named(name, ruleset, options)
    make = game.deal

    def deal(*words: Any) -> Any:
        made = make(*words)
        made.__class__ = kind
        return made

    game.deal = deal
    found: Game = game
    return found


class SortedByTheLeft(minnesota.Deal):
    """The order of a list depends on whether the left opponent holds the ace of spades."""

    __slots__ = ()

    def view(self, seat: int) -> Any:
        view = super().view(seat)
        ace = 1 << self.game.pack.index["AS"]
        holds = self.hands[self.game.left[seat]] & ace
        return replace(view, hand=view.hand[::-1]) if holds else view


class CountsTrumps(tuppi.Deal):
    """A field that is a bit too long: who has won tricks, and what the partner holds."""

    __slots__ = ()

    def view(self, seat: int) -> Any:
        view = super().view(seat)
        partner = self.hands[(seat + 2) % 4]
        return replace(view, tricks=[*view.tricks, (partner & 0x1FFF).bit_count()])


class ByStruct(huutopussi.Deal):
    """Sends what its views say: the text that is sent in their place is written without them."""

    __slots__ = ()

    def view_json(self, seat: int) -> str:
        return encode(self.view(seat)).decode()


class TellsKeep(ByStruct):
    """A declined redeal in the others' history."""

    __slots__ = ()

    def shown(self, place: int) -> str | None:
        return super().shown(place) or "keep"


class TellsRedealPhase(ByStruct):
    """That somebody else is asked about a redeal, in a view that nobody is sent."""

    __slots__ = ()

    def view(self, seat: int) -> Any:
        view = super().view(seat)
        return replace(view, phase=self.PHASES[self.phase])


class OffersOnlyWhatSucceeds(ByStruct):
    """A whole may be asked for only where the partner has one."""

    __slots__ = ()

    def legal(self) -> Sequence[int]:
        legal = super().legal()
        if self.phase != PLAY or self.to_act is None or self.game.whole not in legal:
            return legal
        partner = self.hands[(self.to_act + 2) % 4]
        if self.game.marriages.whole(partner, self.open_royals):
            return legal
        return [action for action in legal if action != self.game.whole]


class AsksWhatIsDictated(marjapussi.Deal):
    """The partner is asked for a dictated answer, but only by one who holds an ace."""

    __slots__ = ()

    def dictated(self) -> bool:
        if self.phase == ANSWER and self.hands[self.asked[-1][0]] & self.game.aces:
            return False
        return super().dictated()


class ForbidsByOthersCards(minnesota.Deal):
    """What may be led depends on the opponent's cards."""

    __slots__ = ()

    def legal(self) -> Sequence[int]:
        legal = super().legal()
        if self.phase != PLAY or self.to_act is None or len(legal) < 2:
            return legal
        odd = self.hands[self.game.left[self.to_act]] % 3 == 0
        return legal[:1] if odd else legal


class ShowsTheStock(bondtolva.Deal):
    """The top card of the stock stands among those drawn."""

    __slots__ = ()

    def view(self, seat: int) -> Any:
        view = super().view(seat)
        top = [self.game.pack.names[card] for card in self.stock[len(self.drawn) :][:1]]
        return replace(view, drawn=view.drawn + top)


class CountsTheOthersDraws(marjapussi.DealForTwo):
    """How many aces the opponent has drawn is added to the stock."""

    __slots__ = ()

    def view(self, seat: int) -> Any:
        view = super().view(seat)
        others = sum(card % 8 == 7 for who, card in self.drawn if who != seat)
        return replace(view, stock=view.stock + others)


class ShowsSealedBids(minnesota.Deal):
    """Sealed bids are seen by those who bid later."""

    __slots__ = ()

    def _revealed(self) -> int:
        return self.bids


class ShowsLaterBids(minnesota.Deal):
    """The bids after the first to take tricks are seen once the bidding is over."""

    __slots__ = ()

    def _revealed(self) -> int:
        return 0 if self.to_act is not None and self.bids < 4 else 4


class TellsGifts(ByStruct):
    """What partners give each other stands in everybody's history."""

    __slots__ = ()

    def shown(self, place: int) -> str | None:
        text = super().shown(place)
        return text and self.game.actions[self.history[place][1]]


class TellsTheOrderOfGifts(ByStruct):
    """What the partner gave first stands first."""

    __slots__ = ()

    def view(self, seat: int) -> Any:
        view = super().view(seat)
        names = [self.game.actions[action] for who, action in self.history if who != seat]
        given = [name[5:] for name in names if name.startswith("give:")]
        return replace(view, received=sorted(view.received, key=given.index))


class ShowsSooliGifts(tuppi.Deal):
    """The opponents of sooli see the cards that its two partners exchange."""

    __slots__ = ()

    def view(self, seat: int) -> Any:
        view = super().view(seat)
        return replace(view, received=self.game.pack.texts(self.given | self.returned))


class ShowsTheIdleHand(tuppi.Deal):
    """Everybody sees how many spades the partner of a sooli lays down."""

    __slots__ = ()

    def view(self, seat: int) -> Any:
        view = super().view(seat)
        if self.soloist is None:
            return view
        idle = self.hands[(self.soloist + 2) % 4] & 0x1FFF
        return replace(view, counts=[*view.counts, idle.bit_count()])


class ShowsTheDiscards(ByStruct):
    """A closed talon is told to all, sorted or not."""

    __slots__ = ()

    def view(self, seat: int) -> Any:
        view = super().view(seat)
        return replace(view, discarded=self.game.pack.texts(self.discards))


class SumsUpGifts(ByStruct):
    """The next deal's views tell of what partners gave each other in the last one."""

    __slots__ = ()

    def summary(self) -> LastDeal:
        found = super().summary()
        return replace(found, contract=self.given[0].bit_length())


class ScoresGifts(ByStruct):
    """Points that no play of cards accounts for."""

    __slots__ = ()

    def points(self) -> tuple[int, ...]:
        points = super().points()
        return (points[0] + self.given[0].bit_count() * (self.given[0] % 7), *points[1:])


SEALED: Options = {"bid_mode": "sealed"}
BROKEN: dict[str, tuple[str, str, type, Options, str]] = {  # the last word: where it shows first
    "order": ("minnesota", "minnesota", SortedByTheLeft, {}, ""),
    "extra": ("tuppi", "tuppi-competition", CountsTrumps, {}, ""),
    "keep": ("huutopussi", "helsinki", TellsKeep, {}, "message"),
    "phase": ("huutopussi", "helsinki", TellsRedealPhase, {}, "view"),
    "offer": ("huutopussi", "helsinki", OffersOnlyWhatSucceeds, {}, "message"),
    "ask": ("marjapussi", "marjapussi", AsksWhatIsDictated, {}, "message"),
    "legal": ("minnesota", "minnesota", ForbidsByOthersCards, {}, "message"),
    "stock": ("bondtolva", "bondtolva", ShowsTheStock, {}, ""),
    "draws": ("marjapussi", "marjapussi-2p", CountsTheOthersDraws, {}, ""),
    "sealed": ("minnesota", "minnesota", ShowsSealedBids, SEALED, "message"),
    "later": ("minnesota", "minnesota", ShowsLaterBids, SEALED, "message"),
    "gifts": ("huutopussi", "helsinki", TellsGifts, {}, ""),
    "gift order": ("huutopussi", "helsinki", TellsTheOrderOfGifts, {}, ""),
    "sooli gifts": ("tuppi", "tuppi", ShowsSooliGifts, {}, ""),
    "idle": ("tuppi", "tuppi", ShowsTheIdleHand, {}, ""),
    "discards": ("huutopussi", "wikibooks-3", ShowsTheDiscards, {}, ""),
    "summary": ("huutopussi", "wikibooks-team", SumsUpGifts, {}, ""),
    "points": ("huutopussi", "wikibooks-team", ScoresGifts, {}, ""),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_game_that_leaks_is_found_out(fault: str) -> None:
    name, ruleset, kind, options, what = BROKEN[fault]
    leak = compared(broken(name, ruleset, kind, **options), range(24), worlds=25).leak
    assert leak is not None
    assert leak.what == (what or leak.what)
    assert leak.played != leak.other


class SharedIds(Conversation):
    """An arena in which all bots share one counter of asks."""

    def _go_on(self, live: LiveTable) -> None:
        most = max(player.next_id for player in live.players)
        for player in live.players:
            player.next_id = most
        super()._go_on(live)


class TellsOfAsks(Conversation):
    """An arena in which every bot hears something whenever any is asked."""

    def _go_on(self, live: LiveTable) -> None:
        for player in live.players:
            player.bot.send(Pong(id=1))
        super()._go_on(live)


@pytest.mark.parametrize("kind", [SharedIds, TellsOfAsks])
def test_an_arena_that_tells_of_hidden_asks_is_found_out(
    monkeypatch: pytest.MonkeyPatch, kind: type[Conversation]
) -> None:
    monkeypatch.setattr(leaks, "Conversation", kind)
    leak = compared(game_named("huutopussi", "helsinki"), range(24), worlds=25).leak
    assert leak is not None
    assert leak.what == "message"


# ---- the worlds that are compared ----------------------------------------------------------------


def memory_of(name: str, ruleset: str, seat: int, seed: int = 0, **options: Any) -> Memory:
    """A seat at a random deal."""
    *_, dealing = dealings(game_named(name, ruleset, options), seed)
    return Memory(dealing, seat)


def told(memory: Memory, replay: Replay) -> list[tuple[object, ...]]:
    """What the seat is told in another world."""
    dealing = memory.dealing
    world = Dealing(
        game=dealing.game, tally=dealing.tally, cards=replay.world.cards, actions=replay.script,
        last=dealing.last, redeals=dealing.redeals,
    )  # fmt: skip
    return Memory(world, memory.seat).facts


@pytest.mark.parametrize(("name", "ruleset"), [("huutopussi", "helsinki"), ("tuppi", "tuppi")])
def test_other_worlds_differ_in_what_is_hidden_and_in_nothing_that_is_told(
    name: str, ruleset: str
) -> None:
    memory = memory_of(name, ruleset, 1)
    until = memory.known[len(memory.known) // 2]
    found = list(Search(memory, until, Random(1)).worlds(50))
    assert len({replay.world for replay in found} - {memory.truth}) == 50
    for replay in found:
        assert told(memory, replay)[:until] == memory.facts[:until]
    places = {tuple(replay.world.cards.index(card) for card in range(36)) for replay in found}
    assert len(places) > 40


def answers_in(memory: Memory, at: int, found: Sequence[Replay]) -> set[int]:
    """How many answers the partner could choose from, in worlds that have the same action there."""
    counts = set()
    for replay in found:
        deal = memory.dealing.begin(replay.world.cards)
        for action in replay.script[:at]:
            deal.apply(action)
        counts.add(len(deal.legal()))
    return counts


def test_a_second_marriage_of_the_partner_is_among_what_is_hidden() -> None:
    game = game_named("marjapussi", "marjapussi")
    counts = set()
    for seed in range(30):
        (dealing,) = dealings(game, seed)
        names = [game.actions[action].partition(":")[0] for action in dealing.actions]
        if "name" in names:
            at = names.index("name")
            deal = dealing.begin(dealing.cards)
            for action in dealing.actions[:at]:
                deal.apply(action)
            assert deal.to_act is not None
            memory = Memory(dealing, (deal.to_act + 1) % 4)
            found = Search(memory, memory.known[at + 1], Random(seed)).worlds(50)
            counts |= answers_in(memory, at, list(found))
    assert {1, 2} <= counts


def test_a_redeal_that_was_declined_or_never_offered_is_among_what_is_hidden() -> None:
    game = game_named("huutopussi", "helsinki")
    seen = set()
    for seed in range(8):
        *_, dealing = dealings(game, seed)
        memory = Memory(dealing, 0)
        offered = [game.actions[action] for action in dealing.actions].count("keep")
        own = (0, "keep") in memory.facts
        for replay in Search(memory, memory.known[8], Random(seed)).worlds(50):
            script = [game.actions[action] for action in replay.script]
            seen.add((offered - own > 0, script.count("keep") - own > 0))
    assert {(True, False), (False, True)} <= seen


def test_the_same_random_numbers_give_the_same_worlds() -> None:
    memory = memory_of("bondtolva", "bondtolva", 0)
    first, again, other = (
        [replay.world for replay in Search(memory, 9, Random(seed)).worlds(20)]
        for seed in (3, 3, 4)
    )
    assert first == again != other


def arrangements(cards: Sequence[int], sizes: Sequence[int]) -> Iterator[list[int]]:
    """Every way to deal cards to hands of these sizes, as masks."""
    if not sizes:
        yield []
        return
    for hand in combinations(cards, sizes[0]):
        rest = [card for card in cards if card not in hand]
        for others in arrangements(rest, sizes[1:]):
            yield [sum(1 << card for card in hand), *others]


def possible(memory: Memory, script: Sequence[int], hands: Sequence[int]) -> bool:
    """Whether these hands allow a history in which nothing is hidden."""
    dealing = memory.dealing
    game: Any = dealing.game
    deal = dealing.begin(game.dealing_order(hands, [], dealing.tally.dealer))
    for action in script:
        if action not in deal.legal():
            return False
        deal.apply(action)
    return True


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("left", [1, 2])
def test_near_the_end_all_worlds_are_found(seed: int, left: int) -> None:
    memory = memory_of("minnesota", "minnesota", seed % 4, seed)
    dealing, seat = memory.dealing, memory.seat
    deal = dealing.begin(dealing.cards)
    dealt = deal.hands.copy()
    for action in dealing.actions[: -4 * left]:
        deal.apply(action)
    others = [other for other in range(4) if other != seat]
    unseen = [card for other in others for card in dealing.game.pack.cards(deal.hands[other])]
    script = dealing.actions[: -4 * left]
    count = 0
    for laid in arrangements(unseen, [left] * 3):
        hands = dealt.copy()
        for other, cards in zip(others, laid, strict=True):
            hands[other] = dealt[other] & ~deal.hands[other] | cards
        count += possible(memory, script, hands)
    until = memory.known[len(script)]
    found = list(Search(memory, until, Random(seed)).worlds(100))
    assert len(found) == count - 1  # the true one is not among them


def asked(dealing: Dealing, cards: Sequence[int], script: Sequence[int]) -> list[list[str]]:
    """What each seat answers when it is asked, in a script."""
    game = dealing.game
    table = Table(game, "deal", set_number=0, cards=lambda _deal, _redeal: cards)
    answers: list[list[str]] = [[] for _ in range(game.seats)]
    while table.at < len(script) and (decision := table.ask()) is not None:
        action = script[table.at]
        answers[decision.seat].append(game.actions[action])
        table.submit(action)
    return answers


def sent(tmp_path: Any, seat: int, cards: Sequence[int], answers: list[list[str]]) -> list[bytes]:
    """All that the whole arena sends to the bot in a seat of a set's first table."""
    entrants = [arena_help.bot(name, "first_legal") for name in ("aapo", "bertta")]
    scripts = iter([*answers, *answers])

    def player() -> in_memory.Player:
        script = iter(next(scripts))

        def answer(ask: Ask) -> str:
            return next(script, ask.legal[0])

        return in_memory.Player(answer)

    world = in_memory.World({entrants[0].argv[0]: player})
    job = arena_help.job(tmp_path, entrants, rules="helsinki", tables=1)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(arena, "shuffled", lambda _key, _size: list(cards))
        world.play(job)
    assert isinstance(world.links[0].player, Bot)
    link = world.links[job.sets[0].seatings[0][seat] * 4 + seat]
    return [data for who, data in link.heard if who == "referee"]


def test_the_whole_arena_sends_the_same_from_start_on(tmp_path: Any) -> None:
    game = game_named("huutopussi", "helsinki")
    dealing, *redeals = dealings(game, 12)
    assert (dealing.tally, redeals) == (game.first(0), [])
    truth = Truth(dealing)
    for seat, memory in enumerate(truth.memories):
        until = truth.moments(seat, Random(seat), 1)[1]
        messages = truth.heard[seat][until].messages + 2  # welcome and start come first
        answers = asked(dealing, dealing.cards, dealing.actions)
        played = sent(tmp_path, seat, dealing.cards, answers)[:messages]
        assert b'"type":"start"' in played[1]
        clock = re.compile(rb'"time_ms":\d+')
        asks = truth.sent[seat][: messages - 2]
        assert [clock.sub(b"", one) for one in played[2:]] == [clock.sub(b"", one) for one in asks]
        for replay in Search(memory, until, Random(seat)).worlds(2):
            answers = asked(dealing, replay.world.cards, replay.script)
            assert sent(tmp_path, seat, replay.world.cards, answers)[:messages] == played
