"""The ways in which a user's input or a log can be wrong; everything else is a bug of ours."""


class RefereeError(Exception):
    """A mistake in a file, a flag or a log: shown to the user as one message, never a traceback."""


class ConfigError(RefereeError):
    """A league file, an option or a bot entry is wrong; names the file, the key and what came."""


class IllegalAction(RefereeError):
    """An action was submitted to a table that the rules do not allow there."""


class LogError(RefereeError):
    """A log cannot be read as one: names the file, the line and what was expected."""


class LogMismatch(LogError):
    """A log is readable, but replaying it gives something else; names the first difference."""
