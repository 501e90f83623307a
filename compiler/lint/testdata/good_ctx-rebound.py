from runlace_types import Ctx


def run(ctx: Ctx) -> dict[str, object]:
    def search(query: str) -> object:
        return ctx.crm.search(query=query)

    context = ctx.inputs
    context["x"] = 1
    ctx.inputs["y"] = 2
    return {"x": search("x")}
