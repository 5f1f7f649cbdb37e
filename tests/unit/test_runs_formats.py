"""Every format of prediction files: written and read back it gives the same predictions; broken, it harms nothing."""

from __future__ import annotations

import gzip
import io
import json
import random
import sys
import tarfile
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipelines.runs.formats import formats
from pipelines.runs.imported import Imported
from pipelines.runs.planning import plan
from pipelines.schema import TABLES
from pipelines.text.limits import Limits
from tests.reading import in_memory, read_all

if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile
from tests.unit.prediction_files import AT, INDEX, OF, WRITERS, Files, M, runs, table


def read(files: Files) -> Imported:
    result = read_all(in_memory(files), INDEX, AT)
    for name, frame in result.frames().items():
        assert frame.columns == list(TABLES[name].column_names)
        keys = TABLES[name].key
        assert not keys or frame.select(keys).is_unique().all()
        for column in TABLES[name].columns:
            assert column.nullable or not frame[column.name].has_nulls(), (name, column.name)
            assert not column.values or set(frame[column.name].drop_nulls()) <= set(column.values)
    return result


def selections(result: Imported) -> dict[str, int | None]:
    return {p["question_id"]: p["selection"] for p in result.prediction}


def test_every_format_has_a_writer() -> None:
    assert {fmt for _, fmt, _ in WRITERS.values()} == set(formats())


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_written_and_read_back(name: str, data: st.DataObject) -> None:
    dataset, fmt, write = WRITERS[name]
    qs, chosen, orders = data.draw(runs(dataset))
    files = write(qs, chosen, orders)
    planned = plan(in_memory(files))
    assert [g.format for g in planned.groups] == [fmt]
    result = read(files)
    assert not result.rejected_file and not result.unmatched_prediction
    want = {q.question_id: 1 << c for q, c in zip(qs, chosen, strict=True)}
    assert all(p["status"] == "answered" for p in result.prediction)
    plain = [r for r in result.run if "length-normalised" not in (r["description"] or "")]
    assert [(r["model"].rpartition("/")[2], r["dataset_id"]) for r in plain] == [("tiny", dataset)]
    ids = {r["run_id"] for r in plain}
    assert {p["question_id"]: p["selection"] for p in result.prediction if p["run_id"] in ids} == want


# ---- hostile files -------------------------------------------------------------------------------------------------

GOOD = {"good/run.jsonl": table(OF[M], [0, 1, 2, 3], [list(range(5))] * 4, "jsonl", "question_id")["t/run.jsonl"]}


GOOD = {name: body.replace(b'"tiny"', b'"good"') for name, body in GOOD.items()}


GOOD_ROWS = selections(read(GOOD))


SAMPLES = {
    name: write(OF[d], [k % 5 for k in range(len(OF[d]))], [[4, 3, 2, 1, 0]] * len(OF[d]))
    for name, (d, _, write) in WRITERS.items()
}


WRONG: list[Any] = [
    None,
    True,
    -1,
    1e308,
    float("nan"),
    10**40,
    "",
    "\ud800",
    "\0",
    "x" * 10_000,
    [],
    {},
    [[]],
    {"a": {"b": []}},
    [None],
]


def wrong_types(data: bytes, rng: random.Random) -> bytes:
    """The same JSON with some values replaced by values of other types."""
    try:
        value = (
            [json.loads(line) for line in data.splitlines()]
            if data[:1] == b"{" and data.count(b"\n{")
            else json.loads(data)
        )
    except (ValueError, RecursionError):
        return cut(data, rng)
    spots: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        node = stack.pop()
        items = (
            list(node.items()) if isinstance(node, dict) else list(enumerate(node)) if isinstance(node, list) else []
        )
        for k, v in items:
            spots.append((node, k))
            stack.append(v)
    for node, k in rng.sample(spots, min(len(spots), rng.randint(1, 4))):
        node[k] = rng.choice(WRONG)
    if data.count(b"\n{") and isinstance(value, list):
        return b"\n".join(json.dumps(v).encode() for v in value)
    return json.dumps(value).encode()


def cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def flip(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        if out:
            out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


def mix(data: bytes, rng: random.Random) -> bytes:
    other = rng.choice([b for files in SAMPLES.values() for b in files.values()])
    at = rng.randrange(len(data) + 1)
    return rng.choice([data[:at] + other[at:], data + other, other[: len(other) // 2] + data, data + b"\n" + data])


def recode(data: bytes, rng: random.Random) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(rng.choice(["utf-16", "utf-16-le", "utf-32", "cp932", "latin-1", "utf-7"]), "replace")


def nest(data: bytes, rng: random.Random) -> bytes:
    deep = rng.choice([b'{"a":', b"[", b'[{"doc_id":0,"doc":']) * rng.choice([500, 50_000])
    at = rng.randrange(len(data) + 1)
    return rng.choice([deep, deep + data, data[:at] + deep + data[at:], data.replace(b": ", b": " + deep, 1)])


def swell(data: bytes, rng: random.Random) -> bytes:
    return rng.choice([data + b" " * 300_000, b"\n" * 100_000 + data, data.replace(b"A", b"A" * 20_000, 3), data * 30])


MUTATIONS = (wrong_types, cut, flip, mix, recode, nest, swell)


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=25, deadline=timedelta(seconds=20), suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32), count=st.integers(1, 2))
def test_broken_files_never_raise_and_never_cost_another_file(name: str, seed: int, count: int) -> None:
    rng = random.Random(seed)
    files = dict(SAMPLES[name])
    for _ in range(count):
        target = rng.choice(list(files))
        files[target] = rng.choice(MUTATIONS)(files[target], rng)
    result = read({**files, **GOOD})
    good = {r["run_id"] for r in result.run if r["files"] == "good/run.jsonl"}
    assert {p["question_id"]: p["selection"] for p in result.prediction if p["run_id"] in good} == GOOD_ROWS
    assert all(r["reason"] for r in (*result.rejected_file, *result.unmatched_prediction))
    assert [r for r in result.rejected_file if "a defect of medexams" in r["reason"]] == []


@settings(max_examples=150, deadline=timedelta(seconds=5))
@given(body=st.one_of(st.binary(max_size=300), st.text(max_size=200).map(lambda s: s.encode("utf-8", "replace"))))
def test_any_bytes_are_rejected_with_a_reason(body: bytes) -> None:
    result = read({"x/any.jsonl": body, **GOOD})
    assert selections(result) == GOOD_ROWS
    assert [r["path"] for r in result.rejected_file] == ["x/any.jsonl"]


# ---- archives ------------------------------------------------------------------------------------------------------


def zipped(files: Files) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in files.items():
            z.writestr(name, data)
    return body.getvalue()


def tarred(files: Files) -> bytes:
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w") as t:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return body.getvalue()


@pytest.mark.parametrize("name", ["kokushi_results", "lm_eval lines mc", "openai_batch prompts", "inspect eval zstd"])
def test_archives_read_like_folders(name: str) -> None:
    files = SAMPLES[name]
    plain = selections(read(files))
    assert plain
    for archive in (
        {"a.zip": zipped(files)},
        {"a.tgz": gzip.compress(tarred(files))},
        {"a.zip": zipped({"b.zip": zipped(files)})},
    ):
        assert selections(read(archive)) == plain
    assert selections(read({f"{n}.gz": gzip.compress(d) for n, d in files.items()})) == plain


def test_archives_have_limits() -> None:
    limits = Limits(file_bytes=100_000, unpacked_bytes=300_000, members=5, ratio=10, free=50_000)

    def reasons(files: Files) -> list[str]:
        return [r["reason"] for r in plan(in_memory(files), limits=limits).rejected.rejected_file]

    assert "over the limit of 10 times" in reasons({"a.zip": zipped({"x.json": b"0" * 90_000})})[0]
    assert "over the limit of 10 times" in reasons({"x.json.gz": gzip.compress(b"0" * 90_000)})[0]
    assert "MEDEXAMS_MAX_BYTES" in reasons({"x.json.gz": gzip.compress(b"0" * 10_000_000)})[0]
    many = zipped({f"{i}.json": b"0" * 99_000 for i in range(4)})
    assert "MEDEXAMS_MAX_UNPACKED_BYTES" in reasons({"a.zip": many})[0]
    assert "members" in reasons({"a.zip": zipped({f"{i}.json": b"" for i in range(6)})})[0]
    assert "too many others" in reasons({"a.zip": zipped({"b.zip": zipped({"c.zip": zipped({"d.zip": b"PK"})})})})[0]
    assert "over the limit" in reasons({"big.csv": b"a" * 100_001})[0]


def test_members_with_hostile_names_stay_labels() -> None:
    body = table(OF[M], [0, 1, 2, 3], [list(range(5))] * 4, "jsonl", "question_id")["t/run.jsonl"]
    result = read({"a.zip": zipped({"../../etc/run.jsonl": body}), "b.tar": tarred({"/abs/../run.jsonl": body})})
    assert {f for r in result.run for f in r["files"].split("\n")} == {"a.zip/etc/run.jsonl"}  # the same run came twice
