"""Verification: every play of a log is played again and must come out byte for byte.

Cards come from the secret once it is revealed, from the logged cards before; actions go through
the rules, faults through the rulings, and points, scores and nets are computed again.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, to_builtins

from referee.cards import DealKey, commitment, shuffled
from referee.collecting import collecting_rarely
from referee.errors import ConfigError, IllegalAction, LogMismatch
from referee.games.game import Game, Unit
from referee.games.rulesets import game_from, kind_named
from referee.log import DealLine, Header, Log, SetRecord, Unplayed, canonical
from referee.rulings import HARD, SOFT, Kind, Substitution
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


@collecting_rarely()
def verify(log: Log, secrets: Mapping[str, str], seatings: Seatings) -> Verified:
    """Play a log again.

    `secrets` maps commitments to revealed secrets. Raises LogMismatch with the file, the line and
    the field of the first difference.
    """
    games: dict[int, Game] = {}
    deals = unplayed = from_secret = 0
    digests = sha256()
    for secret in secrets.items():
        if commitment(secret[1]) != secret[0]:
            raise LogMismatch(f"{log.path}: the secret revealed for {secret[0]} has another digest")
    for header in log.headers:
        games[id(header)] = _game_of(log, header)
    for number in sorted(log.sets):
        record = log.sets[number]
        header = record.header
        game = games[id(header)]
        secret_text = secrets.get(header.commitment)
        plan = seatings(header, number, secret_text, game)
        count = _verify_set(log.path, record, game, secret_text, plan)
        deals += count
        from_secret += count if secret_text else 0
        unplayed += sum(isinstance(entry.line, Unplayed) for entry in record.entries)
        digests.update(record.digests())
    digest = digests.hexdigest()
    _verify_end(log, digest, secrets)
    return Verified(
        path=log.path, sets=len(log.sets), deals=deals, unplayed=unplayed,
        set_aside=log.set_aside, from_secret=from_secret, digest=digest,
    )  # fmt: skip


def _game_of(log: Log, header: Header) -> Game:
    """The game of a header whose fields fit together, and the first header's."""
    for field in header.__struct_fields__:
        found, first = getattr(header, field), getattr(log.headers[0], field)
        if field not in ("commitment", "referee") and found != first:
            raise LogMismatch(
                f"{log.path}: a later header: {field}: log says {found!r}, its first header "
                f"{first!r}"
            )
    where = f"{log.path}: header: "
    try:
        kind = kind_named(header.game)
        game = game_from(header.game, header.ruleset, header.rules)
    except ConfigError as error:
        raise LogMismatch(f"{where}{error}") from None
    name, _, options = header.ruleset.removesuffix("]").partition("[")
    if name not in kind.presets:
        raise LogMismatch(f"{where}ruleset: {kind.name} has no {name!r}")
    preset = to_builtins(kind.presets[name])
    changed = dict(option.split("=", 1) for option in options.split(",") if "=" in option)
    for option, value in to_builtins(game.rules).items():
        expected = changed.get(option, str(preset[option]))
        if str(value) != expected:
            raise LogMismatch(
                f"{where}rules: {option} is {value!r}, in {header.ruleset!r} it is {expected}"
            )
    sides = max(game.sides) + 1
    ids = [entrant.id for entrant in header.entrants]
    for field, there, wanted in (
        ("entrants", ids, sorted(set(ids))),
        ("entrants", len(ids), sides),
        ("pairing", header.pairing, "+".join(ids)),
        ("seating", header.seating, "swap" if sides == 2 else "rotate"),
        ("tables", header.tables, sides),
    ):
        if there != wanted:
            raise LogMismatch(f"{where}{field}: log says {there!r}, not {wanted!r}")
    return game


def _verify_end(log: Log, digest: str, secrets: Mapping[str, str]) -> None:
    """Every set is there once; where the log says that it is all there, none is missing."""
    for number in sorted(log.twice):
        raise LogMismatch(f"{log.path}: set {number}: it is there twice")
    if log.end is None:
        # Not asked of a single set that was taken out of its log to be shown.
        if log.good_bytes and log.header.commitment in secrets:
            raise LogMismatch(f"{log.path}: no end line, though its secret is revealed")
        return
    for header in log.headers:
        if secrets and header.commitment not in secrets:
            raise LogMismatch(
                f"{log.path}: header: commitment: {header.commitment} is that of no revealed "
                "secret, though there is an end line"
            )
    if log.end.digest != digest:
        raise LogMismatch(f"{log.path}: end line: digest: log says {log.end.digest}, not {digest}")
    if log.end.sets != len(log.sets):
        raise LogMismatch(
            f"{log.path}: end line: sets: log says {log.end.sets}, there are {len(log.sets)}"
        )
    for number in log.gaps():
        raise LogMismatch(f"{log.path}: set {number}: it is missing, though there is an end line")


def _verify_set(
    path: Path,
    record: SetRecord,
    game: Game,
    secret: str | None,
    plan: Sequence[Sequence[str]] | None,
) -> int:
    """Verify the tables of one set; the number of its deals."""
    seats_at = plan if plan is not None else _as_begun(path, record)
    tables: dict[int, list[_Logged]] = {}
    unplayed: dict[int, Unplayed] = {}
    for number, line, play in record.entries:
        where = f"{path}: line {number}: "
        if play is not None and isinstance(line, DealLine):
            digest = sha256(line.play).hexdigest()
            if digest != line.sha256:
                raise LogMismatch(
                    f"{where}sha256: log says {line.sha256}, its play has {digest}"
                )
            place, seats, field = play.table, play.seats, "play.seats"
            tables.setdefault(place, []).append(_Logged(number, line, play))
        else:
            assert isinstance(line, Unplayed)
            place, seats, field = line.table, line.seats, "seats"
        if not 0 <= place < len(seats_at):
            raise LogMismatch(f"{where}table: log says {place}, a set has {len(seats_at)}")
        if list(seats_at[place]) != seats:
            raise LogMismatch(
                f"{where}{field}: log says {seats}, the schedule says {list(seats_at[place])}"
            )
        if isinstance(line, Unplayed):
            if place in unplayed:
                raise LogMismatch(f"{where}table {place} is there twice")
            unplayed[place] = line
            _verify_unplayed(where, line, game, record.header.unit)
    for place in tables.keys() & unplayed.keys():
        raise LogMismatch(f"{path}: set {record.set}: table {place} was played and not played")
    if len({line.nets is None for line in unplayed.values()} | ({False} if tables else set())) > 1:
        raise LogMismatch(f"{path}: set {record.set}: a set is not playable only as a whole")
    for logged in tables.values():
        replay_table(path, game, record.header, logged, secret)
    return sum(map(len, tables.values()))


def _as_begun(path: Path, record: SetRecord) -> list[list[str]]:
    """Who must sit where if the seats of table 0 are right: the entrants, then rotated."""
    ids = sorted(entrant.id for entrant in record.header.entrants)
    for number, line, play in record.entries:
        where = play if play is not None else line
        if isinstance(where, PlayRecord | Unplayed) and where.table == 0:
            order = where.seats
            if sorted(order) != ids:
                raise LogMismatch(f"{path}: line {number}: seats: log says {order}, not all {ids}")
            return [order[table:] + order[:table] for table in range(len(order))]
    raise LogMismatch(f"{path}: set {record.set}: table 0 is missing")


def _verify_unplayed(where: str, line: Unplayed, game: Game, unit: Unit) -> None:
    """A forfeited table scores the lowest net for the blamed sides and nought for the others."""
    expected: list[float] | None = None
    if line.reason == "forfeited":
        blamed = {blame.seat for blame in line.blame if blame.ruling == "forfeit"}
        sides = {side for seat, side in enumerate(game.sides) if seat in blamed}
        if not blamed or not blamed <= set(range(game.seats)):
            raise LogMismatch(f"{where}blame: nobody at the table is blamed for it")
        floor = -1.0 if unit == "game" else game.lowest_net()
        expected = [floor if side in sides else 0.0 for side in range(max(game.sides) + 1)]
    if line.nets != expected:
        raise LogMismatch(f"{where}nets: log says {line.nets}, the rules say {expected}")


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
        if table.over and place >= len(table.records):
            raise LogMismatch(f"{where}the table was over before it")
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
    if kind not in SOFT | HARD or not 0 <= ruling.seat < table.game.seats:
        raise LogMismatch(f"{where}play.rulings: {kind} of seat {ruling.seat} is no ruling")
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
