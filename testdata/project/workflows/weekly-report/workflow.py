"""Adds up the hours of a week, from one table for each team."""

import csv
import io
from collections import defaultdict
from decimal import Decimal

from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    week = ctx.inputs["week"]
    listing = ctx.files.list_directory(path="times")["content"]
    tables = sorted(line.removeprefix("[FILE] ") for line in listing.splitlines() if line.startswith(f"[FILE] {week}-"))
    hours: defaultdict[str, Decimal] = defaultdict(Decimal)
    for table in tables:
        text = ctx.files.read_text_file(path=f"times/{table}")["content"]
        for row in csv.DictReader(io.StringIO(text)):
            hours[row["project"]] += Decimal(row["hours"])
    if not tables:
        print(f"there are no tables for {week}")
        return {"week": week, "tables": 0, "total": "0", "report": None}
    lines = [f"# Hours in {week}", ""]
    for project in sorted(hours, key=lambda p: (-hours[p], p)):
        lines.append(f"- {project}: {hours[project]}")
    report = f"reports/{week}.md"
    ctx.files.write_file(path=report, content="\n".join(lines) + "\n")
    return {"week": week, "tables": len(tables), "total": str(sum(hours.values())), "report": report}
