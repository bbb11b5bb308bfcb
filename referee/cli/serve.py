"""`referee serve`: the report of a league in a browser, growing as the league is played."""

import os
import socket
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from referee.cli.keys import orderly_end
from referee.errors import ConfigError
from referee.league.folder import Folder
from referee.show.newest import Watched
from referee.show.page import printable

PORT = 8000
HOST = "127.0.0.1"


@click.command(
    epilog="\b\nExample: referee serve results/quickstart",
    short_help="The report in a browser, growing as a league runs.",
)
@click.argument("path", metavar="FOLDER")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True,
    help="Where to listen, on loopback only; 0 takes a port that is free.",
)  # fmt: skip
def serve(path: str, port: int) -> None:
    """Show the report of a results folder in a browser of this machine, live.

    New results appear by themselves. Deals are withheld until their set is finished: only complete
    sets of the logs are read, and nothing is written. Ctrl-C ends it. Needs an extra:
    pip install -e '.[web]'
    """
    place = Path(path)
    if not place.is_dir():
        raise ConfigError(f"{place}: there is no such results folder")
    folder = Folder(place)
    if not folder.logs.is_dir():
        raise ConfigError(f"{place}: no logs in it; expected a results folder")
    web = _web()
    with _listener(port) as listener:
        address = f"http://{HOST}:{listener.getsockname()[1]}/"
        click.echo(f"{address} shows {printable(str(place))} as it grows; Ctrl-C ends it")
        with orderly_end():
            web.serve(Watched(folder), listener)


def _web() -> Any:
    """What serves pages; its libraries need not be there."""
    with suppress(ImportError):
        return import_module("referee.show.serve")
    raise ConfigError(
        "serving pages needs starlette and uvicorn, which are not installed; "
        "pip install -e '.[web]'"
    )


def _listener(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise ConfigError(
            f"--port {port}: cannot listen there: {why}; --port 0 takes one that is free"
        ) from None
