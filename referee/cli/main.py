"""The command `referee`: one verb a file; every mistake of a user is one message, no traceback."""

import sys
from typing import IO, Any

import click

from referee import __version__
from referee.cli.check import check
from referee.cli.doctor import doctor
from referee.cli.export import export_logs
from referee.cli.games import games
from referee.cli.leak_check import leak_check
from referee.cli.match import match
from referee.cli.new_bot import new_bot
from referee.cli.replay import replay
from referee.cli.report import report
from referee.cli.retry import retry
from referee.cli.run import run
from referee.cli.serve import serve
from referee.cli.standings import standings
from referee.cli.verify import verify
from referee.cli.watch import watch
from referee.errors import RefereeError
from referee.league.runner import NothingStarts
from referee.show.page import printable


class Wrong(click.ClickException):
    """A mistake in a file, a flag or a log, as it is shown."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """One message on standard error."""
        text = "\n".join(printable(line) for line in self.format_message().split("\n"))
        click.echo(f"error: {text}", file=file or sys.stderr)


class Refused(Wrong):
    """The command was right, but the answer is no."""

    exit_code = 1


class Commands(click.Group):
    """A group whose commands may raise RefereeError."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; mistakes become messages, interrupts exit codes."""
        try:
            return super().invoke(ctx)
        except NothingStarts as error:
            raise Refused(str(error)) from None
        except RefereeError as error:
            raise Wrong(str(error)) from None
        except KeyboardInterrupt:
            ctx.exit(130)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="\b\nExample: referee match greedy first_legal --sets 20",
)
@click.version_option(__version__, prog_name="referee")
def commands() -> None:
    """A tournament referee for bots that play Finnish card games."""


for command in (
    run, match, watch, new_bot, check, replay, retry, verify, leak_check, standings,
    report, serve, export_logs, games,
    doctor,
):  # fmt: skip
    commands.add_command(command)


def main() -> None:
    """The entry point."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter shows its code.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    commands(prog_name="referee")


if __name__ == "__main__":
    main()
