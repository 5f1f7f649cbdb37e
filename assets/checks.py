"""Asset checks: every rule that the schema states of a table, and every query of sql/checks. All of them block."""

import re
from collections import defaultdict
from collections.abc import Iterator

import dagster as dg

from assets.common import Workspace
from pipelines.schema import TABLES
from pipelines.store.checks import Check, offending, schema_checks
from pipelines.store.sqlfiles import sql_checks

_SENTENCES = {
    r"not_null": "no_required_column_is_null",
    r"key": "key_is_unique",
    r"not_empty": "has_at_least_one_row",
    r"(\w+)_values": r"\1_is_a_permitted_value",
    r"(\w+)_reference": r"\1_is_known",
}


def title(check: Check) -> str:
    """A check's name in the UI, where it stands below its table: a sentence, as far as Dagster's alphabet allows."""
    rule = check.name.removeprefix(f"{check.table}_")
    for pattern, sentence in _SENTENCES.items():
        if found := re.fullmatch(pattern, rule):
            return found.expand(sentence)
    return rule


def _table_checks(table: str, checks: list[Check]) -> dg.AssetChecksDefinition:
    by_name = {title(c): c for c in checks}

    @dg.multi_asset_check(
        name=f"{table}_checks",
        specs=[dg.AssetCheckSpec(name, asset=table, description=c.says, blocking=True) for name, c in by_name.items()],
    )
    def run_checks(workspace: dg.ResourceParam[Workspace]) -> Iterator[dg.AssetCheckResult]:
        with workspace.store.connect({t for check in checks for t in check.reads}) as con:
            for name, check in by_name.items():
                count, rows = offending(con, check)
                yield dg.AssetCheckResult(
                    passed=count == 0,
                    check_name=name,
                    asset_key=table,
                    severity=dg.AssetCheckSeverity.ERROR,
                    description=check.says if count == 0 else f"{count} rows break this, the first: {rows[0]}",
                    metadata={"offending_rows": count, **(_evidence(check, rows) if count else {})},
                )

    return run_checks


def _evidence(check: Check, rows: list[str]) -> dict[str, dg.MetadataValue]:
    """What a person needs to look further: the first rows that break the rule, and the query that finds them all."""
    return {
        "first": dg.MetadataValue.text("\n".join(rows)),
        "query": dg.MetadataValue.md(f"```sql\n{check.sql}\n```"),
    }


def asset_checks() -> Iterator[dg.AssetChecksDefinition]:
    """One set of checks per table. A check that reads several tables belongs to the one that its file names first."""
    checks: dict[str, list[Check]] = defaultdict(list)
    for table in TABLES.values():
        checks[table.name] += schema_checks(table)
    for check in sql_checks():
        checks[check.table].append(check)
    return (_table_checks(table, found) for table, found in checks.items() if found)
