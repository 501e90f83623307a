"""Imports orders from files. A file that cannot be read, or a row that makes no sense, is noted and does not stop the rest."""

import csv
import io
from decimal import Decimal, InvalidOperation

from runlace_types import Ctx, Output, ToolError


def run(ctx: Ctx) -> Output:
    problems: list[str] = []
    orders: dict[str, list[str]] = {}
    for path in ctx.inputs["files"]:
        try:
            text = ctx.files.read_text_file(path=path)["content"]
        except ToolError as e:
            problems.append(f"{path}: {e.code}")
            continue
        for number, row in enumerate(csv.DictReader(io.StringIO(text)), start=2):
            try:
                amount = Decimal(row["amount"])
            except (InvalidOperation, KeyError):
                problems.append(f"{path}:{number}: no amount")
                continue
            orders.setdefault(row["customer"], []).append(f"order {row['order']}: {amount}")
    if len(problems) > ctx.inputs.get("most_problems", 10):
        raise RuntimeError(f"{len(problems)} problems, and nothing was imported; the first: {problems[0]}")
    imported = 0
    for customer in sorted(orders):
        known = ctx.memory.open_nodes(names=[customer])["entities"]
        if known:
            seen = set(known[0]["observations"])
            fresh = [order for order in orders[customer] if order not in seen]
            if fresh:
                ctx.memory.add_observations(observations=[{"entityName": customer, "contents": fresh}])
        else:
            fresh = orders[customer]
            ctx.memory.create_entities(entities=[{"name": customer, "entityType": "customer", "observations": fresh}])
        imported += len(fresh)
    return {"imported": imported, "problems": problems}
