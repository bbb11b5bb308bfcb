"""What the referee makes of each misbehaviour: the kind of fault, the ruling, words of its message.

Left out, because no level protects the machine of these tests from them: a bot that changes the
clock of the machine, one that kills every process of its user, or one that forks without a bound.
The last two are here in a process namespace of their own, where there may be one.
"""

from typing import Literal, NamedTuple

from referee.rulings import Kind, Ruling
from referee.seats.bot import Transport
from referee.seats.sandbox import Allowance

Area = Literal[
    "start", "life", "time", "contents", "transport", "stdio", "processes", "resources", "names"
]


class Row(NamedTuple):
    """One misbehaviour and what follows from it."""

    mode: str
    area: Area
    kind: Kind | None
    """None where it is no fault."""
    ruling: Ruling = "none"
    phrase: str = ""
    """Words of the first message about it."""
    playable: bool = True
    """Whether its set can be played."""
    later: tuple[tuple[Kind, Ruling], ...] = ()
    """Rulings at its table that follow from it."""
    strays: bool = False
    """Whether messages that change nothing come with the ruling."""
    transport: Transport = "zeromq"
    decision_ms: int = 3000
    start_ms: int = 8000
    alone: bool = False
    """Whether it may run only in a process namespace of its own."""


SHORT = 400
"""For misbehaviours that take all of a decision; the others end early."""

SHORT_START = 1500

ALLOWANCE = Allowance(memory_mb=128, processes=24, disk_mb=8)
"""What a bad bot may use."""


def _again(kind: Kind) -> tuple[tuple[Kind, Ruling], ...]:
    """It does so at every later ask too, until the third time forfeits."""
    return (kind, "substitute"), (kind, "forfeit")


def _starts(
    mode: str, phrase: str, *, area: Area = "start", transport: Transport = "zeromq"
) -> Row:
    return Row(mode, area, "start_failed", "none", phrase, playable=False, transport=transport)


def _never_starts(mode: str, area: Area = "start") -> Row:
    return Row(
        mode, area, "start_timeout", "none", f"within {SHORT_START} ms", playable=False,
        start_ms=SHORT_START,
    )  # fmt: skip


def _soft(mode: str, kind: Kind, phrase: str, area: Area = "contents") -> Row:
    return Row(mode, area, kind, "substitute", phrase)


def _hard(mode: str, area: Area, kind: Kind, phrase: str) -> Row:
    return Row(mode, area, kind, "forfeit", phrase)


def _stray(mode: str, kind: Kind, phrase: str, area: Area = "contents") -> Row:
    return Row(mode, area, kind, "none", phrase)


def _fine(mode: str, area: Area) -> Row:
    return Row(mode, area, None)


def _slow(mode: str, area: Area, phrase: str = "no answer to ask 3 within 450 ms") -> Row:
    return Row(mode, area, "timeout", "substitute", phrase, decision_ms=SHORT)


START = [
    _starts("no_such_program", "/nowhere/to/be/found"),
    _starts("not_executable", "Permission denied"),
    _starts("no_interpreter", "the interpreter in its first line is missing"),
    _starts("no_format", "neither a program nor a script that begins with #!"),
    _starts("exit_at_start", "cannot find my opening book"),
    _starts("segfault_at_start", "SIGSEGV"),
    _starts("half_hello", "exit code 4"),
    _never_starts("silent_start"),
    _never_starts("connect_only"),
    _never_starts("greeting_only"),
    _never_starts("other_mechanism"),
    _starts("junk_hello", "no valid hello"),
    _starts("early_act", "the first message must be hello"),
    _starts("hello_in_two_frames", "no valid hello"),
    _starts("bad_version", "speaks 1"),
    _starts("no_version", "`$.protocol`"),
    _starts("bad_token", "REFEREE_TOKEN"),
    _starts("no_token", "`$.token`"),
    _starts("other_game", "'chess'"),
    _starts("many_tables", "`$.tables`"),
    _starts("words_for_numbers", "`$.tables`"),
    _starts("large_hello", "up to 65536 bytes"),
    _starts("printed_hello", "print to standard error", transport="stdio"),
    _fine("slow_start", "start"),
]

LIFE = [
    _hard("crash", "life", "crashed", "exit code 3"),
    _hard("exit_zero", "life", "crashed", "exit code 0"),
    _hard("exception", "life", "crashed", "exit code 1"),
    _hard("kill_self", "life", "crashed", "SIGKILL"),
    _hard("segfault", "life", "crashed", "SIGSEGV"),
    _hard("abort", "life", "crashed", "SIGABRT"),
    _hard("hang_up_signal", "life", "crashed", "SIGHUP"),
    _hard("real_time_signal", "life", "crashed", "killed by signal 37"),
    _hard("crash", "life", "crashed", "exit code 3")._replace(transport="tcp"),
    _fine("answer_and_exit", "life"),
    _fine("crash_on_end", "life"),
    _fine("fine", "life"),
]

TIME = [
    _slow("silent", "time"),
    _slow("hang", "time")._replace(later=_again("timeout")),
    _slow("spin", "time")._replace(strays=True),
    _slow("stop_self", "time")._replace(later=_again("timeout")),
    _slow("late_once", "time")._replace(strays=True),
    _slow("always_slow", "time", "no answer to ask 1")._replace(
        later=_again("timeout"), strays=True
    ),
    _fine("ponder", "time"),
]

CONTENTS = [
    _soft("not_json", "malformed", "JSON is malformed"),
    _soft("null", "malformed", "got `null`"),
    _soft("array", "malformed", "got `array`"),
    _soft("scalar", "malformed", "got `int`"),
    _soft("empty", "malformed", "truncated"),
    _soft("empty_object", "malformed", "`type`"),
    _soft("bad_utf8", "malformed", "UTF-8"),
    _soft("huge_number", "malformed", "out of range"),
    _soft("string_id", "malformed", "`$.id`"),
    _soft("true_id", "malformed", "`$.id`"),
    _soft("float_id", "malformed", "`$.id`"),
    _soft("negative_id", "malformed", "`$.id`"),
    _soft("zero_id", "malformed", "`$.id`"),
    _soft("id_2_63", "malformed", "`$.id`"),
    _soft("id_2_70", "malformed", "`$.id`"),
    _soft("digits", "malformed", "out of range"),
    _soft("nan", "malformed", "JSON is malformed"),
    _soft("deep", "malformed", "not a valid message"),
    _soft("deep_unknown", "malformed", "not a valid message"),
    _soft("null_action", "malformed", "`$.action`"),
    _soft("array_action", "malformed", "`$.action`"),
    _soft("no_action", "malformed", "`action`"),
    _soft("no_id", "malformed", "`id`"),
    _soft("no_type", "malformed", "`type`"),
    _soft("unknown_type", "malformed", "'resign'"),
    _soft("referee_message", "malformed", "'end'"),
    _soft("steering_type", "malformed", "\\x1b[2J\\x9b2J\\u202e<b>", "names"),
    _soft("long_action", "malformed", "`$.action`"),
    _soft("two_documents", "malformed", "trailing characters"),
    _soft("trailing_comma", "malformed", "JSON is malformed"),
    _soft("bom", "malformed", "JSON is malformed"),
    _soft("nul", "malformed", "trailing characters"),
    _soft("surrogate", "malformed", "not a valid message"),
    _soft("utf16", "malformed", "not a valid message"),
    _soft("illegal_once", "illegal", "'2S' is not legal"),
    _soft("wrong_case", "illegal", "'PASS' is not legal"),
    _soft("empty_action", "illegal", "'' is not legal"),
    _soft("look_alike", "illegal", "H' is not legal"),
    _soft("spaced", "illegal", "' "),
    _soft("not_held", "illegal", "is not legal"),
    Row("already_played", "contents", "illegal", "substitute", "is not legal"),
    _soft("sql", "illegal", "DROP TABLE"),
    _soft("format_text", "illegal", "{0.__class__} %s ${7*7}"),
    _soft("steering_action", "illegal", "'\\x1b[2J\\u202e\\x07<script>' is not legal", "names"),
    Row(
        "always_illegal", "contents", "illegal", "substitute", "'AS AS' is not legal",
        later=_again("illegal"),
    ),
    _soft("unasked_batch", "protocol", "batch"),
    _stray("twice", "protocol", "has been answered"),
    _stray("unknown_id", "protocol", "there is no ask 999"),
    _stray("early", "protocol", "there is no ask"),
    _stray("second_hello", "protocol", "second hello"),
    _stray("hello_in_place", "protocol", "second hello"),
    _stray("pings", "protocol", "more pings"),
    _fine("few_pings", "contents"),
    _fine("crlf", "contents"),
    _fine("extra_field", "contents"),
    _fine("twice_the_key", "contents"),
    _fine("note", "contents"),
    _fine("long_note", "contents"),
    _fine("steering_note", "names"),
]

TRANSPORT = [
    _hard("oversize", "transport", "flood", "70033 bytes"),
    _hard("cut_off", "transport", "disconnected", "is cut off"),
    _hard("flood", "transport", "flood", "8 unexpected messages")._replace(strays=True),
    _hard("large_flood", "transport", "flood", "8 unexpected messages")._replace(strays=True),
    _soft("two_frames", "malformed", "2 frames", "transport"),
    _soft("hundred_frames", "malformed", "100 frames", "transport"),
    _soft("answer_in_frames", "malformed", "2 frames", "transport"),
    _soft("empty_parts", "malformed", "20001 frames", "transport"),
    _slow("endless_parts", "transport")._replace(later=_again("timeout")),
    _hard("endless_parts_much", "transport", "flood", "made the referee grow by"),
    _hard("endless_parts_much", "transport", "flood", "made the referee grow by")._replace(
        transport="tcp"
    ),
    _starts("endless_hello", "made the referee grow by", area="transport"),
    _hard("parts_in_pieces", "transport", "flood", "made the referee grow by")._replace(
        decision_ms=20_000
    ),
    _hard("parts_elsewhere", "transport", "flood", "made the referee grow by"),
    _hard("floods_others", "transport", "flood", "over connections that gave no hello"),
    _hard("connections", "transport", "flood", "connections to the referee, the limit is"),
    _slow("half_frame", "transport")._replace(later=_again("timeout")),
    _hard("endless_frame", "transport", "disconnected", "connection is closed"),
    _hard("half_frame_and_exit", "transport", "crashed", "exit code 4"),
    _slow("wrong_command", "transport")._replace(later=_again("timeout")),
    _hard("close", "transport", "disconnected", "connection is closed"),
    _hard("reconnect", "transport", "disconnected", "connection is closed"),
    _fine("wire_pings", "transport"),
    _fine("many_connections", "transport"),
    _fine("reconnect_storm", "transport"),
    _fine("second_connection", "transport"),
    _fine("other_seats", "transport"),
    _fine("unlink_endpoint", "transport"),
    _never_starts("http", "transport"),
    _never_starts("zeros", "transport"),
]

STDIO = [
    row._replace(area="stdio", transport="stdio")
    for row in (
        _fine("fine", "stdio"),
        _fine("crlf", "stdio"),
        _fine("never_blocks", "stdio"),
        _soft("deep_unknown", "malformed", "not a valid message"),
        _soft("null_action", "malformed", "`$.action`"),
        _hard("oversize", "stdio", "flood", "bytes; the limit is 65536"),
        _hard("endless_line", "stdio", "flood", "bytes; the limit is 65536"),
        _hard("crash", "stdio", "crashed", "exit code 3"),
        _soft("half_line_and_exit", "malformed", "truncated")._replace(
            later=(("crashed", "forfeit"),)
        ),
        _hard("close", "stdio", "disconnected", "connection is closed"),
        _hard("close_input", "stdio", "disconnected", "connection is closed"),
        _hard("prints_much", "stdio", "flood", "8 unexpected messages")._replace(strays=True),
        _stray("prints", "protocol", "it has printed 'thinking about the ace of spades'"),
        _stray("prints_bytes", "protocol", "'\\x1b[2J"),
        _slow("no_end_of_line", "stdio", "have no end of line")._replace(later=_again("timeout")),
    )
]

PROCESSES = [
    _fine("hydra", "processes"),
    _hard("hydra_and_exit", "processes", "crashed", "exit code 9"),
    _fine("racer", "processes"),
    _hard("bomb", "processes", "resource", "processes at once, the limit is 24"),
    _fine("ignores_signals", "processes"),
    _fine("kills_all", "processes")._replace(alone=True),
    _hard("forks_without_end", "processes", "resource", "the limit is 24")._replace(alone=True),
    _hard("kills_keeper", "processes", "crashed", "its keeper died"),
    _fine("stops_keeper", "processes"),
]

RESOURCES = [
    _hard("memory", "resources", "resource", "MB of memory, the limit is 128 MB"),
    _hard("memory_of_children", "resources", "resource", "MB of memory, the limit is 128 MB"),
    _hard("full_disk", "resources", "resource", "more than the 8 MB of disk that it may use"),
    _fine("descriptors", "resources"),
    _fine("files", "resources"),
    _fine("large_file", "resources"),
    _fine("shared_memory", "resources"),
    _hard("shared_memory_and_exit", "resources", "crashed", "exit code 5"),
    _fine("stderr_flood", "resources"),
    _hard("stderr_steering", "resources", "crashed", "exit code 6"),
]

_OVERRUN = "its relay was overrun"

CONTAINED = [
    _hard("endless_parts_much", "transport", "resource", _OVERRUN),
    _hard("endless_parts_much", "transport", "resource", _OVERRUN)._replace(transport="tcp"),
    _starts("endless_hello", _OVERRUN, area="transport"),
    _hard("parts_in_pieces", "transport", "resource", _OVERRUN)._replace(decision_ms=20_000),
    # There is nobody else that it could reach.
    _slow("parts_elsewhere", "transport")._replace(later=_again("timeout")),
    _slow("floods_others", "transport")._replace(later=_again("timeout")),
    _hard("connections", "transport", "resource", _OVERRUN),
    # It may write in no folder but its own.
    _hard("shared_memory", "resources", "crashed", "exit code 1"),
]
"""What comes of the same at level linux, where it comes to something else."""

GROUPED = [
    # Whichever it meets first: processes need memory too.
    _hard("forks_at_once", "processes", "resource", ", the limit is "),
    _hard("memory_of_nobody", "resources", "resource", "MB of memory, the limit is 128 MB"),
    _hard("memory_shared", "resources", "resource", "MB of memory, the limit is 128 MB"),
]
"""Only where a control group bounds them: nothing else does so at once, or at all."""

NAMES = [
    _fine("name_escapes", "names"),
    _fine("name_bidi", "names"),
    _fine("name_html", "names"),
    _fine("name_path", "names"),
    _fine("name_device", "names"),
    _fine("name_of_other", "names"),
    _starts("name_300", "`$.name`", area="names"),
]

ROWS = [
    *START, *LIFE, *TIME, *CONTENTS, *TRANSPORT, *STDIO, *PROCESSES, *RESOURCES, *NAMES
]  # fmt: skip
