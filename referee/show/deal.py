"""A deal as text: hands, auction, exchange, tricks, faults at their place, points. One page."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from rich.text import Text

from referee.cards import SUITS
from referee.games.game import Game
from referee.judge import last_words
from referee.log import Header
from referee.rulings import Blame
from referee.show.page import WIDTH, Look, milliseconds, printable, signed
from referee.show.story import Dealing, Moment, Story, Trick, by_suit, ranks_of

LABEL = 10
"""Columns of the labels at the left."""

SLOW_MS = 1000.0
"""A decision this slow is worth telling, and one that took half of its limit."""

_WORDS = {
    "pass": "pass",
    "bid": "bid",
    "keep": "keeps the hand",
    "redeal": "demands new cards",
    "contract": "plays for",
    "declare": "declares",
    "half": "asks for the other half of",
    "whole": "asks for a whole marriage",
    "name": "names",
    "low": "low",
    "high": "high",
}

_GROUPS = {
    "pass": "auction",
    "bid": "auction",
    "keep": "redeal",
    "redeal": "redeal",
    "give": "exchange",
    "discard": "exchange",
    "contract": "contract",
    "nolo": "auction",
    "rami": "auction",
    "low": "auction",
    "high": "auction",
    "sooli": "auction",
}
_ANSWERS = ("yes", "no", "name")


class Scene(Struct, frozen=True, kw_only=True):
    """What a story is told with."""

    game: Game
    header: Header
    story: Story
    look: Look
    width: int = WIDTH
    """Columns that a line may have."""

    def who(self, seat: int) -> str:
        """A seat with its entrant."""
        return f"{seat} {printable(self.story.play.seats[seat], 40)}"

    def cards(self, cards: Iterable[str]) -> Text:
        """Cards with blanks between them."""
        # What a seat may not know reads `?` in its history.
        shown = (Text(card) if card == "?" else self.look.card(card) for card in cards)
        return Text(" ").join(shown)

    def slow(self, moment: Moment) -> bool:
        """Whether a decision took so long that it is worth telling."""
        limit = self.header.time.decision_ms
        return moment.ms is not None and moment.ms >= min(SLOW_MS, limit / 2)


def deal_page(scene: Scene) -> list[Text]:
    """All lines of a deal."""
    lines = [*heading(scene), Text("")]
    for number, dealing in enumerate(scene.story.dealings):
        if number < len(scene.story.dealings) - 1:
            lines += _dealt_in_vain(scene, dealing)
            continue
        lines += hand_lines(scene, dealing.hands, dealing.talon)
        if dealing.received:
            lines.append(labelled("received", scene.cards(dealing.received)))
        lines.append(Text(""))
        lines += _played(scene, dealing.moments)
    return [*lines, *loose_faults(scene), Text(""), *result_lines(scene)]


def heading(scene: Scene) -> list[Text]:
    """Which deal this is, and who sits where."""
    play, header = scene.story.play, scene.header
    where = f"set {play.set}, table {play.table}, deal {play.deal}"
    title = f"{header.game} {printable(header.ruleset)}, {printable(header.pairing)}: {where}"
    seats = [Text(scene.who(seat)) for seat in range(len(play.seats))]
    lines = [Text(title, "bold"), *filled("seats", seats, width=scene.width)]
    facts = f"{play.dealer} deals"
    if header.unit == "game":
        facts += "; score before " + " : ".join(map(str, scene.story.before))
    return [*lines, Text("dealer".ljust(LABEL) + facts)]


def hand_lines(scene: Scene, hands: Sequence[Sequence[str]], talon: Sequence[str]) -> list[Text]:
    """Hands sorted by suit, and what was left over."""
    ranks = ranks_of(scene.game)
    # A seat that looks on knows its own hand only.
    known = [(seat, hand) for seat, hand in enumerate(hands) if hand or len(hands) == 1]
    sorted_hands = [(seat, by_suit(hand, ranks)) for seat, hand in known]
    widths = [
        max(2, *(2 * len(hand[place][1]) for _, hand in sorted_hands)) + 3
        for place in range(len(SUITS))
    ]
    lines: list[Text] = []
    for seat, hand in sorted_hands:
        line = Text(("" if lines else "hands").ljust(LABEL) + f"{seat}  ")
        for (suit, held), width in zip(hand, widths, strict=True):
            symbol = scene.look.suit(suit)
            line += symbol + Text(" " + (" ".join(held) or "-"), symbol.style)
            line.append(" " * (width - max(2 * len(held), 2)))
        lines.append(line)
    if talon:
        label = "talon" if hasattr(scene.game, "talon_size") else "stock"
        lines.append(Text(label.ljust(LABEL)) + scene.cards(talon))
    return lines


def _dealt_in_vain(scene: Scene, dealing: Dealing) -> list[Text]:
    """A dealing after which somebody demanded new cards."""
    lines = _played(scene, dealing.moments)
    seat = dealing.moments[-1].seat
    if not dealing.hands[seat]:
        return [*lines, Text("")]
    hand = " ".join(
        f"{scene.look.suit(suit).plain}{held}"
        for suit, held in by_suit(dealing.hands[seat], ranks_of(scene.game))
        if held
    )
    return [*lines, Text(" " * LABEL + f"{seat} held {hand}"), Text("")]


# ---- what was played -----------------------------------------------------------------------------


def _played(scene: Scene, moments: Sequence[Moment]) -> list[Text]:
    """The play in its order: groups of like actions, tricks, and faults where they happened."""
    lines: list[Text] = []
    group: list[Moment] = []
    trick: list[Moment] = []
    for moment in moments:
        if group and (moment.blame or _key(moment) != _key(group[-1])):
            lines += _told(scene, group)
            group = []
        for blame in moment.blame:
            lines += blame_lines(scene, blame)
        if _is_card(moment.action):
            trick.append(moment)
            if moment.trick is not None:
                lines.append(trick_line(scene, moment.trick) + _slowly(scene, trick))
                trick = []
        else:
            group.append(moment)
        if moment.drawn:
            lines += _told(scene, group) if group else []
            lines.append(_draw_line(scene, moment))
            group = []
    return lines + (_told(scene, group) if group else [])


def _draw_line(scene: Scene, moment: Moment) -> Text:
    """What was drawn from the stock after a trick."""
    line = Text("draws".ljust(LABEL))
    for seat, card in moment.drawn:
        line += Text(f"{seat} ") + scene.look.card(card) + Text("   ")
    line.rstrip()
    return line


def _key(moment: Moment) -> tuple[str, int]:
    """Actions of the same key are told together."""
    verb = moment.action.partition(":")[0]
    if verb in ("give", "discard"):
        return verb, moment.seat
    if moment.phase == "declare":
        return "said", -1
    if verb in _GROUPS:
        return _GROUPS[verb], -1
    return "card" if _is_card(moment.action) else "said", -1


def _is_card(action: str) -> bool:
    return len(action) == 2 and action[1] in "SHDC"


def _told(scene: Scene, group: Sequence[Moment]) -> list[Text]:
    """A group of like actions."""
    verb, _, _ = group[0].action.partition(":")
    kind = _key(group[0])[0]
    if verb == "give":
        seat = group[0].seat
        # Partners sit opposite each other.
        text = Text(f"{seat} gives {(seat + 2) % scene.game.seats}  ")
        text += scene.cards(_arguments(group)) + _slowly(scene, group)
        return [labelled("exchange", text)]
    if verb == "discard":
        text = Text(f"{group[0].seat} discards  ")
        text += scene.cards(_arguments(group)) + _slowly(scene, group)
        return [labelled("exchange", text)]
    if kind in ("auction", "redeal", "contract"):
        return filled(kind, [_words(scene, moment) for moment in group], width=scene.width)
    return list(_said(scene, group))


def _arguments(group: Sequence[Moment]) -> list[str]:
    return [moment.action.partition(":")[2] for moment in group]


def _words(scene: Scene, moment: Moment) -> Text:
    """One action in words, with its time where it was slow."""
    return in_words(scene, moment.seat, moment.action) + _slowly(scene, [moment])


def in_words(scene: Scene, seat: int, action: str) -> Text:
    """One action in words."""
    verb, _, argument = action.partition(":")
    text = Text(f"{seat} {_WORDS.get(verb, verb)}")
    if argument:
        text += Text(" ") + (scene.look.suit(argument) if argument in "SHDC" else Text(argument))
    return text


def _slowly(scene: Scene, moments: Sequence[Moment]) -> Text:
    """The times of slow decisions among these, with the seat where there are several."""
    slow = [
        (f"{moment.seat}: " if len(moments) > 1 else "") + f"{milliseconds(moment.ms)} ms"
        for moment in moments
        if moment.ms is not None and scene.slow(moment)
    ]
    return Text(f"   ({', '.join(slow)})" if slow else "", "yellow")


def _said(scene: Scene, group: Sequence[Moment]) -> Iterator[Text]:
    """Declarations, and asks with their answers; not who had nothing to declare."""
    line: Text | None = None
    for moment in group:
        if moment.action == "pass":
            continue
        verb, _, argument = moment.action.partition(":")
        if verb in _ANSWERS and line is not None:
            line += Text(f": {moment.seat} {'names ' if verb == 'name' else verb}")
            if argument:
                line += scene.look.suit(argument)
        else:
            if line is not None:
                yield labelled("", line)
            line = _words(scene, moment)
        if moment.trump is not None and line is not None:
            line += Text(", trump ") + scene.look.suit(moment.trump)
    if line is not None:
        yield labelled("", line)


def trick_line(scene: Scene, trick: Trick) -> Text:
    """A finished trick in playing order."""
    line = Text(f"trick {trick.number}".ljust(LABEL))
    for seat, card in trick.plays:
        line += Text(f"{seat} ") + scene.look.card(card) + Text("   ")
    line.append(f"won by {trick.winner}")
    if trick.points is not None:
        line.append(f", {trick.points} point{'' if trick.points == 1 else 's'}")
    return line


def loose_faults(scene: Scene) -> list[Text]:
    """Faults at no decision in particular; stray messages of one seat are told together."""
    together: dict[object, list[Blame]] = {}
    for number, blame in enumerate(scene.story.blame):
        key = (blame.seat, blame.kind) if blame.ruling == "none" else number
        together.setdefault(key, []).append(blame)
    return [
        line
        for like in together.values()
        for line in blame_lines(scene, like[0], more=len(like) - 1)
    ]


def blame_lines(scene: Scene, blame: Blame, more: int = 0) -> list[Text]:
    """A fault: who, what, how many more like it, and what the referee did about it."""
    ruling = {
        "substitute": "the first legal action is played",
        "forfeit": "forfeited: the referee plays on for the seat, its side scores the floor",
        "none": "nothing is changed",
    }[blame.ruling]
    facts = [printable(blame.message, 240)]
    if more:
        facts.append(f"and {more} more of this kind")
    if blame.signal is not None:
        facts.append(f"signal {blame.signal}")
    elif blame.exit_code is not None and "exit code" not in blame.message:
        facts.append(f"exit code {blame.exit_code}")
    words = last_words(blame.stderr_first, blame.stderr_last)
    if words and words not in blame.message:
        facts.append(f"last words: {printable(words, 120)}")
    text = f"{scene.who(blame.seat)}: {blame.kind}: {'; '.join(facts)}; {ruling}"
    parts = [Text(word, "red") for word in text.split(" ")]
    return filled("  fault", parts, gap=" ", width=scene.width)


def result_lines(scene: Scene) -> list[Text]:
    """Points of every side, how the contract went, and how long decisions took."""
    story, play = scene.story, scene.story.play
    lines = []
    for side in range(len(play.points)):
        seats = [seat for seat, its in enumerate(scene.game.sides) if its == side]
        text = f"{printable(play.seats[seats[0]], 40)} ({', '.join(map(str, seats))}): "
        if story.raw is not None:
            text += f"{story.raw[side]} won, "
        text += f"scores {play.points[side]}"
        if scene.header.unit == "game":
            text += f", total {play.score[side]}"
        if play.nets is not None:
            text += f", net {signed(play.nets[side], 1 if scene.header.unit == 'deal' else 3)}"
        if story.declarer in seats and story.contract is not None:
            text += f"; {_contract(story.contract, play.points[side])}"
        lines.append(labelled("result" if side == 0 else "", Text(text)))
    return lines + _clock_lines(scene)


def _contract(contract: int | str, points: int) -> str:
    """How the declaring side's contract went that scored these points."""
    if contract == "sooli":
        return "rami, beaten by a sooli" if points <= 0 else "rami, the sooli against it failed"
    if isinstance(contract, str):
        return f"{contract} {'made' if points > 0 else 'lost'}"
    return f"contract {contract} {'made' if points == contract else 'lost'}"


def _clock_lines(scene: Scene) -> list[Text]:
    times: dict[int, list[float]] = {}
    for seat, _, ms in scene.story.side.times:
        times.setdefault(seat, []).append(ms)
    parts = [
        Text(
            f"{seat}: {len(taken)}, mean {milliseconds(sum(taken) / len(taken))}, "
            f"worst {milliseconds(max(taken))} ms"
        )
        for seat, taken in sorted(times.items())
    ]
    lines = filled("decisions", parts, width=scene.width) if parts else []
    lag = scene.story.side.lag_ms
    if lag >= SLOW_MS / 10:
        lines.append(labelled("", Text(f"the referee itself was late by {milliseconds(lag)} ms")))
    for seat, number in enumerate(scene.story.side.unexpected):
        if number:
            text = f"{scene.who(seat)} sent {number} message(s) that nobody wanted"
            lines.append(labelled("", Text(text)))
    return lines


def labelled(label: str, text: Text) -> Text:
    """A line with a label at the left."""
    return Text(label.ljust(LABEL)) + text


def filled(
    label: str, parts: Sequence[Text], gap: str = "   ", width: int = WIDTH
) -> list[Text]:
    """Parts side by side, on as many lines as the width asks for."""
    lines: list[Text] = []
    line = Text(label.ljust(LABEL))
    for part in parts:
        if len(line) > LABEL and len(line) + len(gap) + len(part) > width:
            lines.append(line)
            line = Text(" " * LABEL)
        elif len(line) > LABEL:
            line += Text(gap)
        line += part
    return [*lines, line]
