"""Python's collector of cycles, called less often where hardly anything made is cyclic.

Looking every 700 objects for cycles that are not there costs a tenth of the time of an arena or of
a log that is verified; what is dropped is freed at once all the same.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_OBJECTS = 50_000
"""Net new objects between two looks at the youngest."""


@contextmanager
def collecting_rarely() -> Iterator[None]:
    """Within this, or within a function with this before it, cycles are looked for seldom."""
    thresholds = gc.get_threshold()
    gc.set_threshold(_OBJECTS, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
