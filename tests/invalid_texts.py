"""Texts that a bot might send by mistake, in place of hello or of the answer to an open ask."""

from typing import NamedTuple

OPEN_ASK = 3
"""The only open ask; 1 and 2 have been answered."""


class Text(NamedTuple):
    """What is sent, and what is odd about it."""

    why: str
    raw: bytes
    pad_to: int = 0
    """Filled up with spaces to so many bytes."""
    batch: bool = False
    """Whether both sides said batch."""

    @property
    def data(self) -> bytes:
        return self.raw.ljust(self.pad_to)


def _hello(why: str, fields: bytes) -> Text:
    return Text(why, b'{"type":"hello",' + fields + b"}")


def _act(why: str, fields: bytes) -> Text:
    return Text(why, b'{"type":"act","id":3,' + fields + b"}")


def _batch(why: str, inside: bytes, *, agreed: bool = True) -> Text:
    return Text(why, b'{"type":"batch","messages":[' + inside + b"]}", batch=agreed)


AT_HELLO = (
    _hello("the least that works", b'"protocol":[1],"token":"TOKEN"'),
    _hello("more versions, and fields of a later one",
           b'"protocol":[3,2,1],"token":"TOKEN","colour":"blue"'),
    _hello("a game that it knows", b'"protocol":[1],"token":"TOKEN","games":["huutopussi"]'),
    _hello("without this game", b'"protocol":[1],"token":"TOKEN","games":["tuppi"]'),
    _hello("without this version", b'"protocol":[2],"token":"TOKEN"'),
    _hello("no version at all", b'"protocol":[],"token":"TOKEN"'),
    _hello("the version is no list", b'"protocol":1,"token":"TOKEN"'),
    _hello("another token", b'"protocol":[1],"token":"00000000000000000000000000000000"'),
    _hello("no token", b'"protocol":[1]'),
    _hello("no tables", b'"protocol":[1],"token":"TOKEN","tables":0'),
    _hello("too many tables", b'"protocol":[1],"token":"TOKEN","tables":4097'),
    Text("something else before hello", b'{"type":"ping","id":1}'),
    Text("not JSON; after the third such message it is start_failed", b"hello"),
)  # fmt: skip

AT_ASK = (
    _act("a legal action", b'"action":"discard:8S"'),
    _act("a field of a later version", b'"action":"discard:8S","mood":"good"'),
    _act("a note as text", b'"action":"discard:8S","note":"too many spades"'),
    _act("a note as an object", b'"action":"discard:8S","note":{"worth":[1,2.5,null]}'),
    _act("an empty note", b'"action":"discard:8S","note":null'),
    Text("type comes last", b'{"action":"discard:8S","id":3,"type":"act"}'),
    Text("spaces and a line end", b' { "type" : "act", "id":3, "action":"discard:8S" }\r\n'),
    Text("as long as a message may be", b'{"type":"act","id":3,"action":"discard:8S"}', 65_536),
    Text("one byte longer", b'{"type":"act","id":3,"action":"discard:8S"}', 65_537),
    _act("not among the legal ones", b'"action":"AS"'),
    _act("no action of this game", b'"action":"resign"'),
    _act("another case", b'"action":"DISCARD:7S"'),
    _act("a space too many", b'"action":"discard:8S "'),
    _act("empty", b'"action":""'),
    _act("two actions", b'"action":"discard:8S discard:TS"'),
    _act("longer than any action", b'"action":"' + b"x" * 65 + b'"'),
    _act("a list of actions", b'"action":["discard:8S"]'),
    _act("the place instead of the action", b'"action":0'),
    _act("null", b'"action":null'),
    Text("no action", b'{"type":"act","id":3}'),
    _act("a note as a list", b'"action":"discard:8S","note":[1]'),
    _act("a note of 2001 characters", b'"action":"discard:8S","note":"' + b"n" * 2001 + b'"'),
    Text("the id as text", b'{"type":"act","id":"3","action":"discard:8S"}'),
    Text("the id as a fraction", b'{"type":"act","id":3.0,"action":"discard:8S"}'),
    Text("no id", b'{"type":"act","action":"discard:8S"}'),
    Text("the id null", b'{"type":"act","id":null,"action":"discard:8S"}'),
    Text("an id that was answered", b'{"type":"act","id":2,"action":"discard:8S"}'),
    Text("an id that was never asked", b'{"type":"act","id":99,"action":"discard:8S"}'),
    Text("id 0", b'{"type":"act","id":0,"action":"discard:8S"}'),
    Text("an id beyond 2**53 - 1", b'{"type":"act","id":9007199254740992,"action":"discard:8S"}'),
    Text("no type", b'{"id":3,"action":"discard:8S"}'),
    Text("another type", b'{"type":"resign","id":3}'),
    Text("a message of the referee", b'{"type":"ask","id":3}'),
    Text("type in capitals", b'{"type":"ACT","id":3,"action":"discard:8S"}'),
    Text("a list", b'[{"type":"act","id":3,"action":"discard:8S"}]'),
    Text("a bare string", b'"discard:8S"'),
    Text("null", b"null"),
    Text("nothing", b""),
    Text("no JSON", b"discard:8S"),
    Text("single quotes", b"{'type':'act','id':3,'action':'discard:8S'}"),
    Text("a comma too many", b'{"type":"act","id":3,"action":"discard:8S",}'),
    Text("cut off", b'{"type":"act","id":3,"action":"disc'),
    Text("two objects", b'{"type":"act","id":3,"action":"discard:8S"}{"type":"ping","id":1}'),
    Text("a NUL at the end", b'{"type":"act","id":3,"action":"discard:8S"}\0'),
    Text("a byte order mark", b'\xef\xbb\xbf{"type":"act","id":3,"action":"discard:8S"}'),
    Text("not UTF-8", b'{"type":"act","id":3,"action":"discard:\xff\xfe"}'),
    Text("half a surrogate pair", b'{"type":"act","id":3,"action":"\\ud83d"}'),
    Text("NaN", b'{"type":"act","id":3,"action":"discard:8S","note":{"x":NaN}}'),
    Text("nested too deep", b"[" * 2000),
    Text("a ping", b'{"type":"ping","id":7}'),
    Text("a pong to no ping", b'{"type":"pong","id":7}'),
    Text("a second hello", b'{"type":"hello","protocol":[1],"token":"TOKEN"}'),
    _batch("a batch that was not agreed",
           b'{"type":"act","id":3,"action":"discard:8S"}', agreed=False),
    _batch("a batch", b'{"type":"act","id":3,"action":"discard:8S"}'),
    _batch("a batch with a ping",
           b'{"type":"ping","id":1},{"type":"act","id":3,"action":"discard:8S"}'),
    _batch("an answer twice in a batch",
           b'{"type":"act","id":3,"action":"discard:8S"},'
           b'{"type":"act","id":3,"action":"discard:TS"}'),
    _batch("an empty batch", b""),
    _batch("a batch in a batch", b'{"type":"batch","messages":[]}'),
    _batch("something else in a batch", b'{"type":"hello","protocol":[1],"token":"TOKEN"}'),
)  # fmt: skip
