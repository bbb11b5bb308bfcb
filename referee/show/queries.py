"""Questions that rows answer: worked queries for SQLite, which DuckDB understands as well."""

from typing import NamedTuple


class Query(NamedTuple):
    """A question and the SQL that answers it."""

    question: str
    sql: str


QUERIES: tuple[Query, ...] = (
    Query(
        "Who comes out ahead? The standings' net of two sides: mean over pairings of equal weight",
        """\
WITH nets AS (
    SELECT game, ruleset, pairing, entrant_0 AS entrant, net_0 AS net FROM deals
    UNION ALL
    SELECT game, ruleset, pairing, entrant_1, net_1 FROM deals
), means AS (
    SELECT game, ruleset, pairing, entrant, avg(net) AS net FROM nets WHERE net IS NOT NULL
    GROUP BY game, ruleset, pairing, entrant
)
SELECT game, ruleset, entrant, round(avg(net), 1) AS net FROM means
GROUP BY game, ruleset, entrant ORDER BY game, ruleset, net DESC, entrant;
""",
    ),
    Query(
        "Who makes what they declare? Contracts and the share of them that was made",
        """\
SELECT game, declared_by, contract, count(*) AS deals, round(100.0 * avg(made), 1) AS percent
FROM deals WHERE made IS NOT NULL AND soloist IS NULL
GROUP BY game, declared_by, contract ORDER BY game, declared_by, deals DESC, contract LIMIT 20;
""",
    ),
    Query(
        "Where does the time go? Decisions with a choice, by entrant and phase",
        """\
SELECT entrant, phase, count(*) AS decisions, round(avg(ms), 3) AS mean_ms, max(ms) AS worst_ms
FROM decisions WHERE played_by = 'bot' AND legal > 1
GROUP BY entrant, phase ORDER BY entrant, phase;
""",
    ),
)
