"""Released files: a URL, a local file or a local folder brought into the archive, and names for releases."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from pipelines.address import is_url, public
from pipelines.archive.landing import Landing
from pipelines.archive.session import Session
from pipelines.archive.snapshot import Snapshot, StoredFile
from pipelines.errors import SourceError, Unreadable
from pipelines.progress import Progress
from pipelines.settings import Settings
from pipelines.text.limits import check
from pipelines.text.readers import stand_in

_T = TypeVar("_T")

SAMPLE_ORIGIN = "bundled sample"
"""Origin of every dataset of the bundled sample, whose address on loopback changes with each run."""


SAMPLE_LICENCE = "Apache-2.0 (written for medexams)"


def title(shot: Snapshot, name: str) -> str:
    """Title of a dataset for people; the sample says that it is one."""
    return f"{name} (sample written for medexams)" if shot.is_sample else name


def licence(shot: Snapshot, stated: str) -> str:
    return SAMPLE_LICENCE if shot.is_sample else stated


def count_note(shot: Snapshot, found: int, published: int | None) -> str | None:
    """Why a dataset holds another number of rows than is published: a file that a person named is theirs to answer for.

    A public address that leaves its published count gets no excuse, so that the check on it turns red.
    """
    if found == published or shot.is_sample or is_url(shot.origin):
        return None
    return f"read from a local file, which holds {found} of the {published} published questions"


def fetch_address(
    address: str, session: Session, landing: Landing, progress: Progress, patterns: Iterable[str] = ("*",)
) -> list[StoredFile]:
    """Archive what `address` names: a URL, a file, or every file of a folder that matches one of the globs `patterns`.

    Names of the stored files are the URL, the file's name, or the path below the folder (with /). Raises SourceError.
    """
    if is_url(address):
        answer = session.get(address)
        name = public(address)
        _hold_to_limits(landing.get(answer.sha256), name, session.settings)
        progress(name.rsplit("/", 1)[-1], 1, 1)
        return [StoredFile(name, answer.sha256, answer.size)]
    path = Path(address)
    if path.is_file():
        paths, root = [path], path.parent
    elif path.is_dir():
        paths, root = sorted({p for pattern in patterns for p in path.glob(pattern) if p.is_file()}), path
        if not paths:
            raise SourceError(f"{address}: no file matches {' or '.join(patterns)}; name the folder that holds them")
    else:
        raise SourceError(f"{address}: no such file or folder; correct the address")
    stored = []
    for i, file in enumerate(paths):
        try:
            _hold_size(file.stat().st_size, str(file), session.settings)
            body = file.read_bytes()
        except OSError as fault:
            raise SourceError(f"{file}: {fault.strerror or fault}; make the file readable") from fault
        _hold_to_limits(body, str(file), session.settings)
        stored.append(landing.store(file.relative_to(root).as_posix(), body))
        progress(file.name, i + 1, len(paths))
    return stored


def _hold_size(size: int, where: str, settings: Settings) -> None:
    with _said_of(where):
        settings.limits.check_file(size)


def _hold_to_limits(body: bytes, where: str, settings: Settings) -> None:
    """Raises SourceError for a file that would take too much memory once it is read, as far as its bytes tell.

    A question is a line of CSV or JSON lines, or an object of a JSON array; a cell or value ends with one of `,;\t[{`.
    """
    with _said_of(where):
        questions = max(body.count(b"\n"), body.count(b"{"))
        check("the file has up to", questions, "questions", settings.max_questions, "MEDEXAMS_MAX_QUESTIONS")
        settings.limits.check_cells(body.count(b"\n") + sum(map(body.count, (b",", b";", b"\t", b"[", b"{"))))


@contextmanager
def _said_of(where: str) -> Iterator[None]:
    try:
        yield
    except Unreadable as fault:
        raise SourceError(f"{where}: {fault.reason}") from None


def read_file(read: Callable[[bytes], _T], body: bytes, where: str) -> _T:
    """What `read`, of text/readers.py, makes of a fetched file. Raises SourceError where that is nothing."""
    if not body.strip():
        raise SourceError(f"{where}: the file is empty; check the address")
    try:
        if said := stand_in(body):
            raise Unreadable(said)
        return read(body)
    except Unreadable as fault:
        what = fault.reason.partition(";")[0]  # what follows says what to do with a file of one's own
        detail = f" ({fault.detail})" if fault.detail else ""
        raise SourceError(f"{where}: {what}{detail}; check the address, or fetch the file again") from None


def snapshot(
    source: str, release: str, origin: str, files: list[StoredFile], *, is_sample: bool, sha256: str | None = None
) -> Snapshot:
    """A snapshot of files fetched now. Its hash is over names below the origin and contents, unless one is given."""
    if sha256 is None:
        lines = "\n".join(f"{f.sha256} {'' if is_url(f.name) else f.name}" for f in files)
        sha256 = files[0].sha256 if len(files) == 1 else hashlib.sha256(lines.encode()).hexdigest()
    return Snapshot(source, release, public(origin), sha256, datetime.now(UTC), is_sample, tuple(files))


def release_name(landing: Landing, source: str, wanted: list[str], sha256: str) -> str:
    """A name for content: the one it already has, else the first of `wanted` (or wanted[-1].2, .3 …) that is free."""
    taken = {s.release: s.sha256 for s in landing.snapshots(source)}
    for release, known in taken.items():
        if known == sha256:
            return release
    numbered = (f"{wanted[-1]}.{n}" for n in range(2, len(taken) + 3))
    return next(name for name in (*wanted, *numbered) if name not in taken)
