"""Nothing is done twice and nothing is stale: after any edit, the tables equal those that are made from nothing."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipelines import stale
from pipelines.schema import TABLES
from pipelines.scoring import boards, figures
from pipelines.scoring import tables as scores
from pipelines.scoring.rulebook import tables as rule_tables
from pipelines.store import code, sqlfiles
from pipelines.store.tables import Store
from tests.unit.published_world import dataset
from tests.unit.scoring_world import World

EDITS = 50
DATASET = "medschool/test"
COMPUTED = {*sqlfiles.sql_tables(), *scores.COMPUTED}
Frames = dict[str, pl.DataFrame]


class Edited:
    """A small world, its rules, and the ways in which it is changed: each edit changes what tables are made from."""

    def __init__(self, rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rng, self.patch, self.n = rng, monkeypatch, 0
        self.written: dict[tuple[Path, str], str] = {}
        self.world, self.rules = World(), rule_tables()
        for i in range(12):
            topic = ("biology", "chemistry", "maths_physics", "world_knowledge", "logic")[i % 5]
            self.world.question(
                f"q{i:02}", "medschool", ["ABCDE"[i % 5]], topic=topic, case_group=f"case{i % 2}" if i < 4 else None
            )
        self.world.rows["dataset"].append(dataset(DATASET, "medschool", self.world))
        for _ in range(4):
            self.run_added()

    @property
    def edits(self) -> list[Callable[[], None]]:
        return [self.run_added, self.run_removed, self.answer, self.key, self.rule, self.statement, self.function]

    def run_added(self) -> None:
        self.n += 1
        run_id = self.world.run(f"run{self.n:03}", DATASET)
        for q in self.world.rows["question"]:
            if self.rng.random() < 0.95:
                self.world.answer(run_id, q["question_id"], self.rng.choice(["A", "B", "C", "D", ""]))

    def run_removed(self) -> None:
        runs = self.world.rows["run"]
        if len(runs) > 3:
            gone = self.rng.choice(runs)["run_id"]
            for name in ("run", "prediction"):
                self.world.rows[name] = [r for r in self.world.rows[name] if r["run_id"] != gone]

    def answer(self) -> None:
        row = self.rng.choice(self.world.rows["prediction"])
        row |= {"status": "answered", "response": "E", "labels": "E", "selection": 16}

    def key(self) -> None:
        question = self.rng.choice(self.world.rows["question"])["question_id"]
        label = self.rng.choice("ABCDE")
        for row in self.world.rows["answer_key"]:
            if row["question_id"] == question:
                row |= {"labels": label, "selection": 1 << "ABCDE".index(label)}
        for row in self.world.rows["choice"]:
            if row["question_id"] == question:
                row["is_correct"] = row["label"] == label

    def rule(self) -> None:
        change = -self.rng.randint(1, 9) / 10
        column = self.rules["rule_item"]["any_wrong"]
        changed = pl.lit(change).cast(column.dtype).alias("any_wrong")
        self.rules = self.rules | {"rule_item": self.rules["rule_item"].with_columns(changed)}

    def statement(self) -> None:
        """A SELECT of sql/ is edited."""
        self.n += 1
        table = sqlfiles.sql_tables()["source_quality"]
        sql = table.sql.split("\n-- edit")[0] + f"\n-- edit {self.n}"
        self.patch.setitem(sqlfiles.sql_tables(), "source_quality", replace(table, sql=sql))

    def function(self) -> None:
        """The source of a module is edited, and what it says changes, where others import it too."""
        self.n += 1
        said, read = f"edit {self.n}", Path.read_bytes
        for module in (figures, boards):
            self.patch.setattr(module, "BY_WORTH", said)
        place = Path(figures.__file__ or "")
        self.patch.setattr(code, "source", lambda p: read(p) + (f"# {said}\n".encode() if p == place else b""))
        code.forget()


def refreshed(folder: Path, edited: Edited) -> Frames:
    """All tables after a refresh of a data folder: the steps of a refresh behind the archive, in their order."""
    store = Store(folder, outside={f"state of the rule files ({n})": str(f.hash_rows().to_list())
                                   for n, f in edited.rules.items()}.get)  # fmt: skip
    edited.patch.setattr(scores, "rule_frames", lambda: edited.rules)
    scores.make_rules(store)
    given = (t for t in TABLES.values() if t.group in ("questions", "releases", "runs") and t.name not in COMPUTED)
    for table in given:
        rows = table.frame(edited.world.rows.get(table.name, []))
        said = repr(rows.rows())
        if edited.written.get((folder, table.name)) != said:
            store.write(table.name, rows, part="test" if table.in_parts else None)
            edited.written[folder, table.name] = said
    todo = stale.stale_scores(store)
    for name in in_order():
        if name in todo:
            sqlfiles.make(store, name) if name in sqlfiles.sql_tables() else scores.make(store, name)
    assert stale.stale_scores(store) == set()
    return {name: store.read(name) for name in in_order()}


def in_order() -> Iterator[str]:
    """The tables of sql/ and of scoring/, each after what it reads."""
    pending = {t.name: t.inputs for t in sqlfiles.sql_tables().values()}
    pending |= {n: c.inputs for n, c in scores.COMPUTED.items()}
    while pending:
        name = next(n for n, inputs in pending.items() if not set(inputs) & set(pending))
        del pending[name]
        yield name


@pytest.fixture
def edited(monkeypatch: pytest.MonkeyPatch) -> Iterator[Edited]:
    yield Edited(random.Random(13), monkeypatch)
    code.forget()


def test_after_random_edits_all_tables_are_those_of_a_refresh_from_nothing(tmp_path: Path, edited: Edited) -> None:
    refreshed(tmp_path / "kept", edited)
    done = 0
    while done < EDITS:
        several = edited.rng.randint(1, 20)
        for edit in edited.rng.choices(edited.edits, k=several):
            edit()
        done += several
        now, anew = refreshed(tmp_path / "kept", edited), refreshed(tmp_path / f"anew{done}", edited)
        for name, table in anew.items():
            assert now[name].equals(table), f"{name} is stale after {done} edits"


def test_what_did_not_change_is_not_made_again(tmp_path: Path, edited: Edited, monkeypatch: pytest.MonkeyPatch) -> None:
    refreshed(tmp_path, edited)
    made: list[str] = []
    pairs: list[int] = []
    write, sign_flip = Store.write, scores.comparisons.sign_flip

    def noted_write(self: Store, name: str, *args: Any, **kwargs: Any) -> Any:
        made.append(name)
        return write(self, name, *args, **kwargs)

    def counted_flip(differences: Any) -> Any:
        pairs.append(1)
        return sign_flip(differences)

    monkeypatch.setattr(Store, "write", noted_write)
    monkeypatch.setattr(scores.comparisons, "sign_flip", counted_flip)
    refreshed(tmp_path, edited)
    assert not {*made} & {*in_order(), *edited.rules}, "nothing changed"
    runs = len(edited.world.rows["run"])
    edited.run_added()
    refreshed(tmp_path, edited)
    assert len(pairs) == 2 * runs, "the new run with each of the others, by two metrics"


def test_a_rule_makes_its_readers_stale_and_no_other_table(tmp_path: Path, edited: Edited) -> None:
    refreshed(tmp_path, edited)
    store = Store(tmp_path)
    before = {name: store.recorded(name) for name in ("source_quality", "item_score")}
    edited.rule()
    refreshed(tmp_path, edited)
    assert store.recorded("source_quality") == before["source_quality"]
    assert store.recorded("item_score") != before["item_score"]


def test_code_is_what_a_module_imports_wherever_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "pipelines"
    files = {
        "store/tables.py": "", "top.py": "from pipelines.deep import far\ndef f():\n    from . import late\n",
        "deep/__init__.py": "", "deep/far.py": "import pipelines.other", "late.py": "", "other.py": "", "apart.py": "",
    }  # fmt: skip
    for name, text in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    monkeypatch.setattr(code, "ROOT", tmp_path)
    code.forget()
    first = code.code_of("pipelines.top")
    for name, counts in {"apart.py": False, "top.py": True, "late.py": True, "deep/__init__.py": True,
                         "deep/far.py": True, "other.py": True, "store/tables.py": True}.items():  # fmt: skip
        (package / name).write_text(f"{files[name]}\n# edited\n")
        code.forget()
        assert (code.code_of("pipelines.top") != first) == counts, name
        (package / name).write_text(files[name])
    code.forget()
    assert code.code_of("pipelines.top") == first
    assert code.code_of("pipelines.top", text="select 1") != first
