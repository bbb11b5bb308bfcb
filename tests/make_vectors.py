"""Makes protocol/vectors/*.jsonl: conversations of the real arena with bots in memory.

    UPDATE=1 python -m pytest tests/test_vectors.py       writes them
"""

import base64
import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from protocol import vectors
from protocol.messages import Act, Ask, Time
from referee.cards import DealKey, Draws, commitment, seed_for, shuffled
from referee.games.game import Game, Unit
from referee.games.rulesets import KINDS, game_named
from referee.job import Job, SetPlan
from referee.league.plan import seatings_of
from referee.league.schedule import cyclic_order
from referee.seats.bot import BotCommand
from tests.in_memory import TOKEN, Answer, Link, Player, World, conversation
from tests.invalid_texts import AT_ASK, AT_HELLO, OPEN_ASK, Text

FOLDER = Path(vectors.__file__).parent
SECRET = "a5" * 32
DECLARATIONS_SET = 4094
"""A set in which much is declared at seat 0."""
REDEAL_SET = 6
"""A set in which seat 2 may demand new cards."""

BONDTOLVA_SET = 57
"""A set in which seat 0 declares twice."""
SOOLI_SET = 13
"""A set in which the seat to the left of the first bidder wins no trick in sooli."""

Lines = list[dict[str, Any]]


def game_of(rules: str, options: Mapping[str, object] | None = None) -> Game:
    """The game that has this ruleset; no two games have one of the same name."""
    (name,) = [kind.name for kind in KINDS.values() if rules in kind.presets]
    return game_named(name, rules, options)


def job(
    rules: str,
    *names: str,
    sets: tuple[int, ...] = (0,),
    unit: Unit = "deal",
    **options: object,
) -> Job:
    """A job of these sets; the entrants are known by their place in the world's cast."""
    game = game_of(rules, options)
    pairing = "+".join(names)
    return Job(
        game=game.name,
        ruleset=game.ruleset,
        rules=to_builtins(game.rules),
        unit=unit,
        time=Time(decision_ms=400, bank_ms=0, increment_ms=0),
        pairing=pairing,
        entrants=[BotCommand(entrant=name, argv=[name]) for name in names],
        secret=SECRET,
        sets=[
            SetPlan(
                number=number,
                seatings=seatings_of(game, game.ruleset, pairing, names, number, SECRET),
            )
            for number in sets
        ],
        stderr_folder=".",
    )


def heard(
    rules: str,
    seat: int,
    cast: Callable[[], Player] = Player,
    *,
    others: int = 1,
    sets: tuple[int, ...] = (0,),
    unit: Unit = "deal",
    all_alike: bool = False,
    **options: object,
) -> Link:
    """Everything said between the referee and the entrant `example` in one seat.

    With `all_alike` the others are played by the same cast.
    """
    names = ("example", "other", "third", "fourth")[: others + 1]
    world = World({name: cast if all_alike or name == "example" else Player for name in names})
    world.play(job(rules, *names, sets=sets, unit=unit, **options))
    return world.links[seat]


def lines(about: str, link: Link, **facts: object) -> Lines:
    """A conversation behind its first line, which names every answer that is not `legal[0]`."""
    said = list(conversation(link))
    return [{"about": about} | answers(said) | facts, *said]


def answers(said: Lines) -> dict[str, dict[str, str]]:
    """The answers in a conversation that are not the first legal action, by the ask's id."""
    asks: dict[int, list[str]] = {}
    others: dict[str, str] = {}
    for line in said:
        message = line["message"]
        for one in message.get("messages", [message]):
            if one["type"] == "ask":
                asks[one["id"]] = one["legal"]
            elif one["type"] == "act" and one["action"] != asks[one["id"]][0]:
                others[str(one["id"])] = one["action"]
    return {"answers": others} if others else {}


def misbehaving(numbers: tuple[int, ...], action: str = "2S") -> Callable[[], Player]:
    """A bot that answers some asks with an action that is not legal."""

    def answer(ask: Ask) -> str:
        return action if ask.id in numbers else ask.legal[0]

    return lambda: Player(answer)


def late() -> Player:
    """A bot whose third answer comes too late."""
    player = Player()
    player.late = {3: 0.6}
    return player


def demanding() -> Player:
    """A bot that demands new cards wherever it may."""
    return Player(lambda ask: "redeal" if "redeal" in ask.legal else ask.legal[0])


def lively(seed: int) -> Answer:
    """Bids little, declares and asks often, otherwise plays at random; notes why it declares."""
    random = Random(seed)

    def answer(ask: Ask) -> str | Act:
        wanted = [a for a in ask.legal if a.partition(":")[0] in ("declare", "half", "whole")]
        if wanted:
            return Act(id=ask.id, action=random.choice(wanted), note=f"of {len(wanted)}")
        if ask.view.phase in ("bid", "contract"):
            return ask.legal[0]
        return random.choice(ask.legal)

    return answer


def bold(ask: Ask) -> str:
    """Bids for tricks and plays sooli, follows with its lowest card of many, else its highest."""
    for wanted in ("sooli", "rami", "high"):
        found = [action for action in ask.legal if action.partition(":")[0] == wanted]
        if found:
            return found[0]
    if ask.view.phase in ("give", "return"):
        ranks = "A23456789TJQK" if ask.view.phase == "give" else "KQJT98765432A"
        return min(ask.legal, key=lambda action: (ranks.index(action[5]), action))
    return ask.legal[0]


def lively_deal(about: str, rules: str, seat: int, number: int, **options: Any) -> Lines:
    """A deal or game in which everybody declares and asks."""

    def cast() -> Player:
        return Player(lively(number))

    return lines(about, heard(rules, seat, cast, all_alike=True, sets=(number,), **options))


def ping() -> Lines:
    """A ping from either side, in an otherwise empty conversation."""
    hello, welcome, start = conversation(heard("wikibooks-2", 1))[:3]
    return [
        {"about": "a ping from either side; `unprompted` marks what the bot sends by itself"},
        hello, welcome, start,
        {"from": "referee", "message": {"type": "ping", "id": 1}},
        {"from": "bot", "message": {"type": "pong", "id": 1}},
        {"from": "bot", "message": {"type": "ping", "id": 7}, "unprompted": True},
        {"from": "referee", "message": {"type": "pong", "id": 7}},
    ]  # fmt: skip


def later() -> Lines:
    """A conversation with what a later version may add; such lines are marked."""
    found = lines(
        "what a later version may add: fields and messages to ignore (lines marked `later`)",
        heard("wikibooks-2", 0),
    )
    weather = {"type": "weather", "id": 12, "sky": ["clear", None, {"clouds": 0}]}
    for line in found[2:12]:
        if line["from"] == "referee":
            line["message"] |= {"mood": "sunny", "table_of": {"contents": [1, [2, [3]]]}}
            line["later"] = True
            if "view" in line["message"]:
                line["message"]["view"]["wind"] = 3.5
    for place in (3, 5, 8):
        found.insert(place, {"from": "referee", "message": weather, "later": True})
    return found


def conversations() -> dict[str, Lines]:
    """The conversations by file name."""
    several = {name: lambda: Player(tables=4, batch=True) for name in ("example", "other")}
    batching = World(several)
    batching.play(job("wikibooks-2", "example", "other", sets=(0, 2, 4)))
    return {
        "helsinki.jsonl": lines("helsinki: a whole deal of the declarer", heard("helsinki", 1)),
        "wikibooks-3.jsonl": lines(
            "wikibooks-3: the forehand must bid, takes the talon and discards",
            heard("wikibooks-3", 1, others=2),
        ),
        "german.jsonl": lines(
            "german: all pass, so the deal has no contract", heard("german", 1)
        ),
        "game.jsonl": lines(
            "a game of several deals (a low target keeps it short)",
            heard("wikibooks-2", 1, unit="game", target=60),
        ),
        "redeal.jsonl": lines(
            "helsinki: a hand with three sixes demands new cards",
            heard("helsinki", 2, demanding, sets=(REDEAL_SET,)),
        ),
        "declarations.jsonl": lively_deal(
            "helsinki: declarations, asks, and a partner who names one of two marriages",
            "helsinki", 0, DECLARATIONS_SET,
        ),
        **of_the_other_games(),
        "batch.jsonl": lines("three tables at once, and batches both ways", batching.links[1]),
        "illegal.jsonl": lines(
            "an illegal answer: a fault, and legal[0] is played",
            heard("wikibooks-2", 1, misbehaving((3,))),
        ),
        "forfeit.jsonl": lines(
            "three illegal answers: the referee plays on for the seat",
            heard("wikibooks-2", 1, misbehaving((3, 5, 6))),
        ),
        "late.jsonl": lines(
            "an answer that comes too late: a timeout, then a fault about the late answer",
            heard("wikibooks-2", 1, late),
        ),
        "ping.jsonl": ping(),
        "later_version.jsonl": later(),
    }


def of_the_other_games() -> dict[str, Lines]:
    """What is special in Marjapussi, Bondtolva, Tuppi and Minnesota Whist, by file name."""
    daring = partial(Player, bold)
    sooli: dict[str, Any] = {"sets": (SOOLI_SET,), "all_alike": True}
    return {
        "marjapussi.jsonl": lively_deal(
            "marjapussi: questions, and a partner who names one of two marriages",
            "marjapussi", 0, 22,
        ),
        "marjapussi_game.jsonl": lively_deal(
            "marjapussi-24: a game to exactly 5; points that would pass it are lost",
            "marjapussi-24", 0, 15, unit="game", target=5,
        ),
        "bondtolva.jsonl": lively_deal(
            "bondtolva: the window before each draw, two marriages", "bondtolva", 0, BONDTOLVA_SET,
        ),
        "bondtolva_game.jsonl": lively_deal(
            "bondtolva: a game to exactly 5; an item that would pass it is left out, and the game "
            "is over before its last deal has been played out",
            "bondtolva", 0, 2, unit="game", target=5,
        ),
        "tuppi.jsonl": lines(
            "tuppi: the soloist of a sooli gets a card, returns one and wins no trick",
            heard("tuppi", (SOOLI_SET + 2) % 4, daring, **sooli),
        ),
        "tuppi_partner.jsonl": lines(
            "tuppi: the soloist's partner; the soloist lays a card away before it gets one",
            heard(
                "tuppi", SOOLI_SET % 4, daring, **sooli, sooli_exchange="discard_then_receive"
            ),
        ),
        "tuppi_sealed.jsonl": lines(
            "tuppi: sealed bids that are shown as cards; the seat's own is never shown",
            heard("tuppi", 0, daring, bid_mode="sealed", bid_cards="hand_cards"),
        ),
        "tuppi_game.jsonl": lines(
            "tuppi: a game to 16 in which both sides fall back to nought",
            heard("tuppi", 2, sets=(2,), unit="game", target=16),
        ),
        "minnesota.jsonl": lines(
            "minnesota: a high bid that is shown as a card",
            heard("minnesota", 1, daring, all_alike=True, bid_cards="hand_cards"),
        ),
    }  # fmt: skip


# ---- what bots should not send ---------------------------------------------------------------


def class_of(text: Text, *, at_hello: bool) -> dict[str, str | None]:
    """What the referee makes of a text: kind of fault and ruling, null where it is none."""

    def bad() -> Player:
        player = Player(batch=text.batch)
        if at_hello:
            player.greeting = text.data
        else:
            player.instead = {OPEN_ASK: text.data}
        return player

    outcome = World({"example": bad, "other": Player}).play(
        replace(job("wikibooks-2", "example", "other"), start_ms=2000)
    )
    blame = [report.blame for report in outcome.unstartable]
    blame += [blame for blame in outcome.blame("example") if blame.seat == 1]
    # Where nothing was wrong with a text that is no answer, the ask runs out.
    if not blame or blame[0].kind == "timeout":
        return {"kind": None, "ruling": None}
    return {"kind": blame[0].kind, "ruling": blame[0].ruling}


def invalid() -> Lines:
    """Texts that a bot might send, with what the referee makes of each."""
    asked = [line["message"] for line in conversation(heard("wikibooks-2", 1))]
    legal = next(m["legal"] for m in asked if m["type"] == "ask" and m["id"] == OPEN_ASK)
    found: Lines = [
        {
            "about": "texts that a bot might send in place of hello, or of its answer to the only "
            "open ask; `kind` and `ruling` are the referee's, null where it finds no fault; "
            "`pad_to`: the text is filled up with spaces to so many bytes; `base64`: the text is "
            "not UTF-8; `batch`: both sides said batch",
            "open_ask": OPEN_ASK,
            "legal": legal,
            "token": TOKEN,
        }
    ]
    for at_hello, texts in ((True, AT_HELLO), (False, AT_ASK)):
        for text in texts:
            line: dict[str, Any] = {"instead_of": "hello" if at_hello else "act", "why": text.why}
            line |= class_of(text, at_hello=at_hello)
            if text.batch:
                line["batch"] = True
            try:
                line["text"] = text.raw.decode().replace("TOKEN", TOKEN)
            except UnicodeDecodeError:
                line["base64"] = base64.b64encode(text.raw).decode()
            if text.pad_to:
                line["pad_to"] = text.pad_to
            found.append(line)
    return found


# ---- chance ----------------------------------------------------------------------------------


def chance() -> Lines:
    """Shuffles, seeds, seating orders and commitments, to check other implementations by."""
    keys = [
        DealKey(SECRET, "huutopussi", "helsinki", "aapo+sisu", 0, 0, 0),
        DealKey(SECRET, "huutopussi", "helsinki", "aapo+sisu", 0, 0, 1),
        DealKey(SECRET, "huutopussi", "helsinki", "aapo+sisu", 1, 0, 0),
        DealKey(SECRET, "huutopussi", "helsinki", "aapo+sisu", 0, 1, 0),
        DealKey(SECRET, "huutopussi", "wikibooks-3", "aapo+ilta+sisu", 41, 0, 0),
        DealKey(SECRET, "huutopussi", "wikibooks-2[target=60]", "aapo+sisu", 7, 12, 0),
        DealKey("0123456789abcdef" * 4, "huutopussi", "german", "a.b-c_1+z9", 123456, 0, 3),
    ]
    keys += [
        DealKey(SECRET, "bondtolva", "bondtolva", "aapo+sisu", 0, 0, 0),
        DealKey(SECRET, "marjapussi", "marjapussi-28", "aapo+sisu", 2, 0, 0),
        DealKey(SECRET, "marjapussi", "marjapussi-korttipeli", "aapo+sisu", 3, 1, 0),
        DealKey(SECRET, "marjapussi", "marjapussi-3p", "aapo+ilta+sisu", 4, 0, 0),
        DealKey(SECRET, "tuppi", "tuppi", "aapo+sisu", 0, 0, 0),
        DealKey(SECRET, "minnesota", "south-dakota", "aapo+sisu", 5, 2, 0),
    ]
    found: Lines = [{"about": "shuffles, seeds, seatings and commitments, as PROTOCOL.md says"}]
    for secret in (SECRET, "0123456789abcdef" * 4):
        found.append({"kind": "commitment", "secret": secret, "commitment": commitment(secret)})
    for key in keys:
        pack = game_of(key.ruleset.partition("[")[0]).pack
        cards = " ".join(pack.names[card] for card in shuffled(key, pack.size))
        found.append({"kind": "deal"} | key._asdict() | {"cards": cards})
    for key in (keys[0], keys[4]):
        for table, seat in ((0, 0), (0, 1), (1, 0)):
            place = {"table": table, "seat": seat}
            about: Mapping[str, object] = key._asdict()
            found.append({"kind": "seed", **about, **place, "seed": seed_for(key, table, seat)})
    for players, number in ((2, 0), (3, 0), (3, 1), (3, 2), (4, 0), (4, 1)):
        names = ["aapo", "ilta", "sisu", "tuuli"][:players]
        found.append(seating(f"wikibooks-{players}", names, number))
    found.append(seating("marjapussi-3p", ["aapo", "ilta", "sisu"], 5))
    found.append(seating("tuppi", ["aapo", "sisu"], 1))
    return found


def seating(ruleset: str, names: list[str], number: int) -> dict[str, Any]:
    """Who sits where in one set."""
    game = game_of(ruleset)
    pairing = "+".join(names)
    tables = seatings_of(game, ruleset, pairing, names, number, SECRET)
    line: dict[str, Any] = {
        "kind": "seating", "secret": SECRET, "game": game.name, "ruleset": ruleset,
        "pairing": pairing, "set": number,
    }  # fmt: skip
    if len(names) > 2:
        text = f"order|{SECRET}|{game.name}|{ruleset}|{pairing}|{number}"
        line["order"] = cyclic_order(len(names), Draws(text).below)
    return line | {"tables": [[names[place] for place in table] for table in tables]}


def vector_files() -> dict[str, str]:
    """The text of every vector file by its name."""
    files = {"invalid_from_bot.jsonl": invalid(), "chance.jsonl": chance(), **conversations()}
    return {
        name: "".join(json.dumps(line) + "\n" for line in content)
        for name, content in files.items()
    }
