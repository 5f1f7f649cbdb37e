"""The fingerprint of code: what computes a table, and everything of this project that it imports.

Nobody has to raise a number: the files are found by walking the imports of the module that computes, wherever they
stand in it, and what is loaded by name (formats, languages, benchmarks) is given as folders.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "pipelines"
LIBRARIES = ("duckdb", "numpy", "polars", "scipy")
"""Libraries whose version may change a figure."""
_DATA = (".py", ".toml", ".sql", ".json", ".csv")


def code_of(*modules: str, folders: Iterable[Path] = (), text: str = "") -> str:
    """Hex digest of modules by name, files of folders, and all that they import of this project; `text` besides (SQL).

    The store itself, which casts and writes every row, is always part of it.
    """
    return _digest((f"{PACKAGE}.store.tables", *modules), tuple(folders), text)


@cache
def _digest(modules: tuple[str, ...], folders: tuple[Path, ...], text: str) -> str:
    given = [p for f in folders for p in f.rglob("*") if p.suffix in _DATA and "sample" not in p.relative_to(f).parts]
    found: set[Path] = set()
    waiting = [*given, *(p for name in modules for p in _files(ROOT, name.split(".")))]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += imports(path) if path.suffix == ".py" else ()
    parts = [f"{name} {version(name)}" for name in LIBRARIES] + [text]
    parts += [f"{p.relative_to(ROOT) if p.is_relative_to(ROOT) else p.name} {_hash(p)}" for p in sorted(found)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def source(path: Path) -> bytes:
    """The text of a source file, as it is on disk."""
    return path.read_bytes()


@cache
def _hash(path: Path) -> str:
    return hashlib.sha256(source(path)).hexdigest()


@cache
def imports(path: Path) -> frozenset[Path]:
    """The files of this project, or of its own package, that a source file imports, at its top or in a function."""
    return frozenset(_imported(path))


def _imported(path: Path) -> Iterator[Path]:
    for node in ast.walk(ast.parse(source(path))):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
            for name in names:
                yield from _files(ROOT, name) if name[0] == PACKAGE else ()
        elif isinstance(node, ast.ImportFrom):
            if not node.level and (node.module or "").partition(".")[0] != PACKAGE:
                continue
            base = path.parents[node.level - 1] if node.level else ROOT
            name = node.module.split(".") if node.module else []
            for alias in node.names:
                yield from _files(base, [*name, alias.name])


def _files(base: Path, name: list[str]) -> Iterator[Path]:
    """The module of a dotted name and the packages above it; the name's last piece may be something in a module."""
    for n in range(1, len(name) + 1):
        place = base.joinpath(*name[:n])
        yield from (p for p in (place.with_suffix(".py"), place / "__init__.py") if p.is_file())


def forget() -> None:
    """Look at the files anew: they may have changed since this process first saw them."""
    for remembered in (_digest, _hash, imports):
        remembered.cache_clear()
