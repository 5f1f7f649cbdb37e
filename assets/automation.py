"""Jobs, the weekly schedule and the inbox sensor: when which assets are made."""

import dagster as dg

from assets.common import QUESTIONS, SOURCES
from pipelines.runs.inbox import Watch, due, look
from pipelines.settings import Settings

refresh = dg.define_asset_job(
    "refresh",
    selection=dg.AssetSelection.all(),
    description="Refresh everything: fetch all sources, rebuild, score and publish.",
)

score = dg.define_asset_job(
    "score",
    selection=dg.AssetSelection.all() - dg.AssetSelection.groups(SOURCES, QUESTIONS),
    description="Score what is in the inbox: read new prediction files, score all runs and publish. No network.",
)

# Off until switched on in the UI: a fresh checkout must not call the public hosts by itself.
weekly = dg.ScheduleDefinition(
    name="weekly_refresh",
    job=refresh,
    cron_schedule="0 4 * * 1",
    execution_timezone="Europe/Rome",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Every Monday at 04:00, Rome time.",
)


def inbox_sensor(settings: Settings) -> dg.SensorDefinition:
    """Runs `score` when the inbox has changed and then stood still from one look to the next."""

    @dg.sensor(
        name="inbox",
        job=score,
        minimum_interval_seconds=30,
        default_status=dg.DefaultSensorStatus.STOPPED,
        description="Watches the inbox; a file that is still growing is left for the next look.",
    )
    def inbox(context: dg.SensorEvaluationContext) -> dg.SensorResult:
        now = look(settings.inbox_folder)
        run, watch = due(Watch.from_json(context.cursor), now)
        return dg.SensorResult(run_requests=[dg.RunRequest()] if run else [], cursor=watch.to_json())

    return inbox
