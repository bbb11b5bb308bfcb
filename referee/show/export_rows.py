"""Rows written to files: CSV and SQLite with nothing else installed, Parquet and DuckDB as extras.

What is written stands under another name until it is whole, so no reader finds half a file.
"""

import csv
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Protocol, TextIO

from referee.errors import ConfigError
from referee.league.rows import DEALS, DECISIONS, Column, Row, SetRows

TABLES: Mapping[str, tuple[Column, ...]] = {"deals": DEALS, "decisions": DECISIONS}
BATCH = 20_000
"""Rows that are kept in memory before they are written."""


class Written(NamedTuple):
    """What has been written."""

    files: tuple[Path, ...]
    deals: int
    decisions: int


class Writer(Protocol):
    """Takes rows of both tables, in batches."""

    def add(self, table: str, rows: Sequence[Row]) -> None:
        """Write some rows of a table."""
        ...

    def finish(self) -> None:
        """All rows have been added; the files are whole once they are closed, too."""
        ...


def export(rows: Iterable[SetRows], to: Path) -> Written:
    """Write rows to the file that `to` names, or to the two files of a CSV or Parquet export.

    Raises ConfigError when the ending says no known form, when its extra is not installed, and
    when the file cannot be written.
    """
    form = FORMS.get(to.suffix.lower())
    if form is None:
        raise ConfigError(f"{to}: expected a name that ends in {', '.join(FORMS)}")
    counts = dict.fromkeys(TABLES, 0)
    targets = targets_of(to)
    try:
        with TemporaryDirectory(prefix=".export-", dir=to.parent) as name:
            made = [Path(name) / target.name for target in targets]
            with ExitStack() as opened:
                writer = form.writer(made, opened)
                _pour(rows, writer, counts)
                writer.finish()
            for fresh, target in zip(made, targets, strict=True):
                os.replace(fresh, target)
    except (OSError, sqlite3.Error) as error:
        why = getattr(error, "strerror", None) or error
        raise ConfigError(f"{to}: cannot be written: {why}") from None
    return Written(tuple(targets), counts["deals"], counts["decisions"])


def targets_of(to: Path) -> list[Path]:
    """The files that an export to this name writes."""
    form = FORMS.get(to.suffix.lower())
    if form is None or not form.apart:
        return [to]
    return [to.with_name(f"{to.stem}.{table}{to.suffix}") for table in TABLES]


def _pour(rows: Iterable[SetRows], writer: Writer, counts: dict[str, int]) -> None:
    waiting: dict[str, list[Row]] = {table: [] for table in TABLES}
    for found in rows:
        for table, some in zip(TABLES, found, strict=True):
            counts[table] += len(some)
            waiting[table] += some
            if len(waiting[table]) >= BATCH:
                writer.add(table, waiting[table])
                waiting[table] = []
    for table, some in waiting.items():
        writer.add(table, some)


class CsvFiles:
    """Two CSV files with a line of names each; what is not known is empty."""

    def __init__(self, files: Sequence[Path], opened: ExitStack) -> None:
        self._files: list[TextIO] = []
        self._writers: dict[str, Any] = {}
        for (table, columns), path in zip(TABLES.items(), files, strict=True):
            file = opened.enter_context(path.open("w", encoding="utf-8", newline=""))
            self._files.append(file)
            self._writers[table] = csv.writer(file, lineterminator="\n")
            self._writers[table].writerow([column.name for column in columns])

    def add(self, table: str, rows: Sequence[Row]) -> None:
        """Write some rows of a table."""
        self._writers[table].writerows(rows)

    def finish(self) -> None:
        """Write what is still in memory."""
        for file in self._files:
            file.flush()


class SqliteFile:
    """A SQLite database with two tables."""

    def __init__(self, files: Sequence[Path], opened: ExitStack) -> None:
        self._database = opened.enter_context(closing(sqlite3.connect(files[0])))
        # The file is of no use to anybody before it is whole.
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA synchronous = OFF")
        for table in TABLES:
            self._database.execute(_created(table))

    def add(self, table: str, rows: Sequence[Row]) -> None:
        """Write some rows of a table."""
        marks = ", ".join("?" * len(TABLES[table]))
        self._database.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)

    def finish(self) -> None:
        """Add an index from a deal to its decisions, and write all."""
        self._database.execute(
            "CREATE INDEX decisions_by_deal ON decisions (log, set_no, table_no, deal_no)"
        )
        self._database.commit()


class ParquetFiles:
    """Two Parquet files."""

    def __init__(self, files: Sequence[Path], opened: ExitStack) -> None:
        self._arrow = _extra("pyarrow", "parquet")
        parquet = _extra("pyarrow.parquet", "parquet")
        kinds = {
            "text": self._arrow.string(),
            "integer": self._arrow.int64(),
            "real": self._arrow.float64(),
        }
        self._schemas = {
            table: self._arrow.schema([(column.name, kinds[column.kind]) for column in columns])
            for table, columns in TABLES.items()
        }
        self._writers = {
            table: opened.enter_context(parquet.ParquetWriter(str(path), self._schemas[table]))
            for table, path in zip(TABLES, files, strict=True)
        }

    def add(self, table: str, rows: Sequence[Row]) -> None:
        """Write some rows of a table."""
        if rows:
            schema = self._schemas[table]
            columns = [
                self._arrow.array(values, field.type)
                for values, field in zip(zip(*rows, strict=True), schema, strict=True)
            ]
            self._writers[table].write_table(self._arrow.table(columns, schema=schema))

    def finish(self) -> None:
        """Nothing yet: what a file ends with is written when it is closed."""


class DuckFile:
    """A DuckDB database with two tables, filled from CSV files: row by row it is slow."""

    def __init__(self, files: Sequence[Path], opened: ExitStack) -> None:
        self._library = _extra("duckdb", "duckdb")
        with self._errors():
            self._database = self._library.connect(str(files[0]))
        opened.callback(self._close)
        self._folder = files[0].parent
        self._parts = [self._folder / f"{table}.csv" for table in TABLES]
        self._rows = CsvFiles(self._parts, opened)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """DuckDB's errors as what they mean here: the file cannot be written."""
        try:
            yield
        except self._library.Error as error:
            raise OSError(str(error).partition("\n")[0]) from None

    def add(self, table: str, rows: Sequence[Row]) -> None:
        """Write some rows of a table."""
        self._rows.add(table, rows)

    def finish(self) -> None:
        """Fill the tables."""
        self._rows.finish()
        with self._errors():
            for table, part in zip(TABLES, self._parts, strict=True):
                name = str(part).replace("'", "''")
                self._database.execute(_created(table))
                self._database.execute(
                    f"COPY {table} FROM '{name}' (FORMAT csv, HEADER, NULLSTR '')"
                )
            self._database.execute("CHECKPOINT")

    def _close(self) -> None:
        with self._errors():
            self._database.close()


_DUCK = {"text": "VARCHAR", "integer": "BIGINT", "real": "DOUBLE"}
"""Types that DuckDB takes as they are and SQLite by their affinity."""


def _created(table: str) -> str:
    columns = ", ".join(f"{column.name} {_DUCK[column.kind]}" for column in TABLES[table])
    return f"CREATE TABLE {table} ({columns})"


def _extra(module: str, extra: str) -> Any:
    """A library that need not be there."""
    with suppress(ImportError):
        return import_module(module)
    raise ConfigError(
        f"this form needs {module.partition('.')[0]}, which is not installed; "
        f"pip install 'card-referee[{extra}]', or write .csv or .sqlite"
    )


class Form(NamedTuple):
    """A form of export."""

    writer: Callable[[Sequence[Path], ExitStack], Writer]
    """Makes the writer; what it opens is closed with the stack."""
    apart: bool
    """Whether each table is a file of its own."""


FORMS: Mapping[str, Form] = {
    ".csv": Form(CsvFiles, apart=True),
    ".sqlite": Form(SqliteFile, apart=False),
    ".parquet": Form(ParquetFiles, apart=True),
    ".duckdb": Form(DuckFile, apart=False),
}
