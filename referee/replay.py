"""Verification: every play of a log is played again and must come out byte for byte.

Cards come from the secret once it is revealed, from the logged cards before; actions go through
the rules, faults through the rulings, and points, scores and nets are computed again.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from referee.cards import DealKey, commitment, shuffled
from referee.errors import IllegalAction, LogMismatch
from referee.games.game import Game
from referee.games.rulesets import game_from
from referee.log import DealLine, Header, Log, SetRecord, Unplayed, canonical
from referee.rulings import SOFT, Kind, Substitution
from referee.table import PlayRecord, Table

Seatings = Callable[[Header, int, str | None, Game], Sequence[Sequence[str]] | None]
"""Who must sit where: (header, set, secret or None, game) to entrants by seat for each table."""


class Verified(Struct, frozen=True, kw_only=True):
    """What was checked in one log."""

    path: Path
    sets: int
    deals: int
    unplayed: int
    set_aside: int
    """Lines of an incomplete set at the end, not counted."""
    from_secret: int
    """Deals whose cards came out of the revealed secret."""
    digest: str


class _Logged(NamedTuple):
    number: int
    line: DealLine
    play: PlayRecord


def verify(log: Log, secrets: Mapping[str, str], seatings: Seatings) -> Verified:
    """Play a log again.

    `secrets` maps commitments to revealed secrets. Raises LogMismatch with the file, the line and
    the field of the first difference.
    """
    games: dict[int, Game] = {}
    deals = unplayed = from_secret = 0
    for secret in secrets.items():
        if commitment(secret[1]) != secret[0]:
            raise LogMismatch(f"{log.path}: the secret revealed for {secret[0]} has another digest")
    for number in sorted(log.sets):
        record = log.sets[number]
        header = record.header
        game = games.get(id(header))
        if game is None:
            game = games[id(header)] = game_from(header.game, header.ruleset, header.rules)
        secret_text = secrets.get(header.commitment)
        plan = seatings(header, number, secret_text, game)
        count = _verify_set(log.path, record, game, secret_text, plan)
        deals += count
        from_secret += count if secret_text else 0
        unplayed += sum(isinstance(entry.line, Unplayed) for entry in record.entries)
    digest = log.digest()
    if log.end is not None and log.end.digest != digest:
        raise LogMismatch(f"{log.path}: end line: digest: log says {log.end.digest}, not {digest}")
    return Verified(
        path=log.path, sets=len(log.sets), deals=deals, unplayed=unplayed,
        set_aside=log.set_aside, from_secret=from_secret, digest=digest,
    )  # fmt: skip


def _verify_set(
    path: Path,
    record: SetRecord,
    game: Game,
    secret: str | None,
    plan: Sequence[Sequence[str]] | None,
) -> int:
    """Verify the deals of one set; the number of them."""
    tables: dict[int, list[_Logged]] = {}
    for number, line, play in record.deals():
        digest = sha256(line.play).hexdigest()
        if digest != line.sha256:
            raise LogMismatch(
                f"{path}: line {number}: sha256: log says {line.sha256}, its play has {digest}"
            )
        tables.setdefault(play.table, []).append(_Logged(number, line, play))
    for number, other, _ in record.entries:
        if isinstance(other, Unplayed):
            _verify_unplayed(path, number, other, game, plan)
    count = 0
    for place, logged in tables.items():
        if plan is not None and list(plan[place]) != logged[0].play.seats:
            raise LogMismatch(
                f"{path}: line {logged[0].number}: play.seats: log says {logged[0].play.seats}, "
                f"the schedule says {list(plan[place])}"
            )
        replay_table(path, game, record.header, logged, secret)
        count += len(logged)
    return count


def _verify_unplayed(
    path: Path, number: int, line: Unplayed, game: Game, plan: Sequence[Sequence[str]] | None
) -> None:
    """A forfeited table scores the lowest net for the faulty sides and nought for the others."""
    lowest = game.lowest_net()
    if line.nets is not None and not set(line.nets) <= {lowest, -1.0, 0.0}:
        raise LogMismatch(f"{path}: line {number}: nets: expected {lowest} or 0, not {line.nets}")
    if plan is not None and list(plan[line.table]) != line.seats:
        raise LogMismatch(f"{path}: line {number}: seats: the schedule says {plan[line.table]}")


def replay_table(
    path: Path, game: Game, header: Header, logged: Sequence[_Logged], secret: str | None
) -> Table:
    """Play one table's deals again and compare each record; the table afterwards."""
    plays = [entry.play for entry in logged]
    first = plays[0]

    def from_log(deal: int, redeal: int) -> Sequence[int]:
        index = game.pack.index
        try:
            cards = [index[name] for name in plays[deal].cards[redeal].split(" ")]
        except (LookupError, IndexError):
            number = logged[min(deal, len(logged) - 1)].number
            raise LogMismatch(f"{path}: line {number}: play.cards: no such dealing") from None
        if sorted(cards) != list(range(game.pack.size)):
            raise LogMismatch(f"{path}: line {logged[deal].number}: play.cards: not the whole pack")
        return cards

    def from_secret(deal: int, redeal: int) -> Sequence[int]:
        assert secret is not None
        return shuffled(
            DealKey(
                secret, header.game, header.ruleset, header.pairing, first.set, deal, redeal
            ),
            game.pack.size,
        )

    table = Table(
        game,
        header.unit,
        set_number=first.set,
        number=first.table,
        entrants=first.seats,
        cards=from_secret if secret else from_log,
        soft_faults=header.soft_faults,
    )
    for place, entry in enumerate(logged):
        where = f"{path}: line {entry.number}: "
        _play_again(where, table, entry.play, place)
        found = canonical(table.records[place])
        if found != bytes(entry.line.play):
            raise LogMismatch(where + _difference(entry.play, table.records[place]))
    if not table.over:
        raise LogMismatch(f"{path}: line {logged[-1].number}: the table goes on after it")
    return table


def _play_again(where: str, table: Table, play: PlayRecord, done: int) -> None:
    """Feed one deal's logged actions and rulings to the table."""
    actions = play.actions.split(" ")
    try:
        for ruling in play.rulings:
            if len(table.records) == done:
                table.retrace(actions, ruling.at)
            if len(table.records) == done:
                _rule_again(where, table, ruling)
        # A table whose seats are all forfeited has played on by itself.
        if len(table.records) == done:
            table.retrace(actions, len(actions) + 1)
    except IllegalAction as error:
        raise LogMismatch(f"{where}play.{error}") from None


def _rule_again(where: str, table: Table, ruling: Substitution) -> None:
    """Make a logged ruling again, by the same rules."""
    decision = table.ask()
    kind: Kind = ruling.kind
    if kind in SOFT:
        if decision is None or decision.seat != ruling.seat:
            raise LogMismatch(f"{where}play.rulings: seat {ruling.seat} was not asked there")
        table.fault(kind)
    else:
        table.forfeit(ruling.seat, kind)


def _difference(logged: PlayRecord, again: PlayRecord) -> str:
    """The first field in which two records differ, with both values."""
    for field in logged.__struct_fields__:
        found, expected = getattr(logged, field), getattr(again, field)
        if found == expected:
            continue
        if field == "actions":
            pairs = zip(found.split(" "), expected.split(" "), strict=False)
            for at, (one, other) in enumerate(pairs):
                if one != other:
                    return f"play.actions[{at}]: log says {one!r}, rules say {other!r}"
        return f"play.{field}: log says {found!r}, rules say {expected!r}"
    return "play: the same values, but not in canonical bytes"
