"""Asset checks: every rule that schema.py states of a table, and every query of sql/checks. All of them block."""

from collections import defaultdict
from collections.abc import Iterator

import dagster as dg

from assets.common import Workspace
from pipelines.schema import TABLES
from pipelines.store import Check, offending, schema_checks, sql_checks


def _table_checks(table: str, checks: list[Check]) -> dg.AssetChecksDefinition:
    by_name = {c.name: c for c in checks}

    @dg.multi_asset_check(
        name=f"{table}_checks",
        specs=[dg.AssetCheckSpec(c.name, asset=table, description=c.says, blocking=True) for c in checks],
    )
    def run_checks(workspace: dg.ResourceParam[Workspace]) -> Iterator[dg.AssetCheckResult]:
        with workspace.store.connect() as con:
            for name, check in by_name.items():
                count, rows = offending(con, check)
                waived = check.waivable and workspace.store.accept_shrink
                yield dg.AssetCheckResult(
                    passed=count == 0,
                    check_name=name,
                    asset_key=table,
                    severity=dg.AssetCheckSeverity.WARN if waived else dg.AssetCheckSeverity.ERROR,
                    description=check.says if count == 0 else f"{count} rows break this, the first: {rows[0]}",
                    metadata={"offending_rows": count, "first": dg.MetadataValue.text("\n".join(rows))},
                )

    return run_checks


def asset_checks() -> Iterator[dg.AssetChecksDefinition]:
    """One set of checks per table. A check that reads several tables belongs to the one that its file names first."""
    checks: dict[str, list[Check]] = defaultdict(list)
    for table in TABLES.values():
        checks[table.name] += schema_checks(table)
    for check in sql_checks():
        checks[check.table].append(check)
    return (_table_checks(table, found) for table, found in checks.items() if found)
