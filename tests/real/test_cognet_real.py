"""COGNET-MD on the four questions that its paper prints."""

from __future__ import annotations

from pathlib import Path

from pipelines.archive.landing import Landing
from pipelines.archive.session import Session
from pipelines.benchmarks.cognet_md import source as cognet
from pipelines.progress import silent
from pipelines.settings import Settings


def test_the_paper_s_questions(shared: Path, tmp_path: Path) -> None:
    settings = Settings.from_env({"MEDEXAMS_COGNET_RELEASE": str(shared / "data" / "cognet" / "cognet_sample.csv")})
    landing = Landing(tmp_path)
    got = cognet.read(cognet.fetch(settings, Session(settings, landing), landing, silent), landing)
    assert got.dataset.dataset_id == "cognet_md/1.0"
    assert not got.rejected
    assert ["".join(k.labels) for i in got.items for k in i.keys] == ["D", "E", "ACE", "ABE"]
    assert [len(i.choices) for i in got.items] == [5, 5, 5, 5]
    assert [i.topic for i in got.items] == ["psychiatry", "psychiatry", "dermatology", "dermatology"]
    assert all(not i.flags and i.stem.endswith("?") and all(c.text for c in i.choices) for i in got.items)
