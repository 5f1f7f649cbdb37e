"""The HTML report: a folder of pages that opens from disk with no network, made from the published warehouse.

write() puts it in place whole or not at all. What it shows belongs to world.py, boards.py, exams.py
and quality.py, how to page.py and charts.py.
"""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path

import duckdb

from pipelines.errors import MedexamsError

MANIFEST = "report.json"
"""Names the files of a report, so that nothing else is ever replaced or deleted."""


def write(warehouse: Path, out: Path, progress: Callable[[str, int, int | None], None]) -> Path:
    """Write the report of `warehouse` into the folder `out`; answers the path of its first page.

    A report that stands there is replaced in one move; a folder that is anything else is left alone (MedexamsError).
    `progress` is called with (what, done, total or None).
    """
    from pipelines.report.page import STATIC, pages  # matplotlib takes a second to import

    out = out.resolve()
    _refuse_others(out)
    if not warehouse.exists():
        raise MedexamsError(
            f"{warehouse} does not exist yet; run `medexams refresh` first (--profile sample: no network)"
        )
    # Beside `out`, so that the last step is a rename within one file system.
    temp = out.with_name(f".{out.name}.{uuid.uuid4().hex}.tmp")
    try:
        temp.mkdir(parents=True)
        names = []
        with duckdb.connect(str(warehouse), read_only=True) as con:
            for name, html in pages(con, progress):
                (temp / name).write_text(html, encoding="utf-8")
                names.append(name)
        for path in sorted(STATIC.iterdir()):
            shutil.copyfile(path, temp / path.name)
            names.append(path.name)
        (temp / MANIFEST).write_text(json.dumps({"medexams": "report", "files": names}, indent=1), encoding="utf-8")
        _refuse_others(out)  # it may have changed meanwhile
        _swap(temp, out)
    except OSError as fault:
        raise MedexamsError(f"the report could not be written to {out} ({fault.strerror or fault})") from fault
    except duckdb.Error as fault:
        raise MedexamsError(
            f"{warehouse} can't be read ({str(fault).splitlines()[0][:200]}); refresh to publish it anew"
        ) from fault
    finally:
        shutil.rmtree(temp, ignore_errors=True)
    return out / "index.html"


def _refuse_others(out: Path) -> None:
    """Raise unless `out` is absent, an empty folder, or a report and nothing but a report."""
    if not out.exists():
        return
    if not out.is_dir():
        raise MedexamsError(f"{out} is a file; name a folder for the report with --out")
    there = {p.name for p in out.iterdir()}
    if not there:
        return
    try:
        manifest = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
        known = {*manifest["files"], MANIFEST} if manifest["medexams"] == "report" else set()
    except (OSError, ValueError, TypeError, KeyError):
        known = set()
    if not known:
        raise MedexamsError(f"{out} holds something that is not a report; name another folder with --out, or empty it")
    if strange := sorted(there - known):
        raise MedexamsError(
            f"{out} also holds {strange[0]}, which is not part of the report; move it away, or use --out"
        )


def _swap(temp: Path, out: Path) -> None:
    """Put `temp` in the place of `out`. A folder can't replace one that has files, so the old one steps aside first."""
    if not out.exists():
        temp.rename(out)
        return
    old = temp.with_suffix(".old")
    out.rename(old)
    try:
        temp.rename(out)
    except OSError:
        old.rename(out)
        raise
    shutil.rmtree(old, ignore_errors=True)
