"""What text from a bot could do to whoever looks at it."""

import unicodedata

STEERING = ("Cc", "Cf", "Zl", "Zp")
"""Control and format characters, line and paragraph separators."""


def steering(text: str) -> set[str]:
    """Characters of a text that could steer a terminal or turn it around; line ends may stay."""
    return {one for one in text if unicodedata.category(one) in STEERING and one != "\n"}
