# SPDX-License-Identifier: Apache-2.0
"""A sweep as a Parquet file, read by DuckDB and pandas from PyPI, which must see what SQLite sees: parquet_test.py SIMRUN VENV

PYTHONPATH names the built package. VENV is a folder for the packages of PyPI; it is kept for the next time. Ends with 77, saying why, where they cannot be
had."""
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

PACKAGES = ("pyarrow", "duckdb", "pandas")

SCENARIO = """trainyard: 1
name: s
cluster:
  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 1}}
  nodes: [{name: box, type: box, count: 4}]
  network: {link: 25GbE}
jobs: [{name: train, model: one_tensor, batch_per_gpu: 32, workers: 1, training: {mode: all_reduce}}]
run: {fidelity: closed_form}
"""


class Parquet(unittest.TestCase):
    simrun = ""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)
        (self.at / "s.yaml").write_text(SCENARIO)
        # 5 workers do not fit on 4 machines: those points fail, and have a message instead of figures.
        done = subprocess.run([self.simrun, "sweep", "s.yaml", "-q", "-o", "s.sqlite", "--grid", "link=10GbE,25GbE", "--grid", "jobs.0.workers=1..5"],
                              cwd=self.at, capture_output=True, text=True)
        self.assertEqual(done.returncode, 4, done.stderr)

    def written(self):
        import trainyard.parquet

        self.assertEqual(trainyard.parquet.write_parquet(self.at / "s.sqlite", self.at / "s.parquet"), 10)
        self.assertEqual(sorted(file.name for file in self.at.iterdir()), ["s.parquet", "s.sqlite", "s.yaml"])
        return str(self.at / "s.parquet")

    def asked(self, question):
        with sqlite3.connect(self.at / "s.sqlite") as database:
            return database.execute(question).fetchall()

    def test_duckdb_sees_what_sqlite_sees(self):
        import duckdb

        file = self.written()
        for question in ('select * from {} order by id', "select status, count(*) from {} group by status order by status",
                         'select "cluster.network.link", max(samples_per_second) from {} group by 1 order by 1'):
            found = duckdb.sql(question.format(f"'{file}'")).fetchall()
            self.assertEqual(found, self.asked(question.format("results")), question)
        # By hand: 2 links x 5 numbers of workers; on each link the one with 5 workers fails.
        self.assertEqual(duckdb.sql(f"select count(*), count(samples_per_second), count(message) from '{file}'").fetchall(), [(10, 8, 2)])

    def test_pandas_reads_numbers_as_numbers(self):
        import pandas

        frame = pandas.read_parquet(self.written())
        self.assertEqual(list(frame["jobs.0.workers"]), [1, 2, 3, 4, 5] * 2)
        self.assertEqual(str(frame["jobs.0.workers"].dtype), "int64")
        self.assertEqual(str(frame["samples_per_second"].dtype), "float64")
        self.assertEqual(list(frame["id"]), list(range(10)))

    def test_pieces_make_the_same_file(self):
        import pyarrow.parquet
        import trainyard.parquet

        whole = pyarrow.parquet.read_table(self.written())
        piece, trainyard.parquet.PIECE = trainyard.parquet.PIECE, 3
        try:
            in_pieces = pyarrow.parquet.ParquetFile(self.written())
        finally:
            trainyard.parquet.PIECE = piece
        self.assertEqual(in_pieces.num_row_groups, 4)  # 3 + 3 + 3 + 1
        self.assertTrue(in_pieces.read().equals(whole))

    def test_other_files_are_refused(self):
        command = [sys.executable, "-m", "trainyard.parquet"]
        for file, reason in (("s.yaml", "this is not the file of a sweep"), ("gone.sqlite", "there is no file"), ("begun.sqlite", "is not finished")):
            if file == "begun.sqlite":
                with sqlite3.connect(self.at / file) as database:
                    database.execute("create table points(id integer primary key)")
            done = subprocess.run([*command, file], cwd=self.at, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(reason, done.stderr)
        done = subprocess.run([*command, "s.sqlite"], cwd=self.at, capture_output=True, text=True)
        self.assertEqual(done.stdout, "10 points written to s.parquet\n")


def main():
    simrun, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    if os.path.realpath(sys.prefix) != os.path.realpath(folder):
        python = folder / "bin/python3"
        if not python.exists() or subprocess.run([python, "-c", f"import {', '.join(PACKAGES)}"], capture_output=True).returncode != 0:
            for command in ([sys.executable, "-m", "venv", "--clear", folder], [python, "-m", "pip", "install", "-q", *PACKAGES]):
                if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
                    print(f"skipped: {', '.join(PACKAGES)} cannot be had from PyPI")
                    return 77
        return subprocess.run([python, __file__, simrun, folder]).returncode
    Parquet.simrun = simrun
    return 0 if unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful() else 1


sys.exit(main())
