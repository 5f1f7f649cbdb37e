"""Jobs, the weekly schedule and the inbox sensor: when which assets are made."""

import dagster as dg

from assets.common import QUESTIONS, SOURCES, was_locked_out
from pipelines.runs.inbox import Watch, due, look
from pipelines.settings import Settings

refresh = dg.define_asset_job(
    "refresh",
    selection=dg.AssetSelection.all(),
    description="Refresh everything: fetch all sources, rebuild all tables, score all runs and publish the warehouse. "
    "The same as `medexams refresh`. If anything is wrong, the published file stays as it was.",
)

score = dg.define_asset_job(
    "score",
    selection=dg.AssetSelection.all() - dg.AssetSelection.groups(SOURCES, QUESTIONS),
    description="Score what is in the inbox: read new prediction files, score all runs and publish. No network. "
    "Put files there with `medexams runs add`, which does the same.",
)

# Off until switched on in the UI: a fresh checkout must not call the public hosts by itself.
weekly = dg.ScheduleDefinition(
    name="weekly_refresh",
    job=refresh,
    cron_schedule="0 4 * * 1",
    execution_timezone="Europe/Rome",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Refreshes everything, every Monday at 04:00, Rome time. Off until you switch it on here.",
)


def inbox_sensor(settings: Settings) -> dg.SensorDefinition:
    """Runs `score` when the inbox has changed and then stood still from one look to the next."""

    @dg.sensor(
        name="inbox",
        job=score,
        minimum_interval_seconds=30,
        default_status=dg.DefaultSensorStatus.STOPPED,
        description="Scores what arrives in the inbox, half a minute after it has stopped growing. Off until you "
        "switch it on here.",
    )
    def inbox(context: dg.SensorEvaluationContext) -> dg.SensorResult:
        watch = Watch.from_json(context.cursor)
        if was_locked_out(context.instance, "inbox"):
            watch = Watch(watch.seen)  # what was asked for was not read
        run, watch = due(watch, look(settings.inbox_folder))
        return dg.SensorResult(run_requests=[dg.RunRequest()] if run else [], cursor=watch.to_json())

    return inbox
