"""The blame records of hard faults, and of what the referee itself spoilt."""

import time

from referee.roster import Loss, OpenAsk, Player
from referee.rulings import Blame, Ruling, escaped


def blame_of(
    player: Player, loss: Loss, seat: int, ask: OpenAsk | None, ruling: Ruling
) -> Blame:
    """The blame record of a hard fault."""
    report = player.bot.exit
    words = report or player.bot.process.stderr
    return Blame(
        kind=loss.kind,
        seat=seat,
        ruling=ruling,
        message=loss.text,
        at=ask.at if ask else None,
        ask=ask.id if ask else None,
        limit_ms=round(ask.allowed_ms, 1) if ask else None,
        took_ms=round((time.monotonic() - ask.sent) * 1000, 1) if ask and ask.sent else None,
        lag_ms=round(ask.lag * 1000, 1) if ask else 0.0,
        exit_code=report.code if report else None,
        signal=report.signal if report else None,
        received=escaped(loss.received) if loss.received is not None else None,
        stderr_first=words.stderr_first if words else (),
        stderr_last=words.stderr_last if words else (),
    )


def own_fault(ask: OpenAsk, took: float, used: float) -> Blame:
    """The record of a decision that the referee itself spoilt."""
    lag = ask.lag * 1000
    return Blame(
        kind="infrastructure",
        seat=ask.seat,
        ruling="none",
        message=f"a decision ran out while the referee itself was late by {lag:.0f} ms; "
        f"its bot had used {used:.0f} ms of processor time",
        at=ask.at,
        ask=ask.id,
        limit_ms=round(ask.allowed_ms, 1),
        took_ms=round(took, 1),
        lag_ms=round(lag, 1),
    )
