from runlace_types import Ctx


def run(ctx: Ctx) -> dict[str, object]:
    return {"x": [ctx.crm.search(query=q) for q in "ab"]}
