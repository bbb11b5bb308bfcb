"""`referee check`: sample bots pass, what is shown, the flags, and the words for mistakes."""

import json
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from protocol.messages import End, decode_from_referee, encode
from referee.check.conversation import extended
from referee.check.diagnosis import bad_form, bad_message, described, shown
from referee.check.run import all_games
from referee.check.steps import NUMBERS, STEPS, Decisions, Outcome, Report
from referee.check.steps import Result as StepResult
from referee.check.tables import CheckTable
from referee.cli.main import commands
from referee.errors import ConfigError
from referee.games.rulesets import KINDS, game_named
from referee.seats.trouble import malformed
from referee.show.check import check_json, check_junit, check_page, verdict
from referee.show.page import Look
from tests.test_check_mistakes import MISTAKES

SHORT = ["--game", "marjapussi", "--rules", "marjapussi-24"]


def check(*words: str | Path) -> Result:
    """The command, in this process."""
    return CliRunner().invoke(commands, ["check", *map(str, words)])


# ---- the command -----------------------------------------------------------------------------


@pytest.mark.parametrize("bot", ["first_legal", "random_legal", "greedy"])
def test_sample_bots_pass(bot: str) -> None:
    done = check(bot, "--rules", "tuppi", "--rules", "helsinki", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["passed"] is True
    assert found["failed"] == 0
    assert found["rulesets"] == ["huutopussi helsinki", "tuppi tuppi"]
    assert found["deterministic"] is True
    assert [step["number"] for step in found["steps"]] == list(range(1, len(STEPS) + 1))
    outcomes = {step["key"]: step["outcome"] for step in found["steps"]}
    assert {key for key, outcome in outcomes.items() if outcome != "passed"} == {"stdout"}
    assert found["decisions"]["count"] > 100
    assert 0 < found["decisions"]["mean_ms"] <= found["decisions"]["slowest_ms"]


def test_every_ruleset_of_a_game_is_played_where_none_is_named() -> None:
    done = check("first_legal", "--game", "tuppi", "--step", "17", "--json")
    found = json.loads(done.stdout)
    assert sorted(found["rulesets"]) == sorted(f"tuppi {name}" for name in KINDS["tuppi"].presets)
    assert found["rulesets"][0] == "tuppi tuppi"


def test_a_failure_is_exit_code_one_in_the_table_and_in_both_files(tmp_path: Path) -> None:
    junit = tmp_path / "check.xml"
    bot = f"python {MISTAKES} move_field"
    done = check(bot, *SHORT, "--step", "17", "--junit", junit)
    assert done.exit_code == 1
    assert done.stdout.splitlines()[-1].startswith("failed: 1 of ")
    assert "not `move`" in " ".join(done.stdout.split())
    assert 'received: {"type":"act","id":1,"move":"' in done.stdout
    suite = ElementTree.parse(junit).getroot()
    assert suite.get("failures") == "1"
    assert suite.get("tests") == str(len(STEPS))
    (failed,) = (case for case in suite if case.find("failure") is not None)
    assert failed.get("name") == "04 sends valid messages"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nobody"], "there is no sample bot, file or program called 'nobody'"),
        (["greedy", "--game", "chess"], "no game is called 'chess'"),
        (["greedy", "--rules", "helsingki"], "did you mean 'helsinki'?"),
        (["greedy", "--game", "tuppi", "--rules", "helsinki"], "no ruleset is called 'helsinki'"),
        (["greedy", "--step", "4"], "--step 4: expected one of 10 to 20"),
        (["greedy", "--decision-ms", "1"], "--decision-ms"),
    ],
)
def test_a_wrong_command_is_exit_code_two(words: list[str], message: str) -> None:
    done = check(*words)
    assert done.exit_code == 2
    assert message in done.stderr


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    done = check(f"python {MISTAKES} exits_at_once", "--junit", tmp_path / "no" / "check.xml")
    assert done.exit_code == 2
    assert "check.xml: cannot be written" in done.stderr


def test_help_has_an_example() -> None:
    assert 'Example: referee check "python mybot.py" --game tuppi' in check("--help").stdout


def test_a_bot_that_knows_other_games_only_fails_at_its_hello(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "from protocol.bot import Bot\n"
        "class Mine(Bot):\n"
        "    def decide(self, ask): return ask.legal[0]\n"
        "import sys\n"
        "Mine('mine', games=sys.argv[1:]).run()\n",
        encoding="utf-8",
    )
    found = json.loads(check(f"python {bot} tupi", *SHORT, "--json").stdout)
    (step,) = (step for step in found["steps"] if step["outcome"] == "failed")
    assert step["key"] == "hello"
    assert "did you mean 'tuppi'?" in step["detail"]
    found = json.loads(check(f"python {bot} tuppi", *SHORT, "--json").stdout)
    (step,) = (step for step in found["steps"] if step["outcome"] == "failed")
    assert step["key"] == "deals"
    found = json.loads(check(f"python {bot} tuppi marjapussi", *SHORT, "--json").stdout)
    assert found["rulesets"] == ["marjapussi marjapussi-24"]
    assert found["passed"] is True


# ---- what is shown ---------------------------------------------------------------------------


def report(*outcomes: Outcome, detail: str = "so it is", received: str = "") -> Report:
    """A report whose first steps came out so."""
    return Report(
        bot="bot \x1b[2J",
        name="",
        results=[
            StepResult(
                number=number, key=step.key, name=step.name, outcome=outcome, detail=detail,
                received=received,
            )
            for number, (step, outcome) in enumerate(zip(STEPS, outcomes, strict=False), 1)
        ],
        rulesets=[],
        decisions=Decisions(count=0, mean_ms=0, slowest_ms=0, where=""),
        deterministic=None,
        seconds=1.5,
    )  # fmt: skip


def drawn(shown_report: Report, *, unicode: bool) -> str:
    """The page as text."""
    console = Console(file=StringIO(), width=100, highlight=False, markup=False)
    console.print(check_page(shown_report, Look(unicode=unicode)))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_the_table_has_marks_and_an_ascii_fallback() -> None:
    page = report("passed", "failed", "skipped", detail="cut…", received="x…")
    marks = [line.split()[0] for line in drawn(page, unicode=True).splitlines() if "cut" in line]
    assert marks == ["✓", "✗", "\N{EN DASH}"]
    plain = drawn(page, unicode=False)
    assert plain.isascii()
    marks = [line.split()[0] for line in plain.splitlines() if "cut" in line]
    assert marks == ["ok", "FAIL", "-"]


def test_the_last_line_counts_what_was_tried() -> None:
    assert verdict(report("passed", "failed", "skipped")).plain == "failed: 1 of 2 steps"
    assert verdict(report("passed", "skipped")).plain == "passed"
    assert check_json(report("passed", "skipped"))["passed"] is True
    assert check_json(report("failed", "failed"))["failed"] == 2


def test_what_xml_cannot_hold_does_not_spoil_the_file() -> None:
    data = check_junit(report("failed", "skipped", detail="a \x00 \ud800 <b> & \uffff"))
    suite = ElementTree.fromstring(data)
    assert suite.get("name") == "referee check bot ?[2J"
    failure, skipped = suite.find("testcase/failure"), suite.find("testcase/skipped")
    assert failure is not None
    assert skipped is not None
    assert failure.get("message") == skipped.get("message") == "a ? ? <b> & ?"


# ---- words -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "legal", "words"),
    [
        ("th", ["9H", "TH"], "it wrote 'th' where `legal` has 'TH'"),
        ("10h", ["TH"], "where `legal` has 'TH'"),
        ("T♥", ["TH"], "where `legal` has 'TH'"),
        ("HT", ["TH"], "where `legal` has 'TH'"),
        (" pass", ["pass"], "where `legal` has 'pass'"),
        ("TH", ["give:9H", "give:TH"], "where `legal` has 'give:TH'; send the whole string"),
        ("1", ["9H", "TH"], "looks like an index"),
    ],
)
def test_an_action_written_wrongly_is_set_right(
    action: str, legal: list[str], words: str
) -> None:
    assert words in bad_form(action, legal)


def test_an_action_of_its_own_is_not_taken_for_a_slip() -> None:
    assert not bad_form("8H", ["9H", "TH"])
    assert not bad_form("pass", ["bid:50"])
    assert not bad_form("70", ["9H"])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "an empty message"),
        (b"null", "it sent null where a message is a JSON object"),
        (b"[1]", "it sent a list where"),
        (b"3.5", "it sent the number 3.5 where"),
        (b"true", "it sent the value true where"),
        (b"hello there", "it sent text that is not a JSON object"),
        (b'{"type":"act","id":1,}', "it sent invalid JSON: "),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b'{"type":"Act","id":1,"action":"TH"}', "did you mean 'act'?"),
        (b'{"type":"act","id":1.0,"action":"TH"}', "its act.id is the number 1.0"),
        (b'{"type":"act","id":true,"action":"TH"}', "its act.id is the value true"),
        (b'{"type":"act","id":0,"action":"TH"}', "ids run from 1 to"),
        (b'{"type":"act","id":1,"action":null}', "its act.action is null"),
        (b'{"type":"act","id":1,"Action":"TH"}', "`action`, not `Action`"),
        (b'{"type":"act","id":1,"action":"' + b"x" * 65 + b'"}', "has 65 characters"),
        (b'{"type":"act","id":1,"action":"TH","note":[1]}', "its act.note is a list"),
        (b'{"type":"pong"}', "its pong has no field `id`"),
        (b'{"type":"hello","token":"x"}', 'say "protocol": [1]'),
        (b'{"type":"hello","token":"x","protocol":[1],"tables":0}', "hello.tables is the number 0"),
        (b'{"type":"hello","token":"x","protocol":[1],"games":"tuppi"}', "it is a list of strings"),
        (b'{"type":"batch","messages":[]}', "its batch is empty"),
        (b'{"type":"batch","messages":[{"type":"hello"}]}', "a hello, which may not stand"),
        (b'{"type":"batch","messages":[{"type":"act","id":"1"}]}', "messages[0] is wrong: its act"),
    ],
)
def test_a_message_that_is_none_is_explained(data: bytes, words: str) -> None:
    assert words in described(malformed(data, "the decoder's words"), '{"type": "act"}', ["TH"])


def test_what_nobody_foresaw_is_said_in_the_decoder_s_words() -> None:
    assert bad_message(b'{"type":"act","id":1,"action":"TH"}', "the decoder's words") == (
        "the decoder's words"
    )
    deep = b"[" * 100_000
    assert bad_message(deep, "the decoder's words") == "the decoder's words"


def test_bytes_are_shown_on_one_line_and_short() -> None:
    assert shown(b"a\n\x1b[2J\xff") == r"a\n\x1b[2J\xff"
    long = shown("ä".encode() * 5000, 20)
    assert long == "ä" * 20 + "… (10,000 bytes)"


# ---- tables and processes --------------------------------------------------------------------


@pytest.mark.parametrize("game", all_games(), ids=lambda game: f"{game.name}-{game.ruleset}")
def test_the_same_name_is_the_same_deal_and_every_seat_is_asked(game) -> None:  # type: ignore[no-untyped-def]
    for seat in range(game.seats):
        traces = []
        for number in (1, 2):
            table = CheckTable(game, seat, "base", number=number)
            while (wanted := table.decision()) is not None:
                assert wanted.seat == seat
                assert not table.table.deal.dictated()
                table.play(game.actions[wanted.legal[-1]])
            (end,) = table.ends()
            assert end.over
            assert table.ends() == []
            traces.append(table.trace)
        assert traces[0] == traces[1]
        assert traces[0]


def test_messages_with_new_fields_are_still_the_same_messages() -> None:
    table = CheckTable(game_named("tuppi"), 1, "base", number=1)
    wanted = table.decision()
    assert wanted is not None
    ask = table.ask(4, wanted, 500)
    for message in (table.start(500), ask, End(table=1, deal=0, points=[1], score=[1], over=True)):
        data = extended(message)
        assert decode_from_referee(data) == decode_from_referee(encode(message))
        assert "added_later" in json.loads(data)
    assert "added_later" in json.loads(extended(ask))["view"]
    assert "added_later" in json.loads(extended(table.start(500)))["time"]


def test_a_game_of_several_deals_tells_each_end(tmp_path: Path) -> None:
    game = game_named("tuppi", "tuppi", {"max_deals": 3})
    table = CheckTable(game, 0, "several", number=1, unit="game")
    ends: list[End] = []
    while (wanted := table.decision()) is not None:
        ends += table.ends()
        table.play(game.actions[wanted.legal[0]])
    ends += table.ends()
    assert [end.over for end in ends] == [False] * (len(ends) - 1) + [True]
    assert len(ends) > 1


def test_all_games_have_their_default_first_and_none_is_left_out() -> None:
    names = [(game.name, game.ruleset) for game in all_games()]
    assert len(names) == len(set(names)) == sum(len(kind.presets) for kind in KINDS.values())
    for kind in KINDS.values():
        assert next(ruleset for game, ruleset in names if game == kind.name) == kind.default
    with pytest.raises(ConfigError, match="no ruleset is called 'nothing'"):
        all_games(rulesets=["nothing"])


def test_steps_have_numbers_in_their_order() -> None:
    assert [NUMBERS[step.key] for step in STEPS] == list(range(1, len(STEPS) + 1))
