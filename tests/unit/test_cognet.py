"""COGNET-MD: splitting options off the stem, keys, specialties, the CSV and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.archive.landing import Landing
from pipelines.archive.session import Session
from pipelines.archive.snapshot import Snapshot
from pipelines.benchmarks.cognet_md import source as cognet
from pipelines.errors import SettingsError, SourceError
from pipelines.progress import silent
from pipelines.questions.item import Reading
from pipelines.settings import Settings
from pipelines.text.options import split_options

HEADER = "Questions,CorrectResponse,Specialty\n"


def fetched(tmp_path: Path, content: str | bytes, profile: str = "live") -> tuple[Snapshot, Landing]:
    file = tmp_path / "cognetmd.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    landing = Landing(tmp_path / "data")
    env = Settings.from_env({"MEDEXAMS_COGNET_RELEASE": str(file)}, profile=profile)
    return cognet.fetch(env, Session(env, landing), landing, silent), landing


def reading(tmp_path: Path, content: str | bytes) -> Reading:
    return cognet.read(*fetched(tmp_path, content))


SPLITS = [
    ("Which sign? A. Ptosis B. Miosis C. Both", "Which sign?", ["Ptosis", "Miosis", "Both"]),
    ("Which sign?A.Ptosis B.Miosis C.Both", "Which sign?", ["Ptosis", "Miosis", "Both"]),
    ("Which? a) one b) two c) three", "Which?", ["one", "two", "three"]),
    ("Which? (A) one (B) two (C) three", "Which?", ["one", "two", "three"]),
    ("Which?\nA. one\n  over two lines\nB. two\nC. three", "Which?", ["one\n  over two lines", "two", "three"]),
    ("Which? A. 1 B. 2 C. 3 D. 4 E. 5 F. 6 G. 7 H. 8", "Which?", list("12345678")),
    # "A." and others inside the stem
    ("He has hepatitis A. Which drug? A. One B. Two", "He has hepatitis A. Which drug?", ["One", "Two"]),
    ("Patients took drug A. Which? A. One B. Two", "Patients took drug A. Which?", ["One", "Two"]),
    ("Dr. A. B. Smith gave 3.5 mg i.v. at 9 a.m. What? A. One B. Two C. Three",
     "Dr. A. B. Smith gave 3.5 mg i.v. at 9 a.m. What?", ["One", "Two", "Three"]),
    ("At 37 °C. what grows? A. One B. Two C. Three", "At 37 °C. what grows?", ["One", "Two", "Three"]),
    # letters inside options
    ("Lack of? A. Vitamin A B. Vitamin B. C. Vitamin C. D. Vitamin D E. Vitamin E.", "Lack of?",
     ["Vitamin A", "Vitamin B.", "Vitamin C.", "Vitamin D", "Vitamin E."]),
    ("Cause? A. E. coli B. C. difficile C. S. aureus D. B. cereus", "Cause?",
     ["E. coli", "C. difficile", "S. aureus", "B. cereus"]),
    ("Cause? A. Staphylococci B. Streptococci C. Klebsiella D. Infection with E. coli", "Cause?",
     ["Staphylococci", "Streptococci", "Klebsiella", "Infection with E. coli"]),
    ("Dose? A. 0.5 mg B. 1.5 mg C. 2.5 mg", "Dose?", ["0.5 mg", "1.5 mg", "2.5 mg"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "stem", "options"), SPLITS)
def test_options_are_split_off(text: str, stem: str, options: list[str]) -> None:
    split = split_options(text)
    assert split is not None
    assert (split.stem, [option for _, option in split.options]) == (stem, options)
    assert [label.upper() for label, _ in split.options] == [chr(65 + i) for i in range(len(options))]


def test_a_missing_letter_is_told() -> None:
    split = split_options("Which? A. one B. two D. four E. five")
    assert split is not None
    assert [label for label, _ in split.options] == ["A", "B", "D", "E"]
    assert split.missing == ("C",)


@pytest.mark.parametrize(
    "text", ["", "No options here.", "Hepatitis A. is one.", "x" * 60_000, "A. B. C.", "Vitamin B."]
)
def test_what_holds_no_list_is_not_split(text: str) -> None:
    assert split_options(text) is None


def test_many_markers_stay_quick() -> None:
    assert split_options("Q? " + "A. x B. y " * 2_000) is not None


# Traps are part of the words: none of them may begin an option.
_WORDS = st.sampled_from(
    [
        "Fever",
        "Ptosis",
        "insulin",
        "3.5",
        "0.5",
        "mg/dL",
        "Gowers’",
        "e.g.",
        "i.e.",
        "a.m.",
        "vitamin",
        "hepatitis",
        "(acute)",
        "37°C",
        "T4,",
        "Table:",
        "severe",
        "pH",
    ]
)
_STEMS = st.builds(
    lambda words, trap, end: " ".join([*words, *trap, end]),
    st.lists(_WORDS, min_size=1, max_size=12),
    st.sampled_from([[], ["vitamin", "B.", "Then"], ["hepatitis", "A.", "Then"], ["Dr.", "J.", "D.", "Roe", "said"]]),
    st.sampled_from(["which is it?", "choose:"]),
)
_OPTIONS = st.lists(
    st.builds(lambda a, b: " ".join(["Option", *a, *b]), st.lists(_WORDS, max_size=4),
              st.sampled_from([[], ["vitamin", "B"], ["of", "3.5", "mg."], ["type", "A"]])),
    min_size=2, max_size=8,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    _STEMS,
    _OPTIONS,
    st.sampled_from(["{}. ", "{}) ", "({}) ", "{}.", "{}: "]),
    st.booleans(),
    st.sampled_from([" ", "\n"]),
)
def test_what_is_rendered_is_split_back(stem: str, options: list[str], style: str, small: bool, gap: str) -> None:
    labels = [chr((97 if small else 65) + i) for i in range(len(options))]
    text = stem + "".join(gap + style.format(label) + option for label, option in zip(labels, options, strict=True))
    split = split_options(text)
    assert split is not None
    assert (split.stem, split.options) == (stem, tuple(zip(labels, options, strict=True)))


@pytest.mark.parametrize(
    ("text", "labels"),
    [("A-C-E", "ACE"), ("A, C", "AC"), ("a-c", "AC"), ("ACE", "ACE"), ("C-A", "AC"), ("A and C", "AC"), ("A & B", "AB"),
     (" d ", "D"), ("D.", "D"), ("(B)", "B"), ("Ａ，Ｃ", "AC"), ("A-A", "A"), ("C. Delirium", "C"), ("A/B", "AB")],
)  # fmt: skip
def test_keys(text: str, labels: str) -> None:
    assert cognet.read_key(text) == tuple(labels)


@pytest.mark.parametrize("text", ["", "  ", "-", "x", "none of them", "A1", "AZ"])
def test_a_key_that_names_no_option(text: str) -> None:
    assert cognet.read_key(text) is None


@given(
    st.sets(st.sampled_from("ABCDEFGH"), min_size=1),
    st.sampled_from(["-", ", ", "", " ", ";", " and ", "/"]),
    st.booleans(),
)
def test_keys_in_any_writing(labels: set[str], separator: str, small: bool) -> None:
    text = separator.join(sorted(labels))
    assert cognet.read_key(text.lower() if small else text) == tuple(sorted(labels))


@pytest.mark.parametrize(
    ("text", "name"),
    [("Psychiatry", "psychiatry"), (" DERMATOLOGY ", "dermatology"), ("Pneumonology", "pulmonology"),
     ("Respiratory", "pulmonology"), ("Respiratory Medicine", "pulmonology"), ("Dental Medicine", "dentistry"),
     ("Endocrine", "endocrinology"), ("Cardiology", "cardiology"), ("", None)],
)  # fmt: skip
def test_specialties_have_one_name(text: str, name: str | None) -> None:
    assert cognet.specialty(text) == name


def test_rows_become_items_or_rejected_rows(tmp_path: Path) -> None:
    rows = [
        '"Which? A. one B. two C. three",A-C,Psychiatry\n',
        '"Which of these, kept whole?",B,Dentistry\n',
        '"Which? A. one B. two",E,Dermatology\n',
        '"Which? A. one B. two",?,Dermatology\n',
        '"",A,Dermatology\n',
        '"Which? A. one B. two"\n',
        "\n",
    ]
    got = reading(tmp_path, HEADER + "".join(rows))
    assert got.rows_in == 6
    assert [r.locator for r in got.rejected] == ["row 5 (line 6)", "row 6 (line 7)"]
    split, whole, beyond, keyless = got.items
    assert (split.source_key, split.answer_type, split.keys[0].labels) == ("1", "multiple", ("A", "C"))
    assert not split.flags
    assert whole.stem == "Which of these, kept whole?"
    assert "".join(c.label for c in whole.choices) == "ABCDE"
    assert whole.keys[0].labels == ("B",)
    assert "options_not_split" in whole.flags
    assert [(c.label, c.text) for c in beyond.choices] == [("A", "one"), ("B", "two"), ("C", ""), ("D", ""), ("E", "")]
    assert "option C, D, E" in beyond.flags["options_not_split"]
    assert (keyless.key_status, keyless.keys) == ("unknown", [])
    assert "key_missing" in keyless.flags


def test_the_release(tmp_path: Path) -> None:
    got = reading(tmp_path, HEADER + "Which? A. a B. b,A,Psychiatry\n")
    assert (got.dataset.dataset_id, got.dataset.published_count) == ("cognet_md/1.0", 542)
    assert got.dataset.licence == "CC BY-NC-ND 4.0"


def test_a_second_content_is_a_second_release(tmp_path: Path) -> None:
    shot, landing = fetched(tmp_path, HEADER + "Which? A. a B. b,A,Psychiatry\n")
    landing.add_snapshot(shot)
    other, _ = fetched(tmp_path, HEADER + "Which? A. a B. b,B,Psychiatry\n")
    assert (shot.release, other.release) == ("1.0", f"1.0-{other.sha256[:8]}")


@pytest.mark.parametrize("header", ["question;Correct Response;SPECIALITY\n", "Questions\tAnswer\tSpecialty\n"])
def test_columns_are_found_by_name(tmp_path: Path, header: str) -> None:
    delimiter = ";" if ";" in header else "\t"
    got = reading(tmp_path, "\ufeff" + header + delimiter.join(["Which? A. a B. b", "B", "Endo"]) + "\n")
    assert (got.items[0].keys[0].labels, got.items[0].topic) == (("B",), "endocrinology")


def test_mojibake_is_repaired_and_flagged(tmp_path: Path) -> None:
    text = HEADER + "Gowers’ sign at 37 °C? A. Ménière B. two,A,Psychiatry\n"
    broken = text.encode().decode("cp1252").encode()
    for content, flagged in (
        (text.encode(), False),
        (broken, True),
        (text.encode("cp1252"), True),
        (text.encode("utf-16"), False),
    ):
        item = reading(tmp_path, content).items[0]
        assert (item.stem, item.choices[0].text) == ("Gowers’ sign at 37 °C?", "Ménière")
        assert ("text_repaired" in item.flags) is flagged


@given(st.text(st.characters(max_codepoint=0x2FFF, exclude_categories=["Cs", "Cc"]), max_size=30))
def test_repair_undoes_one_wrong_reading(text: str) -> None:
    try:
        broken = text.encode().decode("cp1252")
    except UnicodeDecodeError:
        return
    fixed, _ = cognet.repair(broken)
    assert cognet.repair(text)[0] != text or fixed == text


@pytest.mark.parametrize(
    ("content", "words"),
    [("Q,K\nx,A\n", "CorrectResponse, Specialty are wanted, found Q, K"), ("", "empty"), ("<html>oops</html>", "HTML"),
     (HEADER, "no rows"), (HEADER + '"never closed,A,B\n', "the CSV is broken")],
)  # fmt: skip
def test_what_is_not_the_layout_is_said(tmp_path: Path, content: str, words: str) -> None:
    with pytest.raises(SourceError, match=words):
        fetched(tmp_path, content)


def test_no_address(tmp_path: Path) -> None:
    landing = Landing(tmp_path)
    with pytest.raises(SettingsError, match="MEDEXAMS_COGNET_RELEASE"):
        cognet.fetch(Settings(), Session(Settings(), landing), landing, silent)
