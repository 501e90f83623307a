from runlace_types import Ctx


def helper(ctx: Ctx, q: str) -> object:
    return ctx.crm.search(query=q)


def run(ctx: Ctx) -> dict[str, object]:
    helper(ctx, "x")  # ! ctx-escape
    helper(q="x", ctx=ctx)  # ! ctx-escape
    c = ctx  # ! ctx-escape
    hasattr(ctx, "crm")  # ! ctx-escape
    print(f"{ctx}")  # ! ctx-escape
    return {"c": c, "x": [ctx]}  # ! ctx-escape
