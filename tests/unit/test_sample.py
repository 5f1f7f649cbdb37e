"""The bundled sample: its layouts, what is wrong in it on purpose, and its server."""

from __future__ import annotations

import csv
import json
import re
import urllib.error
import urllib.request
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipelines import sample
from pipelines.archive import files
from pipelines.archive.landing import Landing
from pipelines.archive.session import Session
from pipelines.benchmarks.cognet_md import source as cognet
from pipelines.benchmarks.kokushi_md10 import source as kokushi
from pipelines.benchmarks.medschool import bank as mur
from pipelines.benchmarks.medschool import release as medschool
from pipelines.progress import silent
from pipelines.questions.unify import unify
from pipelines.settings import Settings
from pipelines.vocabulary import ANSWER_TYPES, FLAGS, KEY_STATUSES

Row = dict[str, Any]
SUBJECTS = {"biologia": 14, "chimica": 14, "competenze-conoscenze": 10, "fisica-matematica": 14, "logica": 9}
BENCHMARKS = Path(sample.__file__).parent / "benchmarks"
EXAMS = BENCHMARKS / "kokushi_md10" / "sample" / "kokushi" / "exams" / "JA"
MODELS = {"sample-model-a", "sample-model-b"}


@pytest.fixture(scope="module")
def bank() -> list[Row]:
    envelope = json.loads((BENCHMARKS / "medschool" / "sample" / "mur_bank.json").read_text("utf-8"))
    assert envelope["totalElements"] == envelope["numberOfElements"] == len(envelope["content"])
    content: list[Row] = envelope["content"]
    return content


@pytest.fixture(scope="module")
def released() -> list[Row]:
    lines = (BENCHMARKS / "medschool" / "sample" / "medical_school_questions.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def cognet_rows() -> list[Row]:
    with (BENCHMARKS / "cognet_md" / "sample" / "cognet.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def kokushi_rows() -> dict[Path, list[Row]]:
    return {path: json.loads(path.read_text("utf-8")) for path in sorted(EXAMS.glob("*/*.json"))}


def collected(source: str) -> str:
    """What a collector that decodes &lt; and &gt; before it removes tags leaves of a piece of HTML."""
    for pattern, mark in ((r"<sup>(.*?)</sup>", r"^\1"), (r"<sub>(.*?)</sub>", r"_\1"), ("<br>", "\n")):
        source = re.sub(pattern, mark, source)
    for entity, character in (("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        source = source.replace(entity, character)
    return re.sub(r"<[^>]*>", "", re.sub(r" *\n+ *", "\n", source))


def whole(source: str) -> str:
    """The same with tags removed first, so that nothing is lost."""
    return collected(re.sub(r"<(?!/?su[bp]|br)/?[a-z][^<>]*>", "", source).replace("&lt;", "≺"))


def seen(texts: Iterator[str]) -> tuple[str, ...]:
    return tuple(sorted(text.strip() for text in texts))


# ---- the Italian bank and its release ----------------------------------------------------------------------------


def test_bank_has_the_layout_of_the_ministry(bank: list[Row]) -> None:
    assert Counter(q["argomento"] for q in bank) == SUBJECTS
    assert len({q["id"] for q in bank}) == len(bank)
    numbers = [(q["argomento"], q["nro"]) for q in bank]
    assert numbers == sorted(numbers) and len(set(numbers)) == len(numbers)
    for q in bank:
        assert set(q) - {"branoId"} == {"id", "argomento", "nro", "domanda", "risposte"}
        assert sorted(a["id"] for a in q["risposte"]) == list("abcde")
        assert all(set(a) == {"id", "text"} for a in q["risposte"])
        assert q["domanda"].startswith(("<b><p>", "<p>"))
    places = Counter([a["id"] for a in q["risposte"]].index("a") for q in bank)
    assert set(places) == set(range(5)), "the key stands at each place"


@pytest.mark.parametrize(
    "piece", ["<sub>", "<sup>", "<br>", "<li>", "<ul>", "<strong>", "&lt;", "&gt;", "&amp;", "&nbsp;", "&#39;", " < m "]
)
def test_bank_holds_each_kind_of_markup(bank: list[Row], piece: str) -> None:
    assert any(piece in text for q in bank for text in (q["domanda"], *(a["text"] for a in q["risposte"])))


def test_bank_repeats_one_choice_and_one_question(bank: list[Row]) -> None:
    written = [q for q in bank if "<img" not in q["risposte"][0]["text"]]
    assert sum(len({whole(a["text"]) for a in q["risposte"]}) < 5 for q in written) == 1
    stems = Counter(whole(q["domanda"]) for q in bank)
    assert [n for n in stems.values() if n > 1] == [2]


def test_bank_has_pictures_and_passages(bank: list[Row]) -> None:
    assert sum("<img" in q["domanda"] for q in bank) == 3
    assert [sum("<img" in a["text"] for a in q["risposte"]) for q in bank].count(5) == 1
    passages = json.loads((BENCHMARKS / "medschool" / "sample" / "mur_passages.json").read_text("utf-8"))
    named = Counter(q["branoId"] for q in bank if "branoId" in q)
    assert [named[key] for key in passages] == [2] and len(named) == 2, "one passage serves two questions, one is lost"


def test_release_has_the_layout_of_the_collector(released: list[Row], bank: list[Row]) -> None:
    assert len(released) == 45
    assert {r["topic"] for r in released} == set(SUBJECTS)
    assert [r["id"] for r in released] == sorted({r["id"] for r in released})
    assert not {r["id"] for r in released} & {q["id"] for q in bank}
    for r in released:
        assert list(r) == ["id", "topic", "text", "answers", "label"]
        assert len(r["answers"]) == 5 and r["label"] in range(5)


def test_release_is_what_the_collector_leaves_of_the_bank(released: list[Row], bank: list[Row]) -> None:
    """All rows but one, which was retyped; and all keys but one."""
    by_remains = {(collected(q["domanda"]).strip(), seen(collected(a["text"]) for a in q["risposte"])): q for q in bank}
    retyped, rekeyed, lost, unpictured, without_passage = 0, 0, 0, 0, 0
    for r in released:
        q = by_remains.get((r["text"].strip(), seen(iter(r["answers"]))))
        if q is None:
            retyped += 1
            continue
        key = next(collected(a["text"]) for a in q["risposte"] if a["id"] == "a")
        rekeyed += r["answers"][r["label"]].strip() != key.strip()
        texts = [q["domanda"], *(a["text"] for a in q["risposte"])]
        lost += any("&lt;" in t and collected(t) != whole(t).replace("≺", "<") for t in texts)
        assert "<img" not in q["domanda"]
        unpictured += any("<img" in t for t in texts)
        without_passage += "branoId" in q
    assert (retyped, rekeyed, lost, unpictured, without_passage) == (1, 1, 4, 1, 1)


# ---- the English file --------------------------------------------------------------------------------------------


def test_cognet_has_the_columns_of_the_release(cognet_rows: list[Row]) -> None:
    assert list(cognet_rows[0]) == ["Questions", "CorrectResponse", "Specialty"]
    assert len(cognet_rows) == 22 and sum(not r["Questions"] for r in cognet_rows) == 1
    names = {r["Specialty"].strip().lower() for r in cognet_rows}
    assert names == {"dentistry", "dermatology", "endocrinology", "psychiatry", "pulmonology"}


@pytest.mark.parametrize(
    "form", [r"[A-H]", r"[a-h]", r"[A-H](-[A-H])+", r"[a-h](-[a-h])+", r"[A-H](, [A-H])+", r"[A-H]{2,}"]
)
def test_cognet_keys_come_in_each_spelling(cognet_rows: list[Row], form: str) -> None:
    assert any(re.fullmatch(form, r["CorrectResponse"]) for r in cognet_rows)


# ---- the Japanese folder -----------------------------------------------------------------------------------------


def test_kokushi_has_the_layout_of_the_released_scorer(kokushi_rows: dict[Path, list[Row]]) -> None:
    assert sum(map(len, kokushi_rows.values())) == 65
    assert {path.parent.name for path in kokushi_rows} == {"医師", "歯科", "看護", "薬剤", "理学"}
    for path, rows in kokushi_rows.items():
        assert re.fullmatch(rf"{path.parent.name}_20\d\d_[a-f][1-3]?\.json", path.name)
        numbers = [int(r["index"]) for r in rows]
        assert numbers == sorted(set(numbers))
        for r in rows:
            assert {"index", "question", "answer", "points", "text_only", "human_accuracy"} <= set(r)
            assert isinstance(r["text_only"], bool) and isinstance(r["answer"], str)


@pytest.mark.parametrize(
    "answer",
    ["b", "ad", "1,4", "a or d", "1または2", "1,3,5（いずれか2つ選択で正解とする）", "解なし", "NA",
     "01", "5.6", "1800", "ebadc", "大泉門"],
)  # fmt: skip
def test_kokushi_has_each_kind_of_key(kokushi_rows: dict[Path, list[Row]], answer: str) -> None:
    assert any(r["answer"] == answer for rows in kokushi_rows.values() for r in rows)


def test_kokushi_forbidden_lists_are_dirty(kokushi_rows: dict[Path, list[Row]]) -> None:
    lists = [r["kinki"] for rows in kokushi_rows.values() for r in rows if r.get("kinki")]
    for dirty in (["ｃ"], ["ace"], ["d", " e"], "b"):
        assert dirty in lists


# ---- predictions -------------------------------------------------------------------------------------------------


def test_predictions_name_questions_of_the_sample(
    released: list[Row], cognet_rows: list[Row], kokushi_rows: dict[Path, list[Row]]
) -> None:
    medschool_folder, cognet_folder, kokushi_folder = sorted(
        sample.predictions(), key=lambda f: ["medschool", "cognet_md", "kokushi_md10"].index(f.parts[-3])
    )
    lines = (medschool_folder / "medschool_responses.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    texts = {f"medschool/room-b007-sample/{r['id']}": r["text"] for r in released}
    assert {r["model"] for r in rows} == MODELS
    assert sum(texts.get(r["question_id"]) != r["question"] for r in rows) == 1, "one belongs to no question"
    with (cognet_folder / "cognet_predictions.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    questions = {r["Questions"] for r in cognet_rows if r["Questions"]}
    for model in MODELS:
        assert {r["Questions"] for r in table if r["model"] == model} == questions
    results = sorted(kokushi_folder.glob("results/sample/*/text/*/*_pred.json"))
    assert {path.parts[-4] for path in results} == MODELS
    for path in results:
        paper = EXAMS / path.parent.name / path.name.replace("_pred", "")
        indexes = [r["index"] for r in json.loads(path.read_text("utf-8"))]
        assert indexes == [r["index"] for r in kokushi_rows[paper]]


# ---- the server --------------------------------------------------------------------------------------------------


def get(url: str, **headers: str) -> tuple[int, bytes, Any]:
    request = urllib.request.Request(url, headers={k.replace("_", "-"): v for k, v in headers.items()})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as fault:
        return fault.code, fault.read(), fault.headers


@pytest.fixture(scope="module")
def served() -> Iterator[dict[str, str]]:
    with sample.serve() as addresses:
        yield addresses


@pytest.mark.parametrize("size", [1, 20, 25, 1000])
def test_served_pages_add_up(served: dict[str, str], bank: list[Row], size: int) -> None:
    rows: list[Row] = []
    for number in range(-(-len(bank) // size)):
        status, body, _ = get(f"{served['mur_api']}/domanda/list?page={number}&page-size={size}")
        page = json.loads(body)
        assert status == 200 and page["number"] == number and page["totalElements"] == len(bank)
        assert page["numberOfElements"] == len(page["content"]) <= size
        assert page["first"] == (number == 0) and page["last"] == (number == page["totalPages"] - 1)
        rows += page["content"]
    assert rows == bank


def test_page_beyond_the_end_is_empty_and_nonsense_refused(served: dict[str, str]) -> None:
    assert json.loads(get(f"{served['mur_api']}/domanda/list?page=99")[1])["empty"] is True
    assert get(f"{served['mur_api']}/domanda/list?page=x")[0] == 400
    assert get(f"{served['mur_api']}/domanda/list?page-size=0")[0] == 400


def test_pictures_are_real_and_differ(served: dict[str, str], bank: list[Row]) -> None:
    host = served["mur_api"].removesuffix("/api/v1")
    addresses = re.findall(
        r'src="([^"]+)"', "".join(t for q in bank for t in (q["domanda"], *(a["text"] for a in q["risposte"])))
    )
    answers = [get(host + address) for address in addresses]
    assert Counter(status for status, _, _ in answers) == {200: 7, 404: 1}
    pictures = {body for status, body, _ in answers if status == 200}
    assert len(pictures) == 7
    for picture in pictures:
        assert picture.startswith(b"\x89PNG\r\n\x1a\n") and picture.endswith(b"IEND\xaeB`\x82")
        width, height = int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])
        start = picture.index(b"IDAT")
        data = picture[start + 4 : start + 4 + int.from_bytes(picture[start - 4 : start])]
        assert len(zlib.decompress(data)) == height * (1 + 3 * width)


def test_passages(served: dict[str, str]) -> None:
    status, body, _ = get(f"{served['mur_api']}/domanda/brano/sample-brano-1")
    assert status == 200 and json.loads(body)["brano"].startswith("<p>Da trent'anni")
    assert get(f"{served['mur_api']}/domanda/brano/sample-brano-2")[0] == 404


@pytest.mark.parametrize("name", ["medschool_release", "cognet_release"])
def test_files_come_once(served: dict[str, str], name: str) -> None:
    url = served[name]
    status, body, headers = get(url)
    assert status == 200 and body == next(BENCHMARKS.glob(f"*/sample/{url.rsplit('/', 1)[1]}")).read_bytes()
    assert get(url, If_None_Match=headers["ETag"])[:2] == (304, b"")
    assert get(url, If_Modified_Since=headers["Last-Modified"])[:2] == (304, b"")
    assert get(url, If_None_Match='"other"', If_Modified_Since=headers["Last-Modified"])[0] == 200
    assert get(url, If_Modified_Since="Mon, 01 Jan 2001 00:00:00 GMT")[0] == 200


@pytest.mark.parametrize(
    "path",
    ["/sample/", "/sample/../card.toml", "/sample/%2e%2e/card.toml", "/sample/server.py", "/card.toml", "/", "/x"],
)
def test_nothing_else_is_served(served: dict[str, str], path: str) -> None:
    assert get(served["mur_api"].removesuffix("/api/v1") + path)[0] == 404


def test_two_servers_at_once_and_again() -> None:
    with sample.serve() as one, sample.serve() as two:
        assert one["mur_api"] != two["mur_api"] and one["kokushi_release"] == two["kokushi_release"]
        assert get(one["medschool_release"])[1] == get(two["medschool_release"])[1]
    with pytest.raises(urllib.error.URLError):
        get(one["medschool_release"])
    with sample.serve() as third:
        assert get(third["cognet_release"])[0] == 200


def test_server_closes_when_the_block_fails() -> None:
    with pytest.raises(RuntimeError), sample.serve() as addresses:
        raise RuntimeError
    with pytest.raises(urllib.error.URLError):
        get(addresses["cognet_release"])


# ---- all of it, read as the pipeline reads it --------------------------------------------------------------------


def test_every_answer_type_key_kind_and_flag_shows(served: dict[str, str], tmp_path: Path) -> None:
    settings = Settings(profile="sample", data=tmp_path, request_delay=0, addresses=served)
    landing = Landing(tmp_path)
    session = Session(settings, landing)
    readings = [
        source.read(source.fetch(settings, session, landing, silent), landing)
        for source in (medschool, mur, cognet, kokushi)
    ]
    assert [(len(r.items), len(r.rejected)) for r in readings] == [(45, 0), (61, 0), (21, 1), (65, 0)]
    tables = unify(readings)
    assert set(tables["question"]["answer_type"]) == set(ANSWER_TYPES)
    assert set(tables["question"]["key_status"]) == set(KEY_STATUSES)
    assert set(tables["question_flag"]["flag"]) == set(FLAGS)
    assert set(tables["question_link"]["kind"]) == {"exact", "lost_markup", "near"}
    assert tables["answer_key_change"].height == 1
    assert set(tables["dataset"]["origin"]) == {files.SAMPLE_ORIGIN} and tables["dataset"]["is_sample"].all()
