"""The arena with real bot processes: every fault named, blamed right, ruled, and nothing lost."""

from pathlib import Path
from typing import NamedTuple

import pytest

from protocol.messages import Time
from referee.clock import SeatClock
from referee.games.rulesets import game_named
from referee.job import Job
from referee.log import canonical
from tests.arena_help import bot, job, play


class Case(NamedTuple):
    mode: str
    kind: str
    ruling: str
    phrase: str


SOFT = [
    Case("illegal_once", "illegal", "substitute", "'2S' is not legal"),
    Case("wrong_case", "illegal", "substitute", "'PASS' is not legal"),
    Case("silent", "timeout", "substitute", "no answer to ask 3 within 450 ms"),
    Case("not_json", "malformed", "substitute", "JSON is malformed"),
    Case("null", "malformed", "substitute", "got `null`"),
    Case("array", "malformed", "substitute", "got `array`"),
    Case("empty", "malformed", "substitute", "truncated"),
    Case("bad_utf8", "malformed", "substitute", "UTF-8"),
    Case("huge_number", "malformed", "substitute", "out of range"),
    Case("string_id", "malformed", "substitute", "`$.id`"),
    Case("deep", "malformed", "substitute", "not a valid message"),
    Case("null_action", "malformed", "substitute", "`$.action`"),
    Case("unknown_type", "malformed", "substitute", "'resign'"),
    Case("two_frames", "malformed", "substitute", "2 frames"),
    Case("unasked_batch", "protocol", "substitute", "batch"),
]
HARD = [
    Case("crash", "crashed", "forfeit", "exit code 3"),
    Case("exit_zero", "crashed", "forfeit", "exit code 0"),
    Case("kill_self", "crashed", "forfeit", "SIGKILL"),
    Case("segfault", "crashed", "forfeit", "SIGSEGV"),
    Case("close", "disconnected", "forfeit", "connection is closed"),
    Case("cut_off", "disconnected", "forfeit", "is cut off"),
    Case("oversize", "flood", "forfeit", "70033 bytes"),
]
STRAY = [
    Case("twice", "protocol", "none", "has been answered"),
    Case("unknown_id", "protocol", "none", "there is no ask 999"),
    Case("second_hello", "protocol", "none", "second hello"),
    Case("pings", "protocol", "none", "more pings"),
]


def against_good(folder: Path, mode: str, **options: object) -> Job:
    entrants = [bot("bad", f"zoo:{mode}"), bot("good", "first_legal")]
    return job(folder, entrants, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("case", SOFT, ids=lambda case: case.mode)
def test_a_soft_fault_is_answered_by_the_first_legal_action(case: Case, tmp_path: Path) -> None:
    outcome = play(against_good(tmp_path, case.mode))
    clean = play(job(tmp_path, [bot("bad", "first_legal"), bot("good", "first_legal")]))
    assert [play.actions for play in outcome.plays] == [play.actions for play in clean.plays]
    assert [play.nets for play in outcome.plays] == [play.nets for play in clean.plays]
    blame = outcome.blame("bad")
    assert [(b.kind, b.ruling) for b in blame] == [(case.kind, case.ruling)] * 2
    assert case.phrase in blame[0].message
    assert blame[0].ask == 3
    assert outcome.blame("good") == []
    assert [len(play.rulings) for play in outcome.plays] == [1, 1]


@pytest.mark.parametrize("case", HARD, ids=lambda case: case.mode)
def test_a_hard_fault_forfeits_and_costs_the_floor(case: Case, tmp_path: Path) -> None:
    outcome = play(against_good(tmp_path, case.mode))
    clean = play(job(tmp_path, [bot("bad", "first_legal"), bot("good", "first_legal")]))
    blame = outcome.blame("bad")
    assert [(b.kind, b.ruling) for b in blame] == [(case.kind, case.ruling)] * 2
    assert case.phrase in blame[0].message
    assert outcome.blame("good") == []
    for record, other in zip(outcome.plays, clean.plays, strict=True):
        assert record.nets is not None
        assert other.nets is not None
        bad = record.seats.index("bad")
        assert record.nets[bad] < other.nets[bad]
        assert record.nets[1 - bad] == other.nets[1 - bad]
        assert record.actions == other.actions


@pytest.mark.parametrize("case", STRAY, ids=lambda case: case.mode)
def test_a_stray_message_changes_no_deal(case: Case, tmp_path: Path) -> None:
    outcome = play(against_good(tmp_path, case.mode))
    clean = play(job(tmp_path, [bot("bad", "first_legal"), bot("good", "first_legal")]))
    assert [canonical(p) for p in outcome.plays] == [canonical(p) for p in clean.plays]
    assert any(
        (b.kind, b.ruling) == (case.kind, case.ruling) and case.phrase in b.message
        for b in outcome.blame("bad")
    )
    assert sum(line.side.unexpected[p.seats.index("bad")] for line, p in zip(
        outcome.lines, outcome.plays, strict=True
    )) >= 2  # fmt: skip


@pytest.mark.parametrize("mode", ["crlf", "extra_field", "fine", "slow_start"])
def test_what_is_allowed_is_no_fault(mode: str, tmp_path: Path) -> None:
    outcome = play(against_good(tmp_path, mode))
    assert len(outcome.plays) == 2
    assert outcome.blame("bad") == outcome.blame("good") == []


@pytest.mark.parametrize(("mode", "phrase"), [("deep_note", "deep"), ("long_note", "left out")])
def test_no_note_can_spoil_a_record(mode: str, phrase: str, tmp_path: Path) -> None:
    outcome = play(against_good(tmp_path, mode))
    assert len(outcome.plays) == 2
    notes = [note for line in outcome.lines for _, note in line.side.notes]
    assert len(notes) <= 2
    assert all(isinstance(note, str) and phrase in note for note in notes) or not notes


def test_a_note_is_kept_for_its_author(tmp_path: Path) -> None:
    outcome = play(against_good(tmp_path, "note"))
    notes = [note for line in outcome.lines for _, note in line.side.notes]
    assert notes == [{"made": 0.5, "why": "hearts"}] * 2


def test_a_malformed_message_cannot_hit_an_ask_that_has_not_been_sent(tmp_path: Path) -> None:
    outcome = play(against_good(tmp_path, "guesses_next_id"))
    blame = outcome.blame("bad")
    # It is stray, or a soft fault where the next ask has gone out before it came.
    assert {(b.kind, b.ruling) for b in blame} <= {
        ("malformed", "none"), ("malformed", "substitute"), ("protocol", "none"),
    }  # fmt: skip
    assert all((b.took_ms or 0) < 60_000 for b in blame)
    assert all(ms < 60_000 for line in outcome.lines for _, _, ms in line.side.times)


def test_the_eighth_unexpected_message_in_a_turn_is_a_flood(tmp_path: Path) -> None:
    outcome = play(against_good(tmp_path, "flood"))
    blame = [b for b in outcome.blame("bad") if b.ruling == "forfeit"]
    assert [b.kind for b in blame] == ["flood", "flood"]
    assert "8 unexpected messages" in blame[0].message


def test_a_late_answer_is_known_by_its_id_and_never_used(tmp_path: Path) -> None:
    outcome = play(against_good(tmp_path, "late_once"))
    kinds = [(b.kind, b.ruling) for b in outcome.blame("bad")]
    assert kinds.count(("timeout", "substitute")) == 2
    late = [b for b in outcome.blame("bad") if b.ruling == "none"]
    assert "came after" in late[0].message
    assert "not used" in late[0].message


def test_the_third_soft_fault_forfeits(tmp_path: Path) -> None:
    outcome = play(against_good(tmp_path, "always_illegal"))
    for record in outcome.plays:
        assert [r.ruling for r in record.rulings] == ["substitute", "substitute", "forfeit"]
        assert record.nets is not None
        assert record.nets[record.seats.index("bad")] < 0


def test_an_answer_counts_though_the_bot_exits_at_once(tmp_path: Path) -> None:
    outcome = play(against_good(tmp_path, "answer_and_exit"))
    assert len(outcome.plays) == 2
    assert outcome.blame("bad") == []


def test_a_crash_after_the_last_deal_changes_nothing(tmp_path: Path) -> None:
    outcome = play(against_good(tmp_path, "crash_on_end"))
    assert len(outcome.plays) == 2
    assert outcome.blame("bad") == []


@pytest.mark.parametrize(
    ("mode", "kind", "phrase"),
    [
        ("exit_at_start", "start_failed", "cannot find my opening book"),
        ("bad_token", "start_failed", "REFEREE_TOKEN"),
        ("bad_version", "start_failed", "speaks 1"),
        ("other_game", "start_failed", "'chess'"),
        ("junk_hello", "start_failed", "no valid hello"),
        ("silent_start", "start_timeout", "within 1500 ms"),
    ],
)
def test_a_bot_that_cannot_start_makes_sets_not_playable(
    mode: str, kind: str, phrase: str, tmp_path: Path
) -> None:
    outcome = play(against_good(tmp_path, mode, start_ms=1500))
    assert outcome.plays == []
    (report,) = outcome.unstartable
    assert (report.entrant, report.blame.kind) == ("bad", kind)
    assert phrase in report.blame.message
    if mode == "silent_start":
        assert report.blame.stderr_first == ("waiting for a licence server",)


def test_a_program_that_does_not_exist_is_named(tmp_path: Path) -> None:
    missing = bot("bad", "first_legal")
    work = job(tmp_path, [missing, bot("good", "first_legal")])
    command = type(missing)(entrant="bad", argv=["/nowhere/to/be/found"])
    broken = type(work)(**{f: getattr(work, f) for f in work.__struct_fields__} | {
        "entrants": [command, work.entrants[1]]
    })  # fmt: skip
    (report,) = play(broken).unstartable
    assert report.blame.kind == "start_failed"
    assert "/nowhere/to/be/found" in report.blame.message


def test_three_hard_faults_leave_the_rest_unplayed_at_the_floor(tmp_path: Path) -> None:
    outcome = play(against_good(tmp_path, "crash", sets=3))
    lowest = game_named("huutopussi", "wikibooks-2").lowest_net()
    assert len(outcome.plays) == 3
    assert len(outcome.unplayed) == 3
    for line in outcome.unplayed:
        assert line.reason == "forfeited"
        assert line.nets is not None
        bad = line.seats.index("bad")
        assert line.nets[bad] == lowest
        assert line.nets[1 - bad] == 0


def test_a_bot_that_could_start_before_cannot_hide_behind_not_starting(tmp_path: Path) -> None:
    outcome = play(against_good(tmp_path, "exit_at_start", sets=1, started=["bad"]))
    assert outcome.unstartable == []
    assert [line.reason for line in outcome.unplayed] == ["forfeited", "forfeited"]


def test_a_forfeited_game_is_lost_by_one_and_played_on(tmp_path: Path) -> None:
    outcome = play(against_good(tmp_path, "crash", unit="game", sets=1))
    finals = [play for play in outcome.plays if play.nets is not None]
    assert len(finals) == 2
    for record in finals:
        assert record.nets is not None
        assert record.nets[record.seats.index("bad")] == -1.0
        assert record.deal > 0


def test_partners_are_two_processes_and_one_may_fail_alone(tmp_path: Path) -> None:
    entrants = [bot("bad", "zoo:crash"), bot("good", "first_legal")]
    outcome = play(job(tmp_path, entrants, rules="helsinki"))
    assert len(outcome.plays) == 2
    assert {b.seat for b in outcome.blame("bad")} <= {0, 1, 2, 3}
    assert outcome.blame("good") == []


def test_one_process_may_serve_all_seats_of_a_trusted_entrant(tmp_path: Path) -> None:
    entrants = [bot("one", "first_legal"), bot("two", "random_legal")]
    alone = play(job(tmp_path, entrants, rules="helsinki", sets=2))
    shared = play(job(tmp_path, entrants, rules="helsinki", sets=2, isolation="entrant"))
    assert [p.actions for p in shared.plays] == [p.actions for p in alone.plays]


@pytest.mark.parametrize("rules", ["wikibooks-3", "wikibooks-4"])
def test_individuals_rotate_through_all_seats(rules: str, tmp_path: Path) -> None:
    count = int(rules[-1])
    entrants = [bot(f"e{i}", "random_legal") for i in range(count)]
    outcome = play(job(tmp_path, entrants, rules=rules, sets=2))
    assert len(outcome.plays) == 2 * count
    for seat in range(count):
        assert {p.seats[seat] for p in outcome.plays if p.set == 0} == {e.entrant for e in entrants}


@pytest.mark.parametrize("tables", [1, 3, 16])
def test_the_log_does_not_depend_on_how_many_tables_are_in_flight(
    tables: int, tmp_path: Path
) -> None:
    entrants = [bot("one", "random_legal"), bot("two", "random_legal")]
    outcome = play(job(tmp_path, entrants, rules="helsinki", sets=4, tables=tables))
    alone = play(job(tmp_path, entrants, rules="helsinki", sets=4, tables=1))
    found = sorted((p.set, p.table, canonical(p)) for p in outcome.plays)
    assert found == sorted((p.set, p.table, canonical(p)) for p in alone.plays)


def test_a_bank_pays_for_slow_decisions_until_it_is_empty() -> None:
    clock = SeatClock(Time(decision_ms=100, bank_ms=300, increment_ms=10))
    assert clock.allowed_ms == 450
    clock.spend(250)
    assert clock.bank_ms == 160
    clock.spend(50)
    assert clock.bank_ms == 170
    assert clock.allowed_ms == 320
    clock.spend(1000)
    assert clock.bank_ms == 10


def test_a_slow_bot_with_a_bank_is_not_late(tmp_path: Path) -> None:
    outcome = play(against_good(tmp_path, "late_once", decision_ms=100, bank_ms=5000))
    assert outcome.blame("bad") == []
