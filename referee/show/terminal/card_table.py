"""One position of a deal as a card table: hands around, the trick in the middle, facts above."""

from collections.abc import Sequence

from msgspec import Struct
from rich.text import Text

from protocol.messages import AnyView
from referee.show.deal import (
    LABEL,
    Scene,
    filled,
    in_words,
    labelled,
    loose_faults,
    result_lines,
)
from referee.show.moments import choice_lines
from referee.show.page import joined
from referee.show.story import Moment, Trick, by_suit, ranks_of
from referee.show.terminal.films import Position

SIDE_COLUMNS = 30
"""At most so many for the hands at the left and right."""

MIDDLE_COLUMNS = 16
"""At least so many for the trick between them."""

_TABLES = {
    2: ("bottom", "top"),
    3: ("bottom", "left", "right"),
    4: ("bottom", "left", "top", "right"),
}
"""Where the seats sit, clockwise from whoever looks on."""


class Sight(Struct, frozen=True, kw_only=True):
    """One position and who looks at it."""

    scene: Scene
    """With the whole story, or with the story of the seat that looks on."""
    position: Position
    at: int
    """The place of the action to come."""
    moment: Moment | None
    """The action to come, where whoever looks on may know it."""
    viewer: int | None
    """The seat that looks on; None sees everything."""
    width: int

    @property
    def view(self) -> AnyView:
        """The view that says what is known to all who look on."""
        return self.position.views[self.viewer or 0]

    @property
    def over(self) -> bool:
        """Whether the deal has ended here."""
        return self.position.to_act is None

    def history(self) -> list[tuple[int, str]]:
        """What has been done with these cards so far, as far as it is known."""
        if self.viewer is not None:
            return list(self.view.history)
        dealing = self.scene.story.dealings[self.position.dealing]
        return [(m.seat, m.action) for m in dealing.moments if m.at < self.at]

    def last_trick(self) -> Trick | None:
        """The trick that has just ended, while nobody has led to the next one."""
        if self.view.trick and not self.over:
            return None
        number = sum(self.view.tricks)
        moments = self.scene.story.dealings[self.position.dealing].moments
        ended = [m.trick for m in moments if m.trick is not None and m.trick.number == number]
        return ended[0] if ended else None


def table_lines(sight: Sight) -> list[Text]:
    """The table, and below it the decision to come or the end of the deal."""
    places = _TABLES[sight.scene.game.seats]
    first = sight.viewer or 0
    seats = {
        place: (first + number) % sight.scene.game.seats for number, place in enumerate(places)
    }
    lines = [*_facts(sight), Text("")]
    if "top" in seats:
        lines += [_centred(line, sight.width) for line in _long_hand(sight, seats["top"])]
    lines += _middle(sight, seats)
    lines += [_centred(line, sight.width) for line in _long_hand(sight, seats["bottom"])]
    return [*lines, *_rest(sight), Text(""), *_decision(sight)]


# ---- facts ---------------------------------------------------------------------------------------


def _facts(sight: Sight) -> list[Text]:
    """Score, dealer, trump, contract, tricks; bids; what was declared."""
    view, look = sight.view, sight.scene.look
    parts = [Text(f"{view.dealer} deals")]
    if any(view.score) or sight.scene.header.unit == "game":
        parts.append(Text(f"score {' : '.join(map(str, view.score))}"))
    if view.redeals:
        parts.append(Text(f"new cards for {', '.join(map(str, view.redeals))}"))
    declarer, contract = getattr(view, "declarer", None), getattr(view, "contract", None)
    bid = getattr(view, "bid", None)
    if contract is not None or bid is not None:
        player = getattr(view, "soloist", None) if contract == "sooli" else declarer
        by = "" if player is None else f" by {sight.scene.who(player)}"
        parts.append(Text(f"contract {contract}{by}" if contract is not None else f"bid {bid}{by}"))
    if view.trump is not None:
        parts.append(Text("trump ") + look.suit(view.trump))
    if sum(view.tricks):
        parts.append(Text(f"tricks {' '.join(map(str, view.tricks))}"))
    lines = filled("facts", parts, width=sight.width)
    history = sight.history()
    start = next((at for at, (_, action) in enumerate(history) if _is_card(action)), len(history))
    auction = [each for each in history[:start] if each[1].partition(":")[0] not in _EXCHANGE]
    said = [each for each in history[start:] if not _is_card(each[1]) and each[1] != "pass"]
    for label, told in (("bids", auction), ("said", said)):
        if told:
            # The last lines of a long auction tell what it came to.
            words = [in_words(sight.scene, *each) for each in told]
            found = filled(label, words, gap="  ", width=sight.width)
            lines += [labelled(label, found[-2][LABEL:]), found[-1]] if len(found) > 1 else found
    return lines


_EXCHANGE = ("give", "discard")


def _is_card(action: str) -> bool:
    return len(action) == 2 and action[1] in "SHDC"


def _rest(sight: Sight) -> list[Text]:
    """The talon or stock, and what a seat got, gave and laid away."""
    scene, view = sight.scene, sight.view
    lines = []
    stock = getattr(view, "stock", None)
    talon = scene.story.dealings[sight.position.dealing].talon
    if stock is not None:
        if sight.viewer is not None:
            lines.append(labelled("stock", Text(f"{stock} cards")))
        elif stock:
            lines.append(labelled("stock", scene.cards(talon[-stock:])))
    elif sight.viewer is None and talon:
        lines.append(labelled("talon", scene.cards(talon)))
    elif getattr(view, "talon", []):
        lines.append(labelled("talon", scene.cards(getattr(view, "talon", []))))
    if sight.viewer is not None:
        moved = [
            Text(f"{name} ") + scene.cards(getattr(view, name))
            for name in ("received", "given", "discarded", "chosen")
            if getattr(view, name, [])
        ]
        lines += filled("exchange", moved, width=sight.width) if moved else []
    return lines


# ---- the table -----------------------------------------------------------------------------------


def _name(sight: Sight, seat: int) -> Text:
    """Who sits there, with cards left and tricks won; marked when it is to act."""
    view = sight.view
    # Whose turn it is may be a secret (who is asked whether to keep the hand).
    acts = sight.position.to_act == seat and (sight.viewer in (None, seat))
    text = sight.scene.who(seat) + f" ({view.counts[seat]})"
    return Text(("> " if acts else "") + text, "bold reverse" if acts else "bold")


def _long_hand(sight: Sight, seat: int) -> list[Text]:
    """Name, and the hand on one line."""
    line = Text()
    for number, suit in enumerate(_suits(sight, seat)):
        line += Text("   " if number else "") + suit
    return [_name(sight, seat), line]


def _suits(sight: Sight, seat: int) -> list[Text]:
    """A hand suit by suit; of one that is not known, how many cards it has."""
    if sight.viewer not in (None, seat):
        return [Text(f"{sight.view.counts[seat]} cards", "dim")]
    found = []
    for suit, held in by_suit(sight.position.views[seat].hand, ranks_of(sight.scene.game)):
        symbol = sight.scene.look.suit(suit)
        found.append(symbol + Text(" " + (" ".join(held) or "-"), symbol.style))
    return found


def _middle(sight: Sight, seats: dict[str, int]) -> list[Text]:
    """The hands at the sides with the trick between them."""
    sides = [
        [_name(sight, seats[place]), *_suits(sight, seats[place])] if place in seats else []
        for place in ("left", "right")
    ]
    trick = _trick(sight, seats)
    side = min(SIDE_COLUMNS, (sight.width - MIDDLE_COLUMNS) // 2) if any(sides) else 0
    lines = []
    for number in range(max(len(trick), *map(len, sides))):
        left, right = (_cell(sight, each, number, side) for each in sides)
        middle = trick[number].copy() if number < len(trick) else Text()
        middle.align("center", sight.width - 2 * side)
        lines.append(joined(left, middle, right))
    return lines


def _cell(sight: Sight, lines: Sequence[Text], number: int, width: int) -> Text:
    cell = lines[number].copy() if number < len(lines) else Text()
    cell.truncate(width, overflow="ellipsis" if sight.scene.look.unicode else "crop", pad=True)
    return cell


def _trick(sight: Sight, seats: dict[str, int]) -> list[Text]:
    """The cards on the table, each before its seat."""
    trick = sight.last_trick()
    plays = dict(trick.plays if trick is not None else sight.view.trick)
    look = sight.scene.look

    def card(place: str) -> Text:
        played = plays.get(seats.get(place, -1))
        return look.card(played) if played is not None else Text("  ")

    if trick is not None:
        points = "" if trick.points is None else f", {trick.points}"
        foot = f"to {trick.winner}{points}"
    elif sight.view.trick:
        foot = f"{sight.view.trick[0][0]} led"
    else:
        foot = ""
    across = [joined(card("left"), Text("      "), card("right"))] if "left" in seats else []
    return [Text(), card("top"), *across, card("bottom"), Text(foot, "dim")]


def _centred(line: Text, width: int) -> Text:
    line.align("center", width)
    return line


# ---- the decision --------------------------------------------------------------------------------


def _decision(sight: Sight) -> list[Text]:
    """What is to be decided, what may be done and what was; at the end, the result."""
    scene, moment = sight.scene, sight.moment
    if sight.over:
        return [*loose_faults(scene), *result_lines(scene)]
    if moment is None:
        return [Text(f"{sight.view.phase}: another seat is to act", "dim")]
    head = Text(f"decision {moment.at}", "bold")
    lines = [joined(head, Text(f"   {scene.who(moment.seat)}, {moment.phase}"))]
    return lines + choice_lines(scene, moment, sight.width, note_limit=400)
