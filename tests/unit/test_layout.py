"""The borders of DESIGN sections 1 and 2: who may import what, and that every table has an asset and an explanation."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from pipelines.definitions import build_defs
from pipelines.registry import benchmarks
from pipelines.schema import TABLES
from pipelines.settings import Settings
from pipelines.store.sqlfiles import SQL, reads, sql_checks, sql_tables

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(p for folder in ("pipelines", "assets") for p in (ROOT / folder).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Top-level names of all modules that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize(
    "path", [p for p in MODULES if p.parts[-2] != "assets"], ids=lambda p: str(p.relative_to(ROOT))
)
def test_only_definitions_knows_dagster_and_assets(path: Path) -> None:
    borders = {"dagster", "assets"} & imported(path)
    assert not borders or path.name == "definitions.py", f"{path.name} imports {borders}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_private_module_of_dagster_and_no_assert(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    modules += [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
    assert not [m for m in modules if m.startswith("dagster") and "._" in m]
    lines = [n.lineno for n in ast.walk(tree) if isinstance(n, ast.Assert)]
    assert not lines, f"{path.name}: `python -O` takes an assert away; raise instead"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_module_says_what_belongs_in_it(path: Path) -> None:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert text and text.splitlines()[0].endswith((".", ":"))


def test_every_table_is_an_asset_and_every_asset_is_described() -> None:
    defs = build_defs(Settings.from_env({}))
    specs = {s.key.to_user_string(): s for s in defs.resolve_all_asset_specs()}
    assert set(TABLES) <= set(specs)
    for name, spec in specs.items():
        assert spec.description and spec.group_name and spec.kinds and spec.owners, name


def test_lineage_comes_from_the_statement() -> None:
    sql = "with a as (select * from question), b as (select * from a join choice using (question_id)) select * from b"
    assert reads(sql) == ("choice", "question")
    assert reads("select (select count(*) from run) as n from (select * from prediction) p") == ("prediction", "run")
    with pytest.raises(ValueError, match="not a SELECT"):
        reads("drop table question")


def test_sql_files_name_tables_and_explain_themselves() -> None:
    for path in SQL.rglob("*.sql"):
        text = path.read_text(encoding="utf-8")
        assert text.startswith("-- "), path
        assert "read_parquet" not in text and ".parquet" not in text, path
    assert all(table.inputs for table in sql_tables().values())
    assert {c.table for c in sql_checks()} <= set(TABLES)


def test_no_path_of_a_machine_and_no_registry_is_named() -> None:
    suffixes = {".py", ".sql", ".md", ".toml", ".yaml", ".txt", ".csv", ".json", ".jsonl"}
    forbidden = (
        "/" + "work/",
        "/" + "root/",
        "/home" + "/",
        " --index" + "-url",
        "extra-index" + "-url",
        "pypi" + ".org",
        "registry.npmjs" + ".org",
    )
    for path in ROOT.rglob("*"):
        parts = path.relative_to(ROOT).parts
        if (
            parts[0] in (".venv", ".git", "data", "dagster_home")
            or "node_modules" in parts
            or not (path.suffix in suffixes or path.name == "Makefile")
        ):
            continue
        if any(part.startswith(".") and part != ".ci" for part in parts):
            continue
        text = path.read_text(encoding="utf-8")
        assert not [word for word in forbidden if word in text], path


def test_the_engine_names_no_benchmark() -> None:
    """A benchmark's name, source or title stands in its own folder alone."""
    names = {word for b in benchmarks().values() for word in (b.name, b.card.title, *(s.name for s in b.card.sources))}
    names |= {word.partition("_")[0] for word in names}
    named = re.compile(rf"(?<![a-z])(?:{'|'.join(map(re.escape, sorted(names)))})(?![a-z])", re.I)
    found = [
        f"{path.relative_to(ROOT)}:{n}: {line.strip()[:100]}"
        for folder in ("pipelines", "assets", "sql")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.is_file() and path.suffix != ".pyc" and not path.is_relative_to(ROOT / "pipelines" / "benchmarks")
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if named.search(line)
    ]
    assert found == []
