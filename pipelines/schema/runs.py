"""What models answered: runs and predictions, and what of a file could not be read or matched."""

from __future__ import annotations

from pipelines.schema.table import ATTEMPT, BOOL, INT, QUESTION_ID, RUN_ID, TEXT, TIME, Table, col, free, ref
from pipelines.vocabulary import MODALITIES, PREDICTION_STATUSES, RUN_FORMATS, RUN_KINDS

TABLES = (
    Table(
        "run", "runs", "One model (or baseline, or group of people) that answered one dataset once.",
        (
            RUN_ID,
            free("model", "Model, baseline or group."),
            free("vendor", "Who made the model.", null=True),
            free("description", "Free description.", null=True),
            free("dataset_id", "Dataset that was answered."),
            free("use_case", "Use case that the run declares, of those on its benchmark's card.", null=True),
            free("modality", "What the model was shown.", values=MODALITIES),
            free("format", "mc: choices ranked; cloze: choices not shown; generated: free text.",
                values=RUN_FORMATS),
            free("harness", "Tool that wrote the predictions."),
            free("harness_version", "Its version, where the file says so.", null=True),
            free("language", "Language of the dataset."),
            col("created_at", TIME, "When the run was made, where the file says so; else when it was read.", unit="UTC"),
            free("files", "Files it was read from, joined by newlines.", null=True),
            free("sha256", "SHA-256 over those files.", null=True),
            free("kind", "What answered.", values=RUN_KINDS),
            col("is_sample", BOOL, "True when it belongs to the bundled sample."),
            free("reader", "Version of what read its files and, behind the dot, its responses; null for baselines.", null=True),
        ),
        key=("run_id",), references=(ref("dataset_id", "dataset"),), not_empty=True, in_parts=True,
    ),
    Table(
        "prediction", "runs", "One answer of a run to a question.",
        (
            RUN_ID, QUESTION_ID, ATTEMPT,
            col("response", TEXT, "The response as the tool stored it.", null=True),
            free("status", "How the response was read.", values=PREDICTION_STATUSES),
            col("selection", INT, "Chosen choices as a bit mask: bit i is the choice at position i.", null=True),
            free("labels", "Labels of the chosen choices, joined by '-'.", null=True),
            col("value", TEXT, "Value given to a numeric, sequence or text question.", null=True),
            col("evidence", TEXT, "The piece of the response that decided.", null=True),
            free("file", "File of run.files that it was read from; null for baselines.", null=True),
            free("locator", "Where in that file: a line, a row, an entry.", null=True),
        ),
        key=("run_id", "question_id", "attempt"),
        references=(ref("run_id", "run"), ref("question_id", "question")), in_parts=True,
    ),
    Table(
        "rejected_file", "runs", "A file of the inbox that could not be read.",
        (
            free("path", "File, with the member's name for archives."),
            free("format", "Format it was taken for.", null=True),
            col("reason", TEXT, "Why it was rejected and what to do, in a sentence."),
            col("detail", TEXT, "Where in the file, or the reader's own words.", null=True),
        ),
        in_parts=True,
    ),
    Table(
        "unmatched_prediction", "runs", "A prediction that belongs to no known question.",
        (
            free("run_id", "Run or file it came with (not a row of run when nothing of it matched)."),
            free("locator", "Where in the file."),
            col("reason", TEXT, "Why it could not be matched."),
        ),
        in_parts=True,
    ),
)  # fmt: skip
