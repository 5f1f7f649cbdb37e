"""docs/questions.md: each command gives its answer on the sample, and each trail of links in the report leads to it."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from pipelines.document import DOCS, sample_warehouse
from pipelines.report import write
from tests.conftest import ROOT, lacking
from tests.e2e.conftest import Command
from tests.e2e.test_ui_browser import FLAGS


@dataclass(frozen=True)
class Question:
    """A section of the page; `links` is the trail in the report, empty where there is none."""

    title: str
    threads: tuple[str, ...]
    command: str
    answer: str
    links: tuple[str, ...] = ()
    shows: str = ""


def questions() -> list[Question]:
    found = []
    for section in (DOCS / "questions.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        (command,) = re.findall(r"```sh\nmedexams (.+)\n```", section)
        (answer,) = re.findall(r"^Answer: `(.+)`$", section, re.MULTILINE)
        trail = re.search(r"^In the report: (.+), which shows `(.+)`$", section, re.MULTILINE)
        links = tuple(re.findall(r"`([^`]+)`", trail[1])) if trail else ()
        threads = tuple(re.findall(r"\]\(https://github\.com/(\S+)\)", section))
        found.append(Question(section.split("\n")[0], threads, command, answer, links, trail[2] if trail else ""))
    return found


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("questions")
    write(sample_warehouse(folder), folder / "report", lambda *_: None)
    return folder


def test_there_are_twenty_and_each_was_asked_somewhere() -> None:
    found = questions()
    assert len(found) == 20
    trackers = {thread.rpartition("/")[0].rpartition("/")[0] for q in found for thread in q.threads}
    assert trackers == {"EleutherAI/lm-evaluation-harness", "UKGovernmentBEIS/inspect_ai", "stanford-crfm/helm"}
    assert all(q.threads and len(q.links) <= 3 for q in found)


@pytest.mark.parametrize("question", questions(), ids=lambda q: q.title)
def test_one_command_answers(question: Question, data: Path, medexams: Command) -> None:
    call, _, query = question.command.partition(" < ")
    done = medexams(*shlex.split(call), data=data, stdin=(ROOT / query).read_text(encoding="utf-8") if query else None)
    assert done.code == 0, done.err
    assert question.answer in done.out


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    chromium = shutil.which("chromium")
    if not chromium:
        lacking("Debian's chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path=chromium, args=[*FLAGS]
        )
        yield browser.pages[0]
        browser.close()


@pytest.mark.parametrize("question", [q for q in questions() if q.links], ids=lambda q: q.title)
def test_at_most_three_clicks_lead_there(question: Question, data: Path, page: Page) -> None:
    page.goto((data / "report" / "index.html").as_uri())
    for link in question.links:
        page.get_by_role("link", name=link, exact=True).first.click()
    expect(page.locator("main").get_by_text(question.shows).first).to_be_attached()
