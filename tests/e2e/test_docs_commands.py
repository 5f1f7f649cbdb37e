"""Every command in a code block of README, CONTRIBUTING and docs/ is run, page by page, on the bundled sample.

A page's commands run in one shell, in their order, in a folder that looks like a checkout. What can't be run here is
listed with its reason; targets of make are expanded and not run, since they would run this test.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.e2e import famed
from tests.e2e.conftest import Command
from tests.unit.test_docs import PAGES, shell_lines

PROGRAM = re.compile(r"(?:\S+=\S+ )*(?:\.venv/bin/)?(medexams|make|export|eval|duckdb|sudo|podman|journalctl) ")
NEEDS = {
    r"sudo .*|journalctl .*": "a machine of one's own",
    r"podman .*": "a container engine",
    r".*completion zsh.*": "zsh",
    r"duckdb .*|medexams sql": "a DuckDB shell",
    r"medexams ask (?!.*--dry-run).*": "a model's server",
    r".*spark.*": "a Spark cluster",
}
"""Commands that can't be run here, and what they need."""
SETTINGS = {
    "MEDEXAMS_COGNET_RELEASE": "cognet_md/sample/cognet.csv",
    "MEDEXAMS_KOKUSHI_RELEASE": "kokushi_md10/sample/kokushi",
    "MEDEXAMS_MEDSCHOOL_RELEASE": "medschool/sample/medical_school_questions.jsonl",
    "MEDEXAMS_MUR_API": "medschool/sample/mur_bank.json",
}
"""Profile live without the network."""


def lines(page: Path) -> list[str]:
    """The commands of the page's code blocks."""
    return [line for line in shell_lines(page) if PROGRAM.match(f"{line} ")]


def needed(line: str) -> str | None:
    """The pattern of NEEDS that a command fits."""
    return next((pattern for pattern in NEEDS if re.fullmatch(pattern, line.removeprefix(".venv/bin/"))), None)


def sourced(line: str) -> str:
    """A command with its profile: the addresses of SETTINGS go before a profile."""
    return f"(unset {' '.join(SETTINGS)}; {line})" if "--profile sample" in line else line


def answer(path: Path, model: str, label: str) -> None:
    """A file with one prediction."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"model,question_id,prediction\n{model},medschool/mur-sample/101,{label}\n", encoding="utf-8")


@pytest.fixture(scope="module")
def sample(medexams: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the sample, another model's answer, and so one earlier generation."""
    data = tmp_path_factory.mktemp("sample") / "data"
    answer(data.parent / "other.csv", "other-model", "A")
    for args in (("refresh", "--profile", "sample"), ("runs", "add", data.parent / "other.csv")):
        done = medexams(*args, data=data)
        assert done.code == 0, done.err
    return data


@pytest.fixture
def checkout(page: Path, sample: Path, tmp_path: Path) -> Path:
    """A folder with the project's own, that data folder, and the files that the page speaks of."""
    for name in ("sql", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (tmp_path / ".config" / "fish" / "completions").mkdir(parents=True)
    shutil.copytree(sample, tmp_path / "data")
    if page.name == "adding-a-benchmark.md":
        famed.write(tmp_path)
    else:
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        (tmp_path / "mine.csv").write_text(readme.split("```csv\n")[1].split("```")[0], encoding="utf-8")
        answer(tmp_path / "answers.csv", "my-model", "B")
        answer(tmp_path / "results" / "third.csv", "third-model", "C")
    return tmp_path


@pytest.mark.parametrize("page", [p for p in PAGES if lines(p)], ids=lambda p: p.name)
def test_commands_of_a_page_run(page: Path, checkout: Path) -> None:
    commands = [line for line in lines(page) if needed(line) is None and not line.startswith("make")]
    script = "\n".join(f"echo {shlex.quote('@@ ' + line)} >&2\n{sourced(line)}" for line in commands)
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("MEDEXAMS_", "DAGSTER_"))}
    env = clean | {name: str(ROOT / "pipelines" / "benchmarks" / path) for name, path in SETTINGS.items()}
    env |= {"PATH": f"{sys.prefix}/bin:{env['PATH']}", "HOME": str(checkout), "MEDEXAMS_REQUEST_DELAY": "0"}
    shell = ["bash", "-e", "-c", script]
    done = subprocess.run(shell, cwd=checkout, env=env, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr, done.stderr[-3000:]


@pytest.mark.parametrize("line", sorted({line for p in PAGES for line in lines(p) if line.startswith("make")}))
def test_targets_of_make_exist(line: str) -> None:
    command = [*shlex.split(line), "--dry-run"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_what_is_not_run_is_what_the_list_says() -> None:
    """Each entry of the list is still needed, and what it leaves out is less than a third."""
    every = [line for page in PAGES for line in lines(page)]
    left_out = [pattern for line in every if (pattern := needed(line))]
    assert set(left_out) == set(NEEDS)
    assert len(left_out) < len(every) / 3
