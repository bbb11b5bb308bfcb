"""The clock of one seat at one table: pure arithmetic on times that the caller measures.

Times are milliseconds as floats; the caller reads a monotonic clock. A decision may take
`decision_ms` and after that whatever the seat's bank holds; then it has run out. A small grace
covers the machine's own delay between a bot's answer and the referee's reading of it.
"""

from protocol.messages import Time

NO_LIMIT_MS = 600_000
"""What a decision may take where no limit is configured: ten minutes, never for ever."""

GRACE_MS = 50.0
"""An answer that is late by no more than this counts; the bank is charged for it all the same."""


def has_banks(time: Time) -> bool:
    """Whether what one decision takes can change what the next one may take."""
    return time.bank_ms > 0 or time.increment_ms > 0


class SeatClock:
    """How much time one seat has left at its table."""

    __slots__ = ("allowed_ms", "bank_ms", "time")

    def __init__(self, time: Time) -> None:
        self.time = time
        self.bank_ms = float(time.bank_ms)
        self.allowed_ms = time.decision_ms + self.bank_ms + GRACE_MS
        """How long the next decision may take, the grace included."""

    def spend(self, took_ms: float) -> None:
        """Charge a decision: what it took beyond `decision_ms` leaves the bank."""
        time = self.time
        over = took_ms - time.decision_ms
        if over > 0:
            self.bank_ms = max(0.0, self.bank_ms - over)
        elif not time.increment_ms:
            return
        self.bank_ms += time.increment_ms
        self.allowed_ms = time.decision_ms + self.bank_ms + GRACE_MS
