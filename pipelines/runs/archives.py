"""Archives: the members of zip (deflate, bzip2, LZMA, Zstandard), tar and gzip files, in memory and within limits.

Nothing is ever written to disk, so that a member's name can't lead anywhere. What is in the members is for others.
"""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial

from pipelines.errors import Unreadable
from pipelines.text.limits import LIMITS, Limits

# Inspect writes zip members with Zstandard (method 93), which the standard library reads from Python 3.14 on.
if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile


_CHUNK = 1 << 20


def names(data: bytes) -> list[str]:
    """The names of a zip's files, as it spells them."""
    with _zip(data) as z:
        return [i.filename for i in z.infolist() if not i.is_dir()]


def member(data: bytes, name: str, limits: Limits = LIMITS) -> bytes:
    """One member of a zip."""
    with _zip(data) as z:
        return _read(z, z.getinfo(name), limits)


def members(shape: str, name: str, data: bytes, limits: Limits = LIMITS) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Name and loader of each file in an archive (`shape`: zip, gzip or tar). Loaders raise Unreadable too."""
    if shape == "gzip":
        base = name.rpartition("/")[2]
        inner = f"{base.removesuffix('.tgz')}.tar" if base.endswith(".tgz") else base.removesuffix(".gz")
        yield inner or "content", partial(_gunzip, data, limits)
    elif shape == "tar":
        yield from _tar(data, limits)
    else:
        archive = _zip(data)  # stays open for the loaders; it lives in memory alone
        infos = [i for i in archive.infolist() if not i.is_dir()]
        if len(infos) > limits.members:
            raise Unreadable(f"the archive has {len(infos)} members, over the limit of {limits.members}")
        limits.check_unpacked(sum(i.file_size for i in infos))
        for info in infos:
            yield _safe(info.filename), partial(_read, archive, info, limits)


def _safe(name: str) -> str:
    """A member's name without drive, root and '..': it is a label, never a path to write to."""
    return "/".join(p for p in name.replace("\\", "/").split("/") if p not in ("", ".", "..")) or "member"


def _zip(data: bytes) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except Exception as e:
        raise Unreadable("the zip archive is broken or cut off; write it again", f"{type(e).__name__}: {e}") from None


def _read(z: zipfile.ZipFile, info: zipfile.ZipInfo, limits: Limits) -> bytes:
    if info.flag_bits & 1:
        raise Unreadable("the archive's member is encrypted; add it without a password", info.filename)
    try:
        with z.open(info) as stream:
            return _bounded(stream.read, limits, max(info.compress_size, 1))
    except Unreadable:
        raise
    except Exception as e:
        where = f"{info.filename}: {type(e).__name__}: {e}"
        raise Unreadable("a member of the archive is damaged; write it again", where) from None


def _gunzip(data: bytes, limits: Limits) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            return _bounded(stream.read, limits, len(data))
    except (OSError, EOFError, zlib.error) as e:
        raise Unreadable("the gzip file is broken or cut off; write it again", f"{type(e).__name__}: {e}") from None


def _tar(data: bytes, limits: Limits) -> Iterator[tuple[str, Callable[[], bytes]]]:
    total = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for count, info in enumerate(archive):
                total += info.size
                if count >= limits.members:
                    raise Unreadable(f"the archive has more members than the limit of {limits.members}; unpack it")
                limits.check_file(info.size)
                limits.check_unpacked(total)
                stream = archive.extractfile(info) if info.isfile() else None
                if stream is not None:
                    content = stream.read(info.size + 1)
                    yield _safe(info.name), partial(bytes, content)
    except (tarfile.TarError, OSError, EOFError, ValueError) as e:
        raise Unreadable("the tar archive is broken or cut off; write it again", f"{type(e).__name__}: {e}") from None


def _bounded(read: Callable[[int], bytes], limits: Limits, packed: int) -> bytes:
    """All that `read` gives, unless it grows past the limits."""
    chunks: list[bytes] = []
    size = 0
    while chunk := read(_CHUNK):
        size += len(chunk)
        limits.check_file(size)
        if size > limits.free and size > limits.ratio * packed:
            raise Unreadable(
                f"{packed} bytes unpack to {size} and more, over the limit of {limits.ratio} times; unpack it"
            )
        chunks.append(chunk)
    return b"".join(chunks)
