from collections import Counter
from decimal import Decimal


def run(ctx):
    lines = ctx.inputs["lines"]
    print(f"{len(lines)} lines for {ctx.inputs['month']}")
    total = sum(Decimal(line["amount"]) for line in lines)
    return {"month": ctx.inputs["month"], "total": str(total), "by": Counter(line["who"] for line in lines)}
