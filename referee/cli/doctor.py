"""`referee doctor`: what a bot could and could not do here, tried out and not assumed."""

import sys
from typing import Any, get_args

import click
from rich.table import Table
from rich.text import Text

from referee.seats.sandbox import LEVELS, Level, with_additions
from referee.seats.sandbox_choice import (
    NAMED,
    AskedLevel,
    Finding,
    addition_troubles,
    finding,
    level_of,
    try_level,
)
from referee.seats.sandbox_probe import LIMITS, NAMES
from referee.show.page import console_on, json_text, printable, put

WORDS = {
    "read_secret": "read a file of the referee's, as the secret",
    "read_other_seat": "read a file of another seat's",
    "list_home": "list your home folder",
    "write_outside": "write in files that are not its own",
    "write_tmp": "leave something in /tmp for others",
    "write_shared_memory": "leave something in shared memory for others",
    "see_referee": "see the referee's processes",
    "signal_referee": "send signals to the referee",
    "signal_other_seat": "send signals to another seat's processes",
    "same_user": "be the same user as the referee",
    "read_referee_memory": "read the referee's memory",
    "ptrace_referee": "take hold of the referee by ptrace",
    "tcp_out": "connect to other machines",
    "tcp_loopback": "connect to this machine by TCP",
    "mptcp_loopback": "connect to this machine by multipath TCP",
    "udp_loopback": "send UDP to this machine",
    "unix_socket": "connect to a Unix socket whose path it knows",
    "abstract_socket": "connect to an abstract Unix socket",
    "netlink": "talk netlink with the kernel",
    "vsock": "talk with the host of a virtual machine",
    "keyring": "use the kernel's keyrings",
    "io_uring": "use io_uring",
    "new_namespace": "make a user namespace",
    "mount": "mount a file system",
    "chroot": "change its root",
    "kernel_settings": "change settings of the kernel",
    "leave_process_group": "leave its process group",
    "gain_privileges": "gain privileges",
    "memory": "use more memory than it may",
    "shared_memory": "use more memory than it may, in files without a name",
    "processes": "run more processes than it may",
    "disk": "write more than it may",
}
"""What each attempt of the probe means."""


@click.command(
    epilog="\b\nExample: referee doctor --sandbox auto",
    short_help="Say what a bot could do to this machine.",
)
@click.option(
    "--sandbox", type=click.Choice(get_args(AskedLevel)), default="auto", show_default=True,
    help="The level to try.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON.")
def doctor(sandbox: AskedLevel, as_json: bool) -> None:
    """Say what a bot could do to this machine.

    A probe is started as a bot would be, and tries whatever no bot needs to do, without doing harm:
    reading your files, reaching the network, stopping the referee, using more than its share.
    """
    level = level_of(sandbox)
    if level != "basic" and finding(level).works:
        troubles = addition_troubles(level)
        level = with_additions(level, [one for one in troubles if not troubles[one]])
    found = finding(level)
    done = dict(found.done)
    if found.works:
        for limit in LIMITS:
            done |= try_level(level, limit).done
    if as_json:
        click.echo(json_text(_data(found, done)))
        return
    console = console_on(sys.stdout)
    put(console, Text("\n".join([*_levels(), "", f"a bot at level {level}:"])))
    put(console, _table(done))


def _levels() -> list[str]:
    """A line for each level: whether it works here."""
    lines = []
    for level in LEVELS:
        found = finding(level)
        lines.append(f"{level:6} {_works(found.why)}")
        if found.works and level != "basic":
            for one, why in addition_troubles(level).items():
                lines.append(f"       with {NAMED[one]}: {_works(why)}")
    return lines


def _works(why: str) -> str:
    return f"does not work here: {why}" if why else "works here"


def _table(done: dict[str, str]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    for name in (*NAMES, *LIMITS):
        if name in done:
            could = done[name] == "yes"
            why = "" if could else printable(done[name])
            table.add_row("can" if could else "cannot", WORDS[name], why)
    return table


def _data(found: Finding, done: dict[str, str]) -> dict[str, Any]:
    levels: dict[Level, Any] = {
        level: {"works": finding(level).works, "why": finding(level).why} for level in LEVELS
    }
    for bare in LEVELS[1:]:
        if finding(bare).works:
            for one, why in addition_troubles(bare).items():
                levels[with_additions(bare, [one])] = {"works": not why, "why": why}
    attempts = {
        name: {"could": text == "yes", "why": "" if text == "yes" else text}
        for name, text in done.items()
    }
    return {"level": found.level, "works": found.works, "levels": levels, "attempts": attempts}
