"""PROTOCOL.md says what the code does: its examples decode, its tables and numbers are ours.

The generated tables are written anew by UPDATE=1.
"""

import json
import os
import re
import subprocess
import sys
import typing
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
import zmq
from msgspec.structs import fields, replace

from protocol import messages, schemas
from protocol.messages import decode_from_bot, decode_from_referee, encode
from referee import arena, judge, live, log, roster, rulings
from referee.clock import GRACE_MS, NO_LIMIT_MS
from referee.games.game import Game
from referee.games.huutopussi import Huutopussi
from referee.games.huutopussi_options import CARD_POINTS, MARRIAGE_POINTS, PRESETS
from referee.games.rulesets import KINDS, game_named, options_of
from referee.job import START_MS
from referee.seats import bot as seat
from referee.seats import keeper, process, trouble, zeromq
from referee.seats.bot import BotCommand
from referee.seats.order import written
from referee.table import PlayRecord
from referee.tricks import RANK_ORDERS
from tests.arena_help import bot, job, play
from tests.make_vectors import FOLDER
from tests.protocol_page import (
    ACTIONS,
    BIDDING,
    CHAPTERS,
    DEALING,
    MARRIAGES,
    OPTIONS,
    PAGE,
    RULESETS,
    SCORING,
    TRICKS,
    VIEW,
    annotated,
    blocks,
    chapter,
    games,
    generated,
    headings,
    holds_for,
    kinds,
    names,
    phases,
    played,
    rows,
    section,
    section_title,
    steps_of,
    verb_of,
    with_generated,
)
from tests.protocol_words import (
    Draws,
    after_items,
    after_tuppi,
    all_items,
    chance,
    dealt,
    earned,
    floor,
    gained,
    lowest,
    marriages,
    packs,
    playable,
    tricks_of,
    winner,
)
from tests.test_contract import choose, random_deal

TEXT = PAGE.read_text(encoding="utf-8")

MESSAGES: dict[str, tuple[type[msgspec.Struct], ...]] = {
    "`hello`": (messages.Hello,),
    "`welcome`": (messages.Welcome, messages.Limits),
    "`start`": (messages.Start, messages.Time),
    "`ask`": (messages.Ask,),
    "`act`": (messages.Act,),
    "`fault`": (messages.Fault,),
    "`end`": (messages.End,),
    "`ping` and `pong`": (messages.Ping, messages.Pong),
    "`batch`": (messages.BotBatch, messages.RefereeBatch),
    "`bye`": (messages.Bye,),
    "9. The view": (messages.View, messages.LastDeal),
}
"""The section in which every field of these is described."""

VIEWS = {str(view.__struct_config__.tag): view for view in typing.get_args(messages.AnyView)}
"""The view of each game."""

every_kind = pytest.mark.parametrize("name", KINDS)
every_game = pytest.mark.parametrize(
    "game",
    [game for name in KINDS for game in games(name)],
    ids=lambda game: f"{game.name}/{game.ruleset}",
)


def holds(whole: Any, part: Any) -> bool:
    """Whether everything in a part of JSON is in the whole, with the same value."""
    if isinstance(part, dict):
        return all(name in whole and holds(whole[name], value) for name, value in part.items())
    if isinstance(part, list):
        return len(whole) == len(part) and all(map(holds, whole, part))
    return bool(whole == part)


class TestExamples:
    @pytest.mark.parametrize(
        ("kind", "decode"), [("bot", decode_from_bot), ("referee", decode_from_referee)]
    )
    def test_decode_and_hold_no_unknown_field(self, kind: str, decode: Any) -> None:
        for block in blocks("json", kind):
            assert holds(json.loads(encode(decode(block.encode()))), json.loads(block)), block

    def test_show_every_message_of_each_direction(self) -> None:
        shown = {(kind, json.loads(block)["type"]) for kind in ("bot", "referee")
                 for block in blocks("json", kind)}  # fmt: skip
        both = {"ping", "pong", "batch"}
        bot_only, referee_only = {"hello", "act"}, {
            "welcome", "start", "ask", "fault", "end", "bye",
        }  # fmt: skip
        assert {m for k, m in shown if k == "bot"} | both == bot_only | both
        assert {m for k, m in shown if k == "referee"} | both == referee_only | both
        assert both <= {message for _, message in shown}

    def test_of_a_start_hold_every_option(self) -> None:
        (start,) = (m for b in blocks("json", "referee") if (m := json.loads(b))["type"] == "start")
        assert start["rules"] == msgspec.to_builtins(PRESETS[start["ruleset"]])

    def test_of_the_log_decode_and_their_digests_are_right(self) -> None:
        found = set()
        for block in blocks("json", "log"):
            value = json.loads(block)
            data = json.dumps(value, separators=(",", ":")).encode()
            (line,) = log.lines_of(data)
            assert holds(json.loads(msgspec.json.encode(line)), value), block
            found.add(value["kind"])
            if isinstance(line, log.DealLine):
                assert sha256(line.play).hexdigest() == line.sha256
                assert log.canonical(log.decode_play(line.play)) == bytes(line.play)
        assert found == {"header", "deal", "void", "unplayed", "end"}

    def test_are_all_of_a_kind_that_is_checked(self) -> None:
        assert kinds("json") == {"bot", "referee", "log", "chance"}
        of_games = {f"{what}_{game}" for what in ("alphabet", "deal") for game in KINDS}
        assert kinds("text") == {"pack", "packs"} | of_games
        assert len(blocks("python")) == 1


class TestWhatIsDescribed:
    @pytest.mark.parametrize("heading", MESSAGES)
    def test_is_every_field_of_every_message(self, heading: str) -> None:
        text = section(heading)
        for struct in MESSAGES[heading]:
            missing = [f.name for f in fields(struct) if f"`{f.name}`" not in text]
            assert not missing, f"{struct.__name__}: {missing}"

    def test_has_no_field_that_is_not_there(self) -> None:
        for heading, structs in MESSAGES.items():
            known = {field.name for struct in structs for field in fields(struct)} | {"game"}
            described = {n for row in rows(section(heading)) for n in names(row[0])}
            assert described <= known, heading

    @every_kind
    def test_is_every_field_of_a_games_view(self, name: str) -> None:
        shared = {field.name for field in fields(messages.View)}
        own = [field.name for field in fields(VIEWS[name]) if field.name not in shared]
        table = [row for row in rows(chapter(name, VIEW)) if len(row) == 3]
        assert [names(row[0])[0] for row in table][: len(own)] == own
        assert set(VIEWS) == set(KINDS)

    @every_kind
    def test_is_every_game_with_the_same_headings(self, name: str) -> None:
        assert headings(name) == headings("huutopussi")
        assert f"`{name}`" in section("8. What the games share")
        assert f"#{CHAPTERS[name]}-{section_title(name)}" in TEXT

    def test_is_every_message_type(self) -> None:
        table = {names(row[1])[0]: row[0] for row in rows(section("5. Messages"))}
        schema = {name: set(json.loads(text).get("discriminator", {}).get("mapping", {}))
                  for name, text in schemas.schemas().items()}  # fmt: skip
        assert {t for t, who in table.items() if who in ("bot", "both")} == schema["from_bot.json"]
        assert {t for t, who in table.items() if who in ("referee", "both")} == schema[
            "from_referee.json"
        ]

    def test_is_every_line_and_field_of_the_log(self) -> None:
        text = section("14.2 Lines") + section("14.4")
        for struct in (
            log.Header, log.EntrantRecord, log.DealLine, PlayRecord, log.SideRecord,
            rulings.Substitution, rulings.Blame, log.Void, log.Unplayed, log.End,
        ):  # fmt: skip
            missing = [f.name for f in fields(struct) if f"`{f.name}`" not in text]
            assert not missing, f"{struct.__name__}: {missing}"

    def test_gives_play_records_in_canonical_order(self) -> None:
        order = ", ".join(f"`{name}`" for name in PlayRecord.__struct_fields__)
        inner = ", ".join(f"`{name}`" for name in rulings.Substitution.__struct_fields__)
        words = " ".join(section("14.4").split())
        assert order in words
        assert inner in words

    def test_is_every_kind_of_fault_with_its_weight(self) -> None:
        table = {names(row[0])[0]: row[2] for row in rows(section("11. Faults")) if len(row) == 3}
        assert tuple(table) == rulings.KINDS
        assert {kind for kind, weight in table.items() if weight == "soft"} == rulings.SOFT
        assert table["infrastructure"] == "none"

    @every_kind
    def test_is_every_phase_with_its_actions(self, name: str) -> None:
        own = len(fields(VIEWS[name])) - len(fields(messages.View))
        table = rows(chapter(name, VIEW))[own:]
        described = {(names(row[0])[0], verb) for row in table for verb in row[2].split()}
        described = {(phase, verb.strip("`")) for phase, verb in described}
        assert phases(name) == described

    def test_is_every_variable_of_a_bots_environment(self) -> None:
        found = [name for row in rows(section("3. Starting")) for name in names(row[0])]
        built = json.loads(written(process.LaunchSpec(argv=("bot",)), "/tmp", None))
        ours = {messages.ENDPOINT_VARIABLE, messages.TOKEN_VARIABLE, messages.VERSION_VARIABLE}
        assert set(found) == ours | set(built["env"])


class TestTheGames:
    @every_game
    def test_have_the_cards_in_pack_order(self, game: Game) -> None:
        assert tuple(packs()[game.pack.size]) == game.pack.names
        assert list(packs()) == [24, 28, 32, 36, 52]
        assert blocks("text", "pack")[0].split() == packs()[36]

    @every_game
    def test_have_the_alphabet_with_all_options(self, game: Game) -> None:
        (alphabet,) = blocks("text", f"alphabet_{game.name}")
        pack = list(game.pack.names)
        black, red = ([c for c in pack if c[1] in suits] for suits in ("SC", "HD"))
        low, high = (red, black) if game.name == "minnesota" else (black, red)
        if game.name == "tuppi":
            low, high = ([c for c in cards if c[0] not in "2JQK"] for cards in (low, high))
        places = {"CARD": pack, "SUIT": list("SHDC"), "LOW": low, "HIGH": high}
        if isinstance(game, Huutopussi):
            places["N"] = list(map(str, game.bids))
        actions: list[str] = []
        for line in alphabet.splitlines():
            pattern, _, condition = line.partition(" ")
            if not condition or holds_for(condition.strip(), game.rules):
                word = pattern.rpartition(":")[2]
                actions += [pattern.replace(word, one) for one in places.get(word, [word])]
        assert tuple(actions) == game.actions

    @every_kind
    def test_have_every_verb_with_its_phases_and_meaning(self, name: str) -> None:
        shown = {
            (phase, names(row[0])[0].partition(":")[0])
            for row in rows(chapter(name, ACTIONS))
            for phase in row[1].split(", ")
        }
        asked = {(phase, verb.replace("CARD", "TH")) for phase, verb in phases(name)}
        assert {each for each in shown if each[0] != "(dictated)"} == asked
        verbs = {verb_of(game, action) for game in games(name)
                 for action in range(len(game.actions))}  # fmt: skip
        assert {verb for _, verb in shown} == {verb.replace("CARD", "TH") for verb in verbs}

    def test_have_the_orders_of_ranks(self) -> None:
        table = {names(row[0])[0]: row[1].split() for row in rows(section("8.4 Tricks"))}
        assert set(table) == set(RANK_ORDERS)
        for order, ranks in RANK_ORDERS.items():
            assert table[order] == [rank for rank in ranks if rank in table[order]]
            assert set(table[order]) in [{card[0] for card in packs()[size]} for size in (36, 52)]

    @every_game
    def test_are_dealt_as_the_page_says(self, game: Game) -> None:
        for number in range(5):
            cards, tally = random_deal(game, number)
            deal: Any = game.deal(cards, tally)
            hands = [set(game.pack.texts(hand)) for hand in deal.hands]
            assert hands == dealt(game, cards, tally.dealer)

    @every_game
    def test_allow_in_play_what_the_page_says(self, game: Game) -> None:
        for number in range(120):
            for deal in played(game, number):
                view = deal.view(deal.to_act or 0)
                if deal.to_act is not None and view.phase == "play":
                    legal = [game.actions[action] for action in deal.legal()]
                    assert sorted(playable(game, view)) == sorted(legal), (number, view)

    @every_game
    def test_give_tricks_to_whom_the_page_says(self, game: Game) -> None:
        for number in range(20):
            before: Any = None
            for deal in played(game, number):
                view = deal.view(0)
                if before and sum(view.tricks) > sum(before.tricks):
                    (play,) = view.history[len(before.history) :]
                    rules: Any = game.rules
                    trumps = not getattr(view, "stock", 0) or rules.trump_in_phase1
                    trump = before.trump if trumps else None
                    seat_of_it = winner(game, view, [*before.trick, play], trump)
                    assert view.tricks[seat_of_it] == before.tricks[seat_of_it] + 1, number
                before = view

    def test_have_the_points_of_cards_and_marriages(self) -> None:
        text = " ".join(chapter("huutopussi", MARRIAGES, SCORING).split())
        for points in CARD_POINTS.values():
            for scoring in (text, " ".join(chapter("marjapussi", SCORING).split())):
                assert " ".join(map(str, points.values())) in scoring
        for name, by_suit in MARRIAGE_POINTS.items():
            high = sorted(zip(by_suit, "SHDC", strict=True), reverse=True)
            said = ", ".join(f"{suit} {n}" for n, suit in high) if any(by_suit) else "nothing"
            assert f"`{name}`: {said}" in text

    def test_have_the_options_and_rulesets_of_the_code(self) -> None:
        if os.environ.get("UPDATE"):
            PAGE.write_text(with_generated(), encoding="utf-8")
        assert PAGE.read_text(encoding="utf-8") == with_generated(), "UPDATE=1 writes the tables"
        assert generated() == [(what, kind) for kind in KINDS for what in ("options", "rulesets")]

    @every_kind
    def test_have_those_tables_in_their_own_sections(self, name: str) -> None:
        options = [names(row[0])[0] for row in rows(chapter(name, OPTIONS))]
        assert options == [option.name for option in options_of(KINDS[name])]
        rulesets = [names(row[0])[0] for row in rows(chapter(name, RULESETS))]
        assert rulesets == list(KINDS[name].presets)

    def test_says_how_options_stand_in_a_rulesets_name(self) -> None:
        game = game_named("huutopussi", "helsinki", {"must_head": False, "bid_step": 10})
        assert f"`{game.ruleset}`" in section("`start`")

    @every_kind
    def test_explain_every_option_and_value(self, name: str) -> None:
        explained = chapter(name, ACTIONS, DEALING, BIDDING, TRICKS, MARRIAGES, SCORING)
        explained += section("8.3 Seats") + section("8.4 Tricks") + section("8.5 Marriages")
        if name == "marjapussi":
            explained += chapter("bondtolva", TRICKS, MARRIAGES)
        for option in options_of(KINDS[name]):
            assert f"`{option.name}`" in explained + section("8.6 Deals"), option.name
            words = [w.strip() for part in option.values.split(" or ") for w in part.split(",")]
            values = {w for w in words if w.isidentifier()} - {"true", "false", "none"}
            missing = {value for value in values if f"`{value}`" not in explained}
            assert not missing, (option.name, missing)


class TestAnnotatedDeals:
    @every_kind
    def test_are_what_the_engine_plays(self, name: str) -> None:
        facts, script = annotated(name)
        game = game_named(name, facts["ruleset"])
        cards = [game.pack.index[card] for card in facts["cards"].split()]
        start = replace(game.first(0), dealer=int(facts["dealer"]))
        deal: Any = game.deal(cards, start)
        for at, hand in enumerate(deal.hands):
            assert " ".join(game.pack.texts(hand)) == facts[f"hand {at}"]
        asks = []
        for line, remark in script:
            legal = " ".join(game.actions[action] for action in deal.legal())
            won = sum(deal.tricks)
            for turn, action, dictated in steps_of(line):
                place = game.index[action]
                assert (deal.to_act, deal.dictated()) == (turn, dictated), line
                assert place in deal.legal(), (line, action)
                view = json.loads(deal.view_json(turn))
                asks.append((view, [game.actions[each] for each in deal.legal()]))
                deal.apply(place)
            said = dict(part.split(": ") for part in remark.split("; ") if ": " in part)
            assert said.get("legal", legal) == legal, line
            winner = re.match(r"seat (\d) wins", remark)
            assert (winner is not None) == (sum(deal.tricks) > won), line
            assert winner is None or int(winner[1]) == deal.winner, line
        assert deal.to_act is None
        assert facts["points"] == " ".join(map(str, deal.points()))
        assert any("legal: " in remark for _, remark in script)
        shown = [m for block in blocks("json", "referee") if (m := json.loads(block)).get("view")]
        own = [(m["view"], m["legal"]) for m in shown if m["view"]["game"] == name]
        assert len(own) == 1
        assert own[0] in asks or name == "huutopussi"


def bound(struct: type[msgspec.Struct], field: str, which: str) -> int:
    """The bound of a message's field, as its schema has it."""
    schema = msgspec.json.schema(struct)["$defs"][struct.__name__]["properties"][field]
    for part in (schema, *schema.get("anyOf", [])):
        if which in part:
            return int(part[which])
    raise AssertionError(f"{field} has no {which}")


def test_the_limits_are_those_of_the_code() -> None:
    spec = process.LaunchSpec(argv=("bot",))
    expected = {
        "message from the bot": zeromq.MESSAGE_BYTES,
        "frame from the bot": zeromq.CUT_BYTES,
        "message from the referee": None,
        "`hello.protocol`": bound(messages.Hello, "protocol", "maxItems"),
        "`hello.games`": bound(messages.Hello, "games", "maxItems"),
        "`hello.tables`": bound(messages.Hello, "tables", "maximum"),
        "`hello.token`, `name`, `version`, a game": bound(messages.Hello, "token", "maxLength"),
        "`act.action`": bound(messages.Act, "action", "maxLength"),
        "`act.note` as a string": bound(messages.Act, "note", "maxLength"),
        "`act.note` kept in the log": live.NOTE_BYTES,
        "messages in a bot's batch": bound(messages.BotBatch, "messages", "maxItems"),
        "ids": 1,
        "unexpected messages in a turn": rulings.UNEXPECTED_MESSAGES,
        "soft faults of a seat at a table": rulings.SOFT_FAULTS,
        "hard faults of an entrant in a job": rulings.CRASHES,
        "messages before a valid hello that are no JSON object": trouble._BAD_HELLOS,
        "start limit": START_MS,
        "time for a decision where none is set": NO_LIMIT_MS,
        "grace": GRACE_MS,
        "referee's own delay that can void a set": judge.LAG_SECONDS * 1000,
        "silence after hello that brings a second `welcome`": seat._WELCOME_AGAIN_SECONDS,
        "from `bye` to SIGTERM": roster.STOP_GRACE_SECONDS,
        "from SIGTERM to SIGKILL": keeper.TERM_SECONDS,
        "`start` or `end` held back while nothing is asked": arena.TICK_SECONDS * 1000,
        "standard error kept": spec.stderr_cap,
        "a file that the bot writes": spec.file_bytes,
        "open files": spec.open_files,
    }
    table = {row[0]: row[1] for row in rows(section("12. Sizes"))}
    assert list(table) == list(expected)
    for what, limit in expected.items():
        if limit is not None:
            number = table[what].split()[0].replace(",", "")
            assert float(number) == limit, what
    assert f"{bound(messages.Act, 'id', 'maximum'):,}" in table["ids"]


def test_numbers_elsewhere_in_the_text_are_the_same() -> None:
    assert (rulings.UNEXPECTED_MESSAGES, rulings.SOFT_FAULTS, rulings.CRASHES) == (8, 3, 3)
    for words in (
        f"a message over {zeromq.MESSAGE_BYTES:,} bytes",
        f"start limit: {START_MS:,} ms",
        f"`decision_ms` is {NO_LIMIT_MS:,} (ten minutes)",
        f"grace of {GRACE_MS:.0f} ms",
        f"more than {judge.LAG_SECONDS * 1000:.0f} ms",
        f"nothing for {seat._WELCOME_AGAIN_SECONDS:.0f} seconds",
        f"After {roster.STOP_GRACE_SECONDS:.0f} seconds",
        f"first and last {process.LaunchSpec(argv=()).stderr_cap // 2048} KiB",
        f"first and last {keeper.LINES} lines",
        "the eighth unexpected message", "third soft fault", "three hard faults",
    ):  # fmt: skip
        assert words in " ".join(TEXT.split()), words


# ---- chance and the floor --------------------------------------------------------------------


def test_chance_is_what_the_page_says_in_its_examples_and_in_the_vectors() -> None:
    shown = [line for block in blocks("json", "chance") for line in json.loads(block)]
    # The vectors are made by the code, the page's words are worked out above.
    made = [json.loads(line) for line in (FOLDER / "chance.jsonl").read_text().splitlines()[1:]]
    assert {line["kind"] for line in shown} == {line["kind"] for line in made}
    for line in shown + made:
        assert chance(line) == line


def test_the_worked_example_of_the_shuffle_is_worked_out_right() -> None:
    words = " ".join(section("15.2 The shuffle").split())
    key = f"{'a5' * 32}|huutopussi|helsinki|aapo+sisu|0|0|0"
    seed = sha256(key.encode()).digest()
    first = sha256(seed + bytes(4)).digest()[:6]
    draws = Draws(key)
    drawn = [draws.below(n) for n in (36, 35, 34, 33, 32, 31)]
    assert key in words
    assert f"`{seed.hex()}`" in words
    assert f"bytes {' '.join(map(str, first))}." in words
    assert f"{first[0]} mod 36 = {drawn[0]}" in words
    assert f"{first[1]} mod 35 = {drawn[1]}" in words
    assert "come {}, {}, {}, {}.".format(*drawn[2:]) in words


HARSH = replace(
    PRESETS["wikibooks-3"], no_trick_penalty="bid", takes_all_penalty="contract",
    rounding="nearest5", discards_count="declarer_if_trick", declarer_no_trick_multiplier=2,
)  # fmt: skip
PENALTIES = {
    "harsh": HARSH,
    "harsher": replace(HARSH, no_trick_penalty=35, rounding="nearest5_before_test"),
}


FLOORED = [game for name in KINDS for game in games(name)]
FLOORED += [Huutopussi(rules, name) for name, rules in PENALTIES.items()]


@pytest.mark.parametrize("game", FLOORED, ids=lambda game: f"{game.name}/{game.ruleset}")
def test_the_floor_is_what_the_page_says(game: Game) -> None:
    assert lowest(game) == game.lowest_net()
    for number in range(30):
        for deal in played(game, number):
            for side in range(max(game.sides) + 1 if deal.to_act is not None else 0):
                assert floor(deal, side) == deal.floor(side), number


ITEMS = [game for name in ("marjapussi", "bondtolva") for game in games(name)]


@pytest.mark.parametrize("game", ITEMS, ids=lambda game: f"{game.name}/{game.ruleset}")
def test_items_are_scored_as_the_page_says(game: Game) -> None:
    rules: Any = game.rules
    sides, endings = range(max(game.sides) + 1), 0
    for number in range(60):
        (cards, tally), random = random_deal(game, number), Random(number)
        score = tuple(random.randint(rules.target - 5, rules.target - 1) for _ in sides)
        deal: Any = game.deal(cards, replace(tally, score=score, unit="game", deals=0))
        while deal.to_act is not None:
            deal.apply(choose(game, random, deal.legal()))
        won = marriages(deal) if any(deal.hands) else all_items(deal)
        after = deal.after()
        assert after_items(deal, won) == (list(after.score), list(after.winners))
        if not after.winners or rules.timing == "deal_end":
            assert list(deal.points()) == [sum(p for s, p in won if s == side) for side in sides]
        endings += bool(after.winners)
    assert endings


def test_tuppi_is_scored_as_the_page_says() -> None:
    for game in games("tuppi"):
        rules: Any = game.rules
        for number in range(60):
            *_, deal = played(game, number)
            assert earned(deal, tricks_of(deal)) == list(deal.points())
            for score in ((0, 0), (8, 0), (0, 48)):
                deal.tally = replace(deal.tally, score=score, unit="game", deals=0)
                after = deal.after()
                assert after_tuppi(deal, list(deal.points())) == list(after.score)
                assert bool(after.winners) == (max(after.score) >= rules.target)


def test_minnesota_is_scored_as_the_page_says() -> None:
    for game in games("minnesota"):
        for number in range(60):
            *_, deal = played(game, number)
            assert gained(deal, tricks_of(deal)) == list(deal.points())


# ---- the bot in the page ---------------------------------------------------------------------


@pytest.fixture
def small_bot(tmp_path: Path) -> Path:
    (code,) = blocks("python")
    assert len(code.splitlines()) <= 24
    path = tmp_path / "small.py"
    path.write_text(code)
    return path


@pytest.mark.parametrize("rules", ["wikibooks-2", "helsinki"])
def test_the_bot_in_the_page_plays_a_set_without_a_fault(
    small_bot: Path, rules: str, tmp_path: Path
) -> None:
    small = BotCommand(entrant="small", argv=[sys.executable, str(small_bot)])
    outcome = play(job(tmp_path, [bot("other", "random_legal"), small], rules=rules, sets=2))
    assert len(outcome.plays) == 4
    assert outcome.blame("small") == outcome.blame("other") == []


def test_the_bot_in_the_page_leaves_when_its_standard_input_ends(small_bot: Path) -> None:
    with zmq.Context() as context, context.socket(zmq.ROUTER) as socket:
        port = socket.bind_to_random_port("tcp://127.0.0.1")
        named = {"REFEREE_ENDPOINT": f"tcp://127.0.0.1:{port}", "REFEREE_TOKEN": "x"}
        command = [sys.executable, str(small_bot)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, env=os.environ | named) as running:
            assert socket.poll(10_000)
            assert decode_from_bot(socket.recv_multipart()[1])
            assert running.stdin is not None
            running.stdin.close()
            assert running.wait(10) == 0


def test_the_schemas_are_what_the_types_say() -> None:
    assert schemas.stale() == [], "python -m protocol.schemas writes them"


def test_the_smallest_hello_is_enough() -> None:
    small = [block for block in blocks("json", "bot") if json.loads(block)["type"] == "hello"][-1]
    hello = decode_from_bot(small.encode())
    assert isinstance(hello, messages.Hello)
    assert (hello.tables, hello.batch, hello.games) == (1, False, [])
