"""The rows that prediction files come to, by table; a fault on the way becomes a row that says so."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from pipelines.errors import Unreadable
from pipelines.runs.values import clean, short
from pipelines.schema import TABLES

TABLE_NAMES = ("run", "prediction", "rejected_file", "unmatched_prediction")
NOTHING_NEW = "nothing new: "
"""How the reason begins where a file was left out because its answers are there already; no fault of the file."""
log = logging.getLogger(__name__)


@dataclass
class Imported:
    """Rows as dicts, by table; `frames` gives them typed as the schema states."""

    run: list[dict[str, Any]] = field(default_factory=list)
    prediction: list[dict[str, Any]] = field(default_factory=list)
    rejected_file: list[dict[str, Any]] = field(default_factory=list)
    unmatched_prediction: list[dict[str, Any]] = field(default_factory=list)

    def frames(self) -> dict[str, pl.DataFrame]:
        return {name: TABLES[name].frame(getattr(self, name)) for name in TABLE_NAMES}

    def add(self, other: Imported) -> None:
        """The rows of another reading too."""
        for name in TABLE_NAMES:
            getattr(self, name).extend(getattr(other, name))

    def reject(self, path: str, reason: str, detail: str | None = None, format: str | None = None) -> None:
        said = clean(detail) if detail else None
        self.rejected_file.append({"path": clean(path), "format": format, "reason": clean(reason), "detail": said})

    def without(self, runs: set[str]) -> Imported:
        """These rows less those of some runs, whose files get a row that says that they say nothing new."""
        kept = Imported(rejected_file=list(self.rejected_file))
        for name in ("run", "prediction", "unmatched_prediction"):
            setattr(kept, name, [row for row in getattr(self, name) if row["run_id"] not in runs])
        for row in self.run:
            if row["run_id"] in runs:
                for path in row["files"].split("\n"):
                    kept.reject(path, f"{NOTHING_NEW}the same answers are there already, as {row['run_id']}")
        return kept


@contextmanager
def rejecting(out: Imported, name: str, fmt: str | None = None) -> Iterator[None]:
    """Whatever goes wrong with a file inside becomes its row of rejected_file. A defect of ours is called one."""
    try:
        yield
    except Unreadable as e:
        out.reject(name, e.reason, e.detail, fmt)
    except OSError as e:
        out.reject(name, "the file can't be opened; check its permissions and add it again", str(e), fmt)
    except MemoryError:
        out.reject(name, "the file takes more memory than there is; split it", None, fmt)
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as e:  # Polars' panics are no Exceptions
        log.exception("a defect in reading %s as %s", name, fmt or "a file of any format")
        what = f"a defect of medexams in reading {fmt or 'the file'}, not a fault of the file; please report it"
        out.reject(name, what, f"{type(e).__name__}: {short(str(e), 200)}", fmt)
