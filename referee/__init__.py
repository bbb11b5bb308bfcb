"""The referee: owns the true state of a game, asks bots, keeps the log."""

__version__ = "0.1.0"
