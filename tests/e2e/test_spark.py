"""A refresh on a real Spark cluster, a master and two workers on the loopback.

The rows are DuckDB's, and a worker that is killed meanwhile costs none of them.
"""

from __future__ import annotations

import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from threading import Thread

import duckdb
import polars as pl
import pytest

from pipelines import stages
from pipelines.engines import Engine, Local, opened
from pipelines.registry import sources
from pipelines.runs.imported import TABLE_NAMES
from pipelines.schema import TABLES
from pipelines.scoring import tables as scoring
from pipelines.settings import Settings
from pipelines.store.checks import name_of, quoted
from pipelines.store.sqlfiles import make, sql_tables
from pipelines.store.tables import Store
from tests.conftest import lacking
from tests.e2e.conftest import Command
from tests.unit.scoring_world import in_order

RUNS = 40
"""Generated runs, each of all questions of the sample."""
DEFAULTS = """
spark.executor.memory 512m
spark.executor.cores 1
spark.sql.shuffle.partitions 2
spark.driver.extraJavaOptions -XX:TieredStopAtLevel=1
spark.executor.extraJavaOptions -XX:TieredStopAtLevel=1
"""
"""Spark's settings for a small job on a small machine."""


@dataclass
class Cluster:
    """Spark's own standalone master and workers, each a process of its own."""

    folder: Path
    master: str = ""
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def env(self) -> dict[str, str]:
        return {
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_CONF_DIR": str(self.folder),
            "SPARK_NO_DAEMONIZE": "1",
            "PYSPARK_PYTHON": sys.executable,
        }

    def start(self, what: str, *arguments: str) -> Path:
        """Start one of org.apache.spark.deploy; returns its log."""
        spec = find_spec("pyspark")
        assert spec is not None and spec.origin is not None
        home = Path(spec.origin).parent
        log = self.folder / f"{what}-{len(self.processes)}.log"
        command = [str(home / "bin/spark-class"), f"org.apache.spark.deploy.{what}", "--host", "127.0.0.1", *arguments]
        env = os.environ | self.env | {"SPARK_HOME": str(home), "SPARK_DAEMON_MEMORY": "256m"}
        with log.open("wb") as out:
            self.processes.append(subprocess.Popen(command, env=env, stdout=out, stderr=out, start_new_session=True))
        return log

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """As a power cut: the worker and what it started."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def until(true: Callable[[], object], what: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"{what}: not in {seconds} seconds"
        time.sleep(0.2)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    if find_spec("pyspark") is None:
        lacking("PySpark (make spark)")
    if shutil.which("java") is None:
        lacking("Java (Debian's openjdk-17-jre-headless)")
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    (found.folder / "spark-defaults.conf").write_text(DEFAULTS)
    try:
        log = found.start("master.Master", "--port", "0", "--webui-port", "0")
        said = "Starting Spark master at "
        until(lambda: said in log.read_text(), "the master")
        found.master = log.read_text().partition(said)[2].split()[0]
        logs = [
            found.start(
                "worker.Worker", "--cores", "1", "--memory", "700m", "--port", "0", "--webui-port", "0",
                "--work-dir", str(found.folder / f"work-{n}"), found.master,
            )
            for n in range(2)
        ]  # fmt: skip
        until(lambda: all("Successfully registered with master" in log.read_text() for log in logs), "the workers")
        yield found
    finally:
        for process in found.processes:
            if process.poll() is None:
                found.kill(process)


RESPONSES = (
    "A", "b", "A-C", "**Answer: B**", "The answer is C, since the others are wrong.", "A or B", "I can't answer that.",
    "<think>It may be D.</think> E", "1,3", "12.5", "", "None of them.", "C. \"quoted\",\nand over two lines", "ア、ウ",
)  # fmt: skip
"""Easy, messy and hostile; which question gets which is drawn."""


def generate(inbox: Path, store: Store) -> None:
    """Runs on all questions of a store: most as files, some in an archive, and a file that is none."""
    inbox.mkdir()
    questions = store.read("question")["question_id"].sort().to_list()
    draw = random.Random(1)
    with zipfile.ZipFile(inbox / "packed.zip", "w") as packed:
        for n in range(RUNS):
            text = StringIO()
            rows = ((f"generated-{n}", q, draw.choice(RESPONSES)) for q in questions)
            csv.writer(text).writerows([("model", "question_id", "prediction"), *rows])
            if n % 4:
                (inbox / f"{n}.csv").write_text(text.getvalue(), encoding="utf-8")
            else:
                packed.writestr(f"{n}.csv", text.getvalue())
    (inbox / "broken.csv").write_bytes(b"\x00\xff not a table")


def questions_of(settings: Settings) -> Store:
    """A data folder with its questions and rules, and nothing scored yet."""
    store = stages.open_store(settings)
    for name, source in sources().items():
        if not settings.is_skipped(source.card):
            stages.fetch(settings, name)
    scoring.make_rules(store)
    stages.build_questions(settings, store)
    stages.build_baseline(store, "seeded-random")
    return store


def score(settings: Settings, engine: Engine) -> Store:
    """Read the inbox and make all SQL tables, in the data folder of these settings."""
    store = stages.open_store(settings)
    stages.import_runs(settings, store, engine=engine)
    for name in in_order(sql_tables()):
        if "run_family" in sql_tables()[name].inputs:
            scoring.make(store, "near_copy")
            scoring.make(store, "run_family")
        make(store, name, engine.computed)
    return store


def differing(here: Store, there: Store) -> dict[str, int]:
    """For each table how many rows one store has and the other has not, times of reading aside."""
    found = {}
    with duckdb.connect() as con:
        for name in (*TABLE_NAMES, *sql_tables()):
            columns = ", ".join(name_of(c) for c in TABLES[name].column_names if c != "created_at")
            one, other = (
                f"select {columns} from read_parquet([{', '.join(map(quoted, store.files(name)))}])"
                for store in (here, there)
            )
            sql = f"select count(*) from (({one} except all {other}) union all ({other} except all {one}))"
            if n := con.execute(sql).fetchall()[0][0]:
                found[name] = n
    return found


def both(settings: Settings, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> tuple[Store, Store]:
    """The same questions and inbox, scored by DuckDB and in a copy of the folder on the cluster."""
    there = replace(settings, data=settings.data.with_name("there"), inbox=settings.inbox_folder)
    shutil.copytree(settings.data, there.data)
    for name, value in cluster.env.items():
        monkeypatch.setenv(name, value)
    with opened(replace(there, engine="spark", spark_master=cluster.master)) as engine:
        on_cluster = score(there, engine)
    return score(settings, Local()), on_cluster


def test_real_questions_and_predictions(
    cluster: Cluster, shared: Path, tmp_path: Path, real_sources: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox = tmp_path / "inbox"
    for folder in ("runs", "igakuqa/baseline_results", "kokushi/results"):
        shutil.copytree(shared / "data" / folder, inbox / folder)
    settings = Settings.from_env(real_sources, data=tmp_path / "here", inbox=inbox)
    questions_of(settings)
    here, there = both(settings, cluster, monkeypatch)
    assert differing(here, there) == {}
    assert here.read("prediction").height > 5000


def test_a_worker_that_is_killed_costs_no_rows(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From here on the cluster has one worker."""
    settings = Settings.from_env({}, profile="sample", data=tmp_path / "here", inbox=tmp_path / "inbox")
    generate(tmp_path / "inbox", questions_of(settings))
    victim, killed = cluster.processes[-1], []

    def kill() -> None:
        """Once the groups of files are being read, and the victim has read some of them."""
        tables = tmp_path / "there/tables"
        until(lambda: [*tables.glob(".*.tmp/_temporary/0/task_*")], "the reading", 400)
        killed.append([*(cluster.folder / "work-1").glob("app-*")] and victim.poll() is None)
        cluster.kill(victim)

    killer = Thread(target=kill)
    killer.start()
    here, there = both(settings, cluster, monkeypatch)
    killer.join()
    assert killed == [True], "a worker was killed that worked for this refresh"
    assert differing(here, there) == {}
    assert here.read("run").filter(pl.col("model").str.starts_with("generated-")).height >= RUNS
    assert not [*there.root.glob(".*.tmp")], "nothing is left behind"


def test_a_refresh_from_the_command_line(medexams: Command, cluster: Cluster, tmp_path: Path) -> None:
    options = ("--profile", "sample", "--engine", "spark", "--master", cluster.master)
    done = medexams("refresh", *options, data=tmp_path, env=cluster.env)
    assert done.code == 0, done.err
    with duckdb.connect(str(tmp_path / "medexams.duckdb"), read_only=True) as con:
        scored, told = con.execute(
            "select (select count(*) from item_score), (select count(*) from prediction)"
        ).fetchall()[0]
    assert scored == 2 * told > 0
