"""The HTML report: a folder of pages that opens from disk with no network, made from the published warehouse.

write() puts it in place whole or not at all. What it shows belongs to world.py, boards.py, exams.py,
quality.py and details.py, how to page.py, charts.py, templates/ and static/.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb

from pipelines.errors import MedexamsError
from pipelines.folders import replaced, write_manifest

MANIFEST = "report.json"
"""Names the files of a report, so that nothing else is ever replaced or deleted."""


def write(warehouse: Path, out: Path, progress: Callable[[str, int, int | None], None]) -> Path:
    """Write the report of `warehouse` into the folder `out`; returns the path of its first page.

    A report that stands there is replaced in one move; a folder that is anything else is left alone (MedexamsError).
    `progress` is called with (what, done, total or None).
    """
    from pipelines.report import details
    from pipelines.report.page import STATIC, pages  # matplotlib takes a second to import
    from pipelines.report.world import world

    if not warehouse.exists():
        raise MedexamsError(
            f"{warehouse} does not exist yet; run `medexams refresh` first (--profile sample: no network)"
        )
    with replaced(out, MANIFEST, "report") as folder:
        try:
            with duckdb.connect(str(warehouse), read_only=True) as con:
                everything = world(con)
                for name, html in pages(con, everything, progress):
                    (folder / name).write_text(html, encoding="utf-8")
                details.write(con, everything, folder, progress)
        except duckdb.Error as fault:
            raise MedexamsError(
                f"{warehouse} can't be read ({str(fault).splitlines()[0][:200]}); refresh to publish it anew"
            ) from fault
        for path in sorted(STATIC.iterdir()):
            shutil.copyfile(path, folder / path.name)
        write_manifest(folder, MANIFEST, {"medexams": "report"})
    return out.resolve() / "index.html"
