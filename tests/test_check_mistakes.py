"""`referee check` on bots with one mistake each: it is named, and nothing else is blamed."""

import sys
from pathlib import Path

import pytest

from referee.check import activities
from referee.check.run import Check, all_games
from referee.check.steps import Report, Result
from referee.seats.bot import BotCommand, Transport

MISTAKES = Path(__file__).parent / "bad_bots" / "mistakes.py"


def checked(
    mode: str,
    transport: Transport = "zeromq",
    *steps: str,
    decision_ms: int = 1000,
    start_ms: int = 10_000,
) -> Report:
    """A check of one of them over the shortest deals; of the later steps only those given."""
    argv = [sys.executable, str(MISTAKES), mode]
    return Check(
        BotCommand(entrant="bot", argv=argv, transport=transport),
        all_games(["marjapussi"], ["marjapussi-24"]),
        bot=mode, decision_ms=decision_ms, start_ms=start_ms, steps=steps,
    ).run()  # fmt: skip


def failures(report: Report) -> list[Result]:
    """The steps that failed."""
    return [result for result in report.results if result.outcome == "failed"]


def blamed(report: Report) -> tuple[str, str]:
    """The key and the sentence of the one step that failed."""
    (result,) = failures(report)
    return result.key, result.detail


WORDS = [
    ("exits_at_once", "start", "ended before its hello: exit code 1; its last words: cannot find"),
    ("no_token", "hello", "its hello has no `token`; send back the value of REFEREE_TOKEN"),
    ("wrong_token", "hello", "hello.token is not the value of REFEREE_TOKEN"),
    ("protocol_number", "hello", "its hello.protocol is the number 1; it is a list of numbers"),
    ("greets", "hello", "it sent something before its hello"),
    ("crashes", "deals", "it ended after `ask`: exit code 1; its last words: LookupError: no such"),
    ("closes", "deals", "it closed its connection after `ask`, and still runs"),
    ("bare_action", "messages", "without a JSON object around it; an answer looks like {"),
    ("bare_string", "messages", "without a JSON object around it"),
    ("python_repr", "messages", "single quotes where JSON wants double quotes"),
    ("two_objects", "messages", "more than one JSON value in one message"),
    ("no_type", "messages", "its message has no field `type`"),
    ("type_answer", "messages", "the unknown type 'answer'"),
    ("move_field", "messages", "the field is called `action`, not `move`"),
    ("list_action", "messages", "its act.action is a list; it is one string out of `legal`"),
    ("number_action", "messages", "its act.action is the number 0; it is one of the strings"),
    ("string_id", "messages", "its act.id is the string '1'; an id is a JSON number"),
    ("no_id", "messages", "its act has no field `id`"),
    ("not_utf8", "messages", "it sent bytes that are not UTF-8"),
    ("too_long", "messages", "the limit is 65536"),
    ("two_frames", "messages", "a message of 2 frames; each message is one frame"),
    ("second_hello", "messages", "it sent a second hello"),
    ("unagreed_batch", "messages", "a batch without batch in the handshake"),
    ("wrong_id", "ids", "it answered with id 1001, which was never asked; the open ask has id 1"),
    ("counts_ids", "ids", "it answered with id 2; the open ask has id 3"),
    ("answers_start", "once", "it sent a message after `start`, which owes no answer"),
    ("twice", "once", "it answered the ask with id 1 twice"),
    ("first_only", "once", "it answered 1, then no more"),
    ("never_reads", "once", "it said hello, and never answered an ask"),
    ("index_as_text", "legal", "it answered '0', which looks like an index"),
    ("lower_case", "legal", "; send it exactly as it stands"),
    ("any_card", "legal", "it answered 'XX', which is not legal"),
    ("not_the_single", "single", "it does not answer where one action is legal"),
    ("keeps_hand", "many", "which was in its hand in a deal before, not in this one"),
    ("one_deal", "many", "it ended after `end`: exit code 0; this was after the first deal"),
    ("crashes_on_end", "many", "it ended after `end`: exit code 7; its last words: KeyError"),
    ("strict_fields", "fields", "it ended after `welcome`: exit code 1"),
    ("strict_view", "fields", "fields here that it does not know, and is to ignore"),
    ("strict_types", "unknown", "ValueError: unknown message"),
    ("complains", "unknown", "its message has the unknown type 'error'"),
    ("trusts_end", "end", "it ended after `end`: exit code 1"),
    ("one_at_a_time", "tables", "it answered only 1 of 2 asks that were open at once"),
    ("mixes_tables", "tables", "it mixes up tables: it answered the ask of table"),
    ("batch_as_list", "batch", "it sent a bare list of messages"),
    ("batch_of_strings", "batch", "its batch.messages[0] is the string"),
    ("batch_first_only", "batch", "it answered only 1 of 2 asks that were open at once"),
    ("no_pong", "ping", "no pong within 1 s to a ping after welcome"),
    ("ignores_bye", "bye", "it still runs 2 s after bye"),
    ("leaves_child", "processes", "a process that it started outlives it: "),
    ("ignores_stdin", "orphan", "it still runs 1 s after its standard input has ended"),
]


LATER = {
    "many": ("many", "again", "end", "ping", "bye"),
    "fields": ("fields", "end"),
    "unknown": ("unknown", "end"),
    "end": ("end", "again"),
    "tables": ("tables", "bye"),
    "batch": ("batch", "bye"),
    "ping": ("ping", "bye"),
    "bye": ("bye", "processes"),
    "processes": ("bye", "processes"),
    "orphan": ("bye", "orphan"),
    "once": ("ping",),
}
"""The step at fault, and others that its mistake might be put down to."""


@pytest.mark.parametrize(("mode", "step", "words"), WORDS, ids=[mode for mode, _, _ in WORDS])
def test_a_mistake_is_named_and_not_its_consequence(
    mode: str, step: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if step in ("ping", "orphan"):  # these wait for what never comes
        monkeypatch.setattr(activities, "PING_SECONDS", 1.0)
        monkeypatch.setattr(activities, "ORPHAN_SECONDS", 1.0)
    key, detail = blamed(checked(mode, "zeromq", *LATER.get(step, ("many",))))
    assert key == step, detail
    assert words in detail


OVER_LINES = [
    ("prints", "stdout", "it printed 'thinking hard' there; print to standard error"),
    ("greets", "stdout", "it printed 'mistakes 1.0 is ready' before its hello"),
    ("several_lines", "hello", "spread over several lines; one message is one line"),
    ("bare_action", "messages", "without a JSON object around it"),
    ("one_deal", "many", "it ended after `end`: exit code 0"),
    ("leaves_child", "processes", "a process that it started outlives it: "),
]


@pytest.mark.parametrize(
    ("mode", "step", "words"), OVER_LINES, ids=[mode for mode, _, _ in OVER_LINES]
)
def test_a_mistake_over_standard_output_is_named(mode: str, step: str, words: str) -> None:
    key, detail = blamed(checked(mode, "stdio", *LATER.get(step, ("ping",))))
    assert key == step, detail
    assert words in detail


@pytest.mark.parametrize(
    ("mode", "transport", "step", "words"),
    [
        ("silent", "zeromq", "start", "no valid hello within 0.8 s"),
        ("req_socket", "zeromq", "hello", "the first one is empty, as a REQ socket sends it"),
        ("buffered", "stdio", "start", "its output is buffered; flush it after every line"),
        ("no_newline", "stdio", "start", "of standard output have no end of line"),
    ],
)
def test_a_hello_that_does_not_come_is_explained(
    mode: str, transport: Transport, step: str, words: str
) -> None:
    report = checked(mode, transport, start_ms=800)
    assert blamed(report)[0] == step
    assert words in blamed(report)[1]
    rest = [each for each in report.results if each.number > 2 and each.key != "stdout"]
    assert {result.outcome for result in rest} == {"skipped"}
    number = 1 if step == "start" else 2
    assert all(f"step {number} failed" in result.detail for result in rest)


def test_the_ruleset_that_fails_is_named_and_the_rest_is_played() -> None:
    argv = [sys.executable, str(MISTAKES), "crashes_in_tuppi"]
    games = all_games([], ["helsinki", "tuppi", "tuppi-transfer", "minnesota"])
    command = BotCommand(entrant="bot", argv=argv)
    report = Check(command, games, bot="bot", steps=["again"]).run()
    key, detail = blamed(report)
    assert key == "deals"
    assert detail.startswith("in tuppi tuppi it ended after `ask`: exit code 1")
    assert detail.endswith("(2 rulesets failed, 2 were played)")
    assert report.rulesets == ["huutopussi helsinki", "minnesota minnesota"]
    (again,) = (result for result in report.results if result.key == "again")
    assert again.outcome == "passed"


def test_a_bot_that_thinks_too_long_is_told_how_long_and_where() -> None:
    key, detail = blamed(checked("slow", "zeromq", "ping", decision_ms=100))
    assert key == "limit"
    assert "for a decision (marjapussi marjapussi-24, play, " in detail
    assert "the limit is 100 ms" in detail


@pytest.mark.parametrize("transport", ["zeromq", "tcp", "stdio"])
def test_without_a_mistake_all_steps_pass(transport: Transport) -> None:
    report = checked("none", transport)
    assert not failures(report)
    assert report.deterministic is True
    assert sum("not wanted" in result.detail for result in report.results) == 0
    skipped = {result.key for result in report.results if result.outcome == "skipped"}
    assert skipped == {"tables", "batch"} | (set() if transport == "stdio" else {"stdout"})


def test_a_bot_that_ends_what_it_has_started_leaves_nothing() -> None:
    report = checked("tidy_child", "zeromq", "bye")
    assert not failures(report)
    (processes,) = (result for result in report.results if result.key == "processes")
    assert processes.outcome == "passed"


def test_a_bot_that_plays_by_chance_passes_and_is_called_not_deterministic() -> None:
    report = checked("chance", "zeromq", "again", "fields")
    assert not failures(report)
    assert report.deterministic is False
    (same,) = (result for result in report.results if result.key == "same")
    assert same.outcome == "passed"
    assert same.detail.startswith("not deterministic: in the same deal")


def test_the_message_that_was_wrong_is_shown_escaped() -> None:
    (result,) = failures(checked("not_utf8"))
    assert r'"note":"k\xe4rki"' in result.received
    (result,) = failures(checked("too_long"))
    assert len(result.received) < 200
    assert "bytes)" in result.received
