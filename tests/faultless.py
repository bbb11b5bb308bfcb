"""`python -m tests.faultless FOLDER`: exit code 1 when anybody in a league made a fault."""

import sys
from pathlib import Path

from referee.league.folder import logs_at
from referee.show.tour import tour_from


def main() -> None:
    """Name every entrant with a fault."""
    tour = tour_from([log for log, _ in logs_at([Path(sys.argv[1])])])
    lines = tour.fault_lines()
    print("\n".join(lines) or "no fault")
    complete = all(sheet.complete for sheet in tour.sheets)
    sys.exit(0 if complete and not lines else 1)


if __name__ == "__main__":
    main()
