# SPDX-License-Identifier: Apache-2.0
"""The results of a sweep as a Parquet file, which DuckDB, pandas, Polars and Spark read column by column.

    python3 -m trainyard.parquet sweep.sqlite                  # writes sweep.parquet
    python3 -m trainyard.parquet sweep.sqlite -o points.parquet

It has the columns of the view `results`, a row per point, in the order of the points. It is written in pieces, so that
memory does not grow with the points. Needs pyarrow: pip install pyarrow."""
import argparse
import os
import pathlib
import sqlite3
import sys
from typing import List, Tuple, Union

#: points that are read and written at once
PIECE = 65_536

File = Union[str, "os.PathLike[str]"]


class NotASweep(ValueError):
    """The file is not one that `simrun sweep` or `simrun merge` wrote to its end."""


def _opened(file: pathlib.Path) -> sqlite3.Connection:
    if not file.is_file():
        raise FileNotFoundError(f"there is no file '{file}'")
    connection = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)
    try:
        connection.execute("select * from results limit 1")
    except sqlite3.DatabaseError as error:
        begun = False
        try:
            begun = connection.execute("select 1 from sqlite_master where name = 'points'").fetchone() is not None
        except sqlite3.DatabaseError:
            pass
        connection.close()
        if begun:
            raise NotASweep(f"{file}: this sweep is not finished; run the same simrun command again, and it goes on") from None
        raise NotASweep(f"{file}: this is not the file of a sweep ({error}); give one that simrun sweep or simrun merge wrote") from None
    return connection


def _columns(connection: sqlite3.Connection) -> List[Tuple[str, str]]:
    """Names of the view's columns, and of what kind their values are in all points: integer, real or text."""
    names = [row[0] for row in connection.execute("select * from results limit 0").description]
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    kinds = ", ".join(f"max(case typeof({name}) when 'null' then 0 when 'integer' then 1 when 'real' then 2 else 3 end)" for name in quoted)
    found = connection.execute(f"select {kinds} from results").fetchone()
    return [(name, ("text", "integer", "real", "text")[kind or 0]) for name, kind in zip(names, found)]


def write_parquet(sweep: File, parquet: File) -> int:
    """Writes the points of a sweep's SQLite file into a Parquet file. Returns how many there are.

    Raises FileNotFoundError, NotASweep, or ImportError where pyarrow is missing."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError("Parquet files need pyarrow: pip install pyarrow") from None
    target = pathlib.Path(parquet)
    connection = _opened(pathlib.Path(sweep))
    try:
        columns = _columns(connection)
        types = {"integer": pyarrow.int64(), "real": pyarrow.float64(), "text": pyarrow.string()}
        python = {"integer": int, "real": float, "text": str}
        schema = pyarrow.schema([(name, types[kind]) for name, kind in columns])
        unfinished = target.with_name(f".{target.name}.unfinished")
        points = 0
        try:
            with pyarrow.parquet.ParquetWriter(unfinished, schema, compression="zstd") as writer:
                cursor = connection.execute("select * from results order by id")
                while rows := cursor.fetchmany(PIECE):
                    arrays = [
                        pyarrow.array([None if value is None else python[kind](value) for value in values], types[kind])
                        for (_, kind), values in zip(columns, zip(*rows))
                    ]
                    writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))
                    points += len(rows)
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
    finally:
        connection.close()
    return points


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m trainyard.parquet", description="The results of a sweep as a Parquet file.")
    parser.add_argument("sweep", help="SQLite file that simrun sweep or simrun merge wrote")
    parser.add_argument("-o", "--output", help="file to write (default: the same name with .parquet)")
    arguments = parser.parse_args()
    output = arguments.output or str(pathlib.Path(arguments.sweep).with_suffix(".parquet"))
    try:
        points = write_parquet(arguments.sweep, output)
    except (OSError, NotASweep, ImportError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2 if isinstance(error, (FileNotFoundError, NotASweep)) else 1
    print(f"{points:,} points written to {output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
