"""PROTOCOL.md says what the code does: its examples decode, its tables and numbers are ours.

The generated tables are written anew by UPDATE=1.
"""

import json
import os
import subprocess
import sys
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
from referee.games.huutopussi import PHASES, Huutopussi
from referee.games.huutopussi_options import CARD_POINTS, MARRIAGE_POINTS, PRESETS
from referee.games.rulesets import KINDS, game_named, options_of
from referee.job import START_MS
from referee.seats import bot as seat
from referee.seats import keeper, process, zeromq
from referee.seats.bot import BotCommand
from referee.table import PlayRecord
from tests.arena_help import bot, job, play
from tests.make_vectors import FOLDER
from tests.protocol_page import PAGE, blocks, kinds, names, rows, section, with_generated
from tests.protocol_words import Draws, chance, floor
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
    "9. The view": (messages.HuutopussiView, messages.LastDeal),
}
"""The section in which every field of these is described."""


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
        assert kinds("text") == {"pack", "alphabet"}
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
            described = {n for row in rows(section(heading)) for n in names(row[0])} - set(PHASES)
            assert described <= known, heading

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

    def test_is_every_phase(self) -> None:
        described = {name for row in rows(section("9. The view")) for name in names(row[0])}
        assert described & set(PHASES) == set(PHASES) - {"over"}
        assert "`over`" in section("9. The view")

    def test_is_every_variable_of_a_bots_environment(self) -> None:
        found = [name for row in rows(section("3. Starting")) for name in names(row[0])]
        order = json.loads(process._order(process.LaunchSpec(argv=("bot",)), "/tmp"))
        ours = {messages.ENDPOINT_VARIABLE, messages.TOKEN_VARIABLE, messages.VERSION_VARIABLE}
        assert set(found) == ours | set(order["env"])


class TestTheGame:
    def test_has_the_cards_in_pack_order(self) -> None:
        (pack,) = blocks("text", "pack")
        assert tuple(pack.split()) == game_named("huutopussi").pack.names

    @pytest.mark.parametrize("ruleset", PRESETS)
    def test_has_the_alphabet_of_every_ruleset(self, ruleset: str) -> None:
        game = Huutopussi(PRESETS[ruleset], ruleset)
        (pack,), (alphabet,) = blocks("text", "pack"), blocks("text", "alphabet")
        places = {"CARD": pack.split(), "N": list(map(str, game.bids)), "SUIT": list("SHDC")}
        actions: list[str] = []
        for line in alphabet.split():
            word = line.rpartition(":")[2]
            actions += [line.replace(word, one) for one in places.get(word, [word])]
        assert tuple(actions) == game.actions

    def test_has_every_verb_with_its_meaning(self) -> None:
        shown = {names(row[0])[0].partition(":")[0] for row in rows(section("8.1 Cards"))}
        verbs = {action.partition(":")[0] for action in game_named("huutopussi").actions}
        assert shown == {v for v in verbs if v not in game_named("huutopussi").pack.index} | {"TH"}

    def test_has_the_points_of_cards_and_marriages(self) -> None:
        text = " ".join(section("8.5").split()) + " ".join(section("8.6").split())
        for points in CARD_POINTS.values():
            assert " ".join(map(str, points.values())) in text
        for name, by_suit in MARRIAGE_POINTS.items():
            high = sorted(zip(by_suit, "SHDC", strict=True), reverse=True)
            said = ", ".join(f"{suit} {n}" for n, suit in high) if any(by_suit) else "nothing"
            assert f"`{name}`: {said}" in text

    def test_has_the_options_and_rulesets_of_the_code(self) -> None:
        if os.environ.get("UPDATE"):
            PAGE.write_text(with_generated(), encoding="utf-8")
        assert PAGE.read_text(encoding="utf-8") == with_generated(), "UPDATE=1 writes the tables"

    def test_says_how_options_stand_in_a_rulesets_name(self) -> None:
        game = game_named("huutopussi", "helsinki", {"must_head": False, "bid_step": 10})
        assert f"`{game.ruleset}`" in section("`start`")

    def test_explains_every_option_and_value(self) -> None:
        explained = TEXT[TEXT.index("### 8.1") : TEXT.index("### 8.7")]
        for option in options_of(KINDS["huutopussi"]):
            assert f"`{option.name}`" in explained, option.name
            words = [w.strip() for part in option.values.split(" or ") for w in part.split(",")]
            values = {w for w in words if w.isidentifier()} - {"true", "false", "none", "by_set"}
            missing = {value for value in values if f"`{value}`" not in explained}
            assert missing <= {"contract", "bid", "talon"}, (option.name, missing)


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
        "messages before a valid hello that are no JSON object": seat._BAD_HELLOS,
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


@pytest.mark.parametrize("ruleset", [*PRESETS, *PENALTIES])
def test_the_floor_is_what_the_page_says(ruleset: str) -> None:
    game = Huutopussi((PRESETS | PENALTIES)[ruleset], ruleset)
    assert floor(game, game.deal(*random_deal(game, 0)), 0) == game.lowest_net()
    for number in range(40):
        deal, random = game.deal(*random_deal(game, number)), Random(number)
        while deal.to_act is not None:
            for side in range(game.side_count):
                assert floor(game, deal, side) == deal.floor(side), number
            deal.apply(choose(game, random, deal.legal()))


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
