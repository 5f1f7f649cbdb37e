"""`medexams runs show`: the responses of a run, how each was read and what it earned."""

from __future__ import annotations

from pathlib import Path

import click

from pipelines.cli.command import command, data_option, json_option
from pipelines.cli.names import complete_run, the_run
from pipelines.cli.output import dump, echo
from pipelines.cli.warehouse import open_warehouse, records
from pipelines.errors import SettingsError
from pipelines.settings import Settings
from pipelines.vocabulary import PREDICTION_STATUSES, UNPARSED

_ANSWERS = """
    select
        d.question_id, d.attempt, d.status, p.labels, p.value, d.evidence, d.response,
        d.result, d.key, d.points, d.max_points, d.topic, d.file, d.locator
    from answer_detail d
    join prediction p using (run_id, question_id, attempt)
    where
        d.run_id = $run and coalesce(d.status = $status, true) and coalesce(d.topic = $topic, true)
        and (
            not $some or ($right and d.result = 'right') or ($wrong and d.result in ('wrong', 'right in part'))
            or ($refused and d.status = 'refused') or ($unparsed and list_contains($unread, d.status))
        )
    order by d.question_id, d.attempt
    limit $limit"""
_TOPICS = "select distinct topic from answer_detail where run_id = ? and topic is not null"
_UNMATCHED = "select locator, reason from unmatched_prediction where run_id = ? limit ?"


@command("show")
@click.argument("run", shell_complete=complete_run)
@click.option("--right", is_flag=True, help="Right answers.")
@click.option("--wrong", is_flag=True, help="Wrong answers, those right in part too.")
@click.option("--refused", is_flag=True, help="Refusals.")
@click.option("--unparsed", is_flag=True, help=f"Responses without an answer: {', '.join(UNPARSED)}.")
@click.option("--topic", help="Questions of this subject alone.")
@click.option("--status", type=click.Choice(PREDICTION_STATUSES), help="Responses that were read so, alone.")
@click.option("--limit", default=20, show_default=True, help="At most so many responses.")
@json_option
@data_option
def runs_show(
    run: str, right: bool, wrong: bool, refused: bool, unparsed: bool, topic: str | None, status: str | None,
    limit: int, as_json: bool, data: Path | None,
) -> None:  # fmt: skip
    """Show responses of a run: how each was read and what it earned. RUN is a run_id, a model or a part of one.

    Several of --right, --wrong, --refused and --unparsed give what fits any of them.

    \b
    Examples:
      medexams runs show RUN
      medexams runs show gpt-4 --wrong --topic biology         what it got wrong in one subject
      medexams runs show gpt-4 --refused --unparsed --limit 5  what is not an answer, to see why
    """
    with open_warehouse(Settings.from_env(data=data)) as con:
        run_id = the_run(con, run)
        asked = {"right": right, "wrong": wrong, "refused": refused, "unparsed": unparsed}
        values = {"run": run_id, "status": status, "topic": topic, "unread": list(UNPARSED), "limit": limit}
        found = records(con, _ANSWERS, values | asked | {"some": any(asked.values())})
        topics = {t for (t,) in con.execute(_TOPICS, [run_id]).fetchall()} if topic and not found else set()
        unmatched = con.execute(_UNMATCHED, [run_id, limit]).fetchall()
    if topics and topic not in topics:
        raise SettingsError(f"{run_id} has no subject {topic!r}; it has {', '.join(sorted(topics))}")
    if as_json:
        echo(dump(found))
        return
    if not found:
        echo(f"no such response in {run_id}")
    for a in found:
        read = " ".join(filter(None, (a["status"], a["labels"] or a["value"])))
        echo(f"{a['question_id']} (attempt {a['attempt']}): {read} ({a['result']}, key {a['key'] or 'unknown'})")
        echo(f"    {a['response'] if a['response'] is not None else '(no response)'}".replace("\n", "\n    "))
    if not (any(asked.values()) or topic or status):
        for locator, reason in unmatched:
            echo(f"unmatched {locator}: {reason}")
