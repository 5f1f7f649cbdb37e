"""A month of unattended refreshes, with all that goes wrong in one, and refreshes killed at random moments.

    python -m perf.soak [DAYS [SEED]]      30 simulated days
    python -m perf.kills [N [SEED]]        N kills of a real refresh

What happens is drawn from a seed; real commands run on small sources of our own in a folder of their own. At the end
everything must be as if nothing had happened: equal, row for row, to a refresh from nothing with the same files.
"""

from __future__ import annotations

import csv
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb

Bank = list[dict[str, Any]]
QUESTIONS = 60
SUBJECTS = ("biologia", "chimica", "fisica-matematica", "logica", "competenze-conoscenze")
HISTORY = {"refused_release", "accepted_deviation", "refresh_change", "answer_key_change", "source_quality"}
"""Tables that tell what happened, and so differ from those of a folder where nothing did."""
GROWTH = 8
"""How many times the bytes of a folder that was refreshed once a folder may take."""
LEFTOVER = re.compile(r"\.(tmp|staged|wal)\b")


def good_bank() -> Bank:
    """Questions in the layout of the ministry's bank."""
    return [
        {
            "id": 100 + i,
            "argomento": SUBJECTS[i % 5],
            "nro": i // 5 + 1,
            "domanda": f"<p>Quanto fa {i} + 1?</p>",
            "risposte": [{"id": x, "text": f"{i + 1 if x == 'a' else 1000 * k + i}"} for k, x in enumerate("bacde")],
        }
        for i in range(QUESTIONS)
    ]


def _with_a_new_text(bank: Bank) -> Bank:
    return [bank[0] | {"domanda": "<p>Quanto fa zero più uno?</p>"}, *bank[1:]]


def _with_other_keys(bank: Bank) -> Bank:
    other = {"a": "b", "b": "a"}
    return [q | {"risposte": [a | {"id": other.get(a["id"], a["id"])} for a in q["risposte"]]} for q in bank]


def _with_poison(bank: Bank) -> Bank:
    return [bank[0] | {"domanda": "half a character: \ud800", "nro": 10**30}, *bank[1:]]


FAULTS = {
    "the source is well": lambda bank: json.dumps(bank),
    "a question has a new text": lambda bank: json.dumps(_with_a_new_text(bank)),
    "a row is poison": lambda bank: json.dumps(_with_poison(bank)),
    "the source lost half of its questions": lambda bank: json.dumps(bank[: len(bank) // 2]),
    "all keys are swapped": lambda bank: json.dumps(_with_other_keys(bank)),
    "a page of HTML comes": lambda bank: "<!doctype html><title>Manutenzione</title>",
    "the file is cut off": lambda bank: json.dumps(bank)[:900],
    "the file is gone": lambda bank: None,
}
"""What the source gives on a day: the text of its file, or None."""


class World:
    """A data folder with its source, its inbox, its Dagster home, and the commands that people and the schedule run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data, self.home = folder / "data", folder / "home"
        self.source = folder.parent / "bank.json"  # one for all worlds: its address stands in the tables
        self.home.mkdir(parents=True)
        (self.home / "dagster.yaml").write_text("telemetry:\n  enabled: false\n")
        self.give("the source is well")
        self.seconds = 0.0
        """CPU seconds of a whole refresh."""

    @property
    def warehouse(self) -> Path:
        return self.data / "medexams.duckdb"

    def give(self, fault: str) -> None:
        """What the source gives from now on."""
        text = FAULTS[fault](good_bank())
        self.source.unlink(missing_ok=True)
        if text is not None:
            self.source.write_text(text, encoding="utf-8")

    def run(self, *args: str, kill_at: float | None = None) -> int:
        """Run a command; `kill_at`: SIGKILL after so many CPU seconds. Returns the exit code, -9 when it was killed."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("MEDEXAMS_", "DAGSTER_"))} | {
            "MEDEXAMS_DATA": str(self.data),
            "DAGSTER_HOME": str(self.home),
            "MEDEXAMS_MUR_API": str(self.source),
            **{f"MEDEXAMS_{name}_RELEASE": "off" for name in ("MEDSCHOOL", "COGNET", "KOKUSHI", "IGAKUQA")},
        }
        command = [sys.executable, "-m", "pipelines.cli", *args]
        with (
            (self.folder / "said.txt").open("w") as said,
            subprocess.Popen(command, env=env, stdout=said, stderr=said, start_new_session=True) as process,
        ):
            while process.poll() is None:
                spent = _cpu_seconds(process.pid)
                if kill_at is not None and spent >= kill_at:
                    os.killpg(process.pid, signal.SIGKILL)
                    kill_at = None
                if args[0] == "refresh" and kill_at is None:
                    self.seconds = max(self.seconds, spent)
                time.sleep(0.02)
        text = self.said()
        assert "Traceback" not in text, text
        assert "a defect of medexams" not in text, text
        return process.returncode

    def said(self) -> str:
        return (self.folder / "said.txt").read_text(encoding="utf-8", errors="replace")

    def must(self, *args: str) -> None:
        """Run a command that has no reason to fail."""
        assert self.run(*args) == 0, self.said()

    @property
    def inbox(self) -> Path:
        return self.data / "inbox"

    def predictions(self, model: str, folder: Path, seed: int = 0) -> Path:
        """A file of predictions of a model, written into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        draw, path = random.Random(f"{model} {seed}"), folder / f"{model}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(["model", "dataset", "source_key", "response", "created_at"])
            for q in good_bank()[:40]:
                rows.writerow([model, "medschool", q["id"], draw.choice("ABCDE"), "2026-01-01"])
        return path

    def left_over(self) -> list[str]:
        """What a killed command left: temp files, a lock that is held, runs that are under way for ever."""
        found = [str(p.relative_to(self.data)) for p in self.data.rglob("*") if LEFTOVER.search(p.name)]
        found += [f"{p.name} names a process" for p in self.data.glob("*.lock") if p.read_text().strip()]
        with dg.DagsterInstance.from_config(str(self.home)) as history:
            found += [f"run {r.run_id} is {r.status.value}" for r in history.get_runs() if not r.is_finished]
        return found

    def size(self) -> int:
        """Bytes of the data folder; a file with several names counts once."""
        files = {(s.st_dev, s.st_ino): s.st_size for p in self.data.rglob("*") if p.is_file() for s in [p.stat()]}
        return sum(files.values())

    def tables(self) -> dict[str, list[str]]:
        """All tables of the published file as sorted texts of rows: what is latest and its runs, without times."""
        with duckdb.connect(str(self.warehouse), read_only=True) as con:
            latest = "select dataset_id from dataset where is_latest"
            old = [
                mark
                for column, table in (("dataset_id", "dataset"), ("run_id", "run"))
                for (mark,) in con.execute(
                    f"select {column} from {table} where dataset_id not in ({latest})"
                ).fetchall()
            ]
            names = con.execute("select table_name from duckdb_tables() where not internal").fetchall()
            found = {}
            for (name,) in names:
                kept = con.execute(
                    "select column_name from duckdb_columns() where table_name = ? and data_type not like 'TIME%'",
                    [name],
                ).fetchall()
                columns = ", ".join(f'"{column}"' for (column,) in kept)
                rows = con.execute(f'select ({columns},)::varchar from "{name}"').fetchall()
                found[name] = sorted(row for (row,) in rows if not any(mark in row for mark in old))
        return {name: rows for name, rows in found.items() if name not in HISTORY}


def _cpu_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def whole(warehouse: Path) -> None:
    """Fail unless the published file opens and its parts agree with each other."""
    with duckdb.connect(str(warehouse), read_only=True) as con:
        (same,) = con.execute(
            "select (select count(*) from question) = (select sum(n_questions) from dataset)"
        ).fetchall()[0]
        (scored,) = con.execute("select count(*) from leaderboard").fetchall()[0]
    assert same and scored, "the published file is not whole"


@contextmanager
def reader(warehouse: Path) -> Iterator[list[int]]:
    """Read the published file all the while; yields how many times so far. Fails at the end if one of them failed."""
    done, faults, stop = [0], list[BaseException](), threading.Event()

    def read() -> None:
        while not stop.wait(0.2):
            try:
                whole(warehouse)
                done[0] += 1
            except BaseException as fault:
                faults.append(fault)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    yield done
    stop.set()
    thread.join()
    assert not faults, f"{len(faults)} readers failed, the first: {faults[0]}"


def soak(folder: Path, days: int, seed: int) -> str:
    """Live through so many days; a sentence of figures. Fails where something is not as if nothing had happened."""
    draw = random.Random(seed)
    world, calm = World(folder / "soak"), World(folder / "calm")
    world.must("refresh")
    codes = list[int]()
    with reader(world.warehouse) as reads:
        for day in range(days):
            fault, model = draw.choice(list(FAULTS)), f"model-{draw.randint(1, 5)}"
            world.give(fault)
            if draw.random() < 0.3:
                (world.inbox / f"{model}.csv").unlink(missing_ok=True)
            elif draw.random() < 0.5:
                world.predictions(model, world.inbox, day)  # for the next tick
            tick: tuple[str, ...] = ("refresh",)
            if draw.random() < 0.3:
                tick = ("runs", "add", str(world.predictions(model, folder / "given", day)))
            at = draw.random() * world.seconds if draw.random() < 0.4 else None
            codes.append(world.run(*tick, kill_at=at))
            print(f"soak: day {day + 1}: {fault}, {' '.join(tick[:2])}, exit {codes[-1]}", file=sys.stderr, flush=True)
        world.give("the source is well")
        for path in world.inbox.rglob("*.csv"):
            path.unlink()
        for place in (world, calm):
            place.predictions("model-1", place.inbox)
            place.predictions("model-2", place.inbox)
            place.must("refresh")
    have, want = world.tables(), calm.tables()
    differ = [name for name in want if have.get(name) != want[name]]
    assert not differ and have.keys() == want.keys(), f"not as if nothing had happened: {', '.join(differ)}"
    assert not (left := world.left_over()), left
    grown = world.size() / calm.size()
    assert grown < GROWTH, f"the folder grew to {grown:.1f} times that of one refresh"
    killed, failed = codes.count(-signal.SIGKILL), codes.count(1)
    return f"{days} days, {killed} killed, {failed} refused or failed, {reads[0]} reads, {grown:.1f} times the bytes"


def main() -> int:
    """`python -m perf.soak [DAYS [SEED]]`."""
    days, seed, *_ = *map(int, sys.argv[1:]), *(30, 1)[len(sys.argv) - 1 :]
    with tempfile.TemporaryDirectory() as folder:
        print(f"soak: {soak(Path(folder), days, seed)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
