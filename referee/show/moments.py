"""A deal decision by decision: every action on a line, and one position at a time."""

from collections.abc import Sequence
from itertools import groupby

from rich.console import RenderableType
from rich.text import Text

from referee.show.deal import LABEL, Scene, blame_lines, filled, hand_lines, labelled, trick_line
from referee.show.page import Look, grid, joined, milliseconds, printable
from referee.show.story import Moment, Story


def actions_page(scene: Scene) -> RenderableType:
    """Every action on a line of its own, with its time and the bot's note."""
    table = grid(("at", "right"), ("seat", "left"), ("action", "left"), ("ms", "right"))
    table.add_column("note", overflow="fold")
    for dealing in scene.story.dealings:
        for moment in dealing.moments:
            table.add_row(
                Text(str(moment.at)),
                Text(scene.who(moment.seat)),
                Text(moment.action),
                Text("" if moment.ms is None else milliseconds(moment.ms)),
                Text("" if moment.note is None else printable(str(moment.note), 300)),
            )
    return table


def actions_line(story: Story) -> str:
    """A deal on one line: place, entrants by seat, points by side, then every action."""
    play = story.play
    place = f"{play.set}.{play.table}.{play.deal}"
    seats = ",".join(printable(name, 40) for name in play.seats)
    return f"{place} {seats} {':'.join(map(str, play.points))} {play.actions}"


def moment_lines(scene: Scene, moment: Moment) -> list[Text]:
    """One decision: what the seat held, what it saw on the table, what it might do and did."""
    lines = [Text(f"{moment.at:>3}  {scene.who(moment.seat)}, {moment.phase}", "bold")]
    hand = hand_lines(scene, [moment.hand], [])[0][LABEL + 3 :]
    hand.rstrip()
    lines.append(labelled("  hand", hand))
    if moment.table:
        line = Text("  table".ljust(LABEL))
        for seat, card in moment.table:
            line += Text(f"{seat} ") + scene.look.card(card) + Text("   ")
        lines.append(line)
    lines += choice_lines(scene, moment, scene.width)
    if moment.trick is not None:
        lines.append(trick_line(scene, moment.trick))
    return lines


def choice_lines(scene: Scene, moment: Moment, width: int, note_limit: int = 0) -> list[Text]:
    """What a seat might do, what went wrong, what it did, and its bot's note (0: all of it)."""
    legal = [Text(action) for action in shortened(moment.legal, scene.look)]
    lines = filled("  legal", legal, gap=" ", width=width)
    for blame in moment.blame:
        lines += blame_lines(scene, blame)
    lines.append(labelled("  plays", joined(Text(moment.action, "bold"), Text(how(scene, moment)))))
    if moment.note is not None:
        words = [Text(word) for word in printable(str(moment.note), note_limit).split()]
        lines += filled("  note", words, gap=" ", width=width)
    return lines


def how(scene: Scene, moment: Moment) -> str:
    """How long a decision took, or whose it was if not the bot's."""
    forfeited = scene.story.forfeits.get(moment.seat)
    if forfeited is not None and moment.at >= forfeited:
        return "   (by the referee, for a forfeited seat)"
    if any(blame.ruling == "substitute" for blame in moment.blame):
        return "   (by the referee, for the fault)"
    if moment.ms is None:
        return "   (the rules dictate it)"
    return f"   ({milliseconds(moment.ms)} ms)"


def shortened(legal: Sequence[str], look: Look) -> list[str]:
    """Legal actions, with long runs of bids cut to their ends."""
    shown: list[str] = []
    for _, run in groupby(legal, key=lambda action: action.partition(":")[0]):
        actions = list(run)
        numbers = len(actions) > 4 and actions[0].partition(":")[2].isdigit()
        shown += [*actions[:2], look.ellipsis, actions[-1]] if numbers else actions
    return shown
