from runlace_types import Ctx


def run(ctx: Ctx) -> dict[str, object]:
    rows = ctx.crm.search(query="é", limit=)  # ! syntax-error
    return {}
