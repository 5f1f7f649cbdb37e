"""The inbox: files that are copied into it, replaced, taken out, or refused."""

from __future__ import annotations

import os
from pathlib import Path

from pipelines.runs import inbox
from pipelines.runs.formats.card import Card


def test_two_files_of_one_name_are_kept_apart_and_the_same_one_is_replaced(tmp_path: Path) -> None:
    box = tmp_path / "inbox"
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "preds.csv").write_text(f"model,question_id,prediction\n{folder},q/1,A\n")
    both = inbox.add([tmp_path / "a/preds.csv", tmp_path / "b/preds.csv"], box)
    first, second = both.copied
    assert both.kept == {"preds.csv": str((tmp_path / "a/preds.csv").resolve())}
    assert first == "preds.csv" and second.endswith("/preds.csv")
    (tmp_path / "a/preds.csv").write_text("model,question_id,prediction\nnew,q/1,A\n")
    assert inbox.add([tmp_path / "a/preds.csv"], box).copied == [first]
    assert [(box / name).read_text().split("\n")[1].split(",")[0] for name in (first, second)] == ["new", "b"]


def test_a_corrected_file_takes_the_place_of_the_old_one_where_that_is_said(tmp_path: Path) -> None:
    box = tmp_path / "inbox"
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "preds.csv").write_text(folder)
    inbox.add([tmp_path / "a/preds.csv"], box)
    asked: list[tuple[str, str]] = []

    def replace(*there: str) -> bool:
        asked.append(there)  # type: ignore[arg-type]
        return True

    added = inbox.add([tmp_path / "b/preds.csv"], box, replace=replace)
    assert asked == [("preds.csv", str((tmp_path / "a/preds.csv").resolve()))]
    assert added.copied == ["preds.csv"] and not added.kept
    assert [p.name for p in box.rglob("*.csv")] == ["preds.csv"] and (box / "preds.csv").read_text() == "b"
    inbox.remove(box, ["preds.csv"])
    assert not list(box.rglob("*.csv")) and not inbox.add([tmp_path / "a/preds.csv"], box).kept


def test_a_folder_added_again_takes_out_what_it_no_longer_holds(tmp_path: Path) -> None:
    box, folder = tmp_path / "inbox", tmp_path / "results"
    folder.mkdir()
    for name in ("old.csv", "kept.csv"):
        (folder / name).write_text(name)
    inbox.add([folder], box)
    (folder / "old.csv").unlink()
    inbox.add([folder], box)
    assert [p.name for p in box.rglob("*.csv")] == ["kept.csv"]


def test_what_is_no_file_is_refused_with_a_row_and_the_rest_is_copied(tmp_path: Path) -> None:
    box, folder = tmp_path / "inbox", tmp_path / "results"
    (folder / ".git").mkdir(parents=True)
    for name in ("good.csv", ".hidden.csv", ".git/config"):
        (folder / name).write_text("x")
    (folder / "link.csv").symlink_to(folder / "good.csv")
    (folder / "dead.csv").symlink_to(folder / "nowhere")
    os.mkfifo(folder / "pipe.csv")
    added = inbox.add([folder, folder / "link.csv"], box)
    assert added.copied == ["results/good.csv", "good.csv"]  # a link that is named itself is followed
    words = {"link.csv": "link", "dead.csv": "link", "pipe.csv": "pipe", ".hidden.csv": "hidden", ".git": "hidden"}
    refused = {name.removeprefix("results/"): reason for name, reason in added.refused.items()}
    assert refused.keys() == words.keys() and all(word in refused[name] for name, word in words.items())
    assert {name: reason for name, (_, reason) in inbox.refused(box).items()} == added.refused
    assert inbox.refused(box)["results/pipe.csv"][0] == str(folder.resolve() / "pipe.csv")  # where a person has it
    for path in (folder / "pipe.csv", folder / "dead.csv"):
        path.unlink()
    inbox.add([folder], box)
    assert set(inbox.refused(box)) == {"results/link.csv", "results/.hidden.csv", "results/.git"}


def test_a_card_of_an_earlier_time_does_not_speak(tmp_path: Path) -> None:
    box, path = tmp_path / "inbox", tmp_path / "nomodel.csv"
    path.write_text("question_id,prediction\nq/1,A\n")
    inbox.add([path], box, Card(model="first"))
    assert (box / "nomodel.csv.card.toml").read_text() == 'model = "first"\n'
    inbox.add([path], box)
    assert not (box / "nomodel.csv.card.toml").exists()
